# transform = "auto": a few models, fitted one by one and averaged in one predictive mixture.

# The candidates for a response: list(transform, product), named. Radial and product kernels
# differ only where there is more than one input.
candidate_models <- function(design, product) {
  transforms <- if (all(design$response > 0)) auto_transforms$positive else auto_transforms$any
  several <- length(design$input_names) > 1L
  products <- if (!is.null(product)) product else c(FALSE, if (several) TRUE)
  candidates <- list()
  for (transform in transforms) {
    for (product in products) {
      name <- paste0(paste(transform, collapse = " + "), if (product) ", product")
      candidates[[name]] <- list(transform = transform, product = product)
    }
  }
  candidates
}

auto_transforms <- list(any = list("sinharcsinh"), positive = list("sinharcsinh", "softplus"))

# As fit_btg(), for transform = "auto". With one candidate there is nothing to average.
fit_average <- function(design, kernel, ard, product, warp_inputs, prior, quadrature, epsilon,
                        averaging, threads, call, warm_starts = list()) {
  started <- proc.time()[["elapsed"]]
  candidates <- candidate_models(design, product)
  layers <- unique(unlist(lapply(candidates, function(candidate) candidate$transform)))
  with_progress("Fitting", counted = "likelihoods", {
    models <- say_once(lapply_futures(seq_along(candidates), function(k) {
      progress_note(paste0(" ", names(candidates)[k], " (", k, " of ", length(candidates), ")"))
      transform <- candidates[[k]]$transform
      fit_btg(design, transform, kernel, ard, candidates[[k]]$product, warp_inputs,
              prior_of_candidate(prior, transform, layers), quadrature, epsilon, threads, call,
              warm_starts[[names(candidates)[k]]])
    }))
    names(models) <- names(candidates)
    # What comes from another process has environments of its own.
    models <- lapply(models, function(model) {
      model[c("formula", "blueprint")] <- design[c("formula", "blueprint")]
      model
    })
    progress_note(" weights of the models")
    if (length(models) == 1L) {
      models[[1L]]
    } else {
      fit <- new_average(models, averaging, threads, call, proc.time()[["elapsed"]] - started)
      fit$settings <- list(product = product, warp_inputs = warp_inputs, prior = prior)
      fit
    }
  })
}

# Without what it says of the parameters of other candidates' transforms.
prior_of_candidate <- function(prior, transform, layers) {
  if (!inherits(prior, "btg_prior")) {
    return(prior)
  }
  layer_of <- function(names) sub("[.0-9].*", "", names)
  mine <- function(x) x[!layer_of(names(x)) %in% setdiff(layers, transform)]
  prior$distributions <- mine(prior$distributions)
  prior$fixed <- mine(prior$fixed)
  prior
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

# A fit that averages over `models`. Its response is scaled as that of the first.
new_average <- function(models, averaging, threads, call, seconds) {
  first <- models[[1L]]
  log_evidence <- vapply(models, function(model) model$quadrature$log_evidence, 0)
  fold <- row_folds(NULL, first, call)
  log_scores <- vapply(models, function(model) {
    leave_out(model, fold, "fast", TRUE, threads, quote(btg()))$answers$log_density[, 1L]
  }, numeric(length(first$row_names)))
  weights <- if (averaging == "stacking") {
    stacking_weights(log_scores)
  } else {
    exp(log_evidence - log_sum_exp(log_evidence))
  }
  # A model that would be dropped as a node is not kept as a model.
  weights[weights < first$quadrature$epsilon] <- 0
  common <- c("formula", "blueprint", "response_name", "input_names", "row_names", "data",
              "excluded", "weights", "na.action", "dropped_inputs")
  structure(
    c(list(call = call, format = fit_format()), first[intersect(common, names(first))], list(
      scaling = list(x = first$scaling$x, y = average_response_scaling(models)),
      models = models,
      model_weights = weights / sum(weights),
      averaging = list(method = averaging, log_evidence = log_evidence,
                       elpd = colSums(log_scores, na.rm = TRUE)),
      quadrature = average_quadrature(models, weights / sum(weights), log_evidence),
      seconds = seconds
    )),
    class = c("btg_average", "btg")
  )
}

# That of the first model, or of the first that knows that the response is positive: it keeps the
# zero, near which differences would be lost otherwise. Then predictions of all stop there.
average_response_scaling <- function(models) {
  positive <- vapply(models, function(model) model$transform$positive, NA)
  scaling <- models[[which.max(positive)]]$scaling$y
  if (any(positive)) scaling$lower <- 0
  scaling
}

# The counts of all models together, and the worst of what is an error.
average_quadrature <- function(models, weights, log_evidence) {
  each <- lapply(models, function(model) model$quadrature)
  total <- function(name) sum(vapply(each, function(one) one[[name]], 0))
  counts <- c("likelihoods", "gradients", "nodes_tried", "nodes_kept", "nodes_failed",
              "nodes_jittered")
  predictive <- vapply(each, function(one) one$nodes_predictive, 0L)
  all_weights <- unlist(Map(function(model, weight) weight * model$posterior$weight, models,
                            weights))
  c(list(rule = each[[1L]]$rule, epsilon = each[[1L]]$epsilon,
         log_evidence = log_sum_exp(log_evidence) - log(length(models)), runs = each[[1L]]$runs,
         nodes_predictive = sum(predictive[weights > 0]),
         effective_nodes = 1 / sum(all_weights^2), negative_mass = -sum(pmin(all_weights, 0)),
         dropped_mass = sum(weights * vapply(each, function(one) one$dropped_mass, 0))),
    stats::setNames(lapply(counts, total), counts))
}

log_sum_exp <- function(x) max(x) + log(sum(exp(x - max(x))))

# The weights that maximise the sum over rows of the log of the averaged densities (Yao, Vehtari,
# Simpson and Gelman 2018). `log_scores` has a row for each observation and a column for each model.
stacking_weights <- function(log_scores) {
  # A row that some model does not predict, or that has no density in any, tells nothing.
  tells <- rowSums(is.na(log_scores)) == 0L & apply(log_scores, 1L, max) > -Inf
  log_scores <- log_scores[tells %in% TRUE, , drop = FALSE]
  weights <- rep(1 / ncol(log_scores), ncol(log_scores))
  if (nrow(log_scores) > 0L) {
    density <- exp(log_scores - apply(log_scores, 1L, max))
    for (barrier in 10^-(1:11)) weights <- stacking_newton(density, weights, barrier)
  }
  stats::setNames(weights / sum(weights), colnames(log_scores))
}

# The least of sum(w) - mean(log(density w)) - barrier sum(log(w)) over positive w, by Newton's
# method from `weights`. Without the barrier its w is the optimum, and sums to one.
stacking_newton <- function(density, weights, barrier) {
  objective <- function(w) sum(w) - mean(log(density %*% w)) - barrier * sum(log(w))
  for (iteration in seq_len(50L)) {
    shares <- density * rep(weights, each = nrow(density))
    shares <- shares / rowSums(shares)
    gradient <- weights - colMeans(shares) - barrier # of the logarithms of the weights
    hessian <- crossprod(shares) / nrow(shares) + diag(barrier, length(weights))
    move <- -solve(hessian, gradient, tol = 0) # relative to the weights
    decrease <- -sum(gradient * move)
    if (decrease < 1e-4 * barrier^2) break
    size <- min(1, 0.9 / max(-move, 0.9))
    start <- objective(weights)
    while (objective(weights * (1 + size * move)) > start - 0.1 * size * decrease && size > 1e-10) {
      size <- size / 2
    }
    weights <- weights * (1 + size * move)
  }
  weights
}

is_average <- function(fit) inherits(fit, "btg_average")

# One line a model: its share, what it is, and how good it is by itself.
model_table <- function(fit) {
  data.frame(weight = fit$model_weights,
             log_evidence = fit$averaging$log_evidence, elpd = fit$averaging$elpd,
             row.names = names(fit$models))
}

#' @export
print.btg_average <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat(format_header(x), sep = "\n")
  print_models(x, digits)
  cat("\nUse predict() for medians and intervals, loocv() for scores, $models for each model.\n")
  invisible(x)
}

print_models <- function(fit, digits) {
  how <- switch(fit$averaging$method,
    stacking = "stacking: weights that maximise the leave-one-out log score",
    posterior = "posterior probabilities of the models"
  )
  cat("\nAverage of ", length(fit$models), " models by ", how, ":\n", sep = "")
  print(format_table(model_table(fit), digits, c("log_evidence", "elpd")))
}

#' @rdname summary.btg
#' @export
summary.btg_average <- function(object, ...) {
  kept <- object$models[object$model_weights > 0]
  structure(
    list(header = format_header(object), models = model_table(object),
         averaging = object$averaging$method, summaries = lapply(kept, summary),
         standard_error = quadrature_error(object), quadrature = object$quadrature),
    class = "summary.btg_average"
  )
}

#' @export
print.summary.btg_average <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat(x$header, sep = "\n")
  cat("\nModels, averaged by ", x$averaging, ":\n", sep = "")
  print(format_table(x$models, digits, c("log_evidence", "elpd")))
  for (name in names(x$summaries)) {
    one <- x$summaries[[name]]
    effective <- format(one$quadrature$effective_nodes, digits = 3)
    cat("\n", name, " (", effective, " effective nodes):\n", sep = "")
    print_hyperparameters(one, digits, ...)
    cat(format_scaling(one$scaling, digits), "\n", sep = "")
    print_diagnostics(one$quadrature)
  }
  cat("\nLog evidence: ", format_log(x$quadrature$log_evidence),
      " (all models alike before the data)\n", sep = "")
  print_standard_error(x$standard_error)
  invisible(x)
}
