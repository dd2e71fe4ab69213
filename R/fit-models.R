# Selects the candidate models of a fit and fits them.

# Returns the differences between the models of a fit, list(transform, kernel, product, prior,
# constant_noise) by name. With transform = "auto", radial and product kernels differ only if there
# are several inputs, and those of rbf never do.
candidate_models <- function(settings, design) {
  average <- identical(settings$transform, "auto")
  transforms <- if (average) average_transforms(settings, design) else list(settings$transform)
  covariances <- covariances_of_design(settings, design, average)
  layers <- unique(unlist(transforms))
  candidates <- list()
  for (transform in transforms) {
    for (k in seq_along(covariances)) {
      name <- paste0(paste(transform, collapse = " + "), names(covariances)[k])
      candidates[[name]] <- c(
        list(transform = transform), covariances[[k]],
        list(prior = prior_of_candidate(settings$prior, transform, layers,
                                        isTRUE(covariances[[k]]$additive)),
             constant_noise = is.null(design$noise))
      )
    }
  }
  candidates
}

# A response at a bound leaves no latent value to transforms that end there.
average_transforms <- function(settings, design) {
  y <- known_responses(design)
  support <- response_support(y, settings)
  at_lower <- any(is_at_bound(design, support["lower"]) & is_censored(design))
  c(auto_transforms$any,
    if (is_bounded_below(y, settings) && !at_lower) auto_transforms$positive,
    if (has_two_bounds(settings) && !any(is_at_bound(design, support))) auto_transforms$bounded)
}

covariances_of_design <- function(settings, design, average) {
  main <- if (has_main_term(design$terms)) design$terms[[1L]]
  several <- length(main$inputs) > 1L
  if (isTRUE(settings$additive)) check_additive(design$terms)
  additive <- all(average, several, length(design$terms) == 1L, !isTRUE(settings$product),
                  identical(settings$additive, "auto"))
  candidate_covariances(settings, average && several, !is.null(main), additive)
}

# Returns list(kernel, product, additive) for each covariance, named by the end of a model's name.
# The end names the kernel if there are several, unless it is the default. Without a main process,
# terms have their own kernels and there is nothing to choose. `additive` allows a candidate with an
# additive term besides those without.
candidate_covariances <- function(settings, both_products, has_main = TRUE, additive = FALSE) {
  if (!has_main) {
    return(list(list(kernel = default_kernel, product = FALSE)))
  }
  kernels <- candidate_kernels(settings$kernel, identical(settings$transform, "auto"))
  products <- settings$product
  if (is.null(products)) products <- c(FALSE, if (both_products) TRUE)
  covariances <- list()
  for (kernel in kernels) {
    ending <- if (length(kernels) > 1L && kernel != default_kernel) paste0(", ", kernel)
    for (product in if (kernel == "rbf") products[1L] else products) {
      name <- paste0(if (product) ", product", ending)
      if (length(name) == 0L) name <- ""
      covariances <- c(covariances,
                       stats::setNames(list(list(kernel = kernel, product = product,
                                                 additive = isTRUE(settings$additive))), name))
    }
  }
  if (additive) {
    kernel <- c(intersect(default_kernel, kernels), kernels)[1L]
    covariances[[", additive"]] <- list(kernel = kernel, product = products[1L], additive = TRUE)
  }
  covariances
}

check_additive <- function(terms) {
  if (!has_main_term(terms) || length(terms[[1L]]$inputs) < 2L) {
    abort_btg(c("`additive = TRUE` needs two inputs or more.",
                i = "With one input, an additive term is the process itself."), "argument")
  }
  same <- Filter(function(term) {
    identical(term$form, "additive") && term$group == 0L &&
      setequal(term$inputs, terms[[1L]]$inputs)
  }, terms)
  if (length(same) > 0L) {
    abort_btg(c("`additive = TRUE` adds a term that the formula already has.",
                x = paste0("It has `", same[[1L]]$name, "`."), i = "Leave one of them out."),
              "argument")
  }
}

auto_kernels <- c("matern52", "exponential", "rbf")

# Returns the named kernel. "auto", or NULL in an average, gives kernels of different smoothness.
candidate_kernels <- function(kernel, average) {
  if (identical(kernel, "auto") || (is.null(kernel) && average)) auto_kernels
  else if (is.null(kernel)) default_kernel
  else kernel
}

auto_transforms <- list(any = list("sinharcsinh"), positive = list("softplus"),
                        bounded = list(c("logit", "sinharcsinh")))

# Drops priors of parameters that only other candidates have: of other transforms, or of an additive
# term.
prior_of_candidate <- function(prior, transform, layers, additive) {
  layer_of <- function(names) sub("[.0-9].*", "", names)
  of_additive <- function(names) {
    layer_of(names) == additive_name | names == paste0("ratio.", additive_name)
  }
  mine <- function(x) {
    x[!layer_of(names(x)) %in% setdiff(layers, transform) & (additive | !of_additive(names(x)))]
  }
  prior$distributions <- mine(prior$distributions)
  prior$fixed <- mine(prior$fixed)
  prior
}

# Fits the candidates, or those with promising modes. Returns list(models, built, screened), where
# `screened` is a table of all candidates, or NULL.
fit_candidates <- function(candidates, design, scaled, settings, run) {
  show_once({
    models <- lapply(candidates, specify_model, design, scaled$scaling$scale, settings)
    screened <- NULL
    if (is_screened(candidates, settings)) {
      found <- screen_candidates(models, settings, run, scaled$design, design$row_names)
      models <- found$models
      built <- found$built
      screened <- found$screened
    } else {
      # Later stages of large fits have the models that the first one kept.
      if (is.null(candidates[[1L]]$approx)) models <- models[!is_extra(models, settings)]
      built <- build_models(scaled$design, models)
    }
    if (!is.null(screened)) models <- models[names(screened$weights)[screened$weights > 0]]
    list(models = fit_built(models, built, settings, run, screened), built = built,
         screened = screened$table)
  })
}

# Screens the models. An additive term pays where there is little noise, as of a simulator: models
# with one, besides others without, are screened only if the best of the others has little.
screen_candidates <- function(models, settings, run, design, row_names) {
  later <- is_extra(models, settings)
  screen <- function(models, run) {
    built <- build_models(design, models)
    list(models = models, built = built,
         screened = screen_models(models, built, settings, run, row_names))
  }
  found <- screen(models[!later], run)
  if (!any(later) || noise_at_mode(found) > little_noise) {
    return(found)
  }
  modes <- lapply(found$screened$modes, modes_as_known)
  run$known_modes[names(modes)] <- modes
  screen(models, run)
}

# Marks models with an additive term besides others without.
is_extra <- function(models, settings) {
  with_term <- vapply(models, function(model) {
    any(vapply(model$terms, function(term) identical(term$name, additive_name), NA))
  }, NA)
  with_term & !all(with_term) & identical(settings$additive, "auto")
}

# Returns the noise at the mode of the screened model of largest weight.
noise_at_mode <- function(found) {
  best <- names(which.max(found$screened$weights))
  found$screened$modes[[best]][[1L]]$hyper[[match("noise", hyper_names(found$models[[best]]))]]
}

# In 48 fits to 16 public tables, additive terms made the CRPS 1.001 times as large and fits took
# 1.35 times as long; all but one had more noise. In 12 fits to four simulators with less noise, the
# CRPS was 0.43 to 1.01 times as large, 0.77 in the geometric mean. With this gate, on 13 other data
# sets, it was 0.49 to 1.01 times as large at 1.08 times the time (bench/results/terms-gate.csv).
little_noise <- 1e-3

# Screening is free if the rule searches for modes anyway. Large models were screened before.
is_screened <- function(candidates, settings) {
  length(candidates) > 1L && is_budgeted(settings$rule) && is.null(candidates[[1L]]$approx)
}

# Fits models that are built. A model whose integral fails is left out of an average.
fit_built <- function(models, built, settings, run, screened) {
  # Large models run one after the other, and all workers evaluate their likelihoods.
  each <- if (is.null(models[[1L]]$problem$approx)) lapply_futures else lapply
  fitted <- each(stats::setNames(nm = names(models)), function(name) {
    if (length(models) > 1L) {
      progress_note(paste0(" ", name, " (", match(name, names(models)), " of ",
                           length(models), ")"))
    }
    known <- if (is.null(screened)) run$known_modes[[name]]
             else modes_as_known(screened$modes[[name]])
    share <- if (is.null(screened)) 1 else screened$weights[[name]]
    tryCatch(fit_model(models[[name]], built, name, settings, run, known, share),
             btg_error_numerical = identity, btg_error_quadrature = identity)
  })
  drop_failed(fitted)
}

# Evaluates `expr`, and shows a message or warning that several models raise only once.
show_once <- function(expr) {
  shown <- character()
  once <- function(muffle) {
    function(condition) {
      if (conditionMessage(condition) %in% shown) invokeRestart(muffle)
      shown <<- c(shown, conditionMessage(condition))
    }
  }
  withCallingHandlers(expr, btg_message = once("muffleMessage"),
                      btg_warning = once("muffleWarning"))
}
