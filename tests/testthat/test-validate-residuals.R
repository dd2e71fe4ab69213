test_that("fitted() and residuals() are of the rows of the fit", {
  fit <- oracle_case("softplus")$fit
  y <- oracle_data()$y
  expect_identical(fitted(fit), predict(fit))
  expect_equal(unname(residuals(fit)), y - unname(predict(fit)))
  pit <- loocv(fit)$pointwise$pit
  expect_equal(unname(residuals(fit, "pit")), pit)
  expect_equal(unname(residuals(fit, "quantile")), qnorm(pit))
  expect_error(residuals(fit, "pearson"), class = "btg_error_argument")
})

test_that("rows left out by na.exclude are NA", {
  d <- oracle_data()
  d$x[3] <- NA
  fit <- btg(y ~ x + w, d, transform = "softplus", na.action = na.exclude,
             quadrature = few_nodes(8))
  for (type in c("response", "quantile", "pit")) {
    found <- residuals(fit, type)
    expect_length(found, nrow(d))
    expect_identical(unname(which(is.na(found))), 3L)
  }
  expect_identical(unname(which(is.na(fitted(fit)))), 3L)
})

test_that("logLik() is the log evidence, without degrees of freedom", {
  fit <- oracle_case("softplus")$fit
  expect_equal(as.numeric(logLik(fit)), fit$quadrature$log_evidence)
  expect_identical(attr(logLik(fit), "df"), NA_real_)
  expect_identical(attr(logLik(fit), "nobs"), 14L)
})
