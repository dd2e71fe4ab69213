test_that("parentheses of comparisons stay where they are, in inputs, trend and noise", {
  d <- data.frame(a = (0.618 * 1:30) %% 1, b = (0.414 * 1:30) %% 1)
  d$y <- 3 * (d$a > 0.5) + d$b + 0.1 * sin(1:30)
  fit <- btg(y ~ (a > 0.5) + b, d, transform = "identity", trend = ~ (a > 0.5) + b,
             noise = ~ (a > 0.5) + b, quadrature = few_nodes())
  expect_identical(fit$input_names, c("a > 0.5", "b"))
  expect_identical(colnames(fit$design$trend), c("(Intercept)", "a > 0.5TRUE", "b"))
  expect_identical(ncol(fit$design$noise), 2L)
  protected <- btg(y ~ I(a > 0.5) + b, d, transform = "identity", trend = ~ I(a > 0.5) + b,
                   noise = ~ I(a > 0.5) + b, quadrature = few_nodes())
  expect_equal(predict(fit, d[1:3, ]), predict(protected, d[1:3, ]))
  crossed <- btg(y ~ a, d, trend = ~ (a > 0.5):b - 1, transform = "identity",
                 quadrature = few_nodes())
  expect_identical(colnames(crossed$design$trend), c("a > 0.5FALSE:b", "a > 0.5TRUE:b"))
})

test_that("names after `$`, and arguments of functions, are not variables", {
  fit <- btg(cars$dist ~ cars$speed, transform = "softplus", quadrature = few_nodes())
  expect_identical(fit$input_names, "cars$speed")
  fit <- btg(dist ~ sapply(speed, function(v) v^2), cars, transform = "softplus",
             quadrature = few_nodes())
  expect_named(fit$data, "speed")
})

test_that("an intercept in the formula means nothing, a minus takes away", {
  d <- mixed_data()
  inputs <- design_of(y ~ x + k, d)$inputs
  expect_identical(design_of(y ~ x + k - 1, d)$inputs, inputs)
  expect_identical(design_of(y ~ 0 + x + k, d)$inputs, inputs)
  d$three[1] <- NA
  design <- design_of(y ~ . - three, d[c("y", "x", "k", "three")])
  expect_identical(design$inputs, inputs)
})

test_that("formulas without inputs, with products, offsets or the response are errors", {
  d <- data.frame(y = 1:4, a = 4:1, b = c(1, 3, 2, 4))
  refused <- function(formula, class, ...) {
    expect_error(parse_inputs(formula, d), ..., class = paste0("btg_error_", class))
  }
  refused(y ~ a * b, "interaction", "`a:b`")
  refused(y ~ 1, "no_inputs")
  refused(y ~ a - a, "no_inputs")
  refused(y ~ a + offset(b), "offset")
  refused(y ~ a + y, "response_used", "`y`")
  refused(log(y) ~ a + log(y), "response_used", "log")
  expect_error(parse_trend(~ 0, y ~ a, d), class = "btg_error_trend")
  expect_error(parse_trend(~ y, y ~ a, d), class = "btg_error_response_used")
})

test_that("a dot in the trend or the noise is every column that the response does not use", {
  d <- data.frame(y = 1:4, a = 4:1, b = c(1, 3, 2, 4))
  labels <- function(terms) attr(terms, "term.labels")
  expect_identical(labels(parse_inputs(y ~ ., d)), c("a", "b"))
  expect_identical(labels(parse_trend(~ ., y ~ a, d)), c("a", "b"))
  expect_identical(labels(parse_trend(~ . - a, I(y / b) ~ a, d)), character())
  expect_identical(labels(parse_noise(~ ., y ~ a, d)), c("a", "b"))
  # A model of the noise always has an intercept.
  expect_null(parse_noise(~ 1, y ~ a, d))
  expect_null(parse_noise(~ 0, y ~ a, d))
})

test_that("a formula without inputs is answered with inputs of the data", {
  expect_error(btg(rain ~ 1, data.frame(rain = 1:5, X = 1:5, Y = 5:1)), "`rain ~ X + Y`",
               fixed = TRUE, class = "btg_error_no_inputs")
  expect_error(btg(dist ~ 1, cars), "`dist ~ speed`", fixed = TRUE, class = "btg_error_no_inputs")
  y <- 1:5
  expect_error(btg(y ~ 1), "`y ~ x1 + x2`", fixed = TRUE, class = "btg_error_no_inputs")
})
