# Screens candidate models by their posterior modes, before the costly integrals.

# Integrals are the cost of a fit, so at most 4 models are integrated, with a weight of at least
# 0.03 by their modes. Stricter limits are faster, but may drop a model that its mode underrates. No
# benchmark compares other limits.
most_integrated <- 4L
least_screened_weight <- 0.03

# Compares candidates by their modes. Returns list(modes, weights, table): `weights` of models at
# their modes, zero for those to leave out, and the `table` that a fit stores. Candidates whose
# posterior cannot be evaluated are left out too, with a message.
screen_models <- function(models, built, settings, run, row_names) {
  progress_note(" modes of the models")
  known <- lapply(names(models), function(name) as.list(run$known_modes[[name]]))
  found <- core_modes(built, known, relatives(models), core_run(run$threads))
  names(found) <- names(models)
  found <- drop_failed(found)
  modes <- lapply(found, `[[`, "modes")
  models <- Map(model_at_mode, models[names(modes)], modes, names(modes), list(built))
  scales <- vapply(models, function(model) model$scaling$scale, 0)
  log_evidence <- vapply(modes, function(modes) modes[[1L]]$log_mass, 0) -
    residual_count(built$design) * log(scales)
  log_scores <- model_log_scores(models, built, row_names, settings$epsilon, run$threads)
  elpd <- colSums(log_scores, na.rm = TRUE)
  weights <- thin_weights(model_weights(log_scores, log_evidence, settings$averaging))
  list(modes = modes, weights = keep_open_model(weights, models, elpd),
       table = data.frame(model = names(modes), log_evidence, elpd,
                          likelihoods = vapply(found, `[[`, 0L, "likelihoods"),
                          gradients = vapply(found, `[[`, 0L, "gradients"), row.names = NULL))
}

# Returns for each model the number of the first earlier one with the same transform and free
# hyperparameters, whose modes it starts from, or 0.
relatives <- function(models) {
  kind <- lapply(models, function(model) list(model$transform$layers, free_names(model$problem)))
  first <- match(kind, kind)
  ifelse(first < seq_along(first), first, 0L)
}

modes_as_known <- function(modes) {
  lapply(modes, function(mode) list(point = mode$point, precision = mode$precision, share = 1))
}

# Returns the model with nodes at its highest mode only: a single one without censored rows.
model_at_mode <- function(model, modes, name, built) {
  hyper <- rbind(as.vector(modes[[1L]]$hyper))
  colnames(hyper) <- names(model$problem$hyperparameters)
  nodes <- complete_hyper(built, name, hyper, 64L)
  none <- rep(0, length(nodes$weight))
  new_model(model, c(nodes, list(log_marginal = none, log_prior = none)))
}

# Keeps only the largest weights.
thin_weights <- function(weights) {
  kept <- order(weights, decreasing = TRUE)[seq_len(min(most_integrated, length(weights)))]
  kept <- kept[weights[kept] >= min(least_screened_weight, max(weights))]
  weights[-kept] <- 0
  weights / sum(weights)
}
