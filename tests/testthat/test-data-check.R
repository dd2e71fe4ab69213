test_that("formulas and data are checked", {
  expect_identical(check_formula(y ~ x), y ~ x)
  expect_argument_error(check_formula("y ~ x"))
  expect_error(check_formula(~ x), "no left-hand side", class = "btg_error_formula")
  expect_identical(check_trend_formula(~ x), ~ x)
  expect_argument_error(check_trend_formula(1))
  expect_error(check_trend_formula(y ~ x + z), "trend = ~ x \\+ z", class = "btg_error_trend")
  expect_identical(check_data(cars), cars)
  expect_null(check_data(NULL))
  expect_argument_error(check_data(as.matrix(cars)), "matrix with 2 columns")
  expect_argument_error(check_data("cars"))
})

test_that("check_response() returns doubles", {
  expect_identical(check_response(1:3), c(1, 2, 3))
  expect_identical(check_response(I(c(a = 1, b = 2))), c(1, 2))
})

test_that("check_response() says what a response is that is not numeric", {
  expect_type_error <- function(y, what) {
    expect_error(check_response(y, "size"), what, class = "btg_error_response_type")
  }
  expect_type_error(factor(c("1", "2")), "`size` is a factor with 2 levels.*as.numeric")
  expect_type_error(c("1", "2"), "character vector.*as.numeric")
  expect_type_error(c(TRUE, FALSE), "logical vector.*classifier")
  expect_type_error(cbind(1:3, 3:1), "matrix with 2 columns.*one column at a time")
  expect_type_error(Sys.Date() + 0:2, "Date.*Convert")
  expect_type_error(NULL, "NULL")
})

test_that("check_response() names rows that are not finite", {
  y <- c(1, Inf, 3, -Inf)
  expect_error(check_response(y, "size", c("5", "9", "11", "12")),
               "`size` has 2 values .* first in row 9", class = "btg_error_response_not_finite")
  expect_error(check_response(c(1, NaN)), "in row 2", class = "btg_error_response_not_finite")
})

test_that("check_response() rejects a constant, to rounding", {
  expect_error(check_response(rep(2, 5)), "is 2 in all 5 rows",
               class = "btg_error_constant_response")
  expect_error(check_response(c(0.3, 0.1 * 3)), class = "btg_error_constant_response")
  expect_error(check_response(c(0, 0, 0)), class = "btg_error_constant_response")
  expect_silent(check_response(1e9 + c(0, 1e-5)))
  expect_silent(check_response(c(0, 1e-300)))
})

test_that("check_response_nonnegative() counts what is negative", {
  expect_identical(check_response_nonnegative(c(1, 0, 2)), c(1, 0, 2))
  expect_error(check_response_nonnegative(c(1, -1, 0, -2)), "2 values < 0, the first in row 2",
               class = "btg_error_response_not_positive")
})

test_that("check_sample_size() asks for p + 2 rows", {
  expect_identical(check_sample_size(5L, 3L), 5L)
  expect_error(check_sample_size(4L, 3L), "n = 4 .* p = 3 .* at least p \\+ 2 = 5",
               class = "btg_error_too_few_rows")
})

test_that("check_finite_columns() names the column and the row, and lets NA be", {
  x <- cbind(a = c(1, NA, 3), b = c(NaN, 2, 1))
  expect_identical(check_finite_columns(x), x)
  x[3, "b"] <- Inf
  expect_error(check_finite_columns(x, rows = 7:9), "`b` has 1 infinite value in row 9",
               class = "btg_error_not_finite")
  x[1, "a"] <- -Inf
  expect_error(check_finite_columns(x, "trend column"), "trend column.*`a`.*row 1.*So have `b`",
               class = "btg_error_not_finite")
})

test_that("a response of two values is warned about, with a classifier as advice", {
  expect_warning(check_response(rep(c(0, 1, 1), 5), "sold"),
                 "`sold` is 0 in 5 and 1 in 10 rows.*family = binomial",
                 class = "btg_warning_two_values")
  expect_warning(check_response(rep(c(-1, 1), 5)), class = "btg_warning_two_values")
  expect_silent(check_response(c(0, 1, 1)))
  expect_silent(check_response(rep(0:2, 5)))
  d <- data.frame(x = 1:12 / 12, y = rep(0:1, 6))
  fits <- list(function() btg(y ~ x, d, transform = "identity", quadrature = few_nodes(4)),
               function() btg(d["x"], d$y, transform = "identity", quadrature = few_nodes(4)),
               function() wgp(y ~ x, d))
  for (fit in fits) expect_warning(fit(), class = "btg_warning_two_values")
})
