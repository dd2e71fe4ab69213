# The influence of rows on predictions, one panel for each point.

#' @rdname influence.btg
#' @export
plot.btg_influence <- function(x, ...) {
  invisible(draw_page(influence_page(x), ...))
}

# At most six points are drawn. The three rows of the largest influence are named.
influence_page <- function(x) {
  panels <- lapply(utils::head(seq_len(ncol(x$median)), 6L), function(j) {
    change <- x$median[, j]
    known <- which(!is.na(change))
    largest <- utils::head(order(-abs(change)), 3L)
    layers <- list(
      zero = plot_layer("horizontal", yintercept = 0, colour = "guide", line = 2),
      change = plot_layer("strokes", x = x$rows[known], xend = x$rows[known], y = 0,
                          yend = unname(change[known]), size = 1.5),
      names = plot_layer("text", x = x$rows[largest], y = unname(change[largest]),
                         text = rownames(x$median)[largest], colour = "data", size = 0.8,
                         adjust = c(-0.2, 0.5))
    )
    # The names stand to the right of the strokes, at the last row too.
    reach <- range(x$rows)
    plot_panel(layers, plot_axis("row", reach + c(0, 0.1) * diff(reach)),
               plot_axis(paste("change of the median of", x$response)),
               paste("Point", colnames(x$median)[j]))
  })
  plot_page(share_y(panels), as.data.frame(x),
            caption = "Strokes: change if the row had not been observed.")
}
