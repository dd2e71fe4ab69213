# Builds models in the core, once for any number of calls.

# Returns a handle for the core's functions, which take it with the number of a model. The pointer
# is lost in a file or in another process; the core then rebuilds the models from the lists. For
# each model, `sites` counts the distinct inputs, and `noise_floor` is the least noise.
build_models <- function(design, models) {
  problems <- lapply(unname(models), function(model) model$problem)
  built <- check_core(core_models(design, problems, core_run()))
  list(pointer = built$pointer, design = design, models = problems, names = names(models),
       sites = built$sites, noise_floor = built$noise_floor)
}

# Returns the log marginal likelihood and log prior at rows of hyperparameters, and with `gradient`
# the derivatives of the first by the coordinates. A single model needs no `name`.
evaluate_model <- function(built, hyper, name = built$names[1L], gradient = FALSE, threads = 1) {
  which <- if (is.null(name)) 1L else match(name, built$names)
  check_core(core_evaluate(built, which, hyper, gradient, core_run(threads)))
}

# Returns the degrees of freedom of the predictive t distribution. With a profiled scale they are
# infinite, and predictions are normal.
degrees_of_freedom <- function(problem, design) {
  if (problem$likelihood == "profiled") Inf else nrow(design$trend) - ncol(design$trend)
}

# Returns a lengthscale for each column of the inputs, the shortest of the terms that use it, and 1
# where only groups and linear terms do.
column_lengthscales <- function(model, design) {
  typical <- typical_lengthscales(model)
  terms <- model$problem$terms
  if (is.null(terms)) {
    return(typical[design$lengthscale_of_column])
  }
  shortest <- rep(NA_real_, ncol(design$inputs))
  before <- 0L
  for (term in Filter(function(term) term$base == "stationary", terms)) {
    shortest[term$columns] <- pmin(shortest[term$columns], typical[before + term$lengthscale],
                                   na.rm = TRUE)
    before <- before + max(term$lengthscale)
  }
  ifelse(is.na(shortest), 1, shortest)
}

free_names <- function(problem) names(Filter(Negate(is_fixed), problem$hyperparameters))

# Returns the weighted median of each lengthscale over the nodes, in the core's units.
typical_lengthscales <- function(model) {
  typical_values(model)[which(hyper_roles(model$problem) == "lengthscale")]
}

# Does the same for all hyperparameters, without latent responses of censored rows.
typical_values <- function(model) {
  hyper <- model$posterior$hyper[, seq_along(model$problem$hyperparameters), drop = FALSE]
  apply(hyper, 2L, weighted_quantile, weight = model$posterior$weight, p = 0.5)
}

# Returns the approximation for the core, with the lengthscales, maps and ratios of terms at which
# it measures distances, from a value for each hyperparameter.
approx_at <- function(approx, problem, hyper) {
  approx <- unclass(approx)
  roles <- hyper_roles(problem)
  approx$lengthscales <- unname(hyper[which(roles == "lengthscale")])
  approx$maps <- unname(hyper[which(roles == "map")])
  approx$ratios <- unname(hyper[which(roles == "share")])
  approx
}

# Returns nodes at rows of hyperparameters, list(hyper, weight). With censored rows there are about
# `count` nodes, with draws of the latent responses.
complete_hyper <- function(built, name, hyper, count = 1000L, threads = 1) {
  which <- if (is.null(name)) 1L else match(name, built$names)
  if (is.null(built$models[[which]]$censored)) {
    return(list(hyper = hyper, weight = rep(1 / nrow(hyper), nrow(hyper))))
  }
  nodes <- check_core(core_complete(built, which, hyper, as.integer(count), core_run(threads)))
  colnames(nodes$hyper) <- c(colnames(hyper), rep("", ncol(nodes$hyper) - ncol(hyper)))
  list(hyper = nodes$hyper, weight = as.vector(nodes$weight))
}

# Numbers the nodes of a model by their hyperparameters. With censored rows, nodes also have latent
# responses, in further columns, and neighbours can differ in these only.
node_numbers <- function(model) {
  hyper <- model$posterior$hyper[, seq_along(model$problem$hyperparameters), drop = FALSE]
  rows <- seq_len(nrow(hyper))
  before <- hyper[pmax(rows - 1L, 1L), , drop = FALSE]
  cumsum(rows == 1L | rowSums(hyper != before) > 0)
}

# Sums `weight` over the nodes of the same hyperparameters: one value per node of the posterior.
sum_by_node <- function(weight, numbers) as.vector(rowsum(weight, numbers))[numbers]

hyper_roles <- function(problem) vapply(problem$hyperparameters, function(h) h$role, "")

# Returns the transform's parameters at rows of hyperparameters, one column per row.
transform_parameters <- function(model, hyper) {
  t(hyper[, which(hyper_roles(model$problem) == "transform"), drop = FALSE])
}
