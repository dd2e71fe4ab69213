test_that("coordinates are found by their names, horizontal first", {
  expect_identical(coordinate_pair(c("lat", "depth", "long")), c("long", "lat"))
  expect_identical(coordinate_pair(c("Y", "z", "X")), c("X", "Y"))
  expect_null(coordinate_pair(c("x", "w")))
  expect_null(coordinate_pair(c("Temp", "Wind")))
})

test_that("maps of coordinates are true to scale", {
  expect_equal(map_aspect(c("x", "y"), c(0, 10), c(0, 20)), 1)
  # At 60 degrees north, a degree of longitude is half as long as one of latitude.
  expect_equal(map_aspect(c("lon", "lat"), c(0, 10), c(59, 61)), 2)
  expect_null(map_aspect(c("Temp", "Wind"), c(0, 10), c(0, 20)))
  expect_null(map_aspect(c("x", "y"), c(0, 10), c(0, 2000)))
})

test_that("places far from all data are hatched", {
  grid <- expand.grid(x = seq(0, 10, length.out = 21), y = seq(0, 4, length.out = 21))
  data <- expand.grid(x = seq(0, 10, length.out = 11), y = seq(0, 4, length.out = 11))
  data <- data[data$x <= 5 | data$y == 0, ]
  far <- far_from_data(grid$x, grid$y, c(data$x, 10), c(data$y, 4))
  nearest <- mapply(function(x, y) {
    min(sqrt(((x - c(data$x, 10)) / 10)^2 + ((y - c(data$y, 4)) / 4)^2))
  }, grid$x, grid$y)
  expect_identical(far, nearest > max(0.1, 1.5 / sqrt(nrow(data) + 1)))
  expect_false(any(far[grid$x <= 5]))
  expect_true(all(far[grid$x == 8 & abs(grid$y - 2) < 0.5]))
})

test_that("plot() draws coordinates with longitude across", {
  d <- transform(oracle_data(), lat = x, lon = 4 * (w - min(w)) / diff(range(w)))
  fit <- suppressMessages(btg(y ~ lat + lon, d, transform = "identity", quadrature = few_nodes(8)))
  drawn <- draw(fit, which = "surface", points = 5)
  expect_identical(names(drawn)[1:2], c("lon", "lat"))
  page <- fit_page(fit, "surface", NULL, 0.95, TRUE, 5, NULL)
  panel <- page$panels[[1]]
  expect_equal(panel$aspect, 1 / cos(mean(range(drawn$lat)) * pi / 180))
  drawn_shape <- with_device(width = 9, height = 4, {
    draw_page(page)
    graphics::par(mfrow = c(1, 1))
    keep_shape(plot_panel(list(), "x", "y", aspect = 2), c(0, 10), c(0, 20))
    graphics::plot.new()
    graphics::par("pin")
  })
  expect_equal(drawn_shape[2] / drawn_shape[1], 2 * 20 / 10)
})
