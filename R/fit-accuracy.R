# Measures the accuracy of the integral of a fit in the user's terms.

# Returns standard errors of predictions between the data, relative to the predictive sd; NA from a
# single node, unless all hyperparameters are fixed.
quadrature_error <- function(fit, most = 20L, ensemble = ensemble_of(fit), run = new_run()) {
  if (length(ensemble$weight) == 1L && length(free_hyperparameters(fit)) > 0L) {
    return(rbind(median = c(mean = NA_real_, max = NA_real_), ends = NA_real_))
  }
  request <- new_request(points_between(fit, most),
                         list(quantile = rbind(c(0.025, 0.5, 0.975))),
                         options = list(standard_error = TRUE), run = run)
  quantiles <- suppressWarnings(answer(ensemble, request))$answers$quantile
  width <- quantiles$value[, 3L] - quantiles$value[, 1L]
  relative <- quantiles$standard_error / (width / (2 * stats::qnorm(0.975)))
  ends <- relative[, c(1L, 3L)]
  rbind(median = c(mean = mean(relative[, 2L]), max = max(relative[, 2L])),
        ends = c(mean = mean(ends), max = max(ends)))
}

# Returns points halfway between at most `most` rows and their nearest rows. With little noise, the
# rows themselves are too certain to represent predictions elsewhere.
points_between <- function(fit, most) {
  points <- fit_points(fit)
  n <- row_count(fit)
  rows <- unique(round(seq(1, n, length.out = min(most, n))))
  # Levels and groups have nothing between them.
  coded <- c(fit$design$levels$column, coded_groups(fit$design))
  X <- euclidean_inputs(points$inputs, fit$design$levels)
  X[, coded_groups(fit$design)] <- 0
  partner <- vapply(rows, function(i) {
    distance <- rowSums((X - rep(X[i, ], each = n))^2)
    which.min(replace(distance, i, Inf))
  }, 0L)
  halfway <- function(values) {
    if (!is.null(values)) (values[rows, , drop = FALSE] + values[partner, , drop = FALSE]) / 2
  }
  inputs <- halfway(points$inputs)
  inputs[, coded] <- points$inputs[rows, coded]
  new_points(inputs, halfway(points$trend), halfway(points$noise),
             drop(halfway(cbind(points$relative_noise))), rep(TRUE, length(rows)),
             points$names[rows])
}

# Returns the columns of the inputs that hold codes of groups.
coded_groups <- function(design) {
  unique(as.integer(unlist(lapply(design$terms, function(term) term$group[term$group > 0L]))))
}

# btg() warns above this mean absolute error to be expected of the ends of 95% intervals, in
# predictive standard deviations. bench/warning.R measures how often it warns correctly.
largest_error <- 0.1

# Returns the mean absolute value of a normal error with these standard deviations.
expected_error <- function(standard_error) sqrt(2 / pi) * standard_error

# Returns the error that decides on a warning. Its factors serve later predictions. If they are too
# large to cache, a few nodes may already show that the error is small.
error_of_ends <- function(fit, ensemble) {
  if (!has_standard_errors(fit)) {
    return(0)
  }
  few <- thin_ensemble(ensemble)
  if (length(few$weight) < length(ensemble$weight) && !are_factors_cached(ensemble)) {
    rough <- quadrature_error(fit, ensemble = few, run = new_run(cache = FALSE))["ends", "mean"]
    if (isTRUE(expected_error(rough) < largest_error / 2)) {
      return(rough)
    }
  }
  quadrature_error(fit, ensemble = ensemble)["ends", "mean"]
}

# Warns if the integral of a model of positive weight is inaccurate, and keeps the error as
# `accuracy` for print(); neither if the option `btg.warn_quadrature` is FALSE.
warn_quadrature <- function(fit, built = NULL) {
  fit$accuracy <- NULL # of an earlier integral
  if (isFALSE(getOption("btg.warn_quadrature"))) {
    return(fit)
  }
  poor <- poor_models(fit)
  error <- error_of_ends(fit, with_built_models(ensemble_of(fit, built)))
  fit$accuracy <- error
  inaccurate <- isTRUE(expected_error(error) > largest_error)
  if (length(poor) == 0L && !inaccurate) {
    return(fit)
  }
  warn_btg(c(
    "Results are rough: the average over the hyperparameters is not accurate.",
    if (inaccurate) {
      c(x = paste0("The ends of 95% intervals are off by about ", format_percent(error),
                   " of a predictive standard deviation (one standard error)."))
    },
    stats::setNames(poor, rep("x", length(poor))),
    i = if (is_budgeted(fit$settings$rule)) {
      "`refine()` averages over more settings. See ?`btg-troubleshooting`."
    } else {
      "Use the default quadrature, `quad_adaptive()`, or more nodes."
    }
  ), "quadrature")
  fit
}

# Rules with random points estimate their errors; grids do not.
has_standard_errors <- function(fit) {
  draws_points(fit$settings$rule) &&
    all(vapply(fit$models, function(model) model$quadrature$nodes_tried > 1L, NA))
}

# Returns whether the nodes of a model are too few to estimate their error.
has_few_nodes <- function(quadrature) {
  isTRUE(quadrature$effective_nodes < quadrature$least_effective)
}

# Returns a sentence for each model of weight above 0.1 with too few nodes to estimate their error.
poor_models <- function(fit) {
  weights <- fit$model_weights
  heavy <- fit$models[weights > 0.1]
  found <- vapply(heavy, function(model) {
    quadrature <- model$quadrature
    if (!has_few_nodes(quadrature) || quadrature$nodes_tried <= 1L) {
      return("")
    }
    paste0(few_settings(quadrature$effective_nodes), " nearly all the weight%s; ",
           quadrature$good_effective, " or more are wanted.")
  }, "")
  of_model <- if (length(fit$models) > 1L) {
    paste0(" of \"", names(heavy), "\" (weight ",
           format(weights[weights > 0.1], digits = 1L, trim = TRUE), ")")
  } else {
    ""
  }
  poor <- nzchar(found)
  unname(unlist(Map(sub, "%s", of_model, found))[poor])
}

# "Two settings carry", "About 5 settings carry"
few_settings <- function(effective) {
  count <- max(round(effective), 1)
  if (count == 1) "One setting of the hyperparameters carries"
  else paste(if (count == 2) "Two" else paste("About", count),
             "settings of the hyperparameters carry")
}
