note <- function(...) {
  paste(comparison_note(data.frame(..., row.names = c("a", "b", "c"))), collapse = "")
}

test_that("a comparison says which fits predict worse, beyond chance", {
  expect_match(note(elpd_diff = c(0, -10, -20), se_diff = c(0, 4, 5)),
               "`b` and `c` predict worse than `a`: `b` by 10.0 \\(2.5 standard errors\\)")
  some <- note(elpd_diff = c(0, -7, -20), se_diff = c(0, 4, 5))
  expect_match(some, "`c` predicts worse than `a`: 20.0 \\(4.0 standard errors\\)")
  expect_match(some, "do not tell `a` and `b` apart")
  # A sure difference that is small, and a large one that is not sure.
  expect_match(note(elpd_diff = c(0, -3.9, -30), se_diff = c(0, 0.1, 20)),
               "do not tell `a`, `b` and `c` apart")
})

test_that("fits by maximum likelihood alone are ranked among themselves", {
  d <- oracle_data()
  one <- wgp(y ~ x, d)
  two <- wgp(y ~ x + w, d)
  table <- compare_fits(one, two)
  expect_false(is.unsorted(-table$elpd))
  expect_no_match(capture.output(print(table)), "Not ranked")
  mixed <- compare_fits(one, bayes = btg(y ~ x, d, transform = "identity",
                                         quadrature = few_nodes(16)))
  expect_identical(row.names(mixed), c("bayes", "one"))
  expect_identical(mixed["bayes", "elpd_diff"], 0)
})
