#' Glossary
#'
#' The words that the package uses in its output and its help pages.
#'
#' @section The model:
#' \describe{
#'   \item{response}{The variable to predict, on the left of the formula: `y`. Predictions are on
#'     its scale and in its units.}
#'   \item{input}{A variable on the right of the formula. The kernel compares rows by their inputs.}
#'   \item{transform}{An increasing function `g` of the response, learned from the data, that makes
#'     it Gaussian. It acts on the scaled response. Several transforms applied one after the other
#'     are layers.}
#'   \item{latent scale}{The scale of the transformed response, `z = g(y)`. It has no units, because
#'     the trend and the scale are learned too.}
#'   \item{process}{The smooth part of the response, without noise. `observation = FALSE` predicts
#'     it, mapped back to the scale of the response.}
#'   \item{term}{A part of the covariance, such as an effect of groups or a season: see
#'     [btg-terms].}
#'   \item{trend}{The mean of the process on the latent scale: a linear model, by default an unknown
#'     constant. Predictions return to it far from the data.}
#'   \item{kernel}{A function of distance that gives the correlation of the process at two points. A
#'     radial kernel uses one distance over all inputs, and a product kernel multiplies a kernel for
#'     each input.}
#'   \item{lengthscale}{The distance in an input over which the process changes, in the units of the
#'     input. Points much less than one lengthscale apart have nearly the same value. Points several
#'     lengthscales apart are nearly independent. A lengthscale much longer than the range of the
#'     data means a weak or nearly linear effect. ARD (automatic relevance determination) means one
#'     lengthscale for each input.}
#'   \item{noise, noise ratio}{The variance of the noise divided by that of the process, on the
#'     latent scale. 0.1 is little, and 10 is mostly noise. In geostatistics: the nugget over the
#'     partial sill.}
#'   \item{noise effect}{With `noise = ~ terms`: the change of the logarithm of the noise variance
#'     when a column of the terms increases by one standard deviation. The standard deviation of the
#'     noise changes by `exp()` of half of it.}
#'   \item{floor of the noise}{The smallest noise that a model has, which keeps its matrices from
#'     being singular to rounding. Fits to noise-free functions reach it: see [btg_prior()].}
#'   \item{scale}{The variance of the process. Like the coefficients of the trend, it is integrated
#'     out exactly at each node, so [nodes()] has no column for it.}
#'   \item{scaling}{The change of the data before the fit. Inputs are divided by their standard
#'     deviations. The response is standardised, or divided by its geometric mean if the transform
#'     needs positive values. `fit$scaling` holds the numbers. Lengthscales are reported in the
#'     units of the data, and parameters of transforms on the scaled response.}
#'   \item{warped input}{A very skewed input that is taken to a power before it is scaled, so that a
#'     step means the same everywhere. `print()` names warped inputs; their lengthscales are in
#'     warped units. The power is chosen before the fit and not averaged over.}
#'   \item{support}{The possible values of the response, such as all positive numbers: see
#'     [btg-bounds].}
#'   \item{image}{The possible values of a transform. That of Box-Cox ends somewhere. Predictive
#'     mass beyond the end is cut off, and `predict(type = "lost_mass")` returns how much.}
#'   \item{censored}{Known only to lie in an interval, such as below a detection limit: see
#'     [btg-censored].}
#' }
#'
#' @section The average over the unknown:
#' \describe{
#'   \item{hyperparameters}{The lengthscales, the noise and the parameters of the transform. [btg()]
#'     averages over them, and [wgp()] estimates them.}
#'   \item{prior, posterior}{The distribution of the hyperparameters before and after the data.}
#'   \item{node}{One setting of all hyperparameters, with the model that it defines. [nodes()] lists
#'     them.}
#'   \item{predictive nodes}{The smaller number of nodes that predictions use, with weights that
#'     keep predictions almost the same: `nodes(fit, predictive = TRUE)`.}
#'   \item{weight}{The share of a node, or of a model, in the average. The weight of a node grows
#'     with its likelihood, its prior, and the space that it represents. Weights sum to 1.}
#'   \item{quadrature}{A rule that replaces an integral by a weighted sum over nodes. See
#'     [quadrature].}
#'   \item{marginal likelihood of a node}{The probability density of the data at the node, with the
#'     trend and the scale integrated out. `log_marginal` is its logarithm, up to a constant.}
#'   \item{evidence}{The average of the marginal likelihood over the prior: how well a model, with
#'     its prior, predicted the data before it had seen them. Its logarithm ranks models of the same
#'     response with the same trend. It depends on the priors, and elpd hardly does.}
#'   \item{effective nodes}{The number of nodes of equal weight that would be as accurate: one over
#'     the sum of the squared weights. Below about 100, predictions are rough.}
#'   \item{k-hat}{The shape of the tail of the importance weights, by a Pareto distribution. Below
#'     0.5 is good, and up to 0.7 acceptable. Above, a few nodes decide, and [refine()] adds more.
#'     In [loocv()], the same for the ratios by which weights change without a row.}
#'   \item{epsilon}{The posterior mass that may be dropped. Nodes of small weight are left out as
#'     long as they hold no more than that together, so predicted probabilities change by at most
#'     `epsilon`.}
#'   \item{boundary mass}{The share of the posterior in the outermost 1% of the prior of a
#'     hyperparameter, at either end. If it is large, the prior decides.}
#'   \item{mode}{A peak of the posterior. There can be several, such as one with little noise and
#'     short lengthscales and one with much noise and long ones.}
#'   \item{averaging, stacking}{By default, [btg()] fits several models and predicts with a weighted
#'     average of their distributions. Stacking chooses the weights whose average predicts left-out
#'     rows best by the log score; `"posterior"` uses the models' posterior probabilities. See
#'     [btg-averaging].}
#' }
#'
#' @section Predictions:
#' \describe{
#'   \item{predictive distribution}{The distribution of a new response: the weighted mixture of the
#'     predictions of all nodes.}
#'   \item{median}{The value that the response exceeds with probability one half. Unlike the mean,
#'     it always exists, and it stays the median under any increasing transform.}
#'   \item{credible interval}{An interval that contains the response with the given probability,
#'     under the model and the data. It has equal tails, unless you ask for the shortest.}
#'   \item{conditional mean}{The mean of observations given the process: see [btg-predictions].}
#'   \item{cdf, exceedance}{The probability of at most a value, and of more than it.}
#'   \item{density}{The predictive density, per unit of the response.}
#'   \item{numerical accuracy}{How much predictions would change with other nodes: the error of the
#'     quadrature. It is not the uncertainty of the response, which intervals show.}
#' }
#'
#' @section Scores:
#' \describe{
#'   \item{leave-one-out (LOO)}{Predicting each row from all other rows. [loocv()] does it without
#'     fitting again. With folds, groups of rows are left out together.}
#'   \item{log score}{The log of the predictive density at the observed response. Larger is better.
#'     It depends on the units of the response, so only differences have a meaning.}
#'   \item{elpd}{The expected log predictive density: here, the sum of the left-out log scores.
#'     Larger is better. A difference below about two of its standard errors may be chance.}
#'   \item{CRPS}{The continuous ranked probability score: a distance between the predictive
#'     distribution and the observed response, in its units. Smaller is better. For a prediction by
#'     a single number it is the absolute error.}
#'   \item{PIT}{The probability integral transform: the predicted probability of less than the
#'     observed response. If predictions are calibrated, PIT values are spread evenly over 0 to 1.}
#'   \item{calibrated}{Having predicted probabilities that agree with frequencies: 80% intervals
#'     contain 80% of the responses.}
#'   \item{coverage}{The share of responses inside intervals of a given probability.}
#'   \item{spread}{The size of left-out residuals, as normal scores of their PIT values. If
#'     predictions are calibrated, 95% of them lie between -2 and 2. If the spread depends on a
#'     variable, the noise varies with it: see [btg-noise].}
#'   \item{moved}{In [loocv()], a mark for rows without which the posterior would be so different
#'     that few nodes are left there. The scores of such rows are less accurate.}
#' }
#'
#' @seealso `vignette("btg")` for these words at work, [btg-troubleshooting] for warnings.
#' @name btg-glossary
#' @aliases glossary
NULL
