# The help page on warnings.

#' Troubleshooting: what warnings mean and what to do
#'
#' What to do about each warning and each remark of `print()`, [summary()][summary.btg] and
#' [loocv()], in the order in which to try.
#'
#' @section Results are rough; numerical accuracy is poor:
#' The average over the hyperparameters is not accurate, because few of the settings that were tried
#' carry the weight. Predictions are usually closer than the warning fears; medians are affected
#' less than the ends of intervals.
#' 1. `refine(fit)` averages over more settings. Repeat it once or twice, and look at the line on
#'    numerical accuracy again.
#' 2. Look for a cause: one extreme response, many ties, or far more inputs than the data can
#'    inform. `plot(fit)` and `plot(fit, which = "hyperparameters")` show it.
#' 3. Simplify: name one transform, use `ard = FALSE` if the inputs have the same unit, or drop
#'    inputs.
#' 4. Fix a hyperparameter that you know, or state a narrower prior: see [btg_prior()].
#'
#' @section The data favour more extreme values than the prior expects:
#' More than a quarter of the posterior of a hyperparameter lies at an end of its prior.
#' 1. For a transform's parameter, try another family or a composition: see [btg-transforms].
#' 2. For a lengthscale, check the unit and the values of the input.
#' 3. If the value makes sense, widen the prior with [btg_prior()].
#'
#' @section A row is influential; its left-out score is rough:
#' Without this row the model would be a different one, so its score, computed from the settings
#' that fit all rows, is inaccurate.
#' 1. Look at the row: `summary(loocv(fit))` lists the rows that are predicted worst. Is it an error
#'    in the data?
#' 2. Fit again without it, and score it with [predictive_scores()].
#' 3. If many rows are named, use `loocv(fit, folds = 10, method = "refit")`.
#'
#' @section Not calibrated:
#' Intervals are too wide or too narrow.
#'
#' 1. If [loocv()] reports that the spread depends on a variable, model it: `noise = "auto"`. With
#'    folds, look at `loocv(fit)` first: rows that are left out together err together, which can
#'    look the same.
#' 2. If narrow intervals are too wide and wide ones are not, a few rows have much larger errors
#'    than the others. Try `transform = "sinharcsinh"` or `"arcsinh"`.
#' 3. If all intervals are too narrow, look for rows that are not independent, such as repeated
#'    measurements, and leave out whole groups: `loocv(fit, folds = group)`.
#' 4. `plot(loocv(fit))` and `plot(loocv(fit), which = "residuals")` show where predictions are off.
#'
#' @section Some predictions are cut off:
#' The transform has no inverse for part of the predictive distribution, as Box-Cox near zero.
#' Use `"softplus"` or `"sinharcsinh"`, or the default. With a small share, ignore the warning.
#'
#' @section The mean does not exist:
#' The tails of the prediction are too heavy, as after a log. Use the median, or `"softplus"`, whose
#' tails are lighter.
#'
#' @section Rows cannot be predicted and are NA:
#' A warp of a skewed input is not defined there, as for a negative value where all data are
#' positive. Check the new data, or fit with `warp_inputs = FALSE`.
#'
#' @section Folds cannot be predicted:
#' Without the fold, a coefficient of the trend cannot be estimated. Use a simpler trend or smaller
#' folds.
#'
#' @section Many ties:
#' A transform can fit a value that many responses share too closely. Use `"softplus"` or
#' `"sinharcsinh"`. If the value means something of its own, such as *none*, model it separately.
#'
#' @section The approximation is coarse:
#' With many rows the covariance is approximated, and the error is larger than it should be.
#' Use more neighbours: `approx = vecchia(neighbours = 40)`. See [vecchia()].
#'
#' @section A search did not converge (wgp):
#' The likelihood is flat or has no maximum. Use more `restarts`, set `fixed` values, or use
#' [btg()].
#'
#' @section It takes too long:
#' 1. Name one transform and one kernel: an average takes several times as long.
#' 2. Use `approx = vecchia()` from about a thousand rows.
#' 3. Use `threads`, with one BLAS thread: see [btg-package].
#' 4. Fit a `subset` first.
#'
#' @section Silence:
#' Warnings and messages have classes, such as `btg_warning_quadrature`, for
#' `suppressWarnings(classes = )`. `options(btg.warn_quadrature = FALSE)` turns the first warning
#' above off.
#'
#' @seealso [btg()], [refine()], [loocv()], [summary.btg()], [btg-glossary]
#' @examples
#' # An integral with too few settings, and the remedy
#' fit <- suppressWarnings(
#'   btg(dist ~ speed, cars, transform = "sinharcsinh", quadrature = quad_sobol(nodes = 8))
#' )
#' fit
#' update(fit, quadrature = "auto")
#' @name btg-troubleshooting
NULL
