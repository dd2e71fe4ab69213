test_that("a fantasy is a row at its predicted median, with the mean weight", {
  d <- oracle_data()
  d$count <- rep(1:2, 7)
  fit <- btg(y ~ x + w, d, weights = count, transform = "softplus", quadrature = few_nodes())
  row <- data.frame(x = 4, w = 5500)
  more <- add_fantasy(fit, row, 1)
  expect_equal(nobs(more), 15)
  expect_equal(unname(fit_response(more)[15]), unname(predict(fit, row, observation = FALSE)))
  expect_equal(unname(weights(more)[15]), 1.5)
  # A row there makes predictions there more certain.
  expect_lt(acquire(more, row, "spread"), acquire(fit, row, "spread"))
})
