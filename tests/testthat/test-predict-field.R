test_that("errors of quantiles are those of repeated independent samples", {
  set.seed(1)
  count <- 8 * 200
  replicate <- rep(1:8, each = 200)
  probs <- c(0.5, 0.025, 0.975)
  once <- function() {
    values <- rnorm(count)
    list(quantiles = quantile(values, probs), errors = quantile_error(values, replicate, probs))
  }
  many <- lapply(1:300, function(k) once())
  spread <- apply(vapply(many, function(one) one$quantiles, numeric(3)), 1, sd)
  stated <- sqrt(rowMeans(vapply(many, function(one) one$errors, numeric(3))^2))
  expect_equal(unname(stated / spread), rep(1, 3), tolerance = 0.2)
})

test_that("draws are added until the error is small enough", {
  expect_identical(more_draws(1, 64L, 1024L), 0L)
  expect_identical(more_draws(1.1, 64L, 1024L), 64L)
  expect_identical(more_draws(3.9, 64L, 1024L), 960L)
  expect_identical(more_draws(100, 64L, 1024L), 960L)
  asked <- list()
  draw <- function(count, first) {
    asked[[length(asked) + 1L]] <<- c(count, first)
    list(draws = matrix(sin(1e4 * seq_len(8 * count) + first)), replicate = rep(1:8, each = count))
  }
  fixed <- drawn_answers(draw, t, c(0.5, 0.025, 0.975), nsim = 100)
  expect_identical(asked, list(c(13, 0)))
  expect_identical(dim(fixed$values), c(1L, 104L))
  asked <- list()
  drawn_answers(draw, t, c(0.5, 0.025, 0.975), nsim = 800, part = 64)
  expect_identical(asked, list(c(64, 0), c(36, 64)))
  asked <- list()
  coarse <- drawn_answers(draw, t, c(0.5, 0.025, 0.975), accuracy = 1e-6, part = 2000)
  expect_identical(asked, list(c(128, 0), c(896, 128)))
  expect_identical(ncol(coarse$values), 8192L)
})

test_that("draws stop at bounds, except for the open share of whole draws", {
  scaling <- list(center = 10, scale = 2)
  draws <- matrix(-3:2, 2)
  expect_identical(within_ends(draws, scaling, 1:3), 10 + 2 * draws)
  d <- transform(oracle_data(), y = y - 0.3)
  fit <- btg(y ~ x, d, transform = "identity", lower = 0, quadrature = few_nodes())
  points <- prediction_points(fit, data.frame(x = c(0, 5, 10, 20)))
  found <- field_draws(fit, points, 1:4, 32L, 0L, TRUE, 1, 1)
  expect_identical(dim(found$draws), c(4L, 256L))
  expect_gte(min(found$draws), 0)
  expect_gt(sum(found$draws == 0), 0)
})

test_that("later draws continue the sequence", {
  case <- oracle_case("sinharcsinh")
  points <- prediction_points(case$fit, case$new)
  draw <- function(count, first) {
    field_draws(case$fit, points, 1:3, count, first, FALSE, 1, 1)$draws
  }
  all <- draw(8L, 0L)
  later <- draw(4L, 4L)
  expect_equal(all[, c(5:8, 13:16)], later[, 1:8])
  # Each draw is a point of a sequence whose margins are the predictions.
  probs <- predict(case$fit, case$new, type = "cdf", observation = FALSE,
                   at = matrix(draw(64L, 0L)[, 1:64], 3))
  expect_lt(max(abs(apply(probs, 1, sort) - (1:64 - 0.5) / 64)), 0.15)
})
