test_that("selected rows of a fit keep their own values", {
  d <- oracle_data()
  d$k <- rep(1:2, 7)
  fit <- btg(y ~ x + w, d, weights = k, noise = ~ x, trend = ~ w, transform = "softplus",
             quadrature = few_nodes(8))
  some <- keep_rows(fit, c(9, 2, 5))
  expect_identical(row_count(some), 3L)
  expect_identical(some$row_names, c("9", "2", "5"))
  expect_identical(some$data, fit$data[c(9, 2, 5), ])
  expect_identical(some$weights, fit$weights[c(9, 2, 5)])
  for (part in c("inputs", "trend", "noise")) {
    expect_identical(some$design[[part]], fit$design[[part]][c(9, 2, 5), , drop = FALSE])
  }
  expect_identical(fit_response(some), fit_response(fit)[c(9, 2, 5)])
  expect_equal(model_response(some$models[[1]]), unname(d$y[c(9, 2, 5)]))
  expect_identical(row_count(keep_rows(fit, -1)), 13L)
})

test_that("predictions leave out models without weight", {
  fit <- small_average()
  fit$model_weights[] <- c(0, 0.25, 0.75, 0)
  expect_named(kept_models(fit), names(fit$models)[2:3])
  expect_equal(sum(node_weights(fit)), 1)
  expect_equal(sum(posterior_weights(fit)), 1)
  free <- free_hyperparameters(fit)
  expect_setequal(free, unlist(lapply(fit$models[2:3], function(model) names(model$units))))
})

test_that("a fit by wgp() has no posterior", {
  fit <- wgp(dist ~ speed, cars, restarts = 1)
  expect_false(has_posterior(fit))
  expect_error(check_averaged(fit, "Use this."), "Use this", class = "btg_error_no_posterior")
  averaged <- oracle_case("identity")$fit
  expect_identical(check_averaged(averaged, "Use this."), averaged)
})

test_that("the noise of a fit varies if it does in a model of some weight", {
  d <- oracle_data()
  fit <- function(...) {
    btg(y ~ x, d, transform = "identity", quadrature = few_nodes(8), ...)
  }
  expect_false(has_varying_noise(fit()))
  expect_true(has_varying_noise(fit(noise = ~ x)))
})

test_that("numbers that name groups or levels are categories", {
  d <- data.frame(x = (0.618 * 1:24) %% 1, k = rep(c(10, 20, 40), 8), m = rep(1:4, each = 6))
  d$y <- exp(d$x) + d$k / 10 + 0.1 * sin(37 * (1:24)^2)
  fit <- btg(y ~ x + factor(m) + (1 | k), d, transform = "identity", quadrature = few_nodes(8))
  found <- vapply(c("x", "k", "m"), names_categories, NA, fit = fit)
  expect_identical(found, c(x = FALSE, k = TRUE, m = TRUE))
})
