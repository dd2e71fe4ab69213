# Where predictions are asked for.

# The rows to predict, in the core's units: list(inputs, trend, complete, names, na.action,
# relative_noise), where the last is 1 over the weights of the rows, of which those of the fit have
# mean 1.
prediction_points <- function(fit, newdata, call, weights = NULL) {
  if (is.null(newdata)) {
    own <- fit$design$weights
    return(list(inputs = fit$design$inputs, trend = fit$design$trend, noise = fit$design$noise,
                complete = rep(TRUE, row_count(fit)), names = fit$row_names,
                na.action = fit$na.action,
                relative_noise = if (is.null(own)) rep(1, row_count(fit)) else 1 / own))
  }
  new <- apply_blueprint(fit$blueprint, newdata, call)
  names <- rownames(newdata)
  if (is.null(names)) names <- as.character(seq_along(new$complete))
  new <- leave_out_unwarpable(new, fit$scaling$x$warp, names, call)
  list(inputs = scale_inputs(new$inputs, fit$scaling$x), trend = new$trend, noise = new$noise,
       complete = new$complete, names = names,
       relative_noise = noise_of_new(fit, weights, length(new$complete), call))
}

# Of `n` new rows: 1, that of a row of mean weight, unless `weights` says otherwise.
noise_of_new <- function(fit, weights, n, call) {
  if (is.null(weights)) {
    return(rep(1, n))
  }
  weights <- check_weights(weights, call = call)
  if (length(weights) == 1L) weights <- rep(weights, n)
  check_weights_length(weights, n, call)
  (if (is.null(fit$weights)) 1 else mean(fit$weights)) / weights
}

# Some of the points as the core takes them; without noise for the noise-free process.
core_points <- function(points, rows, observation) {
  list(inputs = points$inputs[rows, , drop = FALSE], trend = points$trend[rows, , drop = FALSE],
       noise = points$noise[rows, , drop = FALSE],
       relative_noise = observation * points$relative_noise[rows])
}

# `weights` are those of new rows.
check_new_weights <- function(weights, newdata_missing, call) {
  if (!is.null(weights) && newdata_missing) {
    abort_btg(c("`weights` has no effect here.",
                i = "It goes with `newdata`; the rows of the fit have weights of their own."),
              "argument", call)
  }
}
