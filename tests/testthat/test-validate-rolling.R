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

test_that("forecasts of censored responses are scored by the mass within their limits", {
  censored <- transform(series, over = t %in% c(22, 33), y = ifelse(t %in% c(22, 33), 0.8, y))
  fit <- btg(y ~ t, censored, censored = ifelse(over, "right", "none"), transform = "softplus",
             quadrature = few_nodes(16))
  found <- rolling_origin(fit, "t", origins = 20, horizon = 4)
  past <- add_checksum(refit_rows(fit, 1:20, 1))
  expect_identical(found$upper[1:4], c(found$y[1], Inf, found$y[3:4]))
  more <- predict(past, series[22, ], type = "exceedance", at = 0.8)
  expect_equal(found$log_score[2], log(more[[1L]]), tolerance = 1e-6)
  # Forecasts without a censored row have the same columns.
  both <- rolling_origin(fit, "t", origins = c(20, 24), horizon = 4)
  expect_identical(found$log_score, both$log_score[1:4])
})

test_that("weights of forecasts are relative to the same mean as those of the past", {
  # One node: the predictive distribution is a t in closed form.
  weighted <- transform(series, w = ifelse(t <= 20, 0.5, 3) + 0.2 * sin(t))
  fixed <- btg_prior(fixed = c(lengthscale.t = 6, noise = 0.2))
  fit <- btg(y ~ t, weighted, weights = w, transform = "identity", prior = fixed)
  found <- rolling_origin(fit, "t", origins = 20, horizon = 3)
  relative <- weighted$w / mean(weighted$w)
  correlation <- function(a, b) naive_kernels$matern52(abs(outer(a, b, `-`)) / 6)
  V <- correlation(1:20, 1:20) + diag(0.2 / relative[1:20])
  K <- solve(V, correlation(1:20, 21:23))
  M <- solve(V, rep(1, 20))
  beta <- sum(M * series$y[1:20]) / sum(M)
  rest <- series$y[1:20] - beta
  variance <- sum(rest * solve(V, rest)) / 19
  location <- beta + drop(crossprod(K, rest))
  scale <- sqrt(variance * (1 + 0.2 / relative[21:23] -
                              colSums(K * correlation(1:20, 21:23)) + (1 - colSums(K))^2 / sum(M)))
  expect_equal(found$log_score, dt((series$y[21:23] - location) / scale, 19, log = TRUE) -
                 log(scale), tolerance = 1e-5)
})
