#' Plot cross-validated predictions
#'
#' Draws three panels that show whether predictions of left-out rows are calibrated. If they are,
#' the histogram of PIT values is flat, with 95% of its bars between the dashed lines; the share of
#' responses inside intervals follows the diagonal, mostly within the grey band; and responses
#' scatter around their predictions as widely as the intervals.
#'
#' @param x A result of [loocv()].
#' @param which Panels to draw: any of `"pit"`, `"coverage"` and `"predicted"`. Alternatively
#'   `"residuals"`, a page of its own. It shows left-out residuals, as normal scores of their PIT
#'   values, against normal quantiles, the fitted medians and each variable. The blue curves are at
#'   twice the typical size of the residuals. If they are not flat, the noise varies;
#'   [summary.btg_loocv()] tests this.
#' @param ... Graphical parameters, as for [plot.btg()]. `log` applies to `"predicted"`.
#' @return `x`, invisibly.
#' @seealso [autoplot.btg_loocv()] for the same plots with ggplot2.
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' cv <- loocv(fit)
#' plot(cv)
#' plot(cv, which = "residuals")
#' @export
plot.btg_loocv <- function(x, which = c("pit", "coverage", "predicted"), ...) {
  check_loocv(x)
  log <- log_axes(..., shown = "predicted" %in% which, advice = "Use `which = \"predicted\"`.")
  invisible(draw_page(loocv_page(x, which, log), ...))
}

loocv_panels <- function() {
  list(pit = pit_panel, coverage = coverage_panel, predicted = predicted_panel)
}

loocv_page <- function(cv, which, log = "") {
  if (identical(which, "residuals")) {
    return(residuals_page(cv))
  }
  panels <- loocv_panels()
  if (length(which) == 0L || !all(which %in% names(panels))) {
    abort_argument("which", paste0("must be any of \"pit\", \"coverage\" and \"predicted\", or ",
                                   "\"residuals\""), which)
  }
  predicted <- cv$pointwise[!is.na(cv$pointwise$pit), ]
  drawn <- lapply(panels[which], function(panel) panel(predicted, cv, log))
  captions <- c(
    pit = "PIT: flat if calibrated, with 95% of the bars between the dashed lines.",
    coverage = "Coverage: within the grey band if calibrated.",
    predicted = paste0("Points: observed. Bars: ", 100 * cv$level, "% intervals.",
                       censored_words(drawn))
  )
  plot_page(drawn, cv, columns = length(which), caption = paste(captions[which], collapse = " "))
}

pit_panel <- function(pointwise, cv, log) {
  n <- nrow(pointwise)
  bins <- max(5L, min(20L, n %/% 10L))
  breaks <- seq(0, 1, length.out = bins + 1L)
  counts <- tabulate(findInterval(pit_in_intervals(pointwise), breaks, all.inside = TRUE), bins)
  band <- stats::qbinom(c(0.025, 0.975), n, 1 / bins) * bins / n
  plot_panel(list(
    bars = bar_layer(breaks[-(bins + 1L)], breaks[-1L], counts * bins / n),
    expected = plot_layer("horizontal", yintercept = 1, colour = "guide"),
    band = plot_layer("horizontal", yintercept = band, colour = "guide", line = 2)
  ), "P(Y < observed)", "density", "PIT", tallest = 1)
}

grey_band <- function(x, ymin, ymax) {
  plot_layer("band", x, ymin, ymax, colour = "data", alpha = 0.1)
}

coverage_panel <- function(pointwise, cv, log) {
  probability <- seq(0.02, 0.98, by = 0.02)
  inside <- vapply(probability, function(p) mean(is_covered(pointwise, p)), 0)
  error <- 1.96 * sqrt(probability * (1 - probability) / nrow(pointwise))
  plot_panel(list(
    band = grey_band(probability, pmax(0, probability - error), pmin(1, probability + error)),
    diagonal = diagonal_layer(),
    coverage = plot_layer("line", x = probability, y = inside, colour = "dark", size = 2)
  ), plot_axis("probability of the interval", c(0, 1)), plot_axis("share inside", c(0, 1)),
  "Coverage", aspect = 1)
}

predicted_panel <- function(pointwise, cv, log) {
  x <- pointwise$median
  observed <- response_layers(x, pointwise$y, limits_of_scores(pointwise), colour = "dark",
                              size = 0.7)
  plot_panel(c(list(
    intervals = plot_layer("strokes", x, xend = x, y = pointwise$lwr, yend = pointwise$upr,
                           colour = "bar", alpha = 0.5),
    diagonal = diagonal_layer()
  ), observed), plot_axis(paste("predicted", cv$response), log = grepl("x", log)),
  plot_axis(paste("observed", cv$response), log = grepl("y", log)),
  "Left-out predictions", tallest = 1)
}

# Normal scores of PIT values, which are standard normal if predictions are calibrated: a panel for
# their quantiles, one for the fitted medians and one for each variable, nine at most.
residuals_page <- function(cv) {
  known <- !is.na(cv$pointwise$pit)
  pit <- pit_in_intervals(cv$pointwise[known, ])
  score <- stats::qnorm(pmin(pmax(pit, 1e-6), 1 - 1e-6))
  along <- c(stats::setNames(list(cv$pointwise$median), paste("fitted", cv$response)),
             spread_variables(cv$variables))
  along <- utils::head(along, 8L)
  panels <- Map(function(x, name) residuals_panel(x[known], score, name), along, names(along))
  continuous <- any(vapply(panels, function(panel) "size" %in% names(panel$layers), NA))
  caption <- paste0("Grey: 95% of calibrated residuals.",
                    if (continuous) " Blue: twice the typical size, 2 if calibrated.")
  plot_page(share_y(c(list(quantiles_panel(score)), panels)), cv, caption = caption)
}

residual_points <- function(x, score) {
  plot_layer("points", x, y = score, colour = "data", alpha = 0.5, size = 0.6)
}

# Sorted scores against normal quantiles. The k-th of n uniform values has a Beta(k, n + 1 - k)
# distribution, whose central 95% is the band.
quantiles_panel <- function(score) {
  n <- length(score)
  rank <- seq_len(n)
  x <- stats::qnorm(stats::ppoints(n))
  end <- function(p) stats::qnorm(stats::qbeta(p, rank, n + 1 - rank))
  plot_panel(list(band = grey_band(x, end(0.025), end(0.975)), diagonal = diagonal_layer(),
                  data = residual_points(x, sort(score))),
             "normal quantile", "left-out residual (sds)")
}

residuals_panel <- function(x, score, name) {
  continuous <- is_smooth_variable(x)
  names <- if (!continuous) levels(as.factor(x))
  at <- if (continuous) without_unit(x) else as.integer(as.factor(x))
  guide <- function(y, line) plot_layer("horizontal", yintercept = y, colour = "guide", line = line)
  layers <- list(data = residual_points(at, score), zero = guide(0, 1), two = guide(c(-2, 2), 2))
  if (continuous) {
    order <- order(at)
    size <- typical_size(as.numeric(x), score)[order]
    layers$size <- plot_layer("line", x = rep(at[order], 2L), y = c(-size, size),
                              group = rep(1:2, each = length(size)), colour = "dark", size = 2)
  }
  plot_panel(layers, plot_axis(name, names = names), "left-out residual (sds)")
}

# Twice the typical size of normal scores, smoothed along x. It is 2 where the spread is as
# predicted.
typical_size <- function(x, score) {
  basis <- cbind(rep(1, length(x)), spread_basis(x))
  root <- pmax(stats::lm.fit(basis, sqrt(abs(score)))$fitted.values, 0)
  # The mean of sqrt(|e|) for a standard normal e.
  expected <- 2^0.25 * gamma(0.75) / sqrt(pi)
  2 * (root / expected)^2
}
