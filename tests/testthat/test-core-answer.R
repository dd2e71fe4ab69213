# The t distribution of a fit with one node and the identity: `at` are responses at given `t`.
one_t <- function(t, n = 14) {
  d <- oracle_data(n)
  fit <- btg(y ~ x, d, transform = "identity",
             prior = btg_prior(fixed = c(lengthscale.x = 2, noise = 0.3)))
  model <- naive_model(fit, d["x"], cbind(rep(1, n)), d$y, "identity")
  latent <- naive_latent(model, cbind(3.3), cbind(1))
  scale <- c(latent$scale) * sd(d$y)
  list(fit = fit, new = data.frame(x = 3.3), df = n - 1, scale = scale,
       center = mean(d$y) + c(latent$location) * sd(d$y),
       at = mean(d$y) + c(latent$location) * sd(d$y) + scale * t)
}

# With lambda in the middle, Yeo-Johnson's tails are light enough for a variance.
prior_of <- function(transform) {
  if (!identical(transform, "yeojohnson")) {
    return(btg_prior())
  }
  btg_prior(yeojohnson.lambda = btg_dist("uniform", lower = 0.5, upper = 1.5))
}

transforms_with_means <- list("identity", "sinharcsinh", "softplus", "yeojohnson",
                              c("affine", "sinharcsinh"))

test_that("exceedance is one minus the distribution function, without cancellation", {
  case <- oracle_case("boxcox")
  at <- c(-1, 0.3, 1, 2.5)
  expect_close(quiet_predict(case$fit, case$new, type = "exceedance", at = at),
               1 - naive_predict(case$model, case$new, case$new_trend, "cdf", at))
  t <- c(-3, 0, 2, 10, 40)
  one <- one_t(t)
  expect_close(predict(one$fit, one$new, type = "exceedance", at = one$at),
               pt(t, one$df, lower.tail = FALSE), 1e-9, floor = 0)
})

test_that("the log density is the log of the naive one, also where that underflows", {
  at <- c(0.3, 1, 2.5)
  for (transform in list("sinharcsinh", "boxcox", c("softplus", "sinharcsinh"))) {
    case <- oracle_case(transform)
    expect_close(quiet_predict(case$fit, case$new, type = "log_density", at = at),
                 log(naive_predict(case$model, case$new, case$new_trend, "density", at)),
                 floor = 0.01)
  }
  expect_identical(c(predict(case$fit, case$new, type = "log_density", at = -1)), rep(-Inf, 3))
  t <- c(-1e7, 0, 1e6)
  one <- one_t(t, 60)
  expect_close(predict(one$fit, one$new, type = "log_density", at = one$at),
               dt(t, one$df, log = TRUE) - log(one$scale), 1e-10)
})

test_that("the continuous ranked probability score of one t is its closed form", {
  t <- c(-30, -2, -0.1, 0, 1, 8)
  for (n in c(4, 14, 60)) {
    one <- one_t(t, n)
    df <- one$df
    # Jordan, Krueger and Lerch (2019)
    expected <- t * (2 * pt(t, df) - 1) + 2 * dt(t, df) * (df + t^2) / (df - 1) -
      2 * sqrt(df) * beta(0.5, df - 0.5) / ((df - 1) * beta(0.5, df / 2)^2)
    found <- predict(one$fit, one$new, type = "crps", at = one$at) / one$scale
    expect_equal(c(found), expected, tolerance = 1e-6, ignore_attr = TRUE)
  }
})

test_that("the continuous ranked probability score is its integral, to 1e-6", {
  at <- c(0.2, 1.1, 6)
  for (transform in list("sinharcsinh", "boxcox", "softplus", "arcsinh")) {
    case <- oracle_case(transform)
    mixtures <- naive_mixtures(case$model, case$new, case$new_trend)
    expected <- t(vapply(mixtures, function(mixture) {
      vapply(at, function(y) naive_crps(mixture, y), 0)
    }, at))
    found <- quiet_predict(case$fit, case$new, type = "crps", at = at)
    expect_lt(max(abs(found - expected)), 1e-6)
  }
  # Tails over a hundred orders of magnitude are no reason to go on for ever.
  heavy <- oracle_case(c("boxcox", "arcsinh"))
  expect_true(all(is.finite(quiet_predict(heavy$fit, heavy$new, type = "crps", at = at))))
})

test_that("means and variances are naive", {
  skip_if_quick()
  skip_on_cran()
  for (transform in transforms_with_means) {
    case <- oracle_case(transform, prior = prior_of(transform))
    for (observation in c(TRUE, FALSE)) {
      naive <- naive_mean_variance(case, observation)
      ask <- function(type) predict(case$fit, case$new, type = type, observation = observation)
      expect_close(ask("mean"), naive$mean, 1e-6)
      expect_close(ask("variance"), naive$variance, 1e-5)
    }
  }
})

test_that("means of truncated predictions are naive", {
  case <- oracle_case("boxcox", prior = btg_prior(fixed = c(boxcox.lambda = 2)))
  naive <- naive_mean_variance(case)
  expect_close(quiet_predict(case$fit, case$new, type = "mean"), naive$mean, 1e-6)
  expect_close(quiet_predict(case$fit, case$new, type = "variance"), naive$variance, 1e-5)
})

test_that("a mean or variance that does not exist is NA, with a warning", {
  for (transform in list("arcsinh", "boxcox")) {
    prior <- if (transform == "boxcox") btg_prior(fixed = c(boxcox.lambda = 0)) else btg_prior()
    case <- oracle_case(transform, prior = prior)
    for (type in c("mean", "variance")) {
      expect_warning(found <- predict(case$fit, case$new, type = type), "At 3 of 3 points",
                     class = "btg_warning_moments")
      expect_identical(unname(found), rep(NA_real_, 3))
    }
  }
  interval <- suppressWarnings(predict(case$fit, case$new, type = "mean", interval = "prediction"))
  expect_identical(interval[, c("lwr", "upr")],
                   predict(case$fit, case$new, interval = "credible")[, c("lwr", "upr")])
  # Student's t has a mean beyond one degree of freedom, a variance beyond two.
  one <- one_t(0, 3)
  expect_close(predict(one$fit, one$new, type = "mean"), one$center)
  expect_warning(predict(one$fit, one$new, type = "variance"), class = "btg_warning_moments")
  one <- one_t(0, 4)
  expect_close(predict(one$fit, one$new, type = "variance"), 3 * one$scale^2, 1e-6)
  # y = (1 + z / 2)^2 needs twice as many.
  root <- function(n) {
    fit <- btg(y ~ x, oracle_data(n), transform = "boxcox",
               prior = btg_prior(fixed = c(lengthscale.x = 2, noise = 0.3, boxcox.lambda = 0.5)))
    predict(fit, data.frame(x = 3.3), type = "mean")
  }
  expect_warning(suppressWarnings(root(3), classes = "btg_warning_lost_mass"),
                 class = "btg_warning_moments")
  expect_true(is.finite(suppressWarnings(root(4), classes = "btg_warning_lost_mass")))
})

test_that("the mode is where the naive density is largest", {
  # Not below lambda = 1, where truncated densities are unbounded at zero.
  lambda <- btg_dist("uniform", lower = 1, upper = 2)
  for (transform in list("sinharcsinh", "boxcox", "softplus", "identity")) {
    prior <- if (transform == "boxcox") btg_prior(boxcox.lambda = lambda) else btg_prior()
    case <- oracle_case(transform, prior = prior)
    mixtures <- naive_mixtures(case$model, case$new, case$new_trend)
    found <- quiet_predict(case$fit, case$new, type = "mode")
    for (i in 1:3) {
      grid <- vapply(seq(0.005, 0.995, by = 0.01), mixtures[[i]]$quantile, 0)
      largest <- which.max(vapply(grid, mixtures[[i]]$density, 0))
      around <- grid[pmin(pmax(largest + c(-1, 1), 1), length(grid))]
      best <- optimize(mixtures[[i]]$density, around, maximum = TRUE, tol = 1e-9)
      expect_close(mixtures[[i]]$density(found[[i]]), best$objective, 1e-7)
      expect_close(found[[i]], best$maximum, 1e-3)
    }
  }
  interval <- predict(case$fit, case$new, type = "mode", interval = "hdi")
  expect_identical(interval[, "fit"], found)
})

test_that("lost mass is the naive one, without a warning", {
  case <- oracle_case("boxcox", prior = btg_prior(fixed = c(boxcox.lambda = 3)))
  lost <- vapply(naive_mixtures(case$model, case$new, case$new_trend), `[[`, 0, "lost")
  expect_no_warning(found <- predict(case$fit, rbind(case$new, c(NA, 1)), type = "lost_mass"))
  expect_named(found, c(row.names(case$new), "4"))
  expect_close(found[1:3], lost)
  expect_identical(found[[4]], NA_real_)
})

test_that("predict() warns about mass lost at the edge of an image, with its share and row", {
  case <- oracle_case("boxcox", prior = btg_prior(fixed = c(boxcox.lambda = 3)))
  lost <- vapply(naive_mixtures(case$model, case$new, case$new_trend), `[[`, 0, "lost")
  expect_gt(max(lost), 0.01)
  share <- format(100 * max(lost), digits = 2)
  row <- row.names(case$new)[which.max(lost)]
  expect_warning(predict(case$fit, case$new), paste0(share, "% of a prediction, in row ", row),
                 class = "btg_warning_lost_mass")
  expect_naive_predictions(case)
})

test_that("no mass is lost where the image is all that can be reached", {
  unbounded <- oracle_case("boxcox", prior = btg_prior(fixed = c(boxcox.lambda = 0)))
  expect_no_warning(predict(unbounded$fit, unbounded$new, interval = "credible"))
  for (transform in list("identity", "softplus", "sinharcsinh")) {
    case <- oracle_case(transform)
    expect_no_warning(predict(case$fit, case$new, interval = "credible"))
  }
})

test_that("with zeros in the response, mass below zero is predicted at zero", {
  d <- oracle_data()
  d$y <- pmax(d$y - 0.7, 0)
  lambda <- btg_dist("uniform", lower = 0.4, upper = 1)
  fit <- suppressMessages(btg(y ~ x + w, d, transform = "boxcox", quadrature = few_nodes(),
                              prior = btg_prior(boxcox.lambda = lambda)))
  model <- naive_model(fit, d[c("x", "w")], cbind(rep(1, 14)), d$y, "boxcox")
  new <- data.frame(x = c(3.3, 12), w = c(5700, 5100))
  case <- list(model = model, new = new, new_trend = cbind(c(1, 1)))
  ask <- function(...) quiet_predict(fit, new, ...)
  mixtures <- naive_mixtures(model, new, case$new_trend)
  at_zero <- vapply(mixtures, function(mixture) mixture$cdf(0), 0)
  expect_gt(min(at_zero), 0.001)
  expect_close(ask(type = "cdf", at = 0), at_zero)
  expect_identical(c(ask(type = "cdf", at = -1e-9)), c(0, 0))
  expect_identical(c(ask(type = "exceedance", at = -1e-9)), c(1, 1))
  expect_identical(c(ask(type = "quantile", probs = 0.9 * min(at_zero))), c(0, 0))
  naive <- naive_mean_variance(case, floor = 0)
  expect_close(ask(type = "mean"), naive$mean, 1e-6)
  expect_close(ask(type = "variance"), naive$variance, 1e-5)
  at <- c(0, 0.5)
  expected <- t(vapply(mixtures, function(mixture) {
    vapply(at, function(y) naive_crps(mixture, y, floor = 0), 0)
  }, at))
  expect_lt(max(abs(ask(type = "crps", at = at) - expected)), 1e-6)
})

test_that("signed mixtures that are not distributions are rearranged, with a warning", {
  d <- oracle_data()
  # A narrow node taken away from a wide one.
  fit <- signed_fit(c(3, -2), noise = c(2, 1e-4))
  new <- d[5, c("x", "w")]
  probs <- seq(0.01, 0.99, by = 0.02)
  ask <- function() {
    predict(fit, new, type = "quantile", probs = probs, observation = FALSE)
  }
  expect_warning(found <- ask(), "1 of 1 point", class = "btg_warning_rearranged")
  expect_true(all(diff(c(found)) > 0))
  # The rearrangement of the naive function: its values on a fine grid of asinh((y - center) /
  # scale), sorted.
  model <- naive_model(fit, d[c("x", "w")], cbind(rep(1, 14)), d$y, "identity")
  latent <- naive_latent(model, as.matrix(new), cbind(1), observation = FALSE)
  grid <- sinh(seq(-4, 4, length.out = 4e5))
  cdf <- 3 * pt((grid - latent$location[1]) / latent$scale[1], 13) -
    2 * pt((grid - latent$location[2]) / latent$scale[2], 13)
  expect_true(is.unsorted(cdf))
  expected <- fit$scaling$y$center +
    fit$scaling$y$scale * grid[findInterval(probs, sort(cdf))]
  expect_equal(c(found), expected, tolerance = 1e-3, ignore_attr = TRUE)
})

test_that("shortest intervals come with standard errors of the medians", {
  case <- oracle_case("softplus")
  found <- predict(case$fit, case$new, interval = "hdi", quadrature_error = TRUE)
  expect_identical(dim(found$quadrature_error), dim(found$fit))
  medians <- predict(case$fit, case$new, quadrature_error = TRUE)
  expect_identical(found$quadrature_error[, "fit"], medians$quadrature_error)
  expect_true(all(is.na(found$quadrature_error[, c("lwr", "upr")])))
})
