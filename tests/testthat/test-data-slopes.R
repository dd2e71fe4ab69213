slope_data <- function(n = 24) {
  i <- seq_len(n)
  x <- 10 * ((0.618 * i) %% 1) + 0.1
  skewed <- exp(3 * ((0.414 * i) %% 1))
  g <- rep(c("a", "b", "c"), length.out = n)
  data.frame(x = x, skewed = skewed, g = g, day = as.Date("2020-01-01") + 3 * i,
             y = exp(sin(x / 2)) + 0.3 * log(skewed) + 0.1 * cos(17 * i) + (g == "a"))
}

slopes_of <- function(design, scaling, data, newdata) {
  blueprint_slopes(design$blueprint, scaling, data, newdata)
}

test_that("terms of any kind have the slopes of calculus", {
  d <- slope_data()
  fit <- btg(y ~ x + log(skewed) + I(x^2), d, trend = ~ x * skewed, noise = ~ x,
             transform = "identity", quadrature = few_nodes(8), warp_inputs = FALSE)
  new <- data.frame(x = c(1, 5, 0.02), skewed = c(0.004, 3, 40))
  slopes <- slopes_of(fit, fit$scaling$x, fit$data, new)
  scale <- fit$scaling$x$scale
  expect_named(slopes, c("x", "skewed"))
  expect_equal(unname(slopes$x$inputs),
               cbind(1, 0, 2 * new$x) / rep(unname(scale), each = 3), tolerance = 1e-10)
  expect_equal(unname(slopes$skewed$inputs),
               cbind(0, 1 / new$skewed, 0) / rep(unname(scale), each = 3), tolerance = 1e-9)
  expect_equal(slopes$x$trend, cbind(0, 1, 0, new$skewed), ignore_attr = TRUE, tolerance = 1e-9)
  expect_equal(slopes$skewed$trend, cbind(0, 0, 1, new$x), ignore_attr = TRUE, tolerance = 1e-9)
  # The noise is constant beyond the data, whose smallest x is larger than 0.02.
  expect_equal(slopes$x$noise[, 1], c(1, 1, 0) / sd(d$x), tolerance = 1e-9)
})

test_that("a plain variable has the slope 1 exactly, without replaying anything", {
  d <- slope_data()
  fit <- btg(y ~ x + g, d, transform = "identity", quadrature = few_nodes(8))
  new <- d[1:2, ]
  slopes <- with_functions(list(difference_slopes = function(...) stop("not needed")),
                           slopes_of(fit, fit$scaling$x, fit$data, new))
  expect_named(slopes, "x")
  expect_identical(unname(slopes$x$inputs[, 1]), rep(1 / fit$scaling$x$scale[["x"]], 2))
  expect_true(all(slopes$x$inputs[, -1] == 0) && all(slopes$x$trend == 0))
})

test_that("warps have the slopes of differences", {
  positive <- list(name = "boxcox", lambda = 0.3, center = 0, scale = 2)
  for (warp in list(positive, modifyList(positive, list(lambda = 0)),
                    list(name = "yeojohnson", lambda = 0.4, center = 1, scale = 3),
                    list(name = "yeojohnson", lambda = 1.7, center = 1, scale = 3))) {
    x <- cbind(a = c(0.2, 0.99, 1.5, 9), b = 1:4)
    h <- 1e-5
    expected <- (warp_values(x[, "a"] + h, warp) - warp_values(x[, "a"] - h, warp)) / (2 * h)
    slopes <- warp_slopes(x, list(a = warp))
    expect_equal(slopes[, "a"], expected, tolerance = 1e-7)
    expect_equal(slopes[, "b"], rep(1, 4))
  }
})

test_that("there are no slopes along factors, nor along what one is made of", {
  d <- slope_data()
  fit <- btg(y ~ cut(x, c(0, 3, 6, 11)) + skewed + g + day, d, transform = "identity",
             quadrature = few_nodes(8))
  expect_equal(slope_variables(fit$blueprint), c("skewed", "day"))
})
