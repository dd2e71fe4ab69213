hill_data <- function(n = 12) {
  i <- seq_len(n)
  x <- (0.618 * i) %% 1
  w <- 10 * ((0.414 * i) %% 1)
  data.frame(x = x, w = w, y = 3 + 5 * (x - 0.62)^2 + 0.05 * (w - 4)^2)
}

hill_fit <- function(...) {
  btg(y ~ x + w, hill_data(), transform = "identity", quadrature = few_nodes(24), ...)
}

test_that("no point of a fine grid is better than the suggestion in a box", {
  fit <- hill_fit()
  grid <- expand.grid(x = seq(0, 1, length.out = 41), w = seq(0, 10, length.out = 41))
  for (criterion in c("ei", "quantile", "spread", "contour")) {
    more <- if (criterion == "contour") list(threshold = 4)
    ask <- function(f, ...) do.call(f, c(list(fit, ..., criterion = criterion), more))
    best <- ask(suggest, lower = c(x = 0, w = 0), upper = c(x = 1, w = 10))
    expect_named(best, c("x", "w", criterion))
    expect_equal(best[[criterion]], unname(ask(acquire, best)))
    expect_gte(best[[criterion]], max(ask(acquire, grid)) - 1e-8)
  }
})

test_that("the same call gives the same row, and leaves the generator alone", {
  fit <- hill_fit()
  set.seed(1)
  before <- .Random.seed
  expect_identical(suggest(fit), suggest(fit))
  expect_identical(.Random.seed, before)
})

test_that("rows are allowed ones", {
  fit <- hill_fit()
  away <- function(data) data$x < 0.4 | data$w > 8
  row <- suggest(fit, 0, c(1, 10), allowed = away)
  expect_true(away(row))
  grid <- expand.grid(x = seq(0, 1, 0.05), w = seq(0, 10, 0.5))
  grid <- grid[away(grid), ]
  expect_gte(row$ei, 0.98 * max(acquire(fit, grid)))
  expect_error(suggest(fit, allowed = function(data) FALSE), class = "btg_error_argument")
  expect_error(suggest(fit, allowed = function(data) rep(FALSE, nrow(data))),
               class = "btg_error_nowhere")
  expect_error(suggest(fit, allowed = TRUE), class = "btg_error_argument")
})

test_that("whole numbers and factors are searched as such", {
  d <- hill_data(18)
  d$k <- as.integer(round(d$w))
  d$g <- rep(c("a", "b", "c"), 6)
  d$y <- d$y + ifelse(d$g == "b", -2, 0)
  fit <- btg(y ~ x + k + g, d, transform = "identity", quadrature = few_nodes(24))
  row <- suggest(fit, lower = c(x = 0, k = 0), upper = c(x = 1, k = 10))
  grid <- expand.grid(x = seq(0, 1, 0.02), k = 0:10, g = c("a", "b", "c"))
  expect_equal(row$k, round(row$k))
  expect_gte(row$ei, max(acquire(fit, grid)) - 1e-8)
  only <- btg(y ~ g, d, transform = "identity", quadrature = few_nodes(8))
  expect_equal(suggest(only, criterion = "quantile")$g, "b")
})

test_that("candidates are chosen from, and keep their columns", {
  fit <- hill_fit()
  rows <- data.frame(id = letters[1:5], x = c(0.1, 0.5, 0.6, 0.7, NA), w = c(1, 4, 4, 9, 3))
  value <- acquire(fit, rows)
  best <- suggest(fit, candidates = rows)
  expect_equal(best$id, rows$id[which.max(value)])
  expect_equal(best$ei, max(value, na.rm = TRUE))
  expect_equal(suggest(fit, candidates = rows, allowed = function(data) data$id == "a")$id, "a")
  several <- suggest(fit, candidates = rows, n = 3)
  expect_equal(nrow(unique(several["id"])), 3)
  expect_error(suggest(fit, candidates = rows, n = 6), class = "btg_error_argument")
  expect_error(suggest(fit, 0, candidates = rows), class = "btg_error_argument")
  # A number of rows is no bound of all variables.
  expect_error(suggest(fit, 3), "one value for each", class = "btg_error_space")
  expect_error(suggest(fit, candidates = 1:3), class = "btg_error_argument")
})

test_that("several rows are chosen with fantasies of the rows before", {
  fit <- hill_fit()
  two <- suggest(fit, 0, c(1, 10), n = 2, criterion = "spread")
  first <- suggest(fit, 0, c(1, 10), criterion = "spread")
  expect_equal(two[1, ], first)
  # The second is that of the fit with the first one added at its median.
  believed <- cbind(first[c("x", "w")], y = predict(fit, first, observation = FALSE))
  second <- suggest(update(fit, newdata = believed), 0, c(1, 10), criterion = "spread")
  expect_equal(unlist(two[2, ]), unlist(second), tolerance = 1e-6)
  expect_gt(max(abs(two$x[1] - two$x[2]), abs(two$w[1] - two$w[2]) / 10), 0.1)
})

test_that("matrices and maximum likelihood are searched too", {
  d <- hill_data()
  fit <- wgp(as.matrix(d[c("x", "w")]), d$y, transform = "identity")
  rows <- suggest(fit, 0, c(1, 10), n = 2)
  expect_equal(dim(rows), c(2L, 3L))
  logs <- btg(log(y) ~ x, d, transform = "identity", quadrature = few_nodes(8))
  expect_error(suggest(logs, n = 2), class = "btg_error_argument")
})

test_that("an approximate covariance is searched too", {
  fit <- btg(y ~ x + w, hill_data(60), transform = "identity", quadrature = few_nodes(8),
             approx = vecchia(neighbours = 10, block = 5))
  row <- suggest(fit, 0, c(1, 10), criterion = "quantile")
  expect_lt(max(abs(row$x - 0.62), abs(row$w - 4) / 10), 0.2)
})

test_that("bad arguments are errors that say so", {
  fit <- hill_fit()
  expect_error(suggest(fit, n = 0), class = "btg_error_argument")
  expect_error(suggest(fit, criterion = "most"), class = "btg_error_argument")
  expect_error(suggest(fit, xi = 1), class = "btg_error_unknown_argument")
  expect_error(suggest(fit, maximize = TRUE), "maximise", class = "btg_error_unknown_argument")
  expect_error(suggest(fit, criterion = "spread", target = 1), class = "btg_error_argument")
  expect_error(suggest(fit, starts = 1.5), class = "btg_error_argument")
})

test_that("candidates are left out by their place, whatever their row names are", {
  d <- data.frame(x = c(1, 2, 3, 5, 8) / 8, y = c(3, 1, 2, 5, 4))
  fit <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes())
  rows <- data.frame(x = c(0.1, 0.3, 0.6, 0.9))
  expected <- suggest(fit, candidates = rows, n = 3)$x
  expect_identical(anyDuplicated(expected), 0L)
  skip_if_not_installed("tibble")
  expect_identical(suggest(fit, candidates = tibble::as_tibble(rows), n = 3)$x, expected)
})

test_that("a variable may have the name of the criterion, and another may not vary", {
  d <- transform(hill_data(), pi = 2 + x, b = 1)
  fit <- suppressMessages(btg(y ~ pi + w + b, d, transform = "identity",
                              quadrature = few_nodes(24)))
  rows <- suggest(fit, n = 2, criterion = "pi")
  expect_named(rows, c("pi", "w", ".pi"))
  expect_true(all(rows$pi >= 2 & rows$pi <= 3 & rows$.pi <= 1))
})

test_that("parts of a box that cannot be predicted cause one warning, and are not suggested", {
  set.seed(3)
  d <- data.frame(x = rlnorm(30, 0, 1.2), w = runif(30))
  d$y <- log(d$x)^2 + d$w
  fit <- btg(y ~ x + w, d, transform = "identity", warp_inputs = TRUE, quadrature = few_nodes(24))
  expect_named(fit$scaling$x$warp, "x")
  warned <- capture_warnings(
    rows <- suggest(fit, lower = c(x = -3, w = 0), upper = c(x = 5, w = 1), n = 2)
  )
  expect_length(warned, 1L)
  expect_match(warned, "cannot be predicted")
  expect_true(all(rows$x > 0))
  expect_no_warning(suggest(fit, lower = c(x = 0.1, w = 0), upper = c(x = 5, w = 1)))
})

test_that("a search by a few of many nodes finds a row as good as any of a fine grid", {
  skip_if_quick()
  fit <- wave_fit(quadrature = quad_adaptive(keep = 192))
  expect_gt(length(node_weights(fit)), 3L * asNamespace("btg")$few_nodes)
  grid <- expand.grid(a = seq(0, 1, length.out = 31), b = seq(0, 1, length.out = 31))
  for (criterion in c("ei", "quantile")) {
    best <- suggest(fit, 0, 1, criterion = criterion)
    expect_gte(best[[criterion]], max(acquire(fit, grid, criterion)) - 1e-8)
  }
})

test_that("a new group among the candidates is announced once", {
  d <- grouped_data()
  fit <- btg(y ~ t + (1 | g), d, transform = "identity", quadrature = few_nodes())
  new <- data.frame(t = c(1, 5, 8), g = c("a", "b", "new"))
  said <- capture_messages(suggest(fit, candidates = new, n = 2))
  expect_length(grep("New group of `g`", said), 1L)
})
