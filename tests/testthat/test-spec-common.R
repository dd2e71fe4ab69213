level_fit <- function(prior, ...) {
  d <- oracle_data(15)
  btg(y ~ x + w, d, transform = "boxcox", prior = prior, quadrature = few_nodes(16), ...)
}

test_that("lengthscales of several inputs share an unknown level by default", {
  prior <- btg_prior(fixed = c(noise = 0.1, boxcox.lambda = 0.5))
  fit <- level_fit(prior)
  found <- nodes(fit)
  units <- fit$lengthscale_units
  x <- log(sweep(as.matrix(found[names(units)]), 2, units, "/"))
  expected <- apply(x, 1, naive_common_prior, centre = 1 + log(2) / 2)
  expect_equal(found$log_prior, unname(expected), tolerance = 1e-7)
  # And weights follow.
  log_posterior <- log_posterior(fit, found)
  expect_equal(log_posterior, found$log_marginal + found$log_prior, tolerance = 1e-10)
})

test_that("level and spread can be chosen or known", {
  fixed <- c(noise = 0.1, boxcox.lambda = 0.5)
  chosen <- btg_common(location = btg_dist("lognormal", meanlog = 0.2, sdlog = 0.7),
                       spread = btg_dist("lognormal", meanlog = -0.3, sdlog = 0.4))
  fit <- level_fit(btg_prior(lengthscale = chosen, fixed = fixed))
  found <- nodes(fit)
  x <- log(sweep(as.matrix(found[names(fit$lengthscale_units)]), 2, fit$lengthscale_units, "/"))
  expected <- apply(x, 1, naive_common_prior, 0.2, 0.7, function(s) dlnorm(s, -0.3, 0.4),
                    c(0.01, 6))
  expect_equal(found$log_prior, unname(expected), tolerance = 1e-4)

  fit <- level_fit(btg_prior(lengthscale = btg_common(location = 2, spread = 0.6), fixed = fixed))
  found <- nodes(fit)
  x <- log(sweep(as.matrix(found[names(fit$lengthscale_units)]), 2, fit$lengthscale_units, "/"))
  expect_equal(found$log_prior, unname(rowSums(dnorm(x, log(2), 0.6, log = TRUE))),
               tolerance = 1e-9)
})

test_that("a lengthscale with a prior of its own, or fixed, shares nothing", {
  fixed <- c(noise = 0.1, boxcox.lambda = 0.5)
  shares <- function(...) {
    fit <- level_fit(btg_prior(..., fixed = fixed))
    vapply(fit$models[[1]]$problem$hyperparameters[1:2], function(h) isTRUE(h$in_common), NA)
  }
  own <- btg_dist("lognormal", meanlog = 0, sdlog = 1)
  expect_equal(unname(shares()), c(TRUE, TRUE))
  expect_equal(unname(shares(lengthscale.w = own)), c(TRUE, FALSE))
  expect_equal(unname(shares(lengthscale = own)), c(FALSE, FALSE))
  expect_equal(unname(shares(lengthscale = "independent")), c(FALSE, FALSE))
  fixed <- c(fixed, lengthscale.x = 1)
  expect_equal(unname(shares()), c(FALSE, TRUE))
})

test_that("one input, one lengthscale for all and wgp() have independent priors", {
  d <- oracle_data(15)
  # Whether the model has a common prior, and how many hyperparameters are part of it.
  common <- function(fit) {
    problem <- fit$models[[1]]$problem
    shared <- vapply(problem$hyperparameters, function(h) isTRUE(h$in_common), NA)
    c(!is.null(problem$common), sum(shared))
  }
  fit <- function(...) btg(..., transform = "identity", quadrature = few_nodes(8))
  expect_equal(common(fit(y ~ x + w, d)), c(1, 2))
  expect_equal(common(fit(y ~ x, d)), c(0, 0))
  expect_equal(common(fit(y ~ x + w, d, ard = FALSE)), c(0, 0))
  expect_equal(common(wgp(y ~ x + w, d)), c(0, 0))
})

test_that("values that cannot be a level or a spread are errors", {
  expect_error(btg_common(location = -1), class = "btg_error_argument")
  expect_error(btg_common(location = btg_dist("normal", mean = 0, sd = 1)),
               class = "btg_error_argument")
  expect_error(btg_common(spread = 0), class = "btg_error_argument")
  expect_error(btg_common(spread = "wide"), class = "btg_error_argument")
  expect_error(btg_common(spread = btg_dist("uniform", lower = -2, upper = 0)),
               class = "btg_error_prior")
  expect_error(btg_prior(noise = btg_common()), class = "btg_error_prior")
  expect_error(btg_prior(lengthscale = "common"), class = "btg_error_prior")
})

test_that("a common location is printed in words", {
  expect_output(print(btg_common(location = 2)), "location fixed at 2, spread uniform")
  expect_output(print(btg_prior()), "common location lognormal")
})
