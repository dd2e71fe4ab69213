# The gradient of the log marginal in the coordinates: logarithms of positive hyperparameters.
core_gradient <- function(fit, hyper) {
  model <- fit$models[[1]]
  internal <- internal_hyper(model, hyper)
  drop(core_evaluate(fit$design, model$problem, internal, TRUE, core_run())$gradient)
}

naive_gradient <- function(model, hyper) {
  positive <- grepl("^lengthscale|^noise$|\\.([bds]|alpha)$", names(hyper))
  log_marginal <- function(coordinates) {
    values <- ifelse(positive, exp(coordinates), coordinates)
    moved <- as.data.frame(as.list(setNames(values, names(hyper))))
    naive_log_marginal(model, naive_nodes(model, moved))
  }
  coordinates <- unlist(hyper)
  coordinates[positive] <- log(coordinates[positive])
  numDeriv::grad(log_marginal, coordinates)
}

expect_naive_gradient <- function(case, row = 1) {
  hyper <- nodes(case$fit)[row, -(1:3)]
  expect_close(core_gradient(case$fit, hyper), naive_gradient(case$model, hyper), 1e-5,
               floor = 0.01)
}

test_that("gradients are those of the naive model: every kernel, radial and product, both trends", {
  skip_if_quick()
  skip_if_not_installed("numDeriv")
  for (case in oracle_cases(list("boxcox", c("affine", "sinharcsinh")))) {
    expect_naive_gradient(do.call(oracle_case, case))
  }
})

test_that("gradients are those of the naive model: every transform", {
  skip_if_quick()
  skip_if_not_installed("numDeriv")
  transforms <- list(
    "identity", "arcsinh", "sinharcsinh", "softplus", "yeojohnson", c("boxcox", "arcsinh"),
    c("softplus", "sinharcsinh"), c("affine", "yeojohnson"), c("sinharcsinh", "sinharcsinh")
  )
  for (transform in transforms) {
    case <- oracle_case(transform)
    for (row in c(1, 5, 10)) {
      expect_naive_gradient(case, row)
    }
  }
})

test_that("gradients are those of the naive model when columns share a lengthscale", {
  skip_if_not_installed("numDeriv")
  expect_naive_gradient(oracle_case("arcsinh", ard = FALSE))
  expect_naive_gradient(factor_case())
})

test_that("gradients are those of the naive model with more rows than fit in a block", {
  skip_if_not_installed("numDeriv")
  d <- oracle_data(67)
  for (kernel in names(naive_kernels)) {
    for (product in c(FALSE, TRUE)) {
      fit <- btg(y ~ x + w, d, kernel = kernel, product = product, transform = "identity",
                 quadrature = few_nodes(16))
      model <- naive_model(fit, d[c("x", "w")], cbind(rep(1, 67)), d$y, "identity", kernel, product)
      expect_naive_gradient(list(fit = fit, model = model))
    }
  }
})

test_that("the likelihood does not see an outer affine layer: its gradient is zero", {
  case <- oracle_case("affine", trend = ~ x)
  gradient <- core_gradient(case$fit, nodes(case$fit)[1, ])
  expect_lt(max(abs(gradient[4:5])), 1e-10)
  expect_gt(max(abs(gradient[1:3])), 1e-3)
})

test_that("locations and scales of every node are naive", {
  case <- oracle_case("sinharcsinh", trend = ~ x)
  points <- prediction_points(case$fit, case$new)
  sorted <- order(case$fit$models[[1]]$posterior$weight, decreasing = TRUE)
  for (observation in c(TRUE, FALSE)) {
    found <- core_latent(core_ensemble(case$fit), core_points(points, 1:3, observation),
                         core_run())
    naive <- naive_latent(case$model, as.matrix(case$new), case$new_trend, observation)
    expect_close(t(found$location[sorted, ]), naive$location, floor = 1e-3)
    expect_close(t(found$scale[sorted, ]), naive$scale)
  }
})

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

test_that("every linear algebra gives the same gradient, also where blocks are used", {
  x <- (0.618 * 1:150) %% 1
  fit <- btg(x, sin(9 * x) + (0.414 * 1:150) %% 1, quadrature = few_nodes(16))
  gradient_with <- function(name) {
    rlang::local_options(btg.linear_algebra = name)
    core_gradient(fit, nodes(fit)[1, ])
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
  problem <- fit$models[[1]]$problem
  problem$kernel <- "none"
  expect_error(check_core(core_fit(fit$design, problem, "sobol", list(), 0, matrix(0, 0, 0),
                                   core_run())),
               class = "btg_error_kernel")
})

test_that("what is registered is what is documented", {
  registry <- core_registry()
  expect_setequal(names(registry$kernels), names(naive_kernels))
  expect_setequal(registry$transforms, names(naive_transforms))
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
