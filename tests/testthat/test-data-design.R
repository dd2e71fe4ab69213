test_that("a design has what the model needs", {
  design <- design_of(dist ~ speed, cars)
  expect_named(design, c(
    "inputs", "input_of_column", "input_names", "levels_of_column", "group_of_column", "terms",
    "trend", "trend_has_constant", "noise", "response", "response_name", "weights", "row_names",
    "dropped_inputs", "variables", "blueprint", "censored", "na_action", "excluded", "formula"
  ))
  expect_identical(design$inputs, cbind(speed = cars$speed))
  expect_identical(design$trend, matrix(1, 50, 1, dimnames = list(NULL, "(Intercept)")))
  expect_identical(design$response, cars$dist)
  expect_identical(design$response_name, "dist")
  expect_identical(design$row_names, row.names(cars))
  expect_null(design$na_action)
  expect_identical(design$dropped_inputs, character())
})

test_that("the response may be an expression, and `.` leaves its variables out", {
  design <- design_of(log(y) ~ ., mixed_data()[c("y", "x", "k")])
  expect_identical(design$response, log(mixed_data()$y))
  expect_identical(design$response_name, "log(y)")
  expect_identical(design$input_names, c("x", "k"))
})

test_that("names that need backticks work in inputs and trend", {
  d <- setNames(cars, c("a speed", "a dist"))
  design <- design_of(`a dist` ~ `a speed`, d, trend = ~ `a speed`)
  expect_identical(design$input_names, "a speed")
  expect_identical(design$response_name, "a dist")
  expect_identical(unname(design$trend[, 2]), cars$speed)
  expect_identical(apply_blueprint(design$blueprint, d)$inputs, design$inputs)
})

test_that("variables are found in data, then in the formula's environment", {
  d <- cars
  expected <- design_of(dist ~ speed, cars)
  speed <- rev(cars$speed)
  expect_identical(design_of(dist ~ speed, d)$inputs, expected$inputs)
  dist <- cars$dist
  expect_identical(design_of(dist ~ speed)$inputs[, 1], speed)
  expect_identical(design_of(dist ~ speed, list(speed = cars$speed))$inputs, expected$inputs)
  expect_identical(design_of(dist ~ speed, list2env(cars))$inputs, expected$inputs)
})

test_that("a trend finds what only its own environment has", {
  formula <- local(y ~ x, envir = new.env(parent = globalenv()))
  degree <- 2
  design <- design_of(formula, mixed_data(), trend = ~ poly(x, degree))
  expect_identical(dim(design$trend), c(12L, 3L))
  expect_equal(apply_blueprint(design$blueprint, mixed_data())$trend, design$trend)
})

test_that("subset is that of lm(): in data, then in the formula's environment", {
  d <- mixed_data()
  limit <- 3
  expect_same_rows <- function(design, fit) {
    expect_identical(design$row_names, row.names(model.frame(fit)))
    expect_identical(design$response, unname(model.response(model.frame(fit))))
  }
  expect_same_rows(design_of(y ~ x, d, subset = x > limit), lm(y ~ x, d, subset = x > limit))
  expect_same_rows(design_of(y ~ x, d, subset = k == 2 | text == "p"),
                   lm(y ~ x, d, subset = k == 2 | text == "p"))
  expect_same_rows(design_of(y ~ x, d, subset = -(1:5)), lm(y ~ x, d, subset = -(1:5)))
  wrapper <- function(rows) design_of(y ~ x, d, subset = rows)
  expect_same_rows(wrapper(3:9), lm(y ~ x, d, subset = 3:9))
})

test_that("a row with a missing value anywhere is left out, as lm() does", {
  d <- mixed_data()
  d$y[2] <- NA
  d$x[5] <- NaN
  d$three[7] <- NA
  d$one[1] <- NA
  frame <- model.frame(lm(y ~ x + three, d))
  design <- design_of(y ~ x, d, trend = ~ three)
  expect_identical(design$row_names, row.names(frame))
  expect_identical(design$na_action, attr(frame, "na.action"))
  expect_identical(nrow(design$inputs), 9L)
  expect_identical(nrow(design$trend), 9L)

  excluded <- design_of(y ~ x, d, na.action = na.exclude, subset = k < 7)$na_action
  expect_identical(excluded, lm(y ~ x, d, na.action = na.exclude, subset = k < 7)$na.action)
  expect_s3_class(excluded, "exclude")
})

test_that("na.fail fails, na.pass is an error here, and the option is honoured", {
  d <- mixed_data()
  d$x[c(3, 5)] <- NA
  expect_error(design_of(y ~ x, d, na.action = na.fail), class = "btg_error_model_frame")
  expect_error(design_of(y ~ x, d, na.action = na.pass), "`x` has .* 2 rows, the first in row 3",
               class = "btg_error_missing_values")
  expect_error(design_of(y ~ x, d, na.action = NULL), class = "btg_error_missing_values")
  expect_silent(design_of(y ~ k, d, na.action = na.pass))

  old <- options(na.action = "na.fail")
  on.exit(options(old))
  expect_error(design_of(y ~ x, d), class = "btg_error_model_frame")
  expect_error(design_from_xy(d["x"], d$y), class = "btg_error_model_frame")
  options(na.action = "na.exclude")
  expect_s3_class(design_of(y ~ x, d)$na_action, "exclude")
  expect_s3_class(design_from_xy(d["x"], d$y)$na_action, "exclude")
})

test_that("levels without a row are dropped", {
  design <- design_of(y ~ three, mixed_data(), subset = three != "b")
  expect_identical(colnames(design$inputs), "threec")
  expect_identical(design_of(y ~ text, mixed_data(), subset = text != "p")$levels_of_column, 3L)
})

test_that("constant inputs are dropped with a message", {
  d <- mixed_data()
  expect_message(design <- design_of(y ~ one + x, d), "`one`",
                 class = "btg_message_constant_input")
  expect_identical(design$dropped_inputs, "one")
  expect_identical(design$inputs, cbind(x = d$x))
  expect_identical(design$input_names, "x")
  expect_message(design <- design_of(y ~ three + x + yes, d, subset = three == "a"),
                 "`three` and `yes`", class = "btg_message_constant_input")
  expect_identical(design$dropped_inputs, c("three", "yes"))
  d$W <- cbind(d$x, 1, d$k)
  expect_message(design <- design_of(y ~ W + k, d), "`W2`", class = "btg_message_constant_input")
  expect_identical(design$input_names, c("W1", "W3", "k"))
  expect_identical(design$input_of_column, 1:3)
  expect_error(design_of(y ~ one + I(0 * x), d), "`one` and `I\\(0 \\* x\\)` are constant",
               class = "btg_error_constant_inputs")
})

test_that("formulas that cannot be used are errors", {
  d <- mixed_data()
  expect_error(design_of(y ~ x * k, d), "`x:k`.*kernel", class = "btg_error_interaction")
  expect_error(design_of(y ~ (x + k)^2, d), class = "btg_error_interaction")
  expect_silent(design_of(y ~ I(x * k), d))
  expect_error(design_of(y ~ x + offset(k), d), class = "btg_error_offset")
  expect_error(design_of(y ~ 1, d), class = "btg_error_no_inputs")
  expect_error(design_of(y ~ 0, d), class = "btg_error_no_inputs")
  expect_error(design_of(y ~ x + y, d), "`y`", class = "btg_error_response_used")
  expect_error(design_of(~ x, d), class = "btg_error_formula")
  expect_error(design_of(y ~ .), class = "btg_error_formula")
  expect_error(design_of(y ~ nowhere, d), "nowhere", class = "btg_error_model_frame")
  expect_error(design_of(y ~ x, as.matrix(cars)), class = "btg_error_argument")
})

test_that("responses and inputs that cannot be used name the user's rows", {
  d <- mixed_data()
  expect_error(design_of(three ~ x, d), "`three` is a factor", class = "btg_error_response_type")
  expect_error(design_of(one ~ x, d), class = "btg_error_constant_response")
  d$y[9] <- Inf
  expect_error(design_of(y ~ x, d, subset = x > 3), "in row 9",
               class = "btg_error_response_not_finite")
  d <- mixed_data()
  d$x[c(9, 11)] <- Inf
  expect_error(design_of(y ~ x, d, subset = k > 2), "`x` has 2 .* first in row 9",
               class = "btg_error_not_finite")
  expect_error(design_of(y ~ k, d, trend = ~ x), "trend.*`x`", class = "btg_error_not_finite")
})

test_that("too few rows is said before anything that follows from it", {
  d <- mixed_data()
  expect_error(design_of(y ~ x, d[1:2, ]), "n = 2 .* p = 1", class = "btg_error_too_few_rows")
  expect_error(design_of(y ~ x, d[1:4, ], trend = ~ x + I(x^2)), "n = 4 .* p = 3",
               class = "btg_error_too_few_rows")
  expect_error(design_of(y ~ three, d[0, ], trend = ~ three), "n = 0",
               class = "btg_error_too_few_rows")
  expect_silent(design_of(y ~ x, d[1:3, ]))
})

test_that("matrix, data frame and vector give the design of the formula", {
  d <- mixed_data()
  by_formula <- design_of(y ~ x + k, d, trend = ~ x)
  compared <- setdiff(names(by_formula), c("blueprint", "formula"))
  expect_identical(design_from_xy(d[c("x", "k")], d$y, ~ x)[compared], by_formula[compared])
  # A matrix has one type.
  expect_equal(design_from_xy(as.matrix(d[c("x", "k")]), d$y, ~ x)[compared], by_formula[compared],
               tolerance = 0)
  expect_identical(design_from_xy(unname(as.matrix(d[c("x", "k")])), d$y)$input_names,
                   c("x1", "x2"))
  expect_identical(design_from_xy(d$x, d$y)$inputs, cbind(x1 = d$x))
  expect_identical(design_from_xy(d["three"], d$y)$inputs, design_of(y ~ three, d)$inputs)
})

test_that("an input may be called y", {
  d <- data.frame(y = cars$speed, z = rev(cars$speed))
  design <- design_from_xy(d, cars$dist, ~ y)
  expect_identical(design$inputs, as.matrix(d))
  expect_identical(design$response, cars$dist)
  expect_identical(design$response_name, "y")
  expect_identical(apply_blueprint(design$blueprint, d)$trend, design$trend)
})

test_that("x and y that cannot be used are errors", {
  expect_error(design_from_xy(cars$speed, cars$dist[-1]), "50 rows and `y` has 49",
               class = "btg_error_length")
  expect_error(design_from_xy(cars, factor(cars$dist)), "`y` is a factor",
               class = "btg_error_response_type")
  expect_error(design_from_xy(cars["speed"], as.matrix(cars)), class = "btg_error_response_type")
  expect_error(design_from_xy("a", 1), class = "btg_error_argument")
  outside <- cars$speed
  expect_error(design_from_xy(cars["speed"], cars$dist, ~ outside), "`outside`.*Columns: `speed`",
               class = "btg_error_trend")
})

test_that("variables of the fit are those with as many rows as the response", {
  table <- (0.618 * 1:90) %% 1
  index <- rep(c(3, 70, 41, 12, 66, 29), 5)
  y <- table[index] + 0.1 * sin(1:30)
  fit <- btg(y ~ table[index], transform = "identity", quadrature = few_nodes())
  expect_named(fit$data, "index")
})

test_that("a subset may have rows twice", {
  fit <- btg(dist ~ speed, cars, subset = c(1:50, 1:50), weights = rep(1, 50),
             transform = "softplus", quadrature = few_nodes())
  expect_identical(fit$data$speed, c(cars$speed, cars$speed))
  more <- update(fit, newdata = data.frame(speed = 7, dist = 9), weights = 1)
  expect_identical(nobs(more), 101L)
  gaps <- transform(cars, speed = replace(speed, 3, NA))
  fit <- btg(dist ~ speed, gaps, subset = c(1:10, 1:10), weights = rep(1, 50),
             na.action = na.exclude, transform = "softplus", quadrature = few_nodes())
  expect_identical(fit$data$speed, cars$speed[c(1:2, 4:10, 1:2, 4:10)])
  expect_identical(fit$excluded$dist, cars$dist[c(3, 3)])
})

test_that("a function that passes its arguments on may pass columns", {
  pass_on <- function(...) wgp(..., kernel = "rbf")
  cars$w <- 1 + cars$speed / 10
  direct <- wgp(dist ~ speed, cars, subset = speed > 8, weights = w, kernel = "rbf")
  found <- pass_on(dist ~ speed, cars, subset = speed > 8, weights = w)
  expect_identical(predict(found, cars), predict(direct, cars))
  expect_identical(found$call$weights, quote(w))
  expect_identical(nobs(update(found, newdata = data.frame(speed = 9.5, dist = 10, w = 1))),
                   nobs(direct) + 1L)
})

test_that("terms that only other packages can read are refused with advice", {
  cars$site <- rep(1:5, 10)
  skip_if_not_installed("survival")
  expect_error(wgp(dist ~ survival::frailty(site), cars), "1 | group", fixed = TRUE,
               class = "btg_error_formula")
  expect_error(wgp(dist ~ speed, cars, trend = ~ survival::pspline(speed)),
               class = "btg_error_formula")
  skip_if_not_installed("mgcv")
  s <- mgcv::s
  expect_error(wgp(dist ~ s(speed), cars), "every input smooth", class = "btg_error_model_frame")
})
