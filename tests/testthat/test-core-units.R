# If the response is `center + scale * y`, all answers follow from those about y.

center <- 100
scale <- 8 # a power of two is exact

# The same fit in the units of y and in others.
two_units <- function(transform, ...) {
  d <- oracle_data()
  fit <- function(y) {
    btg(d[c("x", "w")], y, transform = transform, quadrature = few_nodes(), ...)
  }
  list(plain = fit(d$y), moved = fit(center + scale * d$y), new = d[c(2, 7), c("x", "w")] + 0.1)
}

test_that("answers follow the units of the response", {
  case <- two_units("sinharcsinh")
  at <- c(0.3, 1, 2.5)
  ask <- function(fit, ...) predict(fit, case$new, ...)
  moved_at <- center + scale * at
  follows <- function(type, change) {
    expect_close(ask(case$moved, type = type, at = moved_at),
                 change(ask(case$plain, type = type, at = at)), 1e-7)
  }
  follows("cdf", identity)
  follows("exceedance", identity)
  follows("density", function(x) x / scale)
  follows("log_density", function(x) x - log(scale))
  follows("crps", function(x) scale * x)
  for (type in c("quantile", "mean", "mode")) {
    tolerance <- if (type == "mode") 1e-5 else 1e-7
    expect_close(ask(case$moved, type = type), center + scale * ask(case$plain, type = type),
                 tolerance)
  }
  expect_close(ask(case$moved, type = "variance"), scale^2 * ask(case$plain, type = "variance"),
               1e-6)
  expect_close(ask(case$moved, interval = "hdi"),
               center + scale * ask(case$plain, interval = "hdi"), 1e-5)
  expect_close(ask(case$moved, quadrature_error = TRUE)$quadrature_error,
               scale * ask(case$plain, quadrature_error = TRUE)$quadrature_error, 1e-6)
  # A share is known to the rounding of 1.
  expect_close(ask(case$moved, type = "lost_mass"), ask(case$plain, type = "lost_mass"),
               floor = 1e-7)
})

test_that("slopes follow the units of the response", {
  case <- two_units("sinharcsinh")
  ask <- function(fit, ...) predict(fit, case$new, type = "slope", ...)
  expect_close(ask(case$moved), scale * ask(case$plain), 1e-6)
  expect_close(ask(case$moved, of = "mean"), scale * ask(case$plain, of = "mean"), 1e-6)
  expect_close(ask(case$moved, of = "cdf", at = center + scale),
               ask(case$plain, of = "cdf", at = 1), 1e-6)
  expect_close(ask(case$moved, of = "quantile", probs = 0.9),
               scale * ask(case$plain, of = "quantile", probs = 0.9), 1e-6)
})

test_that("responses to ask at are scaled, probabilities are not", {
  scaling <- list(center = center, scale = scale)
  asked <- scale_questions(list(cdf = cbind(center + scale), quantile = cbind(0.5),
                                moments = cbind(0)), scaling)
  expect_identical(asked, list(cdf = cbind(1), quantile = cbind(0.5), moments = cbind(0)))
})

test_that("units of columns repeat, and numbers that do not exist are NA", {
  scaling <- list(center = center, scale = scale)
  answer <- list(value = cbind(1, 2, NaN, 4), standard_error = cbind(1),
                 slopes = array(c(1, Inf, 3, 4), c(1, 1, 4)))
  found <- unscale_answer(answer, c("response", "variance"), scaling)
  expect_equal(found$value, cbind(center + scale, 2 * scale^2, NA, 4 * scale^2))
  expect_equal(found$standard_error, matrix(scale))
  expect_equal(c(found$slopes), c(scale, NA, 3 * scale, 4 * scale^2))
  expect_false(any(is.nan(found$value)))
})
