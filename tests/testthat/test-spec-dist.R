examples <- list(
  normal = list(mean = 0.4, sd = 0.3),
  lognormal = list(meanlog = -1, sdlog = 0.7),
  uniform = list(lower = 0.1, upper = 0.6),
  loguniform = list(log_lower = -3, log_upper = 1),
  half_normal = list(sd = 2),
  exponential = list(rate = 5),
  gamma = list(shape = 2, rate = 4),
  inverse_gamma = list(shape = 3, scale = 0.5),
  beta_prime = list(alpha = 0.25, beta = 0.5),
  student_t = list(df = 3, location = 0.4, scale = 0.3),
  half_student_t = list(df = 2.5, scale = 0.7)
)

make_dist <- function(family, ..., changed = list()) {
  do.call(btg_dist, c(list(family), utils::modifyList(examples[[family]], changed), list(...)))
}

families <- core_registry()$families

# A fit in which only the noise is free.
fit_with <- function(dist) {
  prior <- btg_prior(noise = dist, fixed = c(lengthscale.x = 1))
  btg(y ~ x, oracle_data(), transform = "identity", prior = prior, quadrature = few_nodes(1))
}

# The core's answers at rows of the lengthscale and the noise, with another prior of the noise.
evaluate_with <- function(fit, hyper, dist = NULL) {
  model <- fit$models[[1]]
  if (!is.null(dist)) model$problem$hyperparameters$noise$prior <- dist
  evaluate_fit(fit, hyper, model)
}

test_that("the core's registry lists the arguments of every family, and which must be positive", {
  expect_setequal(names(examples), names(families))
  fit <- fit_with(make_dist("exponential"))
  for (family in names(families)) {
    expect_identical(names(examples[[family]]), families[[family]]$arguments)
    positive <- families[[family]]$arguments[families[[family]]$positive]
    for (name in families[[family]]$arguments) {
      # Past the checks of btg_dist(), to see which arguments the core wants positive.
      dist <- make_dist(family)
      dist$arguments[name] <- if (name %in% c("upper", "log_upper")) 0.9 else -0.5
      result <- tryCatch(evaluate_with(fit, c(1, 0.3), dist), btg_error = identity)
      expect_identical(inherits(result, "btg_error"), name %in% positive,
                       info = paste(family, name))
    }
  }
})

# Densities by R's own functions and by the formulas of the documentation.
naive_densities <- list(
  normal = function(x, p) dnorm(x, p$mean, p$sd),
  lognormal = function(x, p) dlnorm(x, p$meanlog, p$sdlog),
  uniform = function(x, p) dunif(x, p$lower, p$upper),
  loguniform = function(x, p) dunif(log(x), p$log_lower, p$log_upper) / x,
  half_normal = function(x, p) 2 * dnorm(x, 0, p$sd),
  exponential = function(x, p) dexp(x, p$rate),
  gamma = function(x, p) dgamma(x, p$shape, rate = p$rate),
  inverse_gamma = function(x, p) dgamma(1 / x, p$shape, rate = p$scale) / x^2,
  beta_prime = function(x, p) dbeta(x / (1 + x), p$alpha, p$beta) / (1 + x)^2,
  student_t = function(x, p) dt((x - p$location) / p$scale, p$df) / p$scale,
  half_student_t = function(x, p) 2 * dt(x / p$scale, p$df) / p$scale
)

test_that("densities agree with R, with and without bounds", {
  value <- c(1e-4, 0.05, 0.11, 0.2, 0.3, 0.5, 0.59, 0.8, 2, 40)
  expect_setequal(names(naive_densities), names(families))
  for (family in names(families)) {
    density <- function(x) naive_densities[[family]](x, examples[[family]])
    expect_close(dist_density(make_dist(family), value), density(value), 1e-9, floor = 1e-200)
    if (family != "uniform") {
      mass <- integrate(density, 0.1, 0.7, rel.tol = 1e-10)$value
      inside <- value >= 0.1 & value <= 0.7
      expect_close(dist_density(make_dist(family, lower = 0.1, upper = 0.7), value),
                   ifelse(inside, density(value) / mass, 0), 1e-8, floor = 1e-200)
    }
  }
})

test_that("densities agree with the core's priors, with and without bounds", {
  value <- c(1e-9, 1e-4, 0.05, 0.11, 0.2, 0.3, 0.5, 0.59, 0.8, 2, 40, 1e9)
  for (family in names(families)) {
    bounds <- list(list(), list(lower = 0.1, upper = 0.7))
    for (bound in if (family == "uniform") bounds[1] else bounds) {
      dist <- do.call(make_dist, c(list(family), bound))
      core <- evaluate_with(fit_with(dist), cbind(1, value))
      dist$lower <- max(dist$lower, 0)
      expect_close(dist_density(dist, value) * value, exp(as.vector(core$log_prior)))
    }
  }
})

test_that("densities integrate to probabilities, and quantiles invert them", {
  p <- c(0.025, 0.2, 0.5, 0.9, 0.975)
  for (family in names(families)) {
    bounds <- if (family == "uniform") list() else list(lower = 0.05, upper = 1.5)
    dist <- do.call(make_dist, c(list(family), bounds))
    found <- dist_quantile(dist, p)
    lowest <- dist_quantile(dist, 0)
    mass <- vapply(found, function(q) {
      integrate(function(x) dist_density(dist, x), lowest, q, rel.tol = 1e-9)$value
    }, 0)
    expect_equal(mass, p, tolerance = 1e-6, info = family)
    expect_equal(dist_cdf(dist, found), p, info = family)
    expect_equal(dist_quantile(dist, dist_cdf(dist, found)), found, info = family)
  }
})

test_that("quantiles of the gamma distribution agree with R", {
  p <- c(1e-8, 0.025, 0.5, 0.975, 1 - 1e-8)
  for (shape in c(0.3, 1, 7)) {
    dist <- btg_dist("gamma", shape = shape, rate = 2.5)
    expect_close(dist_quantile(dist, p), qgamma(p, shape, rate = 2.5), 1e-8)
    expect_close(dist_cdf(dist, c(0.1, 2)), pgamma(c(0.1, 2), shape, rate = 2.5), 1e-12)
  }
})

test_that("quantiles of t distributions agree with R, far out and near zero", {
  p <- c(1e-12, 1e-6, 0.025, 0.5, 0.975, 1 - 1e-8)
  for (df in c(0.7, 1, 3, 40, 1e6)) {
    dist <- btg_dist("student_t", df = df, location = -1, scale = 2)
    expect_close(dist_quantile(dist, p), -1 + 2 * qt(p, df), 1e-8)
    expect_close(dist_cdf(dist, c(-30, -1, 4)), pt(c(-14.5, 0, 2.5), df), 1e-11)
    half <- btg_dist("half_student_t", df = df, scale = 2)
    # P(|T| < x) is 2 x f(0) near 0, without the rounding of 1/2 + p/2.
    expect_close(dist_quantile(half, p[1]), p[1] / dt(0, df), 1e-8)
    expect_close(dist_quantile(half, p[-1]), 2 * qt((1 + p[-1]) / 2, df), 1e-7)
    expect_close(dist_cdf(half, c(1, 4)), 2 * pt(c(0.5, 2), df) - 1, 1e-11)
  }
})

test_that("a t prior of a positive hyperparameter is the half t", {
  # brms users write student_t(3, 0, 1) for a scale, which is truncated at 0.
  value <- c(1e-6, 0.02, 0.4, 3)
  truncated <- btg_dist("student_t", df = 3, location = 0, scale = 0.5)
  half <- btg_dist("half_student_t", df = 3, scale = 0.5)
  expect_close(as.vector(evaluate_with(fit_with(truncated), cbind(1, value))$log_prior),
               log(2 * dt(value / 0.5, 3) / 0.5 * value), 1e-9)
  expect_close(as.vector(evaluate_with(fit_with(half), cbind(1, value))$log_prior),
               log(2 * dt(value / 0.5, 3) / 0.5 * value), 1e-9)
})

test_that("densities, probabilities and quantiles hold at the ends and outside", {
  for (family in setdiff(names(families), c("normal", "student_t"))) {
    dist <- make_dist(family)
    expect_identical(dist_density(dist, -1), 0, info = family)
    expect_identical(dist_cdf(dist, c(-Inf, -1, 0, Inf)), c(0, 0, 0, 1), info = family)
    expect_false(anyNA(dist_quantile(dist, c(0, 1))), info = family)
  }
  expect_identical(dist_quantile(make_dist("beta_prime"), c(0, 1)), c(0, Inf))
  expect_equal(dist_quantile(btg_dist("beta_prime", alpha = 1, beta = 0.01), 0.9), 1e100 - 1)
})

refuses <- function(object, pattern, ...) {
  expect_error(object, pattern, ..., class = "btg_error_prior")
}

test_that("arguments must be complete, known and named", {
  refuses(btg_dist("uniform", lower = 0), "Missing: `upper`", fixed = TRUE)
  refuses(btg_dist("uniform"), "Missing: `lower` and `upper`", fixed = TRUE)
  refuses(btg_dist("normal", 0, 1), "by name")
  refuses(btg_dist("normal", 0, sd = 1), "by name.*Missing: `mean`")
  error <- expect_error(btg_dist("normal", 3, mean = 0, sd = 1), class = "btg_error_prior")
  expect_match(conditionMessage(error), "by name\\.$")
  refuses(btg_dist("normal", mean = 0, sdd = 1), "Missing: `sd`.*Unknown: `sdd`.*mean `sd`")
  refuses(btg_dist("normal", mean = 0, mean = 1, sd = 1), "Given twice: `mean`")
  refuses(btg_dist("lognormal", mean = 0, sd = 1), "needs the numbers `meanlog` and `sdlog`")
})

test_that("arguments are checked when the distribution is made", {
  for (family in names(families)) {
    for (name in families[[family]]$arguments[families[[family]]$positive]) {
      for (bad in c(0, -1)) {
        refuses(make_dist(family, changed = setNames(list(bad), name)),
                paste0("`", name, "` of a \"", family, "\".*positive.*It is ", bad))
      }
    }
    for (name in names(examples[[family]])) {
      for (bad in list(NA, NaN, Inf, "1", c(1, 2), TRUE)) {
        refuses(make_dist(family, changed = setNames(list(bad), name)),
                paste0("`", name, "` of a \"", family, "\""))
      }
    }
  }
  refuses(btg_dist("normal", mean = 0, sd = NULL), "`sd`.*It is NULL")
  refuses(btg_dist("loguniform", log_lower = 1, log_upper = 1), "`log_lower`.*`log_upper`")
})

test_that("bounds must be numbers in order, with mass between them", {
  for (bad in list(NA, "0", c(0, 1), NULL)) {
    refuses(btg_dist("normal", mean = 0, sd = 1, lower = bad), "`lower` must be one number")
    refuses(btg_dist("normal", mean = 0, sd = 1, upper = bad), "`upper` must be one number")
  }
  refuses(btg_dist("uniform", lower = 1, upper = 1), "`lower` must be less than `upper`")
  refuses(btg_dist("normal", mean = 0, sd = 1, lower = 2, upper = 1), "They are 2 and 1")
  refuses(btg_dist("exponential", rate = 1, upper = -1), "no mass")
  refuses(btg_dist("normal", mean = 0, sd = 1, lower = 100), "no mass")
  expect_s3_class(btg_dist("normal", mean = 0, sd = 1, lower = -Inf, upper = Inf), "btg_dist")
})

test_that("an unknown question to a distribution is an error, and missing values stay missing", {
  dist <- make_dist("lognormal")
  expect_error(check_core(core_distribution(dist, "mode", 1)), "\"mode\"",
               class = "btg_error_argument")
  for (ask in list(dist_density, dist_cdf, dist_quantile)) {
    expect_identical(is.na(ask(dist, c(0.2, NA, 0.6))), c(FALSE, TRUE, FALSE))
    expect_identical(ask(dist, numeric()), numeric())
  }
  dist$family <- "cauchy"
  expect_error(dist_density(dist, 1), class = "btg_error")
})
