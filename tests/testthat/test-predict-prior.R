prior_data <- function() {
  data.frame(x = seq(0, 6, by = 0.5), y = exp(sin(seq(0, 6, by = 0.5))))
}

test_that("draws have the covariance of the kernel, and the location and scale of the data", {
  d <- prior_data()
  prior <- btg_prior(fixed = c(lengthscale.x = 1.3, noise = 0.25))
  new <- data.frame(x = c(1, 1.6, 4))
  ask <- function(observation) {
    as.matrix(simulate(prior, 6000, seed = 2, formula = y ~ x, data = d, newdata = new,
                       transform = "identity", observation = observation))
  }
  R <- naive_correlation(as.matrix(new), as.matrix(new), 1.3, "matern52", FALSE)
  K <- R + diag(0.25, 3)
  for (observation in c(TRUE, FALSE)) {
    draws <- ask(observation)
    expected <- if (observation) var(d$y) * K / 1.25 else var(d$y) * R
    # Standard errors of a covariance of 6000 draws are below 2% of the variance.
    expect_lt(max(abs(cov(t(draws)) - expected)), 0.08 * var(d$y))
    expect_lt(max(abs(rowMeans(draws) - mean(d$y))), 0.06 * sd(d$y))
  }
})

test_that("hyperparameters are drawn from their priors", {
  d <- prior_data()
  d$w <- rev(d$x)^2
  prior <- btg_prior("independent", softplus.s = btg_dist("uniform", lower = 0.5, upper = 2))
  draws <- simulate(prior, 800, seed = 1, formula = y ~ x + w, data = d, newdata = d[1, ],
                    transform = "softplus")
  hyper <- attr(draws, "hyperparameters")
  expect_named(hyper, c("lengthscale.x", "lengthscale.w", "noise", "softplus.s"))
  agrees <- function(x, cdf, ...) expect_gt(suppressWarnings(ks.test(x, cdf, ...)$p.value), 1e-3)
  agrees(log(hyper$lengthscale.x / sd(d$x)), "pnorm", 1 + log(2) / 2, 1.25)
  agrees(log(hyper$lengthscale.w / sd(d$w)), "pnorm", 1 + log(2) / 2, 1.25)
  agrees(hyper$noise / (1 + hyper$noise), "pbeta", 1 / 4, 1 / 2)
  agrees(hyper$softplus.s, "punif", 0.5, 2)
  expect_lt(abs(cor(log(hyper$lengthscale.x), log(hyper$lengthscale.w))), 0.12)
})

test_that("lengthscales with a common location are drawn together", {
  d <- prior_data()
  d$w <- rev(d$x)^2
  prior <- btg_prior(btg_common(spread = 0.5))
  hyper <- attr(simulate(prior, 4000, seed = 4, formula = y ~ x + w, data = d, newdata = d[1, ],
                         transform = "identity"), "hyperparameters")
  log_scales <- log(cbind(hyper$lengthscale.x / sd(d$x), hyper$lengthscale.w / sd(d$w)))
  # log l_j = m + s e_j with m ~ N(1 + log(2) / 2, 1) and s = 1/2.
  expect_equal(colMeans(log_scales), rep(1 + log(2) / 2, 2), tolerance = 0.06)
  expect_equal(cov(log_scales), matrix(c(1.25, 1, 1, 1.25), 2), tolerance = 0.1)
})

test_that("draws respect the support, rows and the seed", {
  d <- prior_data()
  new <- data.frame(x = c(2, NA, 3), row.names = c("a", "b", "c"))
  ask <- function(...) simulate(btg_prior(), 12, formula = y ~ x, data = d, newdata = new, ...)
  draws <- ask(seed = 1, transform = "softplus")
  expect_identical(dim(draws), c(3L, 12L))
  expect_identical(rownames(draws), c("a", "b", "c"))
  expect_true(all(is.na(draws["b", ])) && all(draws[c("a", "c"), ] >= 0))
  expect_identical(ask(seed = 1, transform = "softplus", threads = 2), draws)
  expect_false(identical(unname(ask(seed = 2, transform = "softplus")), unname(draws)))
  several <- ask(seed = 1)
  expect_identical(nrow(attr(several, "hyperparameters")), 12L)
  expect_gt(length(unique(attr(several, "hyperparameters")$model)), 1)
  at_data <- simulate(btg_prior(), 2, seed = 1, formula = y ~ x, data = d, transform = "boxcox")
  expect_identical(dim(at_data), c(13L, 2L))
  expect_true(all(at_data >= 0))
})

test_that("transformed draws are draws of the transformed scale", {
  d <- prior_data()
  prior <- btg_prior(fixed = c(lengthscale.x = 1.3, noise = 0.1, boxcox.lambda = 0))
  draws <- as.matrix(simulate(prior, 4000, seed = 3, formula = y ~ x, data = d,
                              newdata = data.frame(x = 2), transform = "boxcox"))
  logs <- log(draws)
  expect_gt(ks.test(as.vector(logs), "pnorm", mean(log(d$y)), sd(log(d$y)))$p.value, 1e-3)
})

test_that("models of several terms and of noise can be drawn", {
  d <- prior_data()
  d$site <- factor(rep(c("a", "b", "c"), length.out = 13))
  for (formula in list(y ~ x + (1 | site), y ~ gp(x) + linear(x))) {
    draws <- simulate(btg_prior(), 3, seed = 1, formula = formula, data = d, transform = "identity")
    expect_false(anyNA(draws))
  }
  noisy <- simulate(btg_prior(), 3, seed = 1, formula = y ~ x, data = d, transform = "identity",
                    noise = ~ x, kernel = "rbf")
  expect_true("noise.x" %in% names(attr(noisy, "hyperparameters")))
})

test_that("bad arguments are errors that say so", {
  d <- prior_data()
  refused <- function(class, ...) {
    expect_error(simulate(btg_prior(), ...), class = paste0("btg_error_", class))
  }
  refused("argument")
  refused("argument", nsim = 0, formula = y ~ x, data = d)
  refused("argument", formula = y ~ x, data = d, observation = 1)
  refused("unknown_argument", formula = y ~ x, data = d, kernal = "rbf")
  refused("unknown_argument", formula = y ~ x, data = d, trend = ~ x)
  refused("missing_columns", formula = y ~ x, data = d, newdata = data.frame(z = 1))
})
