all_transforms <- list(
  "identity", "affine", "arcsinh", "sinharcsinh", "boxcox", "softplus", "yeojohnson",
  c("affine", "sinharcsinh"), c("boxcox", "arcsinh"), c("softplus", "sinharcsinh"),
  c("sinharcsinh", "sinharcsinh")
)

expect_naive_nodes <- function(case, fixed = character(), units = input_sds(case$data)) {
  found <- nodes(case$fit)
  expect_gt(nrow(found), 10)
  expect_close(found$log_marginal, naive_log_marginal(case$model))
  expect_close(found$log_prior, naive_log_prior(found, units, fixed))
  log_weight <- found$log_marginal + naive_excess(found, units, fixed)
  weight <- exp(log_weight - max(log_weight))
  expect_close(found$weight, weight / sum(weight))
}

test_that("nodes() has a column for everything, and its weights are a distribution", {
  found <- nodes(oracle_case(c("boxcox", "arcsinh"))$fit)
  expect_named(found, c(
    "weight", "log_marginal", "log_prior", "lengthscale.x", "lengthscale.w", "noise",
    "boxcox.lambda", "arcsinh.c", "arcsinh.d"
  ))
  expect_equal(sum(found$weight), 1)
  expect_true(all(found$weight > 0))
  expect_false(is.unsorted(rev(found$weight)))
  expect_identical(row.names(found), as.character(seq_len(nrow(found))))
})

test_that("nodes are those of the naive model: every kernel, radial and product, both trends", {
  skip_if_quick()
  for (case in oracle_cases(list("identity", "boxcox", "sinharcsinh"))) {
    expect_naive_nodes(do.call(oracle_case, case))
  }
})

test_that("nodes are those of the naive model: every transform, both trends", {
  skip_if_quick()
  for (transform in all_transforms) {
    # An affine layer that comes last is not integrated over.
    fixed <- if (identical(transform, "affine")) c("affine.a", "affine.b")
    expect_naive_nodes(oracle_case(transform), fixed)
    expect_naive_nodes(oracle_case(transform, trend = ~ x), fixed)
  }
})

test_that("nodes are those of the naive model with one lengthscale for all inputs", {
  unit <- function(data) c(lengthscale.all = sqrt(mean(input_sds(data)^2)))
  for (product in c(FALSE, TRUE)) {
    case <- oracle_case("arcsinh", product = product, ard = FALSE)
    expect_naive_nodes(case, units = unit(case$data))
  }
})

test_that("nodes are those of the naive model with factors: one lengthscale for all levels", {
  case <- factor_case()
  variances <- apply(case$inputs, 2, var)
  units <- sqrt(c(lengthscale.x = variances[[1]], lengthscale.three = sum(variances[2:4]),
                  lengthscale.two = variances[[5]]))
  expect_naive_nodes(case, units = units)
})

test_that("log_posterior() is the naive log posterior, at the nodes and elsewhere", {
  case <- oracle_case(c("softplus", "sinharcsinh"), trend = ~ x)
  found <- nodes(case$fit)
  expect_close(log_posterior(case$fit, found), found$log_marginal + found$log_prior, 1e-10)

  moved <- found[1:5, ]
  moved$lengthscale.w <- c(0.1, 10, 100, 1000, 1e5)
  moved$noise <- c(0.01, 0.1, 1, 10, 1e4)
  moved$softplus.s <- c(0.1, 0.5, 1, 2, 20)
  moved$sinharcsinh.a <- c(-1, -0.1, 0, 0.5, 2)
  expect_close(
    log_posterior(case$fit, moved),
    naive_log_marginal(case$model, naive_nodes(case$model, moved)) +
      naive_log_prior(moved, input_sds(case$data))
  )
})

test_that("log_posterior() takes any order of columns, matrices, and no rows", {
  fit <- oracle_case("boxcox")$fit
  found <- nodes(fit)
  expected <- log_posterior(fit, found)
  expect_identical(log_posterior(fit, rev(found)), expected)
  expect_identical(log_posterior(fit, as.matrix(found[-(1:3)])), expected)
  expect_identical(log_posterior(fit, found[0, ]), numeric())
})

test_that("log_posterior() is -Inf outside the support of the prior", {
  fit <- oracle_case(c("boxcox", "arcsinh"))$fit
  at <- nodes(fit)[rep(1, 8), ]
  at$noise[1:2] <- c(0, -1)
  at$lengthscale.x[3] <- -2
  at$boxcox.lambda[4:5] <- c(-0.01, 3.01)
  at$arcsinh.d[6:7] <- c(0, 0.09)
  expect_identical(log_posterior(fit, at) == -Inf, rep(c(TRUE, FALSE), c(7, 1)))
  expect_true(is.finite(log_posterior(fit, at[8, ])))
  at$noise <- Inf
  expect_identical(log_posterior(fit, at), rep(-Inf, 8))
})

test_that("hyperparameters may be fixed, in user units, and left out of `hyper`", {
  fixed <- c(lengthscale.w = 700, noise = 0.2, boxcox.lambda = 0.5)
  fit <- oracle_case("boxcox", prior = btg_prior(fixed = fixed))$fit
  found <- nodes(fit)
  for (name in names(fixed)) {
    expect_equal(found[[name]], rep(fixed[[name]], nrow(found)))
  }
  expect_gt(length(unique(found$lengthscale.x)), 10)
  expect_close(found$log_prior, vapply(log(found$lengthscale.x / sd(oracle_data()$x)),
                                       naive_common_prior, 0, centre = 1 + log(2) / 2))
  expect_identical(log_posterior(fit, found["lengthscale.x"]), log_posterior(fit, found))
})

test_that("nodes with latent responses are shown once, without them", {
  d <- oracle_data()
  fit <- suppressWarnings(btg(y ~ x + w, d, transform = "softplus",
                              censored = ifelse(y > sort(y)[10], "right", "none"),
                              quadrature = few_nodes(8)))
  shown <- nodes(fit)
  expect_identical(anyDuplicated(shown[names(fit$models[[1L]]$units)]), 0L)
  expect_identical(names(shown)[-(1:3)], names(fit$models[[1L]]$units))
  expect_equal(sum(shown$weight), 1)
  # Latent responses are integrated out.
  expect_equal(log_posterior(fit, shown), shown$log_marginal + shown$log_prior)
})
