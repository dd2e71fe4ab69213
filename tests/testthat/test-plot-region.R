test_that("plot() draws the interval of each region", {
  case <- oracle_case("identity")
  found <- predict_region(case$fit, case$new, c("a", "b", "b"), observation = TRUE, nsim = 64)
  expect_identical(draw(found), found$estimates)
  panel <- region_page(found)$panels[[1]]
  expect_identical(panel$x$names, c("a", "b"))
  expect_identical(panel$layers[["95%"]]$data$ymin, found$estimates$lwr)
  expect_identical(panel$layers$median$data$y, found$estimates$median)
})

test_that("plot() maps regions of joint exceedance in their colours", {
  case <- oracle_case("identity")
  grid <- expand.grid(x = c(1, 3, 5), w = c(5000, 5500))
  grid$x[2] <- NA
  found <- exceedance_region(case$fit, grid, 1, observation = FALSE, nsim = 64)
  expect_identical(draw(found), found$rows)
  map <- exceedance_page(found)$panels[[1]]$layers$map$data
  expect_identical(nrow(map), 5L)
  expect_equal(map$xmax - map$xmin, rep(2, 5))
  expect_equal(map$ymax - map$ymin, rep(500, 5))
  expect_identical(length(unique(map$fill)), length(unique(na.omit(found$rows$region))))
  one <- btg(y ~ x, oracle_data(), transform = "identity", quadrature = few_nodes(4))
  line <- exceedance_region(one, data.frame(x = 1:3), 1, observation = FALSE, nsim = 8)
  expect_error(draw(line), class = "btg_error_plot")
})
