# Is the warning of an inaccurate integral given when it should be, and only then? See README.md.
#
#   Rscript bench/warning.R [--full] [--first=1001]
#
# Random problems of 15 to 70 rows and 1 to 10 inputs; half of them are fitted by the default rule,
# the others by one with far too few nodes. The error is that of the ends of 95% intervals at new
# points, in predictive standard deviations, against the mean of two fits with many nodes. Writes
# warning.csv, a row for each problem, and warning-summary.csv.

source("bench/common.R")

probs <- c(0.025, 0.975)

random_problem <- function(seed) {
  set.seed(seed)
  n <- sample(c(15L, 25L, 40L, 70L), 1L)
  d <- sample(c(1L, 2L, 3L, 5L, 7L, 10L), 1L)
  x <- matrix(stats::runif(n * d), n, dimnames = list(NULL, paste0("x", seq_len(d))))
  slope <- stats::rnorm(d) * stats::rbinom(d, 1L, 0.7)
  noise <- sample(c(0, 0.02, 0.2, 0.6), 1L)
  z <- drop(sin(3 * x %*% slope)) + 0.5 * x[, 1L] + stats::rnorm(n, sd = noise)
  list(x = x, y = exp(z), noise = noise,
       transform = sample(c("sinharcsinh", "softplus", "boxcox"), 1L),
       poor = seed %% 2L == 0L, most = sample(c(60L, 150L, 300L), 1L),
       new = matrix(stats::runif(20L * d), 20L, dimnames = dimnames(x)))
}

# The fit, and whether it came with a warning of its integral.
fit_and_listen <- function(problem, rule) {
  warned <- FALSE
  fit <- withCallingHandlers(
    btg::btg(problem$x, problem$y, transform = problem$transform, quadrature = rule),
    warning = function(w) {
      warned <<- warned || inherits(w, "btg_warning_quadrature")
      invokeRestart("muffleWarning")
    }
  )
  list(fit = fit, warned = warned)
}

ends_of <- function(fit, at) {
  suppressWarnings(predict(fit, at, type = "quantile", probs = probs, quadrature_error = TRUE))
}

measure <- function(seed) {
  problem <- random_problem(seed)
  rule <- if (problem$poor) {
    btg::quad_adaptive(nodes = 30, effective = 10, most = problem$most)
  } else {
    btg::quad_adaptive()
  }
  tried <- fit_and_listen(problem, rule)
  found <- ends_of(tried$fit, problem$new)
  references <- lapply(101:102, function(seed) {
    many <- btg::quad_adaptive(nodes = 4000, most = 12000, keep = 1000, seed = seed)
    ends_of(fit_and_listen(problem, many)$fit, problem$new)$fit
  })
  reference <- (references[[1L]] + references[[2L]]) / 2
  sd <- (reference[, 2L] - reference[, 1L]) / (2 * stats::qnorm(0.975))
  data.frame(seed, rows = nrow(problem$x), inputs = ncol(problem$x), noise = problem$noise,
             transform = problem$transform,
             rule = if (problem$poor) "few nodes" else "default",
             effective = tried$fit$quadrature$effective_nodes,
             error = mean(abs(found$fit - reference) / sd),
             standard_error = mean(found$quadrature_error / sd),
             # Half of the difference of two: the error of their mean.
             reference_error = mean(abs(references[[1L]] - references[[2L]]) / 2 / sd),
             covered = mean(abs(found$fit - reference) <= 2 * found$quadrature_error),
             warned = tried$warned)
}

# Shares that were warned of, by the error in units of what a warning is due for.
summarise <- function(rows) {
  threshold <- btg:::largest_error
  above <- rows$error > 2 * threshold
  below <- rows$error < threshold / 2
  data.frame(
    problems = nrow(rows), above_twice = sum(above), of_these_warned = mean(rows$warned[above]),
    below_half = sum(below), of_those_warned = mean(rows$warned[below]),
    within_two_standard_errors = mean(rows$covered),
    within_by_default = mean(rows$covered[rows$rule == "default"])
  )
}

main <- function(given) {
  # The threshold was chosen with seeds up to 600.
  first <- if (is.null(given$first)) 1001L else as.integer(given$first)
  seeds <- first + seq_len(if (given$full) 400L else 40L) - 1L
  rows <- do.call(rbind, lapply(seeds, function(seed) {
    # Data that a model refuses say nothing about its integral.
    tryCatch(measure(seed), btg_error = function(e) NULL)
  }))
  write_rounded(rows, given, "warning.csv", 4L)
  write_rounded(summarise(rows), given, "warning-summary.csv", 4L)
  print(summarise(rows), row.names = FALSE, digits = 3)
  odd <- (rows$error > 2 * btg:::largest_error) != rows$warned &
    (rows$error > 2 * btg:::largest_error | rows$error < btg:::largest_error / 2)
  if (any(odd)) print(rows[odd, ], row.names = FALSE, digits = 2)
}

run_benchmark(main, "first")
