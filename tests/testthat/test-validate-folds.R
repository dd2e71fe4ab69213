test_that("every functional is asked of left-out points as of new ones", {
  case <- oracle_case("sinharcsinh", trend = ~ x)
  fit <- case$fit
  mixtures <- oracle_loo_mixtures(case$model)
  left_out <- function(...) predict(fit, left_out = TRUE, tolerance = 1e-10, ...)
  at <- c(0.5, 1.2, 3)
  each <- function(what) unname(t(vapply(mixtures, function(m) vapply(at, m[[what]], 0), at)))
  expect_close(unname(left_out(type = "cdf", at = at)), each("cdf"))
  expect_close(unname(left_out(type = "exceedance", at = at)), 1 - each("cdf"), floor = 1e-3)
  expect_close(unname(left_out(type = "density", at = at)), each("density"))
  expect_close(unname(exp(left_out(type = "log_density", at = at))), each("density"))
  # The mean from the naive distribution function.
  mean_of <- function(mixture) {
    above <- integrate(Vectorize(function(y) 1 - mixture$cdf(y)), 1, Inf, rel.tol = 1e-9)$value
    below <- integrate(Vectorize(mixture$cdf), -Inf, 1, rel.tol = 1e-9)$value
    1 + above - below
  }
  some <- c(1L, 7L, 14L)
  expect_equal(unname(left_out(type = "mean")[some]), vapply(mixtures[some], mean_of, 0),
               tolerance = 1e-6)
  # Shortest intervals have their probability, and are no longer than equal-tailed ones.
  shortest <- left_out(interval = "hdi", level = 0.8)
  inside <- vapply(seq_along(mixtures), function(i) {
    mixtures[[i]]$cdf(shortest[i, "upr"]) - mixtures[[i]]$cdf(shortest[i, "lwr"])
  }, 0)
  expect_equal(inside, rep(0.8, 14), tolerance = 1e-7)
  equal <- left_out(interval = "credible", level = 0.8)
  expect_true(all(shortest[, "upr"] - shortest[, "lwr"] <= equal[, "upr"] - equal[, "lwr"] + 1e-6))
  modes <- left_out(type = "mode")
  for (i in some) {
    expect_true(all(mixtures[[i]]$density(modes[[i]]) >=
                      vapply(modes[[i]] + c(-0.1, 0.1), mixtures[[i]]$density, 0)))
  }
})

test_that("they are what loocv() scores, with rows as the fit has them", {
  d <- oracle_data()
  d$x[3] <- NA
  fit <- btg(y ~ x + w, d, transform = "softplus", na.action = na.exclude,
             quadrature = few_nodes(8))
  cv <- loocv(fit)$pointwise
  found <- predict(fit, left_out = TRUE, interval = "credible")
  expect_identical(dim(found), c(14L, 3L))
  expect_equal(unname(found[-3, ]), unname(as.matrix(cv[c("median", "lwr", "upr")])))
  expect_true(all(is.na(found[3, ])))
  one <- wgp(dist ~ speed, cars, restarts = 2)
  expect_equal(unname(predict(one, left_out = TRUE)), loocv(one)$pointwise$median)
  average <- btg(y ~ x + w, d, quadrature = few_nodes(8))
  expect_equal(unname(predict(average, left_out = TRUE)), loocv(average)$pointwise$median)
})

test_that("what cannot be left out is said", {
  case <- oracle_case("softplus")
  expect_error(predict(case$fit, case$new, left_out = TRUE), class = "btg_error_argument")
  expect_error(predict(case$fit, left_out = TRUE, se.fit = TRUE), class = "btg_error_argument")
  expect_error(predict(case$fit, left_out = TRUE, quadrature_error = TRUE),
               class = "btg_error_argument")
  expect_error(predict(case$fit, left_out = TRUE, type = "distribution"),
               class = "btg_error_argument")
  expect_error(predict(case$fit, left_out = NA), class = "btg_error_argument")
})

test_that("mass that left-out predictions lose is said, and can be asked for", {
  case <- oracle_case("boxcox", prior = btg_prior(fixed = c(boxcox.lambda = 3)))
  lost <- vapply(oracle_loo_mixtures(case$model), `[[`, 0, "lost")
  expect_gt(max(lost), 0.01)
  said <- paste0(format(100 * max(lost), digits = 2), "% of a prediction, in row ",
                 which.max(lost))
  for (ask in list(function() loocv(case$fit), function() loocv(case$fit, method = "naive"),
                   function() predict(case$fit, left_out = TRUE))) {
    expect_warning(ask(), said, class = "btg_warning_lost_mass")
  }
  expect_no_warning(found <- predict(case$fit, left_out = TRUE, type = "lost_mass"))
  expect_close(found, lost)
  expect_named(found, row.names(case$data))
  without <- oracle_case("softplus")
  expect_no_warning(loocv(without$fit))
})

test_that("left-out mixtures that are not distributions are rearranged, and it is said", {
  fit <- signed_fit(c(1.5, -0.5), noise = c(0.5, 0.05))
  asked <- list(function() loocv(fit, observation = FALSE),
                function() predict(fit, left_out = TRUE, observation = FALSE))
  for (ask in asked) {
    expect_warning(suppressWarnings(ask(), classes = "btg_warning_not_predicted"),
                   "of 14 points", class = "btg_warning_rearranged")
  }
})
