some_points <- function(na.action = NULL) {
  new_points(inputs = cbind(a = c(1, 2, 3), b = c(4, 5, 6)), trend = cbind(1, c(7, 8, 9)),
             noise = cbind(c(0.1, 0.2, 0.3)), relative_noise = c(1, 2, 0.5),
             complete = c(TRUE, FALSE, TRUE), names = c("u", "v", "w"), na.action = na.action)
}

test_that("selected points keep their own values", {
  some <- select_points(some_points(), c(3, 1))
  expect_identical(some, new_points(cbind(a = c(3, 1), b = c(6, 4)), cbind(1, c(9, 7)),
                                    cbind(c(0.3, 0.1)), c(0.5, 1), c(TRUE, TRUE), c("w", "u")))
  # Rows to put back belong to all points.
  omitted <- structure(2L, names = "z", class = "exclude")
  expect_null(select_points(some_points(omitted), 1)$na.action)
  # Without a model of the noise there are no columns of it.
  constant <- some_points()
  constant["noise"] <- list(NULL)
  expect_null(select_points(constant, 2)$noise)
})

test_that("observations have noise for the core, the process has none", {
  points <- some_points()
  expect_identical(core_points(points, c(1, 3), TRUE)$relative_noise, c(1, 0.5))
  expect_identical(core_points(points, c(1, 3), FALSE)$relative_noise, c(0, 0))
  one <- core_points(points, 2, TRUE)
  expect_identical(one$inputs, cbind(a = 2, b = 5))
  expect_identical(one$trend, cbind(1, 8))
})

test_that("rows that were left out are put back as NA, into arrays too", {
  omitted <- structure(c(1L, 3L), names = c("y", "z"), class = "exclude")
  points <- some_points(omitted)
  rows <- c("y", "u", "z", "v", "w")
  expect_identical(pad_left_out(c(u = 1, v = 2, w = 3), points),
                   setNames(c(NA, 1, NA, 2, 3), rows))
  values <- matrix(1:6 + 0, 3, dimnames = list(points$names, c("p", "q")))
  padded <- pad_left_out(values, points)
  expect_identical(rownames(padded), rows)
  expect_identical(padded[points$names, ], values)
  cube <- array(1:12 + 0, c(3, 2, 2), list(points$names, c("p", "q"), NULL))
  padded <- pad_left_out(cube, points)
  expect_identical(dim(padded), c(5L, 2L, 2L))
  expect_identical(padded[points$names, , ], cube[, , ])
  expect_true(all(is.na(padded[c("y", "z"), , ])))
  # With na.omit nothing is put back.
  expect_identical(pad_left_out(cube, some_points()), cube)
  class(omitted) <- "omit"
  expect_identical(pad_left_out(values, some_points(omitted)), values)
})
