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

test_that("bars have intercepts, slopes, nested and crossed groups, as in lme4", {
  expect_identical(names_of(y ~ (x | g)), c("(0 + x | g)", "(1 | g)"))
  expect_identical(names_of(y ~ (0 + x | g)), "(0 + x | g)")
  expect_identical(names_of(y ~ (x || g)), names_of(y ~ (1 + x | g)))
  expect_identical(names_of(y ~ (1 | g / h)), c("(1 | g)", "(1 | g:h)"))
  expect_identical(names_of(y ~ (1 | g) + (1 | g / h)), c("(1 | g)", "(1 | g:h)"))
  expect_identical(names_of(y ~ (1 | g:h)), "(1 | g:h)")
  both <- design_of(y ~ (1 | g:h), d)
  expect_identical(as.vector(both$inputs), as.double(factor(paste0(d$g, ":", d$h))))
  # Between logical values a bar is a variable.
  expect_identical(names_of(y ~ x + (x > 0 | t > 6)), "main")
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

test_that("new groups have codes that no row has, and are named; inputs refuse new levels", {
  design <- design_of(y ~ x + (1 | g) + (1 | h), d)
  new <- data.frame(x = 0, g = c("a", "z", "q", "z", NA), h = c(1, 1, 2, 7, 1))
  expect_message(expect_message(found <- apply_blueprint(design$blueprint, new),
                                "New groups of `g`: \"z\" and \"q\"",
                                class = "btg_message_new_groups"),
                 "New group of `h`: \"7\"", class = "btg_message_new_groups")
  expect_identical(unname(found$inputs[, 2]), c(1, 4, 5, 4, NA))
  expect_identical(unname(found$inputs[, 3]), c(1, 1, 2, 3, 1))
  expect_identical(found$complete, c(TRUE, TRUE, TRUE, TRUE, FALSE))
  plain <- design_of(y ~ x + g, d)
  expect_error(apply_blueprint(plain$blueprint, new), class = "btg_error_new_levels")
})

test_that("what a term cannot be is an error with advice", {
  refused <- function(formula, text, class = "term") {
    expect_error(design_of(formula, d), text, class = paste0("btg_error_", class), fixed = TRUE)
  }
  refused(y ~ gp(t, k = 5), "no argument `k`")
  refused(y ~ gp(), "has no variables")
  refused(y ~ gp(x, by = h), "by = factor(h)")
  refused(y ~ (1 | g + h), "not a group")
  refused(y ~ (0 | g), "no effects")
  refused(y ~ (x:t | g), "interaction")
  refused(y ~ gp(gp(x)), "contains the term `gp(x)`")
  refused(y ~ linear(g), "more than two levels")
  one <- rep("a", 12)
  expect_error(design_of(y ~ x + (1 | one), d), "only one", class = "btg_error_term")
  refused(y ~ x * (1 | g), "interactions", "interaction")
  refused(y ~ x + gp(y), "cannot explain itself", "response_used")
  for (trend in list(~ (1 | g), ~ gp(x))) {
    expect_error(design_of(y ~ x, d, trend = trend), class = "btg_error_random_effects")
  }
})
