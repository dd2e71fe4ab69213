# Predictions in a loop: with kept factors against without, means and variances against medians, and
# a row added to a fit against the fit. Ratios of processor time in one run.
#
#   Rscript bench/loop.R [--full]
#
# Writes loop.csv and loop.png.

source("bench/common.R")

waves <- function(n, d) {
  x <- matrix(runif(n * d), n)
  f <- sin(3 * x[, 1]) + x[, 2]^2 + if (d > 3) x[, 3] * x[, 4] else 0
  data.frame(y = exp(0.7 * f + 0.15 * rnorm(n)), x)
}

without_cache <- function(expr) {
  old <- options(btg.cache = 0)
  on.exit(options(old))
  expr
}

row_of <- function(rows, what, slow, fast, target) {
  data.frame(rows, what, slow, fast, ratio = slow / fast, target)
}

# One point with an interval, after the first call; many points; moments.
measure_predictions <- function(fit, new, n, many) {
  ask <- function(rows = 1, ...) predict(fit, new[rows, ], ...)
  one <- function() ask(interval = "credible")
  slow <- processor_time(function() without_cache(one()))
  prepare(fit)
  one()
  fast <- processor_time(function() for (i in 1:10) one()) / 10
  some <- 1:100
  median <- processor_time(function() ask(some))
  moment <- function(type) processor_time(function() silently(ask(some, type = type)))
  rbind(
    row_of(n, "one point, kept factors against none", slow, fast, 20),
    row_of(n, "100 points, median against mean", median, moment("mean"), 1 / 5),
    row_of(n, "100 points, median against variance", median, moment("variance"), 1 / 5),
    if (many) {
      all <- function() ask(seq_len(nrow(new)))
      row_of(n, "10,000 points, kept factors against none",
             processor_time(function() without_cache(all())),
             processor_time(function() {
               prepare(fit)
               all()
             }), NA)
    }
  )
}

# `refit` is by the same rule from the modes on: what update() did before.
measure_update <- function(fit, row, new, fit_seconds, n) {
  more <- NULL
  fast <- seconds_of(more <- update(fit, newdata = row))
  anew <- silently(update(fit, newdata = row, refit = TRUE))
  one <- predict(more, new, interval = "credible")
  two <- predict(anew, new, interval = "credible")
  sd <- (two[, "upr"] - two[, "lwr"]) / (2 * stats::qnorm(0.975))
  difference <- abs(one - two) / sd
  cat("An added row against a new fit, differences in sd:", "\n")
  print(stats::quantile(difference, c(0.5, 0.9, 1)), digits = 2)
  row_of(n, "a fit against one row added", fit_seconds, fast, 10)
}

measure <- function(n, d, points) {
  set.seed(1)
  data <- waves(n + 1, d)
  new <- waves(points, d)
  fit <- NULL
  seconds <- seconds_of(fit <- silently(btg(y ~ ., data[seq_len(n), ])))
  rbind(measure_predictions(fit, new, n, points >= 1e4),
        measure_update(fit, data[n + 1, ], new[1:50, ], seconds, n))
}

# Ratios and their targets.
draw_figure <- function(results) {
  at <- rev(seq_len(nrow(results)))
  graphics::par(mar = c(4, 22, 2.5, 1), mgp = c(2.4, 0.7, 0), las = 1)
  graphics::plot.default(results$ratio, at, log = "x", pch = 19, col = colours[["blue"]],
                         xlim = range(results$ratio, results$target, na.rm = TRUE), yaxt = "n",
                         ylab = "", xlab = "ratio of times")
  graphics::axis(2, at, paste0(results$rows, " rows: ", results$what), tick = FALSE)
  graphics::abline(v = 1, lty = 2)
  graphics::points(results$target, at, pch = "|", col = colours[["orange"]])
  graphics::legend("top", c("measured", "target, at least"), pch = c(19, 124), horiz = TRUE,
                   col = colours[c("blue", "orange")], bty = "n", inset = c(0, -0.12), xpd = NA)
}

main <- function(given) {
  results <- rbind(measure(200, 6, 1e4), if (given$full) measure(1000, 3, 100))
  print(results, digits = 3, row.names = FALSE)
  write_rounded(results, given, "loop.csv", 3L)
  write_png(function() draw_figure(results), given, "loop.png", 1100, 500)
}

run_benchmark(main)
