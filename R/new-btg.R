# The one constructor of a fit: a plain list of plain values.
new_btg <- function(call, design, scaling, units, kernel, transform, rule, epsilon, problem,
                    posterior, seconds) {
  weight <- as.vector(posterior$weight)
  structure(
    list(
      call = call,
      formula = design$formula,
      blueprint = design$blueprint,
      response_name = design$response_name,
      input_names = design$input_names,
      row_names = design$row_names,
      na.action = design$na_action,
      dropped_inputs = design$dropped_inputs,
      scaling = scaling,
      lengthscale_units = units,
      kernel = kernel,
      transform = transform,
      problem = problem,
      posterior = list(
        hyper = posterior$hyper,
        weight = weight,
        log_marginal = as.vector(posterior$log_marginal),
        log_prior = as.vector(posterior$log_prior)
      ),
      quadrature = list(
        rule = rule,
        epsilon = epsilon,
        log_evidence = posterior$log_evidence,
        likelihoods = posterior$likelihoods,
        gradients = posterior$gradients,
        nodes_tried = posterior$nodes_tried,
        nodes_kept = length(weight),
        nodes_failed = posterior$nodes_failed,
        nodes_jittered = posterior$nodes_jittered,
        largest_jitter = posterior$largest_jitter,
        dropped_mass = posterior$dropped_mass,
        effective_nodes = 1 / sum(weight^2),
        diagnostics = posterior$diagnostics,
        modes = posterior$modes
      ),
      seconds = seconds
    ),
    class = "btg"
  )
}

#' @export
nobs.btg <- function(object, ...) length(object$problem$response)

#' @export
formula.btg <- function(x, ...) x$formula

# Hyperparameters from the core's units to the user's, and back; one column each.
hyper_names <- function(fit) names(fit$problem$hyperparameters)

hyper_units <- function(fit) {
  units <- stats::setNames(rep(1, length(hyper_names(fit))), hyper_names(fit))
  units[names(fit$lengthscale_units)] <- fit$lengthscale_units
  units
}
