test_that("likelihoods are the same bits on workers, and so is the fit", {
  skip_if_not_installed("future")
  skip_on_cran()
  d <- oracle_data(40)
  fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(8))
  problem <- fit$models[[1]]$problem
  hyper <- fit$models[[1]]$posterior$hyper[1:5, ]
  rule <- new_rule("adaptive", nodes = 40, effective = 20, most = 100)
  fit_by <- function(...) {
    core_fit(fit$design, problem, rule$name, rule$options, 1e-3, list(), c(core_run(), list(...)))
  }
  alone <- core_evaluate(fit$design, problem, hyper, TRUE, core_run())
  alone_fit <- fit_by()

  before <- future::plan("multisession", workers = 2)
  on.exit(future::plan(before))
  evaluate <- evaluate_on_workers(fit$design, problem, 1, quote(btg()))
  expect_identical(evaluate(hyper, TRUE)[c("log_marginal", "jitter", "gradient")],
                   alone[c("log_marginal", "jitter", "gradient")])
  expect_identical(evaluate(hyper[1, , drop = FALSE], FALSE)$log_marginal, alone$log_marginal[1])
  expect_identical(fit_by(evaluate = evaluate), alone_fit)
})

test_that("what a lost worker had to do is done here", {
  skip_if_not_installed("future")
  skip_on_cran()
  before <- future::plan("multisession", workers = 2)
  on.exit(future::plan(before))
  main <- Sys.getpid()
  work <- function(shared, part) {
    if (part == 2 && Sys.getpid() != shared$main) tools::pskill(Sys.getpid(), tools::SIGKILL)
    part + shared$add
  }
  environment(work) <- asNamespace("btg")
  shared <- list(add = 10, main = main)
  expect_warning(found <- on_workers(list(1, 2), work, shared, "key", quote(btg())),
                 class = "btg_warning_worker")
  expect_identical(found, list(11, 12))
})

test_that("a worker is sent what is shared once", {
  on.exit(rm(list = ls(worker_memory), envir = worker_memory))
  add <- function(shared, part) shared + part
  ask <- function(shared) do_shared_work(add, "a", shared, 1, list())
  expect_s3_class(ask(NULL), "btg_not_shared")
  expect_identical(ask(5), 6)
  expect_identical(ask(NULL), 6)
  expect_s3_class(do_shared_work(add, "b", NULL, 1, list()), "btg_not_shared")
})

test_that("workers that forget are sent what is shared with the work", {
  skip_if_not_installed("future")
  skip_on_cran()
  before <- future::plan("multisession", workers = 2)
  on.exit({
    future::plan(before)
    sending$always <- FALSE
  })
  add <- function(shared, part) shared + part
  environment(add) <- asNamespace("btg")
  # Nothing was shared under this key.
  expect_identical(on_workers(list(1, 2), add, 10, "none", quote(btg())), list(11, 12))
  expect_true(sending$always)
  share_with_workers(20, "some")
  expect_false(sending$always)
  expect_identical(on_workers(list(1, 2), add, 20, "some", quote(btg())), list(21, 22))
  expect_false(sending$always)
})

test_that("parts are runs of neighbours", {
  skip_if_not_installed("future")
  expect_identical(unlist(worker_parts(7)), 1:7)
})
