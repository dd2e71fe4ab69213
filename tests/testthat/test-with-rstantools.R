fit <- btg(y ~ x + w, oracle_data(), transform = "softplus", quadrature = few_nodes())

test_that("draws have a row for each draw and a column for each row of the data", {
  skip_if_not_installed("rstantools")
  new <- oracle_case("softplus")$new
  found <- rstantools::posterior_predict(fit, new, draws = 20, seed = 1)
  expect_equal(found, t(as.matrix(simulate(fit, 20, seed = 1, newdata = new))), ignore_attr = TRUE)
  means <- rstantools::posterior_epred(fit, draws = 20, seed = 1)
  expect_identical(dim(means), c(20L, 14L))
  process <- t(as.matrix(simulate(fit, 20, seed = 1, observation = FALSE)))
  # The softplus is concave, so that means exceed the medians of the same draws.
  expect_true(all(means > process))
  expect_error(rstantools::posterior_predict(fit, drows = 3), class = "btg_error_unknown_argument")
})

test_that("draws of the expectation have the mean of a new observation, and its weights", {
  skip_if_not_installed("rstantools")
  new <- oracle_case("softplus")$new
  draws <- rstantools::posterior_epred(fit, new, draws = 8000, seed = 1)
  expected <- predict(fit, new, type = "mean", interval = "confidence", se.fit = TRUE)
  error <- expected$se.fit / sqrt(8000)
  expect_lt(max(abs(colMeans(draws) - expected$fit[, "fit"]) / error), 4)
  inside <- sweep(draws, 2, expected$fit[, "lwr"], `>`) &
    sweep(draws, 2, expected$fit[, "upr"], `<`)
  expect_lt(max(abs(colMeans(inside) - 0.95)), 0.012)
  weighted <- btg(y ~ x + w, oracle_data(), transform = "softplus", quadrature = few_nodes(),
                  weights = rep(1:2, 7))
  some <- function(weights) {
    rstantools::posterior_epred(weighted, new, draws = 5, seed = 1, weights = weights)
  }
  expect_true(all(some(0.1) > some(10)))
})

test_that("the share of variance is between 0 and 1", {
  skip_if_not_installed("rstantools")
  share <- rstantools::bayes_R2(fit, draws = 50, seed = 1)
  process <- t(as.matrix(simulate(fit, 50, seed = 1, observation = FALSE)))
  expect_length(share, 50)
  expect_equal(share[3], var(process[3, ]) /
                 (var(process[3, ]) + var(oracle_data()$y - process[3, ])), ignore_attr = TRUE)
})

test_that("priors are listed, and what is not there says what to use", {
  skip_if_not_installed("rstantools")
  fixed <- btg(dist ~ speed, cars, quadrature = few_nodes(8),
               prior = btg_prior(fixed = c(lengthscale.speed = 5)))
  found <- rstantools::prior_summary(fixed)
  expect_named(found, c("model", "hyperparameter", "prior"))
  expect_setequal(found$model, names(fixed$models))
  expect_identical(found$prior[found$hyperparameter == "lengthscale.speed"][1], "fixed at 5")
  expect_error(rstantools::log_lik(fit), "loocv", class = "btg_error_criterion")
  expect_error(rstantools::prior_summary(wgp(dist ~ speed, cars)),
               class = "btg_error_no_posterior")
})

test_that("bayesplot draws posterior predictive checks", {
  skip_if_not_installed("bayesplot")
  expect_s3_class(bayesplot::pp_check(fit, draws = 5, seed = 1), "ggplot")
  expect_s3_class(bayesplot::pp_check(fit, "hist", draws = 5, seed = 1), "ggplot")
  expect_error(bayesplot::pp_check(fit, "density"), class = "btg_error_argument")
})

test_that("the share of explained variance does not depend on the unit of the response", {
  skip_if_not_installed("rstantools")
  share <- function(unit) {
    fit <- wgp(y ~ speed, transform(cars, y = unit * dist))
    rstantools::bayes_R2(fit, draws = 400, seed = 1)
  }
  draws <- as.matrix(simulate(wgp(dist ~ speed, cars), 400, seed = 1, observation = FALSE))
  explained <- apply(draws, 2, var)
  left <- apply(cars$dist - draws, 2, var)
  expect_equal(share(1), explained / (explained + left), ignore_attr = TRUE)
  expect_equal(mean(share(2^700)), mean(share(1)), tolerance = 0.01)
})
