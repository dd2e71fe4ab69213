# A few rows added by reweighting, against the naive model and against a new integral.

rows_of_waves <- function(n, seed = 2) {
  set.seed(seed)
  d <- data.frame(x = runif(n), w = runif(n))
  d$y <- exp(sin(4 * d$x) + d$w + 0.2 * rnorm(n))
  d
}

test_that("weights change by the likelihood of the new rows, and nothing else does", {
  d <- rows_of_waves(42)
  fit <- btg(y ~ x + w, d[1:40, ], transform = "softplus", warp_inputs = FALSE)
  more <- update(fit, newdata = d[41:42, ])
  expect_identical(more$quadrature$reweighted$rows, 2)
  expect_identical(nobs(more), 42L)
  expect_identical(more$row_names, row.names(d))
  expect_equal(more$data, d[c("x", "w")], ignore_attr = TRUE)
  expect_equal(unname(fit_response(more)), d$y)
  expect_identical(more$scaling, fit$scaling)
  expect_output(print(more), "42 rows (2 added, 2 by reweighting nodes)", fixed = TRUE)

  before <- nodes(fit, predictive = TRUE)
  after <- nodes(more)
  after <- after[match(before$noise, after$noise), ]
  naive <- function(n) {
    rows <- d[seq_len(n), ]
    naive_log_marginal(naive_model(fit, rows[c("x", "w")], matrix(1, n), rows$y, "softplus",
                                   nodes = before))
  }
  expected <- before$weight * exp(naive(42) - naive(40) - max(naive(42) - naive(40)))
  expect_close(after$weight, expected / sum(expected), 1e-6)
})

test_that("predictions are those of a new integral, to its error", {
  d <- rows_of_waves(121)
  fit <- btg(y ~ x + w, d[1:120, ], transform = "sinharcsinh")
  more <- update(fit, newdata = d[121, ])
  anew <- update(fit, newdata = d[121, ], refit = TRUE)
  expect_null(anew$quadrature$reweighted)
  expect_gt(more$quadrature$reweighted$share, 0.5)
  new <- rows_of_waves(20, 3)
  one <- predict(more, new, interval = "credible")
  two <- predict(anew, new, interval = "credible")
  sd <- (two[, 3] - two[, 2]) / (2 * qnorm(0.975))
  expect_lt(sqrt(mean(((one - two) / sd)^2)), 0.03)
  # The new row counts.
  old <- predict(fit, d[121, ], observation = FALSE, interval = "credible")
  now <- predict(more, d[121, ], observation = FALSE, interval = "credible")
  expect_lt(now[3] - now[2], old[3] - old[2])
})

test_that("rows that contradict the fit, or many, take a new integral", {
  d <- rows_of_waves(40)
  fit <- btg(y ~ x + w, d, transform = "sinharcsinh")
  far <- data.frame(x = 0.5, w = 0.5, y = 1e4)
  expect_null(update(fit, newdata = far)$quadrature$reweighted)
  expect_null(update(fit, newdata = rows_of_waves(3, 5))$quadrature$reweighted)
  once <- update(fit, newdata = rows_of_waves(1, 5))
  expect_identical(once$quadrature$reweighted$rows, 1)
  twice <- update(once, newdata = rows_of_waves(1, 6))
  expect_identical(twice$quadrature$reweighted$rows, 2)
  expect_identical(twice$added_rows, 2L)
  expect_null(update(twice, newdata = rows_of_waves(1, 7))$quadrature$reweighted)
  expect_error(update(fit, newdata = d[1, ], refit = 1), class = "btg_error_argument")
  weighted <- btg(y ~ x, d, weights = x, transform = "softplus", quadrature = few_nodes())
  expect_null(update(weighted, newdata = d[1, ])$quadrature$reweighted)
})

test_that("rows far outside bring scales and warps of their own", {
  d <- data.frame(x = (0.618 * 1:60) %% 1)
  d$y <- sin(5 * d$x) + sin(40 * seq_len(60)^2) / 20
  fit <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes(64))
  near <- update(fit, newdata = data.frame(x = c(0.3, 1.05), y = c(1, -0.8)))
  expect_equal(near$quadrature$reweighted$rows, 2)
  # So far outside that all rows together are skewed, and warped.
  far <- data.frame(x = c(3, 4), y = c(0.5, 0.9))
  more <- update(fit, newdata = far)
  expect_null(more$quadrature$reweighted)
  expect_length(fit$scaling$x$warp, 0)
  expect_length(more$scaling$x$warp, 1)
  expect_equal(more$scaling$x, btg(y ~ x, rbind(d, far), transform = "identity",
                                   quadrature = few_nodes(8))$scaling$x)
  # By definition: the largest change of a distance between quartiles.
  far$x <- c(1.2, 1.3)
  all <- c(d$x, far$x)
  expect_identical(is_scaling_kept((cbind(all) - mean(d$x)) / sd(d$x), fit,
                                   design_from_formula(y ~ x, rbind(d, far))),
                   abs(log(sd(all) / sd(d$x))) <= 0.05)
})
