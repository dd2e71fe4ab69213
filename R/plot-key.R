# The key of a page: the labels of all layers, once each, below the panels.

# One row per label, with NA where its key has no symbol or no line. Without `intervals`, only the
# labels of other layers. Bands lie above one another, so inner ones look darker than their `alpha`.
legend_entries <- function(layers, chosen = NULL, intervals = FALSE) {
  layers <- Filter(function(layer) {
    !is.null(layer$label) && (intervals || !is_interval(layer))
  }, unname(layers))
  layers <- layers[!duplicated(lapply(layers, function(layer) layer$label))]
  bands <- vapply(layers, is_interval, NA)
  alpha <- vapply(layers, function(layer) layer$alpha, 0)
  alpha[bands] <- seen_alpha(alpha[bands])
  do.call(rbind, Map(function(layer, alpha) {
    shape <- if (is_interval(layer)) 15 else switch(layer$kind, points = layer$shape, rug = 124, NA)
    data.frame(label = paste0(layer$label, if (is_interval(layer)) " interval"),
               colour = layer_colour(layer, chosen), shape,
               line = if (is.na(shape)) layer$line else NA, size = layer$size, alpha)
  }, layers, alpha))
}

# The opacity of each of several bands above one another, the widest first.
seen_alpha <- function(alpha) 1 - cumprod(1 - alpha)

# The layers of all panels of a page.
page_layers <- function(page) {
  do.call(c, lapply(Filter(Negate(is.null), page$panels), function(panel) unname(panel$layers)))
}

# The number of columns of a key whose labels fit a page that is `letters` wide. Each has a symbol
# before it.
key_columns <- function(labels, letters, symbol = 3L) {
  max(1L, min(length(labels), letters %/% (max(nchar(labels), 1L) + symbol)))
}

# list(entries, columns, caption, inches): what base graphics writes below the panels, and the
# height that it needs.
page_foot <- function(page, chosen = NULL) {
  letters <- 14 * grDevices::dev.size()[1L]
  entries <- legend_entries(page_layers(page), chosen, intervals = TRUE)
  columns <- if (!is.null(entries)) key_columns(entries$label, letters, symbol = 8L)
  caption <- if (!is.null(page$caption)) strsplit(in_lines(page$caption, letters), "\n")[[1L]]
  rows <- if (is.null(entries)) 0 else ceiling(nrow(entries) / columns)
  lines <- rows + length(caption)
  list(entries = entries, columns = columns, caption = caption,
       inches = if (lines > 0) 0.16 * lines + 0.15 else 0)
}

# Draws the key and the caption into the outer margin below the panels.
draw_foot <- function(foot) {
  line_inches <- graphics::par("mai")[1L] / graphics::par("mar")[1L]
  if (!is.null(foot$caption)) {
    graphics::mtext(paste(foot$caption, collapse = "\n"), side = 1L, outer = TRUE,
                    line = (foot$inches - 0.2) / line_inches, adj = 0.5, cex = 0.75)
  }
  key <- foot$entries
  if (!is.null(key)) {
    cex <- 0.75 / graphics::par("cex")
    # Without lines, symbols stand next to their labels.
    lines <- if (!all(is.na(key$line))) list(lty = key$line, seg.len = 1.5,
                                             lwd = ifelse(is.na(key$line), 1, key$size))
    do.call(graphics::legend, c(list(
      graphics::grconvertX(0.5, "ndc"), graphics::grconvertY(graphics::par("omi")[1L], "inches"),
      key$label, col = mapply(grDevices::adjustcolor, key$colour, key$alpha), pch = key$shape,
      pt.cex = ifelse(key$shape %in% 15, 2, 1), bty = "n", xjust = 0.5, yjust = 1, xpd = NA,
      ncol = foot$columns, cex = cex, y.intersp = 1,
      text.width = max(graphics::strwidth(c(key$label, "mm"), cex = cex))
    ), lines))
  }
}
