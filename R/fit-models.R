# The models of a fit: which ones, each fitted, and their weights in one predictive mixture.

# What differs between the models of a fit: list(transform, kernel, product, prior,
# constant_noise), named. With transform = "auto", radial and product kernels differ only where there
# is more than one input, and those of rbf not at all.
candidate_models <- function(settings, design) {
  average <- identical(settings$transform, "auto")
  transforms <- if (!average) list(settings$transform)
                else if (is_bounded_below(design$response, settings)) auto_transforms$positive
                else auto_transforms$any
  kernels <- candidate_kernels(settings$kernel, average)
  products <- settings$product
  if (is.null(products)) products <- c(FALSE, if (average && length(design$input_names) > 1L) TRUE)
  layers <- unique(unlist(transforms))
  candidates <- list()
  for (transform in transforms) {
    for (kernel in kernels) {
      for (product in if (kernel == "rbf") products[1L] else products) {
        name <- paste0(paste(transform, collapse = " + "), if (product) ", product",
                       if (length(kernels) > 1L && kernel != default_kernel) paste0(", ", kernel))
        candidates[[name]] <- list(transform = transform, kernel = kernel, product = product,
                                   prior = prior_of_candidate(settings$prior, transform, layers),
                                   constant_noise = is.null(design$noise))
      }
    }
  }
  candidates
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

# The fit with weights of its models, and what follows from them.
weigh_models <- function(fit, threads = 1) {
  models <- fit$models
  fit$scaling$y <- shared_response_scaling(models)
  fit$model_weights <- stats::setNames(rep(1 / length(models), length(models)), names(models))
  if (length(models) > 1L) {
    progress_note(" weights of the models")
    log_evidence <- vapply(models, function(model) model$quadrature$log_evidence, 0)
    log_scores <- model_log_scores(fit, threads)
    weights <- model_weights(log_scores, log_evidence, fit$settings$averaging)
    # A model that would be dropped as a node is not kept as a model.
    weights[weights < fit$settings$epsilon] <- 0
    weights <- keep_open_model(weights, models, colSums(log_scores, na.rm = TRUE))
    fit$model_weights <- weights / sum(weights)
    fit$averaging <- list(method = fit$settings$averaging, log_evidence = log_evidence,
                          elpd = colSums(log_scores, na.rm = TRUE))
  }
  fit$quadrature <- fit_quadrature(fit)
  fit
}

# Left-out log scores, a column for each model.
model_log_scores <- function(fit, threads) {
  vapply(names(fit$models), function(name) {
    left_out_log_scores(keep_models(fit, name), threads)
  }, numeric(row_count(fit)))
}

# By stacking, drawn towards the posterior probabilities as by so many more rows: few rows tell
# little of how models predict others.
stacking_rows <- 5

model_weights <- function(log_scores, log_evidence, averaging) {
  posterior <- exp(log_evidence - log_sum_exp(log_evidence))
  if (averaging == "stacking") stacking_weights(log_scores, posterior, stacking_rows)
  else posterior
}

# The fit with some of its models only, whose weights keep their ratios.
keep_models <- function(fit, names) {
  weights <- fit$model_weights[names]
  if (is.null(weights)) weights <- rep(1, length(names))
  fit$models <- fit$models[names]
  fit$model_weights <- if (sum(weights) > 0) weights / sum(weights)
                       else stats::setNames(rep(1 / length(names), length(names)), names)
  fit$scaling$y <- shared_response_scaling(fit$models)
  fit$averaging <- if (length(names) > 1L) {
    fit$averaging[c("log_evidence", "elpd")] <- lapply(fit$averaging[c("log_evidence", "elpd")],
                                                       `[`, names)
    fit$averaging
  }
  fit$quadrature <- fit_quadrature(fit)
  fit
}

#' Some of the models of a fit
#'
#' A fit by [btg()] averages over one or more models, `fit$models`. This takes some of them: a fit
#' of one model can be asked for its [log_posterior()], or be compared with the average.
#'
#' @param fit A fit by [btg()].
#' @param models Names or numbers of models, as in `names(fit$models)`.
#' @return The fit with these models only. Their weights keep their ratios; a model that had no
#'   weight has all of it when it is alone.
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' fit$model_weights
#' select_models(fit, "softplus")
#' @export
select_models <- function(fit, models) {
  call <- quote(select_models())
  check_fit(fit, call)
  known <- names(fit$models)
  if (is.numeric(models)) models <- known[models]
  if (!is.character(models) || length(models) == 0L || anyNA(models) || anyDuplicated(models) ||
        !all(models %in% known)) {
    abort_argument("models", paste("must name models of the fit, of", list_names(known, "\"")),
                   models, call)
  }
  seal_fit(keep_models(fit, models))
}

# Of one model its own; of several the counts of all together, and the worst of what is an error.
fit_quadrature <- function(fit) {
  each <- lapply(fit$models, function(model) model$quadrature)
  if (is.null(each[[1L]])) {
    return(NULL)
  }
  common <- list(rule = fit$settings$rule, epsilon = fit$settings$epsilon)
  if (length(each) == 1L) {
    return(c(common, each[[1L]]))
  }
  total <- function(name) sum(vapply(each, function(one) one[[name]], 0))
  counts <- c("likelihoods", "gradients", "nodes_tried", "nodes_kept", "nodes_failed",
              "nodes_jittered")
  weights <- fit$model_weights
  predictive <- vapply(each, function(one) one$nodes_predictive, 0L)
  log_evidence <- vapply(each, function(one) one$log_evidence, 0)
  all_weights <- unlist(Map(function(model, weight) weight * model$posterior$weight, fit$models,
                            weights))
  c(common, list(log_evidence = log_sum_exp(log_evidence) - log(length(each)),
                 runs = each[[1L]]$runs,
                 nodes_predictive = sum(predictive[weights > 0]),
                 effective_nodes = 1 / sum(all_weights^2),
                 negative_mass = -sum(pmin(all_weights, 0)),
                 dropped_mass = sum(weights * vapply(each, function(one) one$dropped_mass, 0))),
    stats::setNames(lapply(counts, total), counts))
}

log_sum_exp <- function(x) max(x) + log(sum(exp(x - max(x))))
