weighted_fit <- function() {
  d <- oracle_data()
  d$k <- rep(c(1, 3), 7)
  btg(y ~ x + w, d, weights = k, trend = ~ x, transform = "softplus", quadrature = few_nodes(8))
}

test_that("the rows of a fit have the noise of their weights, relative to the mean weight", {
  fit <- weighted_fit()
  points <- fit_points(fit)
  expect_equal(points$relative_noise, 2 / rep(c(1, 3), 7))
  expect_true(all(points$complete))
  expect_identical(points$names, fit$row_names)
  expect_identical(prediction_points(fit, NULL), points)
  plain <- oracle_case("identity")$fit
  expect_identical(fit_points(plain)$relative_noise, rep(1, 14))
})

test_that("new rows that are rows of the fit are the same points", {
  fit <- weighted_fit()
  own <- fit_points(fit)
  new <- prediction_points(fit, fit$data, weights = rep(c(1, 3), 7))
  for (part in c("inputs", "trend", "relative_noise", "complete", "names")) {
    expect_equal(new[[part]], own[[part]], ignore_attr = TRUE)
  }
})

test_that("new rows have the mean weight, one weight, or one each", {
  fit <- weighted_fit()
  noise <- function(...) prediction_points(fit, fit$data[1:3, ], ...)$relative_noise
  expect_identical(noise(), c(1, 1, 1))
  expect_equal(noise(weights = 4), rep(2 / 4, 3))
  expect_equal(noise(weights = c(1, 2, 8)), 2 / c(1, 2, 8))
  expect_error(noise(weights = 1:2), class = "btg_error_weights")
  expect_error(noise(weights = -1), class = "btg_error_weights")
  expect_error(check_new_weights(1, TRUE), class = "btg_error_argument")
  expect_null(check_new_weights(1, FALSE))
  expect_null(check_new_weights(NULL, TRUE))
})

test_that("new rows with missing inputs are not complete, and rows of a matrix have numbers", {
  d <- oracle_data()
  fit <- btg(as.matrix(d[c("x", "w")]), d$y, transform = "identity", quadrature = few_nodes(8))
  new <- cbind(x = c(1, NA, 3), w = c(5000, 5100, 5200))
  points <- prediction_points(fit, new)
  expect_identical(points$complete, c(TRUE, FALSE, TRUE))
  expect_identical(points$names, c("1", "2", "3"))
})

test_that("rows that na.exclude left out are put back into answers", {
  d <- oracle_data()
  d$x[c(2, 7)] <- NA
  fit <- btg(y ~ x + w, d, na.action = na.exclude, transform = "identity",
             quadrature = few_nodes(8))
  points <- prediction_points(fit, NULL)
  expect_length(points$complete, 12)
  expect_identical(unname(which(is.na(predict(fit)))), c(2L, 7L))
  expect_identical(as.vector(points$na.action), c(2L, 7L))
})
