# Help pages on single topics, to which ?btg refers.

# nolint start: line_length_linter. Rows of tables are single lines.

#' Transforms of the response
#'
#' The argument `transform` of [btg()] and [wgp()] names the family from which the transformation of
#' the response is learned. The default of [btg()], `"auto"`, suits most data: it averages over
#' `"sinharcsinh"` and, unless a response is negative, `"softplus"`. See [btg-averaging].
#'
#' @section Families:
#'
#' | name | \eqn{g(y)} | response | parameters | use it for |
#' |:--|:--|:--|:--|:--|
#' | `"identity"` | \eqn{y} | any | none | an ordinary Gaussian process |
#' | `"softplus"` | \eqn{\log(e^{y/s} - 1)}{log(exp(y/s) - 1)} | positive | `s` | a log for small values, linear for large ones |
#' | `"boxcox"` | \eqn{(y^\lambda - 1)/\lambda}{(y^lambda - 1)/lambda}, log at 0 | positive | `lambda` | powers between the log and the cube |
#' | `"sinharcsinh"` | \eqn{\sinh(b \,\mathrm{arcsinh}(y) - a)}{sinh(b asinh(y) - a)} | any | `a`, `b` | skewness, heavy or light tails |
#' | `"yeojohnson"` | Box-Cox of \eqn{1 + |y|}, mirrored below 0 | any | `lambda` | skewness |
#' | `"arcsinh"` | \eqn{\mathrm{arcsinh}((y - c)/d)}{asinh((y - c)/d)} | any | `c`, `d` | heavy tails on both sides |
#' | `"affine"` | \eqn{a + b y} | any | `a`, `b` | before another transform only |
#' | `"logit"` | \eqn{\log(y / (1 - y))}{log(y / (1 - y))} | between stated bounds | none | before another transform: percentages |
#'
#' Several names are applied from left to right, the first to the response:
#' `c("affine", "sinharcsinh")` shifts and stretches the response before it bends it. An affine
#' layer that comes last changes nothing, because the trend and the scale are learned anyway.
#'
#' @section The scale of the response:
#' Transforms act on `(y - center) / scale`, which `fit$scaling$y` holds. For transforms of a
#' positive response, `scale` is the geometric mean and `center` is 0. For others they are the
#' standard deviation and the mean. The parameters therefore mean the same for all data.
#'
#' If you state `lower`, transforms of a positive response act on `y - lower`. If such a response
#' has zeros, half of its smallest positive value is added to it before the transform, with a
#' message. Predictions are not shifted.
#'
#' @section Limits of some families:
#' * After a log, and after `"arcsinh"`, the mean of a prediction may not exist.
#'   `predict(type = "mean")` then returns `NA` with a warning. Medians and quantiles always exist.
#' * `"boxcox"` has no inverse for part of the normal scale. Predictions are cut off there, and a
#'   warning appears when this matters. `"softplus"` has no such limit.
#' * `"arcsinh"` and `"affine"` can squeeze a value that many responses share. The widths have lower
#'   bounds for this reason, and a warning names the value.
#'
#' @seealso [btg()]; [btg_prior()] for the priors of the parameters; [plot.btg()] with
#'   `which = "transform"` to see what was learned; [compare_fits()] to choose.
#' @examples
#' fit <- btg(dist ~ speed, cars, transform = "boxcox")
#' plot(fit, which = "transform")
#'
#' # A log-normal response: Box-Cox with its power fixed at 0
#' logged <- update(fit, prior = btg_prior(fixed = c(boxcox.lambda = 0)))
#' compare_fits(fit, logged)
#' @name btg-transforms
NULL

#' Kernels
#'
#' The argument `kernel` of [btg()] and [wgp()] states how smooth the response is in the inputs. The
#' default of [btg()] averages over several, see [btg-averaging].
#'
#' @section Kernels from rough to smooth:
#' With \eqn{r^2 = \sum_j ((x_j - x'_j) / l_j)^2}{r^2 = sum_j ((x_j - x_j') / l_j)^2} and a
#' lengthscale \eqn{l_j} for each input,
#'
#' | name | correlation | surfaces |
#' |:--|:--|:--|
#' | `"exponential"` | \eqn{e^{-r}}{exp(-r)} | rough, as of an exponential variogram |
#' | `"matern32"` | \eqn{(1 + \sqrt3 r) e^{-\sqrt3 r}}{(1 + sqrt(3) r) exp(-sqrt(3) r)} | once differentiable |
#' | `"matern52"` | \eqn{(1 + \sqrt5 r + 5r^2/3) e^{-\sqrt5 r}}{(1 + sqrt(5) r + 5 r^2/3) exp(-sqrt(5) r)} | twice differentiable |
#' | `"rbf"` | \eqn{e^{-r^2/2}}{exp(-r^2/2)} | very smooth, as of many computer models |
#' | `"rational_quadratic"` | \eqn{(1 + r^2/(2\alpha))^{-\alpha}}{(1 + r^2/(2 alpha))^(-alpha)} | smooth, with variation at several distances |
#'
#' @section Several inputs:
#' With `product = FALSE` the kernel is *radial*: it depends on one distance, \eqn{r}. With
#' `product = TRUE` it is the product of a kernel for each input, which suits effects along the
#' axes. `ard = FALSE` gives all inputs one lengthscale, as for coordinates in the same unit. For
#' `"rbf"`, radial and product are the same.
#'
#' @seealso [btg()]; [btg_prior()] for the priors of lengthscales; [btg-inputs] for scaling.
#' @examples
#' smooth <- btg(Ozone ~ Temp + Wind, airquality, transform = "softplus", kernel = "rbf")
#' rough <- update(smooth, kernel = "exponential")
#' compare_fits(smooth, rough)
#' @name btg-kernels
NULL

#' Inputs: what a formula may contain, scaling and warps
#'
#' How variables of the formula of [btg()] and [wgp()] become inputs of the kernel.
#'
#' @section Variables:
#' Each term on the right-hand side is an input, or several.
#'
#' | variable | input |
#' |:--|:--|
#' | number | itself |
#' | date, time, duration, column with units | a number; new data are converted to the same unit |
#' | logical, or factor with two levels | 0 or 1 |
#' | factor or text with more levels | one input in which all levels are equally far apart |
#' | ordered factor | scores 1, 2, ... |
#' | matrix, as of `poly(x, 2)` | each column |
#' | `sf` points as `data` | variables `X`, `Y` (and `Z`) in the units of their coordinate system |
#'
#' There are no interactions to write, because the kernel models them. Special terms add groups,
#' seasons, linear and additive effects: see [btg-terms]. [periodic()] and [sphere()] map times to a
#' circle, and longitudes and latitudes to the globe. An intercept, as in
#' `y ~ x - 1`, has no meaning here: see `trend` in [btg()]. Constant inputs are dropped with a
#' message, and so are levels without a row. New levels in new data are an error that names them.
#'
#' @section Terms that depend on all rows:
#' Terms are evaluated again in new data. `poly()`, `scale()` and splines remember what they took
#' from the data, as in [lm()]. Others, such as `x - mean(x)`, `rank(x)` or `cut(x, 3)`, would mean
#' something else, and predictions warn about them. Compute them as columns of the data, or give
#' `cut()` its breaks.
#'
#' @section Warps of skewed inputs:
#' A kernel assumes that a step of an input means the same everywhere. This is rarely so for an
#' input that is very skewed, such as a concentration. With `warp_inputs = TRUE`, a numeric input
#' with a skewness beyond 1 or -1 and at least 6 distinct values is first transformed by a power:
#' Box-Cox if all values are positive, otherwise Yeo-Johnson around the median. The power, between 0
#' and 2, is the most likely one for a normal sample. `print()` shows warps, and
#' `fit$scaling$x$warp` holds them. Factors, dates and the trend are not warped, and nothing is with
#' `ard = FALSE`.
#'
#' Lengthscales of a warped input, in [nodes()] and [btg_prior()], are in units of its warped
#' values. New data at which a Box-Cox warp is not defined, such as a negative value, are predicted
#' by `NA` with a warning.
#'
#' @section Points of the package sf:
#' With an `sf` of points as `data`, `z ~ X + Y` models the response in space, and `z ~ .` uses all
#' columns and the coordinates. Longitudes and latitudes enter as `sphere(X, Y)`, with a message.
#' New data can be `sf` in the same coordinate system, or have columns
#' `X` and `Y`. `grid$median <- predict(fit, grid)` adds predictions to a grid.
#'
#' @seealso [btg()], [btg-kernels], [predict.btg()]
#' @examples
#' # Month as a factor, temperature as a number
#' fit <- btg(Ozone ~ Temp + factor(Month), airquality, transform = "softplus")
#' predict(fit, data.frame(Temp = 85, Month = 7))
#' plot(fit)
#' @name btg-inputs
NULL

#' Noise: constant, varying, known or none; weights and replicates
#'
#' The argument `noise` of [btg()] describes the scatter of single observations around the smooth
#' process.
#'
#' | the data | call |
#' |:--|:--|
#' | the same scatter everywhere, on the transformed scale | nothing: `noise = ~ 1` is the default |
#' | scatter that depends on `x` | `noise = ~ x`, or `noise = ~ splines::ns(x, 3)` for a curve |
#' | you do not know | `noise = "auto"` |
#' | no scatter, as of a deterministic computer model | `noise = 0` |
#' | a known ratio of noise to signal variance | `noise = 0.1` |
#' | known relative precisions of rows | `weights = w` |
#' | repeated measurements at the same inputs | nothing: they inform the noise |
#'
#' @section Noise that varies:
#' A transform can make the spread grow with the level of the response, but not with an input at the
#' same level. With `noise = ~ terms`, a new observation at \eqn{x} has the noise variance
#' \deqn{\sigma^2 \exp(b(x)'\gamma),}{sigma^2 exp(b(x)' gamma),}
#' relative to the process, where \eqn{b(x)} are the columns of the terms, centred and scaled to a
#' standard deviation of 1. The coefficients \eqn{\gamma}, `noise.<column>` in [nodes()], are
#' averaged over like all other hyperparameters. `summary()` shows the factor of the noise's
#' standard deviation per standard deviation of a column, and `plot(fit, which = "noise")` draws the
#' noise. Beyond the range of the data a variable counts as at its edge.
#'
#' @section Automatic choice:
#' With `noise = "auto"`, models of constant noise are fitted first. If there are at least 40 rows
#' and the spread of left-out residuals depends on variables (a test at the 5% level, adjusted for
#' their number: see [summary.btg_loocv()]), models whose noise is a smooth curve of the two
#' clearest variables are added to the average. [wgp()] keeps the better of the two fits.
#'
#' @section Weights:
#' With `weights` \eqn{w}, row \eqn{i} has the noise variance \eqn{\sigma^2 / w_i}{sigma^2 / w_i}.
#' Weights are known relative precisions on the transformed scale, such as those of instruments that
#' differ. Only their ratios matter. A new observation has the mean weight, unless
#' `predict(weights = )` states another.
#'
#' Weights are not sample sizes, unless `transform = "identity"`. The noise acts on the transformed
#' response, where an average of \eqn{w} skewed measurements is not one measurement with less noise.
#' For averages, fit the single measurements if you have them. Otherwise add `log(w)` to the inputs
#' and use `noise = ~ log(w)`.
#'
#' @section Replicates and copies:
#' Rows with equal inputs are replicates. Together they cost no more than one row, and they inform
#' the noise. Rows that repeat both the inputs and the response of another row exactly are copies,
#' as in a table that was joined twice. Copies are dropped with a message, because they would show
#' that there is no noise. Rounded responses count as copies only if so many agree that chance is
#' unlikely (1 in 1000). With `weights`, nothing is dropped.
#'
#' @seealso [btg()]; [loocv()], which reports when the noise should vary; [btg_prior()] for the
#'   prior and the floor of the noise.
#' @examples
#' fit <- btg(accel ~ times, MASS::mcycle, transform = "sinharcsinh")
#' loocv(fit)
#' varying <- update(fit, noise = ~ splines::ns(times, 3))
#' compare_fits(constant = fit, varying = varying)
#' @name btg-noise
NULL

#' Bounds of the response
#'
#' The arguments `lower` and `upper` of [btg()] and [wgp()] state which values of the response are
#' possible. No prediction lies beyond them.
#'
#' | the response | call |
#' |:--|:--|
#' | cannot be negative | `lower = 0` |
#' | lies between two bounds, such as a percentage | `lower = 0, upper = 100` |
#' | can be negative, although the data are positive | `lower = -Inf` |
#' | is reported as a limit in some rows | `censored`: see [btg-censored] |
#'
#' @section Stated bounds:
#' Probability mass that a model has beyond a bound is put on the bound. The predictive distribution
#' then has a point mass there. Responses at a bound count as censored: see [btg-censored].
#' Responses beyond a bound are an error.
#'
#' If all responses lie strictly between two stated bounds, the average of models also has
#' `c("logit", "sinharcsinh")`, a transform without mass at the bounds.
#'
#' @section Without a stated bound:
#' If you do not state `lower`, `transform = "auto"` looks at the data:
#' * A response with zeros and no negative values stops at zero, with a message.
#' * If every response is positive, `btg()` cannot tell whether negative values are impossible. It
#'   assumes that they are unlikely. Predictions stop at zero, except that 1% of the mass that
#'   models have below zero stays there. State `lower = 0` to enforce the bound, or `lower = -Inf`
#'   to allow negative values.
#' * If a response is negative, there is no bound.
#'
#' If you name a transform, only stated bounds apply, besides those of the transform itself:
#' `"softplus"` and `"boxcox"` never predict below zero, or below a stated `lower`.
#'
#' @seealso [btg()], [btg-censored], [btg-transforms]
#' @examples
#' # Chicks have positive weights
#' fit <- btg(weight ~ Time, ChickWeight[1:60, ], transform = "softplus", lower = 0)
#' predict(fit, data.frame(Time = 0), interval = "prediction")
#'
#' # A percentage
#' set.seed(1)
#' d <- data.frame(dose = 1:30)
#' d$cover <- 100 * plogis(-2 + 0.15 * d$dose + rnorm(30, sd = 0.5))
#' fit <- btg(cover ~ dose, d, lower = 0, upper = 100)
#' predict(fit, data.frame(dose = c(1, 30)), interval = "prediction")
#' @name btg-bounds
NULL

#' Averages of models
#'
#' No transform and no kernel suit all data. By default, [btg()] fits several models and averages
#' their predictions.
#'
#' @section Which models:
#' With `transform = "auto"`, the candidates have the transform `"sinharcsinh"` and, unless a
#' response is negative, `"softplus"`, and `c("logit", "sinharcsinh")` if all responses lie strictly
#' between stated bounds; the kernels `"matern52"`, `"exponential"` and `"rbf"`; and, with several
#' inputs, radial and product kernels. `btg()` looks for the posterior modes of all
#' candidates, fits at most five that promise to get weight, and drops the others. `fit$screened`
#' holds the screening results. `kernel = "auto"` averages over kernels for a transform that you
#' name.
#'
#' @section Weights:
#' With `averaging = "stacking"`, the default, the weights are those whose average predicts left-out
#' rows best by the log score (Yao, Vehtari, Simpson and Gelman, 2018). With few rows they are drawn
#' towards posterior probabilities, with the strength of five rows. Stacking is not a vote on which
#' model is true: two models that err in different places can both have a large weight, and of two
#' that predict the same, one can have none. So the model with the best left-out score, `LOO elpd`
#' in `print()`, need not have the largest weight. `averaging = "posterior"` uses posterior
#' probabilities, which with many rows favour a single model.
#'
#' Predictions come from one mixture over all models, within the bounds of the response.
#' `print()` shows the weights, `fit$models` holds the models and [nodes()] has a column `model`.
#' [select_models()] makes a fit of some of them. To fit faster, name one transform.
#'
#' @references Yao, Y., Vehtari, A., Simpson, D. and Gelman, A. (2018). Using stacking to average
#'   Bayesian predictive distributions. Bayesian Analysis 13, 917-1007. \doi{10.1214/17-BA1091}
#' @seealso [btg()], [select_models()], [compare_fits()]
#' @examples
#' fit <- btg(dist ~ speed, cars)
#' fit
#' fit$screened
#'
#' # One model of the average by itself
#' select_models(fit, 1)
#' @name btg-averaging
NULL
# nolint end
