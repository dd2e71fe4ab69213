# Maps over two variables: plot() with `which = "surface"`.

surface_page <- function(fit, request) {
  variables <- surface_variables(fit, request$variables)
  request$level <- max(request$level)
  surface <- predicted_surface(fit, variables, request)
  threshold <- format(attr(surface, "threshold"), digits = 3)
  titles <- c(median = paste("median of", fit$response_name),
              width = paste0("width of ", 100 * request$level, "% intervals"),
              exceedance = paste0("P(", fit$response_name, " > ", threshold, ")"))
  panels <- Map(function(what, title) map_panel(fit, surface, variables, what, title),
                names(titles), titles)
  plot_page(panels, surface, caption = surface_caption(fit, request, variables, panels))
}

surface_caption <- function(fit, request, variables, panels) {
  held <- setdiff(all_variables(fit), variables)
  paste0("Predictions of ",
         if (request$observation) "new observations" else "the noise-free process",
         if (length(held) > 0L) paste0(", ", held_words(fit, variables[1L], variables[2L])),
         ". Dots: data.", if (!is.null(panels[[1L]]$layers$far)) " Hatched: far from all data.")
}

# The two variables of a map: those the user named, or coordinates, or the first two numbers.
surface_variables <- function(fit, variables) {
  curves <- Filter(function(name) is_curve(fit, name), all_variables(fit))
  chosen <- variables
  if (is.null(variables)) variables <- coordinate_pair(curves)
  if (is.null(variables)) variables <- utils::head(curves, 2L)
  if (length(variables) != 2L || !all(variables %in% curves) || anyDuplicated(variables)) {
    abort_btg(c(
      "A map needs two variables that are numbers.",
      x = if (length(chosen) > 0L) paste0("Given: ", list_names(chosen), ".")
          else paste0("This fit has ", if (length(variables) == 0L) "none."
                                       else paste0("one: ", list_names(variables), ".")),
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

# A map of one column of the surface, with contours, the places of the data, hatching far from them,
# and a key of colours to the right of the map.
map_panel <- function(fit, surface, variables, what, title) {
  x <- without_unit(surface[[variables[1L]]])
  y <- without_unit(surface[[variables[2L]]])
  z <- surface[[what]]
  data_x <- without_unit(fit$data[[variables[1L]]])
  data_y <- without_unit(fit$data[[variables[2L]]])
  half <- function(values) diff(as.numeric(sort(unique(values)))[1:2]) / 2
  xlim <- range(x) + half(x) * c(-1, 1)
  ylim <- range(y) + half(y) * c(-1, 1)
  reach <- if (what == "exceedance") c(0, 1) else range(z, finite = TRUE)
  if (reach[1L] == reach[2L]) reach <- reach + c(-0.5, 0.5) * max(abs(reach[1L]), 1e-6)
  palette <- switch(what, median = "Viridis", width = "Purples 3", exceedance = "Blues 3")
  # Dark is high on every map.
  colours <- grDevices::hcl.colors(40L, palette, rev = TRUE)
  fill <- colours[findInterval(z, seq(reach[1L], reach[2L], length.out = 41L), all.inside = TRUE)]
  layers <- list(
    map = plot_layer("boxes", xmin = x - half(x), xmax = x + half(x), ymin = y - half(y),
                     ymax = y + half(y), fill = fill),
    contours = contour_layer(x, y, z),
    far = far_layer(x, y, half(x), half(y), fill, far_from_data(x, y, data_x, data_y)),
    # White dots with a dark edge show on all colours.
    data = plot_layer("points", x = data_x, y = data_y, colour = "#333333", size = 0.45,
                      shape = 21)
  )
  plot_panel(c(layers, key_layers(xlim, ylim, colours, reach)),
             plot_axis(variables[1L], xlim, flush = TRUE, room = key_room),
             plot_axis(variables[2L], ylim, flush = TRUE), title,
             aspect = map_aspect(variables, x, y), tallest = 0.9)
}

# Which cells of a grid are further from all data than a tenth of the ranges, or than one and a half
# times the typical distance between evenly spread data.
far_from_data <- function(x, y, data_x, data_y) {
  share <- function(at, data) {
    ends <- range(as.numeric(data))
    (as.numeric(at) - ends[1L]) / diff(ends)
  }
  data <- unique(cbind(share(data_x, data_x), share(data_y, data_y)))
  at_x <- share(x, data_x)
  at_y <- share(y, data_y)
  nearest <- rep(Inf, length(at_x))
  for (i in seq_len(nrow(data))) {
    nearest <- pmin(nearest, (at_x - data[i, 1L])^2 + (at_y - data[i, 2L])^2)
  }
  sqrt(nearest) > max(0.1, 1.5 / sqrt(nrow(data)))
}

# Hatching: diagonals of cells, in every fourth line, light on dark cells and dark on light ones.
far_layer <- function(x, y, half_x, half_y, fill, far) {
  line <- match(x, sort(unique(x))) - match(y, sort(unique(y)))
  drawn <- which(far & line %% 4L == 0L)
  light <- colSums(grDevices::col2rgb(fill[drawn]) * c(0.3, 0.59, 0.11)) > 140
  plot_layer("strokes", x = x[drawn] - half_x, xend = x[drawn] + half_x, y = y[drawn] - half_y,
             yend = y[drawn] + half_y, fill = ifelse(light, "#000000", "#FFFFFF"), alpha = 0.45)
}

# The aspect of a map: a kilometre is as long northwards as eastwards. NULL, any aspect, for
# variables that are not coordinates and for maps over ten times as long as wide.
map_aspect <- function(variables, x, y) {
  if (is.null(coordinate_pair(variables)) || is_time(x) || is_time(y)) {
    return(NULL)
  }
  degrees <- any(tolower(variables) %in% latitude_names) && all(abs(range(y)) < 85)
  aspect <- if (degrees) 1 / cos(mean(range(y)) * pi / 180) else 1
  shape <- aspect * diff(range(y)) / diff(range(x))
  if (shape > 0.1 && shape < 10) aspect
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

# The room for a key to the right of a map, as a share of the map's width.
key_room <- 0.34

# A strip of colours with numbers, in the room beside a map.
key_layers <- function(xlim, ylim, colours, reach) {
  place <- function(share) xlim[2L] + share * diff(as.numeric(xlim))
  # The numbers at the ends stay below the title.
  height <- function(share) ylim[1L] + (0.03 + 0.91 * share) * diff(as.numeric(ylim))
  steps <- seq_along(colours) / length(colours)
  at <- pretty(reach, 4L)
  at <- at[at >= reach[1L] & at <= reach[2L]]
  list(key = plot_layer("boxes", xmin = place(0.05), xmax = place(0.11),
                        ymin = height(steps - steps[1L]), ymax = height(steps), fill = colours),
       numbers = plot_layer("text", x = place(0.13), y = height((at - reach[1L]) / diff(reach)),
                            text = format(at, trim = TRUE), colour = "data", size = 0.8,
                            adjust = c(0, 0.5)))
}
