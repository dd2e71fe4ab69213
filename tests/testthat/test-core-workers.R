test_that("predictions are the same on workers", {
  skip_if_not_installed("future")
  skip_on_cran()
  d <- oracle_data(30)
  fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(8))
  points <- prediction_points(fit, rbind(d, NA))
  questions <- list(quantile = rbind(c(0.1, 0.5)), cdf = cbind(rep(1, 31)), moments = cbind(0))
  request <- new_request(points, questions, options = list(standard_error = TRUE))
  ensemble <- ensemble_of(fit)
  alone <- answer_in_chunks(ensemble, request)
  before <- future::plan("multisession", workers = 2)
  on.exit(future::plan(before))
  expect_equal(answer_on_workers(ensemble, request), alone, tolerance = 1e-12)
  # Pointers do not reach a worker, which builds the models again.
  expect_equal(answer_on_workers(with_built_models(ensemble), request), alone, tolerance = 1e-12)
  # Points of exact fits are not sent.
  many <- new_points(matrix(0, 1e5, 2), matrix(1, 1e5, 1), NULL, rep(1, 1e5), rep(TRUE, 1e5),
                     character(1e5))
  expect_false(are_for_workers(ensemble, many))
  # An approximate fit sends many points to workers, and keeps few.
  ensemble$models[[1]]$problem$approx <- vecchia()
  expect_true(are_for_workers(ensemble, many))
  expect_false(are_for_workers(ensemble, points))
})

test_that("likelihoods are the same bits on workers, and so is the fit", {
  skip_if_quick()
  skip_if_not_installed("future")
  skip_on_cran()
  d <- oracle_data(40)
  fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(8))
  built <- build_models(fit$design, fit$models)
  hyper <- fit$models[[1]]$posterior$hyper[1:5, ]
  rule <- new_rule("adaptive", nodes = 40, effective = 20, most = 100)
  fit_by <- function(...) {
    core_integrate(built, 1L, rule$name, rule$options, 1e-3, list(), c(core_run(), list(...)))
  }
  alone <- evaluate_model(built, hyper, gradient = TRUE)
  alone_fit <- fit_by()

  before <- future::plan("multisession", workers = 2)
  on.exit(future::plan(before))
  evaluate <- evaluate_on_workers(built, "softplus", 1)
  expect_identical(evaluate(hyper, TRUE)[c("log_marginal", "gradient")],
                   alone[c("log_marginal", "gradient")])
  expect_identical(evaluate(hyper[1, , drop = FALSE], FALSE)$log_marginal, alone$log_marginal[1])
  expect_identical(fit_by(evaluate = evaluate), alone_fit)
})

test_that("likelihoods are sent to workers only where each takes long", {
  skip_if_not_installed("future")
  skip_on_cran()
  built <- function(rows, approx = NULL) {
    list(design = list(inputs = matrix(0, rows, 1)), models = list(list(approx = approx)),
         names = "one")
  }
  expect_false(is_divisible(built(1000), "one")) # there are no workers
  before <- future::plan("multisession", workers = 2)
  on.exit(future::plan(before))
  expect_true(is_divisible(built(1000), "one"))
  expect_false(is_divisible(built(999), "one"))
  expect_true(is_divisible(built(5000, vecchia()), "one"))
  expect_false(is_divisible(built(4999, vecchia()), "one"))
})

test_that("a worker builds a model once", {
  on.exit(rm(list = ls(worker_memory), envir = worker_memory))
  fit <- oracle_case("softplus")$fit
  other <- oracle_case("identity")$fit
  shared <- function(fit) {
    list(design = fit$design, problem = fit$models[[1]]$problem, threads = 1)
  }
  part <- function(fit) {
    list(hyper = fit$models[[1]]$posterior$hyper[1:2, ], gradient = FALSE)
  }
  called <- core_calls({
    first <- evaluate_part(shared(fit), part(fit))
    second <- evaluate_part(shared(fit), part(fit))
  })
  expect_identical(second, first)
  expect_close(first$log_marginal, fit$models[[1]]$posterior$log_marginal[1:2])
  expect_identical(sum(called == "core_models"), 1L)
  # Another model takes its place.
  expect_close(evaluate_part(shared(other), part(other))$log_marginal,
               other$models[[1]]$posterior$log_marginal[1:2])
})
