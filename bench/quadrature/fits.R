# Fits, their answers, and how far two answers are apart.

make_rule <- function(name, options) {
  structure(list(name = name, options = options), class = "btg_rule")
}

fit_problem <- function(problem, quadrature, epsilon = 1e-4) {
  btg::btg(problem$formula, data = problem$data, transform = problem$transform,
           quadrature = quadrature, epsilon = epsilon)
}

# The quantiles at the new points and what the package says of their error: points x probs.
ask <- function(fit, new) {
  answer <- predict(fit, new, type = "quantile", probs = probs, quadrature_error = TRUE)
  list(quantile = unname(answer$fit), error = unname(answer$quadrature_error))
}

# Evaluates `expr`; list(value, warnings, error) with the messages.
observe <- function(expr) {
  warnings <- character()
  error <- NA_character_
  value <- withCallingHandlers(
    tryCatch(expr, error = function(e) {
      error <<- conditionMessage(e)
      NULL
    }),
    warning = function(w) {
      warnings <<- c(warnings, class(w)[1L])
      invokeRestart("muffleWarning")
    }
  )
  list(value = value, warnings = unique(warnings), error = gsub("\\s+", " ", error))
}

# A problem with what all measurements of it need.
prepare <- function(problem) {
  problem$new <- utils::head(problem$new, new_points)
  problem$fit <- fit_problem(problem, btg::quad_sobol(1, inner = 1))
  hyper <- problem$fit$models[[1L]]$problem$hyperparameters
  problem$free <- names(hyper)[!vapply(hyper, function(h) is.numeric(h$prior), NA)]
  problem$gradient_cost <- measure_gradient(problem$fit)
  problem
}

# How many likelihoods take as long as one gradient. Rows that are alike would share a factor,
# so all have lengthscales of their own; and there are enough of them for the clock.
measure_gradient <- function(fit) {
  model <- fit$models[[1L]]
  rows <- max(50L, as.integer(4e6 / nrow(fit$design$inputs)^2))
  hyper <- model$posterior$hyper[rep(1L, rows), , drop = FALSE]
  hyper[, 1L] <- hyper[, 1L] * seq(0.8, 1.2, length.out = rows)
  built <- btg:::build_models(fit$design, list(model))
  shortest <- function(gradient) {
    job <- function() btg:::evaluate_model(built, hyper, gradient = gradient)
    min(replicate(4L, system.time(job())[[1L]]))
  }
  shortest(TRUE) / shortest(FALSE)
}

predictive_sd <- function(quantile) (quantile[, 3L] - quantile[, 1L]) / 3.92

# Errors in percent of the predictive sd.
compare <- function(quantile, reference) {
  error <- 100 * abs(quantile - reference) / predictive_sd(reference)
  c(median_mean = mean(error[, 2L]), median_max = max(error[, 2L]),
    endpoint_mean = mean(error[, -2L]), endpoint_max = max(error[, -2L]))
}

or_na <- function(x) if (is.null(x)) NA_real_ else x
