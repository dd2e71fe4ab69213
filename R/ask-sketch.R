# A fit that predicts from few nodes: where a criterion is looked for at hundreds of points, most of
# them are only to be found wanting.

# The number of nodes at which it costs little to ask; the best points are then asked of the fit.
sketch_nodes <- 32L

# The fit with so many of its nodes, drawn evenly in proportion to their weights, and so weighted
# alike; the fit itself if that would save little, or if weights have signs.
sketch_fit <- function(fit, nodes = sketch_nodes) {
  weight <- node_weights(fit)
  if (length(weight) <= 2L * nodes || min(weight) < 0) {
    return(fit)
  }
  drawn <- 1L + findInterval((seq_len(nodes) - 0.5) / nodes, cumsum(weight) / sum(weight))
  count <- tabulate(pmin(drawn, length(weight)), length(weight))
  models <- lapply(kept_models(fit), function(model) {
    model$posterior <- predictive_nodes(model)[c("hyper", "weight")]
    model
  })
  sizes <- vapply(models, function(model) length(model$posterior$weight), 0L)
  counts <- split(count, rep(seq_along(models), sizes))
  fit$models <- Map(function(model, count) {
    model$posterior <- list(hyper = model$posterior$hyper[count > 0, , drop = FALSE],
                            weight = count[count > 0] / sum(count))
    model
  }, models, counts)
  fit$model_weights <- stats::setNames(vapply(counts, sum, 0) / nodes, names(models))
  fit
}
