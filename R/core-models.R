# Models as the core holds them: built once from a design and problems, for any number of calls.

# A handle that the core's functions take together with the number of a model. The pointer dies in a
# file or on the way to another process; the core then builds the models again from the lists.
# `sites` counts the distinct inputs of each model.
build_models <- function(design, models) {
  problems <- lapply(unname(models), function(model) model$problem)
  built <- check_core(core_models(design, problems, core_run()))
  list(pointer = built$pointer, design = design, models = problems, names = names(models),
       sites = built$sites)
}

# The log marginal likelihood, log prior and jitter at rows of hyperparameters, and with `gradient`
# the derivatives of the first in the coordinates. `name` may be left out if there is one model.
evaluate_model <- function(built, hyper, name = built$names[1L], gradient = FALSE, threads = 1) {
  which <- if (is.null(name)) 1L else match(name, built$names)
  check_core(core_evaluate(built, which, hyper, gradient, core_run(threads)))
}

# Degrees of freedom of the predictive t distribution. They are infinite where the scale was
# profiled: predictions are normal then.
degrees_of_freedom <- function(problem, design) {
  if (problem$likelihood == "profiled") Inf else nrow(design$trend) - ncol(design$trend)
}

# Names of the hyperparameters that are not fixed.
free_names <- function(problem) names(Filter(Negate(is_fixed), problem$hyperparameters))

# A typical value of each lengthscale in the core's units: the weighted median over the nodes.
typical_lengthscales <- function(model) {
  hyper <- model$posterior$hyper[, hyper_roles(model$problem) == "lengthscale", drop = FALSE]
  apply(hyper, 2L, weighted_quantile, weight = model$posterior$weight, p = 0.5)
}

hyper_roles <- function(problem) vapply(problem$hyperparameters, function(h) h$role, "")

# The transform's parameters at rows of hyperparameters, one column per row.
transform_parameters <- function(model, hyper) {
  t(hyper[, hyper_roles(model$problem) == "transform", drop = FALSE])
}
