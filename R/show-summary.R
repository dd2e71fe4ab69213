#' Summarise a fit
#'
#' The posterior of each hyperparameter, and how the integral over them was done.
#'
#' @param object A fit by [btg()].
#' @param ... Not used.
#' @return A list of class `summary.btg`:
#'   * `header`, lines that describe the model;
#'   * `hyperparameters`, a data frame with the posterior `mean`, `sd` and the 2.5%, 50% and 97.5%
#'     quantiles of each hyperparameter that is not fixed, in the units of [nodes()]; `sd` and
#'     limits are `NA` if there is only one node;
#'   * `fixed`, the values of those that are;
#'   * `display_units`, for inputs that are times, a data frame with the `unit` in which `print()`
#'     shows the lengthscale, and `per`, what it is in units of [nodes()];
#'   * `noise_effects`, if there is a model of the noise, what its standard deviation is multiplied
#'     by for one more standard deviation of each of the model's columns: medians and 95% intervals;
#'   * `noise_floor`, the least `noise` that the model has, see [btg_prior()], and the posterior
#'     `share` of the nodes whose own noise is below it;
#'   * `warped`, the names of the lengthscales that are in units of a warped input, see [btg()]:
#'     `print()` marks them;
#'   * `importance`, for each input the share of the variance of the predicted median over the range
#'     of the data that is due to it and its interactions: see [sensitivity()];
#'   * `scaling`, the `response`'s name and the `center` and `scale` it had before the transform,
#'     and `lower`, below which no prediction goes, if there is such a limit;
#'   * `standard_error`, the standard errors, from the quadrature, of the medians and of the ends of
#'     the 95% intervals at (at most 20) points halfway between rows of the data, as a share of the
#'     predictive standard deviation: the `mean` and the `max` of each. If `k_hat` is above 1/2 and
#'     the nodes are worth few of those tried, errors fall more slowly than with the root of their
#'     number, and the standard errors say so;
#'   * `approximation`, if the covariance is approximated: a list of estimated errors, which
#'     [vecchia()] describes;
#'   * `quadrature`, the list `fit$quadrature`:
#'     `rule` and `epsilon`, what was asked for;
#'     `log_evidence`, the log marginal likelihood of the model up to a constant, and
#'     `log_evidence_error`, its standard error (fits with other trends have other constants);
#'     `k_hat`, the shape of the tail of the importance weights, above 0.7 a sign of trouble;
#'     `effective_nodes`, one over the sum of the squared weights;
#'     `likelihoods` and `gradients`, how many were evaluated;
#'     `nodes_tried`, `nodes_kept`, `nodes_predictive` (to predict from) and `nodes_failed`;
#'     `dropped_mass`, the posterior mass of the nodes that were not kept: the quantile at `p` is
#'     between what those at `p - dropped_mass` and `p + dropped_mass` would be with all nodes;
#'     `negative_mass`, the sum of the negative weights of rules with signed weights;
#'     `boundary_mass`, for each hyperparameter the posterior mass in the outermost 1% of its prior
#'     at either end: when it is large, the prior decides;
#'     `modes`, a data frame of the modes that were found: their hyperparameters, log posterior
#'     and shares of the `mass` by Laplace's approximation; `mode_points`, a matrix with a column
#'     for each, where they are in the coordinates of the search: there the priors are standard
#'     normal; and `mode_precisions`, minus the Hessian of the log posterior at each of these;
#'     `diagnostics`, numbers that the rule reports, such as its `work` in likelihoods;
#'     after [refine()], `runs` and `log_evidences`, how often it was run and each run's result.
#'
#'   Of an average of models it has, instead of what is of one model, `models`, a data frame with
#'   the `weight`, the `log_evidence` and the left-out `elpd` of each model; `averaging`, how the
#'   weights came about; `measures`, a note if responses are at a bound, where `elpd` counts
#'   probabilities and `log_evidence` densities, so that the two need not agree; and `summaries`, a
#'   list with one element for each model that has weight, of its `hyperparameters`, `fixed`,
#'   `noise_floor`, `warped`, `scaling` and `quadrature`. The `quadrature` of the
#'   whole has the counts of all models together and the `log_evidence` of the average, in which
#'   models have the same prior probability.
#' @examples
#' summary(btg(dist ~ speed, data = cars, transform = "sinharcsinh"))
#' @export
summary.btg <- function(object, ...) {
  check_fit(object)
  check_dots(...)
  summaries <- lapply(kept_models(object), summarise_model, fit = object)
  of_models <- if (is_average(object)) {
    list(models = model_table(object), averaging = object$averaging$method,
         measures = format_measures(object), summaries = summaries)
  } else {
    summaries[[1L]]
  }
  structure(
    c(list(header = format_header(object)), of_models,
      list(importance = median_importance(object),
           shares = if (has_special_terms(object)) variance_shares(object),
           standard_error = quadrature_error(object), approximation = object$approximation),
      if (is_average(object)) list(quadrature = object$quadrature)),
    class = "summary.btg"
  )
}

summarise_model <- function(model, fit) {
  nodes <- model_nodes(model)
  free <- free_names(model$problem)
  fixed <- setdiff(hyper_names(model), free)
  rows <- lapply(free, function(name) summarise_weighted(nodes[[name]], nodes$weight))
  medians <- vapply(hyper_names(model), function(name) {
    weighted_quantile(nodes[[name]], nodes$weight, 0.5)
  }, 0)
  list(
    hyperparameters = as.data.frame(do.call(rbind, stats::setNames(rows, free))),
    fixed = unlist(nodes[1L, fixed, drop = FALSE]),
    display_units = display_units(fit, medians),
    noise_floor = c(noise = model$noise_floor,
                    share = sum(nodes$weight[nodes$noise < model$noise_floor])),
    noise_effects = noise_factors(nodes, colnames(fit$design$noise)[model$problem$noise_columns]),
    warped = warped_lengthscales(fit),
    scaling = summarise_scaling(fit, model),
    quadrature = c(fit$quadrature[c("rule", "epsilon")], model$quadrature)
  )
}

summarise_scaling <- function(fit, model) c(list(response = fit$response_name), model$scaling)

# Returns the factors by which the standard deviation of the noise changes per standard deviation of
# each column of its model: a matrix of medians and 95% intervals, or NULL.
noise_factors <- function(nodes, columns) {
  if (length(columns) > 0L) {
    factors <- exp(node_quantiles(nodes, paste0("noise.", columns), c(0.5, 0.025, 0.975)) / 2)
    dimnames(factors) <- list(columns, c("50%", "2.5%", "97.5%"))
    factors
  }
}

# "times: 2.3 (1.6 to 3.4)"
print_noise_factors <- function(factors, digits = 2L) {
  if (!is.null(factors)) {
    text <- apply(factors, 2L, format_significant, digits = digits)
    text <- matrix(text, nrow(factors))
    cat("\nNoise sd is multiplied, per sd of a column of its model, by\n")
    cat(paste0("  ", format(rownames(factors)), "  ", text[, 1L], " (", text[, 2L], " to ",
               text[, 3L], ")\n"), sep = "")
  }
}

# "main   0.71 (0.43 to 0.92)"
print_shares <- function(shares) {
  if (!is.null(shares)) {
    text <- format(as.matrix(round(shares[-1L], 3L)), nsmall = 3L, trim = TRUE)
    interval <- if (!anyNA(shares$lwr)) paste0(" (", text[, 2L], " to ", text[, 3L], ")")
    cat("\nShares of the variance of the transformed response:\n")
    cat(paste0("  ", format(shares$term), "  ", text[, 1L], interval, "\n"), sep = "")
  }
}

# Formats the scaled response, on which the transform acts.
format_scaling <- function(scaling, digits) {
  center <- format_significant(abs(scaling$center), digits)
  shifted <- if (scaling$center == 0) {
    scaling$response
  } else {
    paste0("(", scaling$response, if (scaling$center > 0) " - " else " + ", center, ")")
  }
  paste0("Scaled:      ", shifted, " / ", format_significant(scaling$scale, digits))
}

# A single node shows no spread.
summarise_weighted <- function(x, weight) {
  if (length(x) == 1L) {
    return(c(mean = x, sd = NA, "2.5%" = NA, "50%" = x, "97.5%" = NA))
  }
  mean <- sum(weight * x)
  quantiles <- weighted_quantile(x, weight, c(0.025, 0.5, 0.975))
  variance <- sum(weight * (x - mean)^2) # may be negative, by signed weights
  c(mean = mean, sd = if (variance >= 0) sqrt(variance) else NA,
    "2.5%" = quantiles[1L], "50%" = quantiles[2L], "97.5%" = quantiles[3L])
}

#' @export
print.summary.btg <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  if (is.null(x$models)) {
    cat(x$header, format_scaling(x$scaling, digits), sep = "\n")
    if (nrow(x$hyperparameters) > 0L) cat("\nPosterior of the hyperparameters:\n")
    print_hyperparameters(x, digits, ...)
    print_importance(x$importance)
    print_shares(x$shares)
    cat("\n")
    print_evidence(x$quadrature, digits)
    print_standard_error(x$standard_error)
    print_diagnostics(x$quadrature)
    print_approximation(x$approximation)
    return(invisible(x))
  }
  cat(x$header, sep = "\n")
  cat("\nModels, averaged by ", x$averaging, ":\n", sep = "")
  print(format_table(x$models, digits, c("log_evidence", "elpd")))
  print_lines(x$measures)
  for (name in names(x$summaries)) print_model_summary(name, x$summaries[[name]], digits, ...)
  print_importance(x$importance)
  print_shares(x$shares)
  cat("\nLog evidence: ", format_log(x$quadrature$log_evidence),
      " (all models alike before the data)\n", sep = "")
  print_standard_error(x$standard_error)
  print_approximation(x$approximation)
  invisible(x)
}

# Shares of the variance of the median, with interactions, the largest first.
print_importance <- function(importance) {
  if (length(importance) > 1L) {
    shares <- utils::head(sort(importance, decreasing = TRUE), 8L)
    cat("\nShare of the variance of the median due to each input, with interactions:\n  ",
        paste(names(shares), trimws(format_percent(shares)), collapse = ", "),
        if (length(importance) > 8L) ", ...", "\n", sep = "")
  }
}

print_model_summary <- function(name, x, digits, ...) {
  cat("\n", name, " (", format(x$quadrature$effective_nodes, digits = 3), " effective nodes):\n",
      sep = "")
  print_hyperparameters(x, digits, ...)
  cat(format_scaling(x$scaling, digits), "\n", sep = "")
  print_diagnostics(x$quadrature)
}

print_hyperparameters <- function(x, digits, ...) {
  mark <- function(names) {
    paste0(name_units(names, x$display_units), ifelse(names %in% x$warped, "*", ""))
  }
  if (nrow(x$hyperparameters) > 0L) {
    table <- format_table(in_display_units(x$hyperparameters, x$display_units), digits)
    row.names(table) <- mark(row.names(table))
    print(table, ...)
  }
  if (length(x$fixed) > 0L) {
    fixed <- in_display_units(data.frame(value = x$fixed, row.names = names(x$fixed)),
                              x$display_units)
    cat("\nFixed: ", paste(mark(row.names(fixed)), "=", signif(fixed$value, digits),
                           collapse = ", "), "\n", sep = "")
  }
  if (length(x$warped) > 0L) cat("* in units of the warped input\n")
  print_noise_factors(x$noise_effects)
  if (isTRUE(x$noise_floor[["share"]] > 0.05)) {
    cat("\nThe noise is at its floor, ", format(x$noise_floor[["noise"]], digits = 2),
        if (x$noise_floor[["share"]] < 0.995) {
          paste0(", with probability ", format(x$noise_floor[["share"]], digits = 2))
        }, ": see ?btg_prior.\n", sep = "")
  }
}

print_evidence <- function(quadrature, digits) {
  error <- quadrature$log_evidence_error
  caveat <- if (has_few_nodes(quadrature)) "rough: too few nodes"
            else if (!is.na(error)) paste("standard error", format(error, digits = 2))
  cat("Log evidence: ", format_log(quadrature$log_evidence),
      if (!is.null(caveat)) paste0(" (", caveat, ")"), "\n", sep = "")
}

# A caveat for the posterior of a model whose weight is on few nodes.
print_few_nodes <- function(quadrature) {
  if (has_few_nodes(quadrature)) {
    cat("The nodes are worth ", format(quadrature$effective_nodes, digits = 2),
        " of equal weight. The posterior and the log evidence\nare rough; `refine()` adds nodes.\n",
        sep = "")
  }
}

print_diagnostics <- function(quadrature) {
  print_few_nodes(quadrature)
  print_modes(quadrature)
  cat("Mass of dropped nodes: ", format(quadrature$dropped_mass, digits = 2),
      if (!is.na(quadrature$k_hat)) paste0("; k-hat: ", format(quadrature$k_hat, digits = 2)),
      "\n", sep = "")
  pressed <- names(which(quadrature$boundary_mass > 0.25))
  if (length(pressed) > 0L) {
    cat("The posterior presses against the prior of ", list_names(pressed), ".\n", sep = "")
  }
  if (quadrature$nodes_failed > 0L) {
    cat(quadrature$nodes_failed, "nodes could not be evaluated.\n")
  }
}

print_standard_error <- function(error) {
  if (anyNA(error)) {
    cat("Error of the quadrature: not known from a single node\n")
    return(invisible())
  }
  cat("Error of the quadrature, in predictive sds: medians ",
      format_percent(error["median", "mean"]), ",\n  ends of 95% intervals ",
      format_percent(error["ends", "mean"]), " (at most ",
      format_percent(error["ends", "max"]), ")\n", sep = "")
}

print_approximation <- function(approximation) {
  if (!is.null(approximation)) {
    cat("Error of the approximate covariance at new points, mean (worst):\n",
        paste0("  ", format_approximation_errors(approximation$errors), "\n"), sep = "")
    if (!is.null(approximation$shift)) {
      cat("  hyperparameters: ", format_shift(approximation$shift), "\n", sep = "")
    }
  }
}

# "sd of the process: 0.1% (2%)", one string per row of `errors`
format_approximation_errors <- function(errors) {
  of <- function(row, format) {
    paste0(format(errors[row, "mean"]), " (", format(errors[row, "worst"]), ")")
  }
  two_digits <- function(x) format(signif(x, 2L), scientific = FALSE)
  c(paste("sd of the process:", of("process", format_percent)),
    paste("sd of an observation:", of("observation", format_percent)),
    paste("median:", of("median", two_digits), "sds of the process"))
}

print_modes <- function(quadrature) {
  if (nrow(quadrature$modes) > 0L) {
    one <- nrow(quadrature$modes) == 1L
    cat(count_noun(nrow(quadrature$modes), "mode"), " found", if (!one) ", with masses ",
        if (!one) paste(signif(quadrature$modes$mass, 2), collapse = ", "), "\n", sep = "")
  }
}
