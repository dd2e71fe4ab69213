columns <- c("median", "lwr", "upr", "log_score", "crps", "pit")

# Quantiles are asked to a tolerance of the fit: a small epsilon makes it a tight one.
tight <- 1e-6

small_fit <- function(..., data = oracle_data(), transform = "sinharcsinh", nodes = 24) {
  btg(y ~ x + w, data, transform = transform, quadrature = few_nodes(nodes), epsilon = tight, ...)
}

expect_fast_is_naive <- function(fit, ..., tolerance = 1e-8) {
  fast <- suppressWarnings(loocv(fit, ...), classes = "btg_warning")
  naive <- suppressWarnings(loocv(fit, ..., method = "naive"), classes = "btg_warning")
  expect_equal(fast$diagnostics$status, naive$diagnostics$status)
  predicted <- !is.na(naive$pointwise$log_score)
  expect_equal(is.na(fast$pointwise$crps), !predicted)
  scale <- sd(fast$pointwise$y)
  for (column in columns) {
    expect_close(fast$pointwise[predicted, column], naive$pointwise[predicted, column], tolerance,
                 floor = if (column %in% c("median", "lwr", "upr", "crps")) scale else 1e-2)
  }
  kept <- naive$diagnostics$status == "predicted"
  expect_close(fast$diagnostics$effective_nodes[kept], naive$diagnostics$effective_nodes[kept],
               10 * tolerance)
  expect_close(fast$diagnostics$distance[kept], naive$diagnostics$distance[kept], 10 * tolerance,
               floor = 1e-2)
  invisible(fast)
}

expect_naive_pointwise <- function(cv, model, folds = seq_along(model$y)) {
  expected <- oracle_loo_pointwise(model, folds)
  expect_close(cv$pointwise$y, expected$y, 1e-12)
  for (column in columns) {
    expect_close(cv$pointwise[[column]], expected[[column]],
                 if (column == "crps") 1e-6 else 1e-7, floor = 1e-3)
  }
}

test_that("fast is naive: every kernel, radial and product, and several transforms", {
  transforms <- list("identity", "sinharcsinh", "boxcox", "softplus",
                     c("softplus", "sinharcsinh"), "yeojohnson", "arcsinh",
                     c("affine", "sinharcsinh"), "softplus", "identity")
  kernels <- rep(names(naive_kernels), 2)
  for (i in seq_along(transforms)) {
    expect_fast_is_naive(small_fit(transform = transforms[[i]], kernel = kernels[i],
                                   product = i > length(naive_kernels)))
  }
})

test_that("fast is naive: trends of one to five columns, down to six rows", {
  trends <- list(~ 1, ~ x, ~ x + w, ~ poly(x, 3), ~ poly(x, 2) + poly(w, 2))
  for (trend in trends) expect_fast_is_naive(small_fit(trend = trend))
  # n - 1 - p is 4, 2 and 1: the tails of Student's t with one degree of freedom reach far.
  d <- oracle_data(6)
  expect_fast_is_naive(small_fit(data = d))
  expect_fast_is_naive(small_fit(data = d, trend = ~ x + w))
  cauchy <- expect_fast_is_naive(small_fit(data = d, trend = ~ poly(x, 2) + w,
                                           transform = "identity"), tolerance = 1e-7)
  expect_true(all(is.finite(as.matrix(cauchy$pointwise[columns]))))
})

test_that("fast is naive: noise from 1e-6 to 10, and repeated inputs", {
  for (noise in c(1e-6, 1e-2, 10)) {
    expect_fast_is_naive(small_fit(prior = btg_prior(fixed = c(noise = noise))))
  }
  d <- oracle_data()
  d[c(3, 9), c("x", "w")] <- d[c(1, 1), c("x", "w")]
  expect_fast_is_naive(small_fit(data = d, prior = btg_prior(fixed = c(noise = 0.05))))
})

test_that("fast is naive: folds, with and without noise in what is predicted", {
  fit <- small_fit(transform = "softplus")
  expect_fast_is_naive(fit, folds = 3)
  expect_fast_is_naive(fit, folds = rep(c("b", "a", "c", "b", "d", "b", "a"), 2))
  expect_fast_is_naive(fit, observation = FALSE)
  expect_fast_is_naive(fit, folds = 5, observation = FALSE)
})

test_that("left-out predictions and scores are those of the naive model, refitted", {
  skip_if_quick()
  for (case in list(list("sinharcsinh"), list("softplus", trend = ~ x),
                    list(c("affine", "sinharcsinh"), kernel = "rbf", product = TRUE))) {
    case <- do.call(oracle_case, c(case, epsilon = tight))
    expect_naive_pointwise(loocv(case$fit), case$model)
  }
  folds <- rep(1:4, length.out = 14)
  cv <- loocv(case$fit, folds = folds)
  expect_naive_pointwise(cv, case$model, folds)
  expect_equal(cv$pointwise$fold, as.character(folds))
  # Another level moves the ends only.
  half <- loocv(case$fit, folds = folds, level = 0.5)
  expected <- oracle_loo_pointwise(case$model, folds, level = 0.5)
  expect_close(half$pointwise$lwr, expected$lwr, 1e-7, floor = 1e-3)
  expect_equal(half$pointwise$crps, cv$pointwise$crps)
})

test_that("diagnostics tell how the weights of the nodes change", {
  case <- oracle_case("sinharcsinh")
  cv <- loocv(case$fit)
  weights <- oracle_loo_latent(case$model)$weight
  full <- case$model$nodes$weight
  expect_close(cv$diagnostics$effective_nodes, 1 / rowSums(weights^2))
  expect_close(cv$diagnostics$distance, rowSums(abs(sweep(weights, 2, full))) / 2)
  expect_true(all(cv$diagnostics$distance > 0 & cv$diagnostics$distance < 1))
  expect_equal(cv$diagnostics$status, rep("predicted", 14))
  expect_equal(cv$diagnostics$fold, as.character(1:14))
})

test_that("an outlier that moves the posterior is flagged, and is said", {
  d <- oracle_data()
  d$y[7] <- 400
  fit <- small_fit(data = d, transform = "identity", nodes = 64)
  cv <- loocv(fit)
  expect_equal(which.max(cv$diagnostics$distance), 7)
  expect_true(cv$diagnostics$moved[7])
  expect_lt(sum(cv$diagnostics$moved), 4)
  expect_output(print(cv), "Without row 7 the fit would be a different one")
  expect_output(print(cv), "Without row 7 .*Look at it")
  # One node has nowhere to move to.
  single <- small_fit(transform = "identity", prior = btg_prior(
    fixed = c(lengthscale.x = 2, lengthscale.w = 500, noise = 0.1)))
  expect_equal(nrow(nodes(single)), 1)
  expect_false(any(loocv(single)$diagnostics$moved))
})

test_that("estimates are sums and means of the pointwise values", {
  cv <- loocv(small_fit())
  p <- cv$pointwise
  n <- nrow(p)
  expect_equal(p$residual, p$y - p$median)
  estimate <- setNames(cv$estimates$estimate, rownames(cv$estimates))
  se <- setNames(cv$estimates$se, rownames(cv$estimates))
  expect_equal(estimate[["elpd"]], sum(p$log_score))
  expect_equal(se[["elpd"]], sqrt(n) * sd(p$log_score))
  expect_equal(estimate[["rmse"]], sqrt(mean((p$y - p$median)^2)))
  expect_equal(se[["rmse"]], sd(p$residual^2) / sqrt(n) / 2 / estimate[["rmse"]])
  expect_equal(estimate[["mae"]], mean(abs(p$y - p$median)))
  expect_equal(se[["crps"]], sd(p$crps) / sqrt(n))
  expect_equal(estimate[["crps"]], mean(p$crps))
  for (level in c(0.5, 0.8, 0.95)) {
    ends <- loocv(small_fit(), level = level)$pointwise
    expect_equal(estimate[[paste0("coverage_", 100 * level)]],
                 mean(ends$y >= ends$lwr & ends$y <= ends$upr))
  }
})

test_that("folds may be a number, or any values, also for rows that were left out", {
  fit <- small_fit(nodes = 8)
  numbered <- loocv(fit, folds = 4)
  expect_equal(numbered$pointwise$fold, as.character(rep(1:4, length.out = 14)))
  expect_equal(loocv(fit, folds = rep(1:4, length.out = 14))$pointwise, numbered$pointwise)
  expect_equal(loocv(fit, folds = 14)$pointwise[columns], loocv(fit)$pointwise[columns])

  d <- oracle_data(16)
  d$x[c(2, 11)] <- NA
  groups <- factor(rep(c("p", "q", "r", "s"), each = 4), levels = c("s", "r", "q", "p", "unused"))
  for (action in c("na.omit", "na.exclude")) {
    fit <- btg(y ~ x + w, d, transform = "sinharcsinh", quadrature = few_nodes(8),
               na.action = get(action))
    whole <- loocv(fit, folds = groups)
    expect_equal(whole$pointwise, loocv(fit, folds = groups[-c(2, 11)])$pointwise)
    expect_equal(rownames(whole$pointwise), as.character(setdiff(1:16, c(2, 11))))
    expect_equal(whole$pointwise$fold, as.character(groups[-c(2, 11)]))
    expect_equal(whole$diagnostics$fold, c("s", "r", "q", "p"))
    expect_equal(loocv(fit)$pointwise$y, d$y[-c(2, 11)])
  }
})

test_that("bad arguments are errors", {
  fit <- small_fit(nodes = 8)
  for (folds in list(1, 15, 2.5, NA, "a", Inf, 1:13, c(1:13, NA), as.list(1:14), rep(1, 14))) {
    expect_error(loocv(fit, folds = folds), "folds", class = "btg_error_argument")
  }
  expect_error(loocv(fit, method = "psis"), class = "btg_error_argument")
  expect_error(loocv(fit, level = 95), class = "btg_error_argument")
  expect_error(loocv(fit, observation = NA), class = "btg_error_argument")
  expect_error(loocv(fit, threads = 0), class = "btg_error_argument")
  expect_error(loocv(fit, leave = 3), class = "btg_error_unknown_argument")
  expect_error(loocv(lm(dist ~ speed, cars)), class = "btg_error")
})

test_that("a row that alone determines the trend is not predicted, and is said", {
  d <- oracle_data()
  d$third <- as.numeric(seq_len(14) == 3)
  fit <- small_fit(data = d, trend = ~ third)
  expect_warning(cv <- loocv(fit), "cannot be predicted", class = "btg_warning_not_predicted")
  expect_equal(which(is.na(cv$pointwise$log_score)), 3)
  expect_true(all(is.na(cv$pointwise[3, c(columns, "residual")])))
  expect_equal(which(cv$diagnostics$status != "predicted"), 3)
  expect_match(cv$diagnostics$status[3], "trend")
  expect_equal(cv$estimates["elpd", "estimate"], sum(cv$pointwise$log_score[-3]))
  expect_equal(cv$estimates["elpd", "se"], sqrt(13) * sd(cv$pointwise$log_score[-3]))
  expect_fast_is_naive(fit)
  expect_output(print(cv), "13 rows")
  # Folds that leave too few rows.
  expect_warning(few <- loocv(small_fit(data = oracle_data(6), trend = ~ x + w),
                              folds = c(1, 1, 1, 1, 2, 2)), class = "btg_warning_not_predicted")
  expect_equal(few$diagnostics$status, c("too few rows without it", "predicted"))
})

test_that("threads and units of the response do not change results", {
  d <- oracle_data()
  one <- loocv(small_fit(nodes = 16), folds = 5)
  expect_identical(loocv(small_fit(nodes = 16), folds = 5, threads = 2)$pointwise, one$pointwise)
  d$y <- 1000 * d$y
  scaled <- loocv(small_fit(nodes = 16, data = d), folds = 5)
  expect_close(scaled$pointwise$crps, 1000 * one$pointwise$crps)
  expect_close(scaled$pointwise$log_score, one$pointwise$log_score - log(1000), floor = 1e-2)
})

test_that("a response with zeros is predicted at or above zero", {
  d <- oracle_data()
  d$y[c(2, 8)] <- 0
  fit <- suppressMessages(small_fit(data = d, transform = "softplus"))
  cv <- expect_fast_is_naive(fit)
  expect_true(all(cv$pointwise$lwr >= 0))
  expect_true(any(cv$pointwise$lwr == 0))
  expect_equal(cv$pointwise$y, d$y)
  # By the oracle of the shifted response, with what is below zero taken there.
  model <- naive_model(fit, d[c("x", "w")], cbind(rep(1, 14)), d$y, "softplus")
  expected <- oracle_loo_pointwise(model)
  expect_close(cv$pointwise$median, pmax(expected$median, 0), 1e-7, floor = 1e-3)
  expect_close(cv$pointwise$lwr, pmax(expected$lwr, 0), 1e-7, floor = 1e-3)
  zero <- d$y == 0
  log_score <- ifelse(zero, log(expected$pit), expected$log_score)
  expect_close(cv$pointwise$log_score, log_score, 1e-7, floor = 1e-2)
  expect_close(cv$pointwise$pit, expected$pit / ifelse(zero, 2, 1), 1e-7, floor = 1e-3)
  expect_close(cv$pointwise$mass, ifelse(zero, expected$pit, 0), 1e-7, floor = 1e-3)
  clipped <- vapply(oracle_loo_mixtures(model), function(mixture) {
    integrate(Vectorize(function(t) mixture$cdf(t)^2), fit$scaling$y$center, 0)$value
  }, 0)
  expect_close(cv$pointwise$crps, expected$crps - clipped, 1e-5, floor = 1e-3)
})

test_that("printing names what was left out", {
  fit <- small_fit(nodes = 8)
  expect_output(print(loocv(fit)), "Leave-one-out: 14 rows")
  expect_output(print(loocv(fit, folds = 7)), "by 7 folds: 14 rows")
})

# Averages ---------------------------------------------------------------------------------------

average_fit <- function(averaging, data = oracle_data(), nodes = 24) {
  btg(y ~ x + w, data, quadrature = few_nodes(nodes), epsilon = 1e-12, averaging = averaging,
      kernel = "matern52", product = FALSE)
}

# Of each model by itself: the left-out densities of the rows, and the density of the data, with
# and without each, at each node. Units are those of the response.
single_models <- function(fit) {
  lapply(single_fits(fit), function(single) {
    d <- oracle_data()
    naive <- naive_model(single, d[c("x", "w")], cbind(rep(1, nrow(d))), d$y,
                         single$models[[1]]$transform$layers)
    n <- nrow(d)
    rows <- lapply(seq_len(n), function(i) {
      kept <- oracle_loo_model(naive, i)
      # The likelihood is that of the scaled response: n - p factors of its scale.
      ratio <- naive_log_marginal(kept) - naive_log_marginal(naive) + log(naive$y_scale)
      list(ratio = sum(naive$nodes$weight * exp(ratio)),
           density = naive_mixtures(kept, d[i, c("x", "w")], matrix(1))[[1]]$density(d$y[i]))
    })
    list(ratio = vapply(rows, `[[`, 0, "ratio"), density = vapply(rows, `[[`, 0, "density"))
  })
}

test_that("an average by stacking keeps the models' shares when a row is left out", {
  fit <- average_fit("stacking")
  fit$model_weights[] <- c(0.3, 0.7) # whatever they are, these data may give one model all
  fit <- add_checksum(fit)
  singles <- single_models(fit)
  expected <- Reduce(`+`, Map(function(w, one) w * one$density, fit$model_weights, singles))
  expect_close(loocv(fit)$pointwise$log_score, log(expected), floor = 1e-2)
  expect_fast_is_naive(fit)
})

test_that("an average by posterior probability reweights models with their nodes", {
  fit <- average_fit("posterior")
  singles <- single_models(fit)
  # p(y without i) of a model is its evidence times the mean of the nodes' ratios.
  evidence <- vapply(fit$models, function(model) model$quadrature$log_evidence, 0)
  shares <- mapply(function(one, e) exp(e - max(evidence)) * one$ratio, singles, evidence)
  shares <- shares / rowSums(shares)
  density <- vapply(singles, `[[`, numeric(14), "density")
  cv <- loocv(fit)
  expect_gt(max(abs(sweep(shares, 2, fit$model_weights))), 0.01) # they do change
  expect_close(cv$pointwise$log_score, log(rowSums(shares * density)), floor = 1e-2)
  expect_fast_is_naive(fit, folds = 5)
})

test_that("estimates are in the units of the response, however small or large they are", {
  estimates <- function(unit) {
    d <- transform(cars, dist = dist * unit)
    loocv(btg(dist ~ speed, d, transform = "softplus", quadrature = few_nodes()))$estimates
  }
  expected <- estimates(1)
  for (unit in 2^c(-900, 900)) {
    rows <- c("rmse", "mae", "crps")
    expect_equal(estimates(unit)[rows, ] / unit, expected[rows, ], tolerance = 1e-9)
  }
})

test_that("leaving out censored rows agrees with refitting at the nodes", {
  d <- oracle_data()
  fit <- suppressWarnings(btg(y ~ x + w, d, transform = "softplus",
                              censored = ifelse(y > sort(y)[10], "right", "none"),
                              quadrature = few_nodes(16)))
  fast <- loocv(fit)
  slow <- loocv(fit, method = "naive")
  expect_equal(fast$pointwise, slow$pointwise, tolerance = 1e-7)
  expect_error(loocv(fit, folds = 2, method = "naive"), class = "btg_error_folds")
})
