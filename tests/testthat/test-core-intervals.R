# Answers of a normal distribution at `mean`, cut off at zero, to the questions at `asked`.
normal_answers <- function(asked, mean) {
  cut <- function(at, p) ifelse(at < 0, 0, p)
  list(
    cdf = list(value = cut(asked$cdf, pnorm(asked$cdf, mean))),
    exceedance = list(value = 1 - cut(asked$exceedance, 1) +
                        cut(asked$exceedance, pnorm(asked$exceedance, mean, lower.tail = FALSE))),
    mass = list(value = (asked$mass == 0) * pnorm(0, mean))
  )
}

test_that("probabilities of intervals are differences of distribution functions, with masses", {
  limits <- new_limits(c(1, -Inf, 0.5, 2, 0, 12), c(1, 1.5, 2, Inf, 0, 13))
  y <- c(1, 1.5, 1, 2, 0, 12)
  mean <- c(1, 2, 0.3, -1, 0.4, 1)
  found <- interval_probabilities(normal_answers(ask_intervals(list(), limits, y), mean), limits)
  # The point mass at zero is below or inside.
  expect_equal(found$inside, c(0, pnorm(1.5, 2), pnorm(2, 0.3) - pnorm(0.5, 0.3),
                               pnorm(2, -1, lower.tail = FALSE), pnorm(0, 0.4),
                               pnorm(12, 1, lower.tail = FALSE) - pnorm(13, 1, lower.tail = FALSE)),
               tolerance = 1e-12)
  expect_equal(found$below, c(pnorm(1, 1), 0, pnorm(0.5, 0.3), pnorm(2, -1), 0, 1))
  log_density <- dnorm(y, mean, log = TRUE)
  expect_equal(interval_scores(log_density, found$inside, limits),
               c(log_density[1], log(found$inside[-1])))
  # Far in the tail, survival functions do not cancel.
  expect_equal(log(found$inside[6]), pnorm(12, 1, lower.tail = FALSE, log.p = TRUE),
               tolerance = 1e-4)
})

test_that("exact responses are asked at one value, with the same answers", {
  y <- c(0, 0.7, 2)
  limits <- new_limits(y, y)
  asked <- ask_intervals(list(cdf = cbind(y, y)), limits, y)
  expect_identical(lapply(asked, ncol), list(cdf = 3L, mass = 1L))
  found <- interval_probabilities(normal_answers(asked, 0.5), limits)
  expect_equal(found$inside, c(pnorm(0, 0.5), 0, 0))
  expect_equal(found$below, c(0, pnorm(y[-1], 0.5)))
})
