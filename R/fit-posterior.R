# Computes one model's posterior by one call into the core, and its diagnostics.

# Adds the posterior to `model`, from specify_model(), which is called `name` among the models
# `built`. `known` holds modes of a similar fit, from known_modes(). `share` is the expected weight
# of the model in an average.
fit_model <- function(model, built, name, settings, run, known = NULL, share = 1) {
  core <- integrate_model(built, name, settings$rule, settings$epsilon, run, known, share)
  new_model(model, posterior_nodes(core), quadrature_of(core, model, residual_count(built$design)),
            built$sites[match(name, built$names)], built$noise_floor[match(name, built$names)])
}

integrate_model <- function(built, name, rule, epsilon, run, known = NULL, share = 1) {
  which <- match(name, built$names)
  free <- length(free_names(built$models[[which]]))
  usable <- Filter(function(mode) length(mode$point) == free, known)
  if (is_budgeted(rule)) rule$options$share <- share
  core <- core_run(run$threads)
  if (is_divisible(built, name)) core$evaluate <- evaluate_on_workers(built, name, run$threads)
  check_core(core_integrate(built, which, rule$name, rule$options, epsilon, usable, core))
}

# Returns n - p, where n counts exact rows.
residual_count <- function(design) {
  nrow(design$trend) - length(design$censored$row) - ncol(design$trend)
}

# Returns modes of a model as starts for a similar one: list(point, precision, share), where `share`
# is the ratio of their numbers of rows.
known_modes <- function(model, share = 1) {
  quadrature <- model$quadrature
  lapply(seq_along(quadrature$mode_precisions), function(k) {
    list(point = quadrature$mode_points[, k], precision = quadrature$mode_precisions[[k]],
         share = min(share, 1))
  })
}

# Constructs one of the `models` of a fit. `posterior` holds nodes in the core's units, `sites`
# counts the distinct inputs, and `noise_floor` is the least noise that the model has.
new_model <- function(model, posterior, quadrature = NULL, sites = NULL, noise_floor = NULL) {
  structure(c(model, list(posterior = posterior, quadrature = quadrature, sites = sites,
                          noise_floor = noise_floor)),
            class = "btg_model")
}

posterior_nodes <- function(core) {
  list(
    hyper = core$hyper,
    weight = as.vector(core$weight),
    candidates = if (length(core$predictive) > 0L) as.vector(core$predictive),
    log_marginal = as.vector(core$log_marginal),
    log_prior = as.vector(core$log_prior)
  )
}

# Returns diagnostics of the integral. The core's likelihood is for the scaled response; the
# evidence is for the response, which has `residuals` = n - p.
quadrature_of <- function(core, model, residuals) {
  counts <- c("likelihoods", "gradients", "nodes_tried", "nodes_failed")
  c(list(log_evidence = core$log_evidence - residuals * log(model$scaling$scale)),
    core[c("log_evidence_error", "error_factor", "effective_nodes", "least_effective",
           "good_effective", "dropped_mass", counts)],
    list(
      k_hat = diagnostic(core, "k_hat"),
      nodes_kept = max(node_numbers(list(problem = model$problem, posterior = core))),
      nodes_predictive = if (length(core$predictive) > 0L) sum(core$predictive > 0)
                         else length(core$weight),
      negative_mass = -sum(pmin(core$weight, 0)),
      boundary_mass = stats::setNames(as.vector(core$boundary_mass),
                                      names(model$problem$hyperparameters)),
      modes = posterior_modes(core$modes, model$units),
      mode_points = mode_points(core$modes),
      mode_precisions = lapply(core$modes, function(mode) mode$precision),
      diagnostics = core$diagnostics,
      runs = 1L
    ))
}

diagnostic <- function(core, name) {
  if (name %in% names(core$diagnostics)) core$diagnostics[[name]] else NA_real_
}

# Returns a data frame with one row per mode, in the user's units.
posterior_modes <- function(modes, units) {
  hyper <- vapply(modes, function(mode) as.vector(mode$hyper) * units, units)
  hyper <- matrix(hyper, length(modes), length(units), byrow = TRUE,
                  dimnames = list(NULL, names(units)))
  data.frame(mass = vapply(modes, function(mode) mode$mass, 0),
             log_posterior = vapply(modes, function(mode) mode$log_posterior, 0),
             hyper, check.names = FALSE)
}

# Returns one column per mode, in the coordinates of the core's search.
mode_points <- function(modes) {
  if (length(modes) > 0L) do.call(cbind, lapply(modes, function(mode) as.vector(mode$point)))
}
