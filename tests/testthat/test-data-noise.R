noise_of <- function(formula, data = mixed_data(), noise, ...) {
  design_from_formula(formula, data, noise = noise, ...)
}

standardised <- function(x) unname(as.vector(scale(x)))

# b(x) of new data by the blueprint of a design.
replayed <- function(design, newdata) {
  apply_blueprint(design$blueprint, newdata)$noise
}

test_that("columns are centred and scaled to a standard deviation of one", {
  d <- mixed_data()
  design <- noise_of(y ~ x, d, ~ x + I(x^2) + k)
  expect_identical(colnames(design$noise), c("x", "I(x^2)", "k"))
  expect_equal(design$noise[, "x"], standardised(d$x))
  expect_equal(design$noise[, "I(x^2)"], standardised(d$x^2))
  expect_equal(design$noise[, "k"], standardised(d$k))
})

test_that("intercepts and constant columns are dropped, whether said or not", {
  with <- noise_of(y ~ x, noise = ~ x)
  for (same in list(~ 1 + x, ~ 0 + x, ~ x - 1, ~ x + one, ~ one + x)) {
    design <- noise_of(y ~ x, noise = same)
    expect_equal(design$noise, with$noise)
    expect_equal(replayed(design, mixed_data()[3:5, ]), with$noise[3:5, , drop = FALSE])
  }
  for (none in list(~ 1, ~ 0, NULL)) {
    expect_null(noise_of(y ~ x, noise = noise_spec(none)$formula)$noise)
  }
  expect_error(noise_of(y ~ x, noise = ~ one), class = "btg_error_noise")
})

test_that("factors, text and logicals are the columns of their contrasts", {
  d <- mixed_data()
  d$yes <- d$k > 2
  design <- noise_of(y ~ x, d, ~ three + text + yes)
  expect_identical(colnames(design$noise), c("threeb", "threec", "textq", "textr", "texts",
                                             "yesTRUE"))
  expect_equal(design$noise[, "threec"], standardised(d$three == "c"))
  expect_equal(design$noise[, "texts"], standardised(d$text == "s"))
  ordered <- noise_of(y ~ x, d, ~ grade)
  expect_equal(ordered$noise[, 1], standardised(contr.poly(3)[as.integer(d$grade), 1]))
  new <- data.frame(x = 1, three = "c", text = "p", yes = TRUE)
  expect_equal(unname(replayed(design, new)[1, c("threeb", "threec", "yesTRUE")]),
               unname(c(design$noise[3, c("threeb", "threec")], design$noise[12, "yesTRUE"])))
  expect_error(replayed(design, transform(new, three = "z")), class = "btg_error_new_levels")
})

test_that("`.` is all variables but the response", {
  d <- mixed_data()[c("y", "x", "k", "two")]
  expect_identical(colnames(noise_of(y ~ x, d, ~ .)$noise), c("x", "k", "twohigh"))
  expect_identical(colnames(noise_of(log(y) ~ x, d, ~ . - k)$noise), c("x", "twohigh"))
})

test_that("columns of new data are those of the fit, row by row", {
  d <- mixed_data()
  for (noise in list(~ x, ~ splines::ns(x, 3), ~ poly(x, 2) + three, ~ x:two, ~ day, ~ time + k,
                     ~ scale(x), ~ log(x) + text, ~ x * k)) {
    design <- noise_of(y ~ x, d, noise)
    expect_equal(replayed(design, d), design$noise, tolerance = 1e-12)
    for (row in c(1, 6, 12)) {
      expect_equal(replayed(design, d[row, ]), design$noise[row, , drop = FALSE],
                   tolerance = 1e-12)
    }
  }
})

test_that("beyond its range a variable counts as at its edge", {
  d <- mixed_data()
  for (noise in list(~ x, ~ splines::ns(x, 3), ~ poly(x, 3), ~ exp(x), ~ log(x))) {
    design <- noise_of(y ~ k, d, noise)
    beyond <- data.frame(k = 2, x = c(-100, 0.3, 9.8, 1e6))
    B <- expect_silent(replayed(design, beyond))
    expect_true(all(apply_blueprint(design$blueprint, beyond)$complete))
    expect_equal(B[1, ], B[2, ])
    expect_equal(B[4, ], B[3, ])
    expect_equal(B[c(2, 3), ], design$noise[c(1, 12), ], ignore_attr = TRUE)
  }
  dated <- noise_of(y ~ x, d, ~ splines::ns(as.numeric(day), 2) + k)
  late <- data.frame(x = 1, day = as.Date("2030-01-01"), k = 5)
  edge <- transform(late, day = max(d$day))
  expect_equal(replayed(dated, late), replayed(dated, edge))
})

test_that("columns of several variables stay in their own ranges too", {
  d <- mixed_data()
  d$u <- rev(d$x)
  design <- noise_of(y ~ x, d, ~ I(x * u))
  B <- replayed(design, data.frame(x = 9.8, u = 9.8))
  expect_equal(B[[1, 1]], max(design$noise[, 1]))
})

test_that("only the noise is held at the edge, and the rows of new data stay", {
  d <- mixed_data()
  design <- noise_of(y ~ x, d, ~ x, trend = ~ x)
  new <- data.frame(x = c(50, NA, 2))
  points <- apply_blueprint(design$blueprint, new)
  expect_identical(points$inputs[, 1], new$x)
  expect_identical(points$trend[, 2], new$x)
  expect_equal(is.na(points$noise[, 1]), c(FALSE, TRUE, FALSE))
  expect_identical(dim(replayed(design, new[0, , drop = FALSE])), c(0L, 1L))
})

test_that("a matrix of inputs has a noise of its columns", {
  X <- as.matrix(mixed_data()[c("x", "k")])
  design <- design_from_xy(X, mixed_data()$y, noise = ~ k)
  expect_equal(design$noise[, "k"], standardised(X[, "k"]))
  outside <- mixed_data()$x
  expect_error(design_from_xy(X, mixed_data()$y, noise = ~ outside), class = "btg_error_trend")
})

test_that("what a user says of the noise is a formula, a number or \"auto\"", {
  expect_identical(noise_spec(0.5)$value, 0.5)
  expect_identical(noise_spec(0L)$value, 0)
  expect_true(noise_spec("auto")$auto)
  expect_identical(noise_spec(NULL)$formula, ~ 1, ignore_formula_env = TRUE)
  for (bad in list("yes", -1, NA, c(1, 2), Inf, TRUE, list(1))) {
    expect_error(noise_spec(bad), class = "btg_error_argument")
  }
  expect_error(noise_spec(y ~ x), class = "btg_error_noise")
})
