# The weights in a thinner ensemble of all nodes of the ensemble, 0 where a node is left out.
shares_of <- function(thin, ensemble) {
  keys <- function(ensemble) {
    unlist(lapply(ensemble$members, function(member) {
      do.call(paste, c(list(member$model), as.data.frame(member$hyper)))
    }))
  }
  replace(numeric(length(ensemble$weight)), match(keys(thin), keys(ensemble)), thin$weight)
}

# The sum of the weights of each model's nodes, 0 for a model that the ensemble does not have.
sums_by_model <- function(ensemble, models = names(ensemble$models)) {
  sizes <- vapply(ensemble$members, function(member) nrow(member$hyper), 0L)
  sums <- vapply(split(ensemble$weight, rep(seq_along(sizes), sizes)), sum, 0)
  found <- unname(sums)[match(models, names(ensemble$models))]
  replace(found, is.na(found), 0)
}

test_that("an ensemble has the nodes and weights that nodes() shows", {
  fit <- wave_fit()
  ensemble <- ensemble_of(fit)
  shown <- nodes(fit, predictive = TRUE)
  expect_identical(sort(ensemble$weight, decreasing = TRUE), shown$weight)
  expect_named(ensemble$models, names(kept_models(fit)))
  expect_equal(sums_by_model(ensemble), unname(fit$model_weights[fit$model_weights > 0]))
  expect_equal(sum(ensemble$weight), 1)
})

test_that("models without weight are no part of an ensemble", {
  fit <- wave_fit()
  fit$model_weights[] <- c(1, rep(0, length(fit$models) - 1))
  ensemble <- ensemble_of(fit)
  expect_named(ensemble$models, names(fit$models)[1])
  expect_length(ensemble$members, 1)
})

test_that("an ensemble answers alike from models built before and from its own", {
  fit <- wave_fit()
  # Other names come first, and models without weight are built too.
  built <- build_models(fit$design, c(rev(fit$models), other = fit$models[1]))
  request <- new_request(fit_points(fit), list(quantile = rbind(c(0.1, 0.9))),
                         run = new_run(cache = FALSE))
  own <- answer(ensemble_of(fit), request)
  expect_identical(answer(ensemble_of(fit, built), request), own)
  expect_identical(answer(with_built_models(ensemble_of(fit)), request), own)
  # Models that were not built together are built again.
  some <- build_models(fit$design, fit$models[1])
  expect_null(ensemble_of(fit, some)$built)
})

test_that("a thinner ensemble has some of the nodes, in proportion to their weights", {
  ensemble <- with_built_models(ensemble_of(wave_fit()))
  thin <- thin_ensemble(ensemble, 20L)
  expect_lte(length(thin$weight), 20L)
  expect_length(thin$weight_variances, length(thin$weight))
  expect_equal(sum(thin$weight), 1)
  expect_true(all(names(thin$models) %in% names(ensemble$models)))
  expect_lt(max(abs(sums_by_model(thin, names(ensemble$models)) - sums_by_model(ensemble))), 1 / 20)
  # Each node is drawn as often as its share, with one more or less.
  expect_lt(max(abs(shares_of(thin, ensemble) - ensemble$weight)), 1 / 20)
})

test_that("models whose nodes are not drawn are dropped with their number", {
  fit <- wave_fit()
  expect_gt(length(kept_models(fit)), 1)
  fit$models <- lapply(fit$models, with_candidates)
  last <- length(kept_models(fit))
  fit$model_weights[fit$model_weights > 0] <- c(rep(1e-6, last - 1), 1 - (last - 1) * 1e-6)
  ensemble <- with_built_models(ensemble_of(fit))
  thin <- thin_ensemble(ensemble)
  expect_named(thin$models, names(kept_models(fit))[last])
  request <- new_request(fit_points(fit), list(quantile = cbind(0.5)))
  alone <- answer(ensemble_of(fit), request)$answers$quantile$value
  found <- answer(thin, request)$answers$quantile$value
  expect_lt(max(abs(found - alone)) / sd(alone), 0.1)
})

test_that("equal nodes may be thinned to one of them without changing answers", {
  fit <- oracle_case("softplus")$fit
  ensemble <- ensemble_of(fit)
  count <- nrow(ensemble$members[[1]]$hyper)
  # Nodes of equal weight, each three times.
  repeated <- ensemble
  repeated$members[[1]]$hyper <- ensemble$members[[1]]$hyper[rep(seq_len(count), each = 3), ]
  repeated$weight <- rep(1 / (3 * count), 3 * count)
  repeated$weight_variances <- rep(ensemble$weight_variances, each = 3)
  thin <- thin_ensemble(repeated, count)
  expect_length(thin$weight, count)
  request <- new_request(fit_points(fit), list(quantile = rbind(c(0.1, 0.5))),
                         options = list(standard_error = TRUE))
  expected <- answer(repeated, request)$answers$quantile
  found <- answer(thin, request)$answers$quantile
  expect_close(found$value, expected$value)
  expect_close(found$standard_error, expected$standard_error, 1e-6)
})

test_that("an ensemble of few nodes, or with negative weights, stays as it is", {
  few <- ensemble_of(btg(y ~ a + b, wave_data(), transform = "identity",
                         quadrature = few_nodes(24)))
  expect_identical(thin_ensemble(few), few)
  signed <- suppressWarnings(
    btg(y ~ a + b, wave_data(), transform = "softplus", quadrature = quad_smolyak(4)),
    classes = "btg_warning"
  )
  expect_lt(min(node_weights(signed)), 0)
  expect_identical(thin_ensemble(ensemble_of(signed)), ensemble_of(signed))
})

test_that("locations and scales of every node are naive", {
  case <- oracle_case("sinharcsinh", trend = ~ x)
  points <- prediction_points(case$fit, case$new)
  sorted <- order(case$fit$models[[1]]$posterior$weight, decreasing = TRUE)
  for (observation in c(TRUE, FALSE)) {
    found <- core_latent(core_members(ensemble_of(case$fit)),
                         core_points(points, 1:3, observation), core_run())
    naive <- naive_latent(case$model, as.matrix(case$new), case$new_trend, observation)
    expect_close(t(found$location[sorted, ]), naive$location, floor = 1e-3)
    expect_close(t(found$scale[sorted, ]), naive$scale)
  }
})
