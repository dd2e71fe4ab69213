test_that("numbers have so many significant digits, each by itself", {
  x <- c(36.7234, 0.0210049, 150.66, 1.3456e-7, 99999, 1234567, 12345678, 0, 1, -2.34567, 9.9999)
  expect_identical(format_significant(x, 4),
                   c("36.72", "0.02100", "150.7", "1.346e-07", "100000", "1235000", "1.235e+07",
                     "0", "1.000", "-2.346", "10.00"))
  expect_identical(format_significant(c(a = NA, b = Inf, c = -Inf, d = NaN), 3),
                   c(a = "NA", b = "Inf", c = "-Inf", d = "NaN"))
  expect_identical(format_significant(numeric(), 3), character())
  # What is shown is the number, to that accuracy.
  many <- exp(seq(-20, 20, length.out = 102)) * c(1, -1)
  expect_lt(max(abs(as.numeric(format_significant(many, 5)) / many - 1)), 5.01e-5)
})

test_that("tables are formatted by column, and logarithms have two decimals", {
  table <- data.frame(weight = c(0.123456, 1e-3), elpd = c(-1234.567, 3), name = c("a", "b"))
  expect_identical(format_table(table, 3, "elpd"),
                   data.frame(weight = c("0.123", "0.00100"), elpd = c("-1234.57", "3.00"),
                              name = c("a", "b")))
  expect_identical(format_table(matrix(c(1, 20), 1, dimnames = list("r", c("a", "b"))), 3),
                   data.frame(a = "1.00", b = "20.0", row.names = "r"))
})
