test_that("a believed row is at its median, with the mean weight", {
  d <- oracle_data()
  d$count <- rep(1:2, 7)
  fit <- btg(y ~ x + w, d, weights = count, transform = "softplus", quadrature = few_nodes())
  row <- data.frame(x = 4, w = 5500)
  more <- believe(fit, row, 1)
  expect_equal(nobs(more), 15)
  expect_equal(unname(fit_response(more)[15]), unname(predict(fit, row, observation = FALSE)))
  expect_equal(unname(weights(more)[15]), 1.5)
  # What is known there is known better.
  expect_lt(acquire(more, row, "spread"), acquire(fit, row, "spread"))
})
