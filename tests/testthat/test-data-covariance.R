d <- data.frame(x = sin(1:12), t = 1:12, g = rep(c("a", "b", "c"), 4), h = rep(1:2, 6))
d$y <- cos(1:12)
terms_of <- function(formula, data = d) design_of(formula, data)$terms
names_of <- function(formula, data = d) vapply(terms_of(formula, data), `[[`, "", "name")

test_that("plain variables form the main process, special terms stand beside it", {
  expect_identical(names_of(y ~ x + t), "main")
  expect_identical(names_of(y ~ (1 | g) + linear(x) + gp(t) + x), c("main", "gp(t)", "linear(x)",
                                                                     "(1 | g)"))
  expect_identical(names_of(y ~ (1 | g) + additive(x, t)), c("additive(x, t)", "(1 | g)"))
  expect_identical(names_of(y ~ gp(x) + gp(x, kernel = "rbf")), c("gp(x)", "gp(x).1"))
  terms <- terms_of(y ~ x + gp(t, x, kernel = "rbf", product = TRUE) + gp(t, by = g))
  expect_identical(terms[[1]]$columns, 1L)
  expect_identical(terms[[2]][c("base", "form", "kernel", "columns", "group")],
                   list(base = "stationary", form = "product", kernel = "rbf", columns = 1:2,
                        group = 0L))
  expect_identical(terms[[3]][c("form", "columns", "group")],
                   list(form = "radial", columns = 2L, group = 3L))
})

test_that("each column is in the design once, groups as codes that are not scaled", {
  design <- design_of(y ~ x + gp(x, t) + (x | g) + (1 | h), d)
  expect_identical(colnames(design$inputs), c("x", "t", "btg_levels(g)", "btg_levels(h)"))
  expect_identical(design$input_names, c("x", "t"))
  expect_identical(unname(design$inputs[, 3:4]), cbind(rep(c(1, 2, 3), 4), rep(c(1, 2), 6)))
  scaled <- scale_design(design, list(warp_inputs = TRUE, ard = TRUE))
  expect_identical(scaled$design$inputs[, 3], design$inputs[, 3])
  expect_length(scaled$design$levels$column, 0L)
})

test_that("a dot stands for the columns that neither the response nor a group uses", {
  design <- design_of(y ~ . + (1 | g), d)
  expect_identical(design$input_names, c("x", "t", "h"))
  expect_identical(names_of(y ~ x + additive(.) + (1 | g)), c("main", "additive(x, t, h)",
                                                              "(1 | g)"))
  expect_identical(deparse1(design_of(y ~ . + additive(.), d[-3])$formula),
                   "y ~ x + t + h + additive(x, t, h)")
})

test_that("maps are one input of a term", {
  terms <- terms_of(y ~ gp(x, periodic(t, 3)) + additive(periodic(t, 3), x))
  expect_identical(terms[[1]]$input, c(1L, 2L, 2L))
  expect_identical(sort(terms[[2]]$inputs), c("periodic(t, 3)", "x"))
})

test_that("variables of a term may have parentheses, and expressions with operators in I()", {
  expect_identical(names_of(y ~ gp((x)) + linear(I(x^2))), c("gp(x)", "linear(I(x^2))"))
})

test_that("what a term cannot be is an error with advice", {
  refused <- function(formula, text, class = "term") {
    expect_error(design_of(formula, d), text, class = paste0("btg_error_", class), fixed = TRUE)
  }
  refused(y ~ gp(t, k = 5), "no argument `k`")
  refused(y ~ gp(), "has no variables")
  refused(y ~ gp(x + t), "`gp(x, t)` to have each as an input, or `I(x + t)`")
  refused(y ~ additive(x, t * x), "`additive(t, x)` to have each")
  refused(y ~ x + linear(2 * t), "Write `I(2 * t)` for its value.")
  refused(y ~ x + gp("t"), "not a variable")
  refused(y ~ gp(gp(x)), "contains the term `gp(x)`")
  refused(y ~ linear(g), "more than two levels")
  refused(y ~ x * (1 | g), "interactions", "interaction")
  refused(y ~ x + gp(y), "cannot explain itself", "response_used")
  for (trend in list(~ (1 | g), ~ gp(x))) {
    expect_error(design_of(y ~ x, d, trend = trend), class = "btg_error_random_effects")
  }
})
