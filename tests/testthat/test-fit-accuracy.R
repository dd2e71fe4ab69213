loud <- function() rlang::local_options(btg.warn_quadrature = TRUE, .frame = parent.frame())

# An average of two models. The first is marked as having few effective nodes.
poor_average <- function(weight_of_poor) {
  fit <- btg(dist ~ speed, cars, kernel = "matern52", quadrature = quad_adaptive(effective = 100))
  fit$model_weights[] <- c(weight_of_poor, 1 - weight_of_poor)
  fit$models[[1L]]$quadrature$effective_nodes <- 3
  add_checksum(fit)
}

test_that("warn_quadrature() names a poor model of much weight, and no other", {
  loud()
  expect_no_warning(warn_quadrature(poor_average(0)))
  expect_no_warning(warn_quadrature(poor_average(0.05)))
  expect_warning(warn_quadrature(poor_average(0.6)),
                 "About 3 settings .* nearly all the weight of \"sinharcsinh\" \\(weight 0.6\\)",
                 class = "btg_warning_quadrature")
})

test_that("warn_quadrature() warns if the ends of intervals have large standard errors", {
  loud()
  fit <- btg(dist ~ speed, cars, transform = "sinharcsinh")
  error <- quadrature_error(fit)["ends", "mean"]
  expect_lt(error, 0.05)
  expect_no_warning(warn_quadrature(fit))
  # As if heavy tails of the weights made errors larger.
  fit$models[[1L]]$quadrature$error_factor <- 1e6^(1 / 4)
  fit <- add_checksum(fit)
  expect_equal(quadrature_error(fit)["ends", "mean"], error * 1e6^(1 / 4))
  expect_warning(warn_quadrature(fit), "The ends of 95% intervals are off by about",
                 class = "btg_warning_quadrature")
  rlang::local_options(btg.warn_quadrature = FALSE)
  expect_no_warning(warn_quadrature(fit))
})

test_that("if factors are not cached, a few nodes may show a small error, all show a large one", {
  loud()
  fit <- btg(dist ~ speed, cars, transform = "sinharcsinh")
  ensemble <- ensemble_of(fit)
  exact <- quadrature_error(fit)["ends", "mean"]
  cached <- names(cache$entries)
  few <- quadrature_error(fit, ensemble = thin_ensemble(ensemble),
                          run = new_run(cache = FALSE))["ends", "mean"]
  expect_identical(names(cache$entries), cached)
  expect_gt(few / exact, 0.7)
  expect_lt(few / exact, 1.4)
  expect_equal(error_of_ends(fit, ensemble), exact)
  rlang::local_options(btg.cache = 0)
  expect_equal(error_of_ends(fit, ensemble), few)
  fit$models[[1L]]$quadrature$error_factor <- 1e6^(1 / 4)
  fit <- add_checksum(fit)
  expect_equal(error_of_ends(fit, ensemble_of(fit)), exact * 1e6^(1 / 4))
  expect_warning(warn_quadrature(fit), "are off by about", class = "btg_warning_quadrature")
})

test_that("a fit is printed at the prompt", {
  expect_true(withVisible(btg(dist ~ speed, cars, transform = "softplus"))$visible)
  few <- quote(btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes()))
  expect_true(suppressWarnings(withVisible(eval(few)))$visible)
})

test_that("without noise, errors are judged between the data", {
  loud()
  set.seed(1)
  x <- cbind(a = runif(30), b = runif(30))
  y <- (3 * x[, "b"] - x[, "a"]^2)^2 + 2 * cos(5 * x[, "a"])
  expect_no_warning(fit <- btg(x, y, transform = "identity"))
  # At the data, where next to nothing is uncertain, the same errors are large beside it.
  at_data <- predict(fit, interval = "credible", quadrature_error = TRUE)
  sd <- (at_data$fit[, "upr"] - at_data$fit[, "lwr"]) / 3.92
  expect_gt(mean(at_data$quadrature_error[, c("lwr", "upr")] / sd),
            2 * quadrature_error(fit)["ends", "mean"])
  new <- cbind(a = runif(40), b = runif(40))
  many <- quad_adaptive(nodes = 4000, most = 12000, keep = 1000, seed = 7)
  found <- predict(fit, new, interval = "credible")[, -1L]
  expected <- predict(btg(x, y, transform = "identity", quadrature = many), new,
                      interval = "credible")[, -1L]
  sd <- (expected[, "upr"] - expected[, "lwr"]) / 3.92
  expect_lt(mean(abs(found - expected) / sd), 0.03)
})

test_that("errors are judged halfway to the nearest row", {
  fit <- btg(dist ~ speed, cars[c(1, 10, 25, 50), ], transform = "identity",
             trend = ~ speed, quadrature = few_nodes())
  points <- points_between(fit, 20L)
  own <- prediction_points(fit, NULL)
  expect_equal(points$inputs[, 1L], (own$inputs[, 1L] + own$inputs[c(2, 3, 2, 3), 1L]) / 2)
  expect_equal(points$trend, (own$trend + own$trend[c(2, 3, 2, 3), ]) / 2)
})

test_that("errors are judged at levels that exist", {
  d <- data.frame(x = c(0, 0.1, 1, 1.1), g = factor(c("a", "b", "c", "a")), y = c(1, 3, 2, 5))
  fit <- btg(y ~ x + g, d, transform = "identity", quadrature = few_nodes())
  points <- points_between(fit, 20L)
  expect_identical(points$inputs[, 2L], c(1, 2, 3, 1))
})
