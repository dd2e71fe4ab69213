test_that("print() shows the rows of the largest influence at each point", {
  case <- oracle_case("identity")
  found <- influence(case$fit, case$new[1:2, ], at = 1)
  expect_output(print(found, n = 2), "median of y and of the probability of more than 1")
  lines <- capture.output(print(found, n = 2))
  expect_length(grep("^Point", lines), 2)
  largest <- rownames(found$median)[which.max(abs(found$median[, 1]))]
  expect_match(lines[grep("^Point", lines)[1] + 2], paste0("^ +", largest, " "))
  expect_named(as.data.frame(found), c("row", "point", "median", "exceedance", "width"))
  expect_identical(nrow(as.data.frame(found)), 28L)
  expect_error(print(found, n = 0), class = "btg_error_argument")
})
