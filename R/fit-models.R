# The models of a fit: which ones, and each fitted.

# What differs between the models of a fit: list(transform, kernel, product, prior, constant_noise),
# named. With transform = "auto", radial and product kernels differ only where there is more than
# one input, and those of rbf not at all.
candidate_models <- function(settings, design) {
  average <- identical(settings$transform, "auto")
  transforms <- if (average) average_transforms(settings, design) else list(settings$transform)
  covariances <- candidate_covariances(settings, average && length(design$input_names) > 1L)
  layers <- unique(unlist(transforms))
  candidates <- list()
  for (transform in transforms) {
    for (k in seq_along(covariances)) {
      name <- paste0(paste(transform, collapse = " + "), names(covariances)[k])
      candidates[[name]] <- c(
        list(transform = transform), covariances[[k]],
        list(prior = prior_of_candidate(settings$prior, transform, layers),
             constant_noise = is.null(design$noise))
      )
    }
  }
  candidates
}

average_transforms <- function(settings, design) {
  if (is_bounded_below(design$response, settings)) auto_transforms$positive
  else auto_transforms$any
}

# list(kernel, product) of each, named as the end of a model's name: the kernel's where there are
# several, unless it is the usual one.
candidate_covariances <- function(settings, both_products) {
  kernels <- candidate_kernels(settings$kernel, identical(settings$transform, "auto"))
  products <- settings$product
  if (is.null(products)) products <- c(FALSE, if (both_products) TRUE)
  covariances <- list()
  for (kernel in kernels) {
    said <- if (length(kernels) > 1L && kernel != default_kernel) paste0(", ", kernel)
    for (product in if (kernel == "rbf") products[1L] else products) {
      name <- paste0(if (product) ", product", said)
      if (length(name) == 0L) name <- ""
      covariances <- c(covariances,
                       stats::setNames(list(list(kernel = kernel, product = product)), name))
    }
  }
  covariances
}

default_kernel <- "matern52"
auto_kernels <- c("matern52", "exponential", "rbf")

# The kernel that was named; or "auto", or NULL in an average, for some of different smoothness.
candidate_kernels <- function(kernel, average) {
  if (identical(kernel, "auto") || (is.null(kernel) && average)) auto_kernels
  else if (is.null(kernel)) default_kernel
  else kernel
}

auto_transforms <- list(any = list("sinharcsinh"), positive = list("sinharcsinh", "softplus"))

# Without what it says of the parameters of other candidates' transforms.
prior_of_candidate <- function(prior, transform, layers) {
  layer_of <- function(names) sub("[.0-9].*", "", names)
  mine <- function(x) x[!layer_of(names(x)) %in% setdiff(layers, transform)]
  prior$distributions <- mine(prior$distributions)
  prior$fixed <- mine(prior$fixed)
  prior
}

# The candidates, each fitted; of several those that are worth it, and then with the attribute
# "screened", what their modes said of all.
fit_candidates <- function(candidates, design, posed, settings, run) {
  say_once({
    models <- lapply(candidates, pose_model, design, posed$units, settings)
    screened <- if (is_screened(candidates, settings)) {
      screen_models(models, posed$design, settings, run, design$row_names)
    }
    fit_posed(models, posed, settings, run, screened)
  })
}

# Where the rule looks for modes in any case. Large models have been screened with some of the rows.
is_screened <- function(candidates, settings) {
  length(candidates) > 1L && settings$rule$name == "adaptive" && is.null(candidates[[1L]]$approx)
}

fit_posed <- function(models, posed, settings, run, screened) {
  if (!is.null(screened)) models <- models[names(screened$weights)[screened$weights > 0]]
  # Large models take turns, and all workers evaluate their likelihoods.
  each <- if (is.null(models[[1L]]$problem$approx)) lapply_futures else lapply
  fitted <- each(stats::setNames(nm = names(models)), function(name) {
    if (length(models) > 1L) {
      progress_note(paste0(" ", name, " (", match(name, names(models)), " of ",
                           length(models), ")"))
    }
    known <- if (is.null(screened)) run$known_modes[[name]]
             else modes_as_known(screened$modes[[name]])
    share <- if (is.null(screened)) 1 else screened$weights[[name]]
    fit_model(models[[name]], posed$design, settings, run, known, share)
  })
  structure(fitted, screened = screened$table)
}

# Evaluates `expr`, and says what several models would say of the same data only once.
say_once <- function(expr) {
  said <- character()
  once <- function(muffle) {
    function(condition) {
      if (conditionMessage(condition) %in% said) invokeRestart(muffle)
      said <<- c(said, conditionMessage(condition))
    }
  }
  withCallingHandlers(expr, btg_message = once("muffleMessage"),
                      btg_warning = once("muffleWarning"))
}
