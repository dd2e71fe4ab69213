bowl <- function(x) 1 + (x[["a"]] - 0.7)^2 + 2 * (x[["b"]] - 0.2)^2

search_bowl <- function(budget, fun = bowl, ...) {
  btg_optimise(fun, c(a = 0, b = 0), c(a = 1, b = 1), budget = budget, initial = 7,
               transform = "identity", quadrature = few_nodes(16), ...)
}

test_that("the minimum of a smooth function is found, and the maximum of its negative", {
  path <- search_bowl(14)
  expect_s3_class(path, "btg_optimised")
  expect_named(path, c("a", "b", "response", "best", "how", "failure"))
  expect_equal(nrow(path), 14)
  expect_equal(path$response, apply(path[c("a", "b")], 1, function(x) bowl(as.list(x))),
               ignore_attr = TRUE)
  expect_equal(path$best, cummin(path$response))
  expect_equal(path$how[1:7], rep("initial", 7))
  expect_true(all(path$how[8:14] %in% c("ei", "spread", "space")))
  expect_lt(min(path$response), 1.002)
  # The mirror image takes the same path, as far as rounding lets it.
  most <- search_bowl(12, fun = function(x) 5 - bowl(x), maximise = TRUE)
  expect_gt(max(most$response), 3.99)
  expect_equal(most$best, cummax(most$response))
  expect_s3_class(attr(path, "fit"), "btg")
})

test_that("a search is carried on where it ended", {
  whole <- search_bowl(11)
  part <- search_bowl(9)
  expect_equal(as.data.frame(part), as.data.frame(whole)[1:9, ], ignore_attr = TRUE)
  calls <- 0
  counted <- function(x) {
    calls <<- calls + 1
    bowl(x)
  }
  more <- search_bowl(11, fun = counted, data = part)
  expect_equal(calls, 2)
  expect_equal(more$response[1:9], part$response)
  expect_equal(more$how[1:9], part$how)
  # Any data frame will do, and one that is long enough is returned as it is.
  given <- data.frame(b = c(0.1, 0.9), a = c(0.5, 0.5), response = c(1, 2))
  same <- search_bowl(2, data = given)
  expect_equal(same$how, c("given", "given"))
  expect_equal(same$best, c(1, 1))
})

test_that("failures are kept, and kept away from", {
  skip_if_quick()
  # No value in the corner where the minimum would be.
  patchy <- function(x) {
    if (x[["a"]] > 0.6 && x[["b"]] < 0.5) stop("no solution")
    if (x[["a"]] < 0.1) return(NA)
    bowl(x)
  }
  path <- search_bowl(18, fun = patchy)
  failed <- is.na(path$response)
  expect_true(any(failed))
  expect_equal(is.na(path$failure), !failed)
  expect_true("no solution" %in% path$failure || "It returned NA" %in% path$failure)
  expect_lt(mean(failed[12:18]), 0.6)
  # The best that works is on the edge, at 1.01.
  expect_lt(min(path$response, na.rm = TRUE), 1.06)
  none <- search_bowl(9, fun = function(x) stop("never"))
  expect_equal(none$how[8:9], c("space", "space"))
  expect_true(all(is.na(none$best)))
  expect_output(print(none), "9 failed")
  expect_error(plot(none), class = "btg_error_plot")
})

test_that("the estimated probability of success has the gradient of differences", {
  space <- space_of_search(c(a = 0, b = 0), c(a = 1, b = 2), NULL, list())
  path <- data.frame(a = c(0.1, 0.5, 0.9, 0.4), b = c(0.2, 1.5, 1, 0.3))
  weigh <- success_weight(space, path, c(FALSE, TRUE, FALSE, TRUE))
  u <- rbind(c(0.1, 0.3), c(0.8, 0.4))
  for (j in 1:2) {
    step <- 1e-5 * (1:2 == j)
    expected <- (weigh(u + rep(step, each = 2))$value - weigh(u - rep(step, each = 2))$value) / 2e-5
    expect_equal(weigh(u)$gradient[, j], expected, tolerance = 1e-7)
  }
  # Nearly 1 at a success alone, and nothing at a failure.
  expect_equal(weigh(rbind(c(0.5, 0.75)))$value, -Inf)
  expect_gt(weigh(rbind(c(0.9, 0.5)))$value, log(0.8))
})

test_that("whole numbers, levels and constraints are kept to", {
  skip_if_quick()
  fun <- function(x) (x$k - 3)^2 + (x$g == "bad") + x$a
  path <- btg_optimise(fun, c(k = 0, a = 0), c(k = 9, a = 1), budget = 16, integers = "k",
                       levels = list(g = c("bad", "good")), initial = 8, transform = "identity",
                       allowed = function(data) data$a > 0.2, quadrature = few_nodes(16))
  expect_equal(path$k, round(path$k))
  expect_true(all(path$a > 0.2))
  expect_true(all(path$g %in% c("bad", "good")))
  best <- path[which.min(path$response), ]
  expect_equal(best$g, "good")
  expect_lte(abs(best$k - 3), 1)
})

test_that("bad arguments are errors that say so", {
  expect_error(search_bowl(9, fun = "bowl"), class = "btg_error_argument")
  expect_error(search_bowl(0), class = "btg_error_argument")
  expect_error(search_bowl(9, criterion = "contour"), class = "btg_error_argument")
  expect_error(search_bowl(9, allowed = 1), class = "btg_error_argument")
  expect_error(search_bowl(9, kernl = "rbf"), class = "btg_error_unknown_argument")
})

test_that("a model that cannot be fitted is an error, which has the evaluations", {
  error <- expect_error(btg_optimise(function(x) (x[["a"]] - 0.3)^2, c(a = 0), c(a = 1),
                                     budget = 9, initial = 5, kernel = "matern"),
                        "matern", class = "btg_error_optimise")
  expect_identical(nrow(error$path), 5L)
  expect_error(btg_optimise(function(x) 1, c(a = 0), c(a = 1), seed = "a"),
               class = "btg_error_argument")
})

test_that("a search that was resumed knows the levels, and one of levels only needs no bounds", {
  cost <- function(x) (x[["a"]] - 0.4)^2 + c(1, 0.5, 0.2)[match(x[["k"]], c(1, 2, 4))]
  search <- function(budget, data = NULL) {
    btg_optimise(cost, c(a = 0), c(a = 1), levels = list(k = c(1, 2, 4)), budget = budget,
                 initial = 6, data = data, transform = "identity")
  }
  expect_identical(search(9, search(7))$how[8:9], c("ei", "ei"))
  names <- btg_optimise(function(x) nchar(x$s), levels = list(s = c("a", "bb", "ccc")), budget = 7)
  expect_setequal(names$s, c("a", "bb", "ccc"))
})

test_that("an argument of one value is no obstacle, nor are levels that were not evaluated", {
  fixed <- btg_optimise(function(x) (x[["a"]] - 0.3)^2, c(a = 0, b = 1), c(a = 1, b = 1),
                        budget = 7, initial = 6, transform = "identity")
  expect_identical(fixed$how[7], "ei")
  few <- btg_optimise(function(x) x$a + (x$s == "b"), c(a = 0), c(a = 1), budget = 7, initial = 6,
                      levels = list(s = letters[1:9]), transform = "identity")
  expect_identical(few$how[7], "ei")
})

test_that("where all whole numbers were evaluated, the criterion says which to repeat", {
  path <- btg_optimise(function(x) (x[["i"]] - 3)^2, c(i = 0), c(i = 4), integers = "i",
                       target = "median", budget = 10, transform = "identity")
  expect_setequal(path$i, 0:4)
  expect_true(all(path$how[8:10] %in% c("ei", "spread")))
})

test_that("a small allowed part of the space is kept to, from given rows on", {
  allowed <- function(d) (d$a - 0.37)^2 + (d$b - 0.61)^2 < 0.012^2
  given <- data.frame(a = 0.37 + c(0, 0.005, -0.005), b = 0.61 + c(0.005, 0, 0), response = 1)
  search <- function(...) {
    btg_optimise(function(x) 1, c(a = 0, b = 0), c(a = 1, b = 1), initial = 1,
                 transform = "identity", allowed = allowed, ...)
  }
  path <- search(budget = 5, data = given)
  expect_true(all(allowed(path)))
  expect_identical(anyDuplicated(path[c("a", "b")]), 0L)
  drawn <- btg_optimise(function(x) x[["a"]], c(a = 0, b = 0), c(a = 1, b = 1), budget = 4,
                        initial = 4, allowed = allowed)
  expect_true(all(allowed(drawn)))
  never <- function(d) rep(FALSE, nrow(d))
  expect_error(btg_optimise(sum, c(a = 0), c(a = 1), budget = 3, allowed = never), "allowed",
               class = "btg_error_nowhere")
  error <- expect_error(btg_optimise(sum, c(a = 0), c(a = 1), budget = 3, initial = 2,
                                     data = data.frame(a = c(0.2, 0.4), response = 1),
                                     allowed = never), class = "btg_error_optimise")
  expect_identical(error$path$a, c(0.2, 0.4))
})

test_that("an initial design of whole numbers has no row twice where there are others", {
  path <- btg_optimise(function(x) x[["a"]]^2 + x[["b"]], c(a = 0, b = 0), c(a = 2, b = 2),
                       budget = 9, initial = 9, integers = c("a", "b"))
  expect_identical(nrow(unique(path[c("a", "b")])), 9L)
  few <- btg_optimise(function(x) x[["a"]], c(a = 1), c(a = 3), budget = 5, initial = 5,
                      integers = "a")
  expect_setequal(few$a, 1:3)
})

test_that("arguments about rows are refused", {
  expect_error(btg_optimise(sum, c(a = 0), c(a = 1), subset = a > 0.1), "`subset`",
               class = "btg_error_argument")
})

test_that("a function that never returns one number is refused at its first run", {
  runs <- 0
  fun <- function(x) {
    runs <<- runs + 1
    c(1, 2)
  }
  expect_error(btg_optimise(fun, c(a = 0), c(a = 1), budget = 12), "must return one number",
               class = "btg_error_argument")
  expect_identical(runs, 1)
  for (value in list("1", NULL, list(1), TRUE)) {
    expect_error(btg_optimise(function(x) value, c(a = 0), c(a = 1), budget = 12),
                 class = "btg_error_argument")
  }
})

test_that("a misspelt argument is refused before the first run", {
  never_run <- function(x) stop("never run")
  expect_error(btg_optimise(never_run, c(a = 0), c(a = 1), transfrom = "affine"), "transform",
               class = "btg_error_unknown_argument")
})

test_that("`bounds` are those of the response, not of the search", {
  decay <- function(x) exp(-4 * x[["a"]])
  path <- btg_optimise(decay, c(a = 0), c(a = 1), budget = 7, initial = 6, bounds = c(0, Inf),
                       transform = "identity", quadrature = few_nodes(16))
  expect_true(all(path$a >= 0 & path$a <= 1))
  new <- data.frame(a = c(0.7, 0.9, 1.2))
  direct <- btg(response ~ a, path[1:6, ], transform = "identity", lower = 0,
                quadrature = few_nodes(16))
  low <- predict(attr(path, "fit"), new, type = "quantile", probs = 0.01)
  expect_equal(low, predict(direct, new, type = "quantile", probs = 0.01))
  expect_true(all(low >= 0))
  free <- update(direct, lower = -Inf)
  expect_lt(min(predict(free, new, type = "quantile", probs = 0.01)), 0)

  never_run <- function(x) stop("never run")
  for (bounds in list(0, c(1, 0), c(NA, 1), "0")) {
    expect_error(btg_optimise(never_run, c(a = 0), c(a = 1), bounds = bounds),
                 class = "btg_error_argument")
  }
})

test_that("btg_optimize() is the same function", {
  expect_identical(btg_optimize, btg_optimise)
})

test_that("a function of several arguments is an error before the first run", {
  expect_error(search_bowl(9, fun = function(a, b) a + b), "function[(]x[)] f[(]x\\[\\[\"a\"",
               class = "btg_error_argument")
  check_function_of_one(function(x, scale = 2, ...) x)
  check_function_of_one(sum)
  expect_error(check_function_of_one(1), class = "btg_error_argument")
})
