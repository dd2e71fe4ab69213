# Plots of regions: intervals of each group, and maps of joint exceedance.

#' @rdname predict_region
#' @export
plot.btg_region <- function(x, ...) {
  invisible(draw_page(region_page(x), ...))
}

# The median and interval of each region.
region_page <- function(x) {
  estimates <- x$estimates
  label <- switch(x$fun, share = paste("share of", x$response, "above", format(x$threshold)),
                  `function` = paste("summary of", x$response), paste(x$fun, "of", x$response))
  layers <- curve_layers(seq_len(nrow(estimates)), estimates[c("median", "lwr", "upr")], x$level,
                         continuous = FALSE)
  panel <- plot_panel(layers, plot_axis("", names = estimates$region), plot_axis(label),
                      paste0("Medians and ", 100 * x$level, "% intervals"))
  plot_page(list(panel), estimates)
}

#' @rdname exceedance_region
#' @export
plot.btg_exceedance <- function(x, ...) {
  invisible(draw_page(exceedance_page(x), ...))
}

exceedance_page <- function(x) {
  if (is.null(x$places)) {
    abort_btg(c("A map needs two variables that are numbers.",
                i = "`as.data.frame()` has the regions of all rows."), "plot")
  }
  colours <- c(above = "#B2182B", between = "#D9D9D9", below = "#4393C3")
  # Half the distance to the next different place: cells of a grid touch.
  half <- c(half_step(x$places$x), half_step(x$places$y))
  known <- !is.na(x$rows$region)
  at_x <- x$places$x[known]
  at_y <- x$places$y[known]
  xlim <- range(at_x) + half[1L] * c(-1, 1)
  ylim <- range(at_y) + half[2L] * c(-1, 1)
  map <- plot_layer("boxes", xmin = at_x - half[1L], xmax = at_x + half[1L],
                    ymin = at_y - half[2L], ymax = at_y + half[2L],
                    fill = unname(colours[x$rows$region[known]]))
  panel <- plot_panel(c(list(map = map), word_key(colours, xlim, ylim)),
                      plot_axis(x$places$labels[1L], xlim, flush = TRUE, room = key_room),
                      plot_axis(x$places$labels[2L], ylim, flush = TRUE),
                      paste0("Where ", x$response, " is above ", format(x$threshold), ", jointly ",
                             100 * x$level, "% sure"),
                      aspect = map_aspect(x$places$labels, at_x, at_y))
  plot_page(list(panel), x$rows, caption = paste0(
    "Regions of ", if (x$observation) "new observations" else "the noise-free process",
    ". Grey: undecided."
  ))
}

# Colours with words, in the room beside a map.
word_key <- function(colours, xlim, ylim) {
  place <- function(share) xlim[2L] + share * diff(xlim)
  middle <- ylim[2L] - (seq_along(colours) - 0.5) * diff(ylim) / 10
  list(key = plot_layer("boxes", xmin = place(0.03), xmax = place(0.08),
                        ymin = middle - diff(ylim) / 40, ymax = middle + diff(ylim) / 40,
                        fill = unname(colours)),
       words = plot_layer("text", x = place(0.1), y = middle, text = names(colours),
                          colour = "data", size = 0.8, adjust = c(0, 0.5)))
}

half_step <- function(values) {
  steps <- diff(sort(unique(values)))
  if (length(steps) == 0L) 0.5 else stats::median(steps) / 2
}
