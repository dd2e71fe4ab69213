#' Fitted values, residuals and log evidence
#'
#' `fitted()` returns the medians at the rows of the fit, `residuals()` compares them with the
#' responses, and `logLik()` returns the log evidence of the model.
#'
#' @param object A fit by [btg()] or [wgp()].
#' @param type The kind of residual:
#'   * `"response"`, the response minus its fitted median;
#'   * `"pit"`, the predicted probability of less than the response, from the other rows (see
#'     [loocv()]). PIT values are uniform if predictions are calibrated;
#'   * `"quantile"`, the standard normal quantile at the PIT value.
#'
#'   A response at a bound with a point mass is placed in the middle of the mass, and a censored
#'   response in the middle of its interval. The `"response"` residual of a censored row is `NA`.
#' @param ... Passed to [predict.btg()] by `fitted()`, and to [loocv()] by left-out residuals.
#' @return `fitted()` and `residuals()` return a vector with one value for each row of the fit. With
#'   `na.action = na.exclude`, rows that were left out have `NA`.
#'
#'   `logLik()` returns the log evidence of a fit by [btg()]: the logarithm of the likelihood
#'   averaged over the prior of the hyperparameters, up to a constant that depends on the number of
#'   rows and the trend. Nothing is maximised, so it has no degrees of freedom, and AIC and BIC do
#'   not exist.
#' @seealso [loocv()], [predict.btg()], [compare_fits()]
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
    left[are_intervals(stated_limits(object))] <- NA
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
  check_dots(...)
  structure(object$quadrature$log_evidence, df = NA_real_, nobs = row_count(object),
            class = "logLik")
}
