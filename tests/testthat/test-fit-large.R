large_data <- function(n = 150, seed = 1) {
  set.seed(seed)
  d <- data.frame(x = runif(n), u = runif(n), g = sample(c("a", "b", "c"), n, TRUE))
  d$y <- exp(sin(6 * d$x) + 0.5 * d$u + (d$g == "b") + rnorm(n, sd = 0.2))
  d$w <- runif(n, 0.5, 2)
  d
}

# An exact fit, and the same nodes with the covariance held as `approx` says.
with_approx <- function(fit, approx) {
  fit$models <- lapply(fit$models, function(model) {
    model$problem$approx <- with_lengthscales(approx, model)
    model
  })
  add_checksum(fit)
}

new_rows_of <- function(d) transform(d[1:12, ], x = x + 0.01)

test_that("with all neighbours, or an inducing function for each row, it is the exact model", {
  d <- large_data(60)
  exact <- btg(y ~ x + u + g, d, trend = ~ u, weights = w, transform = "softplus",
               noise = ~ x, quadrature = quad_sobol(16))
  hyper <- nodes(exact)
  new <- new_rows_of(d)
  for (approx in list(vecchia(100, 8, 0), vecchia(100, 1, 10), vecchia(0, 4, 60))) {
    same <- with_approx(exact, approx)
    expect_equal(log_posterior(same, hyper), log_posterior(exact, hyper), tolerance = 1e-9)
    for (observation in c(TRUE, FALSE)) {
      expect_equal(predict(same, new, type = "quantile", observation = observation),
                   predict(exact, new, type = "quantile", observation = observation),
                   tolerance = 1e-7)
    }
    expect_equal(suppressWarnings(loocv(same))$pointwise$log_score,
                 suppressWarnings(loocv(exact))$pointwise$log_score, tolerance = 1e-7)
    expect_equal(suppressWarnings(loocv(same, folds = 5))$pointwise$median,
                 suppressWarnings(loocv(exact, folds = 5))$pointwise$median, tolerance = 1e-6)
    expect_equal(coef(same), coef(exact), tolerance = 1e-6)
    expect_equal(simulate(same, 3, seed = 2, newdata = new)$sim_2,
                 simulate(exact, 3, seed = 2, newdata = new)$sim_2, tolerance = 1e-5)
  }
})

test_that("gradients agree with differences of the likelihood at a fixed structure", {
  skip_if_not_installed("numDeriv")
  d <- large_data(90)
  fit <- with_approx(btg(y ~ x + u, d, transform = "softplus", quadrature = quad_sobol(4)),
                     vecchia(12, 6, 10))
  model <- fit$models[[1]]
  at <- model$posterior$hyper[1, ]
  positive <- vapply(model$problem$hyperparameters, function(h) h$positive, NA)
  value <- function(coordinate) {
    hyper <- replace(coordinate, positive, exp(coordinate[positive]))
    evaluate_model(build_models(fit$design, list(model)), rbind(hyper))$log_marginal
  }
  found <- evaluate_fit(fit, at)$gradient
  expected <- numDeriv::grad(value, replace(at, positive, log(at[positive])))
  expect_equal(as.vector(found), expected, tolerance = 1e-6)
})

test_that("a fit of its own is close to the exact one, on any number of threads", {
  skip_if_quick()
  skip_on_cran()
  d <- large_data(500)
  rule <- quad_adaptive(effective = 60, most = 200)
  exact <- btg(y ~ x + u, d, transform = "softplus", quadrature = rule)
  fit <- btg(y ~ x + u, d, transform = "softplus", quadrature = rule, approx = vecchia(40, 16, 60))
  new <- new_rows_of(d)
  ends <- function(fit) predict(fit, new, interval = "credible")
  sd <- (ends(exact)[, "upr"] - ends(exact)[, "lwr"]) / (2 * qnorm(0.975))
  expect_lt(max(abs(ends(fit) - ends(exact)) / sd), 0.1)
  expect_lt(fit$approximation$inflation, 0.02)
  expect_output(print(fit), "approximated by blocks of 16")
  expect_output(print(summary(fit)), "Error of the approximate covariance")
  expect_identical(predict(fit, new, threads = 2), predict(fit, new))
  again <- btg(y ~ x + u, d, transform = "softplus", quadrature = rule, threads = 2,
               approx = vecchia(40, 16, 60))
  expect_identical(nodes(again), nodes(fit))
  file <- tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new), predict(fit, new))
  expect_s3_class(update(fit, newdata = new), "btg")
})

test_that("wgp(), averages and a noise that varies can be approximated", {
  skip_if_quick()
  d <- large_data(300)
  most_likely <- wgp(y ~ x + u, d, transform = "softplus", approx = vecchia(30, 16, 30))
  exact <- wgp(y ~ x + u, d, transform = "softplus")
  expect_equal(as.vector(logLik(most_likely)), as.vector(logLik(exact)), tolerance = 0.01)
  rule <- quad_adaptive(effective = 30, most = 80)
  average <- btg(y ~ x + u, d, approx = vecchia(30, 16, 30), quadrature = rule)
  expect_gte(length(average$models), 1L)
  expect_true(all(is.finite(loocv(average)$pointwise$log_score)))
  noisy <- btg(y ~ x + u, d, noise = ~ x, transform = "softplus", quadrature = rule,
               approx = vecchia(30, 16, 30))
  expect_true("noise.x" %in% names(nodes(noisy)))
})

test_that("a fit to more than 1000 distinct rows is approximated, with a message", {
  skip_if_quick()
  skip_on_cran()
  d <- large_data(1001)
  rule <- quad_adaptive(effective = 10, most = 30)
  expect_message(
    fit <- btg(y ~ x, d, transform = "softplus", quadrature = rule), class = "btg_message_approx"
  )
  expect_true(is_approximate(fit))
  # A hundred places, eleven times each, are a hundred rows.
  replicates <- transform(d[rep(1:100, 11), ], y = y + sin(seq_along(y)) / 10)
  expect_silent(fit <- btg(y ~ x, replicates, transform = "identity", quadrature = few_nodes()))
  expect_false(is_approximate(fit))
})

test_that("a coarse approximation that the default chose is replaced by an exact fit", {
  skip_if_quick()
  skip_on_cran()
  set.seed(1)
  d <- data.frame(matrix(runif(4 * 1050), ncol = 4))
  d$y <- exp(d$X1) * (1 + d$X2 * d$X3) + sin(3 * d$X4)
  said <- capture_messages(fit <- wgp(y ~ ., d, kernel = "rbf", restarts = 1))
  expect_match(said, "making an exact fit", all = FALSE)
  expect_false(is_approximate(fit))
  exact <- wgp(y ~ ., d, kernel = "rbf", restarts = 1, approx = "exact")
  new <- data.frame(X1 = c(0.1, 0.5), X2 = 0.3, X3 = 0.7, X4 = 0.2)
  expect_identical(predict(fit, new), predict(exact, new))
  # Keeps what the user asked for.
  expect_warning(asked <- wgp(y ~ ., d, kernel = "rbf", restarts = 1, approx = vecchia()),
                 class = "btg_warning_approx")
  expect_true(is_approximate(asked))
})

test_that("ugly data have an answer or an error of ours", {
  rule <- quad_adaptive(effective = 10, most = 40)
  d <- large_data(120)
  fit_to <- function(d, ..., formula = y ~ x + u) {
    suppressMessages(suppressWarnings(
      btg(formula, d, transform = "identity", quadrature = rule, ...)
    ))
  }
  more <- fit_to(d, approx = vecchia(1000, 200, 500))
  expect_true(all(is.finite(predict(more))))
  discrete <- transform(d, x = round(x), u = round(3 * u))
  expect_true(all(is.finite(predict(fit_to(discrete, approx = vecchia(10, 4, 5))))))
  collinear <- transform(d, u = 2 * x)
  expect_true(all(is.finite(predict(fit_to(collinear, approx = vecchia(10, 4, 5))))))
  many <- transform(d, g = factor(seq_len(120) %% 60))
  expect_true(all(is.finite(predict(fit_to(many, formula = y ~ x + g,
                                           approx = vecchia(10, 4, 5))))))
  flat <- transform(d, u = 1e6 * u)
  expect_true(all(is.finite(predict(fit_to(flat, approx = vecchia(10, 4, 5))))))
  quiet <- transform(d, y = sin(6 * x) + u)
  expect_true(all(is.finite(predict(fit_to(quiet, noise = 1e-6, approx = vecchia(10, 4, 5))))))
  expect_error(fit_to(d, approx = "nearest"), class = "btg_error_argument")
  expect_error(loocv(more, method = "naive"), class = "btg_error_argument")
})

test_that("nodes without spread have no shift", {
  d <- large_data(30)
  fit <- suppressWarnings(btg(y ~ x + u, d, transform = "identity", approx = vecchia(5, 4, 0),
                              quadrature = quad_sobol(16)))
  model <- fit$models[[1]]
  count <- length(model$posterior$weight)
  moved <- covariance_coordinates(model)
  shift_by <- function(weight, hyper = model$posterior$hyper) {
    model$posterior$hyper <- hyper
    model$posterior$weight <- weight
    hyperparameter_shift(model, moved, diag(length(moved)))
  }
  expect_null(shift_by(rep(1:0, c(1, count - 1))))
  hyper <- model$posterior$hyper
  hyper[, moved[1]] <- hyper[1, moved[1]]
  expect_named(shift_by(rep(1 / count, count), hyper),
               names(model$problem$hyperparameters)[moved[-1]])
})
