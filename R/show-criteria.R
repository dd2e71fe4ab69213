#' Criteria that a fit does not have, and what to use instead
#'
#' Nothing is maximised in a fit by [btg()], so it has neither a number of parameters to count nor a
#' deviance. These methods are errors that name the function to use instead. Fits by [wgp()] have
#' `AIC()` and `BIC()`: see [logLik.wgp()].
#'
#' @param object,... Fits by [btg()] or [wgp()].
#' @param k The penalty of a parameter, as in [stats::AIC()].
#' @return For a fit by [wgp()], the result of [stats::AIC()] or [stats::BIC()]; otherwise an error
#'   of class `btg_error_criterion`.
#' @seealso [compare_fits()] for which of several models predicts best, [loocv()] for how well.
#' @examples
#' # Fits by btg() are compared by how well they predict
#' compare_fits(
#'   smooth = btg(dist ~ speed, cars, transform = "softplus", kernel = "matern52"),
#'   rough = btg(dist ~ speed, cars, transform = "softplus", kernel = "exponential")
#' )
#'
#' # and those by wgp() also by AIC
#' AIC(wgp(dist ~ speed, data = cars))
#' @name criteria-btg
NULL

#' @rdname criteria-btg
#' @export
AIC.btg <- function(object, ..., k = 2) {
  check_criterion(list(object, ...), "AIC")
  NextMethod()
}

#' @rdname criteria-btg
#' @export
BIC.btg <- function(object, ...) { # nolint: object_name_linter. The generic's name.
  check_criterion(list(object, ...), "BIC")
  NextMethod()
}

# Information criteria need a number of parameters, which only fits by maximum likelihood have.
check_criterion <- function(objects, name) {
  for (object in objects) {
    if (inherits(object, "btg")) check_fit(object)
    if (inherits(object, "btg") && has_posterior(object)) {
      abort_btg(c(
        paste0("A fit by `btg()` has no ", name, ": nothing is maximised in it."),
        i = "`compare_fits(fit1, fit2)` compares models by how well they predict rows left out.",
        i = "`logLik()` is the log evidence, the likelihood averaged over the prior."
      ), "criterion")
    }
  }
}

#' @rdname criteria-btg
#' @export
deviance.btg <- function(object, ...) {
  check_fit(object)
  abort_btg(c(
    "A transformed Gaussian process has no deviance.",
    i = "`logLik()` is the log likelihood, averaged over the prior after `btg()`.",
    i = "`loocv()` shows how well rows are predicted from the others: RMSE, CRPS, coverage."
  ), "criterion")
}

#' @rdname criteria-btg
#' @export
anova.btg <- function(object, ...) {
  check_fit(object)
  abort_btg(c(
    "There is no analysis of variance of a transformed Gaussian process.",
    i = "`compare_fits(fit1, fit2)` compares models by how well they predict rows left out.",
    i = "For the effect of a variable, see `plot()`, or leave it out and compare."
  ), "criterion")
}
