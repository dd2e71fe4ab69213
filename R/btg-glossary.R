#' Glossary
#'
#' The words that this package uses in its output and its help pages, as it uses them.
#'
#' @section The model:
#' \describe{
#'   \item{response}{The variable to predict, on the left of the formula: `y`. Everything that is
#'     predicted is on its scale and in its units.}
#'   \item{input}{A variable on the right of the formula. The kernel compares rows by their
#'     inputs.}
#'   \item{transform}{An increasing function `g` of the response, learned from the data, which
#'     makes it Gaussian. It acts on the scaled response. Several, one after the other, are its
#'     layers.}
#'   \item{latent scale}{The scale of the transformed response, `z = g(y)`. Its units mean
#'     nothing, since trend and scale are learned too.}
#'   \item{process}{The smooth part of the response: what is left without noise. `observation =
#'     FALSE` predicts it, mapped back to the scale of the response.}
#'   \item{trend}{The mean of the process on the latent scale: a linear model, by default an
#'     unknown constant. Predictions return to it far from the data.}
#'   \item{kernel}{The function that says how strongly the process at two points is correlated, by
#'     their distance. Radial: of the distance over all inputs. Product: the product of the kernels
#'     of each input.}
#'   \item{lengthscale}{What distances in an input are divided by, in the units of the input.
#'     Points much less than one lengthscale apart are nearly the same to the kernel; points several
#'     apart tell little of each other. Much longer than the range of the data: a weak or nearly
#'     linear effect. With one lengthscale for each input, the kernel is called ARD (automatic
#'     relevance determination).}
#'   \item{noise, noise ratio}{The variance of the noise divided by that of the process, on the
#'     latent scale. 0.1 is little, 10 is mostly noise. In geostatistics: the nugget over the
#'     partial sill.}
#'   \item{noise effect}{With `noise = ~ terms`: how much the logarithm of the noise variance
#'     changes when a column of the terms is one standard deviation higher. The standard deviation
#'     of the noise is then multiplied by `exp()` of half of it.}
#'   \item{scale}{The variance of the process. It is integrated out exactly at each node, as the
#'     coefficients of the trend are; neither is a column of [nodes()].}
#'   \item{scaling}{What is done to the data before the fit: inputs are divided by their standard
#'     deviations; a response is standardised, or divided by its geometric mean if the transform
#'     needs a positive one. `fit$scaling` has the numbers. Lengthscales are reported in the units
#'     of the data, parameters of transforms on the scaled response.}
#'   \item{warped input}{A skewed input that is taken to a power before it is scaled, so that a
#'     unit of it means the same everywhere. `print(fit)` says which; their lengthscales are in
#'     warped units. The power is chosen before the fit and not averaged over.}
#'   \item{support}{The values that the response can have, such as all positive numbers.}
#'   \item{image}{The values that a transform can have. Box-Cox's ends somewhere: what the
#'     Gaussian process puts beyond is cut off, and `predict(type = "lost_mass")` says how much that
#'     was.}
#' }
#'
#' @section What is not known, and the average over it:
#' \describe{
#'   \item{hyperparameters}{The lengthscales, the noise and the parameters of the transform.
#'     [btg()] averages over them, [wgp()] estimates them.}
#'   \item{prior, posterior}{What is assumed of the hyperparameters before the data, and what is
#'     known of them after.}
#'   \item{node}{One setting of all hyperparameters, and the model that it makes. [nodes()] lists
#'     them.}
#'   \item{predictive nodes}{The fewer nodes that predictions are made from by the default rule,
#'     with weights such that predictions hardly change: `nodes(fit, predictive = TRUE)`.}
#'   \item{weight}{The share of a node in the average: how well it explains the data, times its
#'     prior, times its share of the space. Weights sum to 1.}
#'   \item{quadrature}{A rule that replaces an integral by a weighted sum over nodes. See
#'     [quadrature].}
#'   \item{marginal likelihood of a node}{The probability density of the data at the node, with
#'     the trend and the scale integrated out. `log_marginal` is its logarithm, up to a constant.}
#'   \item{evidence}{The average of the marginal likelihood over the prior: how well a model, with
#'     its prior, predicted the data before it saw them. Its logarithm ranks models of the same
#'     response with the same trend. It depends on the priors; elpd hardly does.}
#'   \item{effective nodes}{How many nodes of equal weight the average is worth: one over the sum
#'     of the squared weights. Below about 100 predictions are rough.}
#'   \item{k-hat}{The shape of the tail of the importance weights, by a Pareto distribution. Below
#'     0.5 all is well, up to 0.7 it is acceptable; above, a few nodes decide, and [refine()] adds
#'     more. In [loocv()], the same for the ratios by which weights change without a row.}
#'   \item{epsilon}{The posterior mass that may be dropped. Nodes of least weight are left out as
#'     long as they hold no more than that together, which changes a predicted probability by at
#'     most `epsilon`.}
#'   \item{floor of the noise}{The least noise that a model has, so that its matrices are not
#'     singular to rounding. Fits to noise-free functions reach it: see [btg_prior()].}
#'   \item{boundary mass}{The share of the posterior in the outermost 1% of the prior of a
#'     hyperparameter, at either end. If it is large, the prior decides.}
#'   \item{mode}{A peak of the posterior. There can be several, such as one of little noise and
#'     short lengthscales and one of much noise and long ones.}
#'   \item{averaging, stacking}{`transform = "auto"` fits several models and predicts with a
#'     weighted average of their distributions. By stacking, the weights are those whose average
#'     predicts left-out rows best, by the log score; by `"posterior"`, they are the models'
#'     posterior probabilities.}
#' }
#'
#' @section Predictions:
#' \describe{
#'   \item{predictive distribution}{All that is said of a new response: the weighted mixture of
#'     the distributions that the nodes predict.}
#'   \item{median}{The value that the response exceeds with probability one half. It stays the
#'     median under any increasing transform, which the mean does not; and it always exists.}
#'   \item{credible interval}{An interval that holds the response with the given probability,
#'     under the model and the data. Equal-tailed unless the shortest is asked for.}
#'   \item{cdf, exceedance}{The probabilities to be at most, and more than, a value.}
#'   \item{density}{The predictive density, per unit of the response.}
#'   \item{standard error of a prediction}{How far a median or another prediction would move with
#'     other nodes: the error of the quadrature. Not the uncertainty of the response, which the
#'     interval says.}
#' }
#'
#' @section Scores:
#' \describe{
#'   \item{leave-one-out (LOO)}{Predict each row from all others. [loocv()] does so without
#'     fitting again. With folds, groups of rows are left out together.}
#'   \item{log score}{The log of the predictive density at what was observed. Larger is better. It
#'     depends on the units of the response, so only differences mean something.}
#'   \item{elpd}{The expected log predictive density: here the sum of the left-out log scores.
#'     Larger is better; a difference of less than about two of its standard errors says little.}
#'   \item{CRPS}{The continuous ranked probability score, a distance between the predictive
#'     distribution and what was observed, in units of the response. Smaller is better. If the
#'     prediction is one number, it is the absolute error.}
#'   \item{PIT}{The probability integral transform: the predicted probability of less than what
#'     was observed. If predictions are calibrated, PIT values are spread evenly over 0 to 1.}
#'   \item{spread}{How large left-out residuals are, as normal scores of their PIT values: 95% of
#'     them between -2 and 2 if predictions are calibrated. If it depends on a variable, the noise
#'     varies with it: see `noise` in [btg()].}
#'   \item{calibrated}{Predicted probabilities are frequencies: of the 80% intervals, 80% hold
#'     what is observed.}
#'   \item{coverage}{The share of responses inside intervals of a given probability.}
#'   \item{moved}{In [loocv()]: without the row, the posterior is so far from that of all rows
#'     that few nodes are left there, and its scores are less accurate.}
#' }
#'
#' @seealso `vignette("btg")` for these words at work, [btg-troubleshooting] for warnings.
#' @name btg-glossary
#' @aliases glossary
NULL
