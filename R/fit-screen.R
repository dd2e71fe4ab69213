# Which of many candidate models are worth an integral: by the modes of their posteriors alone.

# At most so many are integrated, of at least this weight by their modes.
most_integrated <- 4L
least_screened_weight <- 0.03

# Compares candidates by their modes: list(modes, weights, table), where `weights` are those that
# models at their modes alone would have, zero for candidates to leave out, and `table` is what a
# fit keeps. Candidates whose posterior cannot be evaluated are left out too.
screen_models <- function(models, built, settings, run, row_names) {
  progress_note(" modes of the models")
  known <- lapply(names(models), function(name) as.list(run$known_modes[[name]]))
  found <- core_modes(built, known, relatives(models), core_run(run$threads))
  names(found) <- names(models)
  failed <- vapply(found, inherits, NA, "btg_core_error")
  if (all(failed)) check_core(found[[length(found)]])
  found <- found[!failed]
  modes <- lapply(found, `[[`, "modes")
  models <- Map(model_at_mode, models[names(modes)], modes)
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

# For each model the number of the first one before it that has as many hyperparameters of the same
# transform, whose modes it starts from; 0 if there is none.
relatives <- function(models) {
  kind <- lapply(models, function(model) list(model$transform$layers, free_names(model$problem)))
  first <- match(kind, kind)
  ifelse(first < seq_along(first), first, 0L)
}

modes_as_known <- function(modes) {
  lapply(modes, function(mode) list(point = mode$point, precision = mode$precision, share = 1))
}

# The model as if it had its highest mode alone.
model_at_mode <- function(model, modes) {
  hyper <- rbind(as.vector(modes[[1L]]$hyper))
  colnames(hyper) <- names(model$problem$hyperparameters)
  new_model(model, list(hyper = hyper, weight = 1, log_marginal = 0, log_prior = 0))
}

# The largest weights only.
thin_weights <- function(weights) {
  kept <- order(weights, decreasing = TRUE)[seq_len(min(most_integrated, length(weights)))]
  kept <- kept[weights[kept] >= min(least_screened_weight, max(weights))]
  weights[-kept] <- 0
  weights / sum(weights)
}
