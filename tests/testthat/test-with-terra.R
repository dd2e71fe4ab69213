fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(8))

test_that("rasters are predicted by the functions of their packages, and predict() says so", {
  skip_if_quick()
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 2, ncols = 3, vals = seq(5, 20, by = 3))
  names(raster) <- "speed"
  found <- terra::values(terra::predict(raster, fit))
  expect_equal(found[, 1], unname(predict(fit, data.frame(speed = seq(5, 20, by = 3)))),
               tolerance = 1e-6)
  expect_error(predict(fit, raster), "terra::predict(newdata, fit", fixed = TRUE,
               class = "btg_error_argument")
  expect_error(predict(fit, terra::as.points(raster)), "st_as_sf", class = "btg_error_argument")
  expect_error(btg(speed ~ speed, raster), "points of the package sf", class = "btg_error_argument")
})

test_that("stars are predicted by predict()", {
  skip_if_not_installed("stars")
  grid <- stars::st_as_stars(list(speed = matrix(seq(5, 20, by = 3), 2)))
  found <- predict(grid, fit)
  expect_equal(c(found[[1]]), unname(predict(fit, data.frame(speed = seq(5, 20, by = 3)))))
  expect_error(predict(fit, grid), "predict(newdata, fit)", fixed = TRUE,
               class = "btg_error_argument")
})

test_that("points of sp get a hint", {
  skip_if_not_installed("sp")
  points <- sp::SpatialPointsDataFrame(cbind(1:3, 1:3), data.frame(speed = c(5, 10, 15)))
  expect_error(predict(fit, points), "st_as_sf", class = "btg_error_argument")
})
