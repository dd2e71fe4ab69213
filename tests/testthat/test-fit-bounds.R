bounds_design <- function(y = c(0, 0.3, 0.8, 1, 0.5, 0, 0.7), censored = NULL) {
  design_from_xy(seq_along(y) + 0.1 * cos(seq_along(y)), y, censored = censored)
}

stated <- function(lower = NULL, upper = NULL, transform = "auto") {
  list(lower = lower, upper = upper, transform = transform)
}

at_bounds <- function(...) suppressMessages(censor_at_bounds(...))

test_that("responses at a stated or inferred bound are censored there", {
  both <- list(row = c(1L, 4L, 6L), lower = c(-Inf, 1, -Inf), upper = c(0, Inf, 0))
  expect_identical(at_bounds(bounds_design(), stated(0, 1))$censored, both)
  zeros <- list(row = c(1L, 6L), lower = c(-Inf, -Inf), upper = c(0, 0))
  expect_identical(at_bounds(bounds_design(), stated())$censored, zeros)
  expect_identical(at_bounds(bounds_design(), stated(0, transform = "identity"))$censored, zeros)
  expect_null(at_bounds(bounds_design(), stated(-Inf))$censored)
  expect_null(at_bounds(bounds_design(), stated(transform = "identity"))$censored)
  # Positive transforms have no latent value below the bound.
  expect_null(at_bounds(bounds_design(), stated(0, transform = "softplus"))$censored)
  expect_message(censor_at_bounds(bounds_design(), stated(0, 1)), "at 0 or 1 in 3 of 7 .* beyond",
                 class = "btg_message_at_bound")
  expect_message(censor_at_bounds(bounds_design(), stated(-Inf, 1)), "at 1 in 1 of 7 .* above",
                 class = "btg_message_at_bound")
})

test_that("limits at or beyond a bound become infinite, and values stand for the rest", {
  limits <- cbind(c(-1, NA, 0, 0.4, NA, NA, NA), c(0.2, NA, 1, 2, NA, NA, NA))
  design <- bounds_design(c(NA, 0.3, NA, NA, 0.5, 0.1, 0.7), limits)
  opened <- at_bounds(design, stated(0, 1))
  expect_identical(opened$censored, list(row = c(1L, 3L, 4L), lower = c(-Inf, -Inf, 0.4),
                                         upper = c(0.2, Inf, Inf)))
  expect_identical(opened$response[c(1, 4)], c(0.2, 0.4))
  expect_error(check_support(design, stated(0.25, 3)), "2 values below",
               class = "btg_error_response_outside")
  expect_error(check_support(design, stated(-2, 0.3)), "3 values above",
               class = "btg_error_response_outside")
})

test_that("rows that cannot be censored count as exact, with a message", {
  few <- bounds_design(c(0, 0, 0, 0, 0, 1, 2))
  expect_message(design <- censor_at_bounds(few, stated()), "too few other responses",
                 class = "btg_message_at_bound")
  expect_null(design$censored)
  expect_message(design <- censor_at_bounds(bounds_design(), stated(), vecchia()), "approximated",
                 class = "btg_message_at_bound")
  expect_null(design$censored)
  many <- bounds_design(c(rep(0, most_censored_rows + 1L), 1:9))
  expect_message(design <- censor_at_bounds(many, stated()), "at most",
                 class = "btg_message_at_bound")
  expect_null(design$censored)
  many <- bounds_design(c(rep(0.1, most_censored_rows + 1L), 1:9),
                        seq_len(most_censored_rows + 10L) <= most_censored_rows + 1L)
  expect_error(censor_at_bounds(many, stated()), "too many", class = "btg_error_censored")
  limits <- bounds_design(censored = rep(c(TRUE, FALSE), c(1, 6)))
  ml <- c(stated(0, transform = "identity"), method = "ML")
  expect_error(at_bounds(limits, ml), "REML", class = "btg_error_censored")
  expect_message(censor_at_bounds(bounds_design(), ml), "count as exact.*ML",
                 class = "btg_message_at_bound")
  expect_error(at_bounds(limits, stated(), vecchia()), "exact covariance",
               class = "btg_error_censored")
})

test_that("transforms between two bounds need both, and no response at them", {
  d <- data.frame(x = 1:9, y = c(2, 5, 3, 8, 7, 4, 9, 1, 6))
  fit <- function(...) {
    btg(y ~ x, d, transform = c("logit", "sinharcsinh"), quadrature = few_nodes(8), ...)
  }
  expect_error(fit(), "between two bounds", class = "btg_error_argument")
  expect_error(fit(lower = 0), "between two bounds", class = "btg_error_argument")
  expect_error(fit(lower = 1, upper = 10), "at a bound in 1 row",
               class = "btg_error_response_at_bound")
  expect_identical(fit(lower = 0, upper = 10)$scaling$y,
                   list(center = 0, scale = 10, lower = 0, upper = 10))
  limits <- cbind(c(0, rep(NA, 8)), c(0.5, rep(NA, 8)))
  expect_error(btg(y ~ x, d, transform = "softplus", lower = 0.5, censored = limits),
               "at most 0.5 in 1 censored row", class = "btg_error_response_not_positive")
})

test_that("a logit of a percentage is a Gaussian process of qlogis(y / 100)", {
  d <- transform(oracle_data(25), p = 100 * plogis(y - mean(y)))
  one <- wgp(p ~ x + w, d, transform = "logit", lower = 0, upper = 100)
  other <- wgp(qlogis(p / 100) ~ x + w, d)
  expect_close(predict(one, d), 100 * plogis(predict(other, d)), 1e-6)
  expect_equal(as.numeric(logLik(one)),
               as.numeric(logLik(other)) - (24 / 25) * sum(log(d$p * (1 - d$p / 100))),
               tolerance = 1e-6)
})

# Draws `2 * n` values of a smooth process with noise; the first half is to fit, the other to check.
simulated_process <- function(n, seed) {
  set.seed(seed)
  x <- runif(2 * n)
  K <- exp(-outer(x, x, `-`)^2 / (2 * 0.25^2)) + diag(0.3, 2 * n)
  data.frame(x, y = as.vector(t(chol(K)) %*% rnorm(2 * n)))
}

# The t statistic of the mean of differences, one per data set.
t_statistic <- function(differences) {
  mean(differences) / (sd(differences) / sqrt(length(differences)))
}

test_that("the probability of a zero is calibrated, with 10, 40 and 60% of zeros", {
  skip_if_quick()
  for (share in c(0.1, 0.4, 0.6)) {
    difference <- vapply(1:10, function(seed) {
      d <- simulated_process(50, seed)
      d$y <- pmax(d$y - qnorm(share, 0, sqrt(1.3)), 0)
      fit <- suppressMessages(btg(y ~ x, d[1:50, ], transform = "sinharcsinh", lower = 0,
                                  quadrature = quad_adaptive(effective = 50, most = 300)))
      sum(d$y[51:100] == 0) - sum(predict(fit, d[51:100, ], type = "cdf", at = 0))
    }, 0)
    expect_lt(abs(t_statistic(difference)), 3)
    # Counts over the 50 new rows of each data set.
    expect_lt(abs(mean(difference)), 3)
  }
})

test_that("intervals cover true values, with 20, 50 and 70% censored", {
  skip_if_quick()
  for (share in c(0.2, 0.5, 0.7)) {
    difference <- vapply(1:10, function(seed) {
      d <- simulated_process(50, 100 + seed)
      limit <- quantile(d$y, share) + 0.3 * cos(seq_len(100))
      train <- transform(d, y = exp(pmax(y, limit)), below = y < limit)[1:50, ]
      fit <- btg(y ~ x, train, transform = "softplus", censored = below,
                 quadrature = quad_adaptive(effective = 50, most = 300))
      ends <- predict(fit, d[51:100, ], interval = "prediction", level = 0.8)
      y <- exp(d$y[51:100])
      mean(y >= ends[, "lwr"] & y <= ends[, "upr"]) - 0.8
    }, 0)
    expect_lt(abs(t_statistic(difference)), 3)
    expect_lt(abs(mean(difference)), 0.07)
  }
})

test_that("the search for modes leaves enough draws where many rows are at a bound", {
  skip_if_quick()
  set.seed(1)
  d <- data.frame(a = runif(400), b = runif(400))
  d$y <- pmax(0, sin(6 * d$a) + d$b - 0.3 + 0.4 * rnorm(400))
  expect_no_warning(fit <- suppressMessages(btg(y ~ a + b, d)))
  effective <- vapply(kept_models(fit), function(model) model$quadrature$effective_nodes, 0)
  expect_gt(min(effective), 30)
})

test_that("a value that many rows share at an end may be a detection limit", {
  y <- c(rep(2, 6), 3 + sqrt(1:20))
  expect_message(censor_at_bounds(bounds_design(y), stated()),
                 "is 2, its lowest value, in 6 of 26 rows.*censored = y <= 2`",
                 class = "btg_message_limit")
  expect_message(censor_at_bounds(bounds_design(-y), stated()), "highest.*\"right\"",
                 class = "btg_message_limit")
  expect_no_message(censor_at_bounds(bounds_design(y, y <= 2), stated()))
  expect_no_message(censor_at_bounds(bounds_design(sqrt(1:20)), stated()))
  # A tie within the range, or at a bound, is no limit.
  expect_no_message(censor_at_bounds(bounds_design(c(rep(5.5, 6), 3 + sqrt(1:20))), stated()))
  expect_no_message(censor_at_bounds(bounds_design(y), stated(2, transform = "softplus")),
                    class = "btg_message_limit")
})

test_that("rounding is refused where it cannot be used", {
  design <- bounds_design(1:7 + 0)
  rounding <- c(stated(), rounding = 1)
  expect_identical(censor_at_bounds(design, rounding)$censored$lower, c(0.5, 1:6 + 0.5))
  expect_error(censor_at_bounds(design, rounding, approx = vecchia()), "is approximated",
               class = "btg_error_rounding")
  expect_error(censor_at_bounds(design, c(rounding, method = "ML")), "needs exact responses",
               class = "btg_error_rounding")
  many <- bounds_design(seq_len(most_censored_rows + 1L) + 0)
  expect_error(censor_at_bounds(many, rounding), "at most 500 rows", class = "btg_error_rounding")
  for (bad in list(0, -1, NA_real_, c(1, 2), "1", Inf)) {
    expect_error(support_settings(NULL, NULL, bad), "must be a positive number",
                 class = "btg_error_argument")
  }
})
