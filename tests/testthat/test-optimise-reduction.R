# The variance of the process at `over` relative to 1 / tau, at one node of the naive model.
naive_variance <- function(model, node, over, M) {
  k <- naive_prior(model, node$hyper, model$X, over)
  solved <- solve(node$K, k)
  u <- t(M) - t(model$M) %*% solved
  diag(naive_prior(model, node$hyper, over, over)) - colSums(k * solved) +
    colSums(u * solve(node$A, u))
}

# The average over nodes of the share of variance that one more row removes, by refitting with it.
naive_reduction <- function(model, new, new_trend, over, over_trend) {
  after <- function(i) {
    more <- model
    more$X <- rbind(model$X, new[i, ])
    more$M <- rbind(model$M, new_trend[i, ])
    more$w <- c(model$w, 1)
    more$y <- c(model$y, model$y[1])
    naive_nodes(more, model$nodes)
  }
  total <- function(model, nodes) {
    vapply(nodes, function(node) sum(naive_variance(model, node, over, over_trend)), 0)
  }
  before <- total(model, model$solved)
  vapply(seq_len(nrow(new)), function(i) {
    more <- model
    more$X <- rbind(model$X, new[i, ])
    more$M <- rbind(model$M, new_trend[i, ])
    sum(model$nodes$weight * (1 - total(more, after(i)) / before))
  }, 0)
}

reduction_over <- function() {
  data.frame(x = rep(c(1, 4, 6.5, 9, 12), 2), w = rep(c(5100, 5600), each = 5))
}

test_that("the reduction is that of a fit with the row added", {
  for (trend in list(~ 1, ~ x)) {
    case <- oracle_case("softplus", trend = trend)
    over <- reduction_over()
    new <- case$new[1:2, ]
    expected <- naive_reduction(case$model, as.matrix(new), model.matrix(trend, new),
                                as.matrix(over), model.matrix(trend, over))
    expect_close(acquire(case$fit, new, "imspe", over = over), expected, 1e-6)
  }
})

test_that("all models of an average count by their weights", {
  fit <- small_average()
  over <- reduction_over()
  new <- over[c(2, 8), ] + 0.3
  weights <- fit$model_weights
  each <- vapply(single_fits(fit), function(one) acquire(one, new, "imspe", over = over),
                 numeric(2))
  expect_equal(unname(acquire(fit, new, "imspe", over = over)),
               unname(drop(each %*% (weights[colnames(each)] / sum(weights[colnames(each)])))),
               tolerance = 1e-8)
})

test_that("shares are between zero and one, and small next to data without noise", {
  fit <- wave_fit()
  grid <- expand.grid(a = seq(0, 1, length.out = 9), b = seq(0, 1, length.out = 9))
  value <- acquire(fit, grid, "imspe")
  expect_true(all(value > 0 & value < 1))
  at_data <- acquire(fit, fit$data[1:3, c("a", "b")], "imspe")
  expect_true(all(at_data < min(value) + 0.1 * max(value)))
  expect_identical(acquire(fit, grid, "imspe", threads = 2), value)
})

test_that("slopes are those of differences, and suggest() finds the largest value", {
  fit <- btg(y ~ x + w, oracle_data(), transform = "softplus", quadrature = few_nodes(),
             noise = 0.1)
  rows <- data.frame(x = c(3.3, 7), w = c(5700, 5400))
  over <- reduction_over()
  ask <- function(...) acquire(fit, ..., criterion = "imspe", over = over)
  at <- ask(rows, gradient = TRUE)
  for (name in c("x", "w")) {
    h <- c(x = 0.02, w = 2)[[name]]
    moved <- function(step) {
      rows[[name]] <- rows[[name]] + step
      ask(rows)
    }
    expected <- (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
    expect_equal(attr(at, "gradient")[, name], unname(expected), tolerance = 2e-3)
  }
  best <- suggest(fit, criterion = "imspe", over = over)
  d <- oracle_data()
  grid <- expand.grid(x = seq(min(d$x), max(d$x), length.out = 40),
                      w = seq(min(d$w), max(d$w), length.out = 40))
  expect_gte(best$imspe, max(ask(grid)) * (1 - 1e-3))
})

test_that("large fits and groups have reductions too", {
  skip_if_quick()
  set.seed(5)
  d <- data.frame(a = runif(400), b = runif(400))
  d$y <- sin(5 * d$a) + d$b^2 + rnorm(400, sd = 0.05)
  exact <- wgp(y ~ a + b, d)
  hyper <- unlist(nodes(exact)[c("lengthscale.a", "lengthscale.b", "noise")])
  fixed <- function(...) {
    btg(y ~ a + b, d, transform = "identity", prior = btg_prior(fixed = hyper), ...)
  }
  rows <- data.frame(a = c(0.1, 0.5, 1), b = c(0.4, 0.5, 1))
  expect_equal(acquire(fixed(approx = vecchia(neighbours = 60)), rows, "imspe"),
               acquire(fixed(approx = "exact"), rows, "imspe"), tolerance = 0.05)
  d$site <- factor(rep(letters[1:8], 50))
  grouped <- wgp(y ~ a + (1 | site), d[1:80, ])
  new <- data.frame(a = c(0.2, 0.9), site = "b")
  expect_true(all(acquire(grouped, new, "imspe") > 0))
})

test_that("`over` is checked", {
  fit <- wave_fit()
  rows <- data.frame(a = 0.5, b = 0.5)
  expect_argument_error(acquire(fit, rows, "imspe", over = "all"))
  expect_argument_error(acquire(fit, rows, "imspe", over = data.frame(a = NA_real_, b = 1)))
  expect_argument_error(acquire(fit, rows, "ei", over = rows))
  expect_error(acquire(fit, rows, "imspe", over = data.frame(a = 1)),
               class = "btg_error_missing_columns")
  expect_identical(unname(is.na(acquire(fit, rbind(rows, NA), "imspe"))), c(FALSE, TRUE))
})
