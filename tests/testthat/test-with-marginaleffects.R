fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(16))
noise_free <- function(speed, draws, seed) {
  as.matrix(simulate(fit, draws, seed = seed, newdata = data.frame(speed = speed),
                     observation = FALSE))
}

# Quantiles agree to a share of the width of the interval.
expect_same_spread <- function(found, expected, tolerance) {
  p <- c(0.05, 0.5, 0.95)
  width <- diff(quantile(expected, c(0.05, 0.95)))
  expect_lt(max(abs(quantile(found, p) - quantile(expected, p))) / width, tolerance)
}

test_that("draws of two calls in one scope are joint, as those of simulate()", {
  scope <- environment()
  draw <- function(speed, scope) {
    points <- prediction_points(fit, data.frame(speed = speed))
    draw_with_earlier(fit, points, 4000, 1, "response", scope)
  }
  low <- draw(c(10, 12, 10), scope)
  high <- draw(c(20, 12.1, 10), scope)
  expect_equal(low[1, ], low[3, ])
  expect_equal(high[3, ], low[1, ])
  expect_equal(rbind(low[1:2, ], high[1:2, ]), unname(noise_free(c(10, 12, 20, 12.1), 4000, 1)))
  # Which draws of separate scopes are not.
  alone <- draw(c(20, 12.1, 10), new.env())
  expect_gt(sd(alone[2, ] - low[2, ]), 5 * sd(high[2, ] - low[2, ]))
})

test_that("steps as small as those of slopes keep their digits", {
  step <- 1e-4 * 21
  draw <- function(by) {
    points <- prediction_points(fit, data.frame(speed = c(8, 15, 22) + by))
    draw_with_earlier(fit, points, 3000, 1, "response", scope)
  }
  scope <- new.env()
  low <- draw(0)
  slopes <- (draw(step) - low) / step
  far <- noise_free(c(8, 15, 22, 8.1, 15.1, 22.1), 3000, seed = 5)
  expected <- (far[4:6, ] - far[1:3, ]) / 0.1
  for (i in 1:3) expect_same_spread(slopes[i, ], expected[i, ], 0.06)
})

test_that("a scope is forgotten with its frame, and by another fit", {
  points <- prediction_points(fit, data.frame(speed = 10))
  asked <- list(checksum = fit$checksum, draws = 10)
  local({
    remember_points(environment(), asked, points)
    expect_identical(recall_points(environment(), asked), points)
    expect_null(recall_points(environment(), list(checksum = "other", draws = 10)))
    expect_null(recall_points(new.env(), asked))
  })
  gc()
  expect_null(rlang::wref_key(asked_points$last))
  expect_null(recall_points(NULL, asked))
})

test_that("predictions are draws of the process or of observations", {
  new <- data.frame(speed = c(10, 20), rowid = 7:8)
  found <- get_predict.btg(fit, new)
  expect_identical(found$rowid, 7:8)
  expect_identical(dim(attr(found, "posterior_draws")), c(2L, 2000L))
  expect_equal(found$estimate, unname(predict(fit, new, observation = FALSE)), tolerance = 0.03)
  seen <- attr(get_predict.btg(fit, new, type = "prediction", ndraws = 4000), "posterior_draws")
  expect_equal(unname(apply(seen, 1, quantile, c(0.05, 0.95))),
               unname(t(predict(fit, new, interval = "prediction", level = 0.9)[, 2:3])),
               tolerance = 0.05)
  means <- attr(get_predict.btg(fit, new, type = "mean", ndraws = 4000), "posterior_draws")
  expect_equal(rowMeans(means), unname(predict(fit, new, type = "mean")), tolerance = 0.03)
  expect_identical(nrow(get_predict.btg(fit, ndraws = 5)), 50L)
  expect_error(get_predict.btg(fit, new, type = "link"), class = "btg_error_argument")
  expect_error(get_predict.btg(fit, new, ndraws = 0), class = "btg_error_argument")
  expect_error(get_vcov.btg(fit, vcov = "HC3"), class = "btg_error_argument")
  expect_null(get_vcov.btg(fit))
})

test_that("marginaleffects has intervals of slopes, comparisons and hypotheses", {
  skip_if_not_installed("marginaleffects")
  of_package <- function(name) getExportedValue("marginaleffects", name)
  works <- tryCatch(NROW(of_package("predictions")(lm(dist ~ speed, cars))), error = function(e) 0)
  skip_if(works == 0, "marginaleffects does not work with this version of R")
  expect_true("btg" %in% getOption("marginaleffects_model_classes"))
  ends <- list(speed = c(10, 20))
  expected <- noise_free(c(10, 20), 4000, seed = 5)
  change <- quantile(expected[2, ] - expected[1, ], c(0.5, 0.025, 0.975))
  found <- of_package("comparisons")(fit, variables = ends, newdata = "mean")
  expect_equal(c(found$estimate, found$conf.low, found$conf.high), unname(change),
               tolerance = 0.05)
  pairs <- of_package("predictions")(fit, newdata = data.frame(speed = c(10, 20)),
                                     hypothesis = ~ pairwise)
  expect_equal(c(pairs$estimate, pairs$conf.low, pairs$conf.high), unname(change),
               tolerance = 0.05)
  speed <- seq(5, 24, by = 0.5)
  far <- noise_free(speed, 3000, seed = 5)
  average <- apply(far[speed == 20, , drop = FALSE] - far[speed == 10, , drop = FALSE], 1,
                   quantile, c(0.025, 0.975)) / 10
  slope <- of_package("avg_slopes")(fit, newdata = data.frame(speed = seq(10, 20, by = 0.25)))
  # The average of a slope between two ends is the difference of the ends.
  expect_equal(c(slope$conf.low, slope$conf.high), c(average), tolerance = 0.05)
})
