# The help page of the object that btg() returns.

#' The object that btg() returns
#'
#' A fit by [btg()] or [wgp()] is a plain list, which [saveRDS()] keeps and [readRDS()] restores
#' ready to predict, in another session or on another machine. Use the functions under *See also*
#' rather than its components, which are described here for programmers. A fit that was changed by
#' hand is refused.
#'
#' @section Components:
#'   * `call`: the matched call; `formula`: the formula, if there was one;
#'   * `response_name`, `input_names` and `dropped_inputs`: the response, the inputs, and those left
#'     out because they are constant;
#'   * `row_names`, `data`: the rows of the fit and their variables; `na.action`: the rows left out
#'     for missing values or as copies, as in [lm()]; `copies`: the names of those that are exact
#'     copies of others; `excluded`: these rows, if `na.action = na.exclude`;
#'   * `weights`: the weights as given, `NULL` if there were none;
#'   * `settings`: the choices for the model and its integral, as a list;
#'   * `scaling`: centres and scales of the inputs (`x`), with their warps if any, and of the
#'     response (`y`); transforms act on `(y - center) / scale`, and predictions stop at `lower` and
#'     `upper`, except for a share `open` of the mass below. In an average, each model scales the
#'     response in its own way; this is the scaling of the average;
#'   * `lengthscale_units`: the prior's unit of each lengthscale, in units of the data;
#'   * `models`: a named list of the models that are averaged over, and `model_weights`, their
#'     weights. For an average, `averaging` holds the `method`, and the `log_evidence` and left-out
#'     `elpd` of each model; `screened` is a data frame of all candidates, with the `log_evidence`
#'     by Laplace's approximation, the left-out `elpd` at the highest mode, and the numbers of
#'     `likelihoods` and `gradients` that were computed;
#'   * `quadrature`: how the average was computed, such as how many nodes were tried and kept, and
#'     the effective number of nodes: [summary.btg()] explains each;
#'   * `accuracy`: the standard error of the ends of 95% intervals, in predictive standard
#'     deviations, from which `print()` takes its verdict;
#'   * `seconds`: the time of the fit;
#'   * `blueprint` and `design`: the scaled data from which predictions are computed.
#'     Use [nodes()] for the posterior.
#'
#'
#' Fits by [wgp()] also have `optimisation` and `bounds`, see there.
#'
#' @seealso [nodes()] for the nodes of the average and their weights, [log_posterior()] for the
#'   density behind them, [coef.btg()], [summary.btg()], [tidy.btg()] and [frame-btg] for tables,
#'   [formula()], [nobs()], [weights()], [fitted()] and [residuals()] as for other models.
#' @examples
#' fit <- btg(dist ~ speed, cars)
#' names(fit)
#' fit$model_weights
#'
#' file <- tempfile(fileext = ".rds")
#' saveRDS(fit, file)
#' predict(readRDS(file), data.frame(speed = 10))
#' @name btg-fit
NULL
