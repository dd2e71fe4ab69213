# Approximate covariances of data with factors, ties and few values, against the exact model at the
# same hyperparameters.

# Rows with two numbers and a factor, whose levels have curves of their own.
level_data <- function(n, levels, seed = 1) {
  set.seed(seed)
  d <- data.frame(a = runif(n), b = runif(n), g = factor(sample(levels, n, TRUE), seq_len(levels)))
  k <- as.integer(d$g)
  d$y <- exp((sin(8 * d$a + k) + cos(6 * d$b - k)) / 2 + rnorm(n, sd = 0.1))
  d
}

fixed_hyper <- function(formula, lengthscales) {
  names(lengthscales) <- paste0("lengthscale.", all.vars(formula[[3L]]))
  c(lengthscales, noise = 0.01, softplus.s = 1)
}

# Errors of an approximation at the rows of `new`: of the widths of confidence intervals, of medians
# in standard deviations of the process, and of the sum of left-out log scores; and the stated ones.
measured_error <- function(train, new, formula, lengthscales, approx, ...) {
  hyper <- fixed_hyper(formula, lengthscales)
  fit_by <- function(approx) {
    suppressMessages(suppressWarnings(
      btg(formula, train, transform = "softplus", prior = btg_prior(fixed = hyper),
          approx = approx, ...)
    ))
  }
  exact <- fit_by("exact")
  # With all hyperparameters fixed, the first stages of a fit to many rows have nothing to find.
  fit <- exact
  fit$models[[1L]]$problem$approx <- with_lengthscales(approx, fit$models[[1L]])
  fit <- add_checksum(suppressWarnings(check_approximation(fit, 1L)))
  ends <- function(fit) predict(fit, new, interval = "confidence")
  width <- function(fit) ends(fit)[, "upr"] - ends(fit)[, "lwr"]
  score <- function(fit) sum(suppressWarnings(loocv(fit))$pointwise$log_score)
  off <- abs(width(fit) / width(exact) - 1)
  moved <- abs(ends(fit)[, "fit"] - ends(exact)[, "fit"]) / width(exact) * 2 * qnorm(0.975)
  list(width = mean(off), worst = max(off), median = mean(moved),
       elpd = abs(score(fit) - score(exact)), stated = fit$approximation$errors)
}

test_that("factors with few and many levels are approximated as well as numbers", {
  for (levels in c(2, 8, 30)) {
    d <- level_data(560, levels)
    error <- measured_error(d[1:480, ], d[-(1:480), ], y ~ a + b + g, c(0.4, 0.5, 0.05),
                            vecchia(60, 16, 40))
    expect_lt(error$width, 0.02)
    expect_lt(error$median, 0.05)
    expect_lt(error$elpd, 2)
  }
})

test_that("levels may be as near as rows, with two factors, in both forms of a kernel", {
  d <- level_data(460, 6)
  d$h <- factor(rep_len(c("u", "v", "w"), nrow(d)))
  for (product in c(FALSE, TRUE)) {
    error <- measured_error(d[1:400, ], d[-(1:400), ], y ~ a + b + g + h, c(0.4, 0.5, 0.8, 2),
                            vecchia(80, 16, 40), product = product)
    expect_lt(error$width, 0.02)
    expect_lt(error$median, 0.1)
    expect_lt(error$elpd, 2)
  }
})

test_that("ties, few values and inputs of very different scales are no trouble", {
  d <- level_data(460, 5)
  d$g <- as.integer(d$g)
  d$a <- round(d$a, 1)
  d$b <- 1e6 * d$b
  error <- measured_error(d[1:400, ], d[-(1:400), ], y ~ a + b + g, c(0.4, 5e5, 0.2),
                          vecchia(60, 16, 40))
  expect_lt(error$width, 0.02)
  expect_lt(error$median, 0.05)
  expect_lt(error$elpd, 2)
})

test_that("stated errors are within a factor of 2 of measured ones", {
  d <- level_data(900, 4, seed = 3)
  train <- d[1:400, ]
  new <- d[-(1:400), ]
  for (approx in list(vecchia(8, 8, 10), vecchia(12, 1, 0), vecchia(10, 16, 0))) {
    error <- measured_error(train, new, y ~ a + b + g, c(0.4, 0.5, 0.05), approx)
    stated <- error$stated
    expect_gt(error$width, 1e-3)
    expect_gt(stated["process", "mean"], error$width / 2)
    expect_lt(stated["process", "mean"], error$width * 2)
    expect_gt(stated["median", "mean"], error$median / 2)
    expect_lt(stated["median", "mean"], error$median * 2)
    expect_true(all(stated[, "worst"] >= stated[, "mean"]))
    expect_lte(stated["observation", "mean"], stated["process", "mean"])
  }
})

test_that("a coarse approximation is warned about, with both errors", {
  d <- level_data(150, 3)
  expect_warning(
    fit <- btg(y ~ a + b + g, d, transform = "softplus", approx = vecchia(2, 4, 0),
               quadrature = quad_sobol(16)),
    "standard deviations of the process are about", class = "btg_warning_approx"
  )
  expect_equal(fit$approximation$inflation, fit$approximation$errors["process", "mean"])
  expect_output(print(summary(fit)), "sd of an observation")
})
