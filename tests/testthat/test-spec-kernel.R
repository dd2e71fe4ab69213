test_that("kernel_spec() knows the registered kernels", {
  spec <- kernel_spec("rbf", TRUE, FALSE)
  expect_identical(spec[1:3], list(name = "rbf", ard = TRUE, product = FALSE))
  expect_length(spec$parameters, 0)
  expect_identical(check_kernel_name("rbf"), "rbf")
  expect_error(check_kernel_name("gauss"), "\"rbf\", \"matern52\", \"matern32\"",
               class = "btg_error_kernel")
  expect_error(check_kernel_name(c("rbf", "matern52")), class = "btg_error_argument")
  expect_error(check_kernel_name(NULL), class = "btg_error_argument")
})

test_that("a kernel's own parameters are hyperparameters named for it", {
  spec <- kernel_spec("rational_quadratic", FALSE, TRUE)
  expect_named(spec$parameters, "rational_quadratic.alpha")
  expect_true(spec$parameters[[1]]$positive)
  d <- oracle_data()
  fit_with <- function(...) {
    btg(y ~ x, d, kernel = "rational_quadratic", transform = "identity", quadrature = few_nodes(8),
        prior = btg_prior(...))
  }
  expect_named(nodes(fit_with())[-(1:3)], c("lengthscale.x", "rational_quadratic.alpha", "noise"))
  fixed <- fit_with(fixed = c(rational_quadratic.alpha = 0.7))
  expect_identical(unique(nodes(fixed)$rational_quadratic.alpha), 0.7)
  narrow <- fit_with(rational_quadratic.alpha = btg_dist("uniform", lower = 2, upper = 3))
  expect_true(all(nodes(narrow)$rational_quadratic.alpha >= 2 &
                    nodes(narrow)$rational_quadratic.alpha <= 3))
  for (value in c(0, -1)) {
    expect_error(fit_with(fixed = c(rational_quadratic.alpha = value)), "positive",
                 class = "btg_error_prior")
  }
  expect_error(btg(y ~ x, d, prior = btg_prior(fixed = c(rational_quadratic.alpha = 1))),
               class = "btg_error_prior")
})

test_that("the rational quadratic kernel with a large alpha is the squared exponential", {
  d <- oracle_data()
  hyper <- c(lengthscale.x = 2, lengthscale.w = 800, noise = 0.3)
  for (product in c(FALSE, TRUE)) {
    ask <- function(kernel, ...) {
      fit <- btg(y ~ x + w, d, kernel = kernel, product = product, transform = "identity",
                 prior = btg_prior(fixed = c(hyper, ...)))
      predict(fit, d, interval = "credible", observation = FALSE)
    }
    expect_close(ask("rational_quadratic", rational_quadratic.alpha = 1e9), ask("rbf"), 1e-6)
  }
})

# Three points and a constant trend: K, A and q by hand.
test_that("kernels have their closed forms", {
  x <- c(0, 1, 2)
  y <- c(1, 3, 2)
  closed <- list(
    rbf = function(h) exp(-h^2 / 2),
    matern52 = function(h) (1 + sqrt(5) * h + 5 / 3 * h^2) * exp(-sqrt(5) * h),
    matern32 = function(h) (1 + sqrt(3) * h) * exp(-sqrt(3) * h),
    exponential = function(h) exp(-h),
    rational_quadratic = function(h) 1 / (1 + h^2 / 6)^3
  )
  expect_setequal(names(closed), names(naive_kernels))
  for (kernel in names(closed)) {
    own <- if (kernel == "rational_quadratic") c(rational_quadratic.alpha = 3)
    prior <- btg_prior(fixed = c(lengthscale.x1 = 0.8, noise = 0.1, own))
    fit <- btg(x, y, kernel = kernel, transform = "identity", prior = prior)
    near <- closed[[kernel]](1 / 0.8)
    far <- closed[[kernel]](2 / 0.8)
    K <- rbind(c(1.1, near, far), c(near, 1.1, near), c(far, near, 1.1))
    A <- sum(solve(K))
    z <- (y - 2) / 1
    e <- z - sum(solve(K, z)) / A
    expected <- -log(det(K)) / 2 - log(A) / 2 - log(sum(e * solve(K, e)))
    expect_equal(nodes(fit)$log_marginal, expected, tolerance = 1e-12)
  }
})

test_that("radial and product kernels agree for rbf and for one input, and nowhere else", {
  log_marginal <- function(formula, kernel, product) {
    fit <- btg(formula, oracle_data(), kernel = kernel, product = product, epsilon = 0,
               quadrature = few_nodes(16), transform = "sinharcsinh")
    fit$models[[1]]$posterior$log_marginal
  }
  for (kernel in names(naive_kernels)) {
    expect_close(log_marginal(y ~ x, kernel, TRUE), log_marginal(y ~ x, kernel, FALSE), 1e-9)
    two <- log_marginal(y ~ x + w, kernel, TRUE) - log_marginal(y ~ x + w, kernel, FALSE)
    if (kernel == "rbf") expect_lt(max(abs(two)), 1e-7) else expect_gt(max(abs(two)), 0.01)
  }
})

test_that("one lengthscale for all inputs is the same lengthscale for each", {
  d <- oracle_data()
  shared <- btg(y ~ x + w, d, ard = FALSE, quadrature = few_nodes(8), transform = "sinharcsinh")
  own <- btg(y ~ x + w, d, quadrature = few_nodes(8), transform = "sinharcsinh")
  at <- nodes(shared)
  expect_true("lengthscale.all" %in% names(at))
  at$lengthscale.x <- at$lengthscale.w <- at$lengthscale.all
  marginal <- function(fit, at) {
    evaluate_fit(fit, internal_hyper(fit$models[[1]], at))$log_marginal
  }
  expect_close(marginal(own, at), at$log_marginal)
})

test_that("kernel matrices are naive for every number of rows and of new rows", {
  new <- oracle_data(100)[71:100, ]
  at <- c(0.5, 1, 2)
  for (n in c(7, 8, 9, 31, 33, 64, 65, 130)) {
    rlang::local_options(btg.linear_algebra = c("portable", "builtin", "blas")[n %% 3 + 1])
    d <- oracle_data(n)
    for (kernel in names(naive_kernels)) {
      product <- n %% 2 == 1
      fit <- btg(y ~ x + w, d, kernel = kernel, product = product, transform = "identity",
                 quadrature = few_nodes(16), epsilon = 0.01)
      model <- naive_model(fit, d[c("x", "w")], cbind(rep(1, n)), d$y, "identity", kernel, product)
      expect_close(nodes(fit)$log_marginal, naive_log_marginal(model))
      rows <- new[seq_len(n %% 30 + 1), ]
      expect_close(predict(fit, rows, type = "cdf", at = at),
                   naive_predict(model, rows[c("x", "w")], cbind(rep(1, nrow(rows))), "cdf", at))
    }
  }
})

test_that("points far apart are uncorrelated, points at one place are one", {
  d <- oracle_data()
  d <- rbind(d, transform(d, y = 2 - y))
  for (kernel in names(naive_kernels)) {
    for (lengthscale in c(1e-9, 1e9)) {
      own <- if (kernel == "rational_quadratic") c(rational_quadratic.alpha = 1.7)
      fixed <- c(lengthscale.x = lengthscale, noise = 0.5, own)
      fit <- btg(y ~ x, d, kernel = kernel, transform = "identity",
                 prior = btg_prior(fixed = fixed))
      model <- naive_model(fit, d["x"], cbind(rep(1, 28)), d$y, "identity", kernel)
      expect_close(nodes(fit)$log_marginal, naive_log_marginal(model))
      new <- data.frame(x = c(d$x[1], 100))
      expect_close(predict(fit, new, type = "cdf", at = 1),
                   naive_predict(model, new, cbind(c(1, 1)), "cdf", 1))
    }
  }
})
