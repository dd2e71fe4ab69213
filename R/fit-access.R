# What a fit holds: one or more models with weights, and one design. A saved fit may come from
# another version of the package: see fit-format.R.

row_count <- function(fit) length(fit$row_names)

is_average <- function(fit) length(fit$models) > 1L

# Whether its covariance is held as vecchia() describes.
is_approximate <- function(fit) !is.null(fit$models[[1L]]$problem$approx)

# Whether a model of some weight has a noise that varies.
has_varying_noise <- function(fit) {
  any(vapply(kept_models(fit), function(model) length(model$problem$noise_columns) > 0L, NA))
}

# The models of some weight, which are those that predictions are from.
kept_models <- function(fit) fit$models[fit$model_weights > 0]

# One number for each node of each kept model, in that order: `of(model)` times a power of the
# model's weight.
over_models <- function(fit, of, power = 1) {
  unlist(Map(function(model, weight) weight^power * of(model), kept_models(fit),
             fit$model_weights[fit$model_weights > 0]), use.names = FALSE)
}

# The weights of the nodes that predictions are from.
node_weights <- function(fit) over_models(fit, function(model) predictive_nodes(model)$weight)

# The weights of all nodes of the posterior, of which predictions may use fewer.
posterior_weights <- function(fit) over_models(fit, function(model) model$posterior$weight)

# The weights of a model's nodes in predictions: of all, or of those that stand for all.
predictive_weights <- function(model) {
  posterior <- model$posterior
  if (is.null(posterior$predictive)) posterior$weight else posterior$predictive
}

# The nodes that predictions of a model are from. If w are the weights of all nodes, the sum of
# w^2 f is the posterior mean of w f, which those that stand for all give as well.
predictive_nodes <- function(model) {
  weight <- predictive_weights(model)
  used <- weight != 0 | is.null(model$posterior$predictive)
  list(hyper = model$posterior$hyper[used, , drop = FALSE], weight = weight[used],
       variance = (weight * model$posterior$weight)[used])
}

# The response of the fit, in its own units.
fit_response <- function(fit) fit$design$response

model_response <- function(model) unscale_response(model$problem$response, model$scaling)

hyper_names <- function(model) names(model$problem$hyperparameters)

# Names of the hyperparameters that some model does not hold fixed.
free_hyperparameters <- function(fit) {
  unique(unlist(lapply(kept_models(fit), function(model) free_names(model$problem))))
}

# The rows of a list's matrices and vectors that have one for each of `size` rows.
select_rows <- function(x, rows, size) {
  lapply(x, function(part) {
    if (is.matrix(part) && nrow(part) == size) part[rows, , drop = FALSE]
    else if (is.null(dim(part)) && length(part) == size) part[rows]
    else part
  })
}

# The fit with the data of some of its rows; its posterior is then that of other data.
keep_rows <- function(fit, rows) {
  fit$design <- select_rows(fit$design, rows, row_count(fit))
  fit$row_names <- fit$row_names[rows]
  fit$data <- fit$data[rows, , drop = FALSE]
  fit$weights <- fit$weights[rows]
  fit[c("na.action", "copies")] <- list(NULL)
  fit$models <- lapply(fit$models, function(model) {
    model$problem$response <- model$problem$response[rows]
    model
  })
  fit
}

# For what needs a posterior, which a fit by wgp() does not have.
check_averaged <- function(fit, advice, call) {
  if (inherits(fit, "wgp")) {
    abort_btg(c("A fit by `wgp()` has no posterior: its hyperparameters are estimates.",
                i = advice), "no_posterior", call)
  }
  invisible(fit)
}
