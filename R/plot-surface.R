# Maps over two variables: the panels of plot() for `which = "surface"`.

# `at` is the value of the response whose exceedance is drawn; NULL for its 90% quantile.
plot_surface <- function(fit, variables, level, observation, points, at, ...) {
  panels <- open_panels(3L, surface_layout(), ...)
  on.exit(graphics::par(panels$old))
  surface <- predicted_surface(fit, variables, level, observation, min(points, 40L), at)
  kept <- attr(surface, "threshold")
  response <- fit$response_name
  titles <- c(median = paste("median of", response),
              width = paste0("width of ", 100 * level, "% intervals"),
              exceedance = paste0("P(", response, " > ", format(kept, digits = 3), ")"))
  for (k in seq_along(titles)) {
    draw_map(fit, surface, variables, names(titles)[k], titles[[k]], panels$labels[[k]])
  }
  draw_title(panels$title)
  surface
}

# Three maps beside each other on a wide page, else above each other.
surface_layout <- function() {
  size <- grDevices::dev.size()
  wide <- size[1L] > 1.6 * size[2L]
  layout <- panel_layout(3L, if (wide) 3L else 2L)
  layout$mar <- c(4.2, 4.2, 2.2, 5.5)
  layout
}

# The two variables of a map: those that were asked for, or the first two that are numbers.
surface_variables <- function(fit, variables, call) {
  curves <- Filter(function(name) is_curve(fit, name), all_variables(fit))
  if (is.null(variables)) variables <- utils::head(curves, 2L)
  if (length(variables) != 2L || !all(variables %in% curves) || anyDuplicated(variables)) {
    abort_btg(c(
      "A map needs two variables that are numbers.",
      x = if (length(variables) > 0L) paste0("Given: ", list_names(variables), "."),
      i = if (length(curves) > 1L) paste0("Name two of ", list_names(curves, most = Inf),
                                          " in `variables`.")
          else "Use `which = \"fit\"`."
    ), "plot", call)
  }
  variables
}

# A data frame with a row for each point of a grid: the two variables, the `median`, the `width` of
# the interval, and the `exceedance` of the attribute `threshold`.
predicted_surface <- function(fit, variables, level, observation, points, at) {
  along <- lapply(variables, function(name) values_along(fit, name, points))
  grid <- expand.grid(stats::setNames(along, variables), KEEP.OUT.ATTRS = FALSE)
  new <- slice_data(fit, variables[1L], 1L)[rep(1L, nrow(grid)), , drop = FALSE]
  row.names(new) <- NULL
  new[variables] <- grid
  threshold <- if (is.null(at)) stats::quantile(fit_response(fit), 0.9, names = FALSE) else at
  probs <- c(0.5, (1 - level) / 2, (1 + level) / 2)
  quiet <- function(...) {
    suppressWarnings(predict(fit, new, observation = observation, ...),
                     classes = paste0("btg_warning_", c("lost_mass", "rearranged", "outside_warp")))
  }
  quantiles <- quiet(type = "quantile", probs = probs)
  structure(
    data.frame(grid, median = quantiles[, 1L], width = quantiles[, 3L] - quantiles[, 2L],
               exceedance = quiet(type = "exceedance", at = threshold)[, 1L], check.names = FALSE),
    threshold = threshold
  )
}

map_colours <- c(median = "Viridis", width = "Purples 3", exceedance = "Blues 3")

draw_map <- function(fit, surface, variables, what, title, labels) {
  x <- without_unit(sort(unique(surface[[variables[1L]]])))
  y <- without_unit(sort(unique(surface[[variables[2L]]])))
  z <- matrix(surface[[what]], length(x))
  reach <- if (what == "exceedance") c(0, 1) else range(z, finite = TRUE)
  if (reach[1L] == reach[2L]) reach <- reach + c(-0.5, 0.5) * max(abs(reach[1L]), 1e-6)
  colours <- grDevices::hcl.colors(40L, map_colours[[what]], rev = what != "median")
  plot_panel(range(x), range(y), type = "n", xlab = variables[1L], ylab = variables[2L],
             main = title, cex.main = 1, xaxs = "i", yaxs = "i", labels = labels)
  graphics::image(as.numeric(x), as.numeric(y), z, zlim = reach, col = colours, add = TRUE)
  graphics::contour(as.numeric(x), as.numeric(y), z, add = TRUE, col = "#00000060",
                    drawlabels = FALSE, nlevels = 6L)
  # White dots with a dark edge are seen on all colours.
  graphics::points(without_unit(fit$data[[variables[1L]]]),
                   without_unit(fit$data[[variables[2L]]]), pch = 21, cex = 0.45, lwd = 0.6,
                   bg = "white", col = "#333333")
  draw_key(colours, reach)
}

# A strip of colours with its numbers, in the right margin.
draw_key <- function(colours, reach) {
  usr <- graphics::par("usr")
  inch <- diff(usr[1:2]) / graphics::par("pin")[1L]
  left <- usr[2L] + 0.1 * inch
  right <- left + 0.15 * inch
  edges <- seq(usr[3L], usr[4L], length.out = length(colours) + 1L)
  graphics::rect(left, edges[-length(edges)], right, edges[-1L], col = colours, border = NA,
                 xpd = NA)
  ticks <- pretty(reach, 4L)
  ticks <- ticks[ticks >= reach[1L] & ticks <= reach[2L]]
  at <- usr[3L] + (ticks - reach[1L]) / diff(reach) * diff(usr[3:4])
  graphics::text(right + 0.05 * inch, at, format(ticks, trim = TRUE), adj = c(0, 0.5), xpd = NA,
                 cex = 0.8)
}
