test_that("predictions are the same on workers", {
  skip_if_not_installed("future")
  skip_on_cran()
  d <- oracle_data(30)
  fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(8))
  points <- prediction_points(fit, rbind(d, NA))
  questions <- list(quantile = rbind(c(0.1, 0.5)), cdf = cbind(rep(1, 31)), moments = cbind(0))
  arguments <- list(fit, points, questions, TRUE, answer_options(fit, standard_error = TRUE), 1)
  alone <- do.call(answer_in_blocks, arguments, quote = TRUE)
  before <- future::plan("multisession", workers = 2)
  on.exit(future::plan(before))
  expect_equal(do.call(answer_on_workers, c(answer_in_blocks, arguments), quote = TRUE), alone,
               tolerance = 1e-12)
  # Points of exact fits, and few points, are not sent.
  expect_false(are_divisible(fit, 1e6))
})
