test_that("check_flag() wants TRUE or FALSE", {
  expect_true(check_flag(TRUE))
  expect_false(check_flag(FALSE))
  ard <- NA
  expect_argument_error(check_flag(ard), "`ard` must be TRUE or FALSE")
  expect_argument_error(check_flag(1))
  expect_argument_error(check_flag(c(TRUE, FALSE)))
  expect_argument_error(check_flag(NULL))
})

test_that("check_count() wants a positive whole number", {
  expect_identical(check_count(3), 3L)
  expect_identical(check_count(1L), 1L)
  for (bad in list(0, -1, 2.5, NA_real_, Inf, 1e10, "3", c(1, 2), NULL, TRUE)) {
    expect_argument_error(check_count(bad), "positive whole number")
  }
})

test_that("check_string() wants one string", {
  expect_identical(check_string("rbf"), "rbf")
  for (bad in list("", NA_character_, c("a", "b"), 1, NULL, factor("a"))) {
    expect_argument_error(check_string(bad), "one string")
  }
})

test_that("check_level(), check_probs() and check_epsilon() know their intervals", {
  expect_identical(check_level(0.9), 0.9)
  for (bad in list(0, 1, -1, 2, NA_real_, c(0.1, 0.2), "0.9", NULL)) {
    expect_argument_error(check_level(bad))
  }
  expect_identical(check_probs(c(0.9, 0.1)), c(0.9, 0.1))
  for (bad in list(0, c(0.5, 1), c(0.5, NA), numeric(), "0.5", NULL)) {
    expect_argument_error(check_probs(bad))
  }
  expect_identical(check_epsilon(0), 0)
  for (bad in list(1, -1e-9, NA_real_, Inf, "0", c(0, 0))) {
    expect_argument_error(check_epsilon(bad))
  }
})

test_that("check_dots() names arguments that cannot be used, and the nearest name", {
  expect_null(check_dots())
  expect_error(check_dots(kernal = stop("not evaluated"), valid = "kernel"),
               "`kernal`.*Did you mean `kernel`", class = "btg_error_unknown_argument")
  expect_error(check_dots(1, 2), "2 unnamed arguments", class = "btg_error_unknown_argument")
  expect_error(check_dots(weights = 1, 2), "`weights`.*1 unnamed argument\\.",
               class = "btg_error_unknown_argument")
})

test_that("check_interface() wants the formula first, or both x and y", {
  expect_null(check_interface(FALSE, character()))
  expect_error(check_interface(FALSE, "y"), "`y`", class = "btg_error_interface")
  expect_error(check_interface(FALSE, character(), "dist ~ speed"), "not text",
               class = "btg_error_interface")
  # The advice names the function that the user called.
  expect_error(btg(cars, dist ~ speed),
               "first.*btg\\(y ~ x, data\\).*btg\\(formula = y ~ x\\)",
               class = "btg_error_interface")
  expect_error(wgp(cars, dist ~ speed), "wgp\\(y ~ x, data\\).*wgp\\(formula = y ~ x\\)",
               class = "btg_error_interface")
})

test_that("a time series gets a hint", {
  expect_error(btg(ldeaths), "Time is an input", class = "btg_error_interface")
})

test_that("a name of an earlier version is answered with the present one", {
  refused <- function(call, now) {
    expect_error(call, paste0("`level`.*Did you mean `", now, "`"),
                 class = "btg_error_unknown_argument")
  }
  refused(quad_smolyak(level = 3), "order")
  refused(quad_gauss_hermite(level = 3), "order")
  refused(btg_common(level = 1), "location")
  fit <- wgp(dist ~ speed, cars)
  refused(acquire(fit, cars, "quantile", level = 0.8), "prob")
  refused(suggest(fit, criterion = "quantile", level = 0.8), "prob")
  refused(btg_optimise(sum, c(a = 0), c(a = 1), criterion = "quantile", level = 0.8), "prob")
  expect_error(predict_region(fit, cars, draws = TRUE), "Did you mean `keep_draws`",
               class = "btg_error_unknown_argument")
})
