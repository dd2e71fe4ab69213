# Tests share these fits, each with its naive model, and these comparisons.

# Simulates a skewed positive response, with inputs in very different units.
oracle_data <- function(n = 14) {
  i <- seq_len(n)
  x <- 10 * ((0.618 * i) %% 1)
  w <- 5000 + 1000 * ((0.414 * i) %% 1)
  noise <- sin(37 * i^2)
  data.frame(x = x, w = w, y = exp(0.7 * sin(x / 2) + (w - 5500) / 1000 + 0.4 * noise))
}

# Skips slow tests, which `make test TESTS=all` and continuous integration run.
skip_if_quick <- function() {
  skip_if(identical(Sys.getenv("BTG_TESTS"), "quick"), "slow, see TESTS=all")
}

input_sds <- function(data) c(lengthscale.x = sd(data$x), lengthscale.w = sd(data$w))

# Combines every kernel, radial and as a product, with both trends and each of `transforms`.
oracle_cases <- function(transforms) {
  grid <- expand.grid(transform = seq_along(transforms), trend = c("~ 1", "~ x"),
                      product = c(FALSE, TRUE), kernel = names(naive_kernels),
                      stringsAsFactors = FALSE)
  lapply(seq_len(nrow(grid)), function(i) {
    list(transform = transforms[[grid$transform[i]]], trend = as.formula(grid$trend[i]),
         product = grid$product[i], kernel = grid$kernel[i])
  })
}

few_nodes <- function(nodes = 48) quad_sobol(nodes = nodes)

# Returns a fit to oracle_data(), its naive model, and three new points, one of them observed.
oracle_case <- function(transform, kernel = "matern52", product = FALSE, trend = ~ 1, ard = TRUE,
                        ...) {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, transform = transform, kernel = kernel, product = product,
             trend = trend, ard = ard, quadrature = few_nodes(), ...)
  model <- naive_model(fit, d[c("x", "w")], model.matrix(trend, d), d$y, transform, kernel,
                       product, ard)
  new <- rbind(data.frame(x = c(3.3, 12), w = c(5700, 5100)), d[5, c("x", "w")])
  list(fit = fit, model = model, data = d, new = new, new_trend = model.matrix(trend, new))
}

# Adds a factor of three levels, whose indicators share a lengthscale, and text of two.
factor_case <- function(transform = "softplus", product = FALSE) {
  d <- oracle_data()
  d$three <- factor(rep(c("a", "b", "c"), length.out = 14))
  d$two <- rep(c("yes", "no", "no", "yes"), length.out = 14)
  inputs <- function(d) {
    cbind(x = d$x, three = d$three == "a", three = d$three == "b", three = d$three == "c",
          two = d$two == "yes")
  }
  fit <- btg(y ~ x + three + two, d, transform = transform, product = product,
             quadrature = few_nodes())
  new <- data.frame(x = c(2, 8), three = c("c", "a"), two = c("no", "yes"))
  list(fit = fit, model = naive_model(fit, inputs(d), cbind(rep(1, 14)), d$y, transform,
                                       product = product),
       data = d, inputs = inputs(d), new = new, new_inputs = inputs(new),
       new_trend = cbind(c(1, 1)))
}

# Fits an average of models with few nodes each.
small_average <- function(data = oracle_data(), ..., kernel = "matern52", nodes = 16) {
  btg(y ~ x + w, data, ..., kernel = kernel, quadrature = few_nodes(nodes))
}

# Finds the weights w = softmax(v) with the largest sum of log(density %*% w), plus 5 times the mean
# of log(w) under `prior` if there is one, by a general optimiser.
optimal_stacking <- function(log_scores, prior = 0) {
  density <- exp(log_scores)
  weights <- function(v) exp(c(v, 0)) / sum(exp(c(v, 0)))
  loss <- function(v) -sum(log(density %*% weights(v))) - 5 * sum(prior * log(weights(v)))
  best <- optim(rep(0, ncol(density) - 1), loss, method = "BFGS",
                control = list(maxit = 1000, reltol = 1e-15))
  list(weights = weights(best$par), value = -best$value)
}

# Returns the fit of each model of an average by itself.
single_fits <- function(fit) {
  lapply(setNames(nm = names(fit$models)), function(name) select_models(fit, name))
}

# A default fit to this wave in two inputs has many nodes.
wave_data <- function() {
  d <- data.frame(a = (0.618 * 1:20) %% 1, b = (0.414 * 1:20) %% 1)
  d$y <- exp(sin(6 * d$a) + d$b)
  d
}

wave_fit <- function(...) {
  suppressWarnings(btg(y ~ a + b, wave_data(), transform = "auto", ...), classes = "btg_warning")
}

# Returns a fit to oracle_data() with two nodes of signed weights that differ only in their noise.
signed_fit <- function(weight, noise) {
  fit <- btg(y ~ x + w, oracle_data(), transform = "identity", quadrature = few_nodes())
  model <- fit$models[[1]]
  hyper <- model$posterior$hyper[c(1, 1), ]
  hyper[, match("noise", hyper_names(model))] <- noise
  fit$models[[1]]$posterior <- list(hyper = hyper, weight = weight, log_marginal = c(0, 0),
                                    log_prior = c(0, 0))
  add_checksum(fit)
}

# Returns the core's log marginal likelihood, its gradient in the coordinates and the log prior, at
# rows of hyperparameters in the core's units.
evaluate_fit <- function(fit, hyper, model = fit$models[[1]]) {
  evaluate_model(build_models(fit$design, list(model)), rbind(hyper), gradient = TRUE)
}

# Expects every element within `tolerance` of `expected`, relative to it (and to `floor` near zero).
expect_close <- function(object, expected, tolerance = 1e-8, floor = 1e-10) {
  label <- paste(deparse(substitute(object)), collapse = " ")
  object <- unname(as.vector(as.matrix(object)))
  expected <- unname(as.vector(as.matrix(expected)))
  sizes <- length(object) == length(expected) && length(object) > 0
  error <- if (sizes) abs(object - expected) / pmax(abs(expected), floor) else Inf
  error[object == expected] <- 0
  expect(isTRUE(max(error) <= tolerance), sprintf(
    "%s is off by a relative %.2g (more than %.2g), first %s instead of %s.", label, max(error),
    tolerance, format(object[which.max(error)], digits = 15),
    format(expected[which.max(error)], digits = 15)
  ))
  invisible(object)
}

quiet_predict <- function(...) {
  suppressWarnings(predict(...), classes = "btg_warning_lost_mass")
}

# With one node there is no quadrature error, and often a closed form.
one_node_case <- function(transform = "identity", fixed = NULL, noise = 0.3, ...) {
  hyper <- c(lengthscale.x = 2, lengthscale.w = 800, noise = noise, fixed)
  oracle_case(transform, prior = btg_prior(fixed = hyper), ...)
}

# Compares the distribution function at the quantiles, and both functions at a few values.
expect_naive_predictions <- function(case, observation = TRUE, at = c(0.3, 1, 2.5),
                                     probs = c(0.01, 0.5, 0.975)) {
  ask <- function(...) quiet_predict(case$fit, case$new, observation = observation, ...)
  inputs <- if (is.null(case$new_inputs)) case$new else case$new_inputs
  mixtures <- naive_mixtures(case$model, inputs, case$new_trend, observation)
  naive <- function(what, values) {
    t(vapply(mixtures, function(mixture) vapply(values, mixture[[what]], 0), values))
  }
  expect_close(ask(type = "cdf", at = at), naive("cdf", at))
  expect_close(ask(type = "density", at = at), naive("density", at))
  found <- ask(type = "quantile", probs = probs)
  reached <- t(mapply(function(mixture, i) vapply(found[i, ], mixture$cdf, 0),
                      mixtures, seq_along(mixtures)))
  expect_close(reached, rep(probs, each = nrow(case$new)))
}

expect_argument_error <- function(object, ...) {
  expect_error(object, ..., class = "btg_error_argument")
}
