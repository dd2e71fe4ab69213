# The names of the questions in each call of core_answer() while `code` runs.
questions_of <- function(code) {
  ask_core <- core_answer
  asked <- list()
  with_functions(list(core_answer = function(ensemble, request, run) {
    asked <<- c(asked, list(names(request$questions)))
    ask_core(ensemble, request, run)
  }), code)
  asked
}

test_that("many rows go to the core in chunks, each row once and in order", {
  chunks <- row_chunks(1:1000, 2^22)
  expect_identical(unlist(chunks, use.names = FALSE), 1:1000)
  expect_identical(unname(lengths(chunks)), c(256L, 256L, 256L, 232L))
  expect_length(row_chunks(1:1000, 100), 1)
  expect_length(row_chunks(integer(), 100), 0)
})

test_that("one call of the core answers all questions of a user's call", {
  case <- oracle_case("sinharcsinh")
  ask <- function(...) questions_of(predict(case$fit, case$new, ...))
  expect_identical(ask(interval = "hdi"), list(c("quantile", "shortest")))
  expect_identical(ask(interval = "credible"), list("quantile"))
  expect_identical(ask(type = "mean", interval = "hdi"),
                   list(c("moments", "conditional_mean_shortest")))
  expect_identical(ask(type = "mean", interval = "confidence"),
                   list(c("moments", "conditional_mean")))
  expect_identical(ask(type = "mean", interval = "prediction"), list(c("moments", "quantile")))
  expect_identical(ask(type = "mode", interval = "credible"), list(c("mode", "quantile")))
  # Lost mass comes with every answer.
  expect_identical(ask(type = "lost_mass"), list(NULL))
  scored <- questions_of(predictive_scores(case$fit, case$data))
  expect_length(scored, 1)
  expect_setequal(scored[[1]], c("quantile", "log_density", "mass", "crps", "cdf"))
  left_out <- questions_of(loocv(case$fit))
  expect_length(left_out, 1)
  expect_setequal(left_out[[1]], scored[[1]])
})

test_that("rows in chunks are predicted as if each were alone", {
  chunks <- row_chunks(seq_len(2e5), 4)
  expect_equal(unlist(chunks, use.names = FALSE), seq_len(2e5))
  expect_lte(max(lengths(chunks)), 2^16)
  expect_lte(max(lengths(row_chunks(seq_len(1e5), 1000))), 2^22 / 1000)
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(4))
  new <- data.frame(speed = seq(1, 30, length.out = 2^16 + 100))
  some <- c(1, 20972, 20973, 2^16, 2^16 + 1, 2^16 + 100) # at the ends of chunks
  all <- predict(fit, new, type = "cdf", at = 30)
  expect_equal(all[some, ], predict(fit, new[some, , drop = FALSE], type = "cdf", at = 30)[, 1L],
               tolerance = 1e-10, ignore_attr = TRUE)
})

test_that("a request without questions returns the lost mass alone", {
  case <- oracle_case("boxcox", prior = btg_prior(fixed = c(boxcox.lambda = 3)))
  points <- prediction_points(case$fit, rbind(case$new, NA))
  found <- suppressWarnings(answer(ensemble_of(case$fit), new_request(points, list())))
  lost <- vapply(naive_mixtures(case$model, case$new, case$new_trend), `[[`, 0, "lost")
  expect_identical(found$answers, list())
  expect_close(found$lost_mass[1:3], lost)
  expect_identical(found$lost_mass[[4]], NA_real_)
  expect_identical(predict(case$fit, rbind(case$new, NA), type = "lost_mass"), found$lost_mass)
})

test_that("answers have a row for each point, NA where it is not complete", {
  case <- oracle_case("softplus")
  new <- case$new[c(1, 1, 2, 3), ]
  new$x[2] <- NA
  at <- cbind(c(1, 2, 3, 4), 0.5)
  request <- new_request(prediction_points(case$fit, new),
                         list(cdf = at, quantile = rbind(c(0.1, 0.9)), moments = cbind(0)),
                         options = list(standard_error = TRUE))
  found <- answer(ensemble_of(case$fit), request)
  expect_named(found$answers, c("cdf", "quantile", "moments"))
  for (one in found$answers) {
    expect_identical(rownames(one$value), rownames(new))
    expect_identical(unname(is.na(one$value[, 1])), c(FALSE, TRUE, FALSE, FALSE))
  }
  expect_identical(unname(is.na(found$answers$quantile$standard_error)),
                   matrix(c(FALSE, TRUE, FALSE, FALSE), 4, 2))
  # A row of values for each point.
  mixtures <- naive_mixtures(case$model, case$new, case$new_trend)
  expect_close(found$answers$cdf$value[c(1, 3, 4), 1],
               mapply(function(mixture, y) mixture$cdf(y), mixtures, c(1, 3, 4)))
})

test_that("options of a request have the ensemble's defaults", {
  ensemble <- ensemble_of(oracle_case("softplus", epsilon = 0.01)$fit)
  options <- core_options(ensemble, list())
  expect_equal(options$tolerance, 1e-6)
  expect_identical(options$bound, "auto")
  expect_identical(options$weight_variances, numeric())
  given <- core_options(ensemble, list(tolerance = 0.1, bound = "mean", standard_error = TRUE))
  expect_identical(given$tolerance, 0.1)
  expect_identical(given$bound, "mean")
  expect_identical(given$weight_variances, ensemble$weight_variances)
})

test_that("questions have as many columns as their answers", {
  at <- cbind(1, 2, 3)
  expect_equal(answer_columns("cdf", at), 3)
  expect_equal(answer_columns("moments", cbind(0)), 2)
  expect_equal(answer_columns("shortest", cbind(0.9)), 2)
  rows <- question_rows(list(cdf = cbind(1:4), quantile = rbind(c(0.1, 0.9))), c(4, 2))
  expect_identical(rows, list(cdf = cbind(c(4L, 2L)), quantile = rbind(c(0.1, 0.9))))
})
