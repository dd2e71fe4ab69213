test_that("print() shows the best row", {
  path <- structure(data.frame(a = c(0.25, 0.5), response = c(2, 1), best = c(2, 1),
                               how = "initial", failure = NA),
                    class = c("btg_optimised", "data.frame"), maximise = FALSE)
  expect_output(print(path), "smallest response: 2 evaluations\nBest, in evaluation 2:")
  path$failure <- c(NA, "no solution")
  expect_output(print(path), "Most frequent failure: no solution\n")
  attr(path, "maximise") <- TRUE
  expect_output(print(path), "largest response.*evaluation 1:")
})
