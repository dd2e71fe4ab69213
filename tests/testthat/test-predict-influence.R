# The median and exceedance without row i, by the naive model of the other rows.
oracle_without <- function(case, i, at, observation) {
  kept <- oracle_loo_model(case$model, i)
  mixtures <- naive_mixtures(kept, as.matrix(case$new), case$new_trend, observation)
  vapply(mixtures, function(mixture) {
    c(mixture$quantile(0.5), 1 - mixture$cdf(at), mixture$quantile(0.975) - mixture$quantile(0.025))
  }, numeric(3))
}

test_that("changes are those of the naive model without each row", {
  for (case in list(oracle_case("sinharcsinh"), oracle_case("softplus", trend = ~ x))) {
    for (observation in c(TRUE, FALSE)) {
      found <- influence(case$fit, case$new, at = 1.1, observation = observation)
      ask <- function(...) predict(case$fit, case$new, observation = observation, ...)
      expect_equal(found$predictions$median, unname(ask()))
      expect_equal(found$predictions$exceedance, unname(ask(type = "exceedance", at = 1.1)[, 1]))
      for (i in c(1, 5, 14)) {
        without <- oracle_without(case, i, 1.1, observation)
        expect_close(found$predictions$median + found$median[i, ], without[1, ], 1e-6)
        expect_close(found$predictions$exceedance + found$exceedance[i, ], without[2, ], 1e-6,
                     1e-3)
        expect_close(found$width[i, ] * (found$predictions$upr - found$predictions$lwr),
                     without[3, ], 1e-6)
      }
    }
  }
})

test_that("replicates and weights are rows of their own", {
  d <- oracle_data()
  d <- rbind(d, transform(d[c(2, 2, 5), ], y = y * c(1.2, 0.9, 1.1)))
  d$v <- rep_len(c(1, 2, 0.5), nrow(d))
  fit <- btg(y ~ x + w, d, transform = "softplus", weights = v, quadrature = few_nodes())
  model <- naive_model(fit, d[c("x", "w")], cbind(rep(1, nrow(d))), d$y, "softplus",
                       weights = d$v)
  new <- data.frame(x = c(3.3, 7), w = c(5700, 5100))
  case <- list(model = model, new = new, new_trend = cbind(c(1, 1)))
  found <- influence(fit, new, at = 1.1)
  for (i in c(2, 15, 16, 17)) {
    without <- oracle_without(case, i, 1.1, FALSE)
    expect_close(found$predictions$median + found$median[i, ], without[1, ], 1e-6)
  }
})

test_that("changes are close to those of refits with an integral of their own", {
  skip_if_quick()
  d <- data.frame(a = (0.618 * 1:40) %% 1, b = (0.414 * 1:40) %% 1)
  d$y <- exp(sin(6 * d$a) + d$b + 0.2 * sin(37 * (1:40)^2))
  fit <- btg(y ~ a + b, d, transform = "softplus")
  new <- data.frame(a = c(0.3, 0.8), b = c(0.5, 0.1))
  found <- influence(fit, new)
  before <- predict(fit, new, observation = FALSE)
  for (j in 1:2) {
    top <- order(-abs(found$median[, j]))[1:3]
    change <- vapply(top, function(i) {
      refit <- btg(y ~ a + b, d[-i, ], transform = "softplus")
      predict(refit, new, observation = FALSE)[j] - before[j]
    }, 0)
    expect_lt(max(abs(found$median[top, j] - change)), 0.15 * max(abs(change)))
  }
})

test_that("a row that alone determines the trend has no influence to state", {
  d <- transform(oracle_data(), special = as.numeric(seq_len(14) == 3))
  fit <- suppressWarnings(btg(y ~ x, d, trend = ~ special, transform = "identity",
                              quadrature = few_nodes()))
  found <- influence(fit, data.frame(x = c(1, 5), special = 0))
  expect_true(all(is.na(found$median[3, ])))
  expect_false(anyNA(found$median[-3, ]))
})

test_that("rows and points can be chosen, and averages and wgp() have influences", {
  average <- small_average()
  new <- oracle_data()[1:2, ]
  new$x[2] <- NA
  found <- influence(average, new, at = 1, rows = c(4, 2))
  expect_identical(dimnames(found$median), list(c("4", "2"), c("1", "2")))
  expect_true(all(is.na(found$median[, 2])))
  expect_identical(influence(average, new, at = 1, rows = c("4", "2"))$median, found$median)
  all <- influence(average, new, at = 1)
  expect_equal(all$exceedance[c(4, 2), 1], found$exceedance[, 1])
  expect_identical(nrow(as.data.frame(all)), 28L)
  likely <- wgp(y ~ x, oracle_data(), fixed = c(lengthscale.x = 2, noise = 0.1))
  expect_equal(sum(!is.na(influence(likely, new[1, ])$median)), 14)
})

test_that("what cannot be answered is refused", {
  case <- oracle_case("identity")
  expect_error(influence(case$fit), class = "btg_error_argument")
  expect_error(influence(case$fit, case$new, rows = 15), class = "btg_error_argument")
  expect_error(influence(case$fit, case$new, rows = c(1, 1)), class = "btg_error_argument")
  expect_error(influence(case$fit, case$new, at = 1:2), class = "btg_error_argument")
  expect_error(influence(case$fit, case$new, where = 2), class = "btg_error_unknown_argument")
})

test_that("intervals that are a point at a bound keep their width", {
  d <- data.frame(x = seq(0, 1, length.out = 20))
  d$y <- pmax(20 * (d$x - 0.5) + 0.3 * sin(37 * (1:20)^2), 0)
  fit <- suppressMessages(btg(y ~ x, d, lower = 0, transform = "identity",
                              quadrature = few_nodes(8)))
  expect_identical(unname(predict(fit, d[2, ], type = "quantile", probs = 0.975,
                                  observation = FALSE)[1, 1]), 0)
  expect_true(all(influence(fit, d[2, ], rows = c(5, 18))$width == 1))
})
