#' Plot cross-validated predictions
#'
#' Three panels: the histogram of PIT values, flat if predictions are calibrated, with the band in
#' which 95% of its bars would fall; the share of responses inside intervals of each probability,
#' on the diagonal if they are; and the responses against their predictions without them.
#'
#' @param x A result of [loocv()].
#' @param which Which panels: any of `"pit"`, `"coverage"` and `"predicted"`.
#' @param ... Graphical parameters, as for [plot.btg()].
#' @return `x`, invisibly.
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' plot(loocv(fit))
#' @export
plot.btg_loocv <- function(x, which = c("pit", "coverage", "predicted"), ...) {
  check_loocv(x, quote(plot()))
  panels <- list(pit = plot_pit, coverage = plot_coverage, predicted = plot_predicted)
  unknown <- setdiff(which, names(panels))
  if (length(unknown) > 0L || length(which) == 0L) {
    abort_argument("which", "must be any of \"pit\", \"coverage\" and \"predicted\"", which,
                   quote(plot()))
  }
  layout <- utils::modifyList(panel_layout(length(which), length(which)),
                              list(mar = c(4.2, 4.2, 2.5, 1)))
  open <- open_panels(length(which), layout, ...)
  on.exit(graphics::par(open$old))
  predicted <- x$pointwise[!is.na(x$pointwise$pit), ]
  for (k in seq_along(which)) panels[[which[k]]](predicted, x, open$labels[[k]])
  draw_title(open$title)
  invisible(x)
}

loocv_colours <- c(bar = "#9DB8D2", line = "#1F4E79", guide = "#C44E00")

plot_pit <- function(pointwise, cv, labels) {
  bars <- pit_bars(pointwise)
  band <- attr(bars, "band")
  plot_panel(c(0, 1), c(0, max(bars$density, band)), type = "n", main = "PIT",
             xlab = "P(Y < observed)", ylab = "density", labels = labels)
  graphics::rect(bars$from, 0, bars$to, bars$density, col = loocv_colours[["bar"]],
                 border = "white")
  graphics::abline(h = 1, col = loocv_colours[["guide"]])
  graphics::abline(h = band, col = loocv_colours[["guide"]], lty = 2)
}

plot_coverage <- function(pointwise, cv, labels) {
  curve <- coverage_curve(pointwise)
  plot_panel(curve$probability, curve$inside, type = "n", xlim = c(0, 1), ylim = c(0, 1),
             main = "Coverage", xlab = "probability of the interval", ylab = "share inside",
             labels = labels)
  graphics::polygon(c(curve$probability, rev(curve$probability)),
                    c(curve$lower, rev(curve$upper)), col = "#0000001A", border = NA)
  graphics::abline(0, 1, col = loocv_colours[["guide"]])
  graphics::lines(curve$probability, curve$inside, lwd = 2, col = loocv_colours[["line"]])
}

plot_predicted <- function(pointwise, cv, labels) {
  reach <- range(pointwise$y, pointwise$median)
  plot_panel(pointwise$median, pointwise$y, type = "n", xlim = reach,
             ylim = range(reach, pointwise$lwr, pointwise$upr, finite = TRUE),
             main = predicted_title(cv), xlab = paste("predicted", cv$response),
             ylab = paste("observed", cv$response), labels = labels)
  graphics::segments(pointwise$median, pointwise$lwr, pointwise$median, pointwise$upr,
                     col = "#9DB8D280")
  graphics::abline(0, 1, col = loocv_colours[["guide"]])
  graphics::points(pointwise$median, pointwise$y, pch = 16, cex = 0.7,
                   col = loocv_colours[["line"]])
}

predicted_title <- function(cv) paste0("Left out: medians, ", 100 * cv$level, "% intervals")
