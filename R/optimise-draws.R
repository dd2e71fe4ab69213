# Criteria that are functions of draws from the predictive distribution. The draws at a row are the
# quantiles at the midpoints of equal parts of (0, 1): equally likely values, the same ones at every
# call, so that a criterion is as smooth along the inputs as the function is along the draws.

draws_of_criterion <- 256L

# To find the points worth the criterion itself.
draws_of_screen <- 48L

is_custom <- function(criterion) is.function(criterion)

# How a criterion is called in results.
criterion_name <- function(criterion) if (is_custom(criterion)) "criterion" else criterion

check_wanted_criterion <- function(criterion, choices) {
  if (!is_custom(criterion)) {
    return(check_choice(criterion, choices, "criterion"))
  }
  arguments <- names(formals(args(criterion)))
  needed <- setdiff(needed_arguments(criterion), c(arguments[1L], "target"))
  if (length(arguments) == 0L || length(needed) > 0L) {
    abort_argument("criterion", paste("must be a name, or a function of draws, or of draws and",
                                      "`target`"), criterion)
  }
  criterion
}

# Returns the row of a criterion: see criteria. With constraints, a function must not be negative.
criterion_row <- function(criterion, is_constrained = FALSE) {
  if (!is_custom(criterion)) {
    return(criteria[[criterion]])
  }
  takes_target <- "target" %in% names(formals(args(criterion)))
  new_criterion(if (takes_target) "target" else character(), function(settings) {
    fun <- if (takes_target) function(draws) criterion(draws, target = settings$target)
           else criterion
    list(fun = fun, draws = draws_of_criterion)
  }, is_positive = is_constrained, answer = answer_draws, screen = function(spec, scale) {
    spec$draws <- draws_of_screen
    spec
  })
}

# Asks for the draws, and reduces them by the function. Along a variable, draws move by the slopes
# of quantiles, and the function's derivative in that direction is a central difference.
answer_draws <- function(fit, newdata, spec, gradient, threads, tolerance, ensemble) {
  points <- prediction_points(fit, newdata)
  probs <- (seq_len(spec$draws) - 0.5) / spec$draws
  request <- new_request(points, list(quantile = rbind(probs)), spec$observation,
                         list(tolerance = tolerance), run = new_run(threads))
  if (gradient) request <- with_slopes(request, fit, newdata)
  answered <- answer(ensemble, request)$answers$quantile
  complete <- points$complete
  draws <- unname(answered$value)[complete, , drop = FALSE]
  value <- rep(NA_real_, length(complete))
  value[complete] <- reduce_draws(spec, draws)
  slopes <- if (gradient) {
    variables <- dimnames(answered$slopes)[[2L]]
    all <- matrix(NA_real_, length(complete), length(variables), dimnames = list(NULL, variables))
    for (name in variables) {
      along <- matrix(answered$slopes[complete, name, ], nrow(draws))
      all[complete, name] <- directional_slope(spec, draws, along, 1e-4 * fit$scaling$y$scale)
    }
    all
  }
  list(value = stats::setNames(value, points$names), gradient = slopes, complete = complete)
}

# The derivative of the criterion as draws move `along` their slopes, where no draw moves by more
# than `most`. NA for variables without slopes.
directional_slope <- function(spec, draws, along, most) {
  if (nrow(draws) == 0L || anyNA(along)) {
    return(rep(NA_real_, nrow(draws)))
  }
  fastest <- apply(abs(along), 1L, max)
  step <- ifelse(fastest > 0, most / fastest, 0)
  change <- reduce_draws(spec, draws + step * along) - reduce_draws(spec, draws - step * along)
  ifelse(step > 0, change / (2 * step), 0)
}

reduce_draws <- function(spec, draws) {
  if (nrow(draws) == 0L) {
    return(numeric())
  }
  value <- rethrow_btg(spec$fun(draws), "`criterion` cannot be evaluated.", "argument")
  if (!is.numeric(value) || length(value) != nrow(draws)) {
    abort_btg(c("`criterion` must return one number for each row of the draws.",
                x = paste0("For ", count_noun(nrow(draws), "row"), " it returned ",
                           describe_value(value), ".")), "argument")
  }
  if (spec$criterion$is_positive && any(value < 0, na.rm = TRUE)) {
    abort_btg(c("With constraints, `criterion` must not be negative.",
                x = paste0("It returned ", signif(min(value, na.rm = TRUE), 3), "."),
                i = "A value that a probability multiplies needs a zero that means no use."),
              "argument")
  }
  as.double(value)
}
