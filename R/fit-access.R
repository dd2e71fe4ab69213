# Accesses the parts of a fit: one design, and one or more models with weights.

row_count <- function(fit) length(fit$row_names)

is_average <- function(fit) length(fit$models) > 1L

# Returns whether the covariance is approximated as vecchia() describes.
is_approximate <- function(fit) !is.null(fit$models[[1L]]$problem$approx)

# Returns whether the noise varies in a model of positive weight.
has_varying_noise <- function(fit) {
  any(vapply(kept_models(fit), function(model) length(model$problem$noise_columns) > 0L, NA))
}

# Returns the models of positive weight, which predictions use.
kept_models <- function(fit) fit$models[fit$model_weights > 0]

# Returns the ensemble that answer() queries.
ensemble_of <- function(fit, built = NULL) {
  if (!is.null(built) || !is_recent(fit)) {
    return(fit_ensemble(fit, built))
  }
  if (is.null(recent$ensemble)) recent$ensemble <- fit_ensemble(fit)
  recent$ensemble
}

fit_ensemble <- function(fit, built = NULL) {
  new_ensemble(fit$design, fit$models, fit$model_weights, fit$scaling$y, fit$settings$epsilon,
               joint = !identical(fit$averaging$method, "stacking"), built = built)
}

# Returns the weights of the nodes that predictions use.
node_weights <- function(fit) ensemble_of(fit)$weight

# Returns the weights of all posterior nodes, of which predictions may use fewer.
posterior_weights <- function(fit) {
  unlist(Map(function(model, weight) weight * model$posterior$weight, kept_models(fit),
             fit$model_weights[fit$model_weights > 0]), use.names = FALSE)
}

# Returns how many effective nodes of the posterior one of those that predictions use represents.
nodes_represented <- function(fit) {
  max(sum(node_weights(fit)^2) / sum(posterior_weights(fit)^2), 1)
}

# Returns the response in its own units, with a finite value in the intervals of censored rows.
fit_response <- function(fit) fit$design$response

model_response <- function(model) unscale_response(model$problem$response, model$scaling)

hyper_names <- function(model) names(model$problem$hyperparameters)

# Names the hyperparameters that at least one model estimates.
free_hyperparameters <- function(fit) {
  unique(unlist(lapply(kept_models(fit), function(model) free_names(model$problem))))
}

# Selects rows of the data of a fit. The posterior still belongs to all rows.
keep_rows <- function(fit, rows) {
  fit$design <- select_design(fit$design, rows, row_count(fit))
  fit$row_names <- fit$row_names[rows]
  fit$data <- fit$data[rows, , drop = FALSE]
  fit$weights <- fit$weights[rows]
  fit[c("na.action", "copies")] <- list(NULL)
  fit$models <- lapply(fit$models, function(model) {
    problem <- model$problem
    size <- length(problem$response)
    model$problem$response <- problem$response[rows]
    model$problem$censored <- select_censored(problem$censored, rows, size)
    model
  })
  fit
}

# Fits by wgp() have estimates of the hyperparameters instead of a posterior.
has_posterior <- function(fit) !inherits(fit, "wgp")

check_averaged <- function(fit, advice) {
  if (!has_posterior(fit)) {
    abort_btg(c("A fit by `wgp()` has no posterior: its hyperparameters are estimates.",
                i = advice), "no_posterior")
  }
  invisible(fit)
}

# Evaluates the response of `newdata` by the formula of the fit.
observed_response <- function(fit, newdata) {
  if (fit$blueprint$interface == "xy") {
    abort_btg(c("`y` is missing.", i = "After a fit to a matrix, give the observed responses."),
              "argument")
  }
  missing <- paste0("`newdata` does not have the response `", fit$response_name, "`.")
  response <- rlang::f_lhs(fit$formula)
  # Otherwise eval() could find a variable of the same name elsewhere.
  if (!any(all.vars(response) %in% names(newdata))) abort_btg(missing, "newdata")
  rethrow_btg(eval(response, as.data.frame(newdata), environment(fit$formula)), missing, "newdata")
}

# Returns whether the values of a variable stand for categories: groups, or levels of a term such as
# factor(x). Numbers between them then mean nothing.
names_categories <- function(fit, name) {
  blueprint <- fit$blueprint
  written <- blueprint$variables[unique(c(blueprint$layout$variable,
                                          names(term_variables(blueprint$trend$terms))))]
  made <- Filter(function(one) name %in% all.vars(one) && all(all.vars(one) %in% names(fit$data)),
                 written)
  any(vapply(made, function(one) {
    values <- eval(one, fit$data, blueprint$environment)
    is.factor(values) || is.character(values) || is.logical(values)
  }, NA))
}
