fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes())
likely <- wgp(dist ~ speed, cars, transform = "boxcox")

test_that("criteria of likelihoods are refused for averages, with what to use instead", {
  expect_error(AIC(fit), "compare_fits", class = "btg_error_criterion")
  expect_error(BIC(fit), "logLik", class = "btg_error_criterion")
  expect_error(AIC(likely, fit), "compare_fits", class = "btg_error_criterion")
  expect_error(deviance(fit), "loocv", class = "btg_error_criterion")
  expect_error(deviance(likely), "loocv", class = "btg_error_criterion")
  expect_error(anova(fit, fit), "compare_fits", class = "btg_error_criterion")
})

test_that("fits by maximum likelihood have AIC and BIC", {
  log_likelihood <- logLik(likely)
  expect_equal(AIC(likely), -2 * c(log_likelihood) + 2 * attr(log_likelihood, "df"))
  expect_equal(AIC(likely, k = 3), -2 * c(log_likelihood) + 3 * attr(log_likelihood, "df"))
  expect_equal(BIC(likely), -2 * c(log_likelihood) + log(50) * attr(log_likelihood, "df"))
  plain <- wgp(dist ~ speed, cars)
  table <- AIC(likely, plain)
  expect_identical(row.names(table), c("likely", "plain"))
  expect_equal(table$AIC, c(AIC(likely), AIC(plain)))
})
