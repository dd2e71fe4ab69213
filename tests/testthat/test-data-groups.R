d <- data.frame(x = sin(1:12), t = 1:12, g = rep(c("a", "b", "c"), 4), h = rep(1:2, 6))
d$y <- cos(1:12)
names_of <- function(formula, data = d) {
  vapply(design_of(formula, data)$terms, `[[`, "", "name")
}

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

test_that("levels of `by` can be crossed, also if they are text", {
  crossed <- design_of(y ~ gp(x) + gp(t, by = g:k), transform(d, k = letters[h]))
  expect_identical(crossed$terms[[2]]$name, "gp(t, by = g:k)")
  together <- design_of(y ~ gp(x) + gp(t, by = both), transform(d, both = paste(g, h)))
  expect_identical(unname(crossed$inputs), unname(together$inputs))
})

test_that("what a group cannot be is an error with advice", {
  refused <- function(formula, text) {
    expect_error(design_of(formula, d), text, class = "btg_error_term", fixed = TRUE)
  }
  refused(y ~ gp(x, by = h), "`factor(h)`")
  refused(y ~ gp(x, by = g / h), "`by = a:b`")
  refused(y ~ gp(x, by = "g"), "Write `by = g`.")
  refused(y ~ (1 | g + h), "not a group")
  refused(y ~ (0 | g), "no effects")
  refused(y ~ (x:t | g), "interaction")
  one <- rep("a", 12)
  expect_error(design_of(y ~ x + (1 | one), d), "only one", class = "btg_error_term")
})
