test_that("predictions are the mixture of the models", {
  for (averaging in c("stacking", "posterior")) {
    fit <- small_average(averaging = averaging)
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

test_that("nodes() names the models, and weights sum to the models' weights", {
  fit <- small_average(averaging = "posterior")
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
  fit <- small_average(d, product = TRUE)
  single <- small_average(d, transform = "sinharcsinh", product = TRUE)
  expect_false(is_average(fit))
  same <- setdiff(names(fit), c("call", "seconds", "settings", "checksum"))
  expect_equal(fit[same], single[same])
  # The checksum covers the settings, which have another transform.
  asked <- setdiff(names(fit$settings), "transform")
  expect_equal(fit$settings[asked], single$settings[asked])
  # One input has one kernel, a given `product` too.
  expect_length(btg(y ~ x, oracle_data(), kernel = "rbf", quadrature = few_nodes(8))$models, 2)
  products <- vapply(small_average(product = TRUE)$models, function(m) m$kernel$product, NA)
  expect_equal(unname(products), c(TRUE, TRUE))
})

test_that("a prior may be of a parameter that only some candidates have", {
  fit <- small_average(prior = btg_prior(fixed = c(softplus.s = 0.7, sinharcsinh.a = 0.1)))
  values <- function(name) unique(unlist(lapply(single_fits(fit), function(m) nodes(m)[[name]])))
  expect_equal(values("softplus.s"), 0.7)
  expect_equal(values("sinharcsinh.a"), 0.1)
  expect_error(small_average(prior = btg_prior(fixed = c(boxcox.lambda = 1))),
               class = "btg_error_prior")
})

test_that("an average has no log posterior, its models have", {
  fit <- small_average()
  expect_error(log_posterior(fit, nodes(fit)), class = "btg_error_average")
  one <- select_models(fit, names(fit$models)[1])
  at <- nodes(one)
  expect_equal(log_posterior(one, at), at$log_marginal + at$log_prior)
})

test_that("an average is refined model by model", {
  fit <- small_average()
  more <- refine(fit)
  expect_true(is_average(more))
  expect_equal(more$averaging$method, "stacking")
  refined <- lapply(single_fits(fit), refine)
  expect_equal(lapply(single_fits(more), nodes), lapply(refined, nodes))
  expect_equal(sum(nodes(more)$weight), 1)
  expect_equal(more$quadrature$nodes_kept, 2 * fit$quadrature$nodes_kept, tolerance = 0.2)
})

test_that("draws of an average have its distribution", {
  fit <- small_average(averaging = "posterior")
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
  fit <- small_average()
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  new <- data.frame(x = c(2, 9), w = c(5200, 5700))
  answer <- predict(fit, new, interval = "credible")
  expect_identical(predict(readRDS(file), new, interval = "credible"), answer)
  expect_identical(predict(small_average(threads = 2), new, interval = "credible", threads = 2),
                   answer)
})

test_that("print() and summary() show what was averaged and how", {
  fit <- small_average()
  expect_output(print(fit), "Average of 4 models, weighted to predict")
  expect_output(print(small_average(averaging = "posterior")), "posterior probabilities")
  sum <- summary(fit)
  expect_equal(sum$models$weight, unname(fit$model_weights))
  expect_equal(names(sum$summaries), names(fit$models)[fit$model_weights > 0])
  expect_output(print(sum), "Main model, weight")
  expect_output(print(sum), "lengthscale.x", fixed = TRUE)
})

test_that("a condition that several models raise is shown once", {
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
  expect_error(small_average(averaging = "mean"), class = "btg_error_argument")
  expect_error(small_average(product = NA), class = "btg_error_argument")
  expect_error(small_average(transform = c("auto", "affine")), class = "btg_error")
})

test_that("a model whose integral fails is left out of the average, with a message", {
  fit <- small_average()
  parts <- c("kernel", "transform", "scaling", "units", "problem")
  models <- lapply(fit$models, function(model) unclass(model)[parts])
  softplus <- grepl("softplus", names(models))
  expect_true(any(softplus) && !all(softplus))
  broken <- models
  for (name in names(models)[softplus]) { # no softplus of a negative number
    broken[[name]]$problem$response <- -models[[name]]$problem$response
  }
  built <- build_models(fit$design, broken)
  expect_message(found <- fit_built(broken, built, fit$settings, new_run(), NULL),
                 "\"softplus.*\": The likelihood could not be evaluated",
                 class = "btg_message_model")
  expect_identical(names(found), names(models)[!softplus])
  whole <- build_models(fit$design, models[!softplus])
  expect_equal(found, fit_built(models[!softplus], whole, fit$settings, new_run(), NULL))
  error <- expect_error(fit_built(broken[softplus], built, fit$settings, new_run(), NULL),
                        class = "btg_error_numerical")
  expect_match(conditionMessage(error), "keeps the noise away from 0", fixed = TRUE)
  if (sum(softplus) > 1L) expect_match(conditionMessage(error), "models of the average failed")
})

test_that("a noise-free function has a good integral and intervals that hold", {
  # The polynomial had 5 effective nodes and a k-hat of 2.8 when K was singular to rounding.
  set.seed(1)
  d <- data.frame(a = runif(430), b = runif(430))
  d$y <- (1 - d$a)^2 + 10 * (d$b - d$a^2)^2
  fit <- btg(y ~ a + b, d[1:30, ], transform = "identity", kernel = "rbf")
  expect_gt(fit$quadrature$effective_nodes, 200)
  expect_lt(fit$quadrature$k_hat, 0.9)
  expect_identical(fit$quadrature$nodes_failed, 0L)
  expect_gt(summary(fit)$noise_floor[["share"]], 0.9)
  limits <- predict(fit, d[-(1:30), ], interval = "prediction")
  expect_gt(mean(limits[, "lwr"] <= d$y[-(1:30)] & d$y[-(1:30)] <= limits[, "upr"]), 0.85)
  # The posterior does not depend on the nodes: another sample has the same evidence.
  other <- btg(y ~ a + b, d[1:30, ], transform = "identity", kernel = "rbf",
               quadrature = quad_adaptive(seed = 2))
  expect_lt(abs(fit$quadrature$log_evidence - other$quadrature$log_evidence), 0.3)
})

# A smooth function of four inputs without interactions between most of them.
simulator_data <- function(noise = 0) {
  u <- vapply(1:4, function(j) (seq_len(30) * sqrt(j^2 + 1)) %% 1, numeric(30))
  colnames(u) <- paste0("x", 1:4)
  y <- sin(5 * u[, 1]) + exp(u[, 2]) + u[, 3]^2 + u[, 1] * u[, 4] + noise * cos(1:30 * 7)
  data.frame(u, y)
}

test_that("an additive term joins averages only where there is little noise", {
  d <- simulator_data()
  fit <- btg(y ~ ., d)
  extra <- grepl("additive", fit$screened$model)
  expect_true(any(extra))
  expect_true(any(grepl("^additive[.]lengthscale", names(nodes(fit)))))
  # The data are additive, except for one product.
  new <- simulator_data()[1:10, 1:4] * 0.9
  truth <- sin(5 * new$x1) + exp(new$x2) + new$x3^2 + new$x1 * new$x4
  without <- btg(y ~ ., d, additive = FALSE)
  expect_false(any(grepl("additive", without$screened$model)))
  crps <- function(fit) mean(predict(fit, new, type = "crps", at = cbind(truth)))
  expect_lt(crps(fit), crps(without))
  noisy <- btg(y ~ ., simulator_data(0.3))
  expect_false(any(grepl("additive", noisy$screened$model)))
  by_name <- btg(y ~ ., d, transform = "identity", quadrature = few_nodes(8))
  expect_false(is_average(by_name))
  own_terms <- btg(y ~ x1 + x2 + linear(x3), d, quadrature = few_nodes(8))
  expect_false(any(grepl("additive", names(own_terms$models))))
})

test_that("additive = TRUE adds the term to every model, with two inputs or more", {
  d <- simulator_data()
  fit <- btg(y ~ x1 + x2, d, transform = "identity", additive = TRUE, quadrature = few_nodes(8))
  written <- btg(y ~ x1 + x2 + additive(x1, x2), d, transform = "identity",
                 quadrature = few_nodes(8))
  expect_identical(names(fit_terms(fit)), c("main", "additive"))
  expect_equal(predict(fit), predict(written))
  likely <- wgp(y ~ x1 + x2, d, additive = TRUE)
  expect_true("ratio.additive" %in% names(nodes(likely)))
  expect_error(btg(y ~ x1, d, additive = TRUE), "two inputs", class = "btg_error_argument")
  expect_error(wgp(y ~ x1, d, additive = TRUE), "two inputs", class = "btg_error_argument")
  expect_error(btg(y ~ x1 + x2 + additive(x2, x1), d, additive = TRUE), "already has",
               class = "btg_error_argument")
  expect_error(btg(y ~ x1 + x2, d, additive = "yes"), class = "btg_error_argument")
})
