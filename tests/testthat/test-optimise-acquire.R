acquire_fit <- function(transform = "softplus", ...) {
  btg(y ~ x + w, oracle_data(), transform = transform, quadrature = few_nodes(), ...)
}

acquire_rows <- data.frame(x = c(3.3, 11, 0.5), w = c(5700, 5100, 5050))

test_that("criteria are means over many draws", {
  fit <- acquire_fit("auto", kernel = "matern52", prior = btg_prior("independent"))
  y <- oracle_data()$y
  draws <- as.matrix(simulate(fit, 40000, seed = 1, newdata = acquire_rows, joint = FALSE,
                              observation = FALSE))
  # Within four standard errors.
  expect_mean <- function(value, of) {
    sample <- of(draws)
    error <- 4 * apply(sample, 1, sd) / sqrt(ncol(draws)) + 1e-5
    expect_true(all(abs(value - rowMeans(sample)) < error))
  }
  for (target in c(min(y), 1.5)) {
    expect_mean(acquire(fit, acquire_rows, target = target), function(d) pmax(target - d, 0))
    expect_mean(acquire(fit, acquire_rows, "pi", target = target), function(d) d <= target)
  }
  expect_mean(acquire(fit, acquire_rows, maximise = TRUE, target = 2), function(d) pmax(d - 2, 0))
  expect_mean(acquire(fit, acquire_rows, "pi", maximise = TRUE, target = 2), function(d) d > 2)
  contour <- acquire(fit, acquire_rows, "contour", threshold = 1.2)
  share <- rowMeans(draws > 1.2)
  expect_equal(unname(contour), unname(pmin(share, 1 - share)), tolerance = 0.05)
})

test_that("criteria are integrals and quantiles of the distribution that predict() has", {
  for (observation in c(TRUE, FALSE)) {
    fit <- acquire_fit("sinharcsinh")
    one <- acquire_rows[1, ]
    cdf <- function(y) drop(predict(fit, one, type = "cdf", at = y, observation = observation))
    above <- function(y) {
      drop(predict(fit, one, type = "exceedance", at = y, observation = observation))
    }
    quantile <- function(p) {
      drop(predict(fit, one, type = "quantile", probs = p, observation = observation))
    }
    ask <- function(...) unname(acquire(fit, one, ..., observation = observation))
    for (target in unname(quantile(c(0.01, 0.3, 0.9)))) {
      expect_equal(ask(target = target),
                   integrate(cdf, -Inf, target, rel.tol = 1e-9)$value, tolerance = 1e-6)
      expect_equal(ask(target = target, maximise = TRUE),
                   integrate(above, target, Inf, rel.tol = 1e-9)$value, tolerance = 1e-6)
    }
    expect_equal(ask("quantile", prob = 0.8), -unname(quantile(0.2)), tolerance = 1e-6)
    expect_equal(ask("quantile", prob = 0.8, maximise = TRUE), unname(quantile(0.8)),
                 tolerance = 1e-6)
    expect_equal(ask("spread", prob = 0.8), unname(diff(quantile(c(0.1, 0.9)))), tolerance = 1e-6)
  }
})

test_that("the target is the best response, or the best median", {
  fit <- acquire_fit()
  y <- oracle_data()$y
  median <- predict(fit, observation = FALSE)
  expect_equal(acquire(fit, acquire_rows), acquire(fit, acquire_rows, target = min(y)))
  expect_equal(acquire(fit, acquire_rows, maximise = TRUE),
               acquire(fit, acquire_rows, maximise = TRUE, target = max(y)))
  expect_equal(acquire(fit, acquire_rows, target = "median"),
               acquire(fit, acquire_rows, target = min(median)))
})

test_that("gradients are those of differences", {
  for (transform in c("auto", "sinharcsinh")) {
    fit <- acquire_fit(transform)
    for (criterion in c("ei", "pi", "quantile", "spread", "contour")) {
      for (maximise in if (criterion %in% c("spread", "contour")) FALSE else c(FALSE, TRUE)) {
        value <- function(new, ...) {
          acquire(fit, new, criterion, maximise = maximise,
                  threshold = if (criterion == "contour") 1.2, ...)
        }
        at <- value(acquire_rows, gradient = TRUE)
        expect_equal(as.vector(at), as.vector(value(acquire_rows)), tolerance = 1e-7)
        for (name in c("x", "w")) {
          h <- c(x = 1e-3, w = 0.2)[[name]]
          moved <- function(step) {
            acquire_rows[[name]] <- acquire_rows[[name]] + step
            value(acquire_rows)
          }
          expected <- (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
          expect_equal(attr(at, "gradient")[, name], expected, tolerance = 2e-6)
        }
      }
    }
  }
})

test_that("an improvement that does not exist is NA, with a warning", {
  fit <- acquire_fit("arcsinh")
  expect_warning(value <- acquire(fit, acquire_rows, maximise = TRUE),
                 class = "btg_warning_moments")
  expect_true(all(is.na(value)))
  expect_no_warning(acquire(fit, acquire_rows, "pi"))
})

test_that("rows keep their order and names, and missing ones are NA", {
  fit <- acquire_fit()
  rows <- rbind(acquire_rows, c(NA, 5000))[c(4, 2), ]
  value <- acquire(fit, rows)
  expect_named(value, c("4", "2"))
  expect_true(is.na(value[[1]]))
  expect_equal(value[[2]], acquire(fit, acquire_rows)[[2]])
  expect_length(acquire(fit, acquire_rows[0, ]), 0)
})

test_that("the criteria of a Gaussian process are those of textbooks, for Student's t", {
  d <- oracle_data()
  fit <- wgp(y ~ x + w, d, transform = "identity")
  df <- 13
  ends <- predict(fit, acquire_rows, type = "quantile", probs = pt(c(0, 1), df),
                  observation = FALSE)
  m <- ends[, 1]
  s <- ends[, 2] - m
  u <- (min(d$y) - m) / s
  expect_equal(acquire(fit, acquire_rows), tolerance = 1e-6,
               s * (u * pt(u, df) + (df + u^2) / (df - 1) * dt(u, df)))
  expect_equal(acquire(fit, acquire_rows, "spread", prob = 0.9), 2 * qt(0.95, df) * s,
               tolerance = 1e-6)
})

test_that("bad arguments are errors that say so", {
  fit <- acquire_fit()
  refused <- function(...) {
    expect_error(acquire(fit, acquire_rows, ...), class = "btg_error_argument")
  }
  refused("best")
  refused("quantile", target = 1)
  refused("ei", prob = 0.5)
  refused("ei", threshold = 1)
  refused("contour")
  refused("contour", threshold = c(1, 2))
  refused("contour", threshold = "high")
  refused(target = "mean")
  refused(target = c(1, 2))
  refused(target = NA_real_)
  refused("quantile", prob = 1)
  refused(maximise = NA)
  refused(observation = "no")
  refused(gradient = 1)
  expect_error(acquire(fit, acquire_rows, "ei", xi = 0.1), class = "btg_error_unknown_argument")
  expect_error(acquire(fit), class = "btg_error_argument")
  expect_error(acquire(1, acquire_rows), class = "btg_error_argument")
  expect_error(acquire(fit, data.frame(x = 1)), class = "btg_error_missing_columns")
})
