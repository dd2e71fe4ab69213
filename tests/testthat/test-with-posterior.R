test_that("systematic resampling repeats each index as its weight says", {
  weights <- c(0.5, 0.003, 0.2, 0.197, 0.1)
  for (count in c(1, 10, 997, 4000)) {
    copies <- tabulate(resample_systematically(weights, count), 5)
    expect_identical(sum(copies), as.integer(count))
    expect_true(all(abs(copies - count * weights) < 1))
  }
  # Every stretch is representative.
  drawn <- resample_systematically(weights, 4000)
  for (start in c(0, 1234, 3000)) {
    copies <- tabulate(drawn[start + 1:1000], 5)
    expect_true(all(abs(copies - 1000 * weights) < 10))
  }
  expect_identical(resample_systematically(1, 3), c(1L, 1L, 1L))
})

test_that("draws have the weighted quantiles of the nodes", {
  skip_if_not_installed("posterior")
  fit <- oracle_case("boxcox", prior = btg_prior(fixed = c(noise = 0.1)))$fit
  draws <- posterior::as_draws_df(fit, ndraws = 20000)
  expect_s3_class(draws, "draws_df")
  expect_identical(posterior::variables(draws), c("lengthscale.x", "lengthscale.w",
                                                  "boxcox.lambda"))
  expect_identical(posterior::ndraws(draws), 20000L)
  at <- nodes(fit)
  for (name in posterior::variables(draws)) {
    error <- mean(draws[[name]]) - weighted.mean(at[[name]], at$weight)
    expect_lt(abs(error), nrow(at) / 20000 * diff(range(at[[name]])))
    for (value in quantile(at[[name]], c(0.1, 0.5, 0.9))) {
      reached <- sum(at$weight[at[[name]] <= value])
      expect_lt(abs(mean(draws[[name]] <= value) - reached), nrow(at) / 20000)
    }
  }
  # Jointly: rows are nodes.
  expect_true(all(paste(draws$lengthscale.x, draws$boxcox.lambda) %in%
                    paste(at$lengthscale.x, at$boxcox.lambda)))
  expect_identical(posterior::as_draws_df(fit), posterior::as_draws(fit))
})

test_that("draws of an average know their models; others are refused", {
  skip_if_not_installed("posterior")
  d <- oracle_data()
  average <- btg(y ~ x + w, d, quadrature = few_nodes(16))
  draws <- posterior::as_draws_df(average, ndraws = 1000)
  share <- tabulate(draws$model, length(average$models)) / 1000
  expect_true(all(abs(share - average$model_weights) < 0.02))
  softplus <- startsWith(names(average$models)[draws$model], "softplus")
  expect_identical(is.na(draws$softplus.s), !softplus)
  likely <- wgp(y ~ x, d, fixed = c(lengthscale.x = 2, noise = 0.1))
  expect_error(posterior::as_draws_df(likely), class = "btg_error_no_posterior")
  signed <- oracle_case("identity")$fit
  weight <- signed$models[[1]]$posterior$weight
  signed$models[[1]]$posterior$weight[1:2] <- weight[1:2] + c(1, -1)
  expect_error(posterior::as_draws_df(add_checksum(signed)), class = "btg_error_quadrature")
  expect_error(posterior::as_draws_df(average, ndraws = 0), class = "btg_error_argument")
})

test_that("summaries of draws say what the nodes are worth, and nothing of chains", {
  skip_if_not_installed("posterior")
  fit <- btg(dist ~ speed, cars, transform = "sinharcsinh")
  found <- posterior::summarise_draws(posterior::as_draws_df(fit))
  expect_false(any(c("rhat", "ess_bulk", "ess_tail") %in% names(found)))
  expect_equal(unique(found$ess), fit$quadrature$effective_nodes)
  expect_named(posterior::summarise_draws(fit, "median"), c("variable", "median"))
  expect_named(posterior::summarise_draws(posterior::as_draws_df(fit), "median"),
               c("variable", "median"))
})

test_that("as.matrix() has the draws", {
  fit <- btg(dist ~ speed, cars, transform = "sinharcsinh", quadrature = few_nodes())
  draws <- as.matrix(fit, ndraws = 100)
  expect_identical(dim(draws), c(100L, 4L))
  expect_identical(colnames(draws), setdiff(names(nodes(fit)), c("weight", "log_marginal",
                                                                 "log_prior")))
  expect_true(all(draws[, "noise"] %in% nodes(fit)$noise))
  expect_error(as.matrix(fit, 100, draws = 1), class = "btg_error_unknown_argument")
  expect_error(as.matrix(wgp(dist ~ speed, cars)), class = "btg_error_no_posterior")
})
