skip_if_not_installed("sf")

square <- function(x, y, size) {
  sf::st_polygon(list(cbind(x + size * c(0, 1, 1, 0, 0), y + size * c(0, 0, 1, 1, 0))))
}

triangle <- sf::st_polygon(list(cbind(c(0, 4, 0, 0), c(5000, 5000, 5600, 5000))))

polygons <- sf::st_sf(name = c("field", "wood"), soil = c(1, 2), crs = 32631,
                      geometry = sf::st_sfc(square(5, 5200, 4), triangle))

test_that("cells have the area and the centroid of their polygon", {
  for (cells in c(5, 60)) {
    made <- polygon_cells(as_polygons(polygons, "x"), cells, c("X", "Y"))
    for (k in 1:2) {
      own <- made$region == polygons$name[k]
      area <- as.numeric(sf::st_area(polygons[k, ]))
      expect_equal(sum(made$weight[own]), area)
      centroid <- sf::st_coordinates(suppressWarnings(sf::st_centroid(polygons[k, ])))
      at <- as.matrix(made$data[own, c("X", "Y")])
      expect_equal(colSums(made$weight[own] * at) / area, centroid[1, ])
      if (k == 1) expect_true(sum(own) >= cells && sum(own) <= 2 * cells)
      expect_identical(unique(made$data$soil[own]), polygons$soil[k])
    }
  }
})

test_that("polygons are named by a column of distinct words, or by numbers", {
  expect_identical(as_polygons(polygons, "x")$names, c("field", "wood"))
  expect_identical(as_polygons(polygons["soil"], "x")$names, c("1", "2"))
  expect_identical(as_polygons(sf::st_geometry(polygons), "x")$names, c("1", "2"))
  expect_true(is_polygons(polygons))
  expect_false(is_polygons(sf::st_sfc(sf::st_point(c(1, 2)))))
  expect_false(is_polygons(data.frame(x = 1)))
  expect_error(as_polygons(sf::st_sfc(sf::st_point(c(1, 2))), "by"), class = "btg_error_polygons")
  bow <- sf::st_sfc(sf::st_polygon(list(cbind(c(0, 1, 0, 1, 0), c(0, 1, 1, 0, 0)))))
  expect_error(as_polygons(bow, "by"), "valid", class = "btg_error_polygons")
})

test_that("points belong to the polygon around them", {
  points <- sf::st_sfc(sf::st_point(c(6, 5201)), sf::st_point(c(1, 5100)), sf::st_point(c(50, 0)),
                       crs = 32631)
  found <- polygon_of_points(as_polygons(polygons, "by"), points)
  expect_identical(as.character(found), c("field", "wood", NA))
})

d <- oracle_data()
names(d)[1:2] <- c("X", "Y")
located <- sf::st_as_sf(d, coords = c("X", "Y"), crs = 32631)
fit <- btg(y ~ X + Y, located, transform = "softplus", quadrature = few_nodes(8))
ask <- function(...) predict_region(fit, ..., observation = TRUE, nsim = 64)

test_that("predict_region() of polygons is that of their cells with their areas", {
  found <- ask(polygons, cells = 30)
  made <- polygon_cells(as_polygons(polygons, "x"), 30L, c("X", "Y"))
  expect_equal(as.data.frame(found), as.data.frame(ask(made$data, made$region,
                                                       weights = made$weight)))
  expect_identical(found$estimates$region, c("field", "wood"))
  plain <- btg(y ~ X + Y, d, transform = "softplus", quadrature = few_nodes(8))
  from_plain <- predict_region(plain, polygons, cells = 30, observation = TRUE, nsim = 64)
  expect_equal(as.data.frame(from_plain), as.data.frame(found))
  total <- ask(polygons, cells = 30, fun = "total")
  expect_equal(total$estimates$mean,
               found$estimates$mean * as.numeric(sf::st_area(polygons)), tolerance = 1e-8)
})

test_that("polygons group given points, in the same reference system", {
  new <- sf::st_as_sf(data.frame(X = c(6, 7, 1, 50), Y = c(5201, 5203, 5100, 0)),
                      coords = c("X", "Y"), crs = 32631)
  found <- ask(new, polygons)
  expect_identical(found$estimates$rows, c(2L, 1L))
  coordinates <- as.data.frame(sf::st_coordinates(new))
  expect_identical(as.data.frame(ask(coordinates, polygons)), as.data.frame(found))
  other <- sf::st_transform(polygons, 32632)
  expect_error(ask(new, other), "reference system", class = "btg_error_polygons")
  expect_error(ask(other), "reference system", class = "btg_error_polygons")
  expect_error(ask(polygons, by = "name"), class = "btg_error_argument")
  expect_error(ask(polygons, coordinates = c("a", "b")), "coordinates",
               class = "btg_error_argument")
})

test_that("polygons of terra are those of sf", {
  skip_if_quick()
  skip_if_not_installed("terra")
  expect_equal(as.data.frame(ask(terra::vect(polygons), cells = 30)),
               as.data.frame(ask(polygons, cells = 30)))
})

test_that("coordinates are found by their names", {
  named <- btg(y ~ east + north, setNames(d, c("east", "north", "y")), transform = "softplus",
               quadrature = few_nodes(8))
  expect_equal(predict_region(named, polygons, cells = 5, observation = TRUE, nsim = 64)$estimates,
               ask(polygons, cells = 5)$estimates)
  other <- btg(y ~ a + b, setNames(d, c("a", "b", "y")), transform = "softplus",
               quadrature = few_nodes(8))
  expect_error(predict_region(other, polygons, observation = TRUE), "coordinates",
               class = "btg_error_argument")
})

test_that("cells of rasters count by their area, in layers and in polygons", {
  skip_if_not_installed("terra")
  raster <- terra::rast(xmin = 0, xmax = 10, ymin = 5000, ymax = 5800, nrows = 4, ncols = 5,
                        crs = "EPSG:32631")
  raster <- terra::setValues(raster, rep(1:2, 10))
  names(raster) <- "zone"
  raster[3] <- NA
  table <- terra::as.data.frame(raster, xy = TRUE)
  names(table)[1:2] <- c("X", "Y")
  areas <- terra::values(terra::cellSize(raster))[-3]
  expect_gt(diff(range(areas)), 0)
  expect_equal(as.data.frame(ask(raster, by = "zone", fun = "total")),
               as.data.frame(ask(table, by = "zone", fun = "total", weights = areas)))
  expect_equal(as.data.frame(ask(raster, by = polygons)),
               as.data.frame(ask(table, by = polygons, weights = areas)))
})

test_that("layers of rasters are variables, also without coordinates among them", {
  skip_if_not_installed("terra")
  raster <- terra::rast(xmin = 0, xmax = 10, ymin = 5000, ymax = 5800, nrows = 4, ncols = 5,
                        crs = "EPSG:32631", nlyrs = 2)
  raster <- terra::setValues(raster, cbind(seq(5, 24), rep(1:2, 10)))
  raster[[2]][7] <- NA
  areas <- terra::values(terra::cellSize(raster[[1]]))
  table <- data.frame(speed = seq(5, 24), area = as.vector(areas))
  by_speed <- wgp(dist ~ speed, cars)
  by_x <- wgp(dist ~ x, data.frame(x = cars$speed, dist = cars$dist))
  ask <- function(fit, new, ...) {
    as.data.frame(predict_region(fit, new, fun = "total", observation = TRUE, nsim = 64, ...))
  }
  expected <- ask(by_speed, table, weights = "area")
  # A layer may have the name of a coordinate or of the number of a cell.
  names(raster) <- c("speed", "cell")
  expect_equal(ask(by_speed, raster), expected)
  expect_equal(ask(by_speed, raster, by = "cell")$rows, c(9, 10))
  names(raster) <- c("x", "y")
  expect_equal(ask(by_x, raster), expected)
  names(raster) <- c("other", "y")
  expect_error(ask(by_speed, raster), "speed", class = "btg_error")
})

test_that("predict() of polygons points to predict_region()", {
  expect_error(predict(fit, polygons), "predict_region", class = "btg_error_points")
})
