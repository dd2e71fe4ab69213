test_that("every linear algebra gives the same fit and predictions", {
  fit_with <- function(name) {
    rlang::local_options(btg.linear_algebra = name)
    case <- oracle_case(c("softplus", "sinharcsinh"), trend = ~ x)
    list(nodes = nodes(case$fit), predictions = predict(case$fit, case$new, interval = "credible"))
  }
  portable <- fit_with("portable")
  for (name in c("builtin", "blas")) {
    other <- fit_with(name)
    expect_close(other$nodes, portable$nodes, 1e-9)
    expect_close(other$predictions, portable$predictions, 1e-9)
  }
})

test_that("every linear algebra gives the same gradient, including blocked code", {
  x <- (0.618 * 1:150) %% 1
  fit <- btg(x, sin(9 * x) + (0.414 * 1:150) %% 1, quadrature = few_nodes(16))
  gradient_with <- function(name) {
    rlang::local_options(btg.linear_algebra = name)
    evaluate_fit(fit, fit$models[[1]]$posterior$hyper[1, ])$gradient
  }
  portable <- gradient_with("portable")
  expect_close(gradient_with("builtin"), portable, 1e-7)
  expect_close(gradient_with("blas"), portable, 1e-7)
})

test_that("linear_algebra() obeys the option, and a fast BLAS is used if there is one", {
  rlang::local_options(btg.linear_algebra = NULL)
  own <- registry()$has_own_kernels
  expect_identical(linear_algebra(), if (has_fast_blas() && !own) "blas" else "builtin")
  rlang::local_options(btg.linear_algebra = "portable")
  expect_identical(linear_algebra(), "portable")
  rlang::local_options(btg.linear_algebra = "magic")
  expect_error(linear_algebra(), "\"builtin\"", class = "btg_error")
  for (bad in list(c("blas", "builtin"), 1, NA_character_, character())) {
    rlang::local_options(btg.linear_algebra = bad)
    expect_error(linear_algebra(), "btg.linear_algebra", class = "btg_error_argument")
    expect_error(btg(dist ~ speed, cars, transform = "identity"), class = "btg_error_argument")
  }
  expect_true(has_fast_blas("/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3"))
  expect_true(has_fast_blas("/opt/intel/mkl/lib/libmkl_rt.so"))
  expect_false(has_fast_blas("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0"))
  expect_false(has_fast_blas("/usr/lib/R/lib/libRblas.so"))
})

test_that("errors of the core become conditions with its kind as their class", {
  result <- structure(list(kind = "numerical", message = "No."), class = "btg_core_error")
  expect_error(check_core(result), "No.", class = "btg_error_numerical")
  expect_identical(check_core(list(1)), list(1))
  fit <- oracle_case("identity")$fit
  model <- fit$models[[1]]
  built <- build_models(fit$design, list(model))
  expect_error(check_core(core_integrate(built, 1L, "none", list(), 0, list(), core_run())),
               class = "btg_error_quadrature")
  model$problem$kernel <- "none"
  expect_error(build_models(fit$design, list(model)), class = "btg_error_kernel")
})

test_that("the registries hold what is documented", {
  registry <- core_registry()
  expect_setequal(names(registry$kernels), names(naive_kernels))
  expect_setequal(names(registry$transforms), names(naive_transforms))
  expect_true("sobol" %in% names(registry$rules))
  expect_error(check_registered("rbff", names(registry$kernels), "kernel"),
               "no kernel \"rbff\".*\"rbf\", \"matern52\".*Did you mean",
               class = "btg_error_kernel")
})

test_that("the class of an unknown name has no spaces in it", {
  for (what in c("kernel", "quadrature rule", "prior family", "linear algebra")) {
    error <- tryCatch(check_registered("x", "y", what), error = identity)
    expect_s3_class(error, "btg_error")
    expect_match(class(error)[1], "^btg_error_[a-z_]+$")
  }
})

test_that("an error of the core names the row", {
  failure <- structure(list(kind = "quantile", message = "It was not reached.", point = 2L),
                       class = "btg_core_error")
  expect_error(check_core(failure, c("a", "b")), "In row b",
               class = "btg_error_quantile")
})
