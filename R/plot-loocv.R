#' Plot cross-validated predictions
#'
#' Three panels: the histogram of PIT values, flat if predictions are calibrated, with the band in
#' which 95% of its bars would fall; the share of responses inside intervals of each probability,
#' on the diagonal if they are; and the responses against their predictions without them.
#'
#' @param x A result of [loocv()].
#' @param which Which panels: any of `"pit"`, `"coverage"` and `"predicted"`.
#' @param ... Passed to [graphics::par()].
#' @return `x`, invisibly.
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' plot(loocv(fit))
#' @export
plot.btg_loocv <- function(x, which = c("pit", "coverage", "predicted"), ...) {
  panels <- list(pit = plot_pit, coverage = plot_coverage, predicted = plot_predicted)
  unknown <- setdiff(which, names(panels))
  if (length(unknown) > 0L || length(which) == 0L) {
    abort_argument("which", "must be any of \"pit\", \"coverage\" and \"predicted\"", which,
                   quote(plot()))
  }
  old <- graphics::par(mfrow = c(1L, length(which)), mar = c(4.2, 4.2, 2.5, 1),
                       mgp = c(2.5, 0.7, 0), las = 1, bty = "l", ...)
  on.exit(graphics::par(old))
  predicted <- x$pointwise[!is.na(x$pointwise$pit), ]
  for (name in which) panels[[name]](predicted, x)
  invisible(x)
}

loocv_colours <- c(bar = "#9DB8D2", line = "#1F4E79", guide = "#C44E00")

plot_pit <- function(pointwise, cv) {
  bars <- pit_bars(pointwise)
  band <- attr(bars, "band")
  graphics::plot(c(0, 1), c(0, max(bars$density, band)), type = "n", main = "PIT",
                 xlab = "P(Y < observed)", ylab = "density")
  graphics::rect(bars$from, 0, bars$to, bars$density, col = loocv_colours[["bar"]],
                 border = "white")
  graphics::abline(h = 1, col = loocv_colours[["guide"]])
  graphics::abline(h = band, col = loocv_colours[["guide"]], lty = 2)
}

plot_coverage <- function(pointwise, cv) {
  curve <- coverage_curve(pointwise)
  graphics::plot(curve$probability, curve$inside, type = "n", xlim = c(0, 1), ylim = c(0, 1),
                 main = "Coverage", xlab = "probability of the interval", ylab = "share inside")
  graphics::polygon(c(curve$probability, rev(curve$probability)),
                    c(curve$lower, rev(curve$upper)), col = "#0000001A", border = NA)
  graphics::abline(0, 1, col = loocv_colours[["guide"]])
  graphics::lines(curve$probability, curve$inside, lwd = 2, col = loocv_colours[["line"]])
}

plot_predicted <- function(pointwise, cv) {
  reach <- range(pointwise$y, pointwise$median)
  graphics::plot(pointwise$median, pointwise$y, type = "n", xlim = reach,
                 ylim = range(reach, pointwise$lwr, pointwise$upr, finite = TRUE),
                 main = predicted_title(cv), xlab = paste("predicted", cv$response),
                 ylab = paste("observed", cv$response))
  graphics::segments(pointwise$median, pointwise$lwr, pointwise$median, pointwise$upr,
                     col = "#9DB8D280")
  graphics::abline(0, 1, col = loocv_colours[["guide"]])
  graphics::points(pointwise$median, pointwise$y, pch = 16, cex = 0.7,
                   col = loocv_colours[["line"]])
}

predicted_title <- function(cv) paste0("Left out: medians, ", 100 * cv$level, "% intervals")
