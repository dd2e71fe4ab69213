# A checked design and the user's choices -> a fit, by one call into the core.
# `warm_starts` has a column for each mode of a fit much like this one (see update.btg()).
fit_btg <- function(design, transform, kernel, ard, product, warp_inputs, prior, quadrature,
                    epsilon, threads, call, warm_starts = NULL) {
  started <- proc.time()[["elapsed"]]
  check_fit_memory(nrow(design$inputs), threads, quote(btg()))
  rule <- quadrature_spec(quadrature)
  posed <- pose_problem(design, transform, kernel, ard, product, warp_inputs, prior)
  posterior <- with_progress("Fitting", counted = "likelihoods", check_core(
    core_fit(runnable(posed$problem, threads), rule$name, rule$options, epsilon,
             usable_starts(warm_starts, posed$problem)), quote(btg())
  ))
  seconds <- proc.time()[["elapsed"]] - started
  fit <- new_btg(call, design, posed, rule, epsilon, posterior, seconds)
  warn_quadrature(fit)
  fit
}

# The starts, if they are of as many free hyperparameters as the problem has; else none.
usable_starts <- function(starts, problem) {
  free <- sum(!vapply(problem$hyperparameters, function(h) is.numeric(h$prior), NA))
  if (is.null(starts) || nrow(starts) != free) matrix(0, free, 0L) else starts
}

# What the core is to solve, and how it came about: list(problem, scaling, units, kernel,
# transform, settings), where `units` are those of the lengthscales and `settings` what the user
# chose that is nowhere else in a fit.
pose_problem <- function(design, transform, kernel, ard, product, warp_inputs, prior,
                         call = quote(btg())) {
  kernel <- kernel_spec(kernel, ard, product, call)
  transform <- transform_spec(transform, design$trend_has_constant, call)
  check_layers(transform$layers, call)
  scaling <- choose_scaling(design, transform$positive, ard, warp_inputs, call)
  units <- lengthscale_units(design, scaling$x, ard)
  hyperparameters <- resolve_prior(prior, names(units), units, transform$parameters, call)
  check_ties(design$response, hyperparameters, transform$parameters, design$response_name, call)

  problem <- list(
    inputs = scale_inputs(design$inputs, scaling$x),
    lengthscale_of_column = if (ard) design$input_of_column else rep(1L, ncol(design$inputs)),
    trend = design$trend,
    response = scale_response(design$response, scaling$y),
    kernel = kernel$name,
    product = product,
    transform = transform$layers,
    hyperparameters = hyperparameters
  )
  problem$weights <- relative_weights(design$weights)
  list(problem = problem, scaling = scaling, units = units, kernel = kernel, transform = transform,
       settings = list(warp_inputs = warp_inputs, prior = prior))
}

# Weights of mean 1, so that the noise, and its prior, are those of a typical row; NULL if all are
# equal.
relative_weights <- function(weights) {
  if (is.null(weights) || is_constant(weights)) NULL else weights / mean(weights)
}

# What each lengthscale is multiplied by to be in the units of its input, as warped.
lengthscale_units <- function(design, scaling, ard) {
  if (!ard) {
    return(c(lengthscale.all = scaling$scale[[1L]]))
  }
  first <- match(seq_along(design$input_names), design$input_of_column)
  stats::setNames(scaling$scale[first], paste0("lengthscale.", design$input_names))
}

# The problem as the core takes it. A fit may be used on another machine than it was made
# on, so how to compute is decided at each call.
runnable <- function(problem, threads = 1) {
  c(problem, linear_algebra = linear_algebra(), threads = as.integer(threads),
    progress = progress_reporter())
}

# How many effective nodes a rule should have: the `least` to trust it, and a `good` number. A grid
# over the prior that has less than two for each hyperparameter is too coarse for the posterior. One
# around the mode has few in any case, most of the weight being in its middle.
wanted_nodes <- function(fit) {
  if ("seed" %in% names(registry()$rules[[fit$quadrature$rule$name]])) {
    return(c(least = 20, good = 100))
  }
  if (nrow(fit$quadrature$modes) > 0L) {
    return(c(least = -Inf, good = NA))
  }
  least <- 2 * length(free_hyperparameters(fit))
  c(least = least, good = least)
}

# Said when the nodes are too few to trust. `options(btg.warn_quadrature = FALSE)` silences it.
warn_quadrature <- function(fit) {
  quadrature <- fit$quadrature
  wanted <- wanted_nodes(fit)
  few <- quadrature$effective_nodes < wanted[["least"]] && quadrature$nodes_tried > 1L
  heavy <- !is.na(quadrature$k_hat) && quadrature$k_hat > 0.7 && few_effective(quadrature)
  if ((few || heavy) && !isFALSE(getOption("btg.warn_quadrature"))) {
    warn_btg(c(
      "The integral over the hyperparameters is not accurate.",
      if (few) {
        c(x = paste0("Its nodes are worth ", format(quadrature$effective_nodes, digits = 2),
                     " of equal weight; ", wanted[["good"]], " or more are wanted."))
      },
      if (heavy) {
        c(x = paste0("A few nodes carry much of the weight (k-hat = ",
                     format(quadrature$k_hat, digits = 2), "; at most 0.7 is wanted)."))
      },
      i = if (fit$quadrature$rule$name == "adaptive") {
        "Use `refine()` to add nodes, or narrower priors; `summary()` shows the diagnostics."
      } else {
        "Use the default quadrature, `quad_adaptive()`, or more nodes."
      }
    ), "quadrature")
  }
  invisible(fit)
}
