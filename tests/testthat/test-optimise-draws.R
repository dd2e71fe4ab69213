draws_fit <- function(transform = "softplus", ...) {
  btg(y ~ x + w, oracle_data(), transform = transform, quadrature = few_nodes(), ...)
}

draws_rows <- data.frame(x = c(3.3, 11, 0.5, 7), w = c(5700, 5100, 5050, 5400))

own_improvement <- function(draws, target) rowMeans(pmax(target - draws, 0))

test_that("an expected improvement of one's own agrees with the package's", {
  for (transform in c("softplus", "sinharcsinh")) {
    fit <- draws_fit(transform)
    for (target in c(1, 1.5, 2.5)) {
      exact <- acquire(fit, draws_rows, target = target)
      own <- acquire(fit, draws_rows, own_improvement, target = target)
      # The error of as many random draws, of which even ones have less.
      draws <- as.matrix(simulate(fit, 4000, seed = 1, newdata = draws_rows, joint = FALSE,
                                  observation = FALSE))
      error <- apply(pmax(target - draws, 0), 1, sd) / sqrt(256)
      expect_true(all(abs(own - exact) <= 0.5 * error + 1e-8))
    }
    expect_equal(acquire(fit, draws_rows, own_improvement),
                 acquire(fit, draws_rows, own_improvement, target = min(oracle_data()$y)))
    expect_equal(acquire(fit, draws_rows, own_improvement, target = "median"),
                 acquire(fit, draws_rows, own_improvement,
                         target = min(predict(fit, observation = FALSE))))
  }
})

test_that("draws are equally likely values of the response", {
  fit <- draws_fit("sinharcsinh")
  seen <- NULL
  acquire(fit, draws_rows, function(draws) {
    seen <<- draws
    numeric(nrow(draws))
  })
  probs <- (seq_len(ncol(seen)) - 0.5) / ncol(seen)
  expect_equal(seen, unname(predict(fit, draws_rows, type = "quantile", probs = probs,
                                    observation = FALSE)), tolerance = 1e-7)
  mean <- acquire(fit, draws_rows, rowMeans, observation = TRUE)
  expect_equal(mean, predict(fit, draws_rows, type = "mean"), tolerance = 2e-3)
})

test_that("gradients are those of differences", {
  fit <- draws_fit()
  smooth <- function(draws) log(rowMeans(exp(-draws))) + sqrt(rowMeans(draws^2))
  at <- acquire(fit, draws_rows, smooth, gradient = TRUE)
  for (name in c("x", "w")) {
    h <- c(x = 1e-3, w = 0.2)[[name]]
    moved <- function(step) {
      draws_rows[[name]] <- draws_rows[[name]] + step
      acquire(fit, draws_rows, smooth)
    }
    expected <- (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
    expect_equal(attr(at, "gradient")[, name], unname(expected), tolerance = 1e-5)
  }
})

test_that("suggest() climbs a criterion of one's own", {
  fit <- draws_fit()
  d <- oracle_data()
  best <- suggest(fit, criterion = own_improvement, target = 1.5)
  expect_named(best, c("x", "w", "criterion"))
  exact <- suggest(fit, target = 1.5)
  expect_equal(best$criterion, exact$ei, tolerance = 0.02)
  expect_equal(unname(acquire(fit, best[c("x", "w")], target = 1.5)), exact$ei, tolerance = 0.02)
  # A criterion that may be negative, with its optimum inside: a mean near 2.
  near <- function(draws) -(rowMeans(draws) - 2)^2
  found <- suggest(fit, criterion = near)
  expect_lt(abs(found$criterion), 1e-4)
  grid <- d[c("x", "w")]
  chosen <- suggest(fit, criterion = near, candidates = grid, target = NULL)
  expect_true(chosen$criterion <= found$criterion)
})

test_that("constraints multiply a criterion of one's own, which must not be negative", {
  d <- oracle_data()
  d$cost <- 2 + 0.1 * d$x
  fit <- draws_fit()
  k <- btg_constraint(wgp(cost ~ x, d, transform = "identity"), below = 2.6)
  own <- acquire(fit, draws_rows, own_improvement, target = 1.5, constraints = k)
  free <- acquire(fit, draws_rows, own_improvement, target = 1.5)
  holds <- acquire(fit, draws_rows, target = 1.5, constraints = k) /
    acquire(fit, draws_rows, target = 1.5)
  expect_equal(own, free * holds, tolerance = 1e-6)
  expect_error(acquire(fit, draws_rows, function(draws) -rowMeans(draws), constraints = k),
               "negative", class = "btg_error_argument")
})

test_that("a search takes a criterion of one's own", {
  skip_if_quick()
  bowl <- function(x) 1 + (x[["a"]] - 0.7)^2
  path <- btg_optimise(bowl, c(a = 0), c(a = 1), budget = 8, initial = 5, transform = "identity",
                       criterion = own_improvement, quadrature = few_nodes(16))
  expect_true(all(path$how[6:8] %in% c("criterion", "spread", "space")))
  expect_true("criterion" %in% path$how)
  expect_lt(min(path$response), 1.001)
})

test_that("functions that are no criteria say so", {
  fit <- draws_fit()
  refused <- function(criterion, pattern, ...) {
    expect_error(acquire(fit, draws_rows, criterion, ...), pattern, class = "btg_error_argument")
  }
  refused(function(draws) 1, "one number for each row")
  refused(function(draws) letters[seq_len(nrow(draws))], "one number for each row")
  refused(function(draws) stop("no idea"), "no idea")
  refused(function() 1, "must be a name, or a function")
  refused(function(draws, more) 1, "must be a name, or a function")
  refused(rowMeans, "no effect", target = 1)
  refused(rowMeans, "no effect", prob = 0.5)
  rows <- rbind(draws_rows, c(NA, 5000))
  expect_identical(is.na(unname(acquire(fit, rows, rowMeans))), c(rep(FALSE, 4), TRUE))
  expect_length(acquire(fit, rows[0, ], rowMeans), 0)
})
