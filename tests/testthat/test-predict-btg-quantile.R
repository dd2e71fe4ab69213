test_that("quantiles are the naive ones, found by uniroot()", {
  probs <- c(0.001, 0.2, 0.5, 0.9, 0.999)
  for (transform in list("identity", "sinharcsinh", "boxcox", c("softplus", "sinharcsinh"))) {
    case <- oracle_case(transform)
    expect_close(
      quiet_predict(case$fit, case$new, type = "quantile", probs = probs, tolerance = 1e-10),
      naive_predict(case$model, case$new, case$new_trend, "quantile", probs),
      floor = 1e-3
    )
  }
})

test_that("medians, intervals and quantiles are of one distribution", {
  case <- oracle_case("sinharcsinh")
  quantiles <- predict(case$fit, case$new, type = "quantile", probs = c(0.5, 0.1, 0.9))
  interval <- predict(case$fit, case$new, interval = "credible", level = 0.8)
  expect_identical(colnames(interval), c("fit", "lwr", "upr"))
  expect_close(interval, quantiles, 1e-12)
  expect_identical(predict(case$fit, case$new), quantiles[, 1])
  expect_identical(colnames(predict(case$fit, case$new, type = "quantile", probs = c(0.5, 0.025))),
                   c("50%", "2.5%"))
})

test_that("quantiles keep the order of `probs`, repeats and all", {
  case <- oracle_case("softplus")
  probs <- c(0.9, 0.1, 0.5, 0.1)
  found <- predict(case$fit, case$new, type = "quantile", probs = probs)
  expect_identical(found[, 2], found[, 4])
  expect_identical(unname(found[, c(2, 3, 1)]),
                   unname(predict(case$fit, case$new, type = "quantile", probs = c(0.1, 0.5, 0.9))))
})

for (transform in list("identity", "sinharcsinh", "boxcox", "softplus", "arcsinh", "yeojohnson",
                       c("boxcox", "arcsinh"), c("affine", "sinharcsinh"))) {
  what <- paste0("quantiles of ", format_transform(transform))
  test_that(paste(what, "increase, and the distribution function takes them back"), {
    tail <- 10^-(6:2)
    probs <- c(tail, seq(0.05, 0.95, by = 0.05), rev(1 - tail))
    case <- oracle_case(transform)
    found <- quiet_predict(case$fit, case$new, type = "quantile", probs = probs,
                           tolerance = 1e-10)
    expect_true(all(diff(t(found)) > 0))
    reached <- quiet_predict(case$fit, case$new, type = "cdf", at = found)
    expected <- rep(probs, each = nrow(found))
    expect_lt(max(abs(reached - expected) / pmin(expected, 1 - expected)), 1e-9)
  })
}

test_that("quantiles are found however close to zero, and are zero below all numbers", {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, trend = ~ poly(x, 2), transform = c("softplus", "sinharcsinh"),
             quadrature = few_nodes())
  far <- data.frame(x = 20, w = 5500)
  expect_gt(predict(fit, far, type = "cdf", at = 1e-300), 0.025)
  found <- predict(fit, far, type = "quantile", probs = c(0.025, 0.1, 0.5))
  expect_gte(found[1], 0)
  expect_lt(found[1], 1e-300)
  expect_lt(found[2], 1e-10)
  expect_close(predict(fit, far, type = "cdf", at = found[2:3]), c(0.1, 0.5))
})

test_that("`tolerance` is the accuracy of quantiles", {
  case <- oracle_case("sinharcsinh")
  probs <- c(0.001, 0.3, 0.99)
  error <- function(tolerance) {
    found <- predict(case$fit, case$new, type = "quantile", probs = probs, tolerance = tolerance)
    reached <- predict(case$fit, case$new, type = "cdf", at = found)
    max(abs(t(reached) - probs) / pmin(probs, 1 - probs))
  }
  expect_lte(error(0.01), 0.01)
  expect_gt(error(0.01), 1e-6)
  expect_lt(error(1e-12), 1e-11)
})

test_that("the default tolerance follows the mass that the fit may drop", {
  fit_with <- function(epsilon) {
    btg(y ~ x + w, oracle_data(), epsilon = epsilon, quadrature = few_nodes(),
        transform = "sinharcsinh")
  }
  tolerance_of <- function(epsilon) core_options(ensemble_of(fit_with(epsilon)), list())$tolerance
  expect_equal(tolerance_of(0.01), 1e-6)
  expect_identical(tolerance_of(0), 1e-10)
  fit <- fit_with(0.01)
  new <- data.frame(x = c(3.3, 12), w = c(5700, 5100))
  expect_identical(predict(fit, new), predict(fit, new, tolerance = 1e-4 * 0.01))
  expect_error(predict(fit, new, tolerance = 0), "tolerance", class = "btg_error_argument")
})

test_that("every bound gives the same quantiles", {
  probs <- c(1e-4, 0.025, 0.5, 0.975, 0.9999)
  for (transform in list("identity", "boxcox", c("affine", "sinharcsinh"))) {
    case <- oracle_case(transform)
    ask <- function(bound) {
      quiet_predict(case$fit, case$new, type = "quantile", probs = probs, tolerance = 1e-12,
                    bound = bound)
    }
    automatic <- ask("auto")
    for (bound in c("none", "hull", "singular", "both")) {
      expect_close(ask(bound), automatic, 1e-9, floor = 1e-6)
    }
  }
  expect_error(predict(case$fit, case$new, bound = "brent"), "singular",
               class = "btg_error_argument")
})

test_that("`probs` may be a matrix with a row for each row of `newdata`", {
  case <- oracle_case("sinharcsinh")
  probs <- rbind(c(0.1, 0.9), c(0.5, 0.25), c(0.3, 0.999))
  found <- predict(case$fit, case$new, type = "quantile", probs = probs, tolerance = 1e-12)
  expect_null(colnames(found))
  for (i in 1:3) {
    alone <- predict(case$fit, case$new, type = "quantile", probs = probs[i, ], tolerance = 1e-12)
    expect_identical(unname(found[i, ]), unname(alone[i, ]))
  }
  expect_error(predict(case$fit, case$new, type = "quantile", probs = probs[1:2, ]), "2 rows",
               class = "btg_error_argument")
  expect_error(predict(case$fit, case$new, type = "quantile", probs = 1 + probs), "between 0 and 1",
               class = "btg_error_argument")
  new <- rbind(case$new, c(NA, 1))
  expect_identical(predict(case$fit, new, type = "quantile", probs = rbind(probs, 0.5),
                           tolerance = 1e-12)[1:3, ], found)
})

test_that("the shortest interval is that of the naive quantiles", {
  for (transform in list("sinharcsinh", "boxcox", "softplus")) {
    case <- oracle_case(transform)
    mixtures <- naive_mixtures(case$model, case$new, case$new_trend)
    found <- quiet_predict(case$fit, case$new, interval = "hdi", level = 0.8)
    equal <- quiet_predict(case$fit, case$new, interval = "credible", level = 0.8)
    expect_identical(colnames(found), c("fit", "lwr", "upr"))
    expect_identical(found[, "fit"], equal[, "fit"])
    for (i in 1:3) {
      ends <- function(p) vapply(c(p, p + 0.8), mixtures[[i]]$quantile, 0)
      best <- optimize(function(p) diff(ends(p)), c(1e-7, 0.2 - 1e-7), tol = 1e-7)
      expect_close(found[i, "upr"] - found[i, "lwr"], best$objective, 1e-5)
      expect_lt(found[i, "upr"] - found[i, "lwr"], 0.999 * (equal[i, "upr"] - equal[i, "lwr"]))
      covered <- mixtures[[i]]$cdf(found[i, "upr"]) - mixtures[[i]]$cdf(found[i, "lwr"])
      expect_equal(covered, 0.8, tolerance = 1e-6)
    }
  }
})
