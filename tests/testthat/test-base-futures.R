without_times <- function(fit) {
  fit$seconds <- NULL
  fit$models <- lapply(fit$models, function(model) {
    model$seconds <- NULL
    model
  })
  fit
}

test_that("models and folds are the same on workers", {
  skip_if_not_installed("future.apply")
  skip_on_cran()
  d <- oracle_data()
  d$y[1] <- 40 * d$y[1] # for a warning
  fit_it <- function() btg(y ~ x + w, d, quadrature = few_nodes())
  cross_validate <- function(fit) loocv(fit, folds = 3, method = "refit")
  alone <- fit_it()
  alone_cv <- cross_validate(alone)
  expect_false(has_workers())

  before <- future::plan("multisession", workers = 2)
  on.exit(future::plan(before))
  expect_true(has_workers())
  together <- fit_it()
  expect_identical(without_times(together), without_times(alone))
  together_cv <- cross_validate(together)
  expect_identical(together_cv$pointwise, alone_cv$pointwise)
  expect_identical(together_cv$diagnostics, alone_cv$diagnostics)

  # Other processes do the work, with the options of this one, and what they say arrives.
  pids <- lapply_futures(1:2, function(k) Sys.getpid())
  expect_length(setdiff(unlist(pids), Sys.getpid()), 2)
  old <- options(btg.linear_algebra = "portable")
  expect_equal(unlist(lapply_futures(1:2, function(k) linear_algebra())), rep("portable", 2))
  options(old)
  expect_warning(lapply_futures(1:2, function(k) if (k == 2) warn_btg("Said.", "test")),
                 class = "btg_warning_test")
  expect_error(lapply_futures(1:2, function(k) abort_btg("Said.", "test")),
               class = "btg_error_test")
})

test_that("what a lost worker had to do of models and folds is done here", {
  skip_if_not_installed("future.apply")
  skip_on_cran()
  before <- future::plan("multisession", workers = 2)
  on.exit(future::plan(before))
  main <- Sys.getpid()
  double <- function(k) {
    if (k == 2 && Sys.getpid() != main) tools::pskill(Sys.getpid(), tools::SIGKILL)
    2 * k
  }
  expect_warning(found <- lapply_futures(1:3, double), class = "btg_warning_worker")
  expect_identical(found, list(2, 4, 6))
})
