# Leave-one-out cross-validation, fast and naive, against the number of rows: see README.md.
#
#   Rscript bench/loocv.R [--full]
#
# Writes loocv.csv and loocv.png, and prints slopes and ratios.

source("bench/common.R")

settings <- function(full) {
  if (full) {
    list(fast = c(50, 100, 200, 500, 1000, 2000), naive = c(50, 100, 200, 400),
         repeats = 7L, fit_sizes = c(200, 1000), fit_repeats = c(5L, 3L))
  } else {
    list(fast = c(50, 100, 200, 500, 1000), naive = c(50, 100, 200),
         repeats = 5L, fit_sizes = c(200, 1000), fit_repeats = c(3L, 1L))
  }
}

# A skewed response of two inputs.
toy_data <- function(n) {
  set.seed(1)
  x <- matrix(stats::runif(2 * n), n, dimnames = list(NULL, c("a", "b")))
  signal <- sin(6 * x[, "a"]) + 2 * x[, "b"]^2
  data.frame(x, y = exp(signal / 2 + 0.2 * stats::rnorm(n)))
}

# Twenty nodes, none of which shares its factor with another. Only the parameters of the left-out
# distributions are computed, as in the paper's figure, and the log scores.
few_nodes <- function(n) {
  prior <- btg_prior(fixed = c(noise = 0.05, softplus.s = 1))
  btg(y ~ a + b, toy_data(n), transform = "softplus", prior = prior, epsilon = 0,
      quadrature = quad_sobol(nodes = 20))
}

log_scores <- function(fit, method) {
  y <- cbind(btg:::fit_response(fit))
  folds <- btg:::row_folds(fit$row_names, naive = method == "naive")
  request <- btg:::new_request(btg:::fit_points(fit), list(log_density = y), folds = folds)
  btg:::answer(btg:::ensemble_of(fit), request)
}

# Long enough for the clock: repeated until it takes a twentieth of a second.
timer <- function(run) {
  count <- 1L
  while (seconds_of(for (i in seq_len(count)) run()) < 0.05) count <- 2L * count
  function() seconds_of(for (i in seq_len(count)) run()) / count
}

# Minima of interleaved repeats, in seconds.
time_methods <- function(set) {
  cases <- rbind(data.frame(method = "fast", n = set$fast),
                 data.frame(method = "naive", n = set$naive))
  timers <- Map(function(method, n) {
    fit <- few_nodes(n)
    timer(function() log_scores(fit, method))
  }, cases$method, cases$n)
  cases$seconds <- interleaved_minima(timers, set$repeats)
  cases
}

interleaved_minima <- function(timers, repeats) {
  times <- replicate(repeats, vapply(timers, function(time) time(), 0))
  unname(apply(as.matrix(times), 1L, min))
}

# The slope on log axes between the two largest sizes.
last_slope <- function(n, seconds) {
  last <- utils::tail(order(n), 2L)
  diff(log(seconds[last])) / diff(log(n[last]))
}

# loocv() with all scores against the fit it belongs to, and its part without quantiles, CRPS and
# PIT: linear algebra and log scores.
time_against_fit <- function(n, repeats) {
  data <- toy_data(n)
  fit <- NULL
  runs <- list(
    fit = function() fit <<- btg(y ~ a + b, data, transform = "sinharcsinh"),
    loocv = function() loocv(fit),
    log_scores = function() log_scores(fit, "fast")
  )
  seconds <- interleaved_minima(lapply(runs, function(run) function() seconds_of(run())), repeats)
  data.frame(method = names(runs), n = n, seconds = seconds, nodes = fit$quadrature$nodes_kept,
             tried = fit$quadrature$nodes_tried)
}

draw_figure <- function(times) {
  graphics::par(mar = c(4, 4, 1, 1), mgp = c(2.4, 0.7, 0))
  colours <- c(fast = "#1F4E79", naive = "#C44E00")
  graphics::plot(times$n, times$seconds, log = "xy", type = "n", xlab = "rows", ylab = "seconds")
  graphics::grid(col = "grey85")
  for (method in names(colours)) {
    mine <- times[times$method == method, ]
    graphics::lines(mine$n, mine$seconds, type = "b", pch = 16, lwd = 2, col = colours[[method]])
  }
  slope <- vapply(names(colours), function(method) {
    mine <- times[times$method == method, ]
    last_slope(mine$n, mine$seconds)
  }, 0)
  graphics::legend("topleft", bty = "n", col = colours, lwd = 2, pch = 16,
                   legend = sprintf("%s (last slope %.1f)", names(colours), slope))
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE) # twenty nodes are few on purpose
  set <- settings(given$full)
  times <- time_methods(set)
  write_png(function() draw_figure(times), given, "loocv.png", 900, 700, 130)
  cat("\nSeconds at twenty nodes, linear algebra of ", btg:::linear_algebra(), ":\n", sep = "")
  print(times, digits = 3, row.names = FALSE)
  for (method in unique(times$method)) {
    mine <- times[times$method == method, ]
    cat("Slope of ", method, " between the two largest sizes: ",
        format(last_slope(mine$n, mine$seconds), digits = 3), "\n", sep = "")
  }
  both <- do.call(rbind, Map(time_against_fit, set$fit_sizes, set$fit_repeats))
  fits <- both$seconds[both$method == "fit"][match(both$n, both$n[both$method == "fit"])]
  both$of_a_fit <- both$seconds / fits
  cat("\nWhole fits:\n")
  print(both, digits = 3, row.names = FALSE)
  times[c("nodes", "tried", "of_a_fit")] <- list(20L, 20L, NA)
  all <- rbind(cbind(part = "twenty nodes", times), cbind(part = "fit", both[names(times)]))
  write_rounded(all, given, "loocv.csv", 4L)
}

run_benchmark(main)
