series <- data.frame(t = 1:40, y = exp(sin(1:40 / 4) + 0.1 * sin(37 * (1:40)^2)))
fit <- btg(y ~ t, series, transform = "softplus", quadrature = few_nodes(16))

test_that("forecasts are those of a fit to the past alone", {
  found <- rolling_origin(fit, "t", origins = c(20, 30), horizon = 4)
  expect_s3_class(found, "btg_scores")
  expect_identical(found$origin, rep(c(20, 30), each = 4))
  expect_equal(found$ahead, rep(1:4, 2))
  past <- add_checksum(refit_rows(fit, 1:20, 1))
  expect_equal(found$median[1:4], unname(predict(past, series[21:24, ])))
  # A response of the future changes nothing.
  changed <- series
  changed$y[25:40] <- rev(changed$y[25:40])
  other <- btg(y ~ t, changed, transform = "softplus", quadrature = few_nodes(16))
  expect_equal(rolling_origin(other, "t", 20, horizon = 4)$median, found$median[1:4],
               tolerance = 1e-6)
  expect_equal(summary(found)$rows, 8)
})

test_that("origins are spread over the later half, and forecasts reach the next", {
  found <- rolling_origin(fit, series$t, origins = 3)
  expect_identical(unique(found$origin), c(20, 27, 33))
  expect_equal(found$time, 21:40)
  dates <- as.Date("2020-01-01") + series$t
  expect_equal(rolling_origin(fit, dates, origins = 3)$median, found$median)
})

test_that("times and origins that make no sense are refused", {
  expect_error(rolling_origin(fit, letters[rep(1:20, 2)]), class = "btg_error_argument")
  expect_error(rolling_origin(fit, 1:3), class = "btg_error_argument")
  expect_error(rolling_origin(fit, "t", origins = 100), class = "btg_error_argument")
  expect_error(rolling_origin(fit, "t", horizon = 0), class = "btg_error_argument")
})
