# How accurate the integral of a fit is, in the user's terms.

# Standard errors of predictions between the data, relative to the predictive standard deviation.
quadrature_error <- function(fit, most = 20L, ensemble = ensemble_of(fit), run = new_run()) {
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

# Points halfway between at most `most` rows of the data and their nearest rows. At a row itself
# hardly anything is uncertain where there is little noise, so that relative errors there would not
# describe predictions elsewhere.
points_between <- function(fit, most) {
  points <- fit_points(fit)
  n <- row_count(fit)
  rows <- unique(round(seq(1, n, length.out = min(most, n))))
  X <- points$inputs
  partner <- vapply(rows, function(i) {
    distance <- rowSums((X - rep(X[i, ], each = n))^2)
    which.min(replace(distance, i, Inf))
  }, 0L)
  halfway <- function(values) {
    if (!is.null(values)) (values[rows, , drop = FALSE] + values[partner, , drop = FALSE]) / 2
  }
  new_points(halfway(points$inputs), halfway(points$trend), halfway(points$noise),
             drop(halfway(cbind(points$relative_noise))), rep(TRUE, length(rows)),
             points$names[rows])
}

# Above this, btg() warns: the mean absolute error to be expected of the ends of 95% intervals, in
# standard deviations of the prediction.
largest_error <- 0.1

# The mean absolute value of a normal error with these standard deviations.
expected_error <- function(standard_error) sqrt(2 / pi) * standard_error

# The error that decides on a warning. The factors it takes serve later predictions; where they are
# too large to be cached, a few nodes may already show that all is well.
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

# Warns when the integral of a fit is not accurate; models without weight do not matter.
# `options(btg.warn_quadrature = FALSE)` silences it.
warn_quadrature <- function(fit, built = NULL) {
  if (isFALSE(getOption("btg.warn_quadrature"))) {
    return(fit)
  }
  poor <- poor_models(fit)
  error <- error_of_ends(fit, with_built_models(ensemble_of(fit, built)))
  inaccurate <- isTRUE(expected_error(error) > largest_error)
  if (length(poor) == 0L && !inaccurate) {
    return(fit)
  }
  warn_btg(c(
    "The integral over the hyperparameters is not accurate.",
    if (inaccurate) {
      c(x = paste0("The ends of 95% intervals have standard errors of ", format_percent(error),
                   " of the predictive standard deviation, from the quadrature."))
    },
    stats::setNames(poor, rep("x", length(poor))),
    i = if (is_budgeted(fit$settings$rule)) {
      "Use `refine()` to add nodes, or narrower priors; `summary()` shows the diagnostics."
    } else {
      "Use the default quadrature, `quad_adaptive()`, or more nodes."
    }
  ), "quadrature")
  fit
}

# Rules that draw points estimate their errors; grids do not.
has_standard_errors <- function(fit) {
  draws_points(fit$settings$rule) &&
    all(vapply(fit$models, function(model) model$quadrature$nodes_tried > 1L, NA))
}

# A sentence for each model of some weight with too few nodes to estimate their own error.
poor_models <- function(fit) {
  weights <- fit$model_weights
  found <- vapply(fit$models[weights > 0.1], function(model) {
    quadrature <- model$quadrature
    few <- isTRUE(quadrature$effective_nodes < quadrature$least_effective)
    if (!few || quadrature$nodes_tried <= 1L) {
      return("")
    }
    paste0("nodes are worth ", format(quadrature$effective_nodes, digits = 2),
           " of equal weight; ", quadrature$good_effective, " or more are wanted.")
  }, "")
  found <- found[nzchar(found)]
  if (length(found) == 0L || length(fit$models) == 1L) {
    return(sub("^nodes", "Its nodes", unname(found)))
  }
  paste0("Of \"", names(found), "\", whose weight is ", format(weights[names(found)], digits = 2),
         ", ", found)
}
