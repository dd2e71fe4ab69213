#' Scores of predictions against what was observed
#'
#' How good the predictive distributions of new data are, one row for each observation: the same
#' columns that [loocv()] gives for the data of the fit.
#'
#' @param fit A fit by [btg()].
#' @param newdata A data frame with the variables of the fit (or a matrix, after a fit to one).
#' @param y The observed responses, one for each row of `newdata`. After a fit by formula they are
#'   taken from `newdata` by default.
#' @param level The probability of the interval.
#' @param ... Passed to [predict.btg()]: `observation`, `weights`, `tolerance`, `threads`.
#'
#' @return A data frame with one row for each row of `newdata`, `NA` where it cannot be predicted
#'   or has no response:
#'   * `y`: what was observed;
#'   * `median`, `lwr`, `upr`: the prediction and its equal-tailed interval of probability `level`;
#'   * `log_score`: the log predictive density at `y` (larger is better);
#'   * `crps`: the continuous ranked probability score (smaller is better), in units of `y`;
#'   * `pit`: the predictive distribution function at `y`, uniform if predictions are calibrated.
#'
#' @examples
#' train <- seq(1, nrow(cars), by = 2)
#' fit <- btg(dist ~ speed, data = cars[train, ])
#' held_out <- scores(fit, cars[-train, ])
#' head(held_out)
#' colMeans(held_out[c("log_score", "crps")])
#' @export
scores <- function(fit, newdata, y = NULL, level = 0.95, ...) {
  call <- quote(scores())
  check_fit(fit, call)
  if (missing(newdata)) {
    abort_btg(c("`newdata` is missing.",
                i = "To score the data of the fit, leave each row out: `loocv(fit)`."),
              "argument", call)
  }
  if (is.null(y)) y <- observed_response(fit, newdata, call)
  if (!is.numeric(y) || length(y) != NROW(newdata)) {
    abort_argument("y", "must be numbers, one for each row of `newdata`", y, call)
  }
  quantiles <- predict(fit, newdata, interval = "credible", level = level, ...)
  observed <- !is.na(y)
  at <- function(type) {
    value <- predict(fit, newdata, type = type, at = cbind(ifelse(observed, y, 0)), ...)[, 1L]
    ifelse(observed, value, NA_real_)
  }
  result <- withCallingHandlers(
    data.frame(y = as.vector(y), median = quantiles[, "fit"], lwr = quantiles[, "lwr"],
               upr = quantiles[, "upr"], log_score = at("log_density"), crps = at("crps"),
               pit = at("cdf"), row.names = rownames(quantiles)),
    btg_warning = function(w) rlang::cnd_muffle(w) # said once, by the quantiles
  )
  result
}

# The response of `newdata`, by the formula of the fit.
observed_response <- function(fit, newdata, call) {
  if (fit$blueprint$interface == "xy") {
    abort_btg(c("`y` is missing.", i = "After a fit to a matrix, give the observed responses."),
              "argument", call)
  }
  missing <- paste0("`newdata` does not have the response `", fit$response_name, "`.")
  response <- rlang::f_lhs(fit$formula)
  # Else a variable of the same name elsewhere would be taken for it.
  if (!any(all.vars(response) %in% names(newdata))) abort_btg(missing, "newdata", call)
  rethrow_btg(eval(response, as.data.frame(newdata), environment(fit$formula)), missing, "newdata",
              call)
}
