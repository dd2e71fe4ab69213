# The t distributions of the trend's coefficients from the naive model: `location` with a row a
# node, and `squared_scale`, a list of matrices; on the scale where g(y) has the mean and the
# standard deviation of y over the data.
naive_trend <- function(model, shift = TRUE) {
  y <- model$y_center + model$y_scale * model$y
  df <- nrow(model$M) - ncol(model$M)
  each <- lapply(model$solved, function(node) {
    z <- as.vector(node$residual + model$M %*% node$beta)
    b <- sd(y) / sd(z)
    a <- if (shift) mean(y) - b * mean(z) else 0
    # a + b z = M beta by least squares of a constant on the columns of M.
    list(location = as.vector(b * node$beta + a * coef(lm(rep(1, length(y)) ~ model$M - 1))),
         squared_scale = b^2 * node$q / df * solve(node$A))
  })
  list(location = do.call(rbind, lapply(each, `[[`, "location")),
       squared_scale = lapply(each, `[[`, "squared_scale"), df = df, weight = model$nodes$weight)
}

expect_naive_trend <- function(fit, naive) {
  mean <- colSums(naive$weight * naive$location)
  expect_close(coef(fit), mean)
  second <- Reduce(`+`, lapply(seq_along(naive$weight), function(i) {
    variance <- naive$df / (naive$df - 2) * naive$squared_scale[[i]]
    naive$weight[i] * (variance + tcrossprod(naive$location[i, ] - mean))
  }))
  expect_close(vcov(fit), second)
  intervals <- confint(fit, seq_along(mean), level = 0.9)
  for (j in seq_along(mean)) {
    scale <- sqrt(vapply(naive$squared_scale, function(s) s[j, j], 0))
    cdf <- function(x) sum(naive$weight * pt((x - naive$location[, j]) / scale, naive$df))
    expect_close(vapply(intervals[j, ], cdf, 0), c(0.05, 0.95))
  }
}

test_that("coefficients are mixtures of the naive nodes' t distributions", {
  for (transform in list("sinharcsinh", "boxcox", c("affine", "sinharcsinh"))) {
    case <- oracle_case(transform, trend = ~ x)
    expect_naive_trend(case$fit, naive_trend(case$model))
    expect_named(coef(case$fit), c("(Intercept)", "x"))
    expect_identical(dimnames(vcov(case$fit)), rep(list(c("(Intercept)", "x")), 2))
  }
  constant <- oracle_case("softplus")
  expect_naive_trend(constant$fit, naive_trend(constant$model))
  # A constant in disguise can be shifted, a trend without one cannot.
  disguised <- oracle_case("sinharcsinh", trend = ~ factor(x > 5) - 1)
  expect_naive_trend(disguised$fit, naive_trend(disguised$model))
  without <- oracle_case("sinharcsinh", trend = ~ w - 1)
  expect_naive_trend(without$fit, naive_trend(without$model, shift = FALSE))
})

test_that("coefficients are from the nodes that predictions are from", {
  d <- oracle_data()
  # With so much noise, solve() of the naive model is accurate.
  fit <- btg(y ~ x, d, trend = ~ x, transform = "sinharcsinh", warp_inputs = FALSE,
             prior = btg_prior(fixed = c(noise = 0.1)))
  used <- nodes(fit, predictive = TRUE)
  expect_lt(nrow(used), nrow(nodes(fit)))
  model <- naive_model(fit, d["x"], model.matrix(~ x, d), d$y, "sinharcsinh", nodes = used)
  expect_naive_trend(fit, naive_trend(model))
})

test_that("coefficients of an average are those of all its nodes together", {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, trend = ~ x, kernel = "matern52", quadrature = few_nodes(16))
  expect_true(is_average(fit))
  used <- names(fit$models)[fit$model_weights > 0]
  parts <- lapply(used, function(name) {
    one <- fit$models[[name]]
    naive <- naive_trend(naive_model(select_models(fit, name), d[c("x", "w")],
                                     model.matrix(~ x, d), d$y, one$transform$layers,
                                     product = one$kernel$product))
    naive$weight <- fit$model_weights[[name]] * naive$weight
    naive
  })
  expect_naive_trend(fit, list(location = do.call(rbind, lapply(parts, `[[`, "location")),
                               squared_scale = do.call(c, lapply(parts, `[[`, "squared_scale")),
                               df = parts[[1]]$df, weight = unlist(lapply(parts, `[[`, "weight"))))
})

test_that("without a transform coefficients are those of the response, as by wgp() and by lm()", {
  d <- oracle_data()
  hyper <- c(lengthscale.x = 2, lengthscale.w = 800, noise = 0.3)
  bayes <- btg(y ~ x + w, d, trend = ~ x, transform = "identity", warp_inputs = FALSE,
               prior = btg_prior(fixed = hyper))
  likely <- wgp(y ~ x + w, d, trend = ~ x, warp_inputs = FALSE, fixed = hyper)
  expect_close(coef(bayes), coef(likely))
  expect_close(vcov(bayes), vcov(likely) * 12 / 10)
  expect_close(confint(bayes), confint(likely))
  noisy <- btg(y ~ x, d, trend = ~ x, transform = "identity",
               prior = btg_prior(fixed = c(noise = 1e9)), quadrature = few_nodes(8))
  expect_close(coef(noisy), coef(lm(y ~ x, d)), 1e-6)
  expect_close(confint(noisy, c("(Intercept)", "x")), confint(lm(y ~ x, d)), 1e-6)
})

test_that("intervals of hyperparameters are weighted quantiles of the nodes", {
  fit <- oracle_case("sinharcsinh", prior = btg_prior(fixed = c(sinharcsinh.a = 0.1)))$fit
  found <- confint(fit, level = 0.8)
  expect_identical(rownames(found), c("(Intercept)", "lengthscale.x", "lengthscale.w", "noise",
                                      "sinharcsinh.b"))
  expect_identical(colnames(found), c("10%", "90%"))
  at <- nodes(fit)
  for (name in rownames(found)[-1]) {
    reached <- vapply(found[name, ], function(value) sum(at$weight[at[[name]] <= value]), 0)
    before <- vapply(found[name, ], function(value) sum(at$weight[at[[name]] < value]), 0)
    expect_true(all(reached >= c(0.1, 0.9) - 1e-12 & before <= c(0.1, 0.9)))
  }
  average <- btg(y ~ x + w, oracle_data(), quadrature = few_nodes(16))
  softplus <- subset(nodes(average), !is.na(softplus.s))
  skip_if(nrow(softplus) == 0)
  ends <- confint(average, "softplus.s", level = 0.5)
  weight <- softplus$weight / sum(softplus$weight)
  expect_gte(sum(weight[softplus$softplus.s <= ends[2]]), 0.75 - 1e-12)
  expect_lte(sum(weight[softplus$softplus.s < ends[2]]), 0.75 + 1e-12)
})

test_that("quantiles of signed mixtures solve their equation", {
  location <- c(0, 1, 3)
  scale <- c(1, 0.5, 2)
  weight <- c(0.8, -0.2, 0.4)
  mixture <- function(location, scale, weight, df) {
    list(location = cbind(location), squared_scale = cbind(scale^2), unit = 1,
         weight = weight, df = df)
  }
  for (p in c(0.01, 0.5, 0.99)) {
    x <- c(trend_quantiles(mixture(location, scale, weight, 7), p))
    expect_close(sum(weight * pt((x - location) / scale, 7)), p)
  }
  expect_equal(c(trend_quantiles(mixture(2, 3, 1, 5), 0.3)), 2 + 3 * qt(0.3, 5))
})

test_that("coef() is the same on any threads; unknown parameters and arguments are errors", {
  fit <- oracle_case("sinharcsinh", trend = ~ x)$fit
  expect_identical(coef(fit, threads = 2), coef(fit))
  expect_error(confint(fit, "lambda"), "lengthscale.x", class = "btg_error_argument")
  expect_error(confint(fit, level = 95), class = "btg_error_argument")
  expect_error(confint(fit, prob = 0.9), class = "btg_error_unknown_argument")
  expect_error(coef(fit, threads = 0), class = "btg_error_argument")
})

test_that("sigma() is the sd of the noise, on the scale of the coefficients", {
  fixed <- btg_prior(fixed = c(noise = 0.5, lengthscale.speed = 4))
  one <- btg(dist ~ speed, cars, transform = "identity", prior = fixed)
  model <- wgp(dist ~ speed, cars, fixed = c(noise = 0.5, lengthscale.speed = 4))
  expect_equal(sigma(model), summary(model)$deviations[["noise"]])
  expect_equal(sigma(one), sigma(model))
  # Of several nodes, and with a transform, about that of the residuals.
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes())
  expect_gt(sigma(fit), 0.5 * sd(residuals(fit)))
  expect_lt(sigma(fit), 1.5 * sd(residuals(fit)))
})

test_that("coefficients have the unit of the response, whatever it is", {
  d <- transform(cars, site = rep(letters[1:5], 10))
  fit_in <- function(unit, fun, ...) fun(y ~ speed + (1 | site), transform(d, y = unit * dist), ...)
  parts <- function(unit, fun, ...) {
    fit <- fit_in(unit, fun, transform = "identity", ...)
    tidied <- generics::tidy(fit, effects = c("trend", "ran_vals"))
    effects <- group_effects(fit)
    list(confint(fit)["(Intercept)", ] / unit, sigma(fit) / unit, effects$sd / unit,
         tidied$std.error / unit)
  }
  # Squares of these units are zero or infinite.
  for (unit in c(2^-700, 2^700)) {
    expect_equal(parts(unit, wgp), parts(1, wgp), tolerance = 1e-4)
    expect_equal(parts(unit, btg, quadrature = few_nodes()),
                 parts(1, btg, quadrature = few_nodes()), tolerance = 1e-4)
  }
  fit <- fit_in(1, wgp)
  expect_equal(summary(fit)$deviations[["noise"]], sigma(fit))
  expect_equal(summary(fit)$coefficients[, "Std. Error"], sqrt(diag(vcov(fit))), ignore_attr = TRUE)
  expect_error(sigma(fit, 1), class = "btg_error_unknown_argument")
  expect_error(summary(fit, models = "all"), class = "btg_error_unknown_argument")
})
