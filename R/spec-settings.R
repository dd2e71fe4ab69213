# Checks the user's choices once. A fit stores those of the model and its integral as `settings`, a
# plain list. Run settings are another list, which does not affect the results.

# Collects the settings of btg(). candidate_models() makes the choices that `transform = "auto"`,
# `kernel = NULL` or "auto", and `product = NULL` leave open. `noise` comes from noise_spec().
btg_settings <- function(transform, kernel, ard, product, additive, warp_inputs, prior, noise,
                         quadrature, epsilon, averaging, approx) {
  check_prior(prior)
  settings <- model_settings(transform, kernel, ard, product, additive, warp_inputs,
                             fix_noise(prior, noise$value))
  c(settings, list(
    auto_noise = noise$auto,
    approx = check_approx(approx),
    rule = quadrature_spec(quadrature),
    epsilon = check_epsilon(epsilon),
    averaging = check_choice(averaging, c("stacking", "posterior"), "averaging")
  ))
}

# Collects the settings of wgp(). A known noise becomes a fixed hyperparameter.
wgp_settings <- function(transform, kernel, ard, product, additive, warp_inputs, method, noise,
                         fixed, restarts, approx) {
  if (identical(transform, "auto")) check_transform_names(transform)
  check_flag(product)
  check_kernel_name(kernel)
  prior <- btg_prior(lengthscale = "independent")
  prior$fixed <- check_fixed(fixed)
  prior <- fix_noise(prior, noise$value)
  settings <- model_settings(transform, kernel, ard, product, additive, warp_inputs, prior)
  c(settings, list(
    auto_noise = noise$auto,
    approx = check_approx(approx),
    method = check_choice(method, c("REML", "ML"), "method"),
    restarts = check_count(restarts)
  ))
}

model_settings <- function(transform, kernel, ard, product, additive, warp_inputs, prior) {
  if (!identical(transform, "auto")) check_transform_names(transform)
  if (!is.null(kernel) && !identical(kernel, "auto")) check_kernel_name(kernel)
  check_flag(ard)
  if (!is.null(product)) check_flag(product)
  if (!identical(additive, "auto")) check_flag(additive)
  check_flag(warp_inputs)
  list(transform = transform, kernel = kernel, ard = ard, product = product, additive = additive,
       warp_inputs = warp_inputs, prior = prior)
}

fix_noise <- function(prior, value) {
  if (is.null(value)) {
    return(prior)
  }
  if ("noise" %in% names(prior$fixed)) {
    abort_btg("Both `noise` and `fixed` give the noise.", "argument")
  }
  prior$fixed <- c(prior$fixed, noise = value)
  prior
}

# Returns how to run a fit. A fit that follows another adds the modes of that fit: `known_modes`, by
# the names of its models (known_modes()), or `warm_starts` for a maximum (warm_hyper()).
run_settings <- function(threads) {
  list(threads = check_count(threads))
}
