# Makes 64-bit integers as data.table::fread() does, from their bytes.
as_integer64 <- function(x) {
  words <- vapply(unname(x), function(value) (value %/% 2^(16 * 0:3)) %% 2^16, numeric(4))
  bytes <- as.vector(rbind(as.vector(words) %% 256, as.vector(words) %/% 256))
  structure(readBin(as.raw(bytes), "double", length(x), endian = "little"), class = "integer64")
}

test_that("64-bit integers become the numbers they stand for", {
  values <- c(0, 1, -1, 65536, -65537, 2^31, 2^40 + 3, 2^53, -2^53)
  expect_identical(from_integer64(as_integer64(values)), values)
  expect_identical(from_integer64(as_integer64(-2^63)), NA_real_)
  expect_identical(plain_vector(1:3), 1:3)
})

test_that("64-bit integers are numbers wherever data enter", {
  d <- data.frame(x = 1:30, y = round(100 * exp(sin(1:30 / 5))))
  # Subsets lose the class unless the package bit64 is loaded.
  as_read <- function(rows) {
    structure(lapply(d[rows, ], as_integer64), class = "data.frame",
              row.names = as.character(rows))
  }
  fit <- btg(y ~ x, d[1:25, ], transform = "softplus")
  fit64 <- btg(y ~ x, as_read(1:25), transform = "softplus")
  new <- d[26:30, ]
  new64 <- as_read(26:30)
  d64 <- as_read(1:30)
  expect_identical(predict(fit64, new64), predict(fit, new))
  expect_identical(predictive_scores(fit, new64), predictive_scores(fit, new))
  expect_identical(predict(fit, new, type = "cdf", at = as_integer64(c(50, 90))),
                   predict(fit, new, type = "cdf", at = c(50, 90)))
  more <- update(fit, newdata = new64)
  expect_equal(more$design$response, d$y)
  expect_identical(predict(more, new), predict(update(fit, newdata = new), new))
  by_matrix <- btg(d64["x"], d64$y, transform = "softplus", weights = as_integer64(rep(1:2, 15)))
  expect_equal(predict(by_matrix, new64["x"]),
               predict(btg(d["x"], d$y, transform = "softplus", weights = rep(1:2, 15)), new["x"]))
})

test_that("a data frame in the place of update()'s formula is new rows", {
  fit <- btg(speed ~ dist, cars[1:40, ], transform = "softplus")
  expect_equal(predict(update(fit, cars[41:50, ]), cars[1:3, ]),
               predict(update(fit, newdata = cars[41:50, ]), cars[1:3, ]))
})

test_that("durations are responses, and plain numbers are durations in the unit of the fit", {
  d <- data.frame(x = 1:20, y = as.difftime(exp(1 + sin(1:20 / 4)), units = "mins"))
  fit <- btg(y ~ x, d, transform = "softplus")
  plain <- btg(y ~ x, transform(d, y = as.double(y)), transform = "softplus")
  expect_equal(predict(fit, d), predict(plain, d))
  expect_equal(predictive_scores(fit, transform(d, y = as.difftime(as.double(y) * 60,
                                                                   units = "secs")))$crps,
               predictive_scores(plain, transform(d, y = as.double(y)))$crps)
  d <- data.frame(x = as.difftime(1:20, units = "hours"), y = exp(sin(1:20 / 4)))
  fit <- btg(y ~ x, d, transform = "softplus")
  expect_equal(predict(fit, data.frame(x = c(2.5, 7))),
               predict(fit, data.frame(x = as.difftime(c(150, 420), units = "mins"))))
})

test_that("columns of a matrix are found by their names", {
  d <- data.frame(y = exp(sin(1:20)))
  d$X <- cbind(a = sin(1:20), b = cos(2 * (1:20)))
  fit <- btg(y ~ X, d, transform = "softplus")
  other <- d
  other$X <- d$X[, 2:1]
  expect_identical(predict(fit, other), predict(fit, d))
  colnames(other$X) <- c("b", "c")
  expect_error(predict(fit, other), "Missing: `a`", class = "btg_error_missing_columns")
})

test_that("standard errors keep the scale of tiny and huge responses", {
  y <- exp(sin(1:20 / 3))
  se <- function(unit) {
    fit <- btg(data.frame(x = 1:20), unit * y, transform = "sinharcsinh")
    predict(fit, data.frame(x = c(2.5, 30)), se.fit = TRUE)$se.fit / unit
  }
  # Powers of two, near 1e-300 and 1e300, scale without rounding.
  expect_equal(se(2^-997), se(1), tolerance = 1e-12)
  expect_equal(se(2^997), se(1), tolerance = 1e-12)
})
