test_that("an average is stacked on the left-out densities of its models", {
  fit <- small_average()
  expect_true(is_average(fit))
  expect_s3_class(fit, "btg", exact = TRUE)
  expect_length(fit$models, 4)
  log_scores <- vapply(single_fits(fit), function(one) loocv(one)$pointwise$log_score, numeric(14))
  probability <- exp(fit$averaging$log_evidence - max(fit$averaging$log_evidence))
  direct <- optimal_stacking(log_scores, probability / sum(probability))$weights
  expect_close(fit$model_weights, direct, 2e-3, floor = 1)
  expect_equal(fit$averaging$elpd, colSums(log_scores))
  expect_equal(sum(fit$model_weights), 1)
})

test_that("posterior weights follow from the evidences, in the units of the response", {
  fit <- small_average(averaging = "posterior")
  evidence <- vapply(fit$models, function(model) model$quadrature$log_evidence, 0)
  expected <- exp(evidence - max(evidence))
  expect_equal(fit$model_weights, expected / sum(expected))
  d <- oracle_data()
  d$y <- 1000 * d$y
  expect_close(small_average(d, averaging = "posterior")$model_weights, fit$model_weights, 1e-6)
  expect_equal(fit$quadrature$log_evidence, log(mean(exp(evidence))))
})

test_that("some models of a fit are a fit, whose weights keep their ratios", {
  fit <- small_average()
  fit$model_weights[] <- c(0.1, 0.2, 0.3, 0.4)
  fit <- add_checksum(fit)
  names <- names(fit$models)
  some <- select_models(fit, names[c(4, 2)])
  expect_s3_class(some, "btg", exact = TRUE)
  expect_equal(some$model_weights, setNames(c(2, 1) / 3, names[c(4, 2)]))
  expect_identical(some$models, fit$models[c(4, 2)])
  expect_identical(some$averaging$elpd, fit$averaging$elpd[c(4, 2)])
  expect_identical(select_models(fit, c(4, 2)), some)
  expect_equal(some$quadrature$nodes_kept,
               sum(vapply(some$models, function(model) model$quadrature$nodes_kept, 0L)))
  at <- c(0.2, 1, 3)
  new <- data.frame(x = c(1, 5), w = c(5300, 5500))
  cdf <- function(fit) predict(fit, new, type = "cdf", at = at)
  expect_close(cdf(some), 2 / 3 * cdf(select_models(fit, 4)) + 1 / 3 * cdf(select_models(fit, 2)),
               1e-10)
  all <- select_models(fit, names)
  expect_equal(cdf(all), cdf(fit))
  expect_equal(nodes(all), nodes(fit))
  expect_output(print(some), "Average of 2 models")
})

test_that("one model is as if it had been fitted alone", {
  fit <- small_average()
  single <- small_average(transform = "softplus", product = FALSE)
  one <- select_models(fit, "softplus")
  expect_false(is_average(one))
  expect_identical(nodes(one), nodes(single))
  expect_null(one$averaging)
  expect_identical(one$quadrature$log_evidence, single$quadrature$log_evidence)
  # The bound that the average assumes belongs to each of its models.
  expect_identical(one$scaling$y[c("center", "scale")], single$scaling$y)
  new <- data.frame(x = c(1, 5), w = c(5300, 5500))
  expect_identical(predict(one, new, interval = "credible"),
                   predict(single, new, interval = "credible"))
  expect_identical(loocv(one)$pointwise, loocv(single)$pointwise)
  expect_identical(summary(one)$hyperparameters, summary(single)$hyperparameters)
  expect_identical(log_posterior(one, nodes(one)), log_posterior(single, nodes(one)))
  expect_identical(select_models(single, names(single$models))$models, single$models)
  likely <- wgp(y ~ x, oracle_data(), restarts = 1)
  expect_identical(predict(select_models(likely, 1)), predict(likely))
})

test_that("models without weight can be selected", {
  fit <- small_average()
  fit$model_weights[] <- c(1, 0, 0, 0)
  fit <- add_checksum(fit)
  without <- select_models(fit, 3)
  expect_identical(unname(without$model_weights), 1)
  expect_equal(sum(nodes(without)$weight), 1)
  at <- nodes(without)
  expect_equal(log_posterior(without, at), at$log_marginal + at$log_prior)
  expect_identical(unname(select_models(fit, c(3, 4))$model_weights), c(0.5, 0.5))
  expect_identical(unname(select_models(fit, c(3, 1))$model_weights), c(0, 1))
})

test_that("models that a fit does not have are refused, and so are models without their fit", {
  fit <- small_average()
  for (bad in list("boxcox", c("softplus", "boxcox"), character(), NA_character_, 5, 0, TRUE, NULL,
                   c("softplus", "softplus"))) {
    expect_error(select_models(fit, bad), "\"softplus\"", class = "btg_error_argument")
  }
  expect_error(select_models(lm(y ~ x, oracle_data()), 1), class = "btg_error_argument")
  model <- fit$models[[1]]
  refused <- list(nodes, loocv, refine, function(x) predictive_scores(x, oracle_data()),
                  function(x) log_posterior(x, nodes(fit)), function(x) select_models(x, 1))
  for (ask in refused) {
    expect_error(ask(model), "select_models(fit, name)", fixed = TRUE,
                 class = "btg_error_argument")
  }
})
