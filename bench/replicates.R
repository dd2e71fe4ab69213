# Rows at few distinct points against as many rows at distinct ones, which differ from them by next
# to nothing: what sharing matrices saves. Ratios of processor time, medians over rounds.
#
#   Rscript bench/replicates.R [--full]
#
# Writes replicates.csv and replicates.png.

source("bench/common.R")

# `rows` rows at `points` points of two inputs, and the same a little apart.
replicated <- function(rows, points) {
  set.seed(1)
  x <- matrix(runif(2 * points), points)[rep(seq_len(points), length.out = rows), ]
  y <- exp(sin(6 * x[, 1]) + x[, 2]^2 + 0.3 * rnorm(rows))
  list(shared = data.frame(x, y), apart = data.frame(x + 1e-7 * rnorm(2 * rows), y))
}

# Each gets ready with the data, and returns what to time.
cases <- list(
  "fit, sinharcsinh" = function(d) function() btg(y ~ X1 + X2, d, transform = "sinharcsinh"),
  "fit, default" = function(d) function() btg(y ~ X1 + X2, d),
  "fit, wgp" = function(d) function() wgp(y ~ X1 + X2, d, transform = "sinharcsinh"),
  "loocv" = function(d) {
    fit <- btg(y ~ X1 + X2, d, transform = "sinharcsinh")
    function() loocv(fit)
  }
)

measure <- function(rows, points, case, rounds) {
  jobs <- lapply(replicated(rows, points), cases[[case]])
  times <- replicate(rounds, vapply(jobs, function(job) seconds_of(job()), 0))
  times <- apply(times, 1L, stats::median)
  data.frame(rows, points, case, shared = times[["shared"]], apart = times[["apart"]],
             ratio = times[["apart"]] / times[["shared"]])
}

draw_figure <- function(results) {
  ratios <- tapply(results$ratio, list(results$rows, factor(results$case, names(cases))), c)
  graphics::par(mar = c(3, 4, 1, 1), mgp = c(2.4, 0.7, 0), las = 1)
  graphics::barplot(ratios, beside = TRUE, border = NA, col = colours[c("sky", "blue")],
                    ylab = "time apart / time shared")
  graphics::abline(h = 1, lty = 2)
  graphics::legend("topright", paste(rownames(ratios), "rows at 50 points"), bty = "n",
                   fill = colours[c("sky", "blue")], border = NA)
}

main <- function(given) {
  grid <- expand.grid(case = names(cases), rows = c(200, 400), stringsAsFactors = FALSE)
  results <- do.call(rbind, Map(measure, grid$rows, 50, grid$case, if (given$full) 9L else 3L))
  print(results, digits = 3, row.names = FALSE)
  write_rounded(results, given, "replicates.csv", 3L)
  write_png(function() draw_figure(results), given, "replicates.png", 900, 500)
}

run_benchmark(main)
