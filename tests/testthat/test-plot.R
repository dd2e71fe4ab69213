draw <- function(...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(...)
}

d <- transform(oracle_data(), f = factor(rep(c("a", "b"), 7)))
fit <- btg(y ~ x + f, d, trend = ~ w, transform = "softplus", quadrature = few_nodes(8))

test_that("plot() draws predictions along each variable, the others held", {
  drawn <- draw(fit)
  expect_named(drawn, c("x", "f", "w"))
  new <- data.frame(x = drawn$x$value, f = "a", w = median(d$w))
  quantiles <- predict(fit, new, type = "quantile", probs = c(0.5, 0.025, 0.25, 0.75, 0.975))
  expect_equal(as.matrix(drawn$x[-1]), quantiles, ignore_attr = TRUE)
  expect_equal(range(drawn$x$value), range(d$x))
  expect_identical(as.character(drawn$f$value), c("a", "b"))
  few <- draw(fit, variables = "x", level = 0.9, observation = FALSE, points = 7)
  expect_identical(dim(few$x), c(7L, 4L))
})

test_that("variables behind transformed inputs are varied themselves", {
  by_log <- btg(y ~ log(w) + x, d, transform = "softplus", quadrature = few_nodes(8))
  expect_named(draw(by_log), c("w", "x"))
  by_matrix <- btg(as.matrix(d[c("x", "w")]), d$y, transform = "softplus",
                   quadrature = few_nodes(8))
  expect_named(draw(by_matrix), c("x", "w"))
})

test_that("the data behind a plot are the rows of the fit", {
  d$x[2] <- NA
  part <- btg(y ~ x, d, subset = w > min(w), transform = "softplus", quadrature = few_nodes(8))
  kept <- d$w > min(d$w) & !is.na(d$x)
  expect_equal(part$data$x, d$x[kept])
  x <- d$w
  from_environment <- btg(d$y ~ x, transform = "softplus", quadrature = few_nodes(8))
  expect_equal(from_environment$data$x, x)
})

test_that("posteriors and left-out predictions are drawn, for averages too", {
  expect_s3_class(draw(fit, which = "hyperparameters"), "btg")
  expect_s3_class(draw(fit, which = "predicted"), "btg")
  average <- btg(y ~ x + w, d, quadrature = few_nodes(8))
  expect_s3_class(draw(average, which = "hyperparameters"), "btg")
  expect_named(draw(average, points = 5), c("x", "w"))
})

test_that("what cannot be drawn is said", {
  expect_error(draw(fit, which = "residuals"), class = "btg_error_argument")
  expect_error(draw(fit, variables = "z"), "`w`", class = "btg_error_argument")
  expect_error(draw(fit, level = 95), class = "btg_error_argument")
})
