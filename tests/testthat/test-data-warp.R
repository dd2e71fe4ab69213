# Twenty-four rows: `a` is positive and skewed, `b` skewed to the left with both signs, `c` neither.
skewed_data <- function() {
  i <- seq_len(24)
  a <- exp(2 * qnorm((i - 0.5) / 24)[order(sin(17 * i^2))] + 3)
  b <- 4 - 30 * ((0.618 * i) %% 1)^6
  c <- (0.414 * i) %% 1
  data.frame(a, b, c, y = exp(0.3 * log(a) + b / 20 + c + 0.2 * sin(37 * i^2)))
}

new_rows <- data.frame(a = c(0.5, 7, 900), b = c(-20, 1.5, 6), c = c(0.1, 0.5, 0.95))

# As in the textbooks.
boxcox <- function(x, lambda) if (lambda == 0) log(x) else (x^lambda - 1) / lambda

yeo_johnson <- function(u, lambda) {
  above <- if (lambda == 0) log(1 + u[u >= 0]) else ((1 + u[u >= 0])^lambda - 1) / lambda
  below <- if (lambda == 2) {
    -log(1 - u[u < 0])
  } else {
    -((1 - u[u < 0])^(2 - lambda) - 1) / (2 - lambda)
  }
  replace(replace(u, u >= 0, above), u < 0, below)
}

# The log likelihood of a sample whose transform is normal, at its best mean and variance.
normal_log_likelihood <- function(z, log_jacobian) {
  sum(dnorm(z, mean(z), sqrt(mean((z - mean(z))^2)), log = TRUE)) + log_jacobian
}

best_lambda <- function(log_likelihood) {
  optimise(log_likelihood, c(0, 2), maximum = TRUE, tol = 1e-6)$maximum
}

test_that("lambda of a positive column maximises the normal likelihood, to two decimals", {
  d <- skewed_data()
  columns <- list(d$a, sqrt(d$a), d$a^3, 1 + d$a, 40 - 30 * d$c^6, 1 / (d$a + 1))
  for (x in columns) {
    warp <- choose_warp(x)
    expect_identical(warp$name, "boxcox")
    best <- best_lambda(function(lambda) {
      normal_log_likelihood(boxcox(x, lambda), (lambda - 1) * sum(log(x)))
    })
    expect_lte(abs(warp$lambda - best), 0.0051)
    expect_identical(warp$lambda, round(warp$lambda, 2))
  }
})

test_that("lambda of another column maximises the normal likelihood, to two decimals", {
  d <- skewed_data()
  for (x in list(d$b, -d$b, d$a - 5, c(0, 0, 0, d$a))) {
    warp <- choose_warp(x)
    expect_identical(warp$name, "yeojohnson")
    expect_identical(warp$center, median(x))
    expect_identical(warp$scale, median(abs(x - median(x))[x != median(x)]))
    u <- (x - warp$center) / warp$scale
    best <- best_lambda(function(lambda) {
      jacobian <- (lambda - 1) * sum(sign(u) * log(1 + abs(u)))
      normal_log_likelihood(yeo_johnson(u, lambda), jacobian)
    })
    expect_lte(abs(warp$lambda - best), 0.0051)
  }
})

test_that("warps are the textbook's, and take skewness away", {
  d <- skewed_data()
  for (lambda in c(0, 0.3, 1, 2)) {
    warp <- list(name = "boxcox", lambda = lambda, center = 0, scale = 2)
    expect_close(warp_values(d$a, warp), boxcox(d$a / 2, lambda), 1e-12, floor = 1e-3)
    warp <- list(name = "yeojohnson", lambda = lambda, center = -1, scale = 3)
    expect_close(warp_values(d$b, warp), yeo_johnson((d$b + 1) / 3, lambda), 1e-12, floor = 1e-3)
  }
  for (x in list(d$a, d$b, c(0, 0, 0, d$a))) {
    expect_gt(abs(skewness(x)), 1)
    expect_lt(abs(skewness(warp_values(x, choose_warp(x)))), 0.8)
  }
})

test_that("skewness() is the standardised third moment", {
  x <- skewed_data()$a
  expect_equal(skewness(x), mean((x - mean(x))^3) / mean((x - mean(x))^2)^1.5)
  expect_equal(skewness(1e200 * x), skewness(x))
  expect_equal(skewness(-x), -skewness(x))
})

test_that("a fit is that of inputs warped by hand", {
  d <- skewed_data()
  fit <- btg(y ~ a + b + c, d, transform = "softplus", quadrature = few_nodes())
  warps <- fit$scaling$x$warp
  expect_named(warps, c("a", "b"))
  by_hand <- function(d) {
    u <- (d$b - median(skewed_data()$b)) / warps$b$scale
    transform(d, a = boxcox(a / exp(mean(log(skewed_data()$a))), warps$a$lambda),
              b = yeo_johnson(u, warps$b$lambda))
  }
  plain <- btg(y ~ a + b + c, by_hand(d), transform = "softplus", warp_inputs = FALSE,
               quadrature = few_nodes())
  expect_close(nodes(fit), nodes(plain), floor = 1e-3)
  expect_close(predict(fit, interval = "credible"), predict(plain, interval = "credible"))
  expect_close(predict(fit, new_rows, interval = "credible"),
               predict(plain, by_hand(new_rows), interval = "credible"))
  expect_close(predict(fit, d), predict(fit))
})

test_that("without warps, inputs are as they were", {
  d <- skewed_data()
  none <- btg(y ~ a + b + c, d, warp_inputs = FALSE, quadrature = few_nodes(),
              transform = "sinharcsinh")
  expect_length(none$scaling$x$warp, 0)
  expect_equal(none$scaling$x$center, colMeans(d[c("a", "b", "c")]))
  expect_equal(none$scaling$x$scale, apply(d[c("a", "b", "c")], 2, sd))
  unskewed <- btg(y ~ c, d, quadrature = few_nodes(), transform = "sinharcsinh")
  plain <- btg(y ~ c, d, warp_inputs = FALSE, quadrature = few_nodes(), transform = "sinharcsinh")
  expect_identical(nodes(unskewed), nodes(plain))
})

test_that("units of an input do not matter, nor the origin of one with both signs", {
  d <- skewed_data()
  fit <- btg(y ~ a + b + c, d, quadrature = few_nodes(), transform = "sinharcsinh")
  change <- function(d) transform(d, a = 1234.5 * a, b = 0.005 - 0.003 * b)
  other <- btg(y ~ a + b + c, change(d), quadrature = few_nodes(), transform = "sinharcsinh")
  expect_close(predict(other, change(new_rows), interval = "credible"),
               predict(fit, new_rows, interval = "credible"))
  # Warped units are free of the input's.
  expect_close(nodes(other), nodes(fit), floor = 1e-3)
  expect_identical(other$scaling$x$warp$a$lambda, fit$scaling$x$warp$a$lambda)
  # Mirrored, the power is mirrored too.
  expect_equal(other$scaling$x$warp$b$lambda, 2 - fit$scaling$x$warp$b$lambda)
})

test_that("lengthscales of warped inputs are fixed, and shown, in warped units", {
  d <- skewed_data()
  fit <- btg(y ~ a + c, d, prior = btg_prior(fixed = c(lengthscale.a = 0.7)),
             quadrature = few_nodes(), transform = "sinharcsinh")
  found <- nodes(fit)
  expect_equal(found$lengthscale.a, rep(0.7, nrow(found)))
  warp <- fit$scaling$x$warp$a
  inputs <- cbind(a = boxcox(d$a / warp$scale, warp$lambda), c = d$c)
  model <- naive_model(fit, inputs, cbind(rep(1, 24)), d$y, "sinharcsinh")
  expect_close(found$log_marginal, naive_log_marginal(model))
})

test_that("only skewed columns of numbers, with enough values, are warped", {
  d <- skewed_data()
  expect_null(choose_warp(d$c))
  expect_null(choose_warp(rep(c(1, 2, 3, 4, 1000), 5)))
  expect_identical(choose_warp(rep(c(1, 2, 3, 4, 5, 1000), 5))$name, "boxcox")
  # Far from zero, powers are straight.
  expect_null(choose_warp(1e9 + d$a))

  score <- pmin(8, ceiling(abs(d$b / 2)) + 1)
  d$ordered <- factor(score, ordered = TRUE)
  d$date <- as.Date("1971-01-01") + round(d$a)
  d$time <- as.POSIXct(1e5 * d$a, origin = "1970-01-01", tz = "UTC")
  d$rare <- d$a > 300
  d$group <- factor(rep(c("u", "v", "w"), c(2, 2, 20)))
  skewed <- function(x) abs(skewness(as.numeric(x))) > 1
  expect_true(skewed(d$ordered) && skewed(d$date) && skewed(d$time) && skewed(d$rare))
  expect_gte(nlevels(d$ordered), 6)
  fit <- btg(y ~ ordered + date + time + rare + group + a, d, quadrature = few_nodes(),
             transform = "sinharcsinh")
  expect_named(fit$scaling$x$warp, "a")
})

test_that("columns of a matrix and terms of the formula are warped as inputs of their own", {
  d <- skewed_data()
  fit <- btg(y ~ cbind(a, c) + I(a^2), d, quadrature = few_nodes(), transform = "sinharcsinh")
  expect_named(fit$scaling$x$warp, c("cbind(a, c)a", "I(a^2)"))
  by_matrix <- btg(as.matrix(d[c("a", "b", "c")]), d$y, quadrature = few_nodes(),
                   transform = "sinharcsinh")
  by_formula <- btg(y ~ a + b + c, d, quadrature = few_nodes(), transform = "sinharcsinh")
  expect_identical(by_matrix$scaling, by_formula$scaling)
  expect_identical(predict(by_matrix, as.matrix(new_rows)), predict(by_formula, new_rows))
})

test_that("with one lengthscale for all inputs there are no warps", {
  d <- skewed_data()
  fit <- btg(y ~ a + b, d, ard = FALSE, quadrature = few_nodes(), transform = "sinharcsinh")
  expect_length(fit$scaling$x$warp, 0)
})

test_that("columns that are hard to warp are harmless", {
  wide <- 10^seq(-300, 300, length.out = 12)
  warp <- choose_warp(wide)
  expect_identical(warp$lambda, 0)
  expect_equal(warp_values(wide, warp), log(wide), tolerance = 1e-12)
  for (x in list(
    c(wide, -wide^0.9), c(-1, wide), c(rep(1, 100), 2:6), c(rep(0, 100), 1:5), c(1:6, 1e15),
    c(1:6, -1e15), c(rep(5, 50), 5 + 1e-12 * (1:6)^4), c(1e-320, 1:8 * 1e-310)
  )) {
    warp <- choose_warp(x)
    if (!is.null(warp)) {
      warped <- warp_values(x, warp)
      expect_true(all(is.finite(warped)))
      expect_false(is_constant(warped))
      expect_identical(order(warped), order(x))
    }
  }
})

test_that("where a warp has no value, scaling refuses and prediction leaves the row out", {
  x <- cbind(a = c(1, -2, 0, NA, 5), c = 1:5)
  for (lambda in c(0, 0.5)) {
    warps <- list(a = list(name = "boxcox", lambda = lambda, center = 0, scale = 2))
    # (0^lambda - 1) / lambda is finite for lambda > 0.
    bad <- if (lambda == 0) 2:3 else 2L
    expect_identical(which(outside_warps(x, warps)[, "a"]), bad)
    scaling <- list(center = c(a = 0, c = 0), scale = c(a = 1, c = 1), warp = warps,
                    levels = c(0L, 0L))
    expect_error(scale_inputs(x, scaling), "`a`.*row 2", class = "btg_error_outside_warp")

    new <- list(inputs = x, complete = c(TRUE, TRUE, TRUE, FALSE, TRUE))
    expect_warning(kept <- leave_out_unwarpable(new, warps, letters[1:5]), "row \"b\"",
                   class = "btg_warning_outside_warp")
    expect_identical(kept$complete, !(1:5 %in% c(bad, 4)))
    scaled <- scale_inputs(kept$inputs, scaling)
    expect_equal(unname(scaled[c(1, 5), "a"]), boxcox(c(1, 5) / 2, lambda))
  }
  expect_identical(leave_out_unwarpable(new, list(), 1:5), new)
})

test_that("warps survive saveRDS(), and print() reports them", {
  d <- skewed_data()
  fit <- btg(y ~ a + b + c, d, quadrature = few_nodes(), transform = "sinharcsinh")
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new_rows), predict(fit, new_rows))
  lambda <- vapply(fit$scaling$x$warp, function(warp) warp$lambda, 0)
  expected <- paste0("Warped      `a` (boxcox, lambda = ", lambda[["a"]],
                     ") and `b` (yeojohnson, lambda = ", lambda[["b"]], ")")
  expect_output(print(fit), expected, fixed = TRUE)
  expect_output(print(summary(fit)), "Warped ")
  plain <- capture.output(print(btg(y ~ c, d, quadrature = few_nodes(), transform = "sinharcsinh")))
  expect_no_match(paste(plain, collapse = "\n"), "Warped")
})

test_that("a warp can be worth a lot: a response that is linear in the logarithm of an input", {
  d <- skewed_data()
  d$y <- log(d$a)
  rows <- seq(1, 24, by = 2)
  error <- function(warp_inputs) {
    fit <- btg(y ~ a, d[rows, ], transform = "identity", warp_inputs = warp_inputs)
    sqrt(mean((predict(fit, d[-rows, ]) - d$y[-rows])^2))
  }
  expect_lt(error(TRUE), 0.3 * error(FALSE))
})

test_that("new rows that a Box-Cox warp does not reach are NA, with a warning", {
  d <- skewed_data()
  fit <- btg(y ~ a + c, d, quadrature = few_nodes(), transform = "sinharcsinh")
  expect_identical(fit$scaling$x$warp$a$name, "boxcox")
  new <- data.frame(a = c(3, -1, NA, 50), c = 0.5, row.names = c("p", "q", "r", "s"))
  expect_warning(found <- predict(fit, new, interval = "credible"), "1 value in row \"q\"",
                 class = "btg_warning_outside_warp")
  expect_identical(unname(is.na(found[, "upr"])), c(FALSE, TRUE, TRUE, FALSE))
  expect_identical(found[c(1, 4), ], predict(fit, new[c(1, 4), ], interval = "credible"))
  expect_no_warning(predict(btg(y ~ a + c, d, warp_inputs = FALSE, quadrature = few_nodes(),
                                transform = "sinharcsinh"),
                            new[-3, ]))
  # Yeo-Johnson takes all numbers.
  both_signs <- btg(y ~ b, d, quadrature = few_nodes(), transform = "sinharcsinh")
  expect_true(all(is.finite(predict(both_signs, data.frame(b = c(-1e6, 0, 1e6))))))
})
