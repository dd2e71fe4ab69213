# A fit that predicts from few nodes: where a criterion is looked for at hundreds of points, most of
# them are only to be found wanting.

# The number of nodes at which it costs little to ask; the best points are then asked of the fit.
sketch_nodes <- 32L

# How often each node is drawn when so many are, evenly in proportion to their weights; NULL if that
# would save little, or if weights have signs.
draw_nodes <- function(fit, nodes = sketch_nodes) {
  weight <- node_weights(fit)
  if (length(weight) <= 2L * nodes || min(weight) < 0) {
    return(NULL)
  }
  drawn <- 1L + findInterval((seq_len(nodes) - 0.5) / nodes, cumsum(weight) / sum(weight))
  tabulate(pmin(drawn, length(weight)), length(weight))
}

# The fit with these of its nodes, all that were drawn weighted alike.
sketch_fit <- function(fit, count = draw_nodes(fit)) {
  if (is.null(count)) {
    return(fit)
  }
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
  fit$model_weights <- stats::setNames(vapply(counts, sum, 0) / sum(count), names(models))
  fit
}
