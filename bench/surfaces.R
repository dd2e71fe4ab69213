# Likelihoods over hyperparameters: the paper's figure of little and much data, and why two models
# of its table do worse here than others. README.md.
#
#   Rscript bench/surfaces.R [--full]
#
# Writes surfaces-profiles.csv (the figure), surfaces-intsine.csv and surfaces-camel.csv (one draw
# each), and surfaces-draws.csv (what follows over draws). Grids are those of a full run either
# way; quick runs have three draws instead of twenty.

source("bench/common.R")
source("bench/paper/data.R")

log_grid <- function(lower, upper, count) exp(seq(log(lower), log(upper), length.out = count))

# The largest likelihood for each value of the hyperparameters `of`, over all others.
profile_of <- function(grid, log_likelihood, of) {
  rows <- split(seq_along(log_likelihood), grid[rev(of)], drop = TRUE)
  best <- vapply(rows, function(i) i[which.max(log_likelihood[i])], 0L)
  cbind(grid[best, , drop = FALSE], log_likelihood = log_likelihood[best])
}

rmse_of <- function(fit, data) {
  sqrt(mean((silently(predict(fit, data$test)) - data$test$truth)^2))
}

# --- the paper's figure ---------------------------------------------------------------------------

# The paper does not name its data. Here they are IntSine at random points.
random_int_sine <- function(n) {
  set.seed(1)
  x <- sort(stats::runif(n, -pi, pi))
  data.frame(x, y = round(sin(x)) + stats::rnorm(n, sd = 0.05))
}

# Profile likelihoods of each hyperparameter of SinhArcSinh, relative to the largest.
sparse_and_rich <- function(sizes = c(10L, 100L), count = 21L) {
  each <- lapply(sizes, function(n) {
    fit <- silently(wgp(y ~ x, random_int_sine(n), transform = "sinharcsinh", kernel = "rbf",
                        warp_inputs = FALSE))
    grid <- expand.grid(sinharcsinh.a = seq(-2, 2, length.out = count),
                        sinharcsinh.b = log_grid(0.2, 5, count),
                        lengthscale.x = log_grid(0.1, 10, count), noise = log_grid(1e-6, 1, count))
    log_likelihood <- as.vector(logLik(fit, hyper = grid))
    one <- function(of) {
      profile <- profile_of(grid, log_likelihood, of)
      data.frame(rows = n, hyperparameter = of, value = profile[[of]],
                 log_likelihood = profile$log_likelihood - max(log_likelihood))
    }
    do.call(rbind, lapply(names(grid), one))
  })
  do.call(rbind, each)
}

# --- IntSine: a narrow peak and a long ridge ------------------------------------------------------

fit_int_sine <- function(by, data, ...) {
  silently(by(y ~ x, data$train, transform = "identity", kernel = "rbf", warp_inputs = FALSE, ...))
}

int_sine_grid <- function(count) {
  expand.grid(lengthscale.x = log_grid(0.1, 5, count), noise = log_grid(1e-4, 1, count))
}

# The likelihood, and the error of the predictions at each lengthscale and noise.
int_sine_surface <- function(count = 33L) {
  data <- draw_int_sine(1)
  grid <- int_sine_grid(count)
  grid$log_likelihood <- as.vector(logLik(fit_int_sine(wgp, data), hyper = grid))
  grid$rmse <- vapply(seq_len(nrow(grid)), function(i) {
    fixed <- unlist(grid[i, c("lengthscale.x", "noise")])
    rmse_of(fit_int_sine(wgp, data, fixed = fixed), data)
  }, 0)
  grid
}

# Lengthscales below 0.6 belong to the peak. `share` is its share of the posterior.
int_sine_draw <- function(seed) {
  data <- draw_int_sine(seed)
  most_likely <- fit_int_sine(wgp, data)
  averaged <- fit_int_sine(btg, data)
  grid <- int_sine_grid(65L)
  peak <- grid$lengthscale.x < 0.6
  log_likelihood <- as.vector(logLik(most_likely, hyper = grid))
  log_posterior <- btg::log_posterior(averaged, grid)
  mass <- exp(log_posterior - max(log_posterior))
  data.frame(problem = "IntSine", draw = seed,
             first = max(log_likelihood[peak]), second = max(log_likelihood[!peak]),
             share = sum(mass[peak]) / sum(mass),
             rmse_first = rmse_of(most_likely, data), rmse_second = rmse_of(averaged, data))
}

# --- Camel with Box-Cox: the higher peak is the narrower one --------------------------------------

fit_camel <- function(data, ...) {
  silently(wgp(y ~ ., data$train, transform = "boxcox", kernel = "rbf", warp_inputs = FALSE, ...))
}

# At the least noise that wgp() allows, where the likelihood is largest: the profile of lambda and
# the lengthscale of the first input.
camel_surface <- function(count = 41L) {
  data <- draw_camel(2)
  grid <- expand.grid(lengthscale.x1 = log_grid(1, 100, count),
                      lengthscale.x2 = log_grid(0.5, 20, count), noise = 1e-8,
                      boxcox.lambda = seq(0.8, 1.1, length.out = count))
  log_likelihood <- as.vector(logLik(fit_camel(data), hyper = grid))
  profile <- profile_of(grid, log_likelihood, c("boxcox.lambda", "lengthscale.x1"))
  profile[c("boxcox.lambda", "lengthscale.x1", "log_likelihood")]
}

# By 50 starts, and by the default number.
camel_draw <- function(seed) {
  data <- draw_camel(seed)
  few <- fit_camel(data)
  many <- fit_camel(data, restarts = 50)
  data.frame(problem = "Camel", draw = seed, first = as.numeric(logLik(many)),
             second = as.numeric(logLik(few)), share = NA, rmse_first = rmse_of(many, data),
             rmse_second = rmse_of(few, data))
}

show_draws <- function(draws) {
  for (own in split(draws, draws$problem)) {
    cat("\n", own$problem[1L], ", means over ", nrow(own), " draws:\n", sep = "")
    print(colMeans(own[-(1:2)]), digits = 3)
    cat("The second likelihood is lower by more than 0.1 in",
        sum(own$second < own$first - 0.1), "draws.\n")
  }
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  seeds <- if (given$full) 1:20 else 1:3
  write_rounded(sparse_and_rich(), given, "surfaces-profiles.csv", 4L)
  write_rounded(int_sine_surface(), given, "surfaces-intsine.csv", 4L)
  write_rounded(camel_surface(), given, "surfaces-camel.csv", 5L)
  draws <- rbind(do.call(rbind, lapply(seeds, int_sine_draw)),
                 do.call(rbind, lapply(seeds, camel_draw)))
  show_draws(draws)
  write_rounded(draws, given, "surfaces-draws.csv", 4L)
}

run_benchmark(main)
