# nolint start: line_length_linter. Rows of tables are single lines.
#' Fit a Bayesian transformed Gaussian process
#'
#' `btg()` fits a regression for a response that is skewed, heavy tailed or bounded. It learns a
#' monotone transformation of the response, models the transformed response as a Gaussian process of
#' the inputs, and averages over everything it estimates. There is no sampler, and the same call
#' gives the same answer. [predict()][predict.btg] returns medians, intervals and probabilities on
#' the scale of the response; [loocv()] checks them.
#'
#' Most calls need only a formula and data. What to state beyond this depends on the data:
#'
#' | your data | what to do | page |
#' |:--|:--|:--|
#' | the response cannot be negative, or has other bounds | state `lower`, `upper` | [btg-bounds] |
#' | responses below a detection limit | `censored = below`, with `TRUE` for these rows | [btg-censored] |
#' | many zeros | nothing, or `lower = 0` | [btg-censored] |
#' | the scatter depends on an input | `noise = ~ x`, or `noise = "auto"` | [btg-noise] |
#' | responses are exact, as of a computer model | `noise = 0` | [btg-noise] |
#' | rows of known, different precision | `weights` | [btg-noise] |
#' | you predict beyond the data | `trend = ~ x` | argument `trend` |
#' | repeated measures of sites or subjects | \code{y ~ x + (1 | site)} | [btg-terms] |
#' | seasons or additive effects | terms of the formula | [btg-terms] |
#' | more than 1000 rows | nothing; or `approx` | [vecchia()] |
#' | a certain transformation or smoothness is known | `transform`, `kernel` | [btg-transforms], [btg-kernels] |
#' | prior knowledge of lengthscales or noise | `prior` | [btg_prior()] |
#'
#' @section The model:
#' With the transform \eqn{g}, the response is modelled as
#' \deqn{g(y) \sim N(M\beta, \tau^{-1} (R + \sigma^2 I))}{g(y) ~ N(M beta, (R + sigma^2 I) / tau)}
#' where \eqn{M} is the trend, \eqn{R} the correlation of the inputs by the kernel, and
#' \eqn{\sigma^2} the noise relative to the signal. The trend coefficients \eqn{\beta} and the
#' precision \eqn{\tau} are integrated out exactly. The other parameters, called hyperparameters,
#' are integrated out numerically, as a weighted average over a few hundred of their values, the
#' [nodes()].
#'
#' @param x The inputs, as a matrix, a data frame, or a numeric vector for one input. Columns
#'   without names are called `x1`, `x2`, ... Or a formula: see `formula`.
#' @param y The response, a numeric vector with one value for each row of `x`, or a `Surv` object.
#' @param formula A formula with the response on the left and the inputs on the right, such as
#'   `y ~ x1 + x2` or `log(y) ~ .`.
#' @param data A data frame with the variables of `formula` and `trend`. Variables that it lacks are
#'   looked up in the environment of `formula`. An `sf` of points has its coordinates as variables
#'   `X` and `Y`: see [btg-inputs].
#' @param subset An expression that selects rows of `data`, as in [lm()].
#' @param weights Positive numbers, one for each row: the known relative precisions of the
#'   transformed responses, which are not sample sizes: see [btg-noise]. With a formula, they may be
#'   a column of `data`, as in [lm()].
#' @param na.action What to do with rows that have missing values in the response, the inputs, the
#'   trend or the weights: a function such as [na.omit()], as in [lm()]. The default, also for
#'   matrices, is `getOption("na.action")`.
#' @param trend A one-sided formula, which is read as in [lm()]: the trend to which predictions
#'   return far from the data. By default an unknown constant.
#' @param transform The name of a transform of the response, or several, applied left to right
#'   (the first to the response): see [btg-transforms]. `"auto"`, the default, averages over a few
#'   models: see [btg-averaging].
#' @param kernel The name of the kernel, from rough to smooth `"exponential"`, `"matern32"`,
#'   `"matern52"`, `"rbf"`, or `"rational_quadratic"`; or `"auto"` to average over some of them. By
#'   default `"matern52"`, or `"auto"` if models are averaged: see [btg-kernels].
#' @param ard `TRUE` for one lengthscale per input, `FALSE` for one that all inputs share.
#' @param product `FALSE` for a radial kernel, `TRUE` for the product over the inputs of
#'   one-dimensional kernels. By default radial, or both if models are averaged.
#' @param additive `TRUE` to add a sum of processes, one over each input, to the process over all of
#'   them: the term `additive()` of [btg-terms]. With `"auto"`, an average of models has some with
#'   this term if the response has little noise, as that of a simulator.
#' @param warp_inputs `TRUE` to warp skewed numeric inputs before they are scaled, `FALSE` to leave
#'   them as they are: see [btg-inputs].
#' @param noise A model of the noise variance, as a one-sided formula of the same variables: see
#'   [btg-noise]. `~ 1`, the default, is the same noise everywhere; `"auto"` tests whether it
#'   varies. A number fixes the noise variance relative to that of the process: `0` interpolates, up
#'   to the floor of the noise (see [btg_prior()]).
#' @param prior The priors of the lengthscales, the noise and the transform's parameters, by
#'   [btg_prior()].
#' @param quadrature The rule that places the nodes of the average: see [quadrature].
#' @param epsilon The posterior mass that may be left out: nodes of small weight are dropped as long
#'   as their weights sum to no more than this. Predicted probabilities change by at most `epsilon`.
#' @param averaging How the models of an average are weighted: by `"stacking"`, or by their
#'   `"posterior"` probabilities, which are equal before the data.
#' @param approx What to do with many rows. `"exact"` uses the covariance of all pairs of rows, and
#'   [vecchia()] describes an approximation. `"auto"`, the default, is exact up to 1000 distinct
#'   rows, and approximates beyond, with a message. With up to 2000 rows, it returns to the exact
#'   covariance if the approximation is coarse.
#' @param lower,upper The bounds of the response, if it has any: numbers; `-Inf` or `Inf` for none;
#'   or `NULL`, the default, to infer them from the data: see [btg-bounds].
#' @param censored Which responses are known only to lie in an interval: `TRUE` where the response
#'   lies below the given value; or `"left"`, `"none"` or `"right"`; or two columns of limits. It
#'   may be a column of `data`, or an expression of columns. A `Surv` object as the response does
#'   the same. See [btg-censored].
#' @param rounding The step that the response is rounded to, such as 1 for whole numbers: each
#'   response is then known only to within half a step. It takes time, and pays if the step is
#'   several times the noise: see [btg-censored].
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `btg`: see [btg-fit] for its components.
#'
#' @references Zhu, X., Huang, L., Ibrahim, C., Lee, E. H. and Bindel, D. (2022). Scalable Bayesian
#'   transformed Gaussian processes. <https://arxiv.org/abs/2210.10973>
#' @seealso [predict.btg()], [loocv()], [summary.btg()] and [plot.btg()] for what comes next;
#'   [update.btg()] to change one thing; [wgp()] for maximum likelihood; [btg-troubleshooting] for
#'   warnings; [btg-glossary] for the words.
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' fit
#' predict(fit, data.frame(speed = c(5, 15, 25)), interval = "prediction")
#'
#' # A response that cannot be negative, and one transform instead of an average
#' ozone <- btg(Ozone ~ Temp + Wind, airquality, transform = "softplus", lower = 0)
#' predict(ozone, data.frame(Temp = 90, Wind = 6), type = "exceedance", at = 100)
#' @export
# nolint end
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
                        upper = NULL, censored = NULL, rounding = NULL,
                        threads = getOption("btg.threads", 1), ...) {
  matched <- without_dots(match.call(), parent.frame())
  matched[[1L]] <- quote(btg)
  check_dots(..., valid = names(formals(btg.formula)))
  noise <- noise_spec(noise)
  settings <- btg_settings(transform, kernel, ard, product, additive, warp_inputs, prior, noise,
                           quadrature, epsilon, averaging, approx)
  settings <- c(settings, support_settings(lower, upper, rounding))
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
                        lower = NULL, upper = NULL, censored = NULL, rounding = NULL,
                        threads = getOption("btg.threads", 1), ...) {
  matched <- without_dots(match.call(), parent.frame())
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
  settings <- c(settings, support_settings(lower, upper, rounding))
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
    add_checksum(warn_quadrature(fit, fitted$built))
  })
}
