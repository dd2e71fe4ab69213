test_that("print() shows what was asked, and the answers", {
  case <- oracle_case("identity")
  found <- predict_region(case$fit, case$new, c("a", "b", "b"), fun = "total", at = 1,
                          observation = TRUE, nsim = 64)
  expect_output(print(found), "Total of y in 2 regions\nEach row stands for observations")
  expect_output(print(found), "95% intervals from 64 draws")
  expect_identical(as.data.frame(found), found$estimates)
  expect_named(found$estimates,
               c("region", "rows", "mean", "median", "lwr", "upr", "error", "exceedance_1"))
  share <- predict_region(case$fit, case$new, fun = "share", threshold = 1, observation = FALSE,
                          nsim = 64)
  expect_output(print(share), "Share above 1 of y in 1 region\n.*noise-free")
  many <- predict_region(case$fit, case$new[rep(1, 25), ], 1:25, observation = TRUE, nsim = 8)
  expect_output(print(many), "and 5 more regions")
})

test_that("print() counts the rows of each region of joint exceedance", {
  x <- structure(list(rows = data.frame(region = c("above", "below", "between", NA, "above")),
                      threshold = 2, observation = FALSE, level = 0.9, response = "zinc",
                      probability = c(above = 0.91, below = 0.95), error = 0.004, nsim = 4096),
                 class = "btg_exceedance")
  expect_output(print(x), "zinc is above 2, for the noise-free process")
  expect_output(print(x), "above +2 rows \\(50%\\), jointly with probability 0.91")
  expect_output(print(x), "between +1 rows \\(25%\\)\n")
  expect_identical(as.data.frame(x), x$rows)
})

test_that("as.data.frame() refuses unknown arguments", {
  fit <- wgp(dist ~ speed, cars)
  results <- list(predict_region(fit, cars, observation = TRUE),
                  exceedance_region(fit, cars, 50, observation = FALSE), sensitivity(fit),
                  influence(fit, cars[1:2, ]))
  for (result in results) {
    expect_error(as.data.frame(result, rows = 2), class = "btg_error_unknown_argument")
    expect_s3_class(as.data.frame(result), "data.frame")
  }
})
