# The constructors of fits: plain lists of plain values.

# What fits by btg() and wgp() share; `...` is what they do not. `posed` is by pose_problem().
new_fit <- function(call, design, posed, posterior, seconds, ..., class) {
  structure(
    list(
      call = call,
      format = fit_format(),
      formula = design$formula,
      blueprint = design$blueprint,
      response_name = design$response_name,
      input_names = design$input_names,
      row_names = design$row_names,
      data = design$variables,
      excluded = design$excluded,
      weights = design$weights,
      na.action = design$na_action,
      dropped_inputs = design$dropped_inputs,
      scaling = posed$scaling,
      lengthscale_units = posed$units,
      kernel = posed$kernel,
      transform = posed$transform,
      problem = posed$problem,
      settings = posed$settings,
      posterior = list(
        hyper = posterior$hyper,
        weight = as.vector(posterior$weight),
        predictive = if (length(posterior$predictive) > 0L) as.vector(posterior$predictive),
        log_marginal = as.vector(posterior$log_marginal),
        log_prior = as.vector(posterior$log_prior)
      ),
      ...,
      seconds = seconds
    ),
    class = class
  )
}

new_btg <- function(call, design, posed, rule, epsilon, posterior, seconds) {
  weight <- as.vector(posterior$weight)
  problem <- posed$problem
  k_hat <- diagnostic(posterior, "k_hat")
  new_fit(
    call, design, posed, posterior, seconds,
    quadrature = list(
      rule = rule,
      epsilon = epsilon,
      # The likelihood is that of the scaled response; the evidence is that of the response.
      log_evidence = posterior$log_evidence -
        (nrow(problem$trend) - ncol(problem$trend)) * log(posed$scaling$y$scale),
      log_evidence_error = diagnostic(posterior, "log_evidence_error") *
        heavy_tail_factor(list(k_hat = k_hat, effective_nodes = 1 / sum(weight^2),
                               nodes_tried = posterior$nodes_tried)),
      k_hat = k_hat,
      likelihoods = posterior$likelihoods,
      gradients = posterior$gradients,
      nodes_tried = posterior$nodes_tried,
      nodes_kept = length(weight),
      nodes_predictive = if (length(posterior$predictive) > 0L) sum(posterior$predictive > 0)
                         else length(weight),
      nodes_failed = posterior$nodes_failed,
      nodes_jittered = posterior$nodes_jittered,
      largest_jitter = posterior$largest_jitter,
      dropped_mass = posterior$dropped_mass,
      effective_nodes = 1 / sum(weight^2),
      negative_mass = -sum(pmin(weight, 0)),
      boundary_mass = stats::setNames(as.vector(posterior$boundary_mass),
                                      names(problem$hyperparameters)),
      modes = posterior_modes(posterior$modes, problem$hyperparameters, posed$units),
      mode_points = mode_points(posterior$modes),
      diagnostics = posterior$diagnostics
    ),
    class = "btg"
  )
}

diagnostic <- function(posterior, name) {
  if (name %in% names(posterior$diagnostics)) posterior$diagnostics[[name]] else NA_real_
}

# A data frame, one row a mode, in the user's units.
posterior_modes <- function(modes, hyperparameters, units) {
  hyper <- vapply(modes, function(mode) as.vector(mode$hyper), numeric(length(hyperparameters)))
  hyper <- matrix(hyper, length(modes), length(hyperparameters), byrow = TRUE,
                  dimnames = list(NULL, names(hyperparameters)))
  hyper[, names(units)] <- sweep(hyper[, names(units), drop = FALSE], 2L, units, `*`)
  data.frame(mass = vapply(modes, function(mode) mode$mass, 0),
             log_posterior = vapply(modes, function(mode) mode$log_posterior, 0),
             hyper, check.names = FALSE)
}

# A column for each mode, in the coordinates that the core searches in.
mode_points <- function(modes) {
  if (length(modes) > 0L) do.call(cbind, lapply(modes, function(mode) as.vector(mode$point)))
}

# Hyperparameters from the core's units to the user's, and back; one column each.
hyper_names <- function(fit) names(fit$problem$hyperparameters)

hyper_units <- function(fit) {
  units <- stats::setNames(rep(1, length(hyper_names(fit))), hyper_names(fit))
  units[names(fit$lengthscale_units)] <- fit$lengthscale_units
  units
}
