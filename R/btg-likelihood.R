#' The likelihood that wgp() maximises
#'
#' Formulas of the two likelihoods of [wgp()], the predictive distribution, and how the maximum is
#' found.
#'
#' @section The likelihood:
#' With the transform \eqn{g}, the response has
#' \deqn{g(y) \sim N(M\beta, \tau^{-1} (R + \sigma^2 I))}{g(y) ~ N(M beta, (R + sigma^2 I) / tau)}
#' where \eqn{M} is the trend, \eqn{R} the correlation of the inputs by the kernel, and
#' \eqn{\sigma^2} the noise relative to the signal. With `weights`, row \eqn{i} has the noise
#' \eqn{\sigma^2 / w_i}{sigma^2 / w_i}: see [btg-noise]. Let \eqn{K = R + \sigma^2 I},
#' \eqn{A = M'K^{-1}M}{A = M' K^-1 M}, \eqn{q} the weighted sum of squared residuals of the
#' generalised least squares fit of the trend, and \eqn{J = \prod_i g'(y_i)}{J = prod g'(y_i)}. The
#' log likelihood of the hyperparameters (lengthscales, noise, parameters of the transform) is
#' * `"REML"`, the default, in which \eqn{\beta} and \eqn{\tau} are integrated out as in [btg()]:
#'   \deqn{\log\Gamma(\frac{n-p}{2}) - \frac{n-p}{2}\log(\pi q) - \frac12\log|K| - \frac12\log|A| +
#'   \frac{n-p}{n}\log J;}{lgamma((n-p)/2) - (n-p)/2 log(pi q) - log|K|/2 - log|A|/2 +
#'   (n-p)/n log J;}
#' * `"ML"`, in which \eqn{\beta} and \eqn{\tau} are at their maximum:
#'   \deqn{-\frac n2\log(2\pi q/n) - \frac n2 - \frac12\log|K| + \log J.}{-n/2 log(2 pi q/n) - n/2 -
#'   log|K|/2 + log J.}
#'
#' [logLik()][logLik.wgp] returns it for the response in its own units, so it can be compared
#' between transforms, and with other models of the same response. REML likelihoods compare only
#' between fits with the same trend; use `"ML"` to compare trends. ML ignores the cost of estimating
#' the trend, so its variances of noise and process tend to be too small.
#'
#' @section Predictions:
#' Hyperparameters are taken as known. For `"REML"` the predictive distribution of \eqn{g(Y)} is a
#' \eqn{t} with \eqn{n - p} degrees of freedom. For `"ML"` it is normal, with \eqn{1/\tau} at its
#' estimate \eqn{q/n}. In both cases the variance includes the uncertainty of the trend's
#' coefficients (universal kriging). The inverse of \eqn{g} takes the distribution to the scale of
#' the response, within `lower` and `upper` if they are stated: see [btg-bounds].
#' `predict(quadrature_error = TRUE)` does not apply, because there is no quadrature.
#'
#' @section The search:
#' The likelihood is maximised by a quasi-Newton method (BFGS) with exact derivatives, over the
#' logarithms of positive hyperparameters. It starts from the `restarts` points of a space-filling
#' design that have the largest likelihood, and from the best end once more with the noise at other
#' values. No random numbers are used, so the same data give the same fit. A search has converged if
#' no slope above 0.01 remains. A warning appears if the best search did not converge, and
#' [summary()][summary.wgp] shows the second-best mode, if there is one.
#'
#' @section Bounds of the search:
#' `fit$bounds` lists them, and `print()` names hyperparameters that reached a bound.
#' * A lengthscale lies between a tenth of the typical distance of neighbouring values of its input
#'   and 1000 times the input's range. At the upper bound, the data show no effect of the input.
#' * The noise lies between `1e-8` and `100`. At the lower bound there is almost none compared with
#'   the process. The response may be exact (then use `noise = 0`), or so close to a straight line
#'   that the variance of the process has no upper limit.
#' * Parameters of transforms lie within 6 standard deviations of their default prior, or where that
#'   prior ends: see [btg_prior()].
#'
#' @seealso [wgp()], [logLik.wgp()], [confint.wgp()]
#' @examples
#' fit <- wgp(dist ~ speed, data = cars, transform = "boxcox")
#' fit$optimisation[1:2, ]
#' fit$bounds
#' @name wgp-likelihood
NULL
