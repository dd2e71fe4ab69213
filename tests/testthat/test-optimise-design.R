test_that("an initial design is a Latin hypercube of allowed rows, always the same", {
  space <- space_of_search(c(a = 0, b = -1), c(b = 1, a = 2), NULL, list(g = c("u", "v")))
  design <- initial_design(space, 10, NULL, 1)
  for (name in c("a", "b")) {
    part <- ceiling(10 * (design[[name]] - space$lower[[name]]) /
                      (space$upper[[name]] - space$lower[[name]]))
    expect_equal(sort(part), 1:10)
  }
  expect_equal(as.vector(table(design$g)), c(5L, 5L))
  expect_equal(design, initial_design(space, 10, NULL, 1))
  low <- function(data) data$a < 1
  design <- initial_design(space, 10, low, 1)
  expect_true(all(low(design)))
  expect_error(initial_design(space, 4, function(data) rep(FALSE, nrow(data)), 1),
               class = "btg_error_nowhere")
})

test_that("designs are spread out better than random ones", {
  set.seed(1)
  random <- replicate(50, min(dist(matrix(runif(20), 10))))
  expect_gt(min(dist(maximin_hypercube(10, 2))), 2 * mean(random))
})

test_that("distances are Euclidean", {
  a <- cbind(c(0, 1), c(0, 1))
  b <- rbind(c(3, 4), c(0, 1), c(1, 1))
  expect_equal(distances(a, b), as.matrix(dist(rbind(a, b)))[1:2, 3:5], ignore_attr = TRUE)
  expect_equal(nearest(a, b), c(1, 0))
  expect_equal(nearest(a, b[0, ]), c(Inf, Inf))
})

test_that("spaces and data that cannot be are refused", {
  refused <- function(...) expect_error(space_of_search(...), class = "btg_error")
  refused(c(0, 0), c(1, 1), NULL, list())
  refused(c(a = 0), c(b = 1), NULL, list())
  refused(c(a = 0), c(a = -1), NULL, list())
  refused(c(a = NA), c(a = 1), NULL, list())
  refused(c(best = 0), c(best = 1), NULL, list())
  refused(c(a = 0), c(a = 1), NULL, list(a = 1:2))
  refused(c(a = 0), c(a = 1), NULL, list("u"))
  refused(numeric(), numeric(), NULL, list())
  refused(c(a = 0), c(a = 1), "b", list())
  space <- space_of_search(c(a = 0), c(a = 1), NULL, list())
  expect_error(given_path(list(a = 1), space), class = "btg_error_argument")
  expect_error(given_path(data.frame(a = 1), space), class = "btg_error_missing_columns")
  expect_error(given_path(data.frame(a = NA, response = 1), space),
               class = "btg_error_argument")
})

test_that("levels of each factor are balanced, whatever those of the others are", {
  space <- space_of_search(c(a = 0), c(a = 1), NULL, list(s = letters[1:4], t = c("v", "w")))
  rows <- initial_design(space, 12L, NULL, 1)
  expect_identical(as.vector(table(rows$s)), rep(3L, 4))
  expect_identical(as.vector(table(rows$t)), c(6L, 6L))
})

test_that("evaluations given have the types of the space, and failures are known", {
  space <- space_of_search(c(a = 0), c(a = 1), NULL, list(k = c(1, 2, 4), l = c(TRUE, FALSE)))
  given <- data.frame(a = c(0.1, 0.2, 0.3), k = c("1", "4", "2"), l = c("TRUE", "FALSE", "TRUE"),
                      response = c(1, Inf, NA))
  path <- given_path(given, space)
  expect_identical(path$k, c(1, 4, 2))
  expect_identical(path$l, c(TRUE, FALSE, TRUE))
  expect_identical(path$response, c(1, NA, NA))
  expect_identical(path$failure, c(NA, "given as Inf", "given as NA"))
  wrong <- function(...) given_path(transform(given, ...), space)
  expect_error(wrong(k = "3"), class = "btg_error_argument")
  expect_error(wrong(a = "x"), class = "btg_error_argument")
  expect_error(wrong(response = "x"), class = "btg_error_argument")
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
