# Draws of the conditional mean from the naive model: a node, the scale of the process, the process,
# and then the mean over the noise at equal probabilities.
naive_means <- function(case, draws, floor = -Inf) {
  model <- case$model
  df <- nrow(model$M) - ncol(model$M)
  X <- as.matrix(case$new)
  all <- naive_latent(model, X, case$new_trend)
  process <- naive_latent(model, X, case$new_trend, observation = FALSE)
  noise <- sqrt(all$scale^2 - process$scale^2)
  node <- sample.int(nrow(model$nodes), draws, TRUE, model$nodes$weight)
  omega <- rchisq(draws, df) / df
  e <- qnorm((seq_len(500) - 0.5) / 500)
  vapply(seq_len(nrow(X)), function(i) {
    f <- all$location[i, node] + process$scale[i, node] * rnorm(draws) / sqrt(omega)
    vapply(seq_len(draws), function(k) {
      layers <- naive_layers(model$transform, model$nodes[node[k], ])
      z <- f[k] + noise[i, node[k]] * e / sqrt(omega[k])
      mean(pmax(model$y_center + model$y_scale * naive_inverse(z, layers), floor))
    }, 0)
  }, numeric(draws))
}

test_that("the mean has the interval and the sd of draws of the conditional mean", {
  skip_if_quick()
  for (transform in c("softplus", "sinharcsinh")) {
    case <- oracle_case(transform)
    set.seed(1)
    draws <- naive_means(case, 6000)
    found <- predict(case$fit, case$new, type = "mean", interval = "confidence", level = 0.9,
                     se.fit = TRUE)
    expect_identical(found$fit[, "fit"], predict(case$fit, case$new, type = "mean"))
    for (i in 1:3) {
      expect_lt(abs(mean(draws[, i] < found$fit[i, "lwr"]) - 0.05), 0.012)
      expect_lt(abs(mean(draws[, i] < found$fit[i, "upr"]) - 0.95), 0.012)
      if (transform == "softplus") {
        expect_equal(found$se.fit[[i]], sd(draws[, i]), tolerance = 0.1)
        expect_lt(abs(found$fit[i, "fit"] - mean(draws[, i])), 5 * sd(draws[, i]) / sqrt(6000))
      }
    }
  }
  # Predictions stop at a floor.
  censored <- predict(btg(y ~ x + w, transform(oracle_data(), y = pmax(y, 1.2)), lower = 1.2,
                          transform = "identity", quadrature = few_nodes()), case$new,
                      type = "mean", interval = "confidence")
  # Far below the floor the mean rounds to it.
  expect_true(all(censored >= 1.2) && all(censored[, c("fit", "upr")] > 1.2))
})

test_that("intervals of the mean are of the kind that was asked for", {
  case <- oracle_case("softplus")
  ask <- function(...) predict(case$fit, case$new, type = "mean", ...)
  confidence <- ask(interval = "confidence")
  expect_identical(ask(interval = "credible"), confidence)
  expect_identical(ask(interval = "confidence", observation = TRUE), confidence)
  shortest <- ask(interval = "hdi")
  width <- function(x) unname(x[, "upr"] - x[, "lwr"])
  expect_true(all(width(shortest) < width(confidence)))
  prediction <- ask(interval = "prediction")
  expect_identical(prediction[, 2:3], predict(case$fit, case$new, interval = "prediction")[, 2:3])
  # Without noise, the conditional mean is the process.
  process <- ask(interval = "confidence", observation = FALSE)
  expect_identical(process[, 2:3], predict(case$fit, case$new, interval = "confidence")[, 2:3])
  expect_error(predict(case$fit, type = "mean", interval = "confidence", left_out = TRUE),
               "left_out", class = "btg_error_argument")
  # Without a transform, the conditional mean is the process.
  plain <- oracle_case("identity")
  expect_equal(predict(plain$fit, plain$new, type = "mean", interval = "confidence")[, 2:3],
               predict(plain$fit, plain$new, interval = "confidence")[, 2:3], tolerance = 1e-3)
  # The limits exist even where the mean does not.
  log <- oracle_case("boxcox", prior = btg_prior(fixed = c(boxcox.lambda = 0)))
  expect_warning(found <- predict(log$fit, log$new, type = "mean", interval = "confidence"),
                 class = "btg_warning_moments")
  expect_true(all(is.na(found[, "fit"])) && all(is.finite(found[, 2:3])))
})

test_that("95% intervals of the mean cover the true mean", {
  skip_if_quick()
  covered <- vapply(1:60, function(seed) {
    set.seed(seed)
    d <- data.frame(x = runif(60))
    d$y <- exp(1 + d$x + 0.8 * rnorm(60))
    at <- data.frame(x = c(0.2, 0.5, 0.8))
    found <- suppressWarnings(predict(btg(y ~ x, d), at, type = "mean", interval = "confidence"))
    truth <- exp(1 + at$x + 0.8^2 / 2)
    mean(found[, "lwr"] < truth & truth < found[, "upr"])
  }, 0)
  expect_gt(mean(covered), 0.88)
})

test_that("engines refuse frequencies, and pass other weights on", {
  expect_error(btg_engine(dist ~ speed, cars, weights = rep(2L, 50)), "importance",
               class = "btg_error_weights")
  fit <- wgp_engine(dist ~ speed, cars, weights = rep(c(1, 3), 25))
  expect_equal(unname(weights(fit)), rep(c(1, 3), 25))
  expect_equal(coef(wgp_engine(dist ~ speed, cars)), coef(wgp(dist ~ speed, cars)))
})
