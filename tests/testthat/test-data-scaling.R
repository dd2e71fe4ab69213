inputs <- cbind(u = c(1, 4, 2, 8), fa = c(1, 0, 0, 1), fb = c(0, 1, 0, 0), fc = c(0, 0, 1, 0))
input_of_column <- c(1L, 2L, 2L, 2L)

test_that("columns are centred, and those of an input share a scale", {
  scaling <- input_scaling(inputs, input_of_column, ard = TRUE)
  expect_equal(scaling$center, colMeans(inputs))
  factor_scale <- sqrt(var(inputs[, 2]) + var(inputs[, 3]) + var(inputs[, 4]))
  expect_equal(scaling$scale, c(u = sd(inputs[, "u"]), fa = factor_scale, fb = factor_scale,
                                fc = factor_scale))
})

test_that("without ard, all inputs share one scale", {
  scaling <- input_scaling(inputs, input_of_column, ard = FALSE)
  variances <- apply(inputs, 2, var)
  common <- sqrt(mean(c(variances[1], sum(variances[2:4]))))
  expect_equal(unname(scaling$scale), rep(common, 4))
  expect_named(scaling$scale, colnames(inputs))
})

test_that("groups alone are not scaled, and nothing warns", {
  codes <- cbind(g = c(1, 2, 2, 3))
  for (ard in c(TRUE, FALSE)) {
    expect_silent(scaling <- input_scaling(codes, 1L, ard, group = TRUE))
    expect_identical(unname(c(scaling$center, scaling$scale)), c(0, 1))
  }
})

test_that("codes of levels stay, and have the scale of their indicators", {
  codes <- cbind(u = inputs[, "u"], f = c(1, 2, 3, 1))
  for (ard in c(TRUE, FALSE)) {
    scaling <- input_scaling(codes, 1:2, ard, levels = c(0L, 3L))
    expected <- input_scaling(inputs, input_of_column, ard)
    expect_equal(unname(scaling$scale), unname(expected$scale[1:2]))
    scaled <- scale_inputs(codes, scaling)
    expect_identical(scaled[, "f"], codes[, "f"])
    # Distances are those of scaled indicators.
    expect_equal(dist(euclidean_inputs(scaled, scaled_levels(scaling))),
                 dist(scale_inputs(inputs, expected)), ignore_attr = TRUE)
  }
})

test_that("inputs keep their order when there are more than nine", {
  x <- matrix(seq_len(5 * 12)^1.5, 5, 12, dimnames = list(NULL, paste0("v", 1:12)))
  expect_equal(input_scaling(x, 1:12, TRUE)$scale, apply(x, 2, sd))
})

test_that("scale_inputs() gives unit spread, and keeps names and rows", {
  scaling <- input_scaling(inputs, input_of_column, TRUE)
  scaled <- scale_inputs(inputs, scaling)
  expect_equal(colMeans(scaled), colMeans(inputs) * 0)
  expect_equal(sd(scaled[, "u"]), 1)
  expect_equal(sum(apply(scaled[, 2:4], 2, var)), 1)
  expect_identical(dimnames(scaled), dimnames(inputs))
  expect_identical(dim(scale_inputs(inputs[0, , drop = FALSE], scaling)), c(0L, 4L))
})

test_that("the response is scaled by mean and sd, or by its geometric mean", {
  y <- c(1, 2, 8, 16)
  expect_equal(response_scaling(y, FALSE), list(center = mean(y), scale = sd(y)))
  expect_equal(response_scaling(y, TRUE), list(center = 0, scale = prod(y)^(1 / 4)))
})

test_that("a positive response with zeros is shifted by half of its smallest positive value", {
  y <- c(0, 3, 0, 1, 8)
  scaling <- response_scaling(y, TRUE)
  expect_equal(scaling, list(center = -0.5, scale = prod(y + 0.5)^(1 / 5), lower = 0))
  expect_equal(scale_response(y, scaling), (y + 0.5) / scaling$scale)
  expect_equal(unscale_response(scale_response(y, scaling), scaling), y)
  # The response does not go below zero.
  expect_equal(response_ends(scaling)$floor, scale_response(0, scaling))
  expect_identical(response_ends(response_scaling(y, FALSE)),
                   list(floor = -Inf, ceiling = Inf, open = 0))
  quantiles <- matrix(c(0.1, 1, NA, 2) / scaling$scale, 2, dimnames = list(c("a", "b"), NULL))
  expect_equal(unscale_response(quantiles, scaling),
               matrix(c(0, 0.5, NA, 1.5), 2, dimnames = list(c("a", "b"), NULL)))
  expect_null(response_scaling(y, FALSE)$lower)
})

test_that("zeros do no harm beside values of any size", {
  for (smallest in c(5e-324, 1e-300, 1e300)) {
    y <- c(0, smallest, 1, 2)
    scaling <- response_scaling(y, TRUE)
    expect_true(scaling$center < 0 && is.finite(scaling$scale) && scaling$scale > 0)
    expect_true(all(scale_response(y, scaling) > 0))
  }
  expect_gt(response_scaling(c(rep(0, 999), 1), TRUE)$scale, 0.5)
})

test_that("unscale_response() undoes scale_response(), for vectors and matrices", {
  y <- matrix(c(1, 2, 8, 16), 2)
  for (positive in c(TRUE, FALSE)) {
    scaling <- response_scaling(as.vector(y), positive)
    expect_equal(unscale_response(scale_response(y, scaling), scaling), y)
  }
})

test_that("scales are exact from 1e-150 to 1e150 and far from zero", {
  u <- c(-3, -1, 0, 2, 7)
  for (size in c(1e-150, 1e-12, 1, 1e12, 1e150)) {
    expect_equal(response_scaling(size * u, FALSE)$scale / size, sd(u), tolerance = 1e-14)
    expect_equal(response_scaling(size * (u + 4), TRUE)$scale / size, prod(u + 4)^(1 / 5),
                 tolerance = 1e-12)
    for (ard in c(TRUE, FALSE)) {
      expect_equal(unname(input_scaling(cbind(v = size * u), 1L, ard)$scale) / size, sd(u),
                   tolerance = 1e-14)
    }
  }
  # Multiples of 2^-10 are exact at 1e9.
  fine <- u / 1024
  scaling <- response_scaling(1e9 + fine, FALSE)
  expect_equal(scaling$scale, sd(fine), tolerance = 1e-9)
  expect_equal(scale_response(1e9 + fine, scaling), (fine - mean(fine)) / sd(fine),
               tolerance = 1e-4)
})
