# What plots show, as data frames: drawn by plot() with base graphics and by autoplot() with
# ggplot2.

# The posterior of g, pointwise over the nodes: columns `y`, `median`, and the ends of the
# intervals, outermost first, as in variable_effect().
transform_band <- function(fit, level, points) {
  at <- transform_grid(fit, points)
  z <- transformed_response(fit, at)
  weight <- pmax(posterior_weights(fit), 0)
  probs <- effect_probs(level)
  quantiles <- t(apply(z, 1L, weighted_quantile, weight = weight / sum(weight), p = probs))
  colnames(quantiles) <- c("median", interval_names(probs[-1L]))
  data.frame(y = at, quantiles, check.names = FALSE)
}

# Half of the points are evenly spaced in the response, half in its transform by the heaviest node,
# which near zero may be steep.
transform_grid <- function(fit, points) {
  y <- fit_response(fit)
  even <- seq(min(y), max(y), length.out = ceiling(points / 2))
  fine <- sort(c(y, seq(min(y), max(y), length.out = 1000L)))
  z <- transformed_response(fit, fine)[, which.max(posterior_weights(fit))]
  steep <- seq(min(z), max(z), length.out = points - length(even) + 2L)
  sort(c(even, stats::approx(z, fine, steep[-c(1L, length(steep))], ties = "ordered")$y))
}

# 0.5 and the ends of intervals, outermost first: `level` is sorted.
effect_probs <- function(level) c(0.5, (1 - rev(level)) / 2, (1 + level) / 2)

# The histogram of each free hyperparameter of each model: one row a bar from `from` to `to`, which
# are logarithms if it is positive; `title` is the model's name in an average, of which the four
# models of largest weight are shown.
posterior_bars <- function(fit, bars = 20L) {
  models <- kept_models(fit)
  heaviest <- order(fit$model_weights[names(models)], decreasing = TRUE)
  if (length(models) > 4L) models <- models[sort(heaviest[1:4])]
  each <- Map(function(model, name) {
    free <- Filter(Negate(is_fixed), model$problem$hyperparameters)
    nodes <- model_nodes(model)
    lapply(unname(free), function(h) {
      data.frame(title = if (is_average(fit)) name else "", name = h$name, positive = h$positive,
                 weighted_histogram(nodes[[h$name]], nodes$weight, h$positive, bars))
    })
  }, models, names(models))
  bars <- do.call(rbind, unlist(each, recursive = FALSE, use.names = FALSE))
  if (is.null(bars)) {
    abort_btg(c("All hyperparameters of this fit are fixed.",
                i = "There is no posterior to draw."), "plot", quote(plot()))
  }
  bars
}

weighted_histogram <- function(values, weight, logarithms, bars) {
  weight <- pmax(weight, 0) / sum(pmax(weight, 0))
  if (logarithms) values <- log(values)
  reach <- weighted_quantile(values, weight, c(0.001, 0.999))
  if (reach[1L] == reach[2L]) reach <- reach + c(-0.5, 0.5) * max(1e-3, 0.1 * abs(reach[1L]))
  breaks <- seq(reach[1L], reach[2L], length.out = bars + 1L)
  bin <- findInterval(values, breaks, all.inside = TRUE)
  height <- vapply(seq_len(bars), function(k) sum(weight[bin == k]), 0) / diff(breaks)
  data.frame(from = breaks[-(bars + 1L)], to = breaks[-1L], density = height)
}

# Round numbers for an axis of logarithms.
log_ticks <- function(reach, most = 4L) {
  ticks <- grDevices::axisTicks(reach / log(10), log = TRUE, nint = most)
  ticks[log(ticks) >= reach[1L] & log(ticks) <= reach[2L]]
}

# The nodes of the fit by decreasing weight: `model`, `rank`, `weight`, `cumulative` weight, and
# `drop`, how far the log posterior is below its highest at a node of the model.
quadrature_nodes <- function(fit) {
  nodes <- nodes(fit)
  model <- if (is_average(fit)) nodes$model else "nodes"
  log_posterior <- nodes$log_marginal + nodes$log_prior
  data.frame(model = model, rank = seq_len(nrow(nodes)), weight = nodes$weight,
             cumulative = cumsum(nodes$weight),
             drop = stats::ave(log_posterior, model, FUN = max) - log_posterior)
}

# The modes that were found, with their mass within the fit, and `drop` as of quadrature_nodes().
quadrature_modes <- function(fit) {
  models <- kept_models(fit)
  each <- Map(function(model, share, name) {
    modes <- model$quadrature$modes
    highest <- max(model$posterior$log_marginal + model$posterior$log_prior)
    # In the coordinates of the nodes: those of the search are others.
    at <- model_log_posterior(model, fit$design, modes, quote(plot()))
    data.frame(model = rep(if (is_average(fit)) name else "nodes", nrow(modes)),
               mass = share * modes$mass, drop = highest - at)
  }, models, fit$model_weights[names(models)], names(models))
  do.call(rbind, unname(each))
}

# Bars of the PIT values of a cross-validation, and the `band` in which 95% of them would fall.
pit_bars <- function(pointwise) {
  n <- nrow(pointwise)
  bins <- max(5L, min(20L, n %/% 10L))
  breaks <- seq(0, 1, length.out = bins + 1L)
  counts <- tabulate(findInterval(pointwise$pit, breaks, all.inside = TRUE), bins)
  structure(
    data.frame(from = breaks[-(bins + 1L)], to = breaks[-1L], density = counts * bins / n),
    band = stats::qbinom(c(0.025, 0.975), n, 1 / bins) * bins / n
  )
}

# The share of responses inside intervals of each probability, and its standard error.
coverage_curve <- function(pointwise) {
  probability <- seq(0.02, 0.98, by = 0.02)
  inside <- vapply(probability, function(p) mean(is_covered(pointwise, p)), 0)
  error <- 1.96 * sqrt(probability * (1 - probability) / nrow(pointwise))
  data.frame(probability, inside, lower = pmax(0, probability - error),
             upper = pmin(1, probability + error))
}
