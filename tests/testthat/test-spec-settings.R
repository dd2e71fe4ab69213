test_that("a known noise is a fixed hyperparameter, once", {
  prior <- btg_prior(fixed = c(boxcox.lambda = 0))
  expect_identical(fix_noise(prior, NULL), prior)
  expect_identical(fix_noise(prior, 0.1)$fixed, c(boxcox.lambda = 0, noise = 0.1))
  expect_argument_error(fix_noise(btg_prior(fixed = c(noise = 1)), 0.1), "noise")
})

test_that("settings that cannot be are errors that name their argument", {
  fit <- function(...) btg(dist ~ speed, cars, ...)
  expect_error(fit(transform = "sqrt"), class = "btg_error_transform")
  expect_error(fit(kernel = "spline"), class = "btg_error_kernel")
  expect_argument_error(fit(ard = NA), "`ard`")
  expect_argument_error(fit(product = "yes"), "`product`")
  expect_argument_error(fit(warp_inputs = 1), "`warp_inputs`")
  expect_argument_error(fit(epsilon = 1), "`epsilon`")
  expect_argument_error(fit(averaging = "mean"), "`averaging`")
  expect_argument_error(fit(threads = 0), "`threads`")
  # wgp() has one transform and one kernel.
  expect_error(wgp(dist ~ speed, cars, transform = "auto"), class = "btg_error_transform")
  expect_argument_error(wgp(dist ~ speed, cars, product = NULL), "`product`")
})

test_that("settings of a fit are a plain list of what was chosen", {
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(8), epsilon = 0)
  expect_identical(fit$settings$transform, "softplus")
  expect_identical(fit$settings$rule, few_nodes(8))
  expect_identical(fit$settings$epsilon, 0)
  expect_identical(fit$settings$averaging, "stacking")
  expect_false(any(vapply(fit$settings, is.function, NA)))
})
