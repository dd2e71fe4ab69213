# How accurate the integral of a fit is, in the user's terms.

# Standard errors of predictions between the data, relative to the predictive standard deviation;
# with the `count` of draw_nodes() an estimate from the nodes that were drawn.
quadrature_error <- function(fit, most = 20L, count = NULL) {
  points <- points_between(fit, most)
  options <- answer_options(fit, standard_error = TRUE)
  if (!is.null(count)) {
    # A sum of v f over all nodes is the mean of v / w f over nodes drawn by their weights w.
    share <- count / sum(count) / node_weights(fit)
    options$weight_variances <- (share * options$weight_variances)[count > 0]
    fit <- sketch_fit(fit, count)
  }
  answer <- suppressWarnings(
    answer_questions(fit, points, list(quantile = rbind(c(0.025, 0.5, 0.975))), options = options,
                     call = quote(summary()), keep = is.null(count))
  )$answers$quantile
  width <- answer$value[, 3L] - answer$value[, 1L]
  relative <- answer$standard_error / (width / (2 * stats::qnorm(0.975)))
  ends <- relative[, c(1L, 3L)]
  rbind(median = c(mean = mean(relative[, 2L]), max = max(relative[, 2L])),
        ends = c(mean = mean(ends), max = max(ends)))
}

# Points halfway from at most `most` rows of the data to those nearest to them, as of
# prediction_points(). At a row itself next to nothing is uncertain where there is little noise, and
# errors relative to that would say nothing of predictions elsewhere.
points_between <- function(fit, most) {
  points <- prediction_points(fit, NULL, quote(summary()))
  n <- row_count(fit)
  rows <- unique(round(seq(1, n, length.out = min(most, n))))
  X <- points$inputs
  partner <- vapply(rows, function(i) {
    distance <- rowSums((X - rep(X[i, ], each = n))^2)
    which.min(replace(distance, i, Inf))
  }, 0L)
  halfway <- function(values) (values[rows, , drop = FALSE] + values[partner, , drop = FALSE]) / 2
  columns <- c("inputs", "trend", "noise")
  points[columns] <- lapply(points[columns], function(values) if (!is.null(values)) halfway(values))
  points$relative_noise <- drop(halfway(cbind(points$relative_noise)))
  points$complete <- rep(TRUE, length(rows))
  points$names <- points$names[rows]
  points$na.action <- NULL
  points
}

# Above this a warning is due: the mean absolute error to be expected of the ends of 95% intervals,
# in standard deviations of the prediction.
largest_error <- 0.1

# Of a normal error with these standard deviations.
expected_error <- function(standard_error) sqrt(2 / pi) * standard_error

# The error that a warning goes by. The factors that it takes serve predictions later; where they
# are too large to be kept, those of a few nodes may tell already that all is well.
error_of_ends <- function(fit) {
  if (!has_standard_errors(fit)) {
    return(0)
  }
  count <- draw_nodes(fit)
  if (!is.null(count) && !are_factors_kept(core_ensemble(fit))) {
    rough <- quadrature_error(fit, count = count)["ends", "mean"]
    if (isTRUE(expected_error(rough) < largest_error / 2)) {
      return(rough)
    }
  }
  quadrature_error(fit)["ends", "mean"]
}

# Said when the integral of a fit is not accurate, whatever is wrong with models that have no
# weight. `options(btg.warn_quadrature = FALSE)` silences it.
warn_quadrature <- function(fit, call = quote(btg())) {
  if (isFALSE(getOption("btg.warn_quadrature"))) {
    return(fit)
  }
  poor <- poor_models(fit)
  error <- error_of_ends(fit)
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
    i = if (fit$settings$rule$name == "adaptive") {
      "Use `refine()` to add nodes, or narrower priors; `summary()` shows the diagnostics."
    } else {
      "Use the default quadrature, `quad_adaptive()`, or more nodes."
    }
  ), "quadrature", call)
  fit
}

# Rules that draw points know their errors; grids do not.
has_standard_errors <- function(fit) {
  "seed" %in% names(registry()$rules[[fit$settings$rule$name]]) &&
    all(vapply(fit$models, function(model) model$quadrature$nodes_tried > 1L, NA))
}

# A sentence for each model that matters and has too few nodes to tell their own error.
poor_models <- function(fit) {
  weights <- fit$model_weights
  said <- vapply(fit$models[weights > 0.1], function(model) {
    wanted <- wanted_nodes(model, fit$settings$rule)
    effective <- model$quadrature$effective_nodes
    if (effective >= wanted[["least"]] || model$quadrature$nodes_tried <= 1L) {
      return("")
    }
    paste0("nodes are worth ", format(effective, digits = 2), " of equal weight; ",
           wanted[["good"]], " or more are wanted.")
  }, "")
  said <- said[nzchar(said)]
  if (length(said) == 0L || length(fit$models) == 1L) {
    return(sub("^nodes", "Its nodes", unname(said)))
  }
  paste0("Of \"", names(said), "\", whose weight is ", format(weights[names(said)], digits = 2),
         ", ", said)
}
