test_that("searches are tabulated, the best first", {
  fit <- wgp(y ~ x + w, oracle_data(), transform = "boxcox", restarts = 4)
  table <- fit$optimisation
  expect_named(table, c("start", "log_likelihood", "converged", "slope", "evaluations",
                        names(nodes(fit))[-(1:3)]))
  expect_false(is.unsorted(-table$log_likelihood))
  expect_close(table$log_likelihood, logLik(fit, hyper = table))
  expect_identical(table$converged, table$slope <= 0.01)
  expect_setequal(table$start, seq_len(nrow(table)))
  expect_true(all(table$evaluations >= 1))
})

test_that("lengthscales stay between a tenth of a step and 1000 times the range of their input", {
  d <- data.frame(x = c(0:9, 20), y = c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5),
                  f = rep_len(c("a", "b", "c"), 11))
  bounds <- wgp(y ~ x + f, d, warp_inputs = FALSE)$bounds
  expect_identical(row.names(bounds), c("lengthscale.x", "lengthscale.f", "noise"))
  # Indicators of two levels are sqrt(2) apart.
  expect_equal(bounds$lower, c(1 / 10, sqrt(2) / 10, 1e-8))
  expect_equal(bounds$upper, c(1000 * 20, 1000 * sqrt(2), 100))
  all <- wgp(y ~ x + k, transform(d, k = x^2), ard = FALSE, warp_inputs = FALSE)$bounds
  expect_identical(row.names(all), c("lengthscale.all", "noise"))
})

test_that("parameters of transforms stay where their default priors are", {
  d <- oracle_data()
  ends <- function(transform, name) {
    unlist(wgp(y ~ x, d, transform = transform)$bounds[name, c("lower", "upper")],
           use.names = FALSE)
  }
  expect_equal(ends("boxcox", "boxcox.lambda"), c(0, 3))
  expect_equal(ends("yeojohnson", "yeojohnson.lambda"), c(0, 2))
  expect_equal(ends("sinharcsinh", "sinharcsinh.a"), c(-3, 3), tolerance = 1e-6)
  expect_equal(ends("sinharcsinh", "sinharcsinh.b"), exp(c(-3, 3)), tolerance = 1e-6)
  expect_equal(ends("arcsinh", "arcsinh.d")[1], 0.1)
  expect_equal(ends(c("affine", "sinharcsinh"), "affine.b")[2], 10)
})

test_that("redundant and fixed hyperparameters are not searched", {
  d <- oracle_data()
  fit <- wgp(y ~ x + w, d, transform = c("sinharcsinh", "affine"), fixed = c(lengthscale.w = 50))
  expect_identical(row.names(fit$bounds),
                   c("lengthscale.x", "noise", "sinharcsinh.a", "sinharcsinh.b"))
  expect_close(fit$optimisation$lengthscale.w, rep(50, nrow(fit$optimisation)))
  expect_identical(unique(fit$optimisation$affine.a), 0)
  expect_identical(unique(fit$optimisation$affine.b), 1)
  all <- wgp(y ~ x, d, noise = 0.1, fixed = c(lengthscale.x = 2))
  expect_identical(nrow(all$bounds), 0L)
  expect_identical(all$optimisation$evaluations, 1L)
  expect_true(all$optimisation$converged)
})

test_that("fewer restarts are the first of more", {
  fit_with <- function(restarts) {
    wgp(y ~ x + w, oracle_data(), transform = "boxcox", restarts = restarts)$optimisation
  }
  ends <- function(table, starts) {
    table <- table[match(starts, table$start), ]
    row.names(table) <- NULL
    table
  }
  more <- fit_with(8)
  expect_gte(nrow(more), 8)
  expect_identical(ends(fit_with(2), 1:2), ends(more, 1:2))
})

test_that("searches from maxima of a similar likelihood are the only ones if they converge", {
  fit <- do.call(wgp_case, wgp_cases()[[4]])$fit
  built <- build_models(fit$design, fit$models)
  best <- fit$models[[1]]$posterior$hyper
  search <- function(warm) check_core(core_maximum(built, 1L, 5, warm, core_run()))
  again <- search(best)
  expect_length(again$log_likelihood, 1)
  expect_close(again$log_likelihood, fit$models[[1]]$posterior$log_marginal, 1e-9)
  expect_gte(length(search(best[0, , drop = FALSE])$log_likelihood), 5)
  # Values beyond a bound are moved to it.
  outside <- best
  outside[, 1] <- 1e9
  from_bound <- search(outside)
  expect_lte(max(from_bound$hyper[, 1]), from_bound$upper[1] * (1 + 1e-9))
})

test_that("searches stay where there is a likelihood", {
  # The affine layer can make the response negative, which the next layer cannot transform.
  fit <- wgp(y ~ x, oracle_data(), transform = c("affine", "boxcox"),
             fixed = c(boxcox.lambda = 1.2))
  expect_true(all(fit$optimisation$converged))
  scaled <- (oracle_data()$y - fit$scaling$y$center) / fit$scaling$y$scale
  expect_true(all(fit$optimisation$affine.a + min(scaled) > 0))
  at <- nodes(fit)
  at$affine.a <- 0
  expect_identical(as.vector(logLik(fit, hyper = at)), -Inf)
})

test_that("a likelihood that cannot be evaluated anywhere is an error", {
  expect_error(wgp(y ~ x, oracle_data(), transform = c("affine", "boxcox"),
                   fixed = c(affine.a = -6)),
               "any of [0-9]+ starts", class = "btg_error_numerical")
})

test_that("with little noise, the search ends at the best maximum and not at a noisy one", {
  set.seed(18)
  d <- data.frame(x1 = runif(40, -2, 2), x2 = runif(40, -1, 1))
  d$y <- with(d, (4 - 2.1 * x1^2 + x1^4 / 3) * x1^2 + x1 * x2 + (-4 + 4 * x2^2) * x2^2)
  known <- logLik(wgp(y ~ x1 + x2, d, kernel = "rbf", noise = 1e-4))
  expect_gte(as.numeric(logLik(wgp(y ~ x1 + x2, d, kernel = "rbf"))), as.numeric(known) - 1e-6)
})

test_that("short lengthscales, as of a periodic series, are found", {
  d <- data.frame(year = as.numeric(time(lynx)), y = as.numeric(lynx))[-seq(3, 114, 3), ]
  fit <- wgp(y ~ year, d, transform = "sinharcsinh")
  expect_lt(nodes(fit)$lengthscale.year, 10)
})

# The six-hump camel function, without noise, above zero.
six_humps <- function(seed, n = 50) {
  withr::with_seed(seed, x <- cbind(x1 = runif(n, -1, 1), x2 = runif(n, -2, 2)))
  y <- (4 - 2.1 * x[, 1]^2 + x[, 1]^4 / 3) * x[, 1]^2 + x[, 1] * x[, 2] +
    4 * (x[, 2]^2 - 1) * x[, 2]^2
  data.frame(x, y = y + 1.1)
}

test_that("few starts reach the maximum that many starts reach", {
  height <- function(d, transform, restarts) {
    as.numeric(logLik(suppressWarnings(wgp(y ~ ., d, transform = transform, kernel = "rbf",
                                           restarts = restarts))))
  }
  jumps <- function(seed) {
    x <- seq(-pi, pi, length.out = 51)
    withr::with_seed(seed, data.frame(x, y = round(sin(x)) + 2 + rnorm(51, sd = 0.05)))
  }
  for (seed in 1:4) {
    for (case in list(list(six_humps(seed), "boxcox"), list(jumps(seed), "sinharcsinh"))) {
      expect_gt(height(case[[1]], case[[2]], 5), height(case[[1]], case[[2]], 50) - 0.2)
    }
  }
})
