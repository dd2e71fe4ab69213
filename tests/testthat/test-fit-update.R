# Rows added to a fit against a fit to all rows.

growing_data <- function() {
  d <- oracle_data(30)
  d$k <- 1 + seq_len(30) %% 3
  d
}

# What a fit spent on its search and its nodes, in likelihoods.
work_of <- function(fit) fit$quadrature$likelihoods + 3 * fit$quadrature$gradients

# Quantiles of two fits, their difference relative to the predictive sd.
quantile_difference <- function(a, b, new) {
  probs <- c(0.025, 0.5, 0.975)
  one <- quiet_predict(a, new, type = "quantile", probs = probs)
  two <- quiet_predict(b, new, type = "quantile", probs = probs)
  max(abs(one - two) / ((one[, 3] - one[, 1]) / (2 * qnorm(0.975))))
}

test_that("rows added without modes to look for make the same fit: rules over the prior", {
  d <- growing_data()
  fit <- function(d, ...) btg(y ~ x + poly(w, 2), d, quadrature = few_nodes(), trend = ~ x, ...)
  for (transform in c("sinharcsinh", "softplus")) {
    whole <- fit(d, transform = transform)
    part <- update(fit(d[1:20, ], transform = transform), newdata = d[21:30, ])
    expect_close(nodes(part)$log_marginal, nodes(whole)$log_marginal)
    expect_close(nodes(part)$weight, nodes(whole)$weight)
    expect_close(predict(part, d[1:5, ]), predict(whole, d[1:5, ]))
    expect_identical(part$added_rows, 10L)
    expect_output(print(part), "30 rows (10 added), 3 inputs", fixed = TRUE)
    expect_identical(nobs(part), 30L)
    expect_equal(part$row_names, whole$row_names)
    expect_equal(part$data, whole$data)
    expect_equal(formula(part), formula(whole), ignore_formula_env = TRUE)
    twice <- update(update(fit(d[1:20, ], transform = transform), newdata = d[21:25, ]),
                    newdata = d[26:30, ])
    expect_close(nodes(twice)$log_marginal, nodes(whole)$log_marginal)
    expect_identical(twice$added_rows, 10L)
  }
})

test_that("update() keeps the settings of the fit, and new weights belong to the new rows", {
  d <- growing_data()
  d$group <- factor(rep(c("a", "b", "c"), 10))
  prior <- btg_prior(lengthscale.x = btg_dist("uniform", lower = 1, upper = 20))
  fit <- function(d) {
    btg(log(y) ~ x + w + group, d, transform = "sinharcsinh", kernel = "rbf", product = TRUE,
        quadrature = few_nodes(20), prior = prior, warp_inputs = FALSE, epsilon = 0)
  }
  whole <- update(fit(d), weights = k)
  part <- update(update(fit(d[1:20, ]), data = d[1:20, ], weights = k), newdata = d[21:30, ])
  expect_close(nodes(part)$log_marginal, nodes(whole)$log_marginal)
  expect_close(nodes(part)$log_prior, nodes(whole)$log_prior)
  expect_identical(weights(part), d$k)
  expect_identical(part$response_name, "log(y)")
  expect_close(predictive_scores(part, d[1:3, ])$log_score,
               predictive_scores(whole, d[1:3, ])$log_score)

  given <- update(fit(d[1:20, ]), newdata = d[21:30, ], weights = k)
  expect_identical(weights(given), c(rep(1, 20), d$k[21:30]))
  # A level that the fit has not seen.
  d$group <- factor(c(rep(c("a", "b"), 10), rep("c", 10)))
  part <- update(fit(d[1:20, ]), newdata = d[21:30, ])
  expect_close(nodes(part)$log_marginal, nodes(fit(d))$log_marginal)
})

test_that("the default rule starts from the modes of the fit, does less, and agrees", {
  d <- growing_data()
  start <- btg(y ~ x + w, d[1:25, ], transform = "sinharcsinh")
  whole <- btg(y ~ x + w, d, transform = "sinharcsinh")
  more <- update(start, newdata = d[26:30, ])
  expect_lt(more$quadrature$gradients, 0.6 * whole$quadrature$gradients)
  expect_lt(work_of(more), 1.5 * work_of(whole)) # how many nodes do differs
  expect_lt(quantile_difference(more, whole, d[c(1, 8, 20), ]), 0.1)
  error <- sqrt(more$quadrature$log_evidence_error^2 + whole$quadrature$log_evidence_error^2)
  expect_lt(abs(more$quadrature$log_evidence - whole$quadrature$log_evidence), 4 * error)
})

test_that("averages and fits by wgp() take rows too", {
  d <- growing_data()
  prior <- btg_prior(lengthscale.x = btg_dist("uniform", lower = 1, upper = 20))
  fit <- function(d) btg(y ~ x + w, d, quadrature = few_nodes(), prior = prior, product = FALSE)
  whole <- fit(d)
  part <- update(fit(d[1:20, ]), newdata = d[21:30, ])
  expect_true(is_average(part))
  expect_close(part$model_weights, whole$model_weights, 1e-6, floor = 1e-3)
  expect_close(predict(part, d[1:4, ]), predict(whole, d[1:4, ]), 1e-6)
  expect_close(predict(update(refine(part), newdata = d[1, ], refit = TRUE), d[1:4, ]),
               predict(update(part, newdata = d[1, ], refit = TRUE), d[1:4, ]), 1e-6)

  for (method in c("REML", "ML")) {
    fit <- function(d) wgp(y ~ x + w, d, transform = "sinharcsinh", method = method)
    whole <- fit(d)
    part <- update(fit(d[1:20, ]), newdata = d[21:30, ])
    expect_close(logLik(part), logLik(whole), 1e-6)
    expect_lt(sum(part$optimisation$evaluations), 0.6 * sum(whole$optimisation$evaluations))
    expect_s3_class(part, "wgp")
  }
})

test_that("rows are added to a fit to a matrix with their responses", {
  d <- growing_data()
  x <- as.matrix(d[c("x", "w")])
  whole <- btg(x, d$y, transform = "softplus", quadrature = few_nodes())
  part <- btg(x[1:20, ], d$y[1:20], transform = "softplus", quadrature = few_nodes())
  more <- update(part, newdata = x[21:30, ], y = d$y[21:30])
  expect_close(nodes(more)$log_marginal, nodes(whole)$log_marginal)
  expect_error(update(part, newdata = x[21:30, ]), class = "btg_error_argument")
  expect_error(update(part, newdata = x[21:30, ], y = 1:3), class = "btg_error_length")
})

test_that("rows with missing values are left out, and a saved fit can be updated", {
  d <- growing_data()
  path <- tempfile(fileext = ".rds")
  saveRDS(btg(y ~ x, d[1:20, ], transform = "identity", quadrature = few_nodes()), path)
  d$x[30] <- NA
  more <- update(readRDS(path), newdata = d[21:30, ])
  expect_identical(nobs(more), 29L)
  expect_close(nodes(more)$log_marginal,
               nodes(btg(y ~ x, d[1:29, ], transform = "identity",
                         quadrature = few_nodes()))$log_marginal)
})

test_that("without new rows, update() changes the call", {
  d <- growing_data()
  fit <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes())
  expect_identical(nodes(update(fit, . ~ . + w)),
                   nodes(btg(y ~ x + w, d, transform = "identity", quadrature = few_nodes())))
  expect_identical(nodes(update(fit, transform = "softplus")),
                   nodes(btg(y ~ x, d, transform = "softplus", quadrature = few_nodes())))
  expect_identical(update(fit, kernel = "rbf", evaluate = FALSE)$kernel, "rbf")
  expect_identical(weights(update(fit, weights = k)), d$k)
})

test_that("what cannot be updated is an error", {
  d <- growing_data()
  fit <- btg(y ~ x, d[1:20, ], transform = "identity", quadrature = few_nodes())
  expect_error(update(fit, newdata = 1:3), class = "btg_error_argument")
  expect_error(update(fit, newdata = d[21:30, "w", drop = FALSE]), class = "btg_error_newdata")
  expect_error(update(fit, newdata = d[21:30, c("y", "w")]), class = "btg_error_missing_columns")
  expect_error(update(fit, newdata = transform(d, x = letters[1:30 %% 26 + 1])),
               class = "btg_error_column_type")
  expect_error(update(fit, newdata = d[21:30, ], kernel = "rbf"), "kernel",
               class = "btg_error_update")
  expect_error(update(fit, . ~ . + w, newdata = d[21:30, ]), class = "btg_error_update")
  expect_error(update(update(fit, newdata = d[21:30, ]), kernel = "rbf"),
               class = "btg_error_update")
  weighted <- update(fit, weights = k)
  expect_error(update(weighted, newdata = d[21:30, c("x", "y")]), class = "btg_error_weights")
})

test_that("rows with missing values are not counted as added; sf points can be added", {
  fit <- btg(dist ~ speed, cars, transform = "identity", quadrature = few_nodes())
  more <- update(fit, newdata = data.frame(speed = c(20, NA), dist = c(50, 3)))
  expect_identical(more$added_rows, 1L)
  expect_identical(nobs(more), 51L)

  skip_if_not_installed("sf")
  places <- sf::st_as_sf(quakes[1:20, ], coords = c("long", "lat"))
  fit <- btg(depth ~ X + Y, places[1:15, ], transform = "identity", quadrature = few_nodes())
  expect_identical(nobs(update(fit, newdata = places[16:20, ])), 20L)
})

# Found by fuzzing: there were logarithms of these, and a warning of R's.
test_that("rows are added to a fit by wgp() whose transform has negative parameters", {
  d <- oracle_data()
  fit <- wgp(y ~ x, transform(d, y = -y)[1:12, ], transform = "sinharcsinh")
  expect_lt(nodes(fit)$sinharcsinh.a, 0)
  expect_warning(more <- update(fit, newdata = transform(d, y = -y)[13:14, ]), NA)
  expect_equal(nobs(more), 14)
})

# The number of restarts in each search while `code` runs, with no start from a mode of the fit.
restarts_asked <- function(code) {
  search <- core_maximum
  asked <- integer()
  with_functions(list(core_maximum = function(models, which, restarts, warm, run) {
    asked <<- c(asked, as.integer(restarts))
    search(models, which, restarts, warm[0L, , drop = FALSE], run)
  }), code)
  asked
}

test_that("a fit by wgp() keeps its number of restarts", {
  d <- growing_data()
  fit <- wgp(y ~ x, d[1:20, ], restarts = 2)
  expect_identical(nrow(fit$optimisation), 2L)
  expect_identical(restarts_asked(more <- update(fit, newdata = d[21:30, ])), 2L)
  expect_identical(more$settings, fit$settings)
  expect_identical(nrow(more$optimisation), 2L)
  expect_identical(restarts_asked(update(more, newdata = d[1, ])), 2L)
  expect_identical(restarts_asked(loocv(fit, method = "refit", folds = 3)), c(2L, 2L, 2L))
})

test_that("models that were selected stay so when rows are added", {
  one <- select_models(btg(dist ~ speed, cars[1:40, ]), 1L)
  more <- update(one, newdata = cars[41:50, ])
  expect_named(more$models, names(one$models))
  expect_named(update(more, newdata = cars[1:9, ] + 0.5)$models, names(one$models))
})

test_that("rows added to a fit without copies are copies if they agree with others", {
  d <- data.frame(x = (0.618 * 1:14) %% 1)
  d$y <- sin(6 * d$x) + 0.1 * sin(37 * 1:14)
  fit_to <- function(data) {
    suppressMessages(btg(y ~ x, data, noise = ~ x, transform = "identity",
                         quadrature = few_nodes()))
  }
  earlier <- fit_to(rbind(d[1:12, ], d[1:12, ]))
  expect_identical(nobs(earlier), 12L)
  expect_message(more <- update(earlier, newdata = d[c(3, 13, 14, 13), ], refit = TRUE),
                 "2 new rows are copies")
  expect_identical(nobs(more), 14L)
  whole <- fit_to(rbind(d, d[1:12, ]))
  expect_equal(whole$design$noise, more$design$noise)
  expect_message(expect_identical(update(earlier, newdata = d[3, ]), earlier), "is a copy")
})

test_that("copies are found among rows whose variables are matrices", {
  x <- cbind(u = (0.618 * 1:12) %% 1, v = (0.414 * 1:12) %% 1)
  d <- data.frame(y = sin(6 * x[, 1]) + x[, 2])
  d$x <- x
  earlier <- suppressMessages(btg(y ~ x, rbind(d, d), transform = "identity",
                                  quadrature = few_nodes()))
  changed <- d[3, ]
  changed$x[1, "v"] <- 0.5
  expect_identical(nobs(suppressMessages(update(earlier, newdata = rbind(d[3, ], changed)))), 13L)
})

test_that("update() refuses what is neither a formula nor rows", {
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(8))
  expect_error(update(fit, 3), "`formula.` must be a formula, or a data frame",
               class = "btg_error_argument")
  expect_error(update(fit, as.matrix(cars)), class = "btg_error_argument")
})
