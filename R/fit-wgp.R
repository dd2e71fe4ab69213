#' Fit a warped Gaussian process by maximum likelihood
#'
#' `wgp()` fits the model of [btg()] with its hyperparameters at their most likely values, instead
#' of averaging over them. Use it for a fast first look, for likelihood ratios and AIC, or as a
#' classical kriging model. It takes the same data, and [predict()][predict.btg], [loocv()] and
#' [plot()][plot.btg] work in the same way.
#'
#' The default, `transform = "identity"`, does *not* transform the response: it is Gaussian process
#' regression, or kriging with a trend. Name a transform for a warped Gaussian process, such as
#' `transform = "sinharcsinh"`, or `"softplus"` if the response is positive. Only [btg()] chooses
#' and averages transforms by itself.
#'
#' Predictions take the estimates as known, so intervals are somewhat too narrow, mostly with few
#' rows or many inputs. There are no priors. With ties or few rows, the likelihood can prefer a
#' transform that fits too closely. [btg()] is made for such data.
#'
#' @inheritParams btg
#' @param transform The name of a transform of the response, or several, applied left to right (the
#'   first to the response): see [btg-transforms]. `"identity"`, the default, is none.
#' @param kernel The name of the kernel: `"matern52"` (the default), `"matern32"`, `"exponential"`,
#'   `"rbf"` or `"rational_quadratic"`: see [btg-kernels]. Only [btg()] averages over kernels.
#' @param product `FALSE` for a radial kernel, `TRUE` for the product over the inputs of
#'   one-dimensional kernels.
#' @param additive `TRUE` to add a sum of processes, one over each input: the term `additive()` of
#'   [btg-terms].
#' @param method `"REML"` or `"ML"`: how the trend's coefficients and the scale enter the
#'   likelihood. See [wgp-likelihood].
#' @param noise `NULL`, the default, estimates one noise variance. A number fixes the noise variance
#'   relative to that of the process: `0` interpolates. A one-sided formula such as `~ x` lets the
#'   noise vary, and `"auto"` fits such a model if left-out residuals show that the noise varies:
#'   see [btg-noise].
#' @param fixed A named vector of hyperparameters that are not estimated, with the names and in the
#'   units of [nodes()], such as `c(boxcox.lambda = 0)`.
#' @param restarts The number of points from which the search starts: see [wgp-likelihood].
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `wgp`, which is also of class `btg`, with one node. Functions for fits
#'   by [btg()] work for it, except for [log_posterior()] and [refine()]. It has the components of
#'   [btg-fit], except for `quadrature`, and
#'   * `settings$method`: `"REML"` or `"ML"`;
#'   * `optimisation`: a data frame with one row for each search, the best first: its `start`; the
#'     `log_likelihood` it reached; whether it `converged`; `slope`, the steepest remaining slope;
#'     the number of `evaluations`; and the hyperparameters where it ended;
#'   * `bounds`: a data frame with one row for each free hyperparameter: its `lower` and `upper`
#'     bound, and `at`, the bound that the estimate reached, if any.
#' @references Snelson, E., Ghahramani, Z. and Rasmussen, C. E. (2003). Warped Gaussian processes.
#'   Advances in Neural Information Processing Systems 16.
#'
#'   Rios, G. and Tobar, F. (2019). Compositionally-warped Gaussian processes. Neural Networks 118,
#'   235-246.
#' @seealso [wgp-likelihood] for the likelihood and the search, [summary.wgp()], [confint.wgp()],
#'   [logLik.wgp()], [predict.btg()]
#' @examples
#' fit <- wgp(dist ~ speed, data = cars, transform = "boxcox")
#' fit
#' predict(fit, data.frame(speed = c(5, 15, 25)), interval = "prediction")
#'
#' # Is the transform worth it?
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
                        upper = NULL, censored = NULL, rounding = NULL,
                        threads = getOption("btg.threads", 1), ...) {
  matched <- without_dots(match.call(), parent.frame())
  matched[[1L]] <- quote(wgp)
  check_dots(..., valid = names(formals(wgp.formula)))
  noise <- noise_spec(noise)
  settings <- wgp_settings(transform, kernel, ard, product, additive, warp_inputs, method, noise,
                           fixed, restarts, approx)
  settings <- c(settings, support_settings(lower, upper, rounding))
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
                        censored = NULL, rounding = NULL,
                        threads = getOption("btg.threads", 1), ...) {
  matched <- without_dots(match.call(), parent.frame())
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
  settings <- c(settings, support_settings(lower, upper, rounding))
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
  if (candidate$additive) check_additive(design$terms)
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
        "Use more `restarts`, or fix hyperparameters that the data do not determine: see `fixed`."
      }
    ), "convergence")
  }
  invisible(fit)
}
