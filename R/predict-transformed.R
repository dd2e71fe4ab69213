# Computes the transformed response on a scale that the nodes of all models share.
#
# The trend and the scale of the process determine each node's g only up to a + b g(y). The version
# in use has the mean and the standard deviation of the response at the data, so that without a
# transform it is the response itself.

# Returns g of each node of one model at `y`, in the model's scaled units: values x nodes.
transform_nodes <- function(model, y, hyper = model$posterior$hyper) {
  lambda <- transform_parameters(model, hyper)
  check_core(core_forward(model$transform$layers, lambda, y))$z
}

# Returns list(location, scale) with one value per node: location + scale * g(y) is on the shared
# scale, that of the exact responses. If the trend cannot be shifted, location is 0.
shared_units <- function(model, shift = TRUE, hyper = model$posterior$hyper) {
  exact <- exact_rows(model$problem)
  if (length(exact) == 0L) {
    exact <- model$problem$censored$row[is_bounded(limits_of(model$problem))]
  }
  y <- model_response(model)[exact]
  z <- transform_nodes(model, model$problem$response[exact], hyper)
  scale <- standard_deviation(y) / apply(z, 2L, standard_deviation)
  list(location = if (shift) mean(y) - scale * colMeans(z) else 0 * scale, scale = scale)
}

# Returns g on the shared scale at `at`, in units of the response: values x nodes of all models, in
# the order of posterior_weights(). It is NaN where a transform is not defined.
transformed_response <- function(fit, at) {
  each <- lapply(kept_models(fit), function(model) {
    z <- transform_nodes(model, scale_response(at, model$scaling))
    units <- shared_units(model)
    sweep(sweep(z, 2L, units$scale, `*`), 2L, units$location, `+`)
  })
  do.call(cbind, each)
}
