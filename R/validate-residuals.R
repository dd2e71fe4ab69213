#' Fitted values, residuals and log evidence
#'
#' @param object A fit by [btg()].
#' @param type Of residuals: `"response"` is the response minus its fitted median; `"quantile"` and
#'   `"pit"` say where the response lies in its predictive distribution without it, by [loocv()]:
#'   `"pit"` as a probability, uniform if predictions are calibrated, and `"quantile"` as the
#'   standard normal quantile at that probability. A response at a bound where predictions have a
#'   point mass is in the middle of it, and a censored response in the middle of its interval. Its
#'   `"response"` residual is `NA`.
#' @param ... Passed to [predict.btg()] by `fitted()`, to [loocv()] by residuals that leave out.
#' @return `fitted()` and `residuals()` give a vector with one value for each row of the fit; with
#'   `na.action = na.exclude`, `NA` for the rows that were left out. `fitted()` are medians.
#'   `logLik()` is the log evidence: the log of the likelihood averaged over the prior of the
#'   hyperparameters, up to a constant that depends on the number of rows and the trend. Nothing is
#'   maximised, so it has no degrees of freedom, and no AIC or BIC follows from it.
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "softplus")
#' head(fitted(fit))
#' qqnorm(residuals(fit, "quantile"))
#' logLik(fit)
#' @name methods-btg
NULL

#' @rdname methods-btg
#' @export
fitted.btg <- function(object, ...) predict(object, ...)

#' @rdname methods-btg
#' @export
residuals.btg <- function(object, type = c("response", "quantile", "pit"), ...) {
  check_fit(object)
  type <- check_choice(type, c("response", "quantile", "pit"), "type")
  if (type == "response") {
    left <- fit_response(object)
    left[are_intervals(reported_limits(object))] <- NA
    return(stats::naresid(object$na.action, left) - stats::fitted(object, ...))
  }
  pointwise <- loocv(object, ...)$pointwise
  pit <- stats::setNames(pointwise$pit, row.names(pointwise))
  stats::naresid(object$na.action, if (type == "pit") pit else stats::qnorm(pit))
}

#' @rdname methods-btg
#' @export
logLik.btg <- function(object, ...) {
  check_fit(object)
  structure(object$quadrature$log_evidence, df = NA_real_, nobs = row_count(object),
            class = "logLik")
}
