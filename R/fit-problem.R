# Turns a checked design and the settings of a fit into the problems that the core solves.

# Returns the parts that all models of a fit share: the `design` for the core, the `scaling` of the
# inputs, and the `units` of the lengthscales.
scale_design <- function(design, settings) {
  # A single lengthscale is in the units that all inputs share, so warps must not change them.
  warps <- if (settings$warp_inputs && settings$ard) {
    choose_warps(design$inputs, columns_to_warp(design$blueprint))
  }
  scaling <- input_scaling(design$inputs, design$input_of_column, settings$ard, as.list(warps),
                           design$levels_of_column, design$group_of_column)
  list(
    design = list(
      inputs = scale_inputs(design$inputs, scaling),
      lengthscale_of_column = if (settings$ard) design$input_of_column
                              else rep(1L, ncol(design$inputs)),
      input_of_column = design$input_of_column,
      levels = scaled_levels(scaling),
      trend = design$trend,
      noise = design$noise,
      weights = relative_weights(design$weights),
      # In their own units; each model has scaled ones.
      response = design$response,
      censored = design$censored
    ),
    scaling = scaling,
    units = term_units(model_terms(design$terms, kernel_spec(default_kernel, settings$ard, FALSE),
                                   settings$ard, scaling$scale))
  )
}

# Scales weights to mean 1, so that the noise and its prior refer to a typical row.
relative_weights <- function(weights) {
  if (is.null(weights) || is_constant(weights)) NULL else weights / mean(weights)
}

# Specifies one model from its `candidate`, an element of candidate_models(). Returns list(kernel,
# terms, transform, scaling, units, problem): `scaling` of the response, `units` of all
# hyperparameters, and the `problem` for the core. `scale` has the scales of the inputs.
specify_model <- function(candidate, design, scale, settings) {
  kernel <- kernel_spec(candidate$kernel, settings$ard, candidate$product)
  terms <- model_terms(design$terms, kernel, settings$ard, scale, isTRUE(candidate$additive))
  transform <- transform_spec(candidate$transform, design$trend_has_constant)
  check_layers(transform$layers)
  if (transform$positive) check_positive_response(design, settings)
  if (transform$bounded) check_bounded_response(design, settings)
  scaling <- model_scaling(design, transform, settings)
  noise_columns <- if (candidate$constant_noise) integer() else seq_along(colnames(design$noise))
  hyperparameters <- resolve_prior(candidate$prior, terms, transform,
                                   colnames(design$noise)[noise_columns])
  check_ties(design$response[exact_rows(design)], hyperparameters, transform$parameters,
             design$response_name)
  list(
    kernel = kernel,
    terms = terms,
    transform = transform,
    scaling = scaling,
    units = hyper_units(term_units(terms), names(hyperparameters)),
    problem = list(
      kernel = kernel$name,
      form = if (kernel$product) "product" else "radial",
      terms = core_terms(terms),
      transform = transform$layers,
      response = scale_response(design$response, scaling),
      censored = scale_censored(design$censored, scaling, settings$method),
      noise_columns = noise_columns,
      hyperparameters = hyperparameters,
      common = common_of_prior(candidate$prior, length(terms[[1L]]$lengthscales)),
      likelihood = if (identical(settings$method, "ML")) "profiled" else "integrated",
      approx = candidate$approx
    )
  )
}

# Scales limits. A search for the maximum of the likelihood needs more accurate gradients than an
# integral: with 1024 points they are accurate to about 0.001, with 32 to 0.1.
scale_censored <- function(censored, scaling, method = NULL) {
  if (!is.null(censored)) {
    censored$lower <- scale_response(censored$lower, scaling)
    censored$upper <- scale_response(censored$upper, scaling)
    if (!is.null(method)) censored$points <- 1024L
  }
  censored
}

# Returns the scaling of the response that the domain of the transform needs.
model_scaling <- function(design, transform, settings) {
  support <- response_support(known_responses(design), settings)
  if (transform$bounded) bounded_scaling(transform$domain, support)
  else response_scaling(design$response, transform$positive, support)
}

hyper_units <- function(lengthscale_units, names) {
  units <- stats::setNames(rep(1, length(names)), names)
  units[names(lengthscale_units)] <- lengthscale_units
  units
}
