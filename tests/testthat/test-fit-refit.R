test_that("refitting without a fold is fitting without it", {
  d <- oracle_data()
  n <- nrow(d)
  fold <- rep(1:3, length.out = n)
  out <- which(fold == 2)
  check <- function(fit, fit_again, tolerance) {
    cv <- loocv(fit, folds = fold, method = "refit")
    again <- fit_again(d[-out, ])
    expect_close(cv$pointwise$median[out], unname(predict(again, d[out, ])), tolerance)
    expect_close(cv$pointwise$log_score[out],
                 diag(predict(again, d[out, ], type = "log_density", at = d$y[out])), tolerance)
    expect_equal(cv$diagnostics$status, rep("predicted", 3))
    cv
  }
  # The scalings stay: so they are those of all rows here too.
  fit <- btg(y ~ x + w, d, transform = "identity", quadrature = few_nodes())
  again <- function(data) {
    design <- design_of(y ~ x + w, data)
    fit$design$inputs <- scale_inputs(design$inputs, fit$scaling$x)
    fit$design$trend <- design$trend
    problem <- fit$models[[1]]$problem
    problem$response <- scale_response(design$response, fit$scaling$y)
    fit$models[[1]]$problem <- problem
    core <- core_integrate(build_models(fit$design, fit$models), 1L, "sobol", list(nodes = 48),
                           1e-4, list(), core_run())
    fit$models[[1]]$posterior <- posterior_nodes(core)
    add_checksum(fit)
  }
  cv <- check(fit, again, 1e-8)
  expect_output(print(cv), "Cross-validation by 3 folds")
  expect_equal(cv$method, "refit")

  # The likelihood of the other rows is at its maximum whatever they are scaled by.
  most_likely <- wgp(y ~ x + w, d)
  cv <- check(most_likely, function(data) wgp(y ~ x + w, data), 1e-3)
  expect_false(cv$frozen)
  expect_no_match(capture.output(print(cv)), "too good")
})

test_that("the nodes of a refit are its own", {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(128),
             epsilon = 1e-14)
  frozen <- loocv(fit, folds = 3)
  refit <- loocv(fit, folds = 3, method = "refit")
  expect_true(all(is.na(refit$diagnostics$distance)))
  expect_equal(refit$diagnostics$moved, rep(FALSE, 3))
  # A Sobol rule has the same points for any data: reweighting them is refitting.
  expect_close(refit$pointwise$median, frozen$pointwise$median, 1e-6)
  expect_close(refit$diagnostics$effective_nodes, frozen$diagnostics$effective_nodes, 1e-6)
})

test_that("folds that the trend needs are left unpredicted", {
  d <- oracle_data()
  d$only <- as.numeric(seq_len(nrow(d)) %in% c(2, 5))
  fit <- btg(y ~ x + w, d, trend = ~ only, transform = "identity", quadrature = few_nodes())
  fold <- ifelse(d$only == 1, "needed", rep(c("a", "b"), length.out = nrow(d)))
  expect_warning(cv <- loocv(fit, folds = fold, method = "refit"),
                 class = "btg_warning_not_predicted")
  expect_equal(cv$diagnostics$status,
               suppressWarnings(loocv(fit, folds = fold))$diagnostics$status)
  expect_equal(is.na(cv$pointwise$median), d$only == 1)
})

test_that("a row that is left out has its own weight when refitted", {
  d <- oracle_data()
  weights <- rep_len(c(1, 4, 0.5), nrow(d))
  fit <- btg(y ~ x + w, d, transform = "identity", weights = weights, quadrature = few_nodes())
  cv <- loocv(fit, folds = rep(1:2, length.out = nrow(d)), method = "refit")
  out <- seq(2, nrow(d), 2)
  again <- add_checksum(refit_rows(fit, -out, 1))
  # Weights mean the same in both fits, although those that are left have another mean.
  expect_equal(mean_weight(again), mean(weights))
  expected <- predict(again, d[out, ], weights = weights[out])
  expect_close(cv$pointwise$median[out], unname(expected), 1e-8)
  expect_gt(max(abs(cv$pointwise$lwr[out] - predict(again, d[out, ], interval = "credible")[, 2])),
            1e-3)
})
