# log_prior of one free hyperparameter at values spread over its prior.
log_prior_of <- function(name, dist, transform = "boxcox") {
  everything <- c(lengthscale.x = 2, noise = 0.3, boxcox.lambda = 0.5, sinharcsinh.a = 0,
                  sinharcsinh.b = 1)
  own <- grepl(paste0("^lengthscale|^noise|^", transform), names(everything))
  fixed <- everything[own & names(everything) != name]
  prior <- do.call(btg_prior, c(setNames(list(dist), name), list(fixed = fixed)))
  fit <- btg(y ~ x, oracle_data(), transform = transform, prior = prior, epsilon = 0,
             quadrature = few_nodes(32))
  list(value = nodes(fit)[[name]], log_prior = nodes(fit)$log_prior)
}

# Each value of a net of 32 points is in a 32nd of the distribution of its own.
expect_stratified <- function(probability) {
  expect_identical(sort(floor(32 * probability)), as.double(0:31))
}

test_that("priors of positive hyperparameters are densities of their logarithms", {
  check <- function(dist, density, cdf) {
    found <- log_prior_of("noise", dist)
    expect_close(found$log_prior, log(density(found$value)) + log(found$value))
    expect_stratified(cdf(found$value))
  }
  check(btg_dist("lognormal", meanlog = -1, sdlog = 0.7),
        function(v) dlnorm(v, -1, 0.7), function(v) plnorm(v, -1, 0.7))
  check(btg_dist("uniform", lower = 0.1, upper = 0.6),
        function(v) dunif(v, 0.1, 0.6), function(v) punif(v, 0.1, 0.6))
  check(btg_dist("loguniform", log_lower = -3, log_upper = 1),
        function(v) 1 / (4 * v), function(v) (log(v) + 3) / 4)
  check(btg_dist("half_normal", sd = 2),
        function(v) 2 * dnorm(v, 0, 2), function(v) 2 * pnorm(v, 0, 2) - 1)
  check(btg_dist("exponential", rate = 5), function(v) dexp(v, 5), function(v) pexp(v, 5))
  check(btg_dist("inverse_gamma", shape = 3, scale = 0.5),
        function(v) dgamma(1 / v, 3, 0.5) / v^2, function(v) 1 - pgamma(1 / v, 3, 0.5))
  check(btg_dist("beta_prime", alpha = 2, beta = 3),
        function(v) dbeta(v / (1 + v), 2, 3) / (1 + v)^2, function(v) pbeta(v / (1 + v), 2, 3))
  check(btg_dist("normal", mean = 0.2, sd = 0.3),
        function(v) dnorm(v, 0.2, 0.3) / pnorm(0.2 / 0.3),
        function(v) 1 - (1 - pnorm(v, 0.2, 0.3)) / pnorm(0.2 / 0.3))
})

test_that("priors of other hyperparameters are densities of them as they are", {
  found <- log_prior_of("sinharcsinh.a", btg_dist("normal", mean = 0.1, sd = 0.4), "sinharcsinh")
  expect_close(found$log_prior, dnorm(found$value, 0.1, 0.4, log = TRUE))
  expect_stratified(pnorm(found$value, 0.1, 0.4))
  found <- log_prior_of("boxcox.lambda", btg_dist("uniform", lower = 0.5, upper = 2.5))
  expect_close(found$log_prior, rep(-log(2), 32))
  expect_stratified((found$value - 0.5) / 2)
})

test_that("bounds truncate and renormalise", {
  dist <- btg_dist("lognormal", meanlog = 0, sdlog = 1, lower = 0.5, upper = 2)
  found <- log_prior_of("noise", dist)
  inside <- plnorm(2) - plnorm(0.5)
  expect_true(all(found$value >= 0.5 & found$value <= 2))
  expect_close(found$log_prior, log(dlnorm(found$value) / inside) + log(found$value))
  expect_stratified((plnorm(found$value) - plnorm(0.5)) / inside)
})

test_that("the default priors are those of the documentation", {
  draw <- function(transform) {
    nodes(btg(y ~ x, oracle_data(), transform = transform, epsilon = 0,
              quadrature = quad_sobol(32, inner = 1)))
  }
  boxcox <- draw("boxcox")
  expect_stratified(pnorm(log(boxcox$lengthscale.x / sd(oracle_data()$x)), 1, 1.25))
  expect_stratified(pbeta(boxcox$noise / (1 + boxcox$noise), 1 / 4, 1 / 2))
  expect_stratified(boxcox$boxcox.lambda / 3)
  expect_stratified(pnorm(draw("sinharcsinh")$sinharcsinh.a, 0, 0.5))
  expect_stratified(pnorm(log(draw("sinharcsinh")$sinharcsinh.b), 0, 0.5))
  expect_stratified(pnorm(log(draw("softplus")$softplus.s), 0, 1.5))
  below <- pnorm(log(0.1))
  expect_stratified((pnorm(log(draw("arcsinh")$arcsinh.d)) - below) / (1 - below))
  below <- pnorm(-2)
  expect_stratified((pnorm(draw("yeojohnson")$yeojohnson.lambda, 1, 0.5) - below) / (1 - 2 * below))
})

test_that("a prior for all lengthscales gives way to one for a single lengthscale", {
  narrow <- btg_dist("lognormal", meanlog = 0, sdlog = 0.1)
  wide <- btg_dist("lognormal", meanlog = 3, sdlog = 0.1)
  fit <- btg(y ~ x + w, oracle_data(), quadrature = few_nodes(), epsilon = 0,
             prior = btg_prior(lengthscale = narrow, lengthscale.w = wide))
  sds <- input_sds(oracle_data())
  expect_lt(max(abs(log(nodes(fit)$lengthscale.x / sds[["lengthscale.x"]]))), 0.5)
  expect_lt(max(abs(log(nodes(fit)$lengthscale.w / sds[["lengthscale.w"]]) - 3)), 0.5)
})

test_that("priors are specified by name", {
  prior <- btg_prior(noise = btg_dist("exponential", rate = 10), fixed = c(boxcox.lambda = 0))
  expect_s3_class(prior, "btg_prior")
  expect_named(prior$distributions, "noise")
  expect_identical(prior$fixed, c(boxcox.lambda = 0))
  expect_identical(btg_prior(fixed = list(noise = 1))$fixed, c(noise = 1))
  dist <- btg_dist("normal", sd = 2, mean = 1, upper = 3)
  expect_identical(dist$arguments, c(mean = 1, sd = 2))
  expect_identical(c(dist$lower, dist$upper), c(-Inf, 3))
})

test_that("distributions and priors print what they are", {
  expect_output(print(btg_dist("normal", mean = 0, sd = 1)), "normal(mean = 0, sd = 1)",
                fixed = TRUE)
  expect_output(print(btg_dist("lognormal", meanlog = 0, sdlog = 1, upper = 10)), "on (-Inf, 10)",
                fixed = TRUE)
  uniform <- btg_dist("uniform", lower = 0, upper = 1)
  expect_output(print(uniform), "^uniform\\(lower = 0, upper = 1\\)$")
  expect_output(print(btg_prior()), "All have their default:")
  expect_output(print(btg_prior()), "lengthscale +common location lognormal.*; of one lognormal")
  expect_output(print(btg_prior()), "noise +beta_prime\\(alpha = 0.25, beta = 0.5\\)\n")
  expect_output(print(btg_prior()), "noise_effect +normal\\(mean = 0, sd = 1\\)\n")
  expect_output(print(btg_prior()), "boxcox.lambda +uniform\\(lower = 0, upper = 3\\)\n")
  prior <- btg_prior(noise = btg_dist("exponential", rate = 10), fixed = c(boxcox.lambda = 0.5))
  expect_output(print(prior), "noise +exponential\\(rate = 10\\)")
  expect_output(print(prior), "boxcox.lambda +fixed at 0.5")
  expect_output(print(prior), "All others have their default")
  expect_false(any(grepl("boxcox.lambda +uniform", capture.output(print(prior)))))
  capture.output(expect_invisible(print(prior)))
})

test_that("the noise can be fixed at zero: predictions interpolate, as those of the naive model", {
  d <- oracle_data()
  prior <- btg_prior(fixed = c(noise = 0))
  for (transform in c("identity", "softplus")) {
    fit <- btg(y ~ x + w, d, transform = transform, prior = prior, quadrature = few_nodes())
    expect_identical(unique(nodes(fit)$noise), 0)
    model <- naive_model(fit, d[c("x", "w")], cbind(rep(1, 14)), d$y, transform)
    expect_close(nodes(fit)$log_marginal, naive_log_marginal(model), 1e-6)
    new <- data.frame(x = c(3.3, 12), w = c(5700, 5100))
    expect_close(predict(fit, new, type = "cdf", at = c(0.5, 1, 2)),
                 naive_predict(model, new, cbind(c(1, 1)), "cdf", c(0.5, 1, 2)), 1e-6)
    expect_close(predict(fit, d), d$y, 1e-5)
    expect_close(predict(fit, new, observation = FALSE), predict(fit, new), 1e-12)
    expect_equal(log_posterior(fit, nodes(fit)), nodes(fit)$log_marginal + nodes(fit)$log_prior)
    expect_true(all(is.finite(loocv(fit)$pointwise$log_score)))
  }
  expect_output(print(summary(fit)), "Fixed: noise = 0")
  expect_s3_class(btg(y ~ x, d, prior = prior, transform = "identity"), "btg")
})
