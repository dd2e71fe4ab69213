printed <- function(x) paste(capture.output(print(x)), collapse = "\n")

test_that("print() says what was fitted, and returns it invisibly", {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, trend = ~ x, transform = c("affine", "sinharcsinh"), kernel = "rbf",
             quadrature = quad_sobol(nodes = 48))
  out <- printed(fit)
  expect_match(out, "Bayesian transformed Gaussian process", fixed = TRUE)
  expect_match(out, "btg(formula = y ~ x + w, data = d, trend = ~x", fixed = TRUE)
  expect_match(out, "14 rows, 2 inputs", fixed = TRUE)
  expect_match(out, "sinharcsinh(affine(y))", fixed = TRUE)
  expect_match(out, "Kernel: +rbf\n")
  expect_match(out, "Trend: +\\(Intercept\\) \\+ x\n")
  expect_match(out, paste("sobol,", nrow(nodes(fit)), "of 48 nodes kept"))
  capture.output(expect_invisible(print(fit)))
  capture.output(expect_identical(print(fit), fit))
})

test_that("print() says only what there is to say", {
  d <- transform(oracle_data(), one = 1)
  plain <- printed(btg(y ~ x, d, quadrature = few_nodes(), transform = "sinharcsinh"))
  expect_match(plain, "14 rows, 1 input\n")
  expect_no_match(plain, "Dropped|missing|product|one lengthscale")

  d$x[2:3] <- NA
  fit <- suppressMessages(
    btg(y ~ x + w + one, d, product = TRUE, ard = FALSE, quadrature = few_nodes(),
        transform = "sinharcsinh")
  )
  busy <- printed(fit)
  expect_match(busy, "12 rows, 2 inputs (2 rows with missing values left out)", fixed = TRUE)
  expect_match(busy, "Dropped: +`one` \\(constant\\)")
  expect_match(busy, "matern52, product over inputs, one lengthscale for all inputs", fixed = TRUE)
})

test_that("with responses at a bound, the table of models explains its measures", {
  d <- oracle_data(40)
  d$y <- pmax(d$y - 1, 0)
  # A transform of positive responses takes zeros as exact.
  fit <- suppressMessages(btg(y ~ x, d, transform = "softplus", kernel = "auto",
                              lower = 0, quadrature = few_nodes(24)))
  count <- sum(d$y == 0)
  for (shown in list(fit, summary(fit))) {
    expect_output(print(shown), paste0("elpd counts the probability of the ", count, " responses"))
  }
  free <- btg(dist ~ speed, cars, kernel = "matern52", quadrature = few_nodes(24))
  expect_no_match(capture.output(print(free)), "elpd counts")
})
