# The noise of a fit along a variable.

# The standard deviation of the noise along one variable, the others held: its values, the median,
# and the ends of the intervals over the nodes, outermost first, on the scale that nodes share
# (ask-transformed.R): without a transform, that of the response.
noise_band <- function(fit, name, level, points) {
  new <- slice_data(fit, name, points)
  at <- prediction_points(fit, new, quote(plot()))$noise
  each <- lapply(kept_models(fit), function(model) {
    nodes <- predictive_nodes(model)
    core <- check_core(core_trend(fit$design, model$problem, nodes$hyper, core_run()),
                       quote(plot()))
    scale <- shared_units(model, hyper = nodes$hyper)$scale * sqrt(as.vector(core$variance))
    sweep(sqrt(noise_variance(model, nodes$hyper, at, nrow(new))), 2L, scale, `*`)
  })
  weight <- pmax(node_weights(fit), 0)
  probs <- effect_probs(level)
  sds <- do.call(cbind, each)
  quantiles <- t(apply(sds, 1L, weighted_quantile, weight = weight / sum(weight), p = probs))
  colnames(quantiles) <- c("median", interval_names(probs[-1L]))
  data.frame(value = new[[name]], quantiles, check.names = FALSE)
}

# sigma2 exp(b' gamma) at each row of `columns` and node: rows x nodes.
noise_variance <- function(model, hyper, columns, rows) {
  of_noise <- vapply(model$problem$hyperparameters, function(h) h$role == "noise", NA)
  parameters <- t(hyper[, of_noise, drop = FALSE])
  level <- matrix(parameters[1L, ], rows, ncol(parameters), byrow = TRUE)
  columns <- columns[, model$problem$noise_columns, drop = FALSE]
  if (is.null(columns)) level else level * exp(columns %*% parameters[-1L, , drop = FALSE])
}

plot_noise <- function(fit, variables, level, points, ...) {
  panels <- open_panels(length(variables), panel_layout(length(variables)), ...)
  on.exit(graphics::par(panels$old))
  bands <- Map(function(name, labels) {
    band <- noise_band(fit, name, level, points)
    draw_noise(fit, name, band, labels)
    band
  }, stats::setNames(nm = variables), panels$labels)
  draw_title(panels$title)
  bands
}

draw_noise <- function(fit, name, band, labels) {
  numeric <- is_curve(fit, name)
  at <- if (numeric) without_unit(band$value) else seq_along(band$value)
  plot_panel(range(at) + if (numeric) 0 else c(-0.5, 0.5), c(0, max(band[-1L])), type = "n",
             xlab = name, ylab = noise_label(fit), labels = labels,
             categories = if (!numeric) as.character(band$value))
  colour <- panel_colour(labels)
  if (!inherits(fit, "wgp")) draw_bands(at, band[-(1:2)], numeric, colour)
  if (numeric) {
    graphics::lines(at, band$median, col = colour, lwd = 2.5)
  } else {
    graphics::segments(at - 0.3, band$median, at + 0.3, band$median, lwd = 2.5, col = colour)
  }
}

noise_label <- function(fit) {
  transformed <- any(vapply(kept_models(fit), function(model) {
    !identical(model$transform$layers, "identity")
  }, NA))
  paste0("noise sd of ", if (transformed) "g(", fit$response_name, if (transformed) ")")
}

# The variables of the model of the noise, or those that were asked for.
noise_variables_to_plot <- function(fit, variables, call) {
  if (is.null(fit$blueprint$noise) && is.null(variables)) {
    abort_btg(c("The noise of this fit is the same everywhere.",
                i = "Model it with `noise = ~ x`: see `?btg`."), "plot", call)
  }
  own <- intersect(all.vars(fit$blueprint$noise$terms), names(fit$data))
  variables_to_plot(fit, if (is.null(variables)) own else variables, call)
}
