average <- btg(dist ~ speed, cars, kernel = "auto", quadrature = few_nodes(32))

test_that("models are listed by weight, with their transform, kernel and left-out score", {
  lines <- format_models(average)
  kept <- average$model_weights[average$model_weights > 0]
  expect_match(lines[1], paste("Average of", length(kept), "models, weighted to predict"))
  rows <- lines[2 + seq_along(kept)]
  shown <- do.call(rbind, strsplit(trimws(rows), " {2,}"))
  order <- names(sort(kept, decreasing = TRUE))
  expect_identical(shown[, 1], unname(format_weights(kept[order])))
  expect_identical(as.numeric(shown[, 4]),
                   unname(round(average$averaging$elpd[match(order, names(average$models))], 1)))
  expect_true(all(shown[, 2] %in% c("softplus", "sinharcsinh")))
  expect_true(all(shown[, 3] %in% auto_kernels))
})

test_that("models without weight are counted", {
  none <- average
  none$model_weights[] <- c(1, rep(0, length(none$model_weights) - 1L))
  expect_match(format_models(none), "other models of weight 0\\)", all = FALSE)
  expect_no_match(format_models(select_models(average, 1:2)), "of weight 0")
})

test_that("posterior probabilities are shown with log evidences", {
  fit <- btg(dist ~ speed, cars, kernel = "matern52", quadrature = few_nodes(32),
             averaging = "posterior")
  lines <- format_models(fit)
  expect_match(lines[1], "weighted by their posterior probabilities")
  expect_match(lines[2], "log evidence$")
})

test_that("a weight that is not zero never looks like zero", {
  expect_identical(format_weights(c(0.004, 0.0051, 0.637, 1)), c("<0.01", "0.01", "0.64", "1.00"))
})

test_that("columns of text are aligned under their names", {
  shown <- text_columns(list(a = c("x", "long"), n = c("1.5", "10")), right = "n")
  expect_identical(shown, c("  a       n", "  x     1.5", "  long   10"))
})

test_that("the verdict on the integral follows the error of interval ends", {
  fit <- btg(dist ~ speed, cars, transform = "softplus")
  verdict <- function(error) {
    fit$accuracy <- error
    format_accuracy(fit)
  }
  limit <- largest_error / sqrt(2 / pi)
  expect_match(verdict(0.49 * limit), "good (interval ends within", fixed = TRUE)
  expect_match(verdict(0.51 * limit), "fair")
  expect_match(verdict(1.01 * limit), "poor")
  expect_null(verdict(NULL))
  # A rule without standard errors has the error 0.
  expect_null(verdict(0))
})

test_that("fits keep the error that the verdict needs, as btg() found it", {
  rlang::local_options(btg.warn_quadrature = TRUE)
  fit <- btg(dist ~ speed, cars, transform = "softplus")
  expect_equal(fit$accuracy, quadrature_error(fit)["ends", "mean"], tolerance = 0.3)
  expect_output(print(fit), "Numerical accuracy: good")
  both <- btg(dist ~ speed, cars, kernel = "matern52")
  expect_output(print(both), "Numerical accuracy: good")
  expect_no_match(capture.output(print(select_models(both, 1L))), "Numerical accuracy")
})
