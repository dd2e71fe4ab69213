# Summarises the quadrature of all models of a fit.

# Returns the diagnostics of a single model. For several models, returns summed counts, the log of
# the mean evidence, and the other numbers for all nodes together, weighted by their models.
fit_quadrature <- function(fit) {
  each <- lapply(fit$models, function(model) model$quadrature)
  if (is.null(each[[1L]])) {
    return(NULL)
  }
  common <- list(rule = fit$settings$rule, epsilon = fit$settings$epsilon)
  if (length(each) == 1L) {
    return(c(common, each[[1L]]))
  }
  total <- function(name) sum(vapply(each, function(one) one[[name]], 0))
  counts <- c("likelihoods", "gradients", "nodes_tried", "nodes_kept", "nodes_failed")
  weights <- fit$model_weights
  predictive <- vapply(each, function(one) one$nodes_predictive, 0L)
  log_evidence <- vapply(each, function(one) one$log_evidence, 0)
  all_weights <- unlist(Map(function(model, weight) {
    weight * rowsum(model$posterior$weight, node_numbers(model))
  }, fit$models, weights))
  c(common, list(log_evidence = log_sum_exp(log_evidence) - log(length(each)),
                 runs = each[[1L]]$runs,
                 nodes_predictive = sum(predictive[weights > 0]),
                 effective_nodes = 1 / sum(all_weights^2),
                 negative_mass = -sum(pmin(all_weights, 0)),
                 dropped_mass = sum(weights * vapply(each, function(one) one$dropped_mass, 0))),
    stats::setNames(lapply(counts, total), counts))
}

log_sum_exp <- function(x) max(x) + log(sum(exp(x - max(x))))
