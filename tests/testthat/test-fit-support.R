positive_fit <- function(...) {
  btg(dist ~ speed, cars, ..., kernel = "matern52", quadrature = few_nodes(24))
}

new <- data.frame(speed = c(4, 6, 10))

test_that("a response that is positive in its data may later be negative", {
  fit <- positive_fit()
  expect_identical(fit$scaling$y[c("lower", "open")], list(lower = 0, open = 0.01))
  closed <- positive_fit(lower = 0)
  below <- predict(closed, new, type = "cdf", at = 0)
  # By definition: the distribution that stops at zero, and 1% of what the models themselves say.
  apart <- lapply(single_fits(fit), function(one) {
    one$scaling$y[c("lower", "open")] <- NULL
    predict(add_checksum(one), new, type = "cdf", at = -5)
  })
  expect_close(predict(fit, new, type = "cdf", at = -5),
               0.01 * Reduce(`+`, Map(`*`, apart, fit$model_weights)))
  expect_close(predict(fit, new, type = "cdf", at = c(0, 3, 20)),
               predict(closed, new, type = "cdf", at = c(0, 3, 20)))
  scored <- predictive_scores(fit, data.frame(speed = 4, dist = c(-5, 0, 5)))
  expect_true(all(is.finite(scored$log_score)))
  expect_equal(scored$log_score[2], log(0.99 * below[[1]]), tolerance = 1e-8)
  expect_equal(scored$log_score[3],
               predictive_scores(closed, data.frame(speed = 4, dist = 5))$log_score)
  expect_identical(predictive_scores(closed, data.frame(speed = 4, dist = -5))$log_score, -Inf)
})

# Positive responses close to zero, for which the screening leaves out all softplus models.
near_zero_data <- function() {
  set.seed(12)
  d <- data.frame(x = runif(40))
  d$y <- 2 + 1.2 * sin(6 * d$x) + 0.35 * rnorm(40)
  d
}

test_that("an assumed bound holds for all models, whichever the screening keeps", {
  d <- near_zero_data()
  fit <- btg(y ~ x, d, quadrature = quad_adaptive(nodes = 24))
  expect_match(names(fit$models), "^sinharcsinh")
  grid <- data.frame(x = seq(-0.2, 1.2, by = 0.05))
  expect_output(print(fit), "Response    assumed positive")
  free <- btg(y ~ x, d, quadrature = quad_adaptive(nodes = 24), lower = -Inf)
  expect_lt(min(predict(free, grid, interval = "prediction")), -0.5)
  for (one in c(list(fit), single_fits(fit))) {
    expect_identical(one$scaling$y[c("lower", "open")], list(lower = 0, open = 0.01))
    expect_gte(min(predict(one, grid, interval = "prediction", level = 0.99)), 0)
    expect_gt(predict(one, grid[29, , drop = FALSE], type = "cdf", at = -0.1), 0)
  }
  # A negative response ends the assumption, though a row as such would only change weights.
  more <- update(fit, newdata = data.frame(x = 0.8, y = c(0.3, -0.1)))
  expect_null(more$scaling$y$lower)
})

test_that("quantiles and the distribution function agree, and 99% intervals are positive", {
  fit <- positive_fit()
  p <- c(1e-5, 1e-4, 5e-4, 0.3, 0.5, 0.9)
  q <- predict(fit, new, type = "quantile", probs = p)
  cdf <- predict(fit, new, type = "cdf", at = unname(q))
  expect_true(any(q < 0))
  off <- unname(q) != 0
  expect_close(cdf[off], matrix(p, 3, 6, byrow = TRUE)[off], 1e-6)
  expect_true(all(predict(fit, new, interval = "credible", level = 0.99) >= 0))
  # The density below zero integrates to the distribution function.
  first <- new[1, , drop = FALSE]
  density <- function(y) as.vector(predict(fit, first, type = "density", at = y))
  low <- integrate(density, -Inf, 0, rel.tol = 1e-8)$value
  step <- predict(fit, first, type = "cdf", at = -1e-12)
  expect_close(low, step, 1e-5)
})

test_that("draws are negative as often as predicted", {
  skip_if_quick()
  fit <- positive_fit()
  n <- 4e4
  far <- data.frame(speed = rep(1, 2))
  expected <- predict(fit, far, type = "cdf", at = -1e-12)[[1]]
  expect_gt(expected, 5e-4)
  for (joint in c(TRUE, FALSE)) {
    draws <- simulate(fit, n, seed = 2, newdata = far, joint = joint)
    expect_lt(abs(mean(draws[1, ] < 0) - expected), 5 * sqrt(expected / n))
    zero <- predictive_scores(fit, far[1, , drop = FALSE], y = 0)$mass
    expect_lt(abs(mean(draws[1, ] == 0) - zero), 5 * sqrt(zero / n))
  }
})

test_that("a model that can go below zero keeps some weight, unless zero is a bound", {
  models <- positive_fit()$models
  weigh <- function(weights, models) keep_open_model(weights, models, c(-3, -1))
  expect_equal(weigh(c(0, 1), models), c(0.01, 0.99))
  expect_equal(weigh(c(0.001, 0.999), models), c(0.01, 0.99))
  expect_equal(weigh(c(0.02, 0.98), models), c(0.02, 0.98))
  expect_equal(weigh(c(0, 1), positive_fit(lower = 0)$models), c(0, 1))
  # Of several the best by its left-out score.
  several <- models[c(1, 1, 2)]
  expect_equal(keep_open_model(c(0, 0, 1), several, c(-9, -8, 0)), c(0, 0.01, 0.99))
  # Logarithms of a response that softplus fits best: a new one below zero is still possible.
  set.seed(1)
  d <- data.frame(x = runif(60))
  d$y <- exp(3 * d$x - 2 + rnorm(60) / 5)
  fit <- btg(y ~ x, d, quadrature = few_nodes(24))
  open <- grepl("^sinharcsinh", names(fit$models))
  expect_gte(sum(fit$model_weights[open]), 0.01 - 1e-12)
  expect_true(is.finite(predictive_scores(fit, data.frame(x = 0.1, y = -0.1))$log_score))
})

test_that("slopes and expected improvements below zero are those of differences", {
  fit <- positive_fit()
  at <- data.frame(speed = 3)
  h <- 1e-4
  differ <- function(...) {
    (predict(fit, at + h, ...) - predict(fit, at - h, ...)) / (2 * h)
  }
  expect_close(predict(fit, at, type = "slope", of = "quantile", probs = c(1e-4, 0.6)),
               differ(type = "quantile", probs = c(1e-4, 0.6)), 1e-4)
  expect_close(predict(fit, at, type = "slope", of = "cdf", at = c(-2, 3)),
               differ(type = "cdf", at = c(-2, 3)), 1e-4)
  expect_close(predict(fit, at, type = "slope", of = "mean"), differ(type = "mean"), 1e-4)
})
