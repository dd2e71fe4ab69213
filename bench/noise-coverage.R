# Do intervals hold where the noise varies, in the quiet and in the noisy half apart? See README.md.
#
#   Rscript bench/noise-coverage.R [--full]
#
# Writes noise-coverage.csv.

source("bench/common.R")

matern52 <- function(distance) {
  r <- sqrt(5) * distance
  (1 + r + r^2 / 3) * exp(-r)
}

inverses <- list(
  identity = function(z) z,
  sinharcsinh = function(z) {
    sinh((asinh(z) + stats::rnorm(1, sd = 0.5)) / stats::rlnorm(1, 0, 0.5))
  }
)

# Half of the new points are where the noise is below its median over the rows.
new_inputs <- function(noise, count = 20L) {
  x <- stats::runif(50L * count, -1.5, 1.5)
  quiet <- noise(x) < stats::median(noise(x))
  c(utils::head(x[quiet], count / 2), utils::head(x[!quiet], count / 2))
}

# From the model with noise = ~ x: all hyperparameters from their default priors, and a response of
# about standard deviation 1, as in calibration.R.
from_model <- function(transform, n = 60L) {
  repeat {
    share <- stats::rbeta(1, 0.25, 0.5)
    effect <- stats::rnorm(1)
    x <- stats::runif(n, -sqrt(3), sqrt(3))
    center <- mean(x)
    scale <- stats::sd(x)
    level <- share / (1 - share)
    noise <- function(x) level * exp(effect * (x - center) / scale)
    at <- c(x, new_inputs(noise))
    K <- matern52(abs(outer(at, at, "-")) / (scale * stats::rlnorm(1, 1, 1.25)))
    z <- as.vector(t(chol(K + diag(1e-10, length(at)))) %*% stats::rnorm(length(at)))
    z <- (z + sqrt(noise(at)) * stats::rnorm(length(at))) / sqrt(1 + level)
    y <- inverses[[transform]](z)
    if (all(is.finite(y)) && max(abs(y)) < 1e6 && length(unique(y)) > n / 2) break
  }
  new_case(at, y, n)
}

# A curve with a noise that grows ninefold.
from_curve <- function(n = 60L) {
  sd <- function(x) 0.05 + 0.4 * (x + 1.5) / 3
  x <- c(stats::runif(n, -1.5, 1.5), new_inputs(sd))
  new_case(x, sin(2 * x) + sd(x) * stats::rnorm(length(x)), n)
}

new_case <- function(x, y, n) {
  list(data = data.frame(x, y)[seq_len(n), ], new = data.frame(x, y)[-seq_len(n), ])
}

# The share inside of 95% intervals in the quiet half, in the noisy half, and of all.
inside <- function(case, transform, noise) {
  fit <- btg(y ~ x, case$data, transform = transform, noise = noise, warp_inputs = FALSE,
             quadrature = quad_adaptive(effective = 100))
  ends <- predict(fit, case$new, interval = "credible")
  hit <- case$new$y >= ends[, "lwr"] & case$new$y <= ends[, "upr"]
  half <- length(hit) / 2
  c(quiet = mean(hit[seq_len(half)]), noisy = mean(hit[-seq_len(half)]), all = mean(hit))
}

# A data set is one observation: rows of one are not independent.
measure <- function(from, transform, noise, simulate, count) {
  shares <- vapply(seq_len(count), function(seed) {
    set.seed(seed)
    case <- simulate()
    suppressWarnings(suppressMessages(inside(case, transform, noise)))
  }, c(quiet = 0, noisy = 0, all = 0))
  errors <- apply(shares, 1L, stats::sd) / sqrt(count)
  data.frame(from = from, transform = transform, noise = format_noise(noise), data_sets = count,
             as.list(rowMeans(shares)), quiet_se = errors[["quiet"]], noisy_se = errors[["noisy"]],
             all_se = errors[["all"]])
}

format_noise <- function(noise) if (inherits(noise, "formula")) deparse1(noise) else noise

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  count <- if (given$full) 200L else 40L
  rows <- list()
  for (noise in list(~ x, "auto", ~ 1)) {
    for (transform in names(inverses)) {
      rows[[length(rows) + 1L]] <- measure("model", transform, noise,
                                           function() from_model(transform), count)
      rows[[length(rows) + 1L]] <- measure("curve", transform, noise, from_curve, count)
    }
  }
  table <- do.call(rbind, rows)
  print(table, digits = 3, row.names = FALSE)
  write_rounded(table, given, "noise-coverage.csv", 4L)
}

run_benchmark(main)
