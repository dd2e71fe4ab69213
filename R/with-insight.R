#' Use with insight and easystats
#'
#' The package insight finds the formula, the variables and the data of fits by [btg()] and [wgp()],
#' and so do packages that build on it. For marginaleffects, see [marginaleffects-btg].
#'
#' @param x A fit by [btg()] or [wgp()].
#' @param ... Passed to the next method.
#' @return `insight::model_info()` returns a list that describes the kind of model.
#'   `insight::get_predicted()` returns medians, with an interval if there is a `ci`.
#'   `insight::get_data()` returns the rows of the fit: the response and the variables behind inputs
#'   and trend, as they were at the fit. If the response is an expression such as `log(y)`, its
#'   variables are not in the fit, and insight looks for them where the call did.
#' @seealso [predict.btg()], [frame-btg]
#' @examplesIf requireNamespace("insight", quietly = TRUE)
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' insight::find_predictors(fit)
#' head(insight::get_data(fit))
#' @name insight-btg
NULL

# A linear model has a numeric response too; fits by btg() are also marked as Bayesian.
#' @rdname insight-btg
#' @exportS3Method insight::model_info
model_info.btg <- function(x, ...) { # nolint: object_name_linter. The generic's name and a class.
  check_fit(x)
  info <- insight::model_info(stats::lm(speed ~ dist, datasets::cars))
  info$is_linear <- FALSE
  info$is_bayesian <- has_posterior(x)
  info$model_terms <- NULL
  info
}

#' @rdname insight-btg
#' @param data New data, or `NULL` for the rows of the fit.
#' @param ci The probability of an interval, or `NULL`.
#' @param predict `"expectation"` for the noise-free process, `"prediction"` for observations.
#' @exportS3Method insight::get_predicted
# nolint start: object_name_linter. The generic's name and a class.
get_predicted.btg <- function(x, data = NULL, predict = "expectation", ci = NULL, ...) {
  # nolint end
  check_fit(x)
  observation <- identical(predict, "prediction")
  arguments <- list(x, observation = observation)
  if (!is.null(data)) arguments$newdata <- data
  if (is_number(ci)) arguments[c("interval", "level")] <- list("credible", ci)
  predicted <- do.call(stats::predict, arguments)
  if (!is.matrix(predicted)) {
    return(structure(unname(predicted), class = c("get_predicted", "numeric"),
                     data = if (is.null(data)) original_data(x) else data))
  }
  structure(unname(predicted[, "fit"]), class = c("get_predicted", "numeric"), ci = ci,
            data = if (is.null(data)) original_data(x) else data,
            ci_data = data.frame(CI_low = unname(predicted[, "lwr"]),
                                 CI_high = unname(predicted[, "upr"])))
}

#' @rdname insight-btg
#' @exportS3Method insight::get_data
get_data.btg <- function(x, ...) { # nolint: object_name_linter. The generic's name and a class.
  check_fit(x)
  if (is.symbol(x$formula[[2L]])) original_data(x) else NextMethod()
}
