# Draws on a device that is thrown away, and returns what was drawn there.
drawn <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  force(code)
  vapply(grDevices::recordPlot()[[1]], function(call) {
    name <- call[[2]][[1]]$name
    if (is.null(name)) "" else name
  }, "")
}

cv <- loocv(btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(16)))

test_that("there is a panel for each of `which`", {
  expect_equal(sum(drawn(plot(cv)) == "C_plot_new"), 3)
  for (which in c("pit", "coverage", "predicted")) {
    expect_equal(sum(drawn(plot(cv, which = which)) == "C_plot_new"), 1)
  }
  expect_equal(sum(drawn(plot(cv, which = c("predicted", "pit"))) == "C_plot_new"), 2)
})

test_that("residuals have a panel for quantiles, for the fitted values and for each variable", {
  expect_equal(sum(drawn(plot(cv, which = "residuals")) == "C_plot_new"), 3)
  d <- transform(oracle_data(), f = rep(c("a", "b"), 7))
  mixed <- loocv(btg(y ~ x + f, d, trend = ~ w, transform = "identity", quadrature = few_nodes(8)))
  expect_equal(sum(drawn(plot(mixed, which = "residuals")) == "C_plot_new"), 5)
})

test_that("plot() returns its argument and restores what it set", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  before <- graphics::par("mfrow", "mar")
  expect_identical(withVisible(plot(cv)), list(value = cv, visible = FALSE))
  expect_equal(graphics::par("mfrow", "mar"), before)
})

test_that("few rows, and rows that were not predicted, are drawn too", {
  d <- oracle_data(6)
  few <- loocv(btg(y ~ x, d, transform = "identity", quadrature = few_nodes(8)))
  expect_true("C_rect" %in% drawn(plot(few)))
  few$pointwise[2, c("median", "lwr", "upr", "pit", "log_score", "crps")] <- NA
  expect_silent(drawn(plot(add_loocv_checksum(few))))
})

test_that("an unknown panel is an error", {
  expect_error(plot(cv, which = "leverage"), class = "btg_error_argument")
  expect_error(plot(cv, which = c("pit", "residuals")), class = "btg_error_argument")
  expect_error(plot(cv, which = character()), class = "btg_error_argument")
  expect_error(plot(cv, which = 1), class = "btg_error_argument")
})
