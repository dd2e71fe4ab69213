columns_of <- function(formula, data = mixed_data()) {
  design_of(formula, data)$inputs
}

test_that("numbers and dates are one column each", {
  d <- mixed_data()
  design <- design_of(y ~ x + k + day + time, d)
  expect_identical(design$inputs, cbind(x = d$x, k = as.double(d$k), day = as.double(d$day),
                                        time = as.double(d$time)))
  expect_identical(design$input_of_column, 1:4)
  expect_identical(design$input_names, c("x", "k", "day", "time"))
})

test_that("logicals and factors with two levels are one 0/1 column", {
  d <- mixed_data()
  design <- design_of(y ~ yes + two, d)
  expect_identical(design$inputs, cbind(yesTRUE = d$yes + 0, twohigh = (d$two == "high") + 0))
  expect_identical(design$input_names, c("yes", "two"))
  expect_identical(design$input_of_column, 1:2)
})

test_that("more levels are one column of codes, for factors and text", {
  d <- mixed_data()
  design <- design_of(y ~ x + three + text, d)
  expect_identical(design$inputs, cbind(x = d$x, three = match(d$three, c("a", "b", "c")) + 0,
                                        text = match(d$text, c("p", "q", "r", "s")) + 0))
  expect_identical(design$levels_of_column, c(0L, 3L, 4L))
  expect_identical(design$input_of_column, 1:3)
  expect_identical(design$input_names, c("x", "three", "text"))
})

test_that("codes expand to the indicators of model.matrix()", {
  d <- mixed_data()
  X <- columns_of(y ~ x + three + text, d)
  indicators <- expand_levels(X, list(NULL, c("a", "b", "c"), c("p", "q", "r", "s")))
  expect_equal(indicators, cbind(x = d$x, model.matrix(~ 0 + three, d),
                                 model.matrix(~ 0 + text, d)), ignore_attr = "dimnames")
  expect_identical(colnames(indicators),
                   c("x", "threea", "threeb", "threec", "textp", "textq", "textr", "texts"))
})

test_that("ordered factors are scores, over the levels in use", {
  d <- mixed_data()
  expect_identical(columns_of(y ~ grade), cbind(grade = rep(c(1, 2, 3), each = 4)))
  ends <- design_of(y ~ grade, d, subset = grade != "fair")
  expect_identical(ends$inputs, cbind(grade = rep(c(1, 2), each = 4)))
})

test_that("each column of a matrix is an input of its own", {
  d <- mixed_data()
  design <- design_of(y ~ poly(x, 2) + scale(k), d)
  expect_equal(design$inputs, cbind(poly(d$x, 2), scale(d$k)), ignore_attr = TRUE)
  expect_identical(design$input_names, c("poly(x, 2)1", "poly(x, 2)2", "scale(k)"))
  expect_identical(design$input_of_column, 1:3)
  d$W <- cbind(d$x, d$k)
  expect_identical(design_of(y ~ W, d)$input_names, c("W1", "W2"))
})

test_that("names that collide are made unique", {
  d <- mixed_data()
  d$W <- cbind(d$x, d$k)
  d$W1 <- rev(d$x)
  expect_identical(design_of(y ~ W + W1, d)$input_names, c("W1", "W2", "W1.1"))
})

test_that("inputs of other types are errors", {
  d <- mixed_data()
  d$z <- complex(real = d$x, imaginary = 1)
  expect_error(columns_of(y ~ z, d), "`z`", class = "btg_error_input_type")
  d$L <- cbind(d$yes, d$yes)
  expect_error(columns_of(y ~ L, d), "logical matrix", class = "btg_error_input_type")
})

test_that("input_data() names columns and rejects what is not a table", {
  expect_named(input_data(matrix(1:6, 3)), c("x1", "x2"))
  expect_named(input_data(1:3), "x1")
  expect_named(input_data(cars), names(cars))
  expect_named(input_data(cbind(a = 1:3, 4:6)), c("a", "x2"))
  expect_identical(input_data(cbind(a = 1:3)), data.frame(a = 1:3))
  expect_error(input_data("a"), class = "btg_error_argument")
  expect_error(input_data(list(1, 2)), class = "btg_error_argument")
  expect_error(input_data(cars[, 0]), "at least one column", class = "btg_error_argument")
  expect_error(input_data(cbind(a = 1:3, a = 1:3)), "several `a`",
               class = "btg_error_duplicate_columns")
})

test_that("the trend is model.matrix()", {
  d <- mixed_data()
  trends <- list(~ 1, ~ x, ~ x + I(x^2), ~ three, ~ 0 + x, ~ 0 + three, ~ x * two, ~ grade,
                 ~ text + yes, ~ poly(x, 3), ~ x:three, ~ day)
  for (trend in trends) {
    expect_equal(design_of(y ~ x, d, trend = trend)$trend, model.matrix(trend, d),
                 ignore_attr = c("assign", "contrasts", "dimnames"), info = deparse1(trend))
    expect_identical(colnames(design_of(y ~ x, d, trend = trend)$trend),
                     colnames(model.matrix(trend, d)))
  }
})

test_that("the trend honours contrasts, and a dot without the response", {
  d <- mixed_data()
  contrasts(d$three) <- contr.sum(3)
  trend <- design_of(y ~ x, d, trend = ~ three)$trend
  expect_equal(trend, model.matrix(~ three, d), ignore_attr = TRUE)
  dot <- design_of(log(y) ~ x, d[c("y", "x", "k")], trend = ~ .)$trend
  expect_identical(colnames(dot), c("(Intercept)", "x", "k"))
  without <- design_of(y ~ x, d[c("y", "x", "k")], trend = ~ . - k)
  expect_identical(colnames(without$trend), c("(Intercept)", "x"))
})

test_that("trend_has_constant asks whether the constant is in the span", {
  d <- mixed_data()
  has <- function(trend) design_of(y ~ x, d, trend = trend)$trend_has_constant
  expect_true(has(~ 1))
  expect_true(has(~ x))
  expect_true(has(~ 0 + three))
  expect_true(has(~ 0 + x + I(1 - x)))
  expect_false(has(~ 0 + x))
  expect_false(has(~ 0 + x + I(x^2)))
})

test_that("trends that cannot be used are errors", {
  d <- mixed_data()
  expect_trend_error <- function(trend, ..., class = "btg_error_trend") {
    expect_error(design_of(y ~ x, d, trend = trend), ..., class = class)
  }
  expect_trend_error(~ 0, "at least one column")
  expect_trend_error(~ 1 + x - x - 1, "at least one column")
  expect_trend_error(y ~ x, "left-hand side")
  expect_trend_error(~ y, "`y`", class = "btg_error_response_used")
  expect_trend_error(~ offset(x), class = "btg_error_offset")
  expect_trend_error(~ nowhere, "nowhere", class = "btg_error_model_frame")
  expect_trend_error("x", class = "btg_error_argument")
  expect_error(design_of(y ~ x, d, subset = three == "a", trend = ~ three), "`three`",
               class = "btg_error_trend")
})

test_that("a trend without full rank names the dependent columns", {
  d <- mixed_data()
  expect_rank_error <- function(trend, name) {
    expect_error(design_of(y ~ x, d, trend = trend), name, fixed = TRUE,
                 class = "btg_error_trend_rank")
  }
  expect_rank_error(~ x + I(2 * x + 1), "`I(2 * x + 1)`")
  expect_rank_error(~ one + x, "`one`")
  expect_rank_error(~ 0 + x + I(0 * x), "`I(0 * x)`")
  expect_rank_error(~ three + I(three == "a") + k + I(-k), "`I(three == \"a\")TRUE` and `I(-k)`")
  expect_silent(design_of(y ~ x, d, trend = ~ I(1e12 * x) + I(1e-12 * k)))
})
