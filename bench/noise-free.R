# Do default intervals hold for noise-free functions, as emulators of deterministic codes need, and
# how good is the integral? See README.md.
#
#   Rscript bench/noise-free.R [--full]
#
# Writes noise-free.csv. The target is a coverage of 0.92 to 0.99 for each function over 20 random
# designs, with hundreds of effective nodes.

source("bench/common.R")

branin <- function(u) {
  a <- 15 * u[, 1] - 5
  b <- 15 * u[, 2]
  (b - 5.1 / (4 * pi^2) * a^2 + 5 / pi * a - 6)^2 + 10 * (1 - 1 / (8 * pi)) * cos(a) + 10
}

rosenbrock <- function(u) (1 - u[, 1])^2 + 10 * (u[, 2] - u[, 1]^2)^2

smooth_4d <- function(u) exp(u[, 1]) * (1 + u[, 2] * u[, 3]) + sin(3 * u[, 4])

friedman <- function(u) {
  10 * sin(pi * u[, 1] * u[, 2]) + 20 * (u[, 3] - 0.5)^2 + 10 * u[, 4] + 5 * u[, 5]
}

hartmann <- function(u) {
  A <- rbind(c(10, 3, 17, 3.5, 1.7, 8), c(0.05, 10, 17, 0.1, 8, 14),
             c(3, 3.5, 1.7, 10, 17, 8), c(17, 8, 0.05, 10, 0.1, 14))
  P <- 1e-4 * rbind(c(1312, 1696, 5569, 124, 8283, 5886), c(2329, 4135, 8307, 3736, 1004, 9991),
                    c(2348, 1451, 3522, 2883, 3047, 6650), c(4047, 8828, 8732, 5743, 1091, 381))
  alpha <- c(1, 1.2, 3, 3.2)
  -rowSums(vapply(1:4, function(i) {
    alpha[i] * exp(-colSums(A[i, ] * (t(u) - P[i, ])^2))
  }, numeric(nrow(u))))
}

borehole <- function(u) {
  lower <- c(0.05, 100, 63070, 990, 63.1, 700, 1120, 9855)
  upper <- c(0.15, 50000, 115600, 1110, 116, 820, 1680, 12045)
  x <- lower + (upper - lower) * t(u)
  radius <- log(x[2, ] / x[1, ])
  2 * pi * x[3, ] * (x[4, ] - x[6, ]) /
    (radius * (1 + 2 * x[7, ] * x[3, ] / (radius * x[1, ]^2 * x[8, ]) + x[3, ] / x[5, ]))
}

functions <- list(
  rosenbrock = list(f = rosenbrock, d = 2L, n = 30L),
  branin = list(f = branin, d = 2L, n = 30L),
  smooth_4d = list(f = smooth_4d, d = 4L, n = 150L),
  friedman = list(f = friedman, d = 5L, n = 50L),
  hartmann = list(f = hartmann, d = 6L, n = 60L),
  borehole = list(f = borehole, d = 8L, n = 80L)
)

# Fits one design and scores it at 400 new points.
score_design <- function(name, seed) {
  case <- functions[[name]]
  set.seed(seed)
  X <- matrix(stats::runif((case$n + 400L) * case$d), ncol = case$d)
  data <- data.frame(X, y = case$f(X))
  train <- data[seq_len(case$n), ]
  test <- data[-seq_len(case$n), ]
  seconds <- system.time(fit <- btg(y ~ ., train))[["elapsed"]]
  covered <- function(interval) {
    limits <- predict(fit, test, interval = interval)
    mean(limits[, "lwr"] <= test$y & test$y <= limits[, "upr"])
  }
  best <- fit$models[[which.max(fit$model_weights)]]
  data.frame(
    function_name = name, seed = seed, prediction = covered("prediction"),
    confidence = covered("confidence"),
    rmse = sqrt(mean((predict(fit, test) - test$y)^2)) / stats::sd(test$y),
    effective_nodes = best$quadrature$effective_nodes, k_hat = best$quadrature$k_hat,
    nodes_failed = best$quadrature$nodes_failed, seconds = seconds
  )
}

# Means over the designs, and the worst design.
summarise_designs <- function(some) {
  data.frame(function_name = some$function_name[1L], designs = nrow(some),
             prediction = mean(some$prediction), least = min(some$prediction),
             confidence = mean(some$confidence), rmse = stats::median(some$rmse),
             effective_nodes = stats::median(some$effective_nodes),
             least_effective = min(some$effective_nodes), k_hat = max(some$k_hat),
             nodes_failed = sum(some$nodes_failed))
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  designs <- if (given$full) 1:20 else 1:3
  scores <- do.call(rbind, Map(score_design, rep(names(functions), each = length(designs)),
                               rep(designs, length(functions))))
  parts <- split(scores, factor(scores$function_name, names(functions)))
  table <- do.call(rbind, lapply(parts, summarise_designs))
  print(table, digits = 3, row.names = FALSE)
  write_rounded(table, given, "noise-free.csv", 5L)
}

run_benchmark(main)
