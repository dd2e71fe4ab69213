# Computes slopes of predictions along the variables of the data by the chain rule: the core
# differentiates answers by its inputs, the blueprint differentiates inputs by the variables.

# Adds directions along all variables to the request, NULL for those that are not numbers.
with_slopes <- function(request, fit, newdata) {
  check_exact(fit)
  along <- blueprint_slopes(fit$blueprint, fit$scaling$x, fit$data,
                            if (is.null(newdata)) fit$data else newdata)
  variables <- names(fit$blueprint$columns)
  request$directions <- stats::setNames(along[variables], variables)
  request
}

check_exact <- function(fit) {
  if (is_approximate(fit)) {
    abort_btg(c("Slopes need the exact covariance, and this fit has an approximate one.",
                i = paste0("Fit with `approx = \"exact\"`, or take differences of predictions: ",
                           "they are smooth except where neighbours change.")), "slope")
  }
}

# Returns a matrix, or for types that take values an array with one slice per value.
predicted_slopes <- function(fit, newdata, request, of) {
  answer <- answer(ensemble_of(fit), with_slopes(request, fit, newdata))$answers[[1L]]
  slopes <- answer$slopes
  if (of %in% c("response", "mean")) {
    if (of == "mean") warn_moments(answer$value[, 1L], request$points, of)
    flat <- slopes[, , 1L, drop = FALSE]
    return(array(flat, dim(flat)[1:2], dimnames(flat)[1:2]))
  }
  at <- request$questions[[1L]]
  if (nrow(at) == 1L) {
    dimnames(slopes)[[3L]] <- if (of == "quantile") percent_names(at) else value_names(at)
  }
  slopes
}
