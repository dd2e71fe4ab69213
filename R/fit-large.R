# Fits whose covariance is approximated: see vecchia(). Some of the rows are fitted exactly first.
# They say which models matter, where the modes are, and the lengthscales in whose units neighbours
# are near; then all rows are fitted.

# How many rows the first fit has.
pilot_rows <- 800L

# The models of a fit to all rows. `approx` is by vecchia().
fit_large_models <- function(candidates, design, posed, settings, run, approx) {
  pilot <- fit_pilot(candidates, design, posed, settings, run)
  kept <- names(pilot$model_weights)[pilot$model_weights > 0.02]
  best <- pilot$models[[which.max(pilot$model_weights)]]
  approx <- with_lengthscales(approx, best)
  candidates <- lapply(candidates[kept], c, list(approx = approx))
  run$warm_starts <- lapply(pilot$models[kept], function(model) model$quadrature$mode_points)
  settings$rule <- large_rule(settings$rule)
  fit_candidates(candidates, design, posed, settings, run)
}

fit_pilot <- function(candidates, design, posed, settings, run) {
  n <- nrow(design$inputs)
  rows <- scattered_rows(n, pilot_rows)
  vectors <- c("response", "weights", "row_names")
  part <- design
  part[vectors] <- select_rows(design[vectors], rows, n)
  posed$design <- select_rows(posed$design, rows, n)
  settings$rule <- new_rule("adaptive", effective = 100, most = 400)
  models <- suppressWarnings(fit_candidates(candidates, part, posed, settings, run),
                             classes = "btg_warning_quadrature")
  fit <- list(models = models, design = posed$design, settings = settings,
              row_names = part$row_names, scaling = list())
  weigh_models(fit, run$threads)
}

# `count` of the numbers from 1 to n, by multiples of the golden ratio: no pattern that the order of
# rows may have as well.
scattered_rows <- function(n, count) {
  sort(utils::head(order((seq_len(n) * (sqrt(5) - 1) / 2) %% 1), count))
}

# The approximation as the core takes it, with the lengthscales of a first fit to measure distances.
with_lengthscales <- function(approx, model) {
  approx <- unclass(approx)
  approx$lengthscales <- typical_lengthscales(model)
  approx
}

# The median of each lengthscale, in the core's units.
typical_lengthscales <- function(model) {
  roles <- vapply(model$problem$hyperparameters, function(h) h$role, "")
  hyper <- model$posterior$hyper[, roles == "lengthscale", drop = FALSE]
  apply(hyper, 2L, weighted_quantile, weight = model$posterior$weight, p = 0.5)
}

# Where the posterior is as narrow as with many rows, fewer nodes do: 64 are worth 54 to 60, and the
# ends of intervals are within 0.1% of a standard deviation of those by many.
large_rule <- function(rule) {
  if (rule$name == "adaptive" && length(rule$options) == 0L) {
    rule$options <- list(effective = 60, most = 200, keep = 32)
  }
  rule
}

# What to hold instead of all pairs of rows, by the setting and the number of distinct rows; NULL
# for the exact covariance. Says so, and checks that it fits into memory.
approx_of_design <- function(setting, design, threads, call) {
  n <- nrow(design$inputs)
  approx <- chosen_approx(setting, if (n > most_exact_rows) distinct_rows(design) else n)
  if (is.null(approx)) {
    check_fit_memory(n, threads, call)
    return(NULL)
  }
  check_memory(8 * n * (1.5 * approx$inducing + approx$neighbours + approx$block + 50),
               paste0("The approximation for ", format(n, big.mark = ","), " rows"),
               "Use fewer `neighbours` or `inducing` functions: see `?vecchia`.", call)
  if (!inherits(setting, "btg_vecchia")) {
    inform_btg(c(i = paste0("With ", format(n, big.mark = ","), " rows the covariance is ",
                            "approximated (", format_approx(approx), "): see `?vecchia`.")),
               "approx", call)
  }
  approx
}

distinct_rows <- function(design) {
  nrow(unique(cbind(design$inputs, design$trend, design$noise)))
}

# The fit with an estimate of what its approximation does to predictions, at the heaviest node of
# its first model; a warning where it is much.
check_approximation <- function(fit, threads, call) {
  model <- kept_models(fit)[[1L]]
  at <- model$posterior$hyper[which.max(model$posterior$weight), ]
  core <- check_core(core_approximation(fit$design, model$problem, at, core_run(threads)), call)
  fit$approximation <- core[c("inflation", "divergence", "standard_error")]
  if (core$inflation > 0.02) {
    warn_btg(c(
      "The approximation of the covariance makes predictions less certain than they could be.",
      x = paste0("Predictive standard deviations are about ", format_percent(core$inflation),
                 " too large."),
      i = paste0("Use more neighbours or inducing functions, as in `approx = vecchia(",
                 2L * model$problem$approx$neighbours, ", ", 2L * model$problem$approx$block, ", ",
                 2L * max(model$problem$approx$inducing, 100L), ")`.")
    ), "approx", call)
  }
  fit
}
