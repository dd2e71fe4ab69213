loud <- function() rlang::local_options(btg.warn_quadrature = TRUE, .frame = parent.frame())

# An average of two models, of which one is said to have few nodes.
poor_average <- function(weight_of_poor) {
  fit <- btg(dist ~ speed, cars, kernel = "matern52", quadrature = quad_adaptive(effective = 100))
  fit$model_weights[] <- c(weight_of_poor, 1 - weight_of_poor)
  fit$models[[1L]]$quadrature$effective_nodes <- 3
  seal_fit(fit)
}

test_that("a model of little weight is not warned of, one of much weight is named", {
  loud()
  expect_no_warning(warn_quadrature(poor_average(0)))
  expect_no_warning(warn_quadrature(poor_average(0.05)))
  expect_warning(warn_quadrature(poor_average(0.6)),
                 "Of \"sinharcsinh\", whose weight is 0.6, nodes are worth 3",
                 class = "btg_warning_quadrature")
})

test_that("standard errors of the ends of intervals are warned of by their size", {
  loud()
  fit <- btg(dist ~ speed, cars, transform = "sinharcsinh")
  error <- quadrature_error(fit)["ends", "mean"]
  expect_lt(error, 0.05)
  expect_no_warning(warn_quadrature(fit))
  # Errors grow with the tail index of weights that few nodes carry.
  quadrature <- fit$models[[1L]]$quadrature
  quadrature$k_hat <- 1
  quadrature$effective_nodes <- 1e6
  quadrature$nodes_tried <- 1e7
  fit$models[[1L]]$quadrature <- quadrature
  fit <- seal_fit(fit)
  expect_equal(quadrature_error(fit)["ends", "mean"], error * 1e6^(1 / 4))
  expect_warning(warn_quadrature(fit), "The ends of 95% intervals have standard errors of",
                 class = "btg_warning_quadrature")
  rlang::local_options(btg.warn_quadrature = FALSE)
  expect_no_warning(warn_quadrature(fit))
})

test_that("a fit is printed at the prompt", {
  expect_true(withVisible(btg(dist ~ speed, cars, transform = "softplus"))$visible)
  few <- quote(btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes()))
  expect_true(suppressWarnings(withVisible(eval(few)))$visible)
})
