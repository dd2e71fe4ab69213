#' Score predictions of new data
#'
#' `predictive_scores()` compares predictions of new rows with the responses that were observed, row
#' by row. The scores are those of [loocv()]: errors, log score, CRPS and coverage of intervals.
#'
#' @param fit A fit by [btg()] or [wgp()].
#' @param newdata A data frame with the variables of the fit, or a matrix after a fit to one.
#' @param y The observed responses, one for each row of `newdata`. After a fit by formula, they are
#'   taken from `newdata` by default.
#' @param level The probability of the interval.
#' @param observation,tolerance,weights,threads As for [predict.btg()].
#' @param censored Which responses are censored, as in [btg()], looked up in `newdata`. If the
#'   responses are taken from `newdata`, the default is as in the call of the fit. If `y` is given,
#'   which may be a `Surv` object, none are.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return A data frame of class `btg_scores` with one row for each row of `newdata`, `NA` where it
#'   cannot be predicted or has no response:
#'   * `y`: the observed response;
#'   * `median`, `lwr`, `upr`: the prediction and its equal-tailed interval of probability `level`;
#'   * `log_score`: the log predictive density at `y`; larger is better;
#'   * `crps`: the continuous ranked probability score in units of `y`; smaller is better;
#'   * `pit`: the predicted probability of less than `y`, uniform if predictions are calibrated;
#'   * `mass`: \eqn{P(Y = y)}, which is 0 except at a bound where predictions stop: see *Point
#'     masses* in [loocv()];
#'   * `lower`, `upper`: the limits of the responses, if some are censored: see [btg-censored].
#'
#'   `summary()` of it returns the `estimates` of [loocv()] for the new rows, with standard errors.
#'
#' @seealso [loocv()] for the rows of the fit, [rolling_origin()] for forecasts
#' @examples
#' train <- seq(1, nrow(cars), by = 2)
#' fit <- btg(dist ~ speed, data = cars[train, ])
#' held_out <- predictive_scores(fit, cars[-train, ])
#' head(held_out)
#' summary(held_out)
#' @export
predictive_scores <- function(fit, newdata, y = NULL, level = 0.95, observation = TRUE,
                              tolerance = NULL, weights = NULL, censored = NULL,
                              threads = getOption("btg.threads", 1), ...) {
  check_fit(fit)
  check_dots(..., valid = names(formals(predictive_scores)))
  if (missing(newdata)) {
    abort_btg(c("`newdata` is missing.",
                i = "To score the data of the fit, leave each row out: `loocv(fit)`."),
              "argument")
  }
  limits <- observed_limits(fit, newdata, y, substitute(censored), parent.frame())
  check_level(level)
  check_flag(observation)
  if (!is.null(tolerance)) check_level(tolerance)
  check_count(threads)
  limit_scores(fit, newdata, limits, level, observation, tolerance, weights, threads)
}

# Scores the predictions of rows whose responses have these limits, before rounding.
limit_scores <- function(fit, newdata, limits, level, observation, tolerance, weights, threads) {
  points <- prediction_points(fit, newdata, weights)
  observed <- !is.na(limits[, 1L])
  y <- ifelse(observed, limit_middle(limits), NA)
  has_value <- !are_intervals(limits)
  limits <- rounded_limits(fit, limits)
  asked <- ifelse(observed, y, 0)
  at <- cbind(asked)
  probs <- rbind(c(0.5, (1 - level) / 2, (1 + level) / 2))
  asked_limits <- limits
  asked_limits[!observed, ] <- 0
  questions <- ask_intervals(list(quantile = probs, log_density = at, crps = at), asked_limits,
                             asked)
  request <- new_request(points, questions, observation, list(tolerance = tolerance),
                         run = new_run(threads))
  answers <- answer(ensemble_of(fit), request)$answers
  table <- score_table(answers, asked_limits, y, has_value)
  table[!observed, setdiff(names(table), c("y", "median", "lwr", "upr"))] <- NA
  row.names(table) <- make.unique(as.character(rownames(answers$quantile$value)))
  structure(table, class = c("btg_scores", "data.frame"))
}

#' @rdname predictive_scores
#' @param object A result of `predictive_scores()`.
#' @export
summary.btg_scores <- function(object, ...) {
  check_dots(...)
  needed <- c("y", "median", "lwr", "upr", "log_score", "crps", "pit", "mass")
  if (!all(needed %in% names(object))) {
    return(NextMethod())
  }
  # The estimates are those of loocv(), from the same columns.
  object$residual <- observed_residuals(object)
  estimates <- cv_estimates(object[!is.na(object$log_score), , drop = FALSE])
  structure(list(rows = sum(!is.na(object$log_score)), estimates = estimates),
            class = "summary.btg_scores")
}

#' @export
print.summary.btg_scores <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Predictions of ", count_noun(x$rows, "new row"), "\n\n", sep = "")
  table <- format_table(x$estimates, digits)
  table["elpd", ] <- format_log(unlist(x$estimates["elpd", ]))
  print(table, ...)
  invisible(x)
}
