average <- function(data = oracle_data(), ..., kernel = "matern52", nodes = 16) {
  btg(y ~ x + w, data, ..., kernel = kernel, quadrature = few_nodes(nodes))
}

# The weights w = softmax(v) with the largest sum of log(density %*% w), plus 5 times the mean of
# log(w) under `prior` if there is one, by a general optimiser.
optimal_stacking <- function(log_scores, prior = 0) {
  density <- exp(log_scores)
  weights <- function(v) exp(c(v, 0)) / sum(exp(c(v, 0)))
  loss <- function(v) -sum(log(density %*% weights(v))) - 5 * sum(prior * log(weights(v)))
  best <- optim(rep(0, ncol(density) - 1), loss, method = "BFGS",
                control = list(maxit = 1000, reltol = 1e-15))
  list(weights = weights(best$par), value = -best$value)
}

test_that("stacking weights are those of a direct optimiser", {
  set.seed(3)
  for (models in c(2, 3, 5)) {
    for (spread in c(0.2, 2)) {
      log_scores <- matrix(rnorm(40 * models, -3, spread), 40)
      found <- stacking_weights(log_scores)
      direct <- optimal_stacking(log_scores)
      reached <- sum(log(exp(log_scores) %*% found))
      expect_gte(reached, direct$value - 1e-6)
      expect_close(found, direct$weights, 1e-3, floor = 1)
      expect_equal(sum(found), 1)
    }
  }
  # Models that are much alike: none would gain by more weight, none without any would lose by it.
  log_scores <- rnorm(300, -3) + matrix(rnorm(1200, 0, 0.01), 300)
  found <- stacking_weights(log_scores)
  gain <- colMeans(exp(log_scores) / as.vector(exp(log_scores) %*% found))
  expect_lt(max(gain), 1 + 1e-8)
  expect_close(gain[found > 1e-4], rep(1, sum(found > 1e-4)), 1e-6)
  # A model that is best in every row gets all, whatever the scale of the scores.
  expect_close(stacking_weights(cbind(a = -(1:9), b = -(2:10)) - 1e4), c(1, 0), 1e-4, floor = 1)
  # Rows without a score are not counted; without any row, weights are equal.
  log_scores <- matrix(rnorm(60), 20)
  expect_equal(stacking_weights(rbind(log_scores, c(NA, 0, 0), -Inf)), stacking_weights(log_scores))
  expect_equal(stacking_weights(matrix(NA_real_, 4, 2)), c(0.5, 0.5))
})

test_that("stacking weights are those of the loo package", {
  skip_if_not_installed("loo")
  set.seed(4)
  log_scores <- matrix(rnorm(90, -3, 1), 30)
  expect_close(stacking_weights(log_scores), loo::stacking_weights(log_scores), 1e-3, floor = 1)
})

test_that("an average is stacked on the left-out densities of its models", {
  fit <- average()
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

test_that("posterior weights are by the evidences, in the units of the response", {
  fit <- average(averaging = "posterior")
  evidence <- vapply(fit$models, function(model) model$quadrature$log_evidence, 0)
  expected <- exp(evidence - max(evidence))
  expect_equal(fit$model_weights, expected / sum(expected))
  d <- oracle_data()
  d$y <- 1000 * d$y
  expect_close(average(d, averaging = "posterior")$model_weights, fit$model_weights, 1e-6)
  expect_equal(fit$quadrature$log_evidence, log(mean(exp(evidence))))
})

test_that("predictions are the mixture of the models", {
  for (averaging in c("stacking", "posterior")) {
    fit <- average(averaging = averaging)
    new <- data.frame(x = c(1, 5, 12), w = c(5300, 5500, 5900))
    at <- c(0.2, 1, 3)
    mixed <- function(type) {
      each <- lapply(single_fits(fit), predict, new, type = type, at = at)
      Reduce(`+`, Map(`*`, each, fit$model_weights))
    }
    expect_close(predict(fit, new, type = "cdf", at = at), mixed("cdf"), 1e-10)
    expect_close(predict(fit, new, type = "density", at = at), mixed("density"), 1e-10)
    quantiles <- predict(fit, new, type = "quantile", probs = c(0.1, 0.5, 0.9), tolerance = 1e-10)
    reached <- predict(fit, new, type = "cdf", at = quantiles)
    expect_close(reached, rep(c(0.1, 0.5, 0.9), each = 3))
    expect_equal(predict(fit, new), predict(fit, new, type = "quantile", probs = 0.5)[, 1])
  }
})

test_that("nodes() has the models, whose weights sum to theirs", {
  fit <- average(averaging = "posterior")
  all <- nodes(fit)
  expect_equal(sum(all$weight), 1)
  kept <- fit$model_weights[fit$model_weights > 0]
  expect_equal(c(tapply(all$weight, all$model, sum))[names(kept)], kept)
  expect_false(is.unsorted(-all$weight))
  softplus <- grepl("softplus", all$model)
  expect_false(anyNA(all$softplus.s[softplus]))
  expect_true(all(is.na(all$softplus.s[!softplus])))
  expect_false(anyNA(all[c("noise", "lengthscale.x", "lengthscale.w", "log_marginal")]))
})

test_that("one candidate is a plain fit", {
  d <- oracle_data()
  d$y <- log(d$y)
  fit <- average(d, product = TRUE)
  single <- average(d, transform = "sinharcsinh", product = TRUE)
  expect_false(is_average(fit))
  same <- setdiff(names(fit), c("call", "seconds", "settings", "seal"))
  expect_equal(fit[same], single[same])
  asked <- setdiff(names(fit$settings), "transform")
  expect_equal(fit$settings[asked], single$settings[asked])
  # One input has one kernel, a given `product` too.
  expect_length(btg(y ~ x, oracle_data(), kernel = "rbf", quadrature = few_nodes(8))$models, 2)
  products <- vapply(average(product = TRUE)$models, function(m) m$kernel$product, NA)
  expect_equal(unname(products), c(TRUE, TRUE))
})

test_that("a prior may be of a parameter that only some candidates have", {
  fit <- average(prior = btg_prior(fixed = c(softplus.s = 0.7, sinharcsinh.a = 0.1)))
  values <- function(name) unique(unlist(lapply(single_fits(fit), function(m) nodes(m)[[name]])))
  expect_equal(values("softplus.s"), 0.7)
  expect_equal(values("sinharcsinh.a"), 0.1)
  expect_error(average(prior = btg_prior(fixed = c(boxcox.lambda = 1))), class = "btg_error_prior")
})

test_that("an average has no log posterior, its models have", {
  fit <- average()
  expect_error(log_posterior(fit, nodes(fit)), class = "btg_error_average")
  one <- select_models(fit, names(fit$models)[1])
  at <- nodes(one)
  expect_equal(log_posterior(one, at), at$log_marginal + at$log_prior)
})

test_that("an average is refined model by model", {
  fit <- average()
  more <- refine(fit)
  expect_true(is_average(more))
  expect_equal(more$averaging$method, "stacking")
  refined <- lapply(single_fits(fit), refine)
  expect_equal(lapply(single_fits(more), nodes), lapply(refined, nodes))
  expect_equal(sum(nodes(more)$weight), 1)
  expect_equal(more$quadrature$nodes_kept, 2 * fit$quadrature$nodes_kept, tolerance = 0.2)
})

test_that("draws of an average have its distribution", {
  fit <- average(averaging = "posterior")
  new <- data.frame(x = c(2, 9), w = c(5200, 5700))
  draws <- simulate(fit, nsim = 4000, seed = 1, newdata = new)
  expect_equal(dim(draws), c(2, 4000))
  expect_equal(draws, simulate(fit, nsim = 4000, seed = 1, newdata = new))
  for (i in 1:2) {
    uniform <- predict(fit, new[i, ], type = "cdf", at = as.numeric(draws[i, ]))
    expect_gt(suppressWarnings(ks.test(as.vector(uniform), "punif"))$p.value, 1e-3)
  }
})

test_that("a saved average predicts the same, and threads do not matter", {
  fit <- average()
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  new <- data.frame(x = c(2, 9), w = c(5200, 5700))
  answer <- predict(fit, new, interval = "credible")
  expect_identical(predict(readRDS(file), new, interval = "credible"), answer)
  expect_identical(predict(average(threads = 2), new, interval = "credible", threads = 2), answer)
})

test_that("print() and summary() say what was averaged and how", {
  fit <- average()
  expect_output(print(fit), "Average of 4 models by stacking")
  for (name in names(fit$models)) expect_output(print(fit), name, fixed = TRUE)
  expect_output(print(average(averaging = "posterior")), "posterior probabilities")
  sum <- summary(fit)
  expect_equal(sum$models$weight, unname(fit$model_weights))
  expect_equal(names(sum$summaries), names(fit$models)[fit$model_weights > 0])
  expect_output(print(sum), "averaged by stacking")
  expect_output(print(sum), "lengthscale.x", fixed = TRUE)
})

test_that("what several models say of the data is said once", {
  said <- character()
  value <- withCallingHandlers(show_once({
    for (i in 1:3) inform_btg("zeros", "zero_response")
    for (i in 1:2) warn_btg("ties", "ties")
    warn_btg("other ties", "ties")
    "done"
  }), btg_message = function(m) {
    said <<- c(said, conditionMessage(m))
    invokeRestart("muffleMessage")
  }, btg_warning = function(w) {
    said <<- c(said, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  expect_equal(said, c("zeros", "ties", "other ties"))
  expect_equal(value, "done")
})

test_that("bad choices are errors", {
  expect_error(average(averaging = "mean"), class = "btg_error_argument")
  expect_error(average(product = NA), class = "btg_error_argument")
  expect_error(average(transform = c("auto", "affine")), class = "btg_error")
})

# Select ------------------------------------------------------------------------------------------

test_that("some models of a fit are a fit, whose weights keep their ratios", {
  fit <- average()
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
  fit <- average()
  single <- average(transform = "softplus", product = FALSE)
  one <- select_models(fit, "softplus")
  expect_false(is_average(one))
  expect_identical(nodes(one), nodes(single))
  expect_null(one$averaging)
  expect_identical(one$quadrature$log_evidence, single$quadrature$log_evidence)
  expect_identical(one$scaling$y, single$scaling$y)
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
  fit <- average()
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
  fit <- average()
  for (bad in list("boxcox", c("softplus", "boxcox"), character(), NA_character_, 5, 0, TRUE, NULL,
                   c("softplus", "softplus"))) {
    expect_error(select_models(fit, bad), "\"softplus\"", class = "btg_error_argument")
  }
  expect_error(select_models(lm(y ~ x, oracle_data()), 1), class = "btg_error_argument")
  model <- fit$models[[1]]
  refused <- list(nodes, loocv, refine, function(x) scores(x, oracle_data()),
                  function(x) log_posterior(x, nodes(fit)), function(x) select_models(x, 1))
  for (ask in refused) {
    expect_error(ask(model), "select_models(fit, name)", fixed = TRUE,
                 class = "btg_error_argument")
  }
})
