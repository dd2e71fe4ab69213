# A function without noise at some points, of which the first `copies` come twice.
simulated <- function(n = 25, copies = 5, digits = 16) {
  i <- seq_len(n)
  d <- data.frame(a = (0.618 * i) %% 1, b = (0.414 * i) %% 1)
  d$y <- round(10 * sin(4 * d$a) + 10 * d$b^2, digits)
  rbind(d, d[seq_len(copies), ])
}

design_of <- function(d, ...) suppressMessages(design_from_formula(y ~ a + b, d, ...))

test_that("exact copies are left out, and named", {
  d <- simulated()
  expect_message(design <- design_from_formula(y ~ a + b, d),
                 "5 rows are exact copies of others.*the first in row 26",
                 class = "btg_message_copies")
  expect_identical(design$row_names, as.character(1:25))
  expect_identical(design$copies, as.character(26:30))
  expect_identical(design$response, d$y[1:25])
  expect_identical(nrow(design$inputs), 25L)
  expect_identical(nrow(design$variables), 25L)
  expect_message(design_from_xy(as.matrix(d[1:26, 1:2]), d$y[1:26]),
                 "1 row is an exact copy of another", class = "btg_message_copies")
})

test_that("a fit to copies is the fit without them", {
  d <- simulated()
  with <- suppressMessages(btg(y ~ a + b, d, transform = "identity", quadrature = few_nodes(16)))
  without <- btg(y ~ a + b, d[1:25, ], transform = "identity", quadrature = few_nodes(16))
  expect_identical(predict(with, d), predict(without, d))
  expect_identical(nobs(with), 25L)
  expect_output(print(with), "25 rows, 2 inputs \\(5 exact copies left out\\)")
  expect_identical(names(fitted(with)), as.character(1:25))
  expect_identical(loocv(with)$pointwise, loocv(without)$pointwise)
  # Folds of all rows, as they were given.
  expect_identical(loocv(with, folds = rep(1:5, 6))$pointwise$fold,
                   loocv(without, folds = rep(1:5, 5))$pointwise$fold)
  more <- suppressMessages(update(with, newdata = d[c(3, 7), ]))
  expect_identical(nobs(more), 25L)
  expect_equal(nodes(suppressMessages(wgp(y ~ a + b, d, noise = 0))),
               nodes(wgp(y ~ a + b, d[1:25, ], noise = 0)))
})

test_that("copies and missing values are told apart, and kept in their places", {
  d <- simulated()
  d$a[c(2, 9)] <- NA
  fit <- suppressMessages(btg(y ~ a + b, d, transform = "identity", na.action = na.exclude,
                              quadrature = few_nodes(8)))
  # Rows 27, the copy of row 2, is none now: it has its own inputs.
  expect_identical(fit$copies, c("26", "28", "29", "30"))
  expect_output(print(fit), "\\(2 rows with missing values and 4 exact copies left out\\)")
  residual <- residuals(fit)
  expect_length(residual, 30)
  expect_identical(names(which(is.na(residual))), c("2", "9", "26", "28", "29", "30"))
  kept <- !is.na(residual)
  expect_close(d$y[kept] - fitted(fit)[kept], residual[kept], 1e-8, floor = 1e-6)
})

test_that("replicates that differ, or agree by rounding, are data", {
  kept <- function(d, ...) is.null(design_of(d, ...)$copies)
  d <- simulated()
  expect_false(kept(d))
  expect_true(kept(transform(d, y = replace(y, 30, y[30] + 1e-9))))
  expect_true(kept(d, frame_args = list(weights = rep(1, 30))))
  # Counts and coarse numbers, of which many are equal anyway.
  expect_true(kept(simulated(digits = 0)))
  expect_true(kept(simulated(copies = 20, digits = -1)))
  expect_warning(two <- kept(transform(d, y = as.numeric(y > 5))), "only two values")
  expect_true(two)
  # With one decimal, one or two may agree by chance, and all of twenty not.
  expect_true(kept(simulated(copies = 1, digits = 1)))
  expect_false(kept(simulated(copies = 20, digits = 1)))
  # Zeros are equal without being copies.
  zeros <- simulated(n = 40, copies = 0)
  zeros$y[1:8] <- 0
  expect_true(kept(rbind(zeros, zeros[1:8, ])))
})

test_that("agreement of rounded noise is not taken for copies", {
  set.seed(1)
  dropped <- replicate(200, {
    a <- rep(round(runif(12), 2), each = 2)
    y <- round(20 * sin(3 * a) + rnorm(24))
    !is.null(design_of(data.frame(a, b = a^2, y))$copies)
  })
  expect_identical(sum(dropped), 0L)
})

test_that("rows are grouped by exact equality", {
  x <- cbind(c(1, 1, 2, 1, 1), c(0, 0, 0, 1e-17, 0))
  expect_identical(group_rows(x)[c(1, 2, 5)], c(1L, 1L, 1L))
  expect_length(unique(group_rows(x)), 3)
  expect_identical(group_rows(x) == 1L, c(TRUE, TRUE, FALSE, FALSE, TRUE))
  expect_identical(count_steps(c(0, 300, 500)), 5)
  expect_identical(count_steps(c(0.1, 5.1, 2.2, 2.3)), 50)
  expect_identical(count_steps(c(0, 1, 3, 16) / 7), 16)
  expect_identical(count_steps(c(pi, exp(1), sqrt(2), 1)), Inf)
})
