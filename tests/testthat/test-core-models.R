# The gradient of the naive log marginal likelihood in the coordinates, which are logarithms of
# positive hyperparameters.
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
  found <- evaluate_fit(case$fit, internal_hyper(case$fit$models[[1]], hyper))$gradient
  expect_close(found, naive_gradient(case$model, hyper), 1e-5, floor = 0.01)
}

test_that("gradients are naive for every kernel, radial and product, and both trends", {
  skip_if_quick()
  skip_if_not_installed("numDeriv")
  for (case in oracle_cases(list("boxcox", c("affine", "sinharcsinh")))) {
    expect_naive_gradient(do.call(oracle_case, case))
  }
})

test_that("gradients are naive for every transform", {
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

test_that("gradients are naive when columns share a lengthscale", {
  skip_if_not_installed("numDeriv")
  expect_naive_gradient(oracle_case("arcsinh", ard = FALSE))
  for (product in c(FALSE, TRUE)) expect_naive_gradient(factor_case(product = product))
})

test_that("gradients are naive with more rows than fit in a block", {
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

test_that("the likelihood does not depend on an outer affine layer", {
  case <- oracle_case("affine", trend = ~ x)
  hyper <- internal_hyper(case$fit$models[[1]], nodes(case$fit)[1, ])
  gradient <- drop(evaluate_fit(case$fit, hyper)$gradient)
  expect_lt(max(abs(gradient[4:5])), 1e-10)
  expect_gt(max(abs(gradient[1:3])), 1e-3)
})

test_that("a built model has the likelihoods and priors of a fit, whichever name it has", {
  fit <- btg(y ~ x + w, oracle_data(), kernel = "matern52", quadrature = few_nodes(16))
  built <- build_models(fit$design, fit$models)
  expect_length(fit$models, 4)
  expect_identical(built$sites, rep(14L, 4))
  for (name in rev(names(fit$models))) {
    posterior <- fit$models[[name]]$posterior
    found <- evaluate_model(built, posterior$hyper, name)
    expect_close(found$log_marginal, posterior$log_marginal)
    expect_close(found$log_prior, posterior$log_prior)
    expect_identical(dim(found$gradient), c(0L, ncol(posterior$hyper)))
    with_gradient <- evaluate_model(built, posterior$hyper, name, gradient = TRUE, threads = 2)
    expect_close(with_gradient$log_marginal, posterior$log_marginal)
    expect_identical(dim(with_gradient$gradient), dim(posterior$hyper))
  }
})

test_that("built models that were saved are built again by the core", {
  fit <- oracle_case("softplus", trend = ~ x)$fit
  built <- build_models(fit$design, fit$models)
  hyper <- fit$models[[1]]$posterior$hyper
  expected <- evaluate_model(built, hyper, gradient = TRUE)
  file <- tempfile()
  saveRDS(built, file)
  expect_identical(evaluate_model(readRDS(file), hyper, gradient = TRUE), expected)
})

test_that("a model that cannot be built is an error with a class", {
  fit <- oracle_case("identity")$fit
  model <- fit$models[[1]]
  model$problem$transform <- "none"
  expect_error(build_models(fit$design, list(fit$models[[1]], model)), "none",
               class = "btg_error_transform")
})

test_that("the trend of each node is naive", {
  case <- oracle_case("sinharcsinh", trend = ~ x)
  model <- case$fit$models[[1]]
  trend <- node_trends(model, case$fit$design, internal_hyper(model, nodes(case$fit)), threads = 2)
  solved <- case$model$solved
  df <- 14 - 2
  expect_identical(trend$degrees_of_freedom, df)
  expect_close(trend$coefficients, t(vapply(solved, function(node) drop(node$beta), c(0, 0))))
  # q / (n - p) A^-1, the squared scale of a t distribution.
  expect_close(trend$covariance,
               t(vapply(solved, function(node) c(node$q / df * solve(node$A)), numeric(4))))
  expect_close(trend$variance, vapply(solved, function(node) node$q / df, 0))
})

test_that("degrees of freedom are n - p, and infinite where the scale is profiled", {
  d <- oracle_data()
  df <- function(fit) degrees_of_freedom(fit$models[[1]]$problem, fit$design)
  expect_identical(df(btg(y ~ x, d, transform = "identity", quadrature = few_nodes(8),
                          trend = ~ x)), 12L)
  expect_identical(df(wgp(y ~ x, d)), 13L)
  expect_identical(df(wgp(y ~ x, d, method = "ML")), Inf)
})

test_that("typical lengthscales are medians of the posterior", {
  fit <- oracle_case("identity")$fit
  model <- fit$models[[1]]
  all <- nodes(fit)
  for (j in 1:2) {
    name <- c("lengthscale.x", "lengthscale.w")[j]
    median <- typical_lengthscales(model)[j] * model$units[[name]]
    expect_gte(sum(all$weight[all[[name]] <= median * (1 + 1e-9)]), 0.5)
    expect_gte(sum(all$weight[all[[name]] >= median * (1 - 1e-9)]), 0.5)
  }
  expect_identical(free_names(one_node_case()$fit$models[[1]]$problem), character())
})

test_that("a fit builds its models once", {
  count <- function(code) sum(core_calls(code) == "core_models")
  rlang::local_options(btg.warn_quadrature = TRUE)
  expect_identical(count(btg(dist ~ speed, cars, transform = "softplus")), 1L)
  expect_identical(count(average <- btg(dist ~ speed, cars)), 1L)
  expect_identical(count(wgp(dist ~ speed, cars)), 1L)
  expect_identical(count(refine(average)), 1L)
})

test_that("a default fit makes at most 40 calls of the core", {
  rlang::local_options(btg.warn_quadrature = TRUE)
  release()
  expect_lte(length(core_calls(btg(dist ~ speed, cars))), 40)
  # With two inputs there are twice as many candidates. Priors and transforms cost microseconds.
  called <- core_calls(btg(y ~ x + w, oracle_data(30)))
  expect_lte(sum(!called %in% c("core_distribution", "core_transform")), 40)
  expect_lte(length(called), 70)
})

# A fit with two censored rows by fixed nodes, its naive model, and the limits.
interval_case <- function(transform = "sinharcsinh") {
  d <- oracle_data()
  at <- list(row = c(3L, 8L), lower = d$y[c(3, 8)] - c(0.4, 0.1), upper = d$y[c(3, 8)] + c(0.3, 2))
  limits <- matrix(NA_real_, 14L, 2L)
  limits[at$row, ] <- c(at$lower, at$upper)
  fit <- suppressWarnings(btg(y ~ x + w, d, transform = transform, lower = -Inf,
                              censored = limits, quadrature = few_nodes(8)))
  list(fit = fit, at = at, data = d,
       model = naive_model(fit, d[c("x", "w")], matrix(1, 14L, 1L), d$y, transform))
}

test_that("likelihoods of censored rows are integrals over their intervals", {
  case <- interval_case()
  model <- case$fit$models[[1L]]
  model$problem$censored$points <- 16384L
  hyper <- model$posterior$hyper[!duplicated(node_numbers(model)), seq_along(model$units)]
  found <- evaluate_model(build_models(case$fit$design, list(model)), hyper, NULL)
  nodes <- as.data.frame(sweep(hyper, 2L, model$units, `*`))
  names(nodes) <- names(model$units)
  expected <- naive_censored_marginal(case$model, case$at, nodes)
  expect_equal(as.vector(found$log_marginal), expected, tolerance = 1e-4)
  # With the points that integrals use.
  expect_lt(max(abs(model$posterior$log_marginal[!duplicated(node_numbers(model))] - expected)),
            0.05)
})

test_that("nodes are completed by latent responses inside their limits", {
  case <- interval_case()
  model <- case$fit$models[[1L]]
  p <- length(model$units)
  hyper <- model$posterior$hyper
  expect_identical(ncol(hyper), p + 2L)
  expect_gt(nrow(hyper), 900)
  expect_equal(sum(model$posterior$weight), 1)
  layers <- lapply(seq_len(nrow(hyper)), function(i) {
    values <- setNames(as.list(hyper[i, seq_len(p)]), names(model$units))
    naive_layers("sinharcsinh", values)
  })
  y <- t(vapply(seq_along(layers), function(i) {
    naive_inverse(hyper[i, p + 1:2], layers[[i]])
  }, numeric(2))) * case$model$y_scale + case$model$y_center
  for (j in 1:2) {
    expect_true(all(y[, j] >= case$at$lower[j] - 1e-9 & y[, j] <= case$at$upper[j] + 1e-9))
  }
})

test_that("nodes of the same hyperparameters are numbered alike", {
  hyper <- rbind(c(1, 2, 0.1), c(1, 2, 0.2), c(1, 3, 0.2), c(1, 2, 0.1))
  model <- list(problem = list(hyperparameters = list(a = 1, b = 1)),
                posterior = list(hyper = hyper))
  expect_identical(node_numbers(model), c(1L, 1L, 2L, 3L))
  expect_equal(sum_by_node(c(0.1, 0.2, 0.3, 0.4), c(1, 1, 2, 3)), c(0.3, 0.3, 0.3, 0.4))
})
