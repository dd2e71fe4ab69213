skip_if_not_installed("sf")

d <- transform(oracle_data(), depth = seq_len(14) %% 5)
names(d)[1:2] <- c("X", "Y")
points <- sf::st_as_sf(d, coords = c("X", "Y"), crs = 32631)
new <- data.frame(X = c(2, 5, NA), Y = c(5400, 5700, 5500), depth = 2)
new_points <- sf::st_sf(depth = c(2, 2), crs = 32631,
                        geometry = sf::st_sfc(sf::st_point(c(2, 5400)), sf::st_point(c(5, 5700))))
few <- few_nodes(8)

test_that("coordinates of points are variables X and Y", {
  plain <- btg(y ~ X + Y, d, trend = ~ X, transform = "identity", quadrature = few)
  fit <- btg(y ~ X + Y, points, trend = ~ X, transform = "identity", quadrature = few)
  expect_equal(nodes(fit), nodes(plain))
  expected <- predict(plain, new, interval = "credible")
  expect_equal(predict(fit, new_points, interval = "credible"), expected[1:2, ],
               ignore_attr = TRUE)
  expect_equal(predict(fit, new), predict(plain, new))
  expect_equal(simulate(fit, seed = 1, newdata = new_points),
               simulate(plain, seed = 1, newdata = new[1:2, ]), ignore_attr = TRUE)
  again <- readRDS({
    path <- tempfile()
    saveRDS(fit, path)
    path
  })
  expect_identical(predict(again, new_points), predict(fit, new_points))
})

test_that("a dot stands for the columns and the coordinates, also for wgp() and btg(x, y)", {
  fit <- btg(y ~ ., points, transform = "identity", quadrature = few)
  expect_setequal(fit$input_names, c("depth", "X", "Y"))
  plain <- btg(y ~ depth + X + Y, d, transform = "identity", quadrature = few)
  expect_equal(predict(fit, new_points), predict(plain, new)[1:2], ignore_attr = TRUE)
  likely <- wgp(y ~ X + Y, points, fixed = c(lengthscale.X = 2, lengthscale.Y = 800, noise = 0.1))
  expect_length(predict(likely, new_points), 2)
  by_xy <- btg(points["depth"], d$y, transform = "identity", quadrature = few)
  expect_equal(predict(by_xy, new_points), predict(fit, new_points))
})

test_that("augment() gives the points back", {
  skip_if_not_installed("generics")
  fit <- btg(y ~ X + Y, points, transform = "identity", quadrature = few)
  found <- generics::augment(fit, newdata = new_points)
  expect_s3_class(found, "sf")
  expect_identical(sf::st_geometry(found), sf::st_geometry(new_points))
  expect_equal(found$.upper, unname(predict(fit, new_points, interval = "credible")[, "upr"]))
  expect_equal(generics::augment(fit, points)$.resid, unname(residuals(fit)))
})

test_that("an empty point is not predicted", {
  fit <- btg(y ~ X + Y, points, transform = "identity", quadrature = few)
  empty <- new_points
  sf::st_geometry(empty)[2] <- sf::st_point()
  expect_identical(unname(is.na(predict(fit, empty))), c(FALSE, TRUE))
})

test_that("no points have no predictions", {
  fit <- btg(y ~ X + Y, points, transform = "identity", quadrature = few)
  expect_length(predict(fit, new_points[0, ]), 0L)
  expect_identical(dim(predict(fit, new_points[0, ], interval = "credible")), c(0L, 3L))
})

test_that("what is not a point, or is elsewhere, is refused", {
  fit <- btg(y ~ X + Y, points, transform = "identity", quadrature = few)
  areas <- sf::st_buffer(points, 10)
  expect_error(btg(y ~ X + Y, areas), "POLYGON", class = "btg_error_points")
  expect_error(btg(y ~ X, transform(points, X = 1)), "`X`", class = "btg_error_points")
  expect_error(predict(fit, sf::st_transform(new_points, 4326)), "UTM",
               class = "btg_error_points")
  expect_error(predict(fit, sf::st_set_crs(new_points, NA)), "none", class = "btg_error_points")
  expect_error(update(fit, newdata = sf::st_transform(points[1:2, ], 4326)), "UTM",
               class = "btg_error_points")
  degrees <- sf::st_set_crs(sf::st_as_sf(transform(d, Y = Y / 100), coords = c("X", "Y")), 4326)
  expect_message(btg(y ~ X + Y, degrees, transform = "identity", quadrature = few),
                 class = "btg_message_degrees")
})

test_that("a formula of a constant is answered with the coordinates", {
  expect_error(btg(y ~ 1, points), "`y ~ X + Y` for a process over the coordinates", fixed = TRUE,
               class = "btg_error_no_inputs")
})
