# Central differences of f(new) along a column, without their leading error.
differences <- function(f, new, name, h) {
  moved <- function(step) {
    new[[name]] <- new[[name]] + step
    f(new)
  }
  (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
}

# Truncation at the image of a transform is part of what has slopes.
may_lose_mass <- function(code) suppressWarnings(code, classes = "btg_warning_lost_mass")

test_that("slopes are those of differences, for every transform and kernel", {
  skip_if_quick()
  d <- oracle_data()
  new <- data.frame(x = c(3.3, 11), w = c(5700, 5100))
  kernels <- names(naive_kernels)
  transforms <- list("identity", "boxcox", "sinharcsinh", "softplus", c("affine", "arcsinh"))
  for (i in seq_along(transforms)) {
    fit <- btg(y ~ x + w, d, transform = transforms[[i]], quadrature = few_nodes(),
               kernel = kernels[(i - 1) %% length(kernels) + 1], product = i %% 2 == 0,
               trend = if (i > 2) ~ poly(x, 2) else ~ 1)
    for (observation in c(TRUE, FALSE)) {
      ask <- function(...) {
        function(new) {
          may_lose_mass(predict(fit, new, ..., observation = observation, tolerance = 1e-13))
        }
      }
      slope <- function(...) {
        ask(type = "slope", ...)(new)
      }
      medians <- slope()
      expect_equal(dim(medians), c(2L, 2L))
      expect_equal(medians[, "x"], differences(ask(), new, "x", 1e-3), tolerance = 1e-6)
      expect_equal(medians[, "w"], differences(ask(), new, "w", 0.1), tolerance = 1e-6)
      quantiles <- ask(type = "quantile", probs = c(0.1, 0.8))
      expect_equal(slope(of = "quantile", probs = c(0.1, 0.8))[, "x", ],
                   differences(quantiles, new, "x", 1e-3), tolerance = 1e-6)
      for (of in c("cdf", "exceedance")) {
        expect_equal(slope(of = of, at = c(1, 2))[, "w", ],
                     differences(ask(type = of, at = c(1, 2)), new, "w", 0.1), tolerance = 1e-6)
      }
      if (i %in% c(1, 4)) {
        # The mean itself has an error of some 1e-6.
        expect_equal(slope(of = "mean")[, "x"], differences(ask(type = "mean"), new, "x", 1e-3),
                     tolerance = 1e-5)
      }
    }
  }
})

test_that("averages, noise, warps, factors and maximum likelihood have slopes", {
  d <- oracle_data(20)
  d$u <- exp(d$x / 3)
  d$g <- rep(c("a", "b"), 10)
  new <- data.frame(u = c(2, 9, NA), w = c(5200, 5700, 5000), g = "b")
  fits <- list(btg(y ~ u + w + g, d, noise = ~ u, quadrature = few_nodes()),
               wgp(y ~ u + w + g, d, transform = "softplus"))
  expect_named(fits[[1]]$scaling$x$warp, "u")
  for (fit in fits) {
    slopes <- predict(fit, new, type = "slope", tolerance = 1e-13)
    expect_equal(colnames(slopes), c("u", "w", "g"))
    expect_true(all(is.na(slopes[, "g"])) && all(is.na(slopes[3, ])))
    median <- function(new) predict(fit, new[1:2, ], tolerance = 1e-13)
    expect_equal(slopes[1:2, "u"], differences(median, new, "u", 1e-3), tolerance = 1e-6)
    expect_equal(slopes[1:2, "w"], differences(median, new, "w", 0.1), tolerance = 1e-6)
  }
})

test_that("a response at its floor has no slope", {
  d <- data.frame(x = 1:20)
  d$y <- 0.01 + pmax(0, d$x - 12)
  fit <- btg(y ~ x, d)
  low <- data.frame(x = 1.5)
  at_floor <- predict(fit, low, type = "quantile", probs = 0.05)
  expect_equal(as.vector(at_floor), 0)
  expect_equal(as.vector(predict(fit, low, type = "slope", of = "quantile", probs = 0.05)), 0)
})

test_that("the rows of the fit have slopes, with their na.action", {
  d <- oracle_data()
  d$x[3] <- NA
  old <- options(na.action = "na.exclude")
  on.exit(options(old))
  fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes())
  own <- predict(fit, type = "slope")
  expect_equal(nrow(own), 14)
  expect_true(all(is.na(own[3, ])))
  expect_equal(own[-3, ], predict(fit, d, type = "slope")[-3, ])
})

test_that("slopes that are not there are refused", {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(8))
  expect_error(predict(fit, d, of = "mean"), class = "btg_error_argument")
  expect_error(predict(fit, d, type = "slope", of = "mode"), class = "btg_error_argument")
  expect_error(predict(fit, d, type = "slope", of = "cdf"), class = "btg_error_argument")
  expect_error(predict(fit, d, type = "slope", probs = 0.2), class = "btg_error_argument")
  expect_error(predict(fit, d, type = "slope", interval = "hdi"), class = "btg_error_argument")
  expect_error(predict(fit, type = "slope", left_out = TRUE), class = "btg_error_argument")
})

test_that("slopes of an approximate covariance are those of differences", {
  d <- oracle_data(60)
  coarse <- vecchia(neighbours = 10, block = 5, inducing = 8)
  expect_warning(fit <- btg(y ~ x + w, d, transform = "boxcox", quadrature = few_nodes(8),
                            approx = coarse), class = "btg_warning_approx")
  new <- data.frame(x = c(3.3, 11, 6.1), w = c(5700, 5100, 5400))
  median <- function(new) may_lose_mass(predict(fit, new, tolerance = 1e-13))
  slopes <- may_lose_mass(predict(fit, new, type = "slope", tolerance = 1e-13))
  expect_equal(slopes[, "x"], differences(median, new, "x", 1e-4), tolerance = 1e-6)
  expect_equal(slopes[, "w"], differences(median, new, "w", 0.01), tolerance = 1e-6)
})

test_that("where an approximate covariance is exact, so are its slopes and their limits", {
  d <- oracle_data(60)
  all <- vecchia(neighbours = 60, block = 5)
  fit <- btg(y ~ x + w, d, transform = "identity", quadrature = few_nodes(8), approx = all)
  h <- unlist(nodes(fit)[1L, -(1:3)])
  slopes <- function(approx) {
    one <- btg(y ~ x + w, d, transform = "identity", prior = btg_prior(fixed = h), approx = approx)
    predict(one, d[1:5, ], type = "slope", interval = "credible")
  }
  expect_equal(slopes(all), slopes("exact"), tolerance = 1e-8)
})

test_that("no rows have no slopes", {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(8))
  expect_equal(dim(predict(fit, d[0, ], type = "slope")), c(0L, 2L))
})

test_that("slopes are the same bits from kept factors", {
  d <- oracle_data(25)
  fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(8))
  slopes <- function(cache) {
    before <- options(btg.cache = cache)
    on.exit(options(before))
    predict(fit, d[1:12, ], type = "slope")
  }
  alone <- slopes(0)
  prepare(fit)
  expect_identical(slopes(1e9), alone)
  expect_identical(slopes(1e9), alone)
})

test_that("limits of slopes are quantiles of differences of joint draws", {
  d <- data.frame(x = c(1:12, 3:10) / 4, u = rep(1:4, 5))
  d$y <- exp(sin(d$x) + 0.2 * d$u + 0.5 * sin(37 * seq_along(d$x)))
  fit <- btg(y ~ x + u, d, transform = "softplus", kernel = "matern52", trend = ~ x,
             prior = btg_prior(fixed = c(lengthscale.x = 1.5, lengthscale.u = 3, noise = 0.4,
                                         softplus.s = 0.3)))
  new <- data.frame(x = c(0.9, 2.1), u = c(2, 3))
  h <- 1e-3
  both <- rbind(transform(new, x = x - h), transform(new, x = x + h))
  for (of in c("response", "mean")) {
    draws <- if (of == "mean") drawn_means(fit, both, 20000, 1, NULL, 1)
             else t(as.matrix(simulate(fit, 20000, seed = 1, newdata = both, observation = FALSE)))
    slopes <- (draws[, 3:4] - draws[, 1:2]) / (2 * h)
    found <- predict(fit, new, type = "slope", of = of, interval = "confidence", level = 0.9)
    expect_identical(dimnames(found), list(c("1", "2"), c("x", "u"), c("fit", "lwr", "upr")))
    expect_identical(found[, , "fit"], predict(fit, new, type = "slope", of = of,
                                               observation = of == "mean"))
    for (i in 1:2) {
      expect_lt(abs(mean(slopes[, i] < found[i, "x", "lwr"]) - 0.05), 0.006)
      expect_lt(abs(mean(slopes[, i] < found[i, "x", "upr"]) - 0.95), 0.006)
    }
  }
  expect_error(predict(fit, new, type = "slope", interval = "prediction"),
               class = "btg_error_argument")
  rough <- btg(y ~ x, d, kernel = "exponential", transform = "identity", quadrature = few_nodes(4))
  expect_error(predict(rough, new, type = "slope", interval = "confidence"), "no derivative",
               class = "btg_error_slope")
})
