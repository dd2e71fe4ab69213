#' Fit a warped Gaussian process by maximum likelihood
#'
#' `wgp()` fits the model of [btg()] with its hyperparameters at their most likely values, instead
#' of averaging over them. The default, `transform = "identity"`, does *not* warp the response: it
#' is Gaussian process regression (kriging with a trend). Name a transform for a warped Gaussian
#' process, such as `transform = "sinharcsinh"`, or `"softplus"` if the response is positive;
#' several make a compositionally warped one. Only [btg()] chooses and averages transforms by
#' itself.
#' `wgp()` takes the data that [btg()] takes, and its predictions are asked for in the same way: see
#' [predict.btg()].
#'
#' @section The likelihood:
#' With the transform \eqn{g}, the response has
#' \deqn{g(y) \sim N(M\beta, \tau^{-1} (R + \sigma^2 I))}{g(y) ~ N(M beta, (R + sigma^2 I) / tau)}
#' where \eqn{M} is the trend, \eqn{R} the correlation of the inputs by the
#' kernel, and \eqn{\sigma^2} the noise relative to the signal. With `weights`, row \eqn{i} has the
#' noise \eqn{\sigma^2 / w_i}{sigma^2 / w_i}: see [btg()]. With \eqn{K = R + \sigma^2 I},
#' \eqn{A = M'K^{-1}M}{A = M' K^-1 M}, \eqn{q} the weighted sum of squared residuals from the
#' generalised least squares fit of the trend, and \eqn{J = \prod_i g'(y_i)}{J = prod g'(y_i)}, the
#' log likelihood of the hyperparameters (lengthscales, noise, parameters of the transform) is
#' * `"REML"`, the default: \eqn{\beta} and \eqn{\tau} are integrated out, as in [btg()],
#'   \deqn{\log\Gamma(\frac{n-p}{2}) - \frac{n-p}{2}\log(\pi q) - \frac12\log|K| - \frac12\log|A| +
#'   \frac{n-p}{n}\log J;}{lgamma((n-p)/2) - (n-p)/2 log(pi q) - log|K|/2 - log|A|/2 +
#'   (n-p)/n log J;}
#' * `"ML"`: \eqn{\beta} and \eqn{\tau} are at their maximum,
#'   \deqn{-\frac n2\log(2\pi q/n) - \frac n2 - \frac12\log|K| + \log J.}{-n/2 log(2 pi q/n) - n/2 -
#'   log|K|/2 + log J.}
#'
#' [logLik()] gives it for the response in its own units, so that it can be compared between
#' transforms, and with other models of the same response. REML likelihoods compare only between
#' fits with the same trend; to compare trends, use `"ML"`. ML takes no account of what estimating
#' the trend costs, and tends to noise and signal variances that are too small.
#'
#' There are no priors: the likelihood alone decides. Only the bounds below keep it from values that
#' mean nothing, and a response with ties or few rows can be fitted too closely. [btg()] is made
#' for that case.
#'
#' @section Predictions:
#' The predictive distribution of \eqn{g(Y)} has the hyperparameters plugged in, with no account of
#' their uncertainty. For `"REML"` it is a \eqn{t} with \eqn{n - p} degrees of freedom, and for
#' `"ML"` normal with \eqn{1/\tau} at its estimate \eqn{q/n}. In both, the variance includes that of
#' the trend's coefficients (universal kriging). It is taken to the scale of the response by the
#' inverse of \eqn{g}, and kept within `lower` and `upper` where they are stated: see the section on
#' bounds in [btg()]. `predict(quadrature_error = TRUE)` is about the error of a quadrature, which
#' there is none of here.
#'
#' @section The search:
#' The likelihood is maximised by L-BFGS-B ([optim()]) with exact derivatives, over the logarithms
#' of positive hyperparameters. Starts are the `restarts` points of largest likelihood of a
#' space-filling design; no random numbers are used, and the same data give the same fit.
#' `fit$optimisation` has one row for each start: the log likelihood it reached, whether it
#' converged (no slope above 0.01), the steepest slope that is left, the message of the optimiser,
#' how often the likelihood was evaluated, and where it ended. A warning says when the best of them
#' did not converge. `summary()` shows the second-best mode when there is one.
#'
#' Bounds, see `fit$bounds`: a lengthscale is between a tenth of the typical distance of
#' neighbouring values of its input and 1000 times the input's range; the noise between `1e-8` and
#' `100`; parameters of transforms within 6 standard deviations of their default prior or where
#' that ends (see [btg_prior()]). `print()` says what is at a bound. An input whose lengthscale is
#' at its upper bound has no effect that the data show. Noise at its lower bound is next to none
#' compared with the process, as when the response is exact (then use `noise = 0`), or when it is
#' so close to a straight line that the variance of the process has no upper limit.
#'
#' @section Estimates:
#' `nodes(fit)` has the hyperparameters. `coef()` gives the trend's coefficients and `vcov()` their
#' covariance given the hyperparameters: of the transformed response `g((y - center) / scale)`, with
#' `fit$scaling$y`; for `transform = "identity"` and a trend with a constant, of the response in
#' its own units. `confint()` gives Wald intervals of the coefficients and, from the
#' curvature of the log likelihood, of the hyperparameters: on the log scale for positive ones,
#' then mapped back. Those at a bound have no interval, and are held there for the others. `AIC()`
#' and `BIC()` count the free hyperparameters, the trend's coefficients and the scale.
#'
#' @inheritParams btg
#' @param transform The name of a transform of the response, or several, applied left to right
#'   (the first to the response); `"identity"`, the default, for none.
#' @param product `FALSE` for a radial kernel, `TRUE` for the product over the inputs of
#'   one-dimensional kernels.
#' @param additive `TRUE` to add a sum of processes, one over each input: the term `additive()` of
#'   [btg-terms].
#' @param method `"REML"` or `"ML"`: what is done with the trend's coefficients and the scale.
#' @param noise The noise variance relative to that of the process, if it is known: `0` to
#'   interpolate. `NULL` to estimate it. Or a model of it, as a one-sided formula: see the section
#'   on noise that varies in [btg()].
#' @param fixed A named vector of values for other hyperparameters that are not to be estimated, by
#'   the names and in the units of [nodes()], such as `c(boxcox.lambda = 0)`.
#' @param restarts How many starts to search from. The best that they lead to is taken up once more
#'   with noise of other sizes, unless there is much.
#' @param threads How many threads to use for the search of starts. Results do not depend on it.
#' @param ... Not used by the methods: an argument that `wgp()` does not know is an error.
#'
#' @return An object of class `wgp`, which is also of class `btg` with one node, so that what works
#'   for [btg()] works here, except for [log_posterior()] and [refine()]. A plain list with the
#'   components of [btg()], except for `quadrature`, and
#'   * `settings$method`: `"REML"` or `"ML"`;
#'   * `optimisation`: a data frame with one row for each start, the best first: `start`, the number
#'     of the start; `log_likelihood`, what it reached; `converged`; `slope`, the steepest that is
#'     left; `message` of the optimiser; `evaluations` of the likelihood; and the hyperparameters
#'     where it ended, named as in [nodes()];
#'   * `bounds`: a data frame with one row for each hyperparameter that is not fixed: its `lower`
#'     and `upper` bound, and `at`, which says if the estimate is at one of them.
#' @references Snelson, E., Ghahramani, Z. and Rasmussen, C. E. (2003). Warped Gaussian processes.
#'   Advances in Neural Information Processing Systems 16.
#'
#'   Rios, G. and Tobar, F. (2019). Compositionally-warped Gaussian processes. Neural Networks 118,
#'   235-246.
#' @seealso [logLik.wgp()], [confint.wgp()], [summary.wgp()]
#' @examples
#' fit <- wgp(dist ~ speed, data = cars, transform = "boxcox")
#' fit
#' predict(fit, data.frame(speed = c(5, 15, 25)), interval = "credible")
#'
#' # Does the transform pay?
#' AIC(fit, wgp(dist ~ speed, data = cars))
#' @export
wgp <- function(x, ...) {
  UseMethod("wgp")
}

#' @rdname wgp
#' @export
wgp.formula <- function(formula, data = NULL, subset, weights, na.action, trend = ~ 1,
                        transform = "identity", kernel = "matern52", ard = TRUE, product = FALSE,
                        additive = FALSE, warp_inputs = TRUE, method = c("REML", "ML"),
                        noise = NULL, fixed = NULL, restarts = 5, approx = "auto", lower = NULL,
                        upper = NULL, censored = NULL, threads = getOption("btg.threads", 1), ...) {
  matched <- match.call()
  matched[[1L]] <- quote(wgp)
  check_dots(..., valid = names(formals(wgp.formula)))
  noise <- noise_spec(noise)
  settings <- wgp_settings(transform, kernel, ard, product, additive, warp_inputs, method, noise,
                           fixed, restarts, approx)
  settings <- c(settings, support_settings(lower, upper))
  run <- run_settings(threads)
  frame_args <- frame_arguments(matched)
  design <- design_from_formula(formula, data, trend, frame_args, parent.frame(), noise$formula)
  fit_wgp(design, settings, run, matched)
}

#' @rdname wgp
#' @export
wgp.default <- function(x, y, trend = ~ 1, transform = "identity", kernel = "matern52", ard = TRUE,
                        product = FALSE, additive = FALSE, warp_inputs = TRUE,
                        method = c("REML", "ML"), noise = NULL, fixed = NULL, restarts = 5,
                        weights = NULL, approx = "auto", lower = NULL, upper = NULL,
                        censored = NULL, threads = getOption("btg.threads", 1), ...) {
  matched <- match.call()
  matched[[1L]] <- quote(wgp)
  if ("formula" %in% names(matched) && missing(y) && (missing(x) || is.data.frame(x))) {
    # With d |> wgp(formula = y ~ x), or `data = d`, the generic dispatches on the data.
    redirected <- sys.call()
    redirected[[1L]] <- wgp.formula
    return(eval(redirected, parent.frame()))
  }
  misplaced <- "formula" %in% names(matched) || (!missing(y) && inherits(y, "formula"))
  check_interface(misplaced, c("x", "y")[c(missing(x), missing(y))], if (!missing(x)) x)
  check_dots(..., valid = names(formals(wgp.default)))
  noise <- noise_spec(noise)
  settings <- wgp_settings(transform, kernel, ard, product, additive, warp_inputs, method, noise,
                           fixed, restarts, approx)
  settings <- c(settings, support_settings(lower, upper))
  run <- run_settings(threads)
  fit_wgp(design_from_xy(x, y, trend, weights, noise$formula, censored), settings, run, matched)
}

# Fits a checked design with checked settings. `run$warm_starts` has one row of all hyperparameters
# per mode of a similar fit (see update.btg()).
# `choice` is the approximation to try.
fit_wgp <- function(design, settings, run, matched, choice = settings$approx) {
  started <- proc.time()[["elapsed"]]
  check_support(design, settings)
  approx <- approx_of_design(choice, design, run$threads)
  design <- censor_at_bounds(design, settings, approx)
  seconds <- announce_duration(list(wgp_candidate(settings, design)), design,
                               scale_design(design, settings), settings, run, approx)
  fit <- with_progress("Fitting", counted = "likelihoods", seconds = seconds, {
    fit <- maximise_design(design, settings, run, matched, approx)
    if (settings$auto_noise) fit <- better_noise(fit, design, run)
    if (is.null(approx)) fit else check_approximation(fit, run$threads)
  })
  if (is_better_exact(fit)) {
    return(fit_wgp(design, settings, run, matched, "exact"))
  }
  warn_not_converged(fit)
  fit$seconds <- proc.time()[["elapsed"]] - started
  add_checksum(fit)
}

# With `approx`, a fit to some of the rows comes first, as in fit_large_models().
maximise_design <- function(design, settings, run, matched, approx = NULL) {
  scaled <- scale_design(design, settings)
  model <- specify_model(wgp_candidate(settings, design), design, scaled$scaling$scale, settings)
  models <- stats::setNames(list(model), paste(model$transform$layers, collapse = " + "))
  fit <- new_fit(matched, design, scaled, settings, models, class = c("wgp", "btg"))
  if (!is.null(approx)) {
    some <- scattered_rows(row_count(fit), pilot_rows[["one"]])
    pilot <- maximise_fit(keep_rows(fit, some), run)
    fit$models[[1L]]$problem$approx <- with_lengthscales(approx, pilot$models[[1L]])
    run$warm_starts <- warm_hyper(pilot)
  }
  maximise_fit(fit, run)
}

wgp_candidate <- function(settings, design) {
  candidate <- settings[c("transform", "kernel", "product", "additive", "prior")]
  check_flag(candidate$additive, "additive")
  if (candidate$additive && (!has_main_term(design$terms) ||
                               length(design$terms[[1L]]$inputs) < 2L)) {
    abort_additive()
  }
  c(candidate, constant_noise = is.null(design$noise))
}

# With noise = "auto", returns a fit with varying noise if left-out residuals show that it varies
# and the log likelihood gains more than one per coefficient, as for AIC. Otherwise returns `fit`.
better_noise <- function(fit, design, run) {
  found <- noise_found(fit, run$threads)
  if (length(found) == 0L) {
    return(fit)
  }
  design <- add_noise_terms(design, lapply(found, noise_term, data = design$variables))
  problem <- fit$models[[1L]]$problem
  varying <- maximise_design(design, fit$settings, new_run(run$threads), fit$call, problem$approx)
  gain <- varying$optimisation$log_likelihood[1L] - fit$optimisation$log_likelihood[1L]
  if (gain > ncol(design$noise)) varying else fit
}

# Places the only node of the fit at the maximum of the likelihood.
maximise_fit <- function(fit, run) {
  parts <- c("kernel", "terms", "transform", "scaling", "units", "problem")
  model <- unclass(fit$models[[1L]])[parts]
  built <- build_models(fit$design, list(model))
  warm <- run$warm_starts
  if (is.null(warm) || ncol(warm) != length(model$units)) warm <- matrix(0, 0L, length(model$units))
  found <- check_core(core_maximum(built, 1L, fit$settings$restarts, warm, core_run(run$threads)))
  best <- which.max(found$log_likelihood)
  hyper <- found$hyper[best, , drop = FALSE]
  colnames(hyper) <- names(model$units)
  # With censored rows, several nodes at the maximum have draws of the latent responses.
  nodes <- complete_hyper(built, NULL, hyper, threads = run$threads)
  count <- length(nodes$weight)
  nodes$log_prior <- rep(0, count)
  nodes$log_marginal <- rep(found$log_likelihood[best], count)
  fit$models[[1L]] <- new_model(model, nodes, sites = built$sites, noise_floor = built$noise_floor)
  fit <- weigh_models(fit)
  fit$optimisation <- tabulate_searches(fit, found)
  fit$bounds <- tabulate_bounds(fit$models[[1L]], found, hyper[1L, ])
  fit
}

# Returns a data frame with one row per search, the best first, in the user's units.
tabulate_searches <- function(fit, found) {
  units <- fit$models[[1L]]$units
  hyper <- sweep(found$hyper, 2L, units, `*`)
  colnames(hyper) <- names(units)
  table <- data.frame(start = seq_along(found$log_likelihood),
                      log_likelihood = found$log_likelihood + likelihood_constant(fit),
                      found[c("converged", "slope", "evaluations")], hyper, check.names = FALSE)
  table <- table[order(table$log_likelihood, decreasing = TRUE), , drop = FALSE]
  row.names(table) <- NULL
  table
}

# Returns one row per free hyperparameter: its bounds in the user's units, and the bound it reached.
tabulate_bounds <- function(model, found, hyper) {
  free <- free_names(model$problem)
  names(found$lower) <- names(found$upper) <- names(hyper)
  x <- to_coordinates(model, hyper)[free]
  at <- ifelse(x - to_coordinates(model, found$lower)[free] < 1e-6, "lower",
               ifelse(to_coordinates(model, found$upper)[free] - x < 1e-6, "upper", ""))
  data.frame(lower = (model$units * found$lower)[free], upper = (model$units * found$upper)[free],
             at = as.character(at), row.names = free)
}

# Searches use coordinates: logarithms of positive hyperparameters, and the others unchanged.
to_coordinates <- function(model, hyper) {
  positive <- vapply(model$problem$hyperparameters, function(h) h$positive, NA)
  hyper[positive] <- log(hyper[positive])
  hyper
}

# Returns the constant between the core's log likelihood and the log density of the response.
likelihood_constant <- function(fit) {
  n <- nrow(fit$design$trend)
  scale <- fit$models[[1L]]$scaling$scale
  if (fit$settings$method == "ML") {
    return(-n / 2 * (log(2 * pi / n) + 1) - n * log(scale))
  }
  residuals <- residual_count(fit$design)
  lgamma(residuals / 2) - residuals / 2 * log(pi) - residuals * log(scale)
}

# Returns the best two modes that the searches of a fit found, in the core's units.
warm_hyper <- function(fit) {
  best <- two_best_modes(fit$optimisation)
  if (is.null(best)) best <- fit$optimisation[1L, ]
  units <- fit$models[[1L]]$units
  sweep(as.matrix(best[names(units)]), 2L, units, `/`)
}

# Returns NULL if there is only one mode. Searches that did not converge are ignored.
two_best_modes <- function(searches) {
  searches <- searches[searches$converged, , drop = FALSE]
  other <- which(!same_mode(searches))
  if (length(other) > 0L) {
    shown <- setdiff(names(searches), c("converged", "slope", "evaluations"))
    searches[c(1L, other[1L]), shown]
  }
}

# Returns whether each search ended as high as the best. Differences below 0.01 are immaterial.
same_mode <- function(searches) {
  searches$log_likelihood > searches$log_likelihood[1L] - 0.01
}

warn_not_converged <- function(fit) {
  searches <- fit$optimisation
  if (!searches$converged[1L]) {
    warn_btg(c(
      if (any(searches$converged)) {
        "The search that found the largest likelihood did not converge."
      } else {
        "No search for the maximum of the likelihood converged."
      },
      x = paste0("It stopped with a slope of ", format(searches$slope[1L], digits = 2), "."),
      i = if (searches$noise[1L] == 0) {
        "Without noise, rounding can be in the way: `noise = 1e-8` changes little else."
      } else {
        "Use more `restarts`, or fix hyperparameters that the data do not tell: see `fixed`."
      }
    ), "convergence")
  }
  invisible(fit)
}
