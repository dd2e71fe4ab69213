space_fit <- function() {
  d <- oracle_data()
  d$k <- rep(1:7, 2)
  d$g <- rep(c("a", "b", "c"), length.out = 14)
  btg(y ~ x + k + g, d, transform = "identity", quadrature = few_nodes(8))
}

test_that("a space is the box of the data, unless bounds say otherwise", {
  fit <- space_fit()
  space <- space_of_fit(fit, NULL, NULL, NULL)
  expect_equal(space$lower, c(x = min(fit$data$x), k = 1))
  expect_equal(space$whole, c(x = FALSE, k = TRUE))
  expect_equal(space$levels, list(g = c("a", "b", "c")))
  expect_equal(space_of_fit(fit, c(k = 3), c(20, 9), "x")[1:3],
               list(lower = c(x = min(fit$data$x), k = 3), upper = c(x = 20, k = 9),
                    whole = c(x = TRUE, k = TRUE)))
})

test_that("points of the cube are rows of the space, and back", {
  space <- list(lower = c(x = 2, k = 1), upper = c(x = 4, k = 5), whole = c(x = FALSE, k = TRUE),
                levels = list(g = c("a", "b"), h = c(TRUE, FALSE)))
  expect_equal(level_count(space), 4)
  rows <- space_rows(space, rbind(c(0, 0), c(0.5, 0.6), c(1, 1), c(0.1, 0.2)), 1:4)
  expect_equal(rows, data.frame(x = c(2, 3, 4, 2.2), k = c(1, 3, 5, 2),
                                g = c("a", "b", "a", "b"), h = c(TRUE, TRUE, FALSE, FALSE)))
  expect_equal(space_points(space, rows), rbind(c(0, 0), c(0.5, 0.5), c(1, 1), c(0.1, 0.25)))
  # Whole numbers stay within bounds that are not.
  odd <- list(lower = c(k = 0.5), upper = c(k = 2.4), whole = c(k = TRUE), levels = list())
  expect_equal(space_rows(odd, cbind(c(0, 1)))$k, c(1, 2))
})

test_that("bounds that cannot be are refused", {
  fit <- space_fit()
  refused <- function(lower = NULL, upper = NULL, integers = NULL, class = "btg_error_space") {
    expect_error(space_of_fit(fit, lower, upper, integers), class = class)
  }
  refused(lower = c(z = 1))
  refused(lower = 1:3)
  refused(lower = c(x = 5), upper = c(x = 4))
  refused(lower = c(k = 1.2), upper = c(k = 1.8))
  refused(lower = "a", class = "btg_error_argument")
  refused(lower = c(x = Inf), class = "btg_error_argument")
  refused(integers = "g", class = "btg_error_argument")
  dates <- data.frame(t = as.Date("2020-01-01") + 1:12, y = sin(1:12))
  fit <- btg(y ~ t, dates, transform = "identity", quadrature = few_nodes(8))
  refused()
})
