#' Predictions: medians, means, terms, uncertain inputs and accuracy
#'
#' Details of [predict.btg()]: which type suits which question, and what happens at the edges of
#' the possible values.
#'
#' @section Medians and means:
#' For a skewed response the median and the mean differ. Use the median for a typical value, and
#' for a point forecast whose absolute errors should be small. Use the mean for totals and for
#' averages over many cases, such as expected costs: means add up, and medians do not.
#'
#' The noise-free process \eqn{f(x)} on the scale of the response is the median of the observations
#' at \eqn{x}. With the default type, `interval = "confidence"` and `se.fit` describe how well it is
#' known. The observations at \eqn{x} also have a mean, the *conditional mean*
#' \deqn{\mu(x) = E(g^{-1}(f(x) + \textrm{noise}) \mid f),}{mu(x) = E(g^-1(f(x) + noise) | f),}
#' within the bounds of the response. With `type = "mean"`,
#' * `fit` is the posterior mean of \eqn{\mu(x)}, which is also the mean of a new observation;
#' * `lwr` and `upr` are posterior quantiles of \eqn{\mu(x)} for the intervals `"confidence"`,
#'   `"credible"` and `"hdi"`, and `se.fit` is its posterior standard deviation;
#' * `interval = "prediction"` has the limits of a new observation;
#' * `observation = FALSE` removes the noise, so that \eqn{\mu(x)} is the process itself.
#'
#' @section Terms:
#' `type = "terms"` returns a matrix with the posterior mean of each covariance term (see
#' [btg-terms]) at each row of `newdata`. With `se.fit = TRUE` the result is a list with this matrix
#' as `fit` and the posterior standard deviations as `se.fit`, as in [stats::predict.lm()].
#'
#' The data cannot tell the level of a process from that of the trend. Each process is therefore
#' centred at its mean over the data (at most 100 rows of them), and the trend gets these means. A
#' constant trend is the attribute `"constant"`, and any other trend is one more column.
#'
#' Contributions add up on the transformed scale that [coef.btg()] describes, but not on the scale
#' of the response. To see what a term does to the response, compare predictions with and without
#' it, by `exclude`.
#'
#' @section Uncertain inputs:
#' With `input_sd`, the inputs of a new row are known only up to independent normal errors. The
#' prediction is then a mixture over the possible inputs, by a rule of 21 points for one uncertain
#' input, up to 121 for two, and 256 for more. All types are computed from this mixture. Intervals
#' become wider where the response is steep, and skewed where it is curved. Errors in the inputs of
#' the data that were fitted are a different matter: they are part of the noise of the fit.
#'
#' @section Mass at a bound and mass that is cut off:
#' If the response has a bound (see [btg-bounds]), the predictive distribution has a point mass
#' there. Several quantiles can then equal the bound, the distribution function jumps there, and the
#' density describes the rest.
#'
#' Some transforms, such as Box-Cox, cannot reach all values. The predictive distribution is cut off
#' where they end, so quantiles are always possible values. `type = "lost_mass"` returns the share
#' that was cut off, and a warning appears if it exceeds 1%.
#'
#' @section Moments that do not exist:
#' The exponential of a Student t has no mean. After `"arcsinh"`, and after `"boxcox"` with `lambda`
#' near 0, the mean or the variance of a prediction may therefore not exist. The result, or the
#' `se.fit`, is then `NA`, with a warning. Quantiles always exist, so `type = "mean"` still returns
#' the limits of an `interval`. The CRPS leaves out tails of probability 1e-6 and is always finite.
#'
#' @section Numerical accuracy:
#' `quadrature_error = TRUE` adds standard errors of the numerical integral to the types
#' `"response"` and `"quantile"`: how much another set of nodes would change them. It exists for
#' rules that draw points (see [quadrature]), and takes the weights of models as given.
#'
#' Quantiles are found by inverting the distribution function, up to `tolerance * min(p, 1 - p)` in
#' probability. The default of `tolerance` is `1e-4 * epsilon` of the fit. `bound` chooses the first
#' bracket of the search: `"auto"` is the fastest. `"hull"`, `"singular"`, `"both"` and `"none"` are
#' there for comparison and return the same quantiles, to `tolerance`.
#'
#' @seealso [predict.btg()], [btg-slopes], [predict_region()] for totals and averages
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' fast <- data.frame(speed = 20)
#' predict(fit, fast) # half of the stopping distances are longer
#' predict(fit, fast, type = "mean", interval = "confidence")
#'
#' # The speed is known only to 2 mph
#' predict(fit, fast, interval = "prediction")
#' predict(fit, fast, interval = "prediction", input_sd = c(speed = 2))
#' @name btg-predictions
NULL

#' Slopes of predictions
#'
#' `predict(type = "slope")` returns how fast a prediction changes with each numeric variable, with
#' all other variables held. The unit is that of the response per unit of the variable (days for a
#' date, seconds for a time).
#'
#' @section What is differentiated:
#' The argument `of` names the prediction: the median, the mean, quantiles at `probs`, or
#' probabilities at `at`. Slopes are exact derivatives through the kernel, the transform and the
#' warps of inputs; those of quantiles are
#' \eqn{dq/dx = -(\partial F/\partial x) / f}{dq/dx = -(dF/dx) / f} at \eqn{q}. Only terms that are
#' R code, such as `log(x)` or a spline in `trend`, are differentiated numerically.
#'
#' Slopes are `NA` along factors, along variables that a factor is made of, and along variables that
#' are matrices. With an approximate covariance (see [vecchia()]), predictions jump a little where
#' the rows change from which they are computed, and slopes are those between the jumps.
#'
#' The kernel `"exponential"` is not smooth. It has no slopes at the rows of the fit.
#'
#' @section Intervals:
#' With `interval = "confidence"` or `"credible"`, slopes of the median and of the mean have limits:
#' posterior quantiles of the slope of the noise-free process on the scale of the response, or of
#' the slope of the conditional mean (see [btg-predictions]). They average over all hyperparameters
#' and over the process. With the kernel `"exponential"`, whose process has no derivative, they are
#' an error.
#'
#' @seealso [predict.btg()], [plot.btg()]
#' @examples
#' fit <- btg(dist ~ speed, data = cars, kernel = "matern52")
#' new <- data.frame(speed = c(8, 16))
#' predict(fit, new, type = "slope", interval = "confidence") # feet per mile an hour
#' predict(fit, new, type = "slope", of = "exceedance", at = 50)
#' @name btg-slopes
NULL
