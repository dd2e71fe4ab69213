# Maps over two variables: plot() with `which = "surface"`.

surface_page <- function(fit, request) {
  variables <- surface_variables(fit, request$variables)
  request$level <- max(request$level)
  surface <- predicted_surface(fit, variables, request)
  threshold <- format(attr(surface, "threshold"), digits = 3)
  titles <- c(median = paste("median of", fit$response_name),
              width = paste0("width of ", 100 * request$level, "% intervals"),
              exceedance = paste0("P(", fit$response_name, " > ", threshold, ")"))
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
predicted_surface <- function(fit, variables, request) {
  points <- min(max(request$points, 2L), 40L)
  along <- lapply(stats::setNames(nm = variables), values_along, fit = fit, points = points)
  grid <- expand.grid(along, KEEP.OUT.ATTRS = FALSE)
  new <- held_data(fit, nrow(grid))
  new[variables] <- grid
  at <- request$at
  if (is.null(at)) at <- stats::quantile(fit_response(fit), 0.9, names = FALSE)
  quantiles <- predicted_quantiles(fit, new, request)
  exceedance <- predict_quietly(fit, new, request, type = "exceedance", at = at)
  structure(data.frame(grid, median = quantiles[, 1L], width = quantiles[, 3L] - quantiles[, 2L],
                       exceedance = exceedance[, 1L], check.names = FALSE), threshold = at)
}

# A map of one column of the surface, with contours, the places of the data, and a key of colours to
# the right of the panel.
map_panel <- function(fit, surface, variables, what, title) {
  x <- without_unit(surface[[variables[1L]]])
  y <- without_unit(surface[[variables[2L]]])
  z <- surface[[what]]
  half <- function(values) diff(as.numeric(sort(unique(values)))[1:2]) / 2
  xlim <- range(x) + half(x) * c(-1, 1)
  ylim <- range(y) + half(y) * c(-1, 1)
  reach <- if (what == "exceedance") c(0, 1) else range(z, finite = TRUE)
  if (reach[1L] == reach[2L]) reach <- reach + c(-0.5, 0.5) * max(abs(reach[1L]), 1e-6)
  palette <- switch(what, median = "Viridis", width = "Purples 3", exceedance = "Blues 3")
  # Dark is high on every map.
  colours <- grDevices::hcl.colors(40L, palette, rev = TRUE)
  cell <- findInterval(z, seq(reach[1L], reach[2L], length.out = 41L), all.inside = TRUE)
  layers <- list(
    map = plot_layer("boxes", xmin = x - half(x), xmax = x + half(x), ymin = y - half(y),
                     ymax = y + half(y), fill = colours[cell]),
    contours = contour_layer(x, y, z),
    # White dots with a dark edge show on all colours.
    data = plot_layer("points", x = without_unit(fit$data[[variables[1L]]]),
                      y = without_unit(fit$data[[variables[2L]]]), colour = "#333333",
                      size = 0.45, shape = 21)
  )
  plot_panel(c(layers, key_layers(xlim, ylim, colours, reach)),
             plot_axis(variables[1L], xlim, flush = TRUE),
             plot_axis(variables[2L], ylim, flush = TRUE), title)
}

# Contours of a map. A flat map has none.
contour_layer <- function(x, y, z) {
  at <- lapply(list(x, y), function(values) sort(unique(as.numeric(values))))
  paths <- if (length(unique(z)) > 1L) {
    grDevices::contourLines(at[[1L]], at[[2L]], matrix(z, length(at[[1L]])), nlevels = 6L)
  }
  joined <- do.call(rbind, Map(function(path, group) data.frame(path[c("x", "y")], group), paths,
                               seq_along(paths)))
  if (!is.null(joined)) {
    plot_layer("line", x = as_time(joined$x, x), y = as_time(joined$y, y), group = joined$group,
               colour = "data", alpha = 0.38)
  }
}

# A strip of colours with numbers. It takes up the space between 4% and 10% of the panel's width to
# the right of the panel.
key_layers <- function(xlim, ylim, colours, reach) {
  place <- function(share) xlim[2L] + share * diff(as.numeric(xlim))
  height <- function(share) ylim[1L] + share * diff(as.numeric(ylim))
  steps <- seq_along(colours) / length(colours)
  at <- pretty(reach, 4L)
  at <- at[at >= reach[1L] & at <= reach[2L]]
  list(key = plot_layer("boxes", xmin = place(0.04), xmax = place(0.1), outside = TRUE,
                        ymin = height(steps - steps[1L]), ymax = height(steps), fill = colours),
       numbers = plot_layer("text", x = place(0.12), y = height((at - reach[1L]) / diff(reach)),
                            text = format(at, trim = TRUE), colour = "data", size = 0.8,
                            adjust = c(0, 0.5), outside = TRUE))
}
