# Weights the models of a fit in one predictive mixture, and selects models.

# Adds the weights of the models and the quantities that depend on them. `built` holds the models,
# if they were built before.
weigh_models <- function(fit, threads = 1, built = NULL) {
  models <- fit$models
  fit$scaling$y <- shared_response_scaling(models)
  fit$model_weights <- stats::setNames(rep(1 / length(models), length(models)), names(models))
  if (length(models) > 1L) {
    progress_note(" weights of the models")
    if (is.null(built)) built <- build_models(fit$design, models)
    log_evidence <- vapply(models, function(model) model$quadrature$log_evidence, 0)
    log_scores <- model_log_scores(models, built, fit$row_names, fit$settings$epsilon, threads)
    weights <- model_weights(log_scores, log_evidence, fit$settings$averaging)
    # Nodes of weight below epsilon are dropped, and so are models.
    weights[weights < fit$settings$epsilon] <- 0
    weights <- keep_open_model(weights, models, colSums(log_scores, na.rm = TRUE))
    fit$model_weights <- weights / sum(weights)
    fit$averaging <- list(method = fit$settings$averaging, log_evidence = log_evidence,
                          elpd = colSums(log_scores, na.rm = TRUE))
  }
  fit$quadrature <- fit_quadrature(fit)
  fit
}

# Returns left-out log scores of each model by itself, one column per model.
model_log_scores <- function(models, built, row_names, epsilon, threads) {
  design <- built$design
  points <- new_points(design$inputs, design$trend, design$noise, rep(1, length(row_names)),
                       rep(TRUE, length(row_names)), row_names)
  vapply(names(models), function(name) {
    alone <- new_ensemble(design, models[name], 1, models[[name]]$scaling, epsilon, built = built)
    left_out_log_scores(alone, points, threads)
  }, numeric(length(row_names)))
}

# Stacking weights shrink towards the posterior probabilities with the weight of 5 rows, because few
# left-out scores are too noisy. No benchmark compares other values.
stacking_rows <- 5

model_weights <- function(log_scores, log_evidence, averaging) {
  posterior <- exp(log_evidence - log_sum_exp(log_evidence))
  if (averaging == "stacking") stacking_weights(log_scores, posterior, stacking_rows) else posterior
}

# Keeps some of the models, with weights in the same ratios.
keep_models <- function(fit, names) {
  weights <- fit$model_weights[names]
  if (is.null(weights)) weights <- rep(1, length(names))
  fit$models <- fit$models[names]
  fit$model_weights <- if (sum(weights) > 0) weights / sum(weights)
                       else stats::setNames(rep(1 / length(names), length(names)), names)
  fit$scaling$y <- shared_response_scaling(fit$models)
  fit$averaging <- if (length(names) > 1L) {
    fit$averaging[c("log_evidence", "elpd")] <- lapply(fit$averaging[c("log_evidence", "elpd")],
                                                       `[`, names)
    fit$averaging
  }
  fit$quadrature <- fit_quadrature(fit)
  fit
}

#' Select some of the models of a fit
#'
#' A fit by [btg()] averages over one or more models. `select_models()` makes a fit of some of them,
#' for example to look at the hyperparameters of one model or to compare it with the average.
#'
#' @param fit A fit by [btg()].
#' @param models Names or numbers of models, as in `names(fit$models)`.
#' @return The fit with these models only. Their weights keep their ratios; a single model has all
#'   the weight.
#' @seealso [btg-averaging], [compare_fits()]
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' fit$model_weights
#' select_models(fit, "softplus")
#' @export
select_models <- function(fit, models) {
  check_fit(fit)
  known <- names(fit$models)
  if (is.numeric(models)) models <- known[models]
  if (!is.character(models) || length(models) == 0L || anyNA(models) || anyDuplicated(models) ||
        !all(models %in% known)) {
    abort_argument("models", paste("must name models of the fit, of", list_names(known, "\"")),
                   models)
  }
  fit$selected <- models
  add_checksum(represent_nodes(keep_models(fit, models)))
}
