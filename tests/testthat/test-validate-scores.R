held_out <- function() {
  d <- oracle_data(20)
  list(train = d[1:14, ], test = d[15:20, ])
}

test_that("scores are predictions at the observed responses", {
  data <- held_out()
  fit <- btg(y ~ x + w, data$train, transform = "sinharcsinh", quadrature = few_nodes())
  found <- predictive_scores(fit, data$test, level = 0.8)
  expect_named(found, c("y", "median", "lwr", "upr", "log_score", "crps", "pit", "mass"))
  expect_identical(found$mass, rep(0, 6))
  expect_identical(row.names(found), row.names(data$test))
  expect_identical(found$y, data$test$y)
  interval <- predict(fit, data$test, interval = "credible", level = 0.8)
  expect_identical(unname(as.matrix(found[c("median", "lwr", "upr")])), unname(interval))
  model <- naive_model(fit, data$train[c("x", "w")], cbind(rep(1, 14)), data$train$y,
                       "sinharcsinh")
  mixtures <- naive_mixtures(model, data$test[c("x", "w")], cbind(rep(1, 6)))
  for (i in 1:6) {
    y <- data$test$y[i]
    expect_close(found$log_score[i], log(mixtures[[i]]$density(y)), floor = 0.01)
    expect_close(found$pit[i], mixtures[[i]]$cdf(y))
    expect_lt(abs(found$crps[i] - naive_crps(mixtures[[i]], y)), 1e-6)
  }
})

test_that("after a fit to a matrix, the response is given", {
  data <- held_out()
  inputs <- c("x", "w")
  by_formula <- btg(y ~ x + w, data$train, quadrature = few_nodes(), transform = "sinharcsinh")
  by_matrix <- btg(as.matrix(data$train[inputs]), data$train$y, quadrature = few_nodes(),
                   transform = "sinharcsinh")
  new <- as.matrix(data$test[inputs])
  found <- predictive_scores(by_matrix, new, data$test$y)
  expect_equal(found, predictive_scores(by_formula, data$test), tolerance = 1e-8,
               ignore_attr = TRUE)
  expect_error(predictive_scores(by_matrix, new), "`y` is missing", class = "btg_error_argument")
  expect_error(predictive_scores(by_matrix, new, data$test$y[1:3]), "the response 3 values",
               class = "btg_error_length")
  # What is given comes before what is in the data.
  expect_identical(predictive_scores(by_formula, data$test, y = data$test$y + 1)$y, data$test$y + 1)
})

test_that("the response is transformed as in the formula", {
  data <- held_out()
  fit <- btg(log(y) ~ x + w, data$train, transform = "identity", quadrature = few_nodes())
  expect_identical(predictive_scores(fit, data$test)$y, log(data$test$y))
})

test_that("a missing response or input is a row of NA, and disturbs no other", {
  data <- held_out()
  fit <- btg(y ~ x + w, data$train, quadrature = few_nodes(), transform = "sinharcsinh")
  whole <- predictive_scores(fit, data$test)
  holes <- data$test
  holes$y[2] <- NA
  holes$x[5] <- NA
  found <- predictive_scores(fit, holes)
  expect_equal(found[-c(2, 5), ], whole[-c(2, 5), ], tolerance = 1e-12)
  judged <- c("log_score", "crps", "pit")
  expect_true(all(is.na(found[c(2, 5), judged])))
  expect_equal(found$median[2], whole$median[2], tolerance = 1e-12)
  expect_identical(found$median[5], NA_real_)
  expect_identical(found$y[5], holes$y[5])
})

test_that("without the response in the new data, nothing else is taken for it", {
  data <- held_out()
  fit <- btg(y ~ x + w, data$train, quadrature = few_nodes(), transform = "sinharcsinh")
  y <- rep(1, 6)
  expect_error(predictive_scores(fit, data$test[c("x", "w")]), "response `y`",
               class = "btg_error_newdata")
  expect_error(predictive_scores(fit), "loocv", class = "btg_error_argument")
  expect_error(predictive_scores(cars, cars), "btg", class = "btg_error")
})

test_that("zeros are scored by the logarithm of the mass at them", {
  d <- oracle_data(20)
  d$y <- pmax(d$y - 0.7, 0)
  fit <- suppressMessages(btg(y ~ x + w, d[1:14, ], transform = "softplus",
                              quadrature = few_nodes()))
  found <- suppressWarnings(predictive_scores(fit, transform(d[15:20, ], y = 0)))
  below <- suppressWarnings(predict(fit, d[15:20, ], type = "cdf", at = 0))
  expect_equal(found$mass, unname(below[, 1]))
  expect_equal(found$log_score, log(found$mass))
  expect_equal(found$pit, found$mass / 2)
  # Inside an interval that begins at zero.
  lower <- predict(fit, d[15:20, ], type = "quantile", probs = c(0.25, 0.75))
  expect_equal(summary(found)$estimates["coverage_50", "estimate"], mean(lower[, 1] == 0))
  expect_true(all(found$lwr >= 0) && all(is.finite(found$crps)) && all(is.finite(found$log_score)))
})

test_that("warnings of predict() are shown once, and its arguments have an effect", {
  d <- oracle_data(20)
  fit <- btg(y ~ x + w, d[1:14, ], transform = "boxcox", quadrature = few_nodes(),
             prior = btg_prior("independent", fixed = c(boxcox.lambda = 3)))
  said <- list()
  withCallingHandlers(predictive_scores(fit, d[15:20, ]), warning = function(w) {
    said <<- c(said, list(class(w)[1]))
    invokeRestart("muffleWarning")
  })
  expect_identical(said, list("btg_warning_lost_mass"))
  narrow <- suppressWarnings(predictive_scores(fit, d[15:20, ], observation = FALSE))
  wide <- suppressWarnings(predictive_scores(fit, d[15:20, ]))
  expect_true(all(narrow$upr - narrow$lwr < wide$upr - wide$lwr))
})

test_that("summary() of scores returns the estimates of loocv(), for new rows", {
  fit <- btg(dist ~ speed, cars[1:40, ], transform = "softplus", quadrature = few_nodes())
  found <- predictive_scores(fit, cars[41:50, ])
  expect_s3_class(found, "btg_scores")
  summary <- summary(found)
  expect_identical(summary$rows, 10L)
  expect_identical(row.names(summary$estimates), row.names(loocv(fit)$estimates))
  expect_equal(summary$estimates["elpd", "estimate"], sum(found$log_score))
  expect_equal(summary$estimates["mae", "estimate"], mean(abs(found$y - found$median)))
  expect_equal(summary$estimates["coverage_95", "estimate"],
               mean(found$y >= found$lwr & found$y <= found$upr))
  expect_output(print(summary), "Predictions of 10 new rows")
  missing <- predictive_scores(fit, rbind(cars[41:43, ], c(NA, 1)))
  expect_identical(summary(missing)$rows, 3L)
  # Of some columns, that of data frames.
  expect_s3_class(summary(found["crps"]), "table")
})

test_that("rows of a matrix may have one name", {
  x <- cbind(a = (0.618 * 1:14) %% 1)
  y <- sin(6 * x[, 1]) + 0.1 * sin(37 * 1:14)
  rownames(x) <- rep("q", 14)
  fit <- btg(x, y, transform = "identity", quadrature = few_nodes())
  expect_identical(nrow(predictive_scores(fit, x, y = y)), 14L)
})

test_that("no rows have no scores", {
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes())
  expect_identical(dim(predictive_scores(fit, cars[0, ])), c(0L, 8L))
})
