# Which of many candidate models are worth an integral: by the modes of their posteriors alone.

# At most so many are integrated, of at least this weight by their modes.
most_integrated <- 4L
least_screened_weight <- 0.03

# What modes say of each candidate, of models by pose_model(): list(modes, weights, table), where
# `weights` are those that the models of modes alone would have, zero for candidates to leave, and
# `table` is what a fit keeps of it. Candidates whose posterior cannot be evaluated are left too.
screen_models <- function(models, design, settings, run, row_names, call = quote(btg())) {
  progress_note(" modes of the models")
  found <- list()
  for (name in names(models)) {
    known <- run$known_modes[[name]]
    if (is.null(known)) known <- known_modes_of_kin(models, found, name)
    core <- core_modes(design, models[[name]]$problem, known, core_run(run$threads))
    if (!inherits(core, "btg_core_error")) found[[name]] <- core
  }
  # The last of them, if there is none without an error.
  if (length(found) == 0L) check_core(core, call)
  modes <- lapply(found, `[[`, "modes")
  models <- Map(model_at_mode, models[names(modes)], modes)
  log_evidence <- mapply(laplace_evidence, models, modes, nrow(design$trend) - ncol(design$trend))
  log_scores <- model_log_scores(list(models = models, design = design, settings = settings,
                                      row_names = row_names, scaling = list()), run$threads)
  elpd <- colSums(log_scores, na.rm = TRUE)
  weights <- thin_weights(model_weights(log_scores, log_evidence, settings$averaging))
  list(modes = modes, weights = keep_open_model(weights, models, elpd),
       table = data.frame(model = names(modes), log_evidence, elpd,
                          likelihoods = vapply(found, `[[`, 0L, "likelihoods"),
                          gradients = vapply(found, `[[`, 0L, "gradients"), row.names = NULL))
}

# Those of an earlier candidate that has as many hyperparameters of the same transform.
known_modes_of_kin <- function(models, found, name) {
  like <- function(other) {
    identical(models[[other]]$transform$layers, models[[name]]$transform$layers) &&
      identical(free_names(models[[other]]$problem), free_names(models[[name]]$problem))
  }
  kin <- Find(like, names(found))
  if (is.null(kin)) list() else modes_as_known(found[[kin]]$modes)
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

# By Laplace's approximation at the highest mode, for the response as it is.
laplace_evidence <- function(model, modes, residuals) {
  mode <- modes[[1L]]
  curvature <- as.numeric(determinant(mode$precision)$modulus)
  mode$log_posterior + 0.5 * length(mode$point) * log(2 * pi) - 0.5 * curvature -
    residuals * log(model$scaling$scale)
}

# The largest weights only.
thin_weights <- function(weights) {
  kept <- order(weights, decreasing = TRUE)[seq_len(min(most_integrated, length(weights)))]
  kept <- kept[weights[kept] >= min(least_screened_weight, max(weights))]
  weights[-kept] <- 0
  weights / sum(weights)
}
