# The smallest value of valley() where the cost is at most 1 is on the edge: found by brute force.
valley <- function(x) (x[["a"]] - 0.3)^2 + (x[["b"]] - 0.6)^2 + 0.1 * sin(9 * x[["a"]])
cost_of <- function(x) x[["a"]] + 2 * x[["b"]]
costly <- function(x) c(response = valley(x), cost = cost_of(x))

search_costly <- function(budget, fun = costly, limit = 1, ...) {
  btg_optimise(fun, c(a = 0, b = 0), c(a = 1, b = 1), budget = budget, initial = 8,
               constraints = list(cost = btg_constraint(below = limit, transform = "identity")),
               transform = "identity", quadrature = few_nodes(16), ...)
}

test_that("a constrained minimum is found", {
  skip_if_quick()
  a <- seq(0, 1, length.out = 20001)
  least <- min(valley(list(a = a, b = (1 - a) / 2)))
  path <- search_costly(18)
  expect_named(path, c("a", "b", "response", "cost", "feasible", "best", "how", "failure"))
  expect_equal(path$feasible, path$cost <= 1)
  expect_equal(path$best, cummin(ifelse(path$feasible, path$response, Inf)) + ifelse(
    cumsum(path$feasible) > 0, 0, NA))
  reached <- min(path$response[path$feasible])
  expect_lt(reached - least, 2e-3)
  expect_gte(reached, least - 1e-9)
  # Without the constraint the search goes elsewhere.
  expect_gt(cost_of(path[which.min(path$response), ]), 1)
  expect_s3_class(attr(path, "constraints")$cost, "btg")
  expect_output(print(path), paste("Feasible:", sum(path$feasible), "of 18"))
  # And it is carried on.
  expect_equal(search_costly(18, data = path), path, ignore_attr = TRUE)
  more <- search_costly(19, data = path)
  expect_equal(more[1:18, 1:5], path[, 1:5], ignore_attr = TRUE)
})

test_that("a search without a feasible point looks for one", {
  skip_if_quick()
  path <- search_costly(11, limit = 0.2)
  expect_false(any(path$feasible[1:8]))
  expect_equal(path$how[9], "feasible")
  expect_true(any(path$feasible))
  expect_true(all(is.na(path$best[seq_len(which(path$feasible)[1] - 1)])))
})

test_that("constraints of failed runs are kept", {
  fun <- function(x) c(cost = cost_of(x), y = if (x[["a"]] > 0.5) NA else valley(x))
  path <- search_costly(6, fun = fun)
  failed <- path$a > 0.5
  expect_equal(is.na(path$response), failed)
  expect_equal(path$cost, cost_of(path))
  expect_equal(path$failure[failed], rep("It returned response = NA", sum(failed)))
  whole <- search_costly(3, fun = function(x) if (x[["a"]] > 0.4) stop("broken") else costly(x))
  expect_true(all(is.na(whole$cost[!is.na(whole$failure)])))
  expect_false(any(whole$feasible[!is.na(whole$failure)]))
})

test_that("a function that does not return the constraints stops the search", {
  refused <- function(fun) {
    expect_error(search_costly(3, fun = fun), "response", class = "btg_error_argument")
  }
  refused(valley)
  refused(function(x) c(valley(x), cost_of(x)))
  refused(function(x) c(response = 1, price = 2))
  refused(function(x) c(response = 1, cost = 2, more = 3))
  refused(function(x) list(response = "1", cost = 2))
})

test_that("constraints of a search are checked before it starts", {
  searched <- function(constraints, ...) {
    btg_optimise(function(x) stop("ran"), c(a = 0), c(a = 1), budget = 2,
                 constraints = constraints, ...)
  }
  k <- btg_constraint(below = 1)
  refused <- function(class, ...) {
    expect_error(searched(...), class = paste0("btg_error_", class))
  }
  refused("argument", k)
  refused("argument", list(k))
  refused("argument", list(cost = 3))
  refused("space", list(a = k))
  refused("space", list(best = k))
  refused("space", list(cost = k, cost = k))
  refused("argument", list(cost = k), criterion = "quantile")
  refused("unknown_argument", list(cost = btg_constraint(below = 1, transfrom = "identity")))
  refused("argument", list(cost = btg_constraint(below = 1, data = cars)))
  fit <- wgp(dist ~ speed, cars)
  refused("argument", list(cost = btg_constraint(fit, below = 1)))
  refused("missing_columns", list(cost = k), data = data.frame(a = 0.5, response = 1))
})
