test_that("Gauss rules have the moments of the normal", {
  for (n in c(5, 21)) {
    rule <- gauss_hermite(n)
    moments <- vapply(0:8, function(k) sum(rule$weights * rule$points^k), 0)
    expect_equal(moments, c(1, 0, 1, 0, 3, 0, 15, 0, 105), tolerance = 1e-8)
  }
  two <- normal_rule(2)
  expect_equal(colSums(two$weights * two$points^2), c(1, 1))
  expect_equal(sum(two$weights * two$points[, 1] * two$points[, 2]), 0)
  many <- normal_rule(4)
  expect_equal(colMeans(many$points^2), rep(1, 4), tolerance = 0.05)
  expect_identical(normal_rule(0)$weights, 1)
})

# Brute force: distribution functions averaged over many values of the inputs.
averaged <- function(case, sd, what, at, observation = TRUE, count = 2000) {
  u <- if (length(sd) == 1L) cbind((seq_len(count) - 0.5) / count)
       else even_points(count, length(sd))
  vapply(seq_len(nrow(case$new)), function(i) {
    new <- case$new[rep(i, count), ]
    for (j in seq_along(sd)) new[[names(sd)[j]]] <- new[[names(sd)[j]]] + sd[[j]] * qnorm(u[, j])
    mean(predict(case$fit, new, type = what, at = at, observation = observation))
  }, 0)
}

test_that("predictions with an uncertain input are averages over its values", {
  case <- oracle_case("sinharcsinh")
  sd <- c(x = 0.6)
  for (observation in c(TRUE, FALSE)) {
    ask <- function(...) predict(case$fit, case$new, input_sd = sd, observation = observation, ...)
    expect_equal(unname(ask(type = "cdf", at = 1.1)[, 1]),
                 averaged(case, sd, "cdf", 1.1, observation), tolerance = 2e-3)
    expect_equal(unname(ask(type = "density", at = 1.1)[, 1]),
                 averaged(case, sd, "density", 1.1, observation), tolerance = 5e-3)
    quantiles <- ask(type = "quantile", probs = c(0.1, 0.5, 0.9))
    for (j in 1:3) {
      back <- diag(predict(case$fit, case$new, input_sd = sd, observation = observation,
                           type = "cdf", at = quantiles[, j]))
      expect_equal(unname(back), rep(c(0.1, 0.5, 0.9)[j], 3), tolerance = 1e-6)
    }
  }
})

test_that("several uncertain inputs have a rule of their own", {
  case <- oracle_case("softplus")
  sd <- c(x = 0.5, w = 100)
  found <- predict(case$fit, case$new, type = "cdf", at = 1.1, input_sd = sd)
  expect_equal(unname(found[, 1]), averaged(case, sd, "cdf", 1.1), tolerance = 5e-3)
  some <- factor_case()
  new <- transform(some$new, x = 3)
  wide <- predict(some$fit, new, interval = "prediction", input_sd = c(x = 3))
  narrow <- predict(some$fit, new, interval = "prediction")
  expect_false(isTRUE(all.equal(wide, narrow)))
})

test_that("errors of nothing change nothing, and rows can have their own", {
  case <- oracle_case("identity")
  plain <- predict(case$fit, case$new, interval = "prediction")
  ask <- function(sd) predict(case$fit, case$new, interval = "prediction", input_sd = sd)
  expect_equal(ask(c(x = 0)), plain)
  each <- ask(data.frame(x = c(0, 0.5, 0)))
  expect_equal(each[c(1, 3), ], plain[c(1, 3), ], tolerance = 1e-8)
  expect_equal(each[2, ], ask(c(x = 0.5))[2, ])
  missing <- transform(case$new, x = c(NA, 1, 2))
  expect_identical(unname(is.na(predict(case$fit, missing, input_sd = c(x = 1)))),
                   c(TRUE, FALSE, FALSE))
})

test_that("the mean of a linear function is that at the centre, its variance adds", {
  d <- data.frame(x = 1:20, y = 3 * (1:20) + sin(1:20))
  fit <- btg(y ~ x, d, trend = ~ x, transform = "identity", quadrature = few_nodes(8),
             prior = btg_prior(fixed = c(lengthscale.x = 1000, noise = 100)))
  new <- data.frame(x = c(4, 9))
  types <- c("mean", "variance")
  with <- predict(fit, new, type = types, input_sd = c(x = 0.5))
  without <- predict(fit, new, type = types)
  expect_equal(with$mean, without$mean, tolerance = 1e-4)
  slope <- diff(predict(fit, data.frame(x = c(4, 5))))
  expect_equal(with$variance - without$variance, rep(unname(slope)^2 * 0.25, 2), tolerance = 0.02)
})

test_that("the conditional mean keeps its noise", {
  case <- oracle_case("softplus")
  ask <- function(sd) {
    predict(case$fit, case$new, type = "mean", interval = "confidence", input_sd = sd)
  }
  expect_equal(ask(c(x = 1e-9)), predict(case$fit, case$new, type = "mean",
                                         interval = "confidence"), tolerance = 1e-4)
})

test_that("what makes no sense is refused", {
  case <- oracle_case("identity")
  ask <- function(sd, ...) predict(case$fit, case$new, input_sd = sd, ...)
  expect_error(ask(c(z = 1)), "Not such a variable", class = "btg_error_argument")
  expect_error(ask(1), "no names", class = "btg_error_argument")
  expect_error(ask(c(x = -1)), class = "btg_error_argument")
  expect_error(ask(data.frame(x = 1:2)), "one row", class = "btg_error_argument")
  expect_error(ask(c(x = 1), se.fit = TRUE), class = "btg_error_argument")
  expect_error(ask(c(x = 1), type = "slope"), class = "btg_error_argument")
  expect_error(ask(c(x = 1), type = "distribution"), class = "btg_error_argument")
  expect_error(predict(case$fit, input_sd = c(x = 1)), class = "btg_error_argument")
})

test_that("numbers that name groups are not uncertain inputs", {
  d <- data.frame(x = (0.618 * 1:24) %% 1, k = rep(c(10, 20, 40), 8))
  d$y <- d$x + d$k / 10 + 0.1 * sin(37 * (1:24)^2)
  fit <- btg(y ~ x + (1 | k), d, transform = "identity", quadrature = few_nodes(8))
  expect_error(predict(fit, d[1:2, ], input_sd = c(k = 1)), "`k`", class = "btg_error_argument")
  expect_length(predict(fit, d[1:2, ], input_sd = c(x = 0.1)), 2L)
})
