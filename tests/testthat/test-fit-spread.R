# PIT values of normal residuals whose standard deviation is `sd` of what was predicted.
pit_of <- function(n, sd = 1) pnorm(rnorm(n, sd = sd))

test_that("the level is 5% where the spread does not vary", {
  skip_if_quick()
  set.seed(1)
  rejected <- replicate(600, {
    pit <- pit_of(60)
    x <- runif(60)
    u <- rexp(60)
    g <- sample(c("a", "b", "c"), 60, TRUE)
    tests <- spread_tests(pit, list(x = x, u = u, g = g))
    c(tests$p < 0.05, any(tests$adjusted < 0.05))
  })
  # Within three standard errors; Holm's method keeps the level of all together.
  error <- 3 * sqrt(0.05 * 0.95 / 600)
  for (k in 1:3) expect_lt(abs(mean(rejected[k, ]) - 0.05), error)
  expect_lt(mean(rejected[4, ]), 0.05 + error)
})

test_that("heavy tails do not look like a spread that varies", {
  set.seed(2)
  rejected <- replicate(400, {
    pit <- pnorm(rt(60, 3))
    spread_tests(pit, list(x = runif(60)))$p < 0.05
  })
  expect_lt(mean(rejected), 0.05 + 3 * sqrt(0.05 * 0.95 / 400))
})

test_that("a spread that varies is found, by curves, lines and levels", {
  set.seed(3)
  power <- function(draw) {
    mean(replicate(100, {
      x <- draw()
      sd <- x$sd
      x$sd <- NULL
      x$other <- runif(length(sd))
      identical(spread_found(spread_tests(pit_of(length(sd), sd), x))[1], "x")
    }))
  }
  expect_gt(power(function() list(x = x <- runif(100), sd = 0.3 + 2 * x)), 0.9)
  expect_gt(power(function() list(x = x <- runif(100), sd = 0.4 + 6 * (x - 0.5)^2)), 0.9)
  expect_gt(power(function() list(x = x <- sample(1:4, 100, TRUE), sd = x / 2)), 0.9)
  expect_gt(power(function() {
    x <- sample(c("a", "b", "c"), 100, TRUE)
    list(x = x, sd = c(a = 0.5, b = 1, c = 2)[x])
  }), 0.9)
  expect_gt(power(function() {
    x <- as.Date("2024-01-01") + sample(400, 100)
    list(x = x, sd = 0.3 + 2 * as.numeric(x - min(x)) / 400)
  }), 0.9)
})

test_that("p values are those of an analysis of variance", {
  set.seed(4)
  pit <- pit_of(50)
  pit[7] <- NA
  x <- runif(50)
  k <- rep(1:5, 10)
  g <- factor(rep(c("a", "b"), 25), levels = c("a", "b", "unused"))
  tests <- spread_tests(pit, list(x = x, k = k, g = g))
  expect_named(tests, c("variable", "p", "adjusted"))
  d <- data.frame(size = sqrt(abs(qnorm(pit))), x, k, g)[-7, ]
  p_of <- function(formula) anova(lm(size ~ 1, d), lm(formula, d))[2, "Pr(>F)"]
  expected <- c(p_of(size ~ splines::ns(x, 3)), p_of(size ~ k), p_of(size ~ g))
  expect_equal(tests$p, expected)
  expect_equal(tests$adjusted, p.adjust(expected, "holm"))
})

test_that("what cannot be tested is NA, and counts for nothing", {
  set.seed(5)
  few <- spread_tests(pit_of(12), list(x = 1:12, one = rep(1, 12), two = rep(1:2, 6)))
  expect_identical(is.na(few$p), c(TRUE, TRUE, FALSE))
  expect_equal(few$adjusted, few$p)
  levels <- spread_tests(pit_of(30), list(g = as.character(1:30)))
  expect_true(is.na(levels$p))
  expect_identical(spread_found(levels), character())
  certain <- spread_tests(c(0, 1, pit_of(40)), list(x = 1:42))
  expect_true(is.finite(certain$p))
  none <- spread_tests(pit_of(20), list())
  expect_identical(nrow(none), 0L)
  expect_null(spread_advice(none, list()))
})

test_that("the advice names what it depends on, and the call that would model it", {
  spread <- function(...) {
    p <- c(...)
    data.frame(variable = names(p), p = unname(p), adjusted = p.adjust(unname(p), "holm"))
  }
  d <- list(x = seq(0, 1, 0.01), g = rep("a", 101), k = rep_len(1:4, 101))
  expect_null(spread_advice(spread("(fitted)" = 0.4, x = 0.04, g = NA), d))
  expect_identical(
    spread_advice(spread("(fitted)" = 0.4, x = 0.00123, g = 0.7), d),
    c("The spread of left-out residuals depends on `x` (p = 0.001).",
      "Model it by `noise = ~ splines::ns(x, 3)`, or `noise = \"auto\"`.")
  )
  expect_identical(spread_advice(spread(x = 1e-3, g = 1e-6, k = 1e-4), d)[2],
                   "Model it by `noise = ~ g + k`, or `noise = \"auto\"`.")
  fitted <- spread_advice(spread("(fitted)" = 1e-4, x = 0.5), d)
  expect_match(fitted[1], "the fitted values (p = ", fixed = TRUE)
  expect_match(fitted[2], "Another transform")
})

test_that("loocv() tests the spread of what it left out, and says what it finds", {
  set.seed(6)
  d <- data.frame(x = runif(80), g = rep(c("a", "b"), 40))
  d$y <- sin(6 * d$x) + rnorm(80, sd = 0.03 + 0.5 * d$x)
  d$x[3] <- NA
  independent <- btg_prior("independent")
  cv <- loocv(btg(y ~ x + g, d, transform = "identity", product = FALSE, prior = independent,
                  quadrature = few_nodes(200)))
  expect_equal(cv$spread, spread_tests(cv$pointwise$pit, list(
    "(fitted)" = cv$pointwise$median, x = d$x[-3], g = d$g[-3]
  )))
  expect_identical(cv$spread$variable, c("(fitted)", "x", "g"))
  expect_lt(cv$spread$adjusted[2], 0.05)
  expect_identical(summary(cv)$spread, cv$spread)
  for (shown in list(cv, summary(cv))) {
    expect_output(print(shown), "The spread of left-out residuals depends on `x`", fixed = TRUE)
    expect_output(print(shown), "noise = ~ splines::ns(x, 3)", fixed = TRUE)
  }
  modelled <- loocv(btg(y ~ x + g, d, transform = "identity", product = FALSE,
                        prior = independent, noise = ~ splines::ns(x, 3),
                        quadrature = few_nodes(400)))
  expect_gt(modelled$spread$adjusted[2], 0.05)
  expect_no_match(capture.output(print(modelled)), "spread of left-out")
})

test_that("many values in a few clumps have a line, whose knots need not differ", {
  set.seed(4)
  clumps <- rep(c(1, 2), each = 30) * (1 + 1e-12 * seq_len(60))
  expect_gt(length(unique(clumps)), 10)
  expect_identical(ncol(spread_basis(clumps)), 1L)
  expect_identical(ncol(spread_basis(runif(60))), 3L)
  tests <- spread_tests(pit_of(60, rep(c(0.3, 3), each = 30)), list(x = clumps))
  expect_lt(tests$p, 0.01)
})

test_that("the PIT of responses off a tie is uniform, whatever the mass of the tie", {
  set.seed(8)
  n <- 4000
  m <- runif(n, -2, 2)
  y <- pmax(rnorm(n, m), 0)
  cdf <- cbind(pnorm(y, m), pnorm(0, m))
  mass <- cbind(ifelse(y == 0, pnorm(0, m), 0), pnorm(0, m))
  expect_identical(tied_value(y), 0)
  pit <- pit_off_tie(y, 0, cdf[, 1] - mass[, 1] / 2, cdf[, 2], mass[, 2])
  expect_identical(is.na(pit), y == 0)
  expect_gt(ks.test(pit[y > 0], "punif")$p.value, 0.01)
  expect_gt(spread_tests(pit, list(m = m))$p, 0.01)
  # The middle of the mass is not uniform, and its size depends on the mass.
  expect_lt(spread_tests(cdf[, 1] - mass[, 1] / 2, list(m = m))$p, 1e-6)
  # From above and below, a tie within the range.
  pit <- pit_off_tie(c(1, 2, 4), 2, c(0.2, 0.45, 0.9), 0.5, 0.1)
  expect_equal(pit, c(0.5, NA, 0.8))
  tied <- tied_rows(y, 0, mass[, 2])
  expect_equal(tied[c("count", "expected")],
               list(count = sum(y == 0), expected = sum(pnorm(0, m))))
  expect_false(is_tie_unexpected(tied))
  expect_true(is_tie_unexpected(tied_rows(y * (runif(n) < 0.9), 0, mass[, 2])))
})

test_that("only a value that stands out is tied", {
  expect_null(tied_value(cars$dist))
  expect_null(tied_value(rep(0:3, 10)))
  expect_null(tied_value(c(rep(0, 4), 1:20)))
  expect_identical(tied_value(c(rep(0, 5), 1:20)), 0)
  expect_null(tied_value(c(rep(0, 5), rep(1, 2), 2:20)))
  expect_identical(tied_value(c(rep(7, 6), rep(1, 2), 2:20)), 7)
})

test_that("zeros are no reason to model the noise", {
  set.seed(4)
  d <- data.frame(x = runif(120))
  d$y <- exp(sin(3 * d$x) + 0.3 * rnorm(120) + 1) * (runif(120) < 0.3 + 0.6 * d$x)
  fit <- suppressMessages(btg(y ~ x, d, kernel = "matern52", noise = "auto",
                              quadrature = few_nodes(48)))
  expect_false(has_varying_noise(fit))
  cv <- suppressWarnings(loocv(fit))
  expect_identical(cv$tied$count, sum(d$y == 0))
  out <- capture.output(print(cv))
  expect_no_match(out, "noise = ")
  # Censored at the bound, as many zeros are expected as there are.
  expect_no_match(out, "responses are 0")
  note <- tied_note(list(count = 5, rows = 20, value = 0, expected = 1.2))
  expect_match(note, "5 of 20 responses are 0, but the predictions expect 1.2")
  expect_match(note, "logistic")
})

test_that("variables with one value per fold are not tested for the spread", {
  d <- data.frame(g = rep(c("a", "b", "c"), each = 2), x = 1:6, s = rep(1:2, each = 3))
  expect_named(varying_in_folds(d, factor(d$g)), c("x", "s"))
  expect_named(varying_in_folds(d, factor(d$s)), c("g", "x"))
  expect_identical(varying_in_folds(d, factor(1:6)), d)
})
