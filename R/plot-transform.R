# The posterior of the transform: plot() with `which = "transform"`.

transform_page <- function(fit, request) {
  curve <- transform_curve(fit, request$level, request$points)
  layers <- c(
    curve_layers(curve$y, curve[-1L], request$level, bands = !inherits(fit, "wgp"),
                 gaps = data_gaps(fit_response(fit))),
    list(identity = diagonal_layer(line = 2, label = "without a transform"),
         data = plot_layer("rug", x = fit_response(fit), colour = "data", alpha = 0.5, size = 0.5))
  )
  layers$median$label <- "g"
  panel <- plot_panel(layers, fit$response_name, transform_label(fit))
  plot_page(list(panel), curve, caption = posterior_caption(fit, request$level, "g", list(panel)))
}

# Says what the line and the bands of a posterior are; a fit by wgp() has an estimate only.
posterior_caption <- function(fit, level, of, panels, where = NULL) {
  where <- if (!is.null(where)) paste0(", ", where)
  words <- if (inherits(fit, "wgp")) paste0("Line: estimate of ", of, where, ".")
           else paste0("Line: posterior median of ", of, ". Bands: ", level_words(level),
                       " posterior intervals", where, ".")
  paste0(words, gap_words(panels))
}

# A long name of the response is left out, since it labels the x axis already.
transform_label <- function(fit) {
  if (nchar(fit$response_name) > 20L) "g(y), in the units of the response"
  else paste0("g(", fit$response_name, "), in units of ", fit$response_name)
}

# Pointwise quantiles of g over the nodes: `y`, `median`, and the ends of the intervals, outermost
# first.
transform_curve <- function(fit, level, points) {
  y <- transform_grid(fit, points)
  data.frame(y, curve_quantiles(transformed_response(fit, y), posterior_weights(fit), level),
             check.names = FALSE)
}

# Half of the points are evenly spaced in the response. The other half are evenly spaced in its
# transform by the heaviest node, which may be steep near zero.
transform_grid <- function(fit, points) {
  y <- fit_response(fit)
  even <- seq(min(y), max(y), length.out = ceiling(points / 2))
  fine <- sort(c(y, seq(min(y), max(y), length.out = 1000L)))
  z <- transformed_response(fit, fine)[, which.max(posterior_weights(fit))]
  steep <- seq(min(z), max(z), length.out = points - length(even) + 2L)
  sort(c(even, stats::approx(z, fine, steep[-c(1L, length(steep))], ties = "ordered")$y))
}
