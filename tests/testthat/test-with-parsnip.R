skip_if_not_installed("parsnip", "1.3.0")

d <- transform(oracle_data(), f = factor(rep(c("a", "b"), 7)))
new <- data.frame(x = c(2, 5, 3), w = c(5400, 5700, 5500), f = c("a", "b", "b"))
direct <- btg(y ~ x + f, d, transform = "softplus", quadrature = few_nodes(8))

# As users do it, with an engine of few nodes.
specify <- function(..., transform = "softplus") {
  parsnip::set_engine(btg_parsnip(..., transform = transform), "btg", quadrature = few_nodes(8))
}

test_that("a parsnip fit is that of btg(), and so are its predictions", {
  fit <- parsnip::fit(specify(), y ~ x + f, data = d)
  expect_equal(predict(fit$fit, new), predict(direct, new))
  ask <- function(...) predict(fit, new, ...)
  expect_equal(ask()$.pred, unname(predict(direct, new)))
  for (type in c(conf_int = "confidence", pred_int = "prediction")) {
    parsnip_type <- c(confidence = "conf_int", prediction = "pred_int")[[type]]
    expected <- predict(direct, new, interval = type, level = 0.8, se.fit = TRUE)
    found <- ask(type = parsnip_type, level = 0.8)
    expect_identical(names(found), c(".pred_lower", ".pred_upper"))
    expect_equal(found$.pred_upper, unname(expected$fit[, "upr"]))
    found <- ask(type = parsnip_type, level = 0.8, std_error = TRUE)
    expect_equal(found$.pred_lower, unname(expected$fit[, "lwr"]))
    expect_equal(found$.std_error, unname(expected$se.fit))
  }
  expect_equal(ask(type = "raw"), predict(direct, new))
  quantiles <- ask(type = "quantile", quantile_levels = c(0.1, 0.9))$.pred_quantile
  expect_equal(unname(as.matrix(quantiles)),
               unname(predict(direct, new, type = "quantile", probs = c(0.1, 0.9))))
})

test_that("quantile regression, other engines and weights", {
  spec <- parsnip::set_mode(specify(), "quantile regression", quantile_levels = c(0.25, 0.5))
  found <- predict(parsnip::fit(spec, y ~ x + f, data = d), new)
  expect_equal(unname(as.matrix(found$.pred_quantile)),
               unname(predict(direct, new, type = "quantile", probs = c(0.25, 0.5))))
  likely <- parsnip::fit(btg_parsnip(engine = "wgp", transform = "boxcox"), y ~ x, data = d)
  expected <- predict(wgp(y ~ x, d, transform = "boxcox"), new)
  expect_equal(predict(likely, new)$.pred, unname(expected))
  weights <- rep(c(1, 4), 7)
  weighted <- parsnip::fit(specify(), y ~ x + f, data = d,
                           case_weights = hardhat::importance_weights(weights))
  expect_equal(unname(weighted$fit$weights), weights)
})

test_that("a specification can be changed", {
  changed <- update(specify(), kernel = "rbf", quadrature = few_nodes(4))
  expect_identical(rlang::eval_tidy(changed$args$kernel), "rbf")
  expect_identical(rlang::eval_tidy(changed$args$transform), "softplus")
  expect_equal(rlang::eval_tidy(changed$eng_args$quadrature), few_nodes(4))
})

test_that("wrong words are errors", {
  expect_error(btg_parsnip(engine = "lm"), class = "btg_error_argument")
  expect_error(btg_parsnip(mode = "classification"), class = "btg_error_argument")
  fit <- parsnip::fit(specify(transform = "identity"), y ~ x, data = d)
  expect_error(predict(fit, data.frame(z = 1)), "x")
})

test_that("it works in a workflow, and can be tuned", {
  for (package in c("workflows", "tune", "dials", "rsample")) skip_if_not_installed(package)
  spec <- parsnip::set_engine(btg_parsnip(kernel = tune::tune(), transform = "identity"), "btg",
                              quadrature = few_nodes(8))
  flow <- workflows::workflow(y ~ x + f, spec)
  expect_identical(tune::extract_parameter_set_dials(flow)$id, "kernel")
  folds <- rsample::vfold_cv(d, v = 2)
  tuned <- suppressWarnings(
    tune::tune_grid(flow, folds, grid = data.frame(kernel = c("rbf", "matern32")))
  )
  scores <- tune::collect_metrics(tuned)
  expect_setequal(scores$kernel, c("rbf", "matern32"))
  expect_false(anyNA(scores$mean))
  best <- tune::finalize_workflow(flow, data.frame(kernel = "rbf"))
  fit <- parsnip::fit(best, d)
  expect_equal(predict(fit, new)$.pred,
               unname(predict(btg(y ~ x + f, d, transform = "identity", kernel = "rbf",
                                  quadrature = few_nodes(8)), new)))
  expect_identical(nrow(predict(fit, new, type = "pred_int")), 3L)
  expect_setequal(dials::value_seq(tune_kernel(), 2), c("matern52", "matern32"))
  expect_identical(dials::value_seq(tune_transform("auto"), 1), "auto")
})
