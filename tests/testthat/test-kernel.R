test_that("kernel_spec() knows the registered kernels", {
  expect_identical(kernel_spec("rbf", TRUE, FALSE), list(name = "rbf", ard = TRUE, product = FALSE))
  expect_error(kernel_spec("gauss", TRUE, FALSE), "\"rbf\", \"matern52\", \"matern32\"",
               class = "btg_error_kernel")
  expect_error(kernel_spec(c("rbf", "matern52"), TRUE, FALSE), class = "btg_error_argument")
  expect_error(kernel_spec(NULL, TRUE, FALSE), class = "btg_error_argument")
})

# Three points and a constant trend: K, A and q by hand.
test_that("kernels have their closed forms", {
  x <- c(0, 1, 2)
  y <- c(1, 3, 2)
  closed <- list(
    rbf = function(h) exp(-h^2 / 2),
    matern52 = function(h) (1 + sqrt(5) * h + 5 / 3 * h^2) * exp(-sqrt(5) * h),
    matern32 = function(h) (1 + sqrt(3) * h) * exp(-sqrt(3) * h),
    exponential = function(h) exp(-h)
  )
  for (kernel in names(closed)) {
    prior <- btg_prior(fixed = c(lengthscale.x1 = 0.8, noise = 0.1))
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
    fit$posterior$log_marginal
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
    hyper <- internal_hyper(fit, at, quote(test()))
    core_evaluate(runnable(fit$problem), hyper, FALSE)$log_marginal
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
      fixed <- c(lengthscale.x = lengthscale, noise = 0.5)
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
