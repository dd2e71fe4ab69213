screened_fit <- local({
  kept <- NULL
  function() {
    if (is.null(kept)) {
      set.seed(4)
      d <- data.frame(x = runif(60), w = runif(60))
      d$y <- exp(sin(6 * d$x) + d$w + rnorm(60, sd = 0.1))
      kept <<- btg(y ~ x + w, d)
    }
    kept
  }
})

test_that("an average looks at transforms and kernels of several smoothnesses", {
  fit <- screened_fit()
  expect_setequal(fit$screened$model, c(outer(
    c("", ", product", ", exponential", ", product, exponential", ", rbf"),
    c("sinharcsinh", "softplus"), function(kernel, transform) paste0(transform, kernel)
  )))
  expect_true(all(names(fit$models) %in% fit$screened$model))
  expect_lte(length(fit$models), most_integrated)
  # Each model has the kernel that its name says.
  kernels <- vapply(fit$models, function(model) model$kernel$name, "")
  said <- sub("^.*, ", "", names(kernels))
  expect_equal(unname(kernels), ifelse(said %in% c("exponential", "rbf"), said, "matern52"))
})

test_that("modes are maxima of the posterior, and the evidence by them is Laplace's", {
  fit <- screened_fit()
  name <- names(fit$models)[1L]
  one <- select_models(fit, name)
  mode <- one$models[[1L]]$quadrature$modes[1L, ]
  at <- log_posterior(one, mode)
  moved <- vapply(names(one$models[[1L]]$units), function(hyper) {
    max(vapply(c(0.97, 1.03), function(factor) {
      other <- mode
      other[[hyper]] <- other[[hyper]] * factor
      log_posterior(one, other)
    }, 0))
  }, 0)
  # The mode is one in coordinates where the prior is normal: nearly one in logarithms.
  expect_lt(max(moved - at), 0.2)
  laplace <- fit$screened$log_evidence[fit$screened$model == name]
  expect_lt(abs(laplace - fit$averaging$log_evidence[[name]]), 2)
})

test_that("the models of largest weight by their modes are integrated", {
  expect_equal(thin_weights(c(a = 0.5, b = 0.3, c = 0.19, d = 0.01)),
               c(a = 0.5, b = 0.3, c = 0.19, d = 0) / 0.99)
  weights <- thin_weights(stats::setNames(rep(0.1, 10), letters[1:10]))
  expect_equal(sum(weights > 0), most_integrated)
  expect_equal(sum(weights), 1)
  expect_equal(thin_weights(c(a = 1)), c(a = 1))
})

test_that("a kernel that is named is the only one, and one transform has one unless \"auto\"", {
  d <- oracle_data(25)
  kernels <- function(...) {
    unique(vapply(btg(y ~ x + w, d, ...)$models, function(model) model$kernel$name, ""))
  }
  expect_equal(kernels(kernel = "matern32"), "matern32")
  expect_equal(kernels(transform = "boxcox"), "matern52")
  fit <- btg(y ~ x + w, d, transform = "boxcox", kernel = "auto")
  expect_setequal(fit$screened$model, c("boxcox", "boxcox, exponential", "boxcox, rbf"))
  expect_error(btg(y ~ x, d, kernel = "automatic"), class = "btg_error_kernel")
  expect_error(wgp(y ~ x, d, kernel = "auto"), class = "btg_error_kernel")
})

test_that("a rule that does not look for modes integrates all candidates", {
  d <- oracle_data(20)
  fit <- btg(y ~ x, d, quadrature = quad_sobol(nodes = 16))
  expect_null(fit$screened)
  expect_length(fit$models, 6L)
})

test_that("stacking is drawn towards the posterior probabilities where rows are few", {
  set.seed(1)
  log_scores <- cbind(a = rnorm(30), b = rnorm(30), c = rnorm(30))
  prior <- c(0.7, 0.2, 0.1)
  # Expectation maximisation of sum(log(density w)) + 5 sum(prior log(w)).
  density <- exp(log_scores)
  w <- prior
  for (k in 1:5000) {
    share <- sweep(density, 2, w, "*")
    w <- (colSums(share / rowSums(share)) + 5 * prior) / 35
  }
  expect_equal(unname(stacking_weights(log_scores, prior, 5)), unname(w), tolerance = 1e-6)
  expect_equal(unname(stacking_weights(log_scores[0, ], prior, 5)), prior)
})

test_that("models without free hyperparameters have one point, and no search", {
  fixed <- c(lengthscale.speed = 5, noise = 0.1, sinharcsinh.a = 0, sinharcsinh.b = 1,
             softplus.s = 1)
  fit <- btg(dist ~ speed, cars, prior = btg_prior(fixed = fixed))
  expect_true(all(vapply(fit$models, function(model) nrow(model$posterior$hyper), 0L) == 1L))
  expect_equal(fit$screened$log_evidence[match(names(fit$models), fit$screened$model)],
               unname(fit$averaging$log_evidence))
})
