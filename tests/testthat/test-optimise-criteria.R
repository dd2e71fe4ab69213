test_that("the sum that screens improvements is close to their integral", {
  fit <- wave_fit()
  grid <- expand.grid(a = seq(0, 1, length.out = 25), b = seq(0, 1, length.out = 25))
  for (maximise in c(FALSE, TRUE)) {
    spec <- acquisition(fit, "ei", maximise = maximise)
    ask <- function(spec) answer_acquisition(fit, grid, spec, FALSE, 1)$value
    exact <- ask(spec)
    rough <- ask(spec$criterion$screen(spec, fit$scaling$y$scale))
    some <- exact > 1e-3 * max(exact)
    expect_gt(sum(some), 10)
    # Trapezoids are above a tail that bends upwards, and below one that bends downwards. To find
    # the best of many points the order is enough, and the factors were found, not derived.
    expect_lt(max(rough[some] / exact[some]), 3)
    expect_gt(min(rough[some] / exact[some]), 0.5)
    expect_gte(exact[which.max(rough)], 0.9 * max(exact))
  }
})

test_that("a criterion without a cheaper one is screened by itself", {
  fit <- oracle_case("softplus")$fit
  for (name in c("pi", "quantile", "spread")) {
    spec <- acquisition(fit, name)
    expect_identical(spec$criterion$screen(spec, 1), spec)
  }
})

test_that("criteria that are folded at one half find no optimum", {
  expect_setequal(names(criteria), c("ei", "pi", "quantile", "spread", "contour", "imspe"))
  expect_setequal(optimising_criteria(), c("ei", "pi", "quantile", "spread"))
})
