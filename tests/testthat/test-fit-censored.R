# A fit whose hyperparameters are all fixed, on the scale of the data.
fixed_fit <- function(d, limits, ...) {
  btg(y ~ x, d, transform = "identity", warp_inputs = FALSE, censored = limits,
      prior = btg_prior(lengthscale = "independent",
                        fixed = c(lengthscale.x = 0.4, noise = 0.3)), ...)
}

censored_case <- function(n, share, seed) {
  set.seed(seed)
  x <- (seq_len(n) * 0.618) %% 1
  y <- sin(5 * x) + 0.5 * rnorm(n)
  limit <- quantile(y, share) + 0.2 * cos(seq_len(n))
  below <- y < limit
  list(d = data.frame(x, y = ifelse(below, limit, y)),
       limits = cbind(ifelse(below, -Inf, y), ifelse(below, limit, y)))
}

new_points_at <- c(0.05, 0.33, 0.62, 0.9)

predicted_cdf <- function(fit, at) {
  new <- data.frame(x = new_points_at)
  mapply(function(i, y) predict(fit, new[i, , drop = FALSE], type = "cdf", at = y), 1:4, at)
}

# 2% of a standard deviation changes a distribution function by at most 0.008.
test_that("one censored row: predictions are those of an integral over its latent response", {
  case <- censored_case(14, 0.3, 3)
  below <- which(is.infinite(case$limits[, 1]))[1]
  limits <- case$limits
  limits[-below, ] <- case$d$y[-below]
  process <- function(limits) censored_process(case$d$x, limits, 0.4, 0.3, new_points_at)
  at <- c(-0.5, 0.2, 0.6, -1)
  for (own in list(c(-Inf, limits[below, 2]), limits[below, 2] + c(-0.8, 0.3),
                   c(limits[below, 2], Inf))) {
    limits[below, ] <- own
    fit <- fixed_fit(case$d, limits)
    expect_lt(max(abs(predicted_cdf(fit, at) - one_censored_cdf(process(limits), at))), 0.008)
    # Its left-out score is the log probability of its interval, given the exact rows.
    from_exact <- process(limits)
    from_exact$k <- from_exact$K[, below, drop = FALSE]
    from_exact$m <- matrix(1)
    from_exact$c0 <- from_exact$K[below, below]
    law <- complete_prediction(from_exact, case$d$y[-below], seq_len(14)[-below])
    ends <- pt((own - law$location) / law$scale, law$df)
    left_out <- loocv(fit)$pointwise[below, ]
    expect_equal(left_out$log_score, log(diff(ends)), tolerance = 1e-6)
    expect_equal(left_out$pit, mean(ends), tolerance = 1e-6)
    expect_identical(is.na(left_out$residual), TRUE)
  }
})

test_that("many censored rows: predictions are those of Gibbs samplers of the latent responses", {
  skip_if_quick()
  at <- c(-0.5, 0.2, 0.6, -1)
  for (share in c(0.3, 0.6)) {
    case <- censored_case(30, share, 10 * share)
    process <- censored_process(case$d$x, case$limits, 0.4, 0.3, new_points_at)
    set.seed(1)
    chains <- replicate(5, gibbs_cdf(process, at, 3000))
    error <- abs(predicted_cdf(fixed_fit(case$d, case$limits), at) - rowMeans(chains))
    # Chains make excursions to large scales, which their differences show.
    expect_true(all(error < 0.004 + 3 * apply(chains, 1, sd) / sqrt(5)))
  }
})

test_that("narrow intervals are exact responses, and no limits at all are no data", {
  case <- censored_case(20, 0.3, 4)
  rows <- 3:5
  exact <- btg(y ~ x, case$d, transform = "sinharcsinh", quadrature = few_nodes(24))
  limits <- matrix(NA_real_, 20, 2)
  limits[rows, ] <- case$d$y[rows] + rep(c(-1e-7, 1e-7), each = 3)
  narrow <- btg(y ~ x, case$d, transform = "sinharcsinh", quadrature = few_nodes(24),
                censored = limits)
  new <- data.frame(x = new_points_at)
  probs <- c(0.1, 0.5, 0.9)
  # Jacobians of exact rows have the power 1 - p / n, those of intervals 1.
  expect_close(predict(narrow, new, type = "quantile", probs = probs),
               predict(exact, new, type = "quantile", probs = probs), 0.05)
  same <- fixed_fit(case$d, limits)
  expect_close(predict(same, new), predict(fixed_fit(case$d, NULL), new), 1e-6)
})

test_that("reported limits leave responses at a bound exact", {
  d <- data.frame(x = 1:9 + 0.2 * cos(1:9), y = c(0, 1, 0, 3, 2.5, 4, 1.7, 5, 3.3))
  below <- d$y == 3
  fit <- suppressMessages(btg(y ~ x, d, censored = below, quadrature = few_nodes(8)))
  expect_identical(fit$design$censored$row, c(1L, 3L, 4L))
  expect_identical(are_intervals(reported_limits(fit)), below)
  expect_identical(exact_response(fit), d$y[-4])
  expect_output(print(fit), "1 of 9 responses are below their limit, 2 at a bound")
  expect_error(check_exact_responses(fit, "This", "Do that."), "1 response is censored",
               class = "btg_error_censored_fit")
  expect_error(acquire(fit, d), "needs exact responses", class = "btg_error_censored_fit")
  expect_identical(is.na(residuals(fit)), setNames(below, row.names(d)))
})

test_that("update() adds censored rows by the expression of the call", {
  case <- censored_case(30, 0.3, 6)
  d <- transform(case$d, below = is.infinite(case$limits[, 1]))
  fit <- btg(y ~ x, d[1:25, ], transform = "sinharcsinh", censored = below,
             quadrature = few_nodes(16))
  more <- update(fit, newdata = d[26:30, ])
  all <- btg(y ~ x, d, transform = "sinharcsinh", censored = below, quadrature = few_nodes(16))
  expect_identical(limits_of(more$design), limits_of(all$design))
  expect_close(predict(more, d), predict(all, d), 1e-6)
  scores <- predictive_scores(fit, d[26:30, ])
  expect_identical(scores$lower < scores$upper, d$below[26:30])
  expect_identical(is.na(scores$crps), d$below[26:30])
  expect_error(predictive_scores(fit, d[26:30, c("x", "y")]), "missing: `below`",
               class = "btg_error_censored")
  exact <- predictive_scores(fit, d[26:30, c("x", "y")], censored = FALSE)
  expect_null(exact$lower)
  expect_false(anyNA(exact$crps))
  # After a fit to a matrix, limits are given.
  by_matrix <- btg(d$x[1:25], d$y[1:25], transform = "sinharcsinh", censored = d$below[1:25],
                   quadrature = few_nodes(16))
  expect_close(predict(update(by_matrix, newdata = d$x[26:30], y = d$y[26:30],
                              censored = d$below[26:30]), d$x), predict(all, d), 1e-6)
  expect_equal(predictive_scores(by_matrix, d$x[26:30], d$y[26:30], censored = d$below[26:30]),
               scores, ignore_attr = TRUE)
  skip_if_not_installed("generics")
  expect_identical(is.na(generics::augment(fit)$.resid), d$below[1:25])
  expect_identical(is.na(generics::augment(fit, newdata = d[26:30, ])$.resid), d$below[26:30])
  expect_true(all(is.na(generics::augment(fit, newdata = d[26:30, c("x", "y")])$.resid)))
})

rounded_case <- function(n, step, seed) {
  case <- censored_case(n, 0, seed)
  y <- step * round(case$d$y / step)
  list(d = data.frame(x = case$d$x, y = y), limits = cbind(y - step / 2, y + step / 2))
}

test_that("rounded responses: predictions are those of Gibbs samplers", {
  skip_if_quick()
  at <- c(-0.5, 0.2, 0.6, -1)
  for (step in c(0.5, 1.2)) {
    case <- rounded_case(30, step, 7)
    process <- censored_process(case$d$x, case$limits, 0.4, 0.3, new_points_at)
    set.seed(1)
    chains <- replicate(5, gibbs_cdf(process, at, 3000))
    fit <- fixed_fit(case$d, NULL, rounding = step)
    expect_true(all(abs(predicted_cdf(fit, at) - rowMeans(chains)) <
                      0.004 + 3 * apply(chains, 1, sd) / sqrt(5)))
    # Intervals without an exact row are the same.
    expect_equal(predicted_cdf(fixed_fit(case$d, case$limits), at), predicted_cdf(fit, at))
  }
  # As if rows were exact, predictions are others.
  exact <- predicted_cdf(fixed_fit(case$d, NULL), at)
  expect_gt(max(abs(exact - rowMeans(chains))), 0.02)
})

test_that("a small step of rounding is exact", {
  case <- rounded_case(25, 0.3, 8)
  new <- data.frame(x = new_points_at)
  probs <- c(0.1, 0.5, 0.9)
  fits <- lapply(list(NULL, 1e-6), function(step) {
    btg(y ~ x, case$d, transform = "sinharcsinh", quadrature = few_nodes(24), rounding = step)
  })
  expect_close(predict(fits[[2]], new, type = "quantile", probs = probs),
               predict(fits[[1]], new, type = "quantile", probs = probs), 1e-3)
  log_of <- function(fit) {
    log_posterior(fit, as.data.frame(nodes(fits[[1]])[c(1, 5), hyper_names(fits[[1]]$models[[1]])]))
  }
  expect_equal(diff(log_of(fits[[2]])), diff(log_of(fits[[1]])), tolerance = 1e-4)
})

test_that("leaving out rounded rows is refitting without them", {
  case <- rounded_case(16, 0.6, 9)
  fit <- fixed_fit(case$d, NULL, rounding = 0.6)
  fast <- loocv(fit)
  expect_equal(loocv(fit, method = "naive")$pointwise, fast$pointwise, tolerance = 1e-8)
  left_out <- fast$pointwise[3, ]
  expect_identical(c(left_out$lower, left_out$upper), case$d$y[3] + c(-0.3, 0.3))
  without <- fixed_fit(case$d[-3, ], NULL, rounding = 0.6)
  scores <- predictive_scores(without, case$d[3, ], censored = FALSE)
  # Both have 1000 draws of the latent responses.
  expect_equal(left_out$log_score, scores$log_score, tolerance = 0.02)
  expect_equal(left_out$pit, scores$pit, tolerance = 0.02)
  expect_equal(left_out$crps, scores$crps, tolerance = 0.02)
  expect_false(anyNA(fast$pointwise$residual))
})

test_that("rounded fits print, score, grow and are weighted", {
  case <- rounded_case(30, 1, 10)
  d <- transform(case$d, y = pmax(y, -1), w = 1 + (x > 0.5))
  fit <- btg(y ~ x, d[1:25, ], transform = "sinharcsinh", quadrature = few_nodes(16),
             lower = -1, weights = w, rounding = 1)
  expect_output(print(fit), "25 of 25 responses are rounded")
  expect_identical(unname(stated_limits(fit)), cbind(d$y, d$y)[1:25, ])
  at_bound <- d$y[1:25] == -1
  expect_identical(reported_limits(fit)[at_bound, 1], rep(-Inf, sum(at_bound)))
  more <- update(fit, newdata = d[26:30, ])
  all <- btg(y ~ x, d, transform = "sinharcsinh", quadrature = few_nodes(16), lower = -1,
             weights = w, rounding = 1)
  expect_identical(limits_of(more$design), limits_of(all$design))
  expect_close(predict(more, d), predict(all, d), 1e-6)
  scores <- predictive_scores(fit, d[26:30, ])
  inside <- function(y) if (is.finite(y)) predict(fit, d[26, ], type = "cdf", at = y)[1] else 0
  first <- rounded_limits(fit, new_limits(d$y[26], d$y[26]))
  expect_equal(scores$log_score[1], log(inside(first[2]) - inside(first[1])), tolerance = 1e-6)
  expect_false(anyNA(scores$crps))
  expect_error(acquire(fit, d), "needs exact responses", class = "btg_error_censored_fit")
  expect_error(btg(y ~ x, d, rounding = 1, approx = vecchia(neighbours = 5)), "is approximated",
               class = "btg_error_rounding")
})
