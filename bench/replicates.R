# Rows at few distinct points against as many rows at distinct ones, which differ from them by next
# to nothing: what sharing matrices saves. Ratios of processor time, medians over rounds.

library(btg)

seconds <- function(expr) {
  time <- system.time(expr)
  time[["user.self"]] + time[["sys.self"]]
}

# `rows` rows at `points` points of two inputs, and the same a little apart.
replicated <- function(rows, points) {
  set.seed(1)
  x <- matrix(runif(2 * points), points)[rep(seq_len(points), length.out = rows), ]
  y <- exp(sin(6 * x[, 1]) + x[, 2]^2 + 0.3 * rnorm(rows))
  list(shared = data.frame(x, y), apart = data.frame(x + 1e-7 * rnorm(2 * rows), y))
}

cases <- list(
  "fit, sinharcsinh" = function(d) btg(y ~ X1 + X2, d, transform = "sinharcsinh"),
  "fit, default" = function(d) btg(y ~ X1 + X2, d),
  "fit, wgp" = function(d) wgp(y ~ X1 + X2, d, transform = "sinharcsinh")
)

rounds <- 5
for (size in list(c(200, 50), c(400, 50))) {
  data <- replicated(size[1], size[2])
  for (name in names(cases)) {
    run <- cases[[name]]
    run(data$shared)
    times <- replicate(rounds, c(apart = seconds(run(data$apart)),
                                 shared = seconds(run(data$shared))))
    times <- apply(times, 1, median)
    cat(sprintf("%d rows at %d points, %s: %.2f s, apart %.2f s, ratio %.1f\n", size[1], size[2],
                name, times[["shared"]], times[["apart"]], times[["apart"]] / times[["shared"]]))
  }
  fits <- lapply(data, cases[[1]])
  times <- replicate(rounds, vapply(fits, function(fit) seconds(loocv(fit)), 0))
  times <- apply(times, 1, median)
  cat(sprintf("%d rows at %d points, loocv: %.2f s, apart %.2f s, ratio %.1f\n", size[1], size[2],
              times[["shared"]], times[["apart"]], times[["apart"]] / times[["shared"]]))
}
