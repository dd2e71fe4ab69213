#' Use with insight and marginaleffects
#'
#' The package insight finds the formula, the variables and the data of fits by [btg()] and [wgp()],
#' and with it packages that build on it. Of these, marginaleffects gives predictions, comparisons
#' and slopes of the predicted median.
#'
#' marginaleffects must be told of classes that are not its own:
#' `options(marginaleffects_model_classes = c("btg", "wgp"))`. Ask it for `vcov = FALSE`: its
#' standard errors come from coefficients, on which predictions of a Gaussian process do not hang.
#' For intervals of predictions use [predict.btg()], and for those of a difference, or of a mean
#' over points, draws by [simulate.btg()].
#'
#' @param x A fit by [btg()] or [wgp()].
#' @param ... Passed to the next method.
#' @return `insight::get_data()`: the rows of the fit, the response and the variables behind inputs
#'   and trend, as they were at the fit. If the response is an expression such as `log(y)`, its
#'   variables are not in the fit, and insight looks for them where the call did.
#' @examplesIf requireNamespace("insight", quietly = TRUE)
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' insight::find_predictors(fit)
#' head(insight::get_data(fit))
#'
#' # With marginaleffects:
#' # options(marginaleffects_model_classes = c("btg", "wgp"))
#' # marginaleffects::slopes(fit, newdata = data.frame(speed = c(10, 20)),
#' #                         vcov = FALSE)
#' @name insight-btg
NULL

#' @rdname insight-btg
#' @exportS3Method insight::get_data
get_data.btg <- function(x, ...) { # nolint: object_name_linter. The generic's name and a class.
  check_fit(x, quote(get_data()))
  if (is.symbol(x$formula[[2L]])) original_data(x) else NextMethod()
}
