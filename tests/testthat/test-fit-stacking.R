test_that("stacking weights agree with a direct optimiser", {
  set.seed(3)
  for (models in c(2, 3, 5)) {
    for (spread in c(0.2, 2)) {
      log_scores <- matrix(rnorm(40 * models, -3, spread), 40)
      found <- stacking_weights(log_scores)
      direct <- optimal_stacking(log_scores)
      reached <- sum(log(exp(log_scores) %*% found))
      expect_gte(reached, direct$value - 1e-6)
      expect_close(found, direct$weights, 1e-3, floor = 1)
      expect_equal(sum(found), 1)
    }
  }
  # Models that are much alike: none would gain by more weight, none without any would lose by it.
  log_scores <- rnorm(300, -3) + matrix(rnorm(1200, 0, 0.01), 300)
  found <- stacking_weights(log_scores)
  gain <- colMeans(exp(log_scores) / as.vector(exp(log_scores) %*% found))
  expect_lt(max(gain), 1 + 1e-8)
  expect_close(gain[found > 1e-4], rep(1, sum(found > 1e-4)), 1e-6)
  # A model that is best in every row gets all, whatever the scale of the scores.
  expect_close(stacking_weights(cbind(a = -(1:9), b = -(2:10)) - 1e4), c(1, 0), 1e-4, floor = 1)
  # Rows without a score are not counted; without any row, weights are equal.
  log_scores <- matrix(rnorm(60), 20)
  expect_equal(stacking_weights(rbind(log_scores, c(NA, 0, 0), -Inf)), stacking_weights(log_scores))
  expect_equal(stacking_weights(matrix(NA_real_, 4, 2)), c(0.5, 0.5))
})

test_that("stacking weights agree with the loo package", {
  skip_if_not_installed("loo")
  set.seed(4)
  log_scores <- matrix(rnorm(90, -3, 1), 30)
  expect_close(stacking_weights(log_scores), loo::stacking_weights(log_scores), 1e-3, floor = 1)
})
