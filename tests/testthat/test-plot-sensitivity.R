test_that("plot() draws both indices with their intervals", {
  table <- data.frame(variable = c("b", "a"), first = c(0.5, 0.2), first_lwr = 0.1, first_upr = 0.6,
                      total = c(0.8, 0.5), total_lwr = 0.4, total_upr = 0.9)
  x <- structure(list(indices = table), class = "btg_sensitivity")
  expect_identical(draw(x), table)
  panels <- sensitivity_page(x)$panels
  expect_identical(panels[[1]]$layers$bars$data$ymax, table$first)
  expect_identical(panels[[2]]$layers$interval$data$yend, table$total_upr)
  expect_identical(panels[[2]]$x$names, c("b", "a"))
})
