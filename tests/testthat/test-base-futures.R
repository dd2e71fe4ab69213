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

  # Other processes do the work, with the options of this one. Their conditions arrive here.
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

test_that("models and folds of a lost worker are done here", {
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

test_that("parts of a lost worker's work are done here", {
  skip_if_not_installed("future")
  skip_on_cran()
  before <- future::plan("multisession", workers = 2)
  on.exit(future::plan(before))
  work <- function(shared, part) {
    if (part == 2 && Sys.getpid() != shared$main) tools::pskill(Sys.getpid(), tools::SIGKILL)
    part + shared$add
  }
  environment(work) <- asNamespace("btg")
  send <- sender(list(add = 10, main = Sys.getpid()))
  expect_warning(found <- on_workers(list(1, 2), work, send), class = "btg_warning_worker")
  expect_identical(found, list(11, 12))
})

test_that("a worker remembers the last shared object", {
  on.exit(rm(list = ls(worker_memory), envir = worker_memory))
  add <- function(shared, part) shared + part
  ask <- function(shared) do_shared_work(add, "a", shared, 1, list())
  expect_s3_class(ask(NULL), "btg_not_shared")
  expect_identical(ask(5), 6)
  expect_identical(ask(NULL), 6)
  expect_s3_class(do_shared_work(add, "b", NULL, 1, list()), "btg_not_shared")
})

test_that("workers receive a shared object once, or each time if they forget it", {
  skip_if_not_installed("future")
  skip_on_cran()
  before <- future::plan("multisession", workers = 2)
  on.exit(future::plan(before))
  add <- function(shared, part) shared + part
  environment(add) <- asNamespace("btg")
  send <- sender(10)
  expect_false(send$sent)
  expect_identical(on_workers(list(1, 2), add, send), list(11, 12))
  expect_true(send$sent)
  expect_false(send$forgotten)
  expect_identical(on_workers(list(3, 4), add, send), list(13, 14))
  expect_false(send$forgotten)
  # Other work in between makes them forget.
  expect_identical(on_workers(list(1, 2), add, sender(20)), list(21, 22))
  expect_identical(on_workers(list(1, 2), add, send), list(11, 12))
  expect_true(send$forgotten)
  expect_identical(on_workers(list(1, 2), add, send), list(11, 12))
})

test_that("the key of a shared object depends on its contents", {
  expect_identical(sender(list(1, "a"))$key, sender(list(1, "a"))$key)
  expect_false(sender(list(1, "a"))$key == sender(list(1, "b"))$key)
})

test_that("parts are runs of neighbours", {
  skip_if_not_installed("future")
  expect_identical(unlist(worker_parts(7)), 1:7)
})
