test_that("quadratics are climbed to the top, or to where the cube ends", {
  # -(u - c)' A (u - c), whose top is at c, or beyond a face.
  a <- matrix(c(30, 8, 8, 5), 2)
  quadratic <- function(top) {
    function(u, start) {
      away <- u - rep(top, each = nrow(u))
      list(value = -rowSums((away %*% a) * away), gradient = -2 * away %*% a)
    }
  }
  starts <- rbind(c(0, 0), c(0.9, 0.1), c(0.5, 1))
  inside <- ascend(quadratic(c(0.3, 0.7)), starts)
  expect_equal(inside$u, matrix(c(0.3, 0.7), 3, 2, byrow = TRUE), tolerance = 1e-4)
  expect_equal(inside$value, rep(0, 3), tolerance = 1e-7)
  # At u1 = 1, the best u2 is 0.5 - a12 / a22 (1 - 1.2).
  outside <- ascend(quadratic(c(1.2, 0.5)), starts, steps = 60)
  expect_equal(outside$u, matrix(c(1, 0.5 + 8 / 5 * 0.2), 3, 2, byrow = TRUE), tolerance = 1e-3)
})

test_that("what is known of the curvature is used, and small rises are left", {
  asked <- 0L
  bowl <- function(u, start) {
    asked <<- asked + 1L
    list(value = -2 * rowSums((u - 0.4)^2), gradient = -4 * (u - 0.4))
  }
  count <- function(...) {
    asked <<- 0L
    top <- ascend(bowl, rbind(c(0.5, 0.45)), ...)
    list(asked = asked, top = top)
  }
  known <- count(rise = 1e-8, inverses = list(diag(1 / 4, 2)))
  expect_equal(known$asked, 2L)
  expect_equal(known$top$u, rbind(c(0.4, 0.4)), tolerance = 1e-12)
  expect_gt(count(rise = 1e-8)$asked, 2L)
  # The top is 0.025 above the start.
  there <- count(rise = 0.03, inverses = list(diag(1 / 4, 2)))
  expect_equal(there$asked, 1L)
  expect_equal(there$top$u, rbind(c(0.5, 0.45)))
  expect_equal(count()$top$inverses[[1]], diag(1 / 4, 2), tolerance = 1e-6)
})

test_that("each start climbs its own hill, and knows its number", {
  seen <- integer()
  hills <- function(u, start) {
    seen <<- unique(c(seen, start))
    list(value = cos(4 * pi * u[, 1]), gradient = cbind(-4 * pi * sin(4 * pi * u[, 1])))
  }
  top <- ascend(hills, cbind(c(0.4, 0.1, 0.9)))
  expect_equal(top$u[, 1], c(0.5, 0, 1), tolerance = 1e-4)
  expect_equal(sort(seen), 1:3)
})

test_that("where there is no value is not gone to", {
  walled <- function(u, start) {
    list(value = ifelse(u[, 1] > 0.6, -Inf, u[, 1]), gradient = cbind(rep(1, nrow(u))))
  }
  top <- ascend(walled, cbind(c(0.1, 0.8)))
  expect_lte(top$u[1, 1], 0.6)
  expect_gt(top$u[1, 1], 0.55)
  expect_equal(top$value[2], -Inf) # nothing to start from
})

test_that("even points fill the cube", {
  for (d in c(1, 2, 5)) {
    u <- even_points(400, d)
    expect_equal(dim(u), c(400L, d))
    expect_true(all(u >= 0 & u < 1))
    # Each half of each axis has half of the points, and each quarter of a plane a quarter.
    expect_lt(max(abs(colMeans(u < 0.5) - 0.5)), 0.01)
    if (d > 1) expect_lt(abs(mean(u[, 1] < 0.5 & u[, 2] < 0.5) - 0.25), 0.02)
  }
})
