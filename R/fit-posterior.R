# One model's posterior, by one call into the core, and what is to be said of it.

# The model with its posterior. `posed` is by pose_model(), `design` is the core's; `known` are
# modes of a fit much like this one, by known_modes(); `share` is that of the model in an average.
fit_model <- function(posed, design, settings, run, known = NULL, share = 1, call = quote(btg())) {
  rule <- budgeted_rule(settings$rule, design, posed$problem, share)
  core <- integrate_model(posed$problem, design, rule, settings$epsilon, run, known, call)
  new_model(posed, posterior_nodes(core),
            quadrature_of(core, posed, nrow(design$trend) - ncol(design$trend)))
}

integrate_model <- function(problem, design, rule, epsilon, run, known = NULL, call) {
  free <- length(free_names(problem))
  usable <- Filter(function(mode) length(mode$point) == free, known)
  core <- core_run(run$threads)
  if (is_divisible(design, problem)) {
    core$evaluate <- evaluate_on_workers(design, problem, run$threads, call)
  }
  check_core(core_fit(design, problem, rule$name, rule$options, epsilon, usable, core), call)
}

# Modes of a model, as starts for one much like it: list(point, precision, share), where the model
# had this share of the rows that the other has.
known_modes <- function(model, share = 1) {
  quadrature <- model$quadrature
  lapply(seq_along(quadrature$mode_precisions), function(k) {
    list(point = quadrature$mode_points[, k], precision = quadrature$mode_precisions[[k]],
         share = min(share, 1))
  })
}

# One of the `models` of a fit. Its `posterior` holds nodes in the core's units.
new_model <- function(posed, posterior, quadrature = NULL) {
  structure(c(posed, list(posterior = posterior, quadrature = quadrature)), class = "btg_model")
}

posterior_nodes <- function(core) {
  list(
    hyper = core$hyper,
    weight = as.vector(core$weight),
    predictive = if (length(core$predictive) > 0L) as.vector(core$predictive),
    log_marginal = as.vector(core$log_marginal),
    log_prior = as.vector(core$log_prior)
  )
}

# How the integral went. The likelihood is that of the scaled response; the evidence is that of the
# response, with `residuals` of n - p.
quadrature_of <- function(core, posed, residuals) {
  weight <- as.vector(core$weight)
  k_hat <- diagnostic(core, "k_hat")
  effective <- 1 / sum(weight^2)
  list(
    log_evidence = core$log_evidence - residuals * log(posed$scaling$scale),
    log_evidence_error = evidence_error(core),
    k_hat = k_hat,
    likelihoods = core$likelihoods,
    gradients = core$gradients,
    nodes_tried = core$nodes_tried,
    nodes_kept = length(weight),
    nodes_predictive = if (length(core$predictive) > 0L) sum(core$predictive > 0)
                       else length(weight),
    nodes_failed = core$nodes_failed,
    nodes_jittered = core$nodes_jittered,
    largest_jitter = core$largest_jitter,
    dropped_mass = core$dropped_mass,
    effective_nodes = effective,
    negative_mass = -sum(pmin(weight, 0)),
    boundary_mass = stats::setNames(as.vector(core$boundary_mass),
                                    names(posed$problem$hyperparameters)),
    modes = posterior_modes(core$modes, posed$units),
    mode_points = mode_points(core$modes),
    mode_precisions = lapply(core$modes, function(mode) mode$precision),
    diagnostics = core$diagnostics,
    runs = 1L
  )
}

diagnostic <- function(core, name) {
  if (name %in% names(core$diagnostics)) core$diagnostics[[name]] else NA_real_
}

# Of the log evidence of one run.
evidence_error <- function(core) {
  diagnostic(core, "log_evidence_error") *
    heavy_tail_factor(list(k_hat = diagnostic(core, "k_hat"), nodes_tried = core$nodes_tried,
                           effective_nodes = 1 / sum(core$weight^2)))
}

# By importance sampling with weights of tail index k, errors fall as ESS^-1/2 only if k is at most
# 1/2, else as ESS^-(1 - k) (Vehtari et al. 2024): how much larger they are then. Of smoothed
# weights it is the square root of that, as measured by bench/warning.R.
heavy_tail_factor <- function(quadrature) {
  k <- quadrature$k_hat
  if (is.null(k) || is.na(k) || k <= 0.5 || !few_effective(quadrature)) {
    return(1)
  }
  quadrature$effective_nodes^((min(k, 1) - 0.5) / 2)
}

# A heavy tail of the weights matters only if it has much of the weight.
few_effective <- function(quadrature) {
  quadrature$effective_nodes < 0.35 * quadrature$nodes_tried
}

# A data frame, one row a mode, in the user's units.
posterior_modes <- function(modes, units) {
  hyper <- vapply(modes, function(mode) as.vector(mode$hyper) * units, units)
  hyper <- matrix(hyper, length(modes), length(units), byrow = TRUE,
                  dimnames = list(NULL, names(units)))
  data.frame(mass = vapply(modes, function(mode) mode$mass, 0),
             log_posterior = vapply(modes, function(mode) mode$log_posterior, 0),
             hyper, check.names = FALSE)
}

# A column for each mode, in the coordinates that the core searches in.
mode_points <- function(modes) {
  if (length(modes) > 0L) do.call(cbind, lapply(modes, function(mode) as.vector(mode$point)))
}

# How many effective nodes a rule should have: the `least` to trust it, and a `good` number. Rules
# that draw points know their error, unless next to none of them counts. A grid
# over the prior that has less than two for each hyperparameter is too coarse for the posterior. One
# around the mode has few in any case, most of the weight being in its middle.
wanted_nodes <- function(model, rule) {
  if ("seed" %in% names(registry()$rules[[rule$name]])) {
    return(c(least = 5, good = 100))
  }
  if (nrow(model$quadrature$modes) > 0L) {
    return(c(least = -Inf, good = NA))
  }
  least <- 2 * length(free_names(model$problem))
  c(least = least, good = least)
}
