# Weights and replicates against the naive model, which solves with all rows.

weighted_data <- function() {
  d <- oracle_data()
  d$w_i <- 0.3 + 5 * ((0.732 * seq_len(14)) %% 1)
  d
}

# A fit with weights and its naive model; `rows` may repeat.
weighted_case <- function(transform = "sinharcsinh", kernel = "matern52", product = FALSE,
                          trend = ~ 1, d = weighted_data(), ...) {
  fit <- btg(y ~ x + w, d, weights = w_i, transform = transform, kernel = kernel,
             product = product, trend = trend, quadrature = few_nodes(), ...)
  model <- naive_model(fit, d[c("x", "w")], model.matrix(trend, d), d$y, transform, kernel,
                       product, weights = d$w_i)
  new <- rbind(data.frame(x = c(3.3, 12), w = c(5700, 5100)), d[5, c("x", "w")])
  list(fit = fit, model = model, data = d, new = new, new_trend = model.matrix(trend, new))
}

# Eight points, most of them more than once, with responses that differ.
replicated_data <- function() {
  d <- weighted_data()
  d[c("x", "w")] <- d[c(1:8, 1, 1, 2, 3, 4, 4), c("x", "w")]
  d
}

weighted_cases <- function() {
  list(
    weighted_case("sinharcsinh"),
    weighted_case("softplus", "matern32", TRUE, ~ x),
    weighted_case("identity", "rbf", d = replicated_data()),
    weighted_case("boxcox", "exponential", TRUE, ~ x, d = replicated_data()),
    weighted_case(c("affine", "arcsinh"), d = transform(replicated_data(), w_i = 1)),
    weighted_case("identity", "rational_quadratic", TRUE, d = replicated_data())
  )
}

test_that("likelihoods with weights and replicates are naive, up to one constant", {
  for (case in weighted_cases()) {
    found <- nodes(case$fit)$log_marginal
    naive <- naive_log_marginal(case$model)
    expect_close(found - found[1], naive - naive[1], floor = 1)
    # No constant is missing that depends on the weights: evidences of them compare.
    expect_close(found, naive, floor = 1)
  }
})

test_that("gradients with weights and replicates agree with differences", {
  for (case in weighted_cases()) {
    model <- case$fit$models[[1]]
    hyper <- model$posterior$hyper[1L, ]
    names(hyper) <- hyper_names(model)
    differences <- numDeriv::grad(function(x) {
      evaluate_fit(case$fit, unlist(from_coordinates(x)))$log_marginal
    }, to_coordinates(as.data.frame(as.list(hyper))))
    expect_close(evaluate_fit(case$fit, hyper)$gradient, differences, 1e-6, floor = 1e-2)
  }
})

test_that("predictions with weights and replicates are naive", {
  for (case in weighted_cases()) {
    expect_naive_predictions(case)
    expect_naive_predictions(case, observation = FALSE)
  }
})

test_that("new observations may have weights of their own", {
  case <- weighted_case()
  w <- c(0.5, 2, 8)
  mixtures <- naive_mixtures(case$model, case$new, case$new_trend,
                             w = w / mean(case$data$w_i))
  naive <- vapply(mixtures, function(mixture) mixture$density(1.5), 0)
  expect_close(predict(case$fit, case$new, type = "density", at = 1.5, weights = w), naive)
  process <- predict(case$fit, case$new, type = "density", at = 1.5, observation = FALSE)
  expect_identical(predict(case$fit, case$new, type = "density", at = 1.5, observation = FALSE,
                           weights = w), process)
  # At the data, each row has its own.
  at_data <- naive_mixtures(case$model, case$model$X, case$model$M, w = case$model$w)
  expect_close(predict(case$fit, type = "cdf", at = 1.5),
               vapply(at_data, function(mixture) mixture$cdf(1.5), 0))
  expect_identical(predict(case$fit, case$new, weights = 2),
                   predict(case$fit, case$new, weights = c(2, 2, 2)))
  skip_if_not_installed("distributional")
  expect_close(density(predict(case$fit, case$new, type = "distribution", weights = w), 1.5), naive)
})

test_that("rows left out with weights and replicates are naive", {
  skip_if_quick()
  skip_on_cran()
  for (case in weighted_cases()) {
    naive <- oracle_loo_pointwise(case$model)
    left_out <- function(...) {
      suppressWarnings(loocv(case$fit, ...), classes = "btg_warning_lost_mass")$pointwise
    }
    fast <- left_out()
    for (column in c("log_score", "pit")) expect_close(fast[[column]], naive[[column]], 1e-7)
    refit <- left_out(method = "naive")
    for (column in c("median", "lwr", "upr", "log_score", "crps", "pit")) {
      expect_close(fast[[column]], refit[[column]], 1e-7, floor = 1e-3)
    }
    folds <- rep(1:4, length.out = 14)
    naive <- oracle_loo_mixtures(case$model, folds)
    found <- left_out(folds = folds)$pit
    expect_close(found, mapply(function(mixture, y) mixture$cdf(y), naive, case$data$y), 1e-7)
  }
})

test_that("joint draws have the noise of the weights", {
  hyper <- c(lengthscale.x = 2, lengthscale.w = 800, noise = 0.3)
  case <- weighted_case("identity", prior = btg_prior(fixed = hyper))
  w <- c(0.5, 2, 8)
  draws <- simulate(case$fit, 4000, seed = 1, newdata = case$new, weights = w)
  naive <- naive_joint_covariance(case$model, case$model$solved[[1]], as.matrix(case$new),
                                  case$new_trend, w = w / mean(case$data$w_i))
  naive <- case$model$y_scale^2 * naive
  error <- (cov(t(draws)) - naive) / sqrt(outer(diag(naive), diag(naive)))
  expect_lt(max(abs(error)), 0.1)
})

test_that("only ratios of weights matter, and equal weights are none", {
  d <- weighted_data()
  fit <- function(v) {
    btg(y ~ x + w, d, weights = v, transform = "softplus", quadrature = few_nodes())
  }
  plain <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes())
  for (equal in c(1, 0.1, 300)) expect_identical(nodes(fit(rep(equal, 14))), nodes(plain))
  expect_close(nodes(fit(7 * d$w_i))$weight, nodes(fit(d$w_i))$weight)
  expect_gt(max(abs(nodes(fit(d$w_i))$log_marginal - nodes(plain)$log_marginal)), 0.1)
  expect_identical(weights(fit(7 * d$w_i)), 7 * d$w_i)
  expect_null(weights(plain))
})

# Given the ratio of noise to signal at weight 1, the mean of k responses of weight 1 is a response
# of weight k: of the process they tell the same, while the spread around the mean tells of the
# scale, so that only locations are equal.
test_that("a row of weight k locates the process as k equal rows do", {
  hyper <- c(lengthscale.x = 2, noise = 0.3)
  d <- oracle_data()
  d$k <- c(3, rep(1, 13))
  fixed <- function(noise) btg_prior(fixed = c(lengthscale.x = 2, noise = noise))
  # Weights have mean 1 inside: the noise of weight 1 is `noise * mean(k)` there.
  one <- btg(y ~ x, d, weights = k, transform = "identity", prior = fixed(0.3 / mean(d$k)))
  # Equal weights are none, but keep what would be copies.
  many <- btg(y ~ x, d[rep(1:14, d$k), ], transform = "identity", prior = fixed(0.3),
              weights = rep(1, 16))
  new <- data.frame(x = c(1, 4, 7.7))
  expect_close(predict(one, new, observation = FALSE), predict(many, new, observation = FALSE))
  expect_gt(max(abs(predict(one, new, type = "variance") - predict(many, new, type = "variance"))),
            1e-4)
})

test_that("averages, wgp() and refine() take weights", {
  d <- replicated_data()
  both <- btg(y ~ x + w, d, weights = w_i, quadrature = few_nodes())
  expect_true(is_average(both))
  expect_identical(weights(both), d$w_i)
  name <- names(which.max(both$model_weights))
  own <- select_models(both, name)
  expect_identical(own$design$weights, d$w_i / mean(d$w_i))
  expect_equal(nobs(refine(own)), 14)

  for (method in c("REML", "ML")) {
    fit <- wgp(y ~ x + w, d, weights = w_i, transform = "boxcox", method = method)
    model <- naive_model(fit, d[c("x", "w")], cbind(rep(1, 14)), d$y, "boxcox", weights = d$w_i)
    expect_close(logLik(fit), naive_log_likelihood(model, method))
    if (method == "REML") {
      naive <- naive_mixtures(model, d[1:3, c("x", "w")], cbind(rep(1, 3)))
      expect_close(predict(fit, d[1:3, ], type = "cdf", at = 1),
                   vapply(naive, function(mixture) mixture$cdf(1), 0))
    }
    beta <- model$solved[[1]]$beta
    expect_close(coef(fit), beta)
  }
})

test_that("weights are found as lm() finds them", {
  d <- weighted_data()
  d$w_i[3] <- NA
  d$y[5] <- NA
  fit <- btg(y ~ x, d, weights = sqrt(w_i), subset = x > 1, transform = "identity",
             quadrature = few_nodes(), na.action = na.exclude)
  frame <- lm(y ~ x, d, weights = sqrt(w_i), subset = x > 1, na.action = na.exclude)
  expect_equal(weights(fit), weights(frame))
  expect_equal(nobs(fit), nobs(frame))

  inside <- function(v) {
    btg(y ~ x, oracle_data(), weights = v, transform = "identity", quadrature = few_nodes())
  }
  # Looked for in the data, then in the formula's environment: here that of the function.
  expect_identical(weights(inside(1:14 + 0)), 1:14 + 0)

  by_matrix <- btg(cbind(x = oracle_data()$x), oracle_data()$y, weights = 1:14,
                   transform = "identity", quadrature = few_nodes())
  expect_close(nodes(by_matrix)$log_marginal, nodes(inside(1:14))$log_marginal)
})

test_that("weights that cannot be used are errors", {
  d <- weighted_data()
  fit <- function(v, ...) btg(y ~ x, d, weights = v, transform = "identity", ...)
  expect_error(fit(c(-1, rep(1, 13))), "finite and positive", class = "btg_error_weights")
  expect_error(fit(c(1, 0, rep(1, 12))), "row 2", class = "btg_error_weights")
  expect_error(fit(c(Inf, rep(1, 13))), class = "btg_error_weights")
  expect_error(fit(c(NA, rep(1, 13)), na.action = na.pass), class = "btg_error_weights")
  expect_error(fit(letters[1:14]), "numeric", class = "btg_error_weights")
  expect_error(fit(1:3), class = "btg_error_model_frame")
  expect_error(btg(d$x, d$y, weights = 1:3), "3 for 14 rows", class = "btg_error_weights")
  expect_error(wgp(d$x, d$y, weights = 0 * d$x), class = "btg_error_weights")
  good <- fit(d$w_i, quadrature = few_nodes())
  expect_error(predict(good, d[1:3, ], weights = 1:2), class = "btg_error_weights")
  expect_error(predict(good, d[1:3, ], weights = c(1, 1, -1)), class = "btg_error_weights")
  expect_error(predict(good, weights = 1), class = "btg_error_argument")
})

test_that("replicates are found where inputs and trend are equal", {
  d <- replicated_data()
  sites <- function(fit) fit$models[[1]]$sites
  fit <- function(...) btg(y ~ x, d, transform = "identity", quadrature = few_nodes(), ...)
  expect_identical(sites(fit()), length(unique(d$x)))
  expect_output(print(fit()), "14 rows at 8 distinct points, 1 input", fixed = TRUE)
  d$i <- 1:14
  expect_identical(sites(fit(trend = ~ i)), 14L)
  # The floor of the noise lets replicates differ even at noise 0.
  expect_identical(sites(suppressWarnings(wgp(y ~ x, d, noise = 0))), length(unique(d$x)))
  expect_output(print(update(fit(), weights = w_i)), "Weights     0.56 to 4.94", fixed = TRUE)
})

test_that("equal rows that noise could not tell apart still have a posterior", {
  d <- oracle_data()
  twice <- btg(y ~ x, d[c(1:14, 1:14), ], transform = "identity", quadrature = few_nodes())
  expect_true(all(is.finite(predict(twice, d))))
  expect_identical(twice$models[[1]]$sites, 14L)
})
