test_that("plot() has a panel for each point, with the largest rows named", {
  case <- oracle_case("identity")
  found <- influence(case$fit, case$new)
  expect_identical(draw(found), as.data.frame(found))
  panels <- influence_page(found)$panels
  expect_length(panels, 3)
  layers <- panels[[2]]$layers
  expect_identical(layers$change$data$yend, unname(found$median[, 2]))
  expect_setequal(layers$names$data$text,
                  names(sort(-abs(found$median[, 2])))[1:3])
})
