#' Plot cross-validated predictions
#'
#' Three panels: the histogram of PIT values, flat if predictions are calibrated, with the band in
#' which 95% of its bars would fall; the share of responses inside intervals of each probability,
#' on the diagonal if they are; and the responses against their predictions without them.
#'
#' @param x A result of [loocv()].
#' @param which Which panels: any of `"pit"`, `"coverage"` and `"predicted"`; or `"residuals"`, a
#'   page of its own: left-out residuals, as normal scores of their PIT values, against normal
#'   quantiles, the fitted medians and each variable, with a curve of twice their typical size.
#'   Where that is not flat, the noise varies: [summary.btg_loocv()] has a test of it.
#' @param ... Graphical parameters, as for [plot.btg()].
#' @return `x`, invisibly.
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' plot(loocv(fit))
#' @export
plot.btg_loocv <- function(x, which = c("pit", "coverage", "predicted"), ...) {
  check_loocv(x, quote(plot()))
  if (identical(which, "residuals")) {
    plot_residuals(x, ...)
    return(invisible(x))
  }
  panels <- list(pit = plot_pit, coverage = plot_coverage, predicted = plot_predicted)
  unknown <- setdiff(which, names(panels))
  if (length(unknown) > 0L || length(which) == 0L) {
    abort_argument("which", paste0("must be any of \"pit\", \"coverage\" and \"predicted\", or ",
                                   "\"residuals\""), which, quote(plot()))
  }
  layout <- utils::modifyList(panel_layout(length(which), length(which)),
                              list(mar = c(4.2, 4.2, 2.8, 1.4)))
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

# One panel for the quantiles, one for the fitted medians and one for each variable, at most nine.
plot_residuals <- function(cv, ...) {
  known <- !is.na(cv$pointwise$pit)
  score <- residual_scores(cv$pointwise$pit[known])
  along <- c(stats::setNames(list(cv$pointwise$median), paste("fitted", cv$response)),
             spread_variables(cv$variables))
  along <- utils::head(along, 8L)
  open <- open_panels(length(along) + 1L, panel_layout(length(along) + 1L), ...)
  on.exit(graphics::par(open$old))
  draw_quantiles(score, open$labels[[1L]])
  for (k in seq_along(along)) {
    draw_residuals(along[[k]][known], score, names(along)[k], open$labels[[k + 1L]])
  }
  draw_title(open$title)
}

# In units of standard deviations, if predictions are calibrated.
residual_scores <- function(pit) stats::qnorm(pmin(pmax(pit, 1e-6), 1 - 1e-6))

# Normal scores against what they would be if predictions are calibrated, with the 95% band in which
# each would be.
draw_quantiles <- function(score, labels) {
  n <- length(score)
  rank <- seq_len(n)
  expected <- stats::qnorm(stats::ppoints(n))
  lower <- stats::qnorm(stats::qbeta(0.025, rank, n + 1 - rank))
  upper <- stats::qnorm(stats::qbeta(0.975, rank, n + 1 - rank))
  plot_panel(expected, sort(score), type = "n", xlab = "normal quantile",
             ylab = "left-out residual (sds)", ylim = range(score, lower, upper), labels = labels)
  graphics::polygon(c(expected, rev(expected)), c(lower, rev(upper)), col = "#0000001A",
                    border = NA)
  graphics::abline(0, 1, col = loocv_colours[["guide"]])
  graphics::points(expected, sort(score), pch = 16, cex = 0.6, col = "#00000080")
}

draw_residuals <- function(x, score, name, labels) {
  numeric <- is_smooth_variable(x)
  at <- if (numeric) x else as.integer(as.factor(x))
  plot_panel(at, score, pch = 16, cex = 0.6, col = "#00000080", xlab = name,
             ylab = "left-out residual (sds)", labels = labels,
             categories = if (!numeric) levels(as.factor(x)))
  graphics::abline(h = c(-2, 0, 2), lty = c(2, 1, 2), col = loocv_colours[["guide"]])
  if (numeric) draw_typical_size(as.numeric(x), score)
}

# Twice the typical size of normal scores, smoothly along x: at 2 where the spread is as predicted.
draw_typical_size <- function(x, score) {
  basis <- cbind(rep(1, length(x)), spread_basis(x))
  root <- pmax(stats::lm.fit(basis, sqrt(abs(score)))$fitted.values, 0)
  # The mean of sqrt(|e|) of a standard normal e.
  expected <- 2^0.25 * gamma(0.75) / sqrt(pi)
  size <- 2 * (root / expected)^2
  order <- order(x)
  for (sign in c(-1, 1)) {
    graphics::lines(x[order], sign * size[order], lwd = 2, col = loocv_colours[["line"]])
  }
}
