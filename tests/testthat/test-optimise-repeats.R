levels_fit <- function(...) {
  d <- data.frame(x = (0.618 * 1:18) %% 1, g = rep(letters[1:3], 6))
  d$y <- 3 * (d$x - 0.4)^2 + c(a = 0, b = 0.3, c = 0.6)[d$g] + sin(5 * d$x) / 3
  btg(y ~ x + g, d, transform = "identity", quadrature = few_nodes(16), ...)
}

# The smallest distance between rows of equal levels, as the largest difference of a number.
least_gap <- function(rows, columns = "x", levels = rep(1, nrow(rows))) {
  gaps <- as.matrix(dist(rows[columns], method = "maximum"))
  gaps[outer(levels, levels, `!=`)] <- Inf
  min(gaps[upper.tri(gaps)])
}

test_that("rows of a batch keep apart, with and without noise", {
  skip_if_quick()
  for (fit in list(levels_fit(noise = 0), levels_fit())) {
    for (criterion in c("ei", "pi", "quantile")) {
      rows <- suggest(fit, 0, 1, n = 5, criterion = criterion)
      expect_gte(least_gap(rows, levels = rows$g), 0.05 - 1e-9)
    }
    # More rows than fit 0.05 apart.
    many <- suggest(fit, 0, 1, n = 20, allowed = function(rows) rows$g == "a")
    expect_gte(least_gap(many), 0.0125 - 1e-9)
  }
})

test_that("a loop on a deterministic function of whole numbers never repeats a row", {
  truth <- function(x) sqrt(x) + sin(x)
  d <- data.frame(x = as.integer(c(1, 4, 7, 10, 15, 20)))
  d$y <- truth(d$x)
  for (criterion in c("spread", "ei", "quantile")) {
    fit <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes(16))
    for (i in 1:8) {
      x <- as.integer(suggest(fit, criterion = criterion)$x)
      expect_false(x %in% fit$data$x)
      fit <- suppressWarnings(update(fit, newdata = data.frame(x = x, y = truth(x))))
    }
  }
})

test_that("measured rows are suggested again if replicates differ or nothing else is left", {
  d <- data.frame(x = as.integer(rep(1:5, 3)))
  d$y <- d$x + sin(7 * seq_along(d$x)) / 2
  noisy <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes(16))
  expect_true(suggest(noisy)$x %in% 1:5)
  expect_equal(nrow(suggest(noisy, n = 7)), 7)
  exact <- btg(y ~ x, d[1:5, ], transform = "identity", quadrature = few_nodes(16))
  expect_true(suggest(exact)$x %in% 1:5)
  expect_equal(suggest(exact, 1, 6)$x, 6)
  # Replicates that agree, by rounding, show no noise.
  d$y <- round(d$x / 3)
  rounded <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes(16))
  expect_false(measured_rows(rounded)$repeats)
})

test_that("candidates that were measured are chosen last", {
  d <- data.frame(x = c(1, 3, 5, 7, 9), y = c(2, 1, 4, 3, 6))
  fit <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes(16))
  rows <- data.frame(x = c(9, 1, 4))
  expect_equal(suggest(fit, candidates = rows, n = 2, criterion = "spread")$x[1], 4)
  expect_true(suggest(fit, candidates = rows[1:2, , drop = FALSE])$x %in% c(1, 9))
})

test_that("nearness compares levels and the largest difference", {
  space <- list(lower = c(x = 0, w = 0), upper = c(x = 1, w = 10),
                whole = c(x = FALSE, w = FALSE), levels = list(g = c("a", "b")))
  rows <- data.frame(x = c(0.1, 0.1, 0.14, 0.16), w = c(5, 5, 5.4, 5), g = c("a", "b", "a", "a"))
  others <- places_of(space, data.frame(x = 0.1, w = 5, g = "a"), 0.05)
  expect_identical(are_near(space, rows, others), c(TRUE, FALSE, TRUE, FALSE))
})
