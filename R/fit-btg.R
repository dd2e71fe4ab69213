#' Fit a Bayesian transformed Gaussian process
#'
#' `btg()` fits a Gaussian process to a learned monotone transformation of the response, and
#' averages over all it does not know: the transformation, the lengthscales, the noise, the trend
#' and the scale. The average is quadrature: there is no sampler, and the same call gives the
#' same answer.
#' Predictions are distributions on the scale of the response; see [predict.btg()].
#'
#' @section The model:
#' With the transform \eqn{g}, the response is modelled as
#' \deqn{g(y) \sim N(M\beta, \tau^{-1} (R + \sigma^2 I))}{g(y) ~ N(M beta, (R + sigma^2 I) / tau)}
#' where \eqn{M} is the trend, \eqn{R} the correlation of the inputs by the kernel, and
#' \eqn{\sigma^2} the noise relative to the signal. The trend coefficients \eqn{\beta} and the
#' precision \eqn{\tau} are integrated out exactly, the other parameters by quadrature.
#'
#' @section Inputs:
#' Each term on the right-hand side of the formula is an input. A numeric variable
#' is one input, and so are dates, which count in days or seconds, and durations ([difftime]). New
#' data are converted to the units of a duration, or of the package units, that the data of the fit
#' had; numbers without a unit are taken to be in it. Each column of a matrix, as of `poly(x, 2)`,
#' is an input of its own. A logical variable or a factor with two levels is a 0/1 input; a factor
#' (or text) with more levels is one input, in which any two levels are equally far apart, as their
#' indicators are; an ordered factor is scored 1, 2, ... Levels without a row are dropped, and so
#' are inputs that are constant, with a message. There are no interactions to write: the kernel
#' models them. Special terms add to the process over these inputs: see [btg-terms] for effects of
#' groups, seasons, linear and additive parts, and [periodic()] and [sphere()] for inputs on a
#' circle or the globe. An intercept, as in `y ~ x - 1`, has no meaning here and is ignored: see
#' `trend`.
#'
#' Terms are evaluated again in new data. Those of `poly()`, `scale()` and splines remember what
#' they took from the data, as in [lm()]. Others whose value in a row depends on other rows, such
#' as `x - mean(x)`, `rank(x)` or `cut(x, 3)`, would mean something else there: predictions of new
#' data warn of them, or fail where a level is not known. Make them columns of the data instead, or
#' give `cut()` its breaks.
#'
#' @section Warps of skewed inputs:
#' The kernel takes a unit of an input to mean the same everywhere, which is seldom so for one that
#' is very skewed, such as a concentration or a lifetime. With `warp_inputs = TRUE`, a numeric
#' input whose skewness is more than 1 or less than -1, and which has at least 6 distinct values, is
#' first warped by a power transform: Box-Cox if all its values are positive, in units of their
#' geometric mean; else Yeo-Johnson, of `(x - median) / scale`, where `scale` is the median
#' distance of the other values from the median. The power `lambda`, in \eqn{[0, 2]} with two
#' decimals, is that of the largest likelihood of a normal sample; where it makes no difference
#' there is no warp. Factors, dates and the trend are not warped, and with `ard = FALSE` nothing
#' is, as one lengthscale has a meaning only in units that all inputs share.
#'
#' Warps are printed with the fit, kept in `scaling$x$warp`, and replayed on new data. A row of new
#' data where a Box-Cox warp has no value, as below zero, is predicted by `NA`, with a warning. The
#' lengthscale of a warped input, in [nodes()] and in [btg_prior()], is in warped units: it divides
#' differences of warped values.
#'
#' @section Averages of models:
#' No transform is best for all data, and averaging over a few beats
#' choosing one of them. With `transform = "auto"`, the default, `btg()` fits `"sinharcsinh"` and,
#' unless a response is negative, `"softplus"`, each with kernels of several smoothnesses (Matern
#' 5/2, exponential and rbf) and, with more than one input, radial and product. If there is hardly
#' any noise, a model with an additive term joins (see `additive`). It looks for the modes of all of
#' them, integrates those that can get weight by their height and by how well they predict rows left
#' out, at most five, and leaves the others: `fit$screened` has what the modes said. Predictions are
#' those of one mixture over the nodes of all models, within the bounds of the response: see the
#' section on them. By stacking, models get the weights whose average predicts the rows left out
#' best, by [loocv()] and the log score (Yao, Vehtari, Simpson and Gelman, 2018); with few rows they
#' are drawn towards posterior probabilities, as by five more rows. A model may get no weight at
#' all. `print()` shows the weights, `fit$models` has the models, each a fit by itself, and
#' [nodes()] has a column `model`. To fit faster, name one transform: that is one model, unless
#' `kernel = "auto"`.
#'
#' @section Points of the package sf:
#' Where `data` is an `sf` of points, their coordinates are variables `X` and `Y` (and
#' `Z`, if they have one), in the units of the coordinate reference system: `z ~ X + Y` models the
#' response in space, `z ~ .` by all columns and the coordinates, and a trend can use them too. If
#' they are longitudes and latitudes, `X` and `Y` enter as `sphere(X, Y)`, with a message: see
#' [sphere()]. New
#' data can be `sf` of the same reference system, or have columns `X` and `Y`. `predict()` answers
#' with vectors and matrices as ever, whose rows are those of the points: `grid$median <-
#' predict(fit, grid)` makes a column of them, and `generics::augment(fit, newdata = grid)` returns
#' the `sf` with predictions and intervals.
#'
#' @section Noise that varies:
#' A transformation of the response can make its spread grow with its level, but not with an input.
#' With `noise = ~ terms`, a new observation at \eqn{x} has the noise variance
#' \deqn{\sigma^2 \exp(b(x)'\gamma),}{sigma^2 exp(b(x)' gamma),}
#' relative to the process, where \eqn{b(x)} are the columns of the terms, as those of a trend:
#' variables of the data, factors, or bases that remember the data, such as `splines::ns(x, 3)`.
#' Columns are centred and scaled to a standard deviation of 1; an intercept and constant columns
#' are dropped. The coefficients \eqn{\gamma}, `noise.<column>` in [nodes()], are averaged over as
#' all other hyperparameters: `exp(gamma / 2)` is what the standard deviation of the noise is
#' multiplied by when the column is one standard deviation higher, which `summary()` shows. Beyond
#' the range of the data a variable counts as at its edge for the noise, so that it cannot explode.
#' `plot(fit, which = "noise")` draws it. Rows are replicates only if their noise is the same.
#'
#' With `noise = "auto"`, models of constant noise are fitted first. If there are at least 40 rows
#' and the spread of their left-out residuals depends on variables (a test at the level of 5%,
#' adjusted for their number: see [summary.btg_loocv()]), models with a noise that is a smooth curve
#' of them, of at most the two clearest, are fitted too, and all are averaged as those of
#' `transform = "auto"` are.
#'
#' @section Weights and replicates:
#' With `weights` \eqn{w}, row \eqn{i} has the noise variance \eqn{\sigma^2 / w_i}{sigma^2 / w_i},
#' relative to the process: weights are known relative precisions on the transformed scale, as when
#' instruments differ in precision. They are divided by their mean, so that
#' \eqn{\sigma^2} and its prior are those of a row of mean weight, and only ratios of weights
#' matter: equal weights are no weights. A new observation has the mean weight too, unless
#' `predict(weights = )` says otherwise; a row that is left out, as by [loocv()], has its own.
#' `weights(fit)` gives them as they were.
#'
#' With a transform, weights are not sample sizes. The noise acts on the transformed response, so
#' that a row with more noise also has a higher mean, if the transform is like a log. An average of
#' \eqn{w} skewed measurements has the same mean as one of them and is less skewed, which no weight
#' expresses: predicted means then depend on the weight. For averages of \eqn{w_i} measurements, fit
#' the single measurements if you have them. Otherwise use `transform = "identity"` with `weights`,
#' where precisions are sample sizes; or add `log(w)` to the inputs and as `noise = ~ log(w)`, so
#' that both level and noise of the transformed response may depend on it. For totals over
#' exposures, model the rate `total / exposure` in the same way.
#'
#' Rows with exactly equal inputs and an equal trend are replicates. With \eqn{m} distinct points
#' among \eqn{n} rows, the likelihood, predictions and [loocv()] take matrices of \eqn{m} rows and
#' columns, not \eqn{n}, and give the same numbers; `print()` shows how many points there are.
#'
#' Replicates that all have exactly the response of their originals are copies of rows, as of a
#' simulator that was run twice at one point, or of a table that has rows twice. They are no
#' measurements of their own, and taken as such they would prove that there is no noise. They are
#' left out, with a message, as rows with missing values are by `na.omit`: `fit$copies` names them.
#' Rounded responses agree by chance: they are copies only if so many of them agree that the chance
#' of it, by their rounding and ties, is less than 1 in 1000. With `weights`, nothing is left out.
#'
#' @section The scale of the response:
#' Transforms act on `(y - center) / scale`, see `scaling$y`. For those of a positive response, as
#' `"boxcox"` and `"softplus"`, `scale` is the geometric mean and `center` is 0; for others they are
#' the mean and the standard deviation. If a response for a positive transform has zeros, half of
#' its smallest positive value is added to it (so that `center` is minus that), and a message says
#' so. Predictions are not shifted, nor do they go below zero. With a stated `lower`, these
#' transforms act on what is above it: for 0 in all this read `lower`. `"logit"` needs a response
#' strictly between stated `lower` and `upper`, which become 0 and 1.
#'
#' @section Bounds of the response:
#' `lower` and `upper` state which values a response can have: `lower = 0` of a concentration,
#' `lower = 0, upper = 100` of a percentage. No prediction is beyond: what a model puts there is
#' predicted at the bound. Intervals can begin or end there, and the distribution has a point mass
#' at the bound, `predict(fit, type = "cdf", at = 0)` at a lower bound of 0. Its density is that of
#' the rest. The log score of a response at a bound is the logarithm of that mass: see [loocv()].
#' Responses at a bound are censored there, see [btg-censored]. Responses beyond a bound are an
#' error. If all responses are strictly between two stated bounds, `transform = "auto"` also fits
#' `c("logit", "sinharcsinh")`, which has no mass at them.
#'
#' Without `lower`, `transform = "auto"` infers the bound from the data, for every model of the
#' average:
#' * A response with zeros and no negative values stops at zero, with a message, as by `lower = 0`.
#' * If every response is positive, `btg()` cannot know whether negative values are impossible, as
#'   for a concentration, or happen not to occur, as for the logarithm of one. It assumes that they
#'   are unlikely. Predictions stop at zero, except that 1% of the probability mass that the models
#'   put below zero stays there. Intervals of 99% and less then begin below zero only where the
#'   median is at zero, and a negative response later has a low score, not an infinite one. For
#'   this, `"sinharcsinh"`, which has mass below zero, has a weight of at least 1% (with `approx`,
#'   only if it has 2% in a fit to some of the rows). State `lower = 0` if negative values are
#'   impossible, and `lower = -Inf` if they may well occur: then nothing is assumed.
#' * If a response is negative, there is no bound.
#'
#' A transform that was named has no bounds but its own: `"softplus"` and others of positive
#' responses do not go below zero, `"sinharcsinh"` does unless `lower` is stated. `print()` shows
#' bounds that were stated or inferred as the *Support*. The process without noise and joint draws
#' of [simulate.btg()] stop there too.
#'
#' @param x The inputs, as a matrix, a data frame, or a numeric vector for one input. Columns
#'   without names are called `x1`, `x2`, ... Or a formula: see `formula`.
#' @param y The response, a numeric vector with one value for each row of `x`, or a `Surv` object.
#' @param formula A formula with the response on the left and the inputs on the right, such as
#'   `y ~ x1 + x2` or `log(y) ~ .`.
#' @param data A data frame with the variables of `formula` and `trend`. Variables it does not
#'   have are looked for in the environment of `formula`. An `sf` of points has its coordinates as
#'   variables `X` and `Y`: see the section on points.
#' @param subset An expression that says which rows of `data` to use, as in [lm()].
#' @param weights Positive numbers, one for each row: the known relative precisions of the
#'   transformed responses, which are not sample sizes. With a formula, looked for as its variables
#'   are, as in [lm()]: see the section on weights in [btg()].
#' @param na.action What to do with rows that have missing values in the response, the inputs, the
#'   trend or the weights: a function such as [na.omit()], as in [lm()]. The default is
#'   `getOption("na.action")`, which is also what the matrix interface uses.
#' @param trend A one-sided formula: the basis of the trend, by default an unknown constant. It
#'   means what the right-hand side of a formula means in [lm()], with the same variables.
#' @param transform The name of a transform of the response, or several, applied left to right
#'   (the first to the response); or `"auto"`, which averages over a few models: see the section on
#'   averages.
#' @param kernel The name of the kernel: `"rbf"`, `"matern52"`, `"matern32"` or `"exponential"`; or
#'   `"auto"` to average over some of them. By default `"matern52"`, or `"auto"` if models are
#'   averaged.
#' @param ard `TRUE` for one lengthscale per input, `FALSE` for one that all inputs share.
#' @param product `FALSE` for a radial kernel, `TRUE` for the product over the inputs of
#'   one-dimensional kernels. By default radial, or both if models are averaged.
#' @param additive `TRUE` to add a sum of processes, one over each input, to the process over all of
#'   them: the term `additive()` of [btg-terms]. `"auto"` lets `transform = "auto"` average over
#'   models with it and without if the response has little noise, as that of a simulator, and is
#'   `FALSE` otherwise.
#' @param warp_inputs `TRUE` to warp skewed numeric inputs before they are scaled, `FALSE` to leave
#'   them as they are: see the section on warps.
#' @param noise A model of the noise variance, as a one-sided formula of the same variables: see the
#'   section on noise that varies. `~ 1`, the default, is the same noise everywhere; `"auto"` looks
#'   whether it varies. Or a number, at which the noise variance relative to that of the process is
#'   fixed: `0` to interpolate, up to the floor of the noise (see [btg_prior()]).
#' @param prior The prior of the lengthscales, the noise and the transform's parameters; see
#'   [btg_prior()].
#' @param quadrature The rule that places the nodes of the average; `"auto"` chooses one by the
#'   number of parameters.
#' @param epsilon The posterior mass that may be left out: the nodes of least weight are dropped as
#'   long as their weights sum to no more than this. The predictive distribution function changes
#'   by at most `epsilon`.
#' @param averaging How the models of `transform = "auto"` are weighted: by `"stacking"`, or by
#'   their `"posterior"` probabilities, equal before the data.
#' @param approx What to do with many rows: `"exact"` holds the covariance of all pairs of them, a
#'   description by [vecchia()] approximates it, and `"auto"`, the default, is exact up to 1000
#'   distinct rows and approximates beyond, with a message. With up to 2000 rows, it makes an exact
#'   fit if the approximation is coarse.
#' @param lower,upper The bounds of the response, if it has any: numbers; `-Inf` or `Inf` for none;
#'   or `NULL`, the default, to take from the data what they tell: see the section on bounds in
#'   [btg()].
#' @param censored Which responses are known only to lie in an interval: `TRUE` for those below the
#'   value given, `"left"`, `"none"` or `"right"`, or two columns of limits; looked for in the data
#'   as `weights` is. Or use a `Surv` object as the response. See [btg-censored].
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used by the methods: an argument that `btg()` does not know is an error.
#'
#' @return An object of class `btg`, a plain list that [saveRDS()] keeps. Use [predict.btg()] for
#'   predictions, [nodes()] for the nodes of the average and their weights, and [log_posterior()]
#'   for the density behind them. Components:
#'   * `call`: the matched call; `formula`: the formula, if there was one;
#'   * `response_name`, `input_names` and `dropped_inputs`: the response, the inputs, and those left
#'     out because they are constant;
#'   * `row_names`, `data`: the rows of the fit and their variables; `na.action`: the rows left out
#'     for missing values or as copies, as in [lm()]; `copies`: the names of those that are exact
#'     copies of others; `excluded`: what they were, if `na.action = na.exclude`;
#'   * `weights`: the weights as given, `NULL` if there were none;
#'   * `settings`: what was chosen of the model and of its integral, as a list;
#'   * `scaling`: centres and scales of the inputs (`x`), with their warps if any, and of the
#'     response (`y`); transforms act on `(y - center) / scale`, and predictions stop at `lower` and
#'     `upper`, but for a share `open` of what is below. Each of several models has a scaling of the
#'     response of its own: this is that of the average;
#'   * `lengthscale_units`: what the prior's unit of each lengthscale is in units of the data;
#'   * `models`: a named list of the models that are averaged over, often one, and `model_weights`,
#'     their weights: [select_models()] makes a fit of some of them. Of several, `averaging` has the
#'     `method`, and the `log_evidence` and left-out `elpd` of each model; `screened` is a data
#'     frame of all candidates, with the `log_evidence` by Laplace's approximation, the left-out
#'     `elpd` of the highest mode, and the `likelihoods` and `gradients` that it took;
#'   * `quadrature`: how the average went, such as how many nodes were tried and kept, and the
#'     effective number of nodes: [summary.btg()] explains each;
#'   * `seconds`: what the fit took;
#'   * `blueprint` and `design`: what predictions are computed from, in scaled units.
#'     Use [nodes()] for the posterior.
#'
#' @references Zhu, X., Huang, L., Ibrahim, C., Lee, E. H. and Bindel, D. (2022). Scalable Bayesian
#'   transformed Gaussian processes. <https://arxiv.org/abs/2210.10973>
#'
#'   Yao, Y., Vehtari, A., Simpson, D. and Gelman, A. (2018). Using stacking to average Bayesian
#'   predictive distributions. Bayesian Analysis 13, 917-1007. \doi{10.1214/17-BA1091}
#'
#' @seealso [predict.btg()], [loocv()]; [btg-censored] for detection limits, zeros and survival
#'   times; [wgp()].
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' predict(fit, data.frame(speed = c(5, 15, 25)), interval = "credible")
#' @export
btg <- function(x, ...) {
  UseMethod("btg")
}

#' @rdname btg
#' @export
btg.formula <- function(formula, data = NULL, subset, weights, na.action, trend = ~ 1,
                        transform = "auto", kernel = NULL, ard = TRUE, product = NULL,
                        additive = "auto", warp_inputs = TRUE, noise = ~ 1, prior = btg_prior(),
                        quadrature = "auto", epsilon = 1e-4,
                        averaging = c("stacking", "posterior"), approx = "auto", lower = NULL,
                        upper = NULL, censored = NULL, threads = getOption("btg.threads", 1), ...) {
  matched <- match.call()
  matched[[1L]] <- quote(btg)
  check_dots(..., valid = names(formals(btg.formula)))
  noise <- noise_spec(noise)
  settings <- btg_settings(transform, kernel, ard, product, additive, warp_inputs, prior, noise,
                           quadrature, epsilon, averaging, approx)
  settings <- c(settings, support_settings(lower, upper))
  run <- run_settings(threads)
  design <- design_from_formula(formula, data, trend, frame_arguments(matched), parent.frame(),
                                noise = noise$formula)
  fit_btg(design, settings, run, matched)
}

#' @rdname btg
#' @export
btg.default <- function(x, y, trend = ~ 1, transform = "auto", kernel = NULL, ard = TRUE,
                        product = NULL, additive = "auto", warp_inputs = TRUE, noise = ~ 1,
                        prior = btg_prior(),
                        quadrature = "auto", epsilon = 1e-4,
                        averaging = c("stacking", "posterior"), weights = NULL, approx = "auto",
                        lower = NULL, upper = NULL, censored = NULL,
                        threads = getOption("btg.threads", 1), ...) {
  matched <- match.call()
  matched[[1L]] <- quote(btg)
  if ("formula" %in% names(matched) && missing(y) && (missing(x) || is.data.frame(x))) {
    # With d |> btg(formula = y ~ x), or `data = d`, the generic dispatches on the data.
    redirected <- sys.call()
    redirected[[1L]] <- btg.formula
    return(eval(redirected, parent.frame()))
  }
  misplaced <- "formula" %in% names(matched) || (!missing(y) && inherits(y, "formula"))
  check_interface(misplaced, c("x", "y")[c(missing(x), missing(y))], if (!missing(x)) x)
  check_dots(..., valid = names(formals(btg.default)))
  noise <- noise_spec(noise)
  settings <- btg_settings(transform, kernel, ard, product, additive, warp_inputs, prior, noise,
                           quadrature, epsilon, averaging, approx)
  settings <- c(settings, support_settings(lower, upper))
  run <- run_settings(threads)
  fit_btg(design_from_xy(x, y, trend, weights, noise$formula, censored), settings, run, matched)
}

# Fits a checked design with checked settings. `choice` is the approximation to try.
fit_btg <- function(design, settings, run, matched, choice = settings$approx) {
  started <- proc.time()[["elapsed"]]
  check_support(design, settings)
  approx <- approx_of_design(choice, design, run$threads)
  design <- censor_at_bounds(design, settings, approx)
  candidates <- candidate_models(settings, design)
  scaled <- scale_design(design, settings)
  seconds <- announce_duration(candidates, design, scaled, settings, run, approx)
  with_progress("Fitting", counted = "likelihoods", seconds = seconds, {
    fitted <- fit_models(candidates, design, scaled, settings, run, approx)
    fit <- new_fit(matched, design, scaled, settings, fitted$models, screened = fitted$screened,
                   class = "btg")
    fit <- weigh_models(fit, run$threads, fitted$built)
    if (settings$auto_noise) fit <- add_varying_noise(fit, design, scaled, run, approx)
    if (!is.null(approx)) {
      fit <- check_approximation(fit, run$threads, fitted$built)
      if (is_better_exact(fit)) {
        return(fit_btg(design, settings, run, matched, "exact"))
      }
    }
    fit <- represent_nodes(fit, run$threads, fitted$built)
    fit$seconds <- proc.time()[["elapsed"]] - started
    warn_quadrature(add_checksum(fit), fitted$built)
  })
}
