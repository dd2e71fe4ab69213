cases <- lapply(wgp_cases(), function(arguments) do.call(wgp_case, arguments))

test_that("REML predicts by the t of explicit inverses", {
  at <- c(0.4, 1.1, 2.5)
  for (case in Filter(function(case) case$method == "REML", cases)) {
    for (observation in c(TRUE, FALSE)) {
      expected <- naive_mixtures(case$model, case$new, case$new_trend, observation)
      for (what in c("cdf", "density")) {
        found <- predict(case$fit, case$new, type = what, at = at, observation = observation)
        expect_close(found, do.call(rbind, lapply(expected, function(m) vapply(at, m[[what]], 0))),
                     1e-6, 1e-8)
      }
    }
  }
})

test_that("ML predicts by the normal with the scale at its estimate", {
  probs <- c(0.025, 0.5, 0.975)
  for (case in cases[c(2, 3, 7, 9)]) {
    latent <- naive_latent(case$model, as.matrix(case$new), case$new_trend)
    p <- ncol(case$model$M)
    sd <- latent$scale * sqrt((14 - p) / 14)
    layers <- naive_layers(case$model$transform, case$model$nodes)
    z <- as.vector(latent$location) + outer(as.vector(sd), qnorm(probs))
    expected <- case$model$y_center + case$model$y_scale * naive_inverse(z, layers)
    expect_close(predict(case$fit, case$new, type = "quantile", probs = probs), expected, 1e-6)
  }
})

# The covariance of the noise-free process, or of observations, at `points`.
naive_covariance <- function(case, points, M, observation) {
  model <- case$model
  node <- model$solved[[1]]
  R <- function(A, B) naive_prior(model, node$hyper, A, B)
  k <- R(model$X, points)
  u <- t(M) - t(model$M) %*% solve(node$K, k)
  C <- R(points, points) - t(k) %*% solve(node$K, k) + t(u) %*% solve(node$A, u)
  n <- nrow(model$X)
  variance <- model$y_scale^2 * node$q / (if (case$method == "ML") n else n - ncol(M))
  variance * (C + observation * node$noise * diag(nrow(C)))
}

test_that("without a transform, ML predicts and simulates the normal of explicit inverses", {
  case <- cases[[2]]
  latent <- naive_latent(case$model, as.matrix(case$new), case$new_trend)
  mean <- case$model$y_center + case$model$y_scale * as.vector(latent$location)
  for (observation in c(TRUE, FALSE)) {
    expected <- naive_covariance(case, as.matrix(case$new), case$new_trend, observation)
    ask <- function(type) predict(case$fit, case$new, type = type, observation = observation)
    expect_close(ask("mean"), mean, 1e-8)
    expect_close(ask("variance"), diag(expected), 1e-6)
    draws <- simulate(case$fit, 4000, seed = 1, newdata = case$new, observation = observation)
    expect_close(rowMeans(draws), mean, 0.1)
    # The standard error of a covariance of standardised draws is at most sqrt(2 / 4000).
    sd <- sqrt(diag(expected))
    expect_lt(max(abs(cov(t(draws)) - expected) / outer(sd, sd)), 0.1)
  }
})

test_that("draws of REML have the margins of its predictions", {
  case <- cases[[4]]
  for (joint in c(TRUE, FALSE)) {
    draws <- as.matrix(simulate(case$fit, 500, seed = 2, newdata = case$new, joint = joint))
    pit <- vapply(1:3, function(i) {
      ks.test(as.vector(predict(case$fit, case$new[i, ], type = "cdf", at = draws[i, ])),
              "punif")$p.value
    }, 0)
    expect_gt(min(pit), 0.001)
  }
})

# Refits to the other rows with all hyperparameters fixed, and predicts the row.
test_that("loocv() leaves rows out with the hyperparameters frozen, and says so", {
  for (case in cases[c(2, 4)]) {
    d <- case$data
    cv <- loocv(case$fit)
    expect_equal(unclass(loocv(case$fit, method = "naive"))$pointwise, cv$pointwise,
                 tolerance = 1e-6)
    model <- case$model
    for (i in c(1, 9)) {
      left_out <- model
      left_out$X <- model$X[-i, ]
      left_out$M <- model$M[-i, , drop = FALSE]
      left_out$y <- model$y[-i]
      left_out$w <- model$w[-i]
      left_out$solved <- naive_nodes(left_out, model$nodes)
      latent <- naive_latent(left_out, model$X[i, , drop = FALSE], model$M[i, , drop = FALSE])
      probs <- c(0.5, 0.025, 0.975)
      expected <- if (case$method == "ML") {
        sd <- latent$scale * sqrt((13 - ncol(model$M)) / 13)
        model$y_center + model$y_scale * (as.vector(latent$location) + as.vector(sd) * qnorm(probs))
      } else {
        mixture <- naive_mixture(left_out, latent$location[1, ], latent$scale[1, ])
        vapply(probs, mixture$quantile, 0)
      }
      expect_close(cv$pointwise[i, c("median", "lwr", "upr")], expected, 1e-6)
    }
    expect_output(print(cv), "hyperparameters are those of all rows")
    expect_false(any(grepl("refine", capture.output(print(cv)))))
  }
})
