zeros_data <- function(n = 30) {
  i <- seq_len(n)
  x <- (0.618 * i) %% 1
  data.frame(x = x, y = pmax(3 * sin(5 * x) + sin(37 * i^2), 0))
}

bounded <- function(..., data = cars, formula = dist ~ speed) {
  suppressMessages(btg(formula, data, ..., kernel = "matern52", quadrature = few_nodes(24)))
}

test_that("bounds are numbers in order, or none", {
  expect_identical(support_settings(NULL, NULL), list(lower = NULL, upper = NULL))
  expect_identical(support_settings(-Inf, 100), list(lower = -Inf, upper = 100))
  refuses <- function(lower, upper, message) {
    expect_error(support_settings(lower, upper), message, class = "btg_error_argument")
  }
  refuses("0", NULL, "`lower` must be a number in the units of the response, -Inf for no bound")
  refuses(Inf, NULL, "It is Inf")
  refuses(NULL, -Inf, "`upper` must be a number in the units of the response, Inf for no bound")
  refuses(c(0, 1), NULL, "`lower` must be a number")
  refuses(NA_real_, NULL, "`lower` must be a number")
  refuses(1, 1, "`lower` must be less than `upper`")
})

test_that("responses beyond a stated bound are refused, by row", {
  expect_error(btg(dist ~ speed, cars, lower = 5, upper = 100),
               "2 values below `lower = 5`, the first in row 1.*1 value above `upper = 100` in row",
               class = "btg_error_response_outside")
  expect_error(wgp(dist ~ speed, cars, upper = 100), "row 49", class = "btg_error_response_outside")
  expect_error(btg(cars$speed, cars$dist, lower = 5), "`y` has 2 values below",
               class = "btg_error_response_outside")
  expect_error(wgp(cars$speed, cars$dist, lower = 5), class = "btg_error_response_outside")
  fit <- bounded(transform = "sinharcsinh", lower = 0)
  expect_error(update(fit, newdata = data.frame(speed = 4, dist = -1)), "1 value below `lower = 0`",
               class = "btg_error_response_outside")
})

test_that("transforms of positive responses act on what is above the lower bound", {
  y <- c(12, 11, 10, 18)
  scaling <- response_scaling(y, TRUE, list(lower = 10, upper = 20))
  expect_equal(scaling, list(center = 9.5, scale = prod(y - 9.5)^(1 / 4), lower = 10, upper = 20))
  expect_identical(unscale_response(scale_response(10, scaling), scaling), 10)
  expect_identical(unscale_response(scale_response(20, scaling), scaling), 20)
  scaling <- response_scaling(y, TRUE, list(lower = 5))
  expect_equal(scaling, list(center = 5, scale = prod(y - 5)^(1 / 4), lower = 5))
  expect_equal(response_scaling(y, FALSE, list(lower = 5)),
               list(center = mean(y), scale = sd(y), lower = 5))
  # A fit to a shifted response is the fit, shifted.
  d <- oracle_data()
  one <- btg(y ~ x + w, d, transform = "boxcox", quadrature = few_nodes(8))
  other <- btg(I(y + 7) ~ x + w, d, transform = "boxcox", quadrature = few_nodes(8), lower = 7)
  expect_close(quiet_predict(other, d) - 7, quiet_predict(one, d), 1e-8)
  expect_error(btg(y ~ x, d, transform = "softplus", lower = -Inf), "`lower = -Inf` states",
               class = "btg_error_argument")
})

test_that("\"auto\" has softplus unless a response is negative or may be", {
  names_of <- function(...) names(bounded(...)$models)
  expect_identical(names_of(), c("sinharcsinh", "softplus"))
  expect_identical(names_of(lower = 0), c("sinharcsinh", "softplus"))
  expect_identical(names_of(lower = -Inf), "sinharcsinh")
  expect_identical(names_of(data = transform(cars, dist = dist - 3)), "sinharcsinh")
  expect_identical(names_of(data = transform(cars, dist = dist - 3), lower = -2),
                   c("sinharcsinh", "softplus"))
  # At a bound, the latent response is below it, where softplus has no value.
  expect_identical(names_of(data = transform(cars, dist = dist - 3), lower = -1), "sinharcsinh")
  expect_identical(names_of(data = transform(cars, dist = dist - 2)), "sinharcsinh")
})

test_that("\"auto\" has a logit strictly between two stated bounds", {
  names_of <- function(...) names(bounded(...)$models)
  expect_identical(names_of(lower = 0, upper = 200),
                   c("sinharcsinh", "softplus", "logit + sinharcsinh"))
  expect_identical(names_of(lower = 0, upper = 120), c("sinharcsinh", "softplus"))
  expect_identical(names_of(lower = 2, upper = 200), "sinharcsinh")
  expect_identical(names_of(lower = -Inf, upper = 200), "sinharcsinh")
})

test_that("zeros bound the default, with a message", {
  d <- zeros_data()
  expect_message(fit <- btg(y ~ x, d, quadrature = few_nodes(24)),
                 "zero in 11 of 30 rows and never below.*point mass.*`lower = -Inf`",
                 class = "btg_message_at_bound")
  expect_identical(fit$scaling$y$lower, 0)
  expect_null(fit$scaling$y$open)
  for (one in c(single_fits(fit), list(fit))) {
    q <- predict(one, d, type = "quantile", probs = c(1e-9, 1e-6, 0.025, 0.5))
    expect_true(all(q >= 0))
    expect_true(any(q[, 3] == 0))
  }
  expect_silent(btg(y ~ x, d, quadrature = few_nodes(24), lower = -Inf))
  d$y <- d$y + 2
  expect_message(btg(y ~ x, d, quadrature = few_nodes(24), lower = 2),
                 "at 2 in 11 of 30 rows and never below", class = "btg_message_at_bound")
  expect_message(btg(y ~ x, d, quadrature = few_nodes(24), lower = 2, transform = "softplus"),
                 "at its lower bound, 2, in .*half of the smallest distance from it",
                 class = "btg_message_zero_response")
})

test_that("nothing is predicted beyond stated bounds, and all answers agree on it", {
  d <- transform(oracle_data(40), y = 100 * pmin(pmax(y / 3, 0), 1))
  new <- data.frame(x = c(2, 5, 9), w = c(5950, 5100, 5500))
  for (transform in c("auto", "sinharcsinh", "identity", "softplus")) {
    fit <- bounded(transform = transform, lower = 0, upper = 100, data = d, formula = y ~ x + w)
    ask <- function(...) suppressWarnings(predict(fit, new, ...))
    q <- ask(type = "quantile", probs = c(1e-9, 0.001, 0.2, 0.5, 0.8, 0.999, 1 - 1e-9))
    expect_true(all(q >= 0 & q <= 100))
    expect_true(any(q[, 7] == 100))
    expect_equal(unname(c(ask(type = "cdf", at = 100))), rep(1, 3))
    expect_equal(unname(c(ask(type = "cdf", at = c(-1e-9, 101)))), rep(0:1, each = 3))
    draws <- simulate(fit, 200, seed = 1, newdata = new)
    expect_true(all(draws >= 0 & draws <= 100))
    draws <- simulate(fit, 200, seed = 1, newdata = new, joint = FALSE)
    expect_true(all(draws >= 0 & draws <= 100))
    expect_true(all(ask(type = "mean") < 100))
    # Masses at the ends and the density between them are all there is.
    for (i in 1:3) {
      at <- new[i, ]
      masses <- predictive_scores(fit, at[c(1, 1), ], y = c(0, 100))
      expect_equal(masses$log_score, ifelse(masses$mass > 0, log(masses$mass), -Inf))
      inside <- integrate(function(y) as.vector(predict(fit, at, type = "density", at = y)),
                          1e-8, 100, rel.tol = 1e-6, subdivisions = 2000)$value
      expect_equal(sum(masses$mass) + inside, 1, tolerance = 1e-3)
    }
  }
})

test_that("the support is printed, and kept by what follows a fit", {
  fit <- btg(dist ~ speed, cars, transform = "sinharcsinh", lower = 0, upper = 130,
             quadrature = few_nodes(24))
  expect_output(print(fit), "Response    between 0 and 130")
  expect_identical(fit$settings[c("lower", "upper")], list(lower = 0, upper = 130))
  ends <- function(fit) unlist(fit$scaling$y[c("lower", "upper")])
  expect_identical(ends(fit), c(lower = 0, upper = 130))
  for (other in list(refine(fit), update(fit, kernel = "rbf"), select_models(fit, 1),
                     update(fit, newdata = data.frame(speed = 20, dist = 60)),
                     update(fit, newdata = data.frame(speed = 20, dist = 60), refit = TRUE),
                     refit_rows(fit, 1:40, 1))) {
    expect_identical(ends(other), c(lower = 0, upper = 130))
  }
  expect_output(print(wgp(dist ~ speed, cars, upper = 130)), "Response    at most 130")
  expect_output(print(bounded(lower = 1)), "Response    at least 1\n")
  expect_output(print(bounded()), "Response    assumed positive \\(`lower = 0` to enforce")
  expect_output(print(bounded(upper = 200)), "assumed positive .*, at most 200")
  expect_output(print(bounded(lower = -Inf)), "Response    not bounded below")
  expect_output(print(bounded(lower = -Inf, upper = 200)), "at most 200, not bounded below")
  expect_output(print(bounded(data = zeros_data(), formula = y ~ x)), "as the response has zeros")
  expect_no_match(capture.output(print(bounded(transform = "softplus"))), "Response")
})

test_that("folds that are fitted again stop where the fit does", {
  d <- zeros_data()
  fit <- suppressMessages(btg(y ~ x, d, quadrature = few_nodes(24)))
  cv <- suppressWarnings(loocv(fit, folds = 3, method = "refit"))
  expect_true(all(cv$pointwise$lwr >= 0))
  expect_true(all(is.finite(cv$pointwise$log_score)))
})
