# Sobol indices as bars.

#' @rdname sensitivity
#' @export
plot.btg_sensitivity <- function(x, ...) {
  invisible(draw_page(sensitivity_page(x), ...))
}

sensitivity_page <- function(x) {
  panels <- lapply(c(first = "first", total = "total"), function(kind) {
    at <- seq_len(nrow(x$indices))
    ends <- x$indices[paste0(kind, c("_lwr", "_upr"))]
    layers <- list(
      bars = plot_layer("boxes", xmin = at - 0.3, xmax = at + 0.3, ymin = 0,
                        ymax = x$indices[[kind]], colour = "bar", border = "white"),
      interval = plot_layer("strokes", x = at, xend = at, y = ends[[1L]], yend = ends[[2L]],
                            colour = "data", size = 2)
    )
    plot_panel(layers, plot_axis("", names = x$indices$variable),
               plot_axis("share of the variance", c(0, 1)),
               if (kind == "first") "Main effects" else "With all interactions")
  })
  plot_page(unname(panels), x$indices, y_label = "share of the variance",
            caption = paste0("Bars: posterior medians. Black: ", 100 * x$level,
                             "% posterior intervals."))
}
