# Cached matrix factors give the same bits as new ones, and never take more than the limit.

cached_fit <- function(seed = 1, n = 60) {
  set.seed(seed)
  d <- data.frame(x = runif(n), w = runif(n))
  d$y <- exp(sin(5 * d$x) + d$w + 0.1 * rnorm(n))
  btg(y ~ x + w, d, transform = "sinharcsinh")
}

without_cache <- function(expr) {
  rlang::local_options(btg.cache = 0)
  expr
}

test_that("answers are the same bits with and without cached factors", {
  fit <- cached_fit()
  new <- data.frame(x = c(0.1, 0.5, 3), w = c(0.2, 0.9, -1))
  ask <- function(rows, ...) quiet_predict(fit, new[rows, ], interval = "credible", ...)
  for (rows in list(1, 1:3)) {
    plain <- without_cache(ask(rows))
    process <- without_cache(ask(rows, observation = FALSE))
    expect_length(cache$entries, 0L)
    for (threads in c(1, 1, 2)) expect_identical(ask(rows, threads = threads), plain)
    expect_identical(ask(rows, observation = FALSE), process)
    expect_length(cache$entries, 1L)
  }
  skip_if_not_installed("distributional")
  plain <- without_cache(predict(fit, new, type = "distribution"))
  for (i in 1:2) expect_identical(predict(fit, new, type = "distribution"), plain)
})

test_that("a second prediction makes no factors", {
  ensemble <- ensemble_of(cached_fit())
  release()
  first <- open_ensemble(ensemble, new_run(1))
  second <- open_ensemble(ensemble, new_run(2))
  expect_true(first$prepared)
  expect_false(second$prepared)
  expect_identical(second$ensemble, first$ensemble)
})

test_that("factors are found by the contents of a fit and the linear algebra", {
  release()
  fit <- cached_fit()
  part <- add_checksum(keep_rows(fit, 1:40))
  plain <- without_cache(predict(part, fit$data))
  all <- predict(fit, fit$data)
  expect_identical(predict(part, fit$data), plain)
  expect_length(cache$entries, 2L)
  file <- tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), fit$data), all)
  expect_length(cache$entries, 2L)
  rlang::local_options(btg.linear_algebra = "portable")
  predict(fit, fit$data)
  expect_length(cache$entries, 3L)
})

test_that("the least recently used factors are dropped, and the limit is never exceeded", {
  release()
  fits <- lapply(1:3, cached_fit)
  one <- fits[[1]]$data[1, ]
  predict(fits[[1]], one)
  each <- cache_bytes()
  expect_gt(each, length(node_weights(fits[[1]])) * 4 * 60^2)
  rlang::local_options(btg.cache = 2.2 * each)
  for (k in c(2, 1, 3)) {
    predict(fits[[k]], one)
    expect_lte(cache_bytes(), 2.2 * each)
  }
  keys <- vapply(fits, function(fit) ensemble_key(ensemble_of(fit)), "")
  expect_identical(names(cache$entries), keys[c(1, 3)])
  # The next call applies a lower limit. Only the ensemble without its factors fits then.
  options(btg.cache = 0.5 * each)
  predict(fits[[3]], one)
  expect_lte(cache_bytes(), 0.5 * each)
  expect_false(cache$entries[[keys[3]]]$prepared)
  options(btg.cache = 1.2 * each)
  predict(fits[[3]], one)
  expect_true(cache$entries[[keys[3]]]$prepared)
  expect_lte(cache_bytes(), 1.2 * each)
  options(btg.cache = 0)
  predict(fits[[3]], one)
  expect_identical(cache_bytes(), 0)
  options(btg.cache = NULL)
  for (k in 1:10) predict(add_checksum(keep_rows(fits[[1]], -k)), one)
  expect_length(cache$entries, most_cached_fits)
  release()
})

test_that("no more memory is used than is counted", {
  skip_on_cran()
  skip_if_not(file.exists("/proc/self/statm"))
  skip_if(grepl("asan", Sys.getenv("LD_PRELOAD")), "the address sanitizer uses more memory")
  resident <- function() {
    gc()
    4096 * as.numeric(strsplit(readLines("/proc/self/statm"), " ")[[1]][2])
  }
  fit <- cached_fit(n = 200)
  predict(fit, fit$data[1, ])
  release()
  before <- resident()
  prepare(fit)
  expect_lt(resident() - before, 1.3 * cache_bytes() + 5e6)
  release()
})

test_that("factors of an approximation are cached, give the same bits, and are counted", {
  d <- oracle_data(500)
  fit <- suppressWarnings(btg(y ~ x + w, d, transform = "softplus", approx = vecchia(20, 16, 30),
                              quadrature = few_nodes(8)), classes = "btg_warning")
  new <- d[1:40, ] + 0.01
  ask <- function(threads) {
    list(predict(fit, new, interval = "credible", threads = threads),
         simulate(fit, 3, seed = 1, newdata = new, threads = threads))
  }
  plain <- without_cache(ask(1))
  left_out <- without_cache(loocv(fit)$pointwise)
  release()
  expect_no_warning(prepare(fit))
  entry <- cache$entries[[ensemble_key(ensemble_of(fit))]]
  expect_true(entry$prepared)
  # For each row of the data, there are two inputs, the noise, and some whitened columns; V would
  # have 30 numbers, and W at most 36. The inducing functions have two triangles.
  nodes <- length(node_weights(fit))
  expect_gt(entry$bytes, nodes * 8 * (500 * 3 + 2 * 30^2))
  expect_lt(entry$bytes, nodes * 8 * (500 * 30 + 2 * 30^2))
  for (threads in c(1, 2, 1)) expect_identical(ask(threads), plain)
  expect_identical(loocv(fit)$pointwise, left_out)
  release()
})

test_that("a limit that is not a number of bytes is an error", {
  rlang::local_options(btg.cache = -1)
  expect_error(predict(cached_fit(), data.frame(x = 1, w = 1)), class = "btg_error_argument")
})

test_that("a forked process answers from the factors of its parent", {
  skip_on_os("windows")
  skip_on_cran()
  d <- oracle_data(20)
  fit <- prepare(btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(8)))
  here <- predict(fit, d, type = "quantile")
  forked <- parallel::mclapply(1:2, function(k) predict(fit, d, type = "quantile"), mc.cores = 2)
  expect_identical(forked, list(here, here))
  expect_identical(predict(fit, d, type = "quantile"), here)
})

# The first argument of core_answer() in each call while `code` runs.
ensembles_asked <- function(code) {
  ask_core <- core_answer
  asked <- list()
  with_functions(list(core_answer = function(ensemble, request, run) {
    asked <<- c(asked, list(ensemble))
    ask_core(ensemble, request, run)
  }), code)
  asked
}

test_that("leaving out rows uses cached factors, and gives the same with and without them", {
  fit <- cached_fit()
  folds <- rep(1:5, 12)
  release()
  alone <- loocv(fit)
  in_folds <- loocv(fit, folds = folds)
  # Leaving out makes no factors to keep.
  expect_length(cache$entries, 0L)
  predict(fit, fit$data[1:2, ])
  pointer <- cache$entries[[ensemble_key(ensemble_of(fit))]]$pointer
  expect_type(pointer, "externalptr")
  asked <- ensembles_asked({
    cached <- loocv(fit)
    cached_folds <- loocv(fit, folds = folds)
  })
  expect_identical(asked, list(pointer, pointer))
  release()
  plain <- without_cache(loocv(fit))
  plain_folds <- without_cache(loocv(fit, folds = folds))
  for (found in list(cached, plain)) {
    expect_equal(found$pointwise, alone$pointwise, tolerance = 1e-12)
    expect_equal(found$diagnostics, alone$diagnostics, tolerance = 1e-12)
  }
  for (found in list(cached_folds, plain_folds)) {
    expect_equal(found$pointwise, in_folds$pointwise, tolerance = 1e-12)
  }
  release()
})

test_that("a run without a cache leaves nothing behind", {
  ensemble <- ensemble_of(cached_fit())
  release()
  opened <- open_ensemble(ensemble, new_run(cache = FALSE))
  expect_false(opened$prepared)
  expect_type(opened$ensemble, "list")
  expect_length(cache$entries, 0L)
  expect_true(are_factors_cached(ensemble))
  expect_length(cache$entries, 0L)
  expect_false(without_cache(are_factors_cached(ensemble)))
  rlang::local_options(btg.cache = 1000)
  expect_false(are_factors_cached(ensemble))
})
