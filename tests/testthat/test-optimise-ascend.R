# Ascents on the unit cube, by which suggest() climbs.

ascend <- function(f, starts, steps = 30L, rise = 1e-12, metrics = list()) {
  check_core(core_ascend(f, starts, steps, rise, metrics))
}

# -(u - top)' A (u - top)
curvature <- matrix(c(30, 8, 8, 5), 2)
quadratic <- function(top) {
  function(u, start) {
    away <- u - rep(top, each = nrow(u))
    list(value = -rowSums((away %*% curvature) * away), gradient = -2 * away %*% curvature)
  }
}

test_that("an ascent ends at the top of a quadratic, or where the cube ends", {
  starts <- rbind(c(0, 0), c(0.9, 0.1), c(0.5, 1))
  inside <- ascend(quadratic(c(0.3, 0.7)), starts)
  expect_equal(inside$u, matrix(c(0.3, 0.7), 3, 2, byrow = TRUE), tolerance = 1e-4)
  expect_equal(inside$value, rep(0, 3), tolerance = 1e-7)
  # At u1 = 1, the best u2 is 0.5 - a12 / a22 (1 - 1.2).
  outside <- ascend(quadratic(c(1.2, 0.5)), starts, steps = 60L)
  expect_equal(outside$u, matrix(c(1, 0.5 + 8 / 5 * 0.2), 3, 2, byrow = TRUE), tolerance = 1e-3)
  # Beyond a corner.
  corner <- ascend(quadratic(c(-1, -3)), starts, steps = 60L)
  expect_equal(corner$u, matrix(0, 3, 2), tolerance = 1e-6)
})

test_that("no point outside the cube is evaluated", {
  seen <- NULL
  steep <- function(u, start) {
    seen <<- rbind(seen, u)
    list(value = 50 * rowSums(u), gradient = 50 + 0 * u)
  }
  top <- ascend(steep, rbind(c(0.1, 0.9), c(0.5, 0.5)))
  expect_equal(top$u, matrix(1, 2, 2))
  expect_true(all(seen >= 0 & seen <= 1))
  # A start outside is moved inside.
  expect_equal(ascend(steep, rbind(c(-3, 4)))$u, rbind(c(1, 1)))
})

test_that("a known curvature is used, and small rises are left", {
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
  known <- count(rise = 1e-8, metrics = list(diag(1 / 4, 2)))
  expect_equal(known$asked, 2L)
  expect_equal(known$top$u, rbind(c(0.4, 0.4)), tolerance = 1e-12)
  expect_gt(count(rise = 1e-8)$asked, 2L)
  # The top is 0.025 above the start.
  there <- count(rise = 0.03, metrics = list(diag(1 / 4, 2)))
  expect_equal(there$asked, 1L)
  expect_equal(there$top$u, rbind(c(0.5, 0.45)))
  expect_equal(count()$top$metrics[[1]], diag(1 / 4, 2), tolerance = 1e-6)
})

test_that("an ascent takes at most so many steps", {
  short <- ascend(quadratic(c(0.3, 0.7)), rbind(c(0.9, 0.1)), steps = 1L)
  long <- ascend(quadratic(c(0.3, 0.7)), rbind(c(0.9, 0.1)), steps = 30L)
  expect_lt(short$value, -0.01)
  expect_gt(long$value, -1e-7)
})

test_that("starts climb side by side, each to its own hill", {
  seen <- integer()
  calls <- 0L
  hills <- function(u, start) {
    calls <<- calls + 1L
    seen <<- unique(c(seen, start))
    expect_length(start, nrow(u))
    list(value = cos(4 * pi * u[, 1]), gradient = cbind(-4 * pi * sin(4 * pi * u[, 1])))
  }
  top <- ascend(hills, cbind(c(0.4, 0.1, 0.9)))
  expect_equal(top$u[, 1], c(0.5, 0, 1), tolerance = 1e-4)
  expect_equal(sort(seen), 1:3)
  together <- calls
  calls <- 0L
  for (start in c(0.4, 0.1, 0.9)) {
    expect_equal(ascend(hills, cbind(start))$u[1, 1], c(0.5, 0, 1)[match(start, c(0.4, 0.1, 0.9))],
                 tolerance = 1e-4)
  }
  expect_lt(together, calls)
})

test_that("points without a finite value or gradient are rejected", {
  for (none in c(-Inf, NaN, NA, Inf)) {
    walled <- function(u, start) {
      list(value = ifelse(u[, 1] > 0.6, none, u[, 1]), gradient = cbind(rep(1, nrow(u))))
    }
    top <- ascend(walled, cbind(c(0.1, 0.8)))
    expect_lte(top$u[1, 1], 0.6)
    expect_gt(top$u[1, 1], 0.55)
    # There is nothing to start from.
    expect_equal(top$value[2], -Inf)
    expect_equal(top$u[2, 1], 0.8)
  }
  unsloped <- function(u, start) {
    list(value = u[, 1], gradient = cbind(ifelse(u[, 1] > 0.6, NaN, 1)))
  }
  top <- ascend(unsloped, cbind(0.1))
  expect_lte(top$u[1, 1], 0.6)
  expect_gt(top$u[1, 1], 0.55)
})

test_that("an error of the function is raised", {
  expect_error(ascend(function(u, start) stop("not here"), cbind(0.5)), "not here")
})
