# The cost and the correctness of quantiles: see README.md.
#
#   Rscript bench/quantiles.R [--full]
#
# Writes quantiles.csv, quantiles-paper.csv and quantiles.png. Quick: 4000 random mixtures instead
# of 10^5.

source("bench/common.R")

methods <- c("none", "hull", "singular", "both", "auto")
probs <- c(0.5, 0.025, 0.975)

levy <- function(x) {
  w <- 1 + (x - 1) / 4
  sin(pi * w)^2 + (w - 1)^2 * (1 + sin(2 * pi * w)^2)
}

# A fit to 200 points of Levy's function, with the given number of nodes: the heaviest.
fit_levy <- function(nodes) {
  set.seed(1)
  data <- data.frame(x = sort(runif(200, -10, 10)))
  data$y <- levy(data$x) + rnorm(200, sd = 0.3)
  fit <- btg::btg(y ~ x, data, transform = "sinharcsinh", epsilon = 0,
                  quadrature = btg::quad_adaptive(nodes = 3 * nodes))
  posterior <- fit$models[[1L]]$posterior
  kept <- utils::head(order(posterior$weight, decreasing = TRUE), nodes)
  stopifnot(length(kept) == nodes)
  weight <- posterior$weight[kept]
  with_nodes(fit, posterior$hyper[kept, , drop = FALSE], weight / sum(weight))
}

# Everything the core and Brent's method need to know of the mixtures at new points.
mixtures_at <- function(fit, points) {
  x <- btg:::scale_inputs(cbind(x = seq(-10, 10, length.out = points)), fit$scaling$x)
  ensemble <- btg:::ensemble_of(fit)
  latent <- btg:::core_latent(btg:::core_members(ensemble), constant_points(x), btg:::core_run())
  shared <- btg:::shared_by_distributions(ensemble, list())
  c(shared[c("df", "models", "weight")], latent,
    list(inputs = x, range = range(fit$models[[1L]]$problem$response)))
}

ask_options <- function(tolerance, bound) {
  list(tolerance = tolerance, bound = bound, floor = -Inf, ceiling = Inf, open = 0,
       weight_variances = numeric())
}

# Our quantiles by one bound: list(quantile, evaluations, seconds).
invert <- function(m, tolerance, bound, probs) {
  start <- processor_seconds()
  core <- btg:::core_mixture(m$df, m$models, m$weight, m$location, m$scale,
                             list(quantile = rbind(probs)), ask_options(tolerance, bound))
  list(quantile = core$answers$quantile$value, evaluations = core$evaluations,
       seconds = processor_seconds() - start)
}

# By Brent's method at every `by`-th point.
invert_brent <- function(m, tolerance, library, by, probs) {
  columns <- seq(1L, ncol(m$location), by = by)
  model <- m$models[[1L]]
  found <- invert_by_brent(m$df, model$transform, model$lambda, m$weight,
                           m$location[, columns, drop = FALSE], m$scale[, columns, drop = FALSE],
                           probs, m$range, tolerance, library)
  c(found, list(columns = columns))
}

# The largest |F(q) - p| / min(p, 1 - p).
worst_error <- function(m, quantile, columns = seq_len(ncol(m$location))) {
  cdf <- btg:::core_mixture(m$df, m$models, m$weight, m$location[, columns, drop = FALSE],
                            m$scale[, columns, drop = FALSE], list(cdf = quantile),
                            ask_options(1e-8, "auto"))$answers$cdf$value
  max(abs(t(cdf) - probs) / pmin(probs, 1 - probs))
}

# Ours in turn, the shortest of `rounds`; then Brent's method once.
measure <- function(setup, nodes, points, tolerance, rounds, by) {
  m <- mixtures_at(fit_levy(nodes), points)
  seconds <- vapply(seq_len(rounds), function(round) {
    vapply(methods, function(bound) invert(m, tolerance, bound, probs)$seconds, 0)
  }, numeric(length(methods)))
  ours <- lapply(methods, function(bound) invert(m, tolerance, bound, probs))
  brent <- list("Brent, R's pt" = invert_brent(m, tolerance, "R", by[1L], probs),
                "Brent, Boost's cdf" = invert_brent(m, tolerance, "Boost", by[2L], probs))
  count <- c(rep(length(probs) * points, length(methods)),
             length(probs) * vapply(brent, function(b) length(b$columns), 0L))
  time <- c(apply(seconds, 1L, min), vapply(brent, `[[`, 0, "seconds")) / count
  evaluations <- c(vapply(ours, `[[`, 0, "evaluations"), vapply(brent, `[[`, 0, "evaluations"))
  error <- c(vapply(ours, function(found) worst_error(m, found$quantile), 0),
             vapply(brent, function(b) worst_error(m, b$quantile, b$columns), 0))
  data.frame(setup, nodes, points, tolerance, method = c(methods, names(brent)),
             microseconds = 1e6 * time, evaluations = evaluations / count,
             times_auto = time / time[["auto"]], error, row.names = NULL)
}

# The paper's table "Quantile Timing": medians and the ends of 95% intervals apart, in milliseconds
# for 100 points; the paper's in seconds. "none" is Brent's method, as there.
measure_as_paper <- function(rounds = 15L) {
  m <- mixtures_at(fit_levy(50L), 100L)
  jobs <- list(none = function(probs) invert_brent(m, 1e-3, "R", 1L, probs)$seconds,
               hull = function(probs) invert(m, 1e-3, "hull", probs)$seconds,
               singular = function(probs) invert(m, 1e-3, "singular", probs)$seconds,
               auto = function(probs) invert(m, 1e-3, "auto", probs)$seconds)
  shortest <- function(job, probs) 1e3 * min(replicate(rounds, job(probs)))
  data.frame(bound = names(jobs), median = vapply(jobs, shortest, 0, 0.5),
             interval = vapply(jobs, shortest, 0, c(0.025, 0.975)),
             paper_median = c(3.24, 1.11, 2.52, NA), paper_interval = c(7.87, 3.19, 6.54, NA))
}

# Three quantiles at 1000 points / the locations and scales they need.
measure_latent <- function(linear_algebra, rounds = 7L) {
  old <- options(btg.linear_algebra = linear_algebra)
  on.exit(options(old))
  fit <- fit_levy(50L)
  m <- mixtures_at(fit, 1000L)
  ensemble <- btg:::core_members(btg:::ensemble_of(fit))
  new <- constant_points(m$inputs)
  seconds <- vapply(seq_len(rounds), function(round) {
    start <- processor_seconds()
    btg:::core_latent(ensemble, new, btg:::core_run())
    latent <- processor_seconds() - start
    c(latent = latent, quantiles = invert(m, 1e-8, "auto", probs)$seconds)
  }, numeric(2L))
  shortest <- apply(seconds, 1L, min)
  data.frame(linear_algebra, milliseconds_latent = 1e3 * shortest[["latent"]],
             milliseconds_quantiles = 1e3 * shortest[["quantiles"]],
             ratio = shortest[["quantiles"]] / shortest[["latent"]])
}

# Random mixtures, a quarter of them with negative weights. A quantile may lie beyond the range
# of doubles, which the solver then says; all others are to invert F.
measure_random <- function(count, tolerance = 1e-8) {
  found <- rbind(
    cbind(weights = "positive", invert_random_mixtures(0.75 * count, 1L, FALSE, tolerance)),
    cbind(weights = "signed", invert_random_mixtures(0.25 * count, 2L, TRUE, tolerance))
  )
  beyond <- is.infinite(found$quantile) | found$quantile == 0
  by_weights <- split(data.frame(found, beyond), found$weights)
  do.call(rbind, lapply(by_weights, function(part) {
    within <- part$error <= 1.001 * tolerance
    data.frame(weights = part$weights[1L], mixtures = nrow(part), failed = sum(!part$inverts),
               within_tolerance = sum(within), beyond_doubles = sum(part$beyond & !within),
               within_one_double = sum(!within & !part$beyond & part$inverts),
               evaluations = mean(part$evaluations))
  }))
}

draw_figure <- function(results) {
  graphics::par(mfrow = c(1, 2), mar = c(4, 9, 3, 1), las = 1)
  for (part in split(results, factor(results$setup, unique(results$setup)))) {
    part <- part[rev(seq_len(nrow(part))), ]
    at <- graphics::barplot(part$times_auto, horiz = TRUE, log = "x", names.arg = part$method,
                            xlim = c(0.5, 1e4), col = "grey80", border = NA, axes = FALSE,
                            xlab = "time / auto (evaluations a quantile)", xpd = FALSE)
    graphics::axis(1, c(1, 10, 100, 1000), c("1", "10", "100", "1000"))
    graphics::text(part$times_auto, at, pos = 4, cex = 0.8, col = "grey30",
                   labels = sprintf("%.3g (%.1f)", part$times_auto, part$evaluations))
    graphics::title(part$setup[1L], cex.main = 1)
  }
}

compile <- function() {
  includes <- normalizePath(c("src", "tests/cpp"))
  Sys.setenv(PKG_CPPFLAGS = paste0("-I", shQuote(includes), collapse = " "), PKG_CXXFLAGS = "-w")
  Rcpp::sourceCpp("bench/quantiles.cpp", cacheDir = tempfile("compiled"), env = globalenv())
}

main <- function(given) {
  compile()
  results <- rbind(
    measure("50 nodes, 100 points, 1e-3", 50L, 100L, 1e-3, 15L, c(1L, 4L)),
    measure("500 nodes, 1000 points, 1e-8", 500L, 1000L, 1e-8, 3L, c(20L, 200L))
  )
  as_paper <- measure_as_paper()
  write_rounded(as_paper, given, "quantiles-paper.csv", 3L)
  latent <- rbind(measure_latent("builtin"), measure_latent("blas"))
  random <- measure_random(if (given$full) 1e5 else 4000)
  rownames(random) <- NULL
  write_rounded(results, given, "quantiles.csv", 3L)
  write_png(function() draw_figure(results), given, "quantiles.png", 1200, 520)
  print(results[-1L], row.names = FALSE)
  cat("\nMilliseconds at 100 points, and the paper's seconds:\n")
  print(as_paper, digits = 3, row.names = FALSE)
  cat("\nThree quantiles at 1000 points / locations and scales (target: at most 0.5)\n")
  print(latent, digits = 3, row.names = FALSE)
  cat("\nRandom mixtures\n")
  print(random, digits = 3, row.names = FALSE)
}

run_benchmark(main)
