# The panels of plot() that show the posterior: hyperparameters, transform and quadrature.

# Those of several models one after the other.
plot_hyperparameters <- function(fit, ...) {
  bars <- posterior_bars(fit)
  key <- paste(bars$title, bars$name, sep = "\n")
  panels <- split(bars, factor(key, unique(key)))
  # A row for each model, if it is not too wide.
  widest <- max(table(bars$title[!duplicated(key)]))
  by_model <- is_average(fit) && widest <= 5L
  layout <- if (by_model) {
    panel_layout(widest * length(unique(bars$title)), widest)
  } else {
    panel_layout(length(panels))
  }
  open <- open_panels(length(panels), layout, ...)
  on.exit(graphics::par(open$old))
  model <- ""
  for (k in seq_along(panels)) {
    if (by_model && panels[[k]]$title[1L] != model) start_row(widest)
    model <- panels[[k]]$title[1L]
    draw_posterior(panels[[k]], open$labels[[k]])
  }
  draw_title(open$title)
  bars
}

# Leaves the rest of a row of panels empty.
start_row <- function(columns) {
  at <- graphics::par("mfg")[2L]
  if (graphics::par("page")) {
    return(invisible())
  }
  while (at < columns) {
    graphics::plot.new()
    at <- at + 1L
  }
}

draw_posterior <- function(bars, labels = list()) {
  positive <- bars$positive[1L]
  if (positive && !is.null(labels$xlim)) labels$xlim <- log(labels$xlim)
  reach <- if (is.null(labels$xlim)) range(bars$from, bars$to) else labels$xlim
  plot_panel(reach, c(0, max(bars$density)), type = "n", xlab = bars$name[1L], ylab = "density",
             main = bars$title[1L], xaxt = if (positive) "n" else "s", yaxt = "n", cex.main = 0.9,
             labels = labels)
  if (positive) {
    ticks <- log_ticks(reach)
    graphics::axis(1, log(ticks), format_ticks(ticks))
  }
  graphics::rect(bars$from, 0, bars$to, bars$density,
                 col = panel_colour(labels, plot_colours[["bar"]]), border = "white")
}

format_ticks <- function(ticks) vapply(ticks, format, "", digits = 3, trim = TRUE)

plot_transform <- function(fit, level, points, ...) {
  band <- transform_band(fit, level, points)
  panels <- open_panels(1L, panel_layout(1L), ...)
  on.exit(graphics::par(panels$old))
  plot_panel(range(band$y), range(band[-1L], finite = TRUE), type = "n", xlab = fit$response_name,
             ylab = transform_label(fit), labels = panels$labels[[1L]])
  graphics::abline(0, 1, lty = 2, col = plot_colours[["guide"]])
  colour <- panel_colour(panels$labels[[1L]])
  if (!inherits(fit, "wgp")) draw_bands(band$y, band[-(1:2)], colour = colour)
  graphics::lines(band$y, band$median, col = colour, lwd = 2.5)
  graphics::rug(fit_response(fit), col = "#00000080")
  graphics::legend("topleft", c("g", "without a transform"), lty = c(1, 2), lwd = c(2.5, 1),
                   col = c(colour, plot_colours[["guide"]]), bty = "n")
  band
}

# A long name is on the other axis already.
transform_label <- function(fit) {
  if (nchar(fit$response_name) > 20L) {
    return("g(y), in the units of the response")
  }
  paste0("g(", fit$response_name, "), in units of ", fit$response_name)
}

plot_quadrature <- function(fit, ...) {
  nodes <- quadrature_nodes(fit)
  panels <- open_panels(2L, panel_layout(2L), ...)
  on.exit(graphics::par(panels$old))
  draw_cumulative(nodes, fit$quadrature$effective_nodes, panels$labels[[1L]])
  draw_weights(nodes, quadrature_modes(fit), panels$labels[[2L]])
  draw_title(panels$title)
  nodes
}

draw_cumulative <- function(nodes, effective, labels) {
  plot_panel(nodes$rank, nodes$cumulative, type = "s", log = "x", lwd = 2.5,
             ylim = c(0, max(1, nodes$cumulative)), xlab = "nodes, heaviest first",
             ylab = "weight together", col = plot_colours[["line"]], labels = labels)
  graphics::abline(v = effective, lty = 2, col = plot_colours[["guide"]])
  note_above(paste(format(effective, digits = 3), "effective nodes"))
}

# Negative weights, of rules that have them, are drawn by their size as open circles.
draw_weights <- function(nodes, modes, labels) {
  colours <- model_colours(unique(nodes$model))
  size <- abs(nodes$weight)
  plot_panel(-nodes$drop, size, log = "y", pch = ifelse(nodes$weight < 0, 1L, 16L), cex = 0.7,
             xlim = range(-nodes$drop, -modes$drop), yaxt = "n",
             xlab = "log posterior density minus its highest", ylab = "weight of the node",
             col = grDevices::adjustcolor(colours[nodes$model], 0.6), labels = labels,
             y_ticks = "0.01")
  powers <- pretty(log10(range(size)), 4L)
  powers <- powers[powers == round(powers)]
  graphics::axis(2, 10^powers, parse(text = paste0("10^", powers)))
  if (NROW(modes) > 0L) {
    graphics::points(-modes$drop, rep(min(size), nrow(modes)), pch = 17,
                     col = plot_colours[["guide"]])
    note_above(mode_note(modes))
  }
  if (length(colours) > 1L) {
    graphics::legend("topleft", names(colours), pch = 16, col = colours, bty = "n", cex = 0.8)
  }
}

note_above <- function(text) {
  graphics::mtext(text, side = 3, line = 0.2, adj = 1, cex = 0.85 * graphics::par("cex"),
                  col = plot_colours[["guide"]])
}

# "2 modes, with masses 0.85 and 0.15"
mode_note <- function(modes) {
  paste0(count_noun(nrow(modes), "mode"), if (nrow(modes) == 1L) ", mass " else ", masses ",
         list_names(signif(modes$mass, 2), ""))
}
