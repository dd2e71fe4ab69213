# Maps over two variables: plot() with `which = "surface"`.

map_palettes <- c(median = "Viridis", width = "Purples 3", exceedance = "Blues 3")

surface_page <- function(fit, request) {
  variables <- surface_variables(fit, request$variables)
  level <- max(request$level)
  surface <- predicted_surface(fit, variables, level, request$observation,
                               min(request$points, 40L), request$at)
  response <- fit$response_name
  threshold <- format(attr(surface, "threshold"), digits = 3)
  titles <- c(median = paste("median of", response),
              width = paste0("width of ", 100 * level, "% intervals"),
              exceedance = paste0("P(", response, " > ", threshold, ")"))
  plot_page(Map(function(what, title) map_panel(fit, surface, variables, what, title),
                names(titles), titles), surface)
}

# The two variables of a map: those the user named, or the first two that are numbers.
surface_variables <- function(fit, variables) {
  curves <- Filter(function(name) is_curve(fit, name), all_variables(fit))
  if (is.null(variables)) variables <- utils::head(curves, 2L)
  if (length(variables) != 2L || !all(variables %in% curves) || anyDuplicated(variables)) {
    abort_btg(c(
      "A map needs two variables that are numbers.",
      x = if (length(variables) > 0L) paste0("Given: ", list_names(variables), "."),
      i = if (length(curves) > 1L) paste0("Name two of ", list_names(curves, most = Inf),
                                          " in `variables`.")
          else "Use `which = \"fit\"`."
    ), "plot")
  }
  variables
}

# One row per point of a grid: the two variables, the `median`, the `width` of the interval, and the
# `exceedance` of `at`, by default the 90% quantile of the response. The attribute `threshold` is
# the value that was used.
predicted_surface <- function(fit, variables, level, observation, points, at) {
  along <- lapply(variables, function(name) values_along(fit, name, points))
  grid <- expand.grid(stats::setNames(along, variables), KEEP.OUT.ATTRS = FALSE)
  new <- held_data(fit, nrow(grid))
  new[variables] <- grid
  threshold <- if (is.null(at)) stats::quantile(fit_response(fit), 0.9, names = FALSE) else at
  quantiles <- predict_quietly(fit, new, type = "quantile", observation = observation,
                               probs = c(0.5, (1 - level) / 2, (1 + level) / 2))
  exceedance <- predict_quietly(fit, new, type = "exceedance", at = threshold,
                                observation = observation)
  structure(
    data.frame(grid, median = quantiles[, 1L], width = quantiles[, 3L] - quantiles[, 2L],
               exceedance = exceedance[, 1L], check.names = FALSE),
    threshold = threshold
  )
}

# A map of one column of the surface, with contours, the places of the data, and a key of colours to
# the right of the panel.
map_panel <- function(fit, surface, variables, what, title) {
  x <- without_unit(surface[[variables[1L]]])
  y <- without_unit(surface[[variables[2L]]])
  z <- surface[[what]]
  reach <- if (what == "exceedance") c(0, 1) else range(z, finite = TRUE)
  if (reach[1L] == reach[2L]) reach <- reach + c(-0.5, 0.5) * max(abs(reach[1L]), 1e-6)
  colours <- grDevices::hcl.colors(40L, map_palettes[[what]], rev = what != "median")
  fill <- colours[findInterval(z, seq(reach[1L], reach[2L], length.out = 41L), all.inside = TRUE)]
  half <- function(values) max(diff(sort(unique(as.numeric(values)))), 0) / 2
  # A grid of one point, along either variable, is drawn as one cell.
  wide <- if (half(x) > 0) half(x) else 0.5
  high <- if (half(y) > 0) half(y) else 0.5
  edges <- function(values, half) range(values) + c(-half, half)
  layers <- c(
    list(map = plot_layer("boxes", xmin = x - wide, xmax = x + wide, ymin = y - high,
                          ymax = y + high, fill = fill),
         contours = contour_layer(x, y, z),
         # White dots with a dark edge show on all colours.
         data = plot_layer("points", x = without_unit(fit$data[[variables[1L]]]),
                           y = without_unit(fit$data[[variables[2L]]]), colour = "#333333",
                           size = 0.45, shape = 21)),
    key_layers(edges(x, wide), edges(y, high), colours, reach)
  )
  plot_panel(layers, plot_axis(variables[1L], edges(x, wide), flush = TRUE),
             plot_axis(variables[2L], edges(y, high), flush = TRUE), title)
}

# NULL for a flat map.
contour_layer <- function(x, y, z) {
  at_x <- sort(unique(as.numeric(x)))
  at_y <- sort(unique(as.numeric(y)))
  if (length(at_x) < 2L || length(at_y) < 2L || length(unique(z)) < 2L) {
    return(NULL)
  }
  paths <- grDevices::contourLines(at_x, at_y, matrix(z, length(at_x)), nlevels = 6L)
  sizes <- vapply(paths, function(path) length(path$x), 0L)
  if (length(paths) == 0L) {
    return(NULL)
  }
  plot_layer("line", x = as_time(unlist(lapply(paths, `[[`, "x")), if (is_time(x)) x),
             y = as_time(unlist(lapply(paths, `[[`, "y")), if (is_time(y)) y),
             group = rep(seq_along(paths), sizes), colour = "data", alpha = 0.38)
}

# A strip of colours with numbers, between 4% and 10% of the panel's width to the right of it.
key_layers <- function(xlim, ylim, colours, reach) {
  width <- diff(as.numeric(xlim))
  edges <- seq(as.numeric(ylim)[1L], as.numeric(ylim)[2L], length.out = length(colours) + 1L)
  at <- pretty(reach, 4L)
  at <- at[at >= reach[1L] & at <= reach[2L]]
  height <- edges[1L] + (at - reach[1L]) / diff(reach) * (edges[length(edges)] - edges[1L])
  time_y <- function(values) as_time(values, if (is_time(ylim)) ylim)
  list(key = plot_layer("boxes", xmin = xlim[2L] + 0.04 * width, xmax = xlim[2L] + 0.1 * width,
                        ymin = time_y(edges[-length(edges)]), ymax = time_y(edges[-1L]),
                        fill = colours, outside = TRUE),
       numbers = plot_layer("text", x = xlim[2L] + 0.12 * width, y = time_y(height),
                            text = format(at, trim = TRUE), colour = "data", size = 0.8,
                            adjust = 0, outside = TRUE))
}
