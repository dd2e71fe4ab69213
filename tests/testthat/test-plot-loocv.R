panels <- function(code) count_calls(code, "C_plot_new")

cv <- loocv(btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(16)))

test_that("there is a panel for each of `which`", {
  expect_equal(panels(plot(cv)), 3)
  for (which in c("pit", "coverage", "predicted")) {
    expect_equal(panels(plot(cv, which = which)), 1)
  }
  expect_equal(panels(plot(cv, which = c("predicted", "pit"))), 2)
})

test_that("residuals have a panel for quantiles, for the fitted values and for each variable", {
  expect_equal(panels(plot(cv, which = "residuals")), 3)
  d <- transform(oracle_data(), f = rep(c("a", "b"), 7))
  mixed <- loocv(btg(y ~ x + f, d, trend = ~ w, transform = "identity", quadrature = few_nodes(8)))
  expect_equal(panels(plot(mixed, which = "residuals")), 5)
})

test_that("few rows, and rows that were not predicted, are drawn too", {
  d <- oracle_data(6)
  few <- loocv(btg(y ~ x, d, transform = "identity", quadrature = few_nodes(8)))
  expect_gt(count_calls(plot(few), "C_rect"), 0)
  few$pointwise[2, c("median", "lwr", "upr", "pit", "log_score", "crps")] <- NA
  expect_silent(draw(add_loocv_checksum(few)))
})

test_that("only the panel of predictions has logarithmic axes", {
  expect_equal(panels(plot(cv, log = "xy")), 3)
  expect_error(draw(cv, which = "pit", log = "x"), "no effect", class = "btg_error_argument")
  expect_error(draw(cv, which = "residuals", log = "x"), class = "btg_error_argument")
})

test_that("an unknown panel is an error", {
  expect_error(draw(cv, which = "leverage"), class = "btg_error_argument")
  expect_error(draw(cv, which = c("pit", "residuals")), class = "btg_error_argument")
  expect_error(draw(cv, which = character()), class = "btg_error_argument")
  expect_error(draw(cv, which = 1), class = "btg_error_argument")
})
