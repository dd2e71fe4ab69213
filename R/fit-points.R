# Returns the points to predict, in the core's units.

fit_points <- function(fit, na.action = NULL) {
  weights <- fit$design$weights
  n <- row_count(fit)
  points <- new_points(fit$design$inputs, fit$design$trend, fit$design$noise,
                       if (is.null(weights)) rep(1, n) else 1 / weights, rep(TRUE, n),
                       fit$row_names, na.action)
  with_terms(points, fit$chosen_terms)
}

# Returns the rows of `newdata`, else the rows of the fit and those that its na.action left out.
prediction_points <- function(fit, newdata, weights = NULL) {
  if (is.null(newdata)) {
    return(fit_points(fit, fit$na.action))
  }
  new <- apply_blueprint(fit$blueprint, newdata)
  names <- rownames(newdata)
  if (is.null(names)) names <- as.character(seq_along(new$complete))
  new <- leave_out_unwarpable(new, fit$scaling$x$warp, names)
  points <- new_points(scale_inputs(new$inputs, fit$scaling$x), new$trend, new$noise,
                       noise_of_new(fit, weights, length(new$complete)), new$complete, names)
  with_terms(points, fit$chosen_terms)
}

# Returns the relative noise of `n` new rows: 1, as for a row of mean weight, without `weights`.
noise_of_new <- function(fit, weights, n) {
  if (is.null(weights)) {
    return(rep(1, n))
  }
  weights <- check_weights(weights)
  if (length(weights) == 1L) weights <- rep(weights, n)
  check_weights_length(weights, n)
  mean_weight(fit) / weights
}

# Returns the weight of a row with relative noise 1. A fit to some of the rows keeps that of all.
mean_weight <- function(fit) {
  if (is.null(fit$weights)) {
    return(1)
  }
  relative <- fit$design$weights
  mean(fit$weights) / if (is.null(relative)) 1 else mean(relative)
}

# `weights` apply only to new rows.
check_new_weights <- function(weights, newdata_missing) {
  if (!is.null(weights) && newdata_missing) {
    abort_btg(c("`weights` has no effect here.",
                i = "It goes with `newdata`; the rows of the fit have weights of their own."),
              "argument")
  }
}
