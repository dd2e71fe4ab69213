test_that("print() shows shares with their intervals", {
  table <- data.frame(variable = c("b", "a"), first = c(0.5, 0.2), first_lwr = 0.1, first_upr = 0.6,
                      total = c(0.8, 0.5), total_lwr = 0.4, total_upr = 0.9)
  x <- structure(list(indices = table, interactions = c(median = 0.3, lwr = 0.2, upr = 0.4),
                      level = 0.9, nsim = 64, rows = 400, response = "flow"),
                 class = "btg_sensitivity")
  expect_output(print(x), "variance of flow over the inputs, with 90% intervals")
  expect_output(print(x), "b 0.50 \\(0.10 to 0.60\\) 0.80 \\(0.40 to 0.90\\)")
  expect_output(print(x), "Interactions: 0.30 \\(0.20 to 0.40\\)")
  expect_identical(as.data.frame(x), table)
})
