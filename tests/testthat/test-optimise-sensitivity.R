uniform <- function(d, from, to) {
  setNames(rep(list(function(u) from + u * (to - from)), d), letters[seq_len(d)])
}

ishigami <- function(x) sin(x[[1]]) + 7 * sin(x[[2]])^2 + 0.1 * x[[3]]^4 * sin(x[[1]])

# Closed forms: Saltelli et al. (2000), with a = 7 and b = 0.1.
ishigami_indices <- function() {
  v1 <- 0.5 * (1 + 0.1 * pi^4 / 5)^2
  v2 <- 49 / 8
  v13 <- 0.1^2 * pi^8 * (1 / 18 - 1 / 50)
  list(first = c(v1, v2, 0) / (v1 + v2 + v13), total = c(v1 + v13, v2, v13) / (v1 + v2 + v13))
}

g_function <- function(x, a) Reduce(`*`, Map(function(x, a) (abs(4 * x - 2) + a) / (1 + a), x, a))

g_indices <- function(a) {
  own <- 1 / (3 * (1 + a)^2)
  all <- prod(1 + own) - 1
  others <- vapply(seq_along(a), function(j) prod(1 + own[-j]), 0)
  list(first = own / all, total = own * others / all)
}

test_that("estimators have the indices of closed forms", {
  design <- sobol_design(uniform(3, -pi, pi), 8192)
  found <- sobol_indices(cbind(ishigami(design)), 3)
  expect_lt(max(abs(found$first - ishigami_indices()$first)), 0.01)
  expect_lt(max(abs(found$total - ishigami_indices()$total)), 0.01)
  a <- c(0, 1, 9, 99)
  found <- sobol_indices(cbind(g_function(sobol_design(uniform(4, 0, 1), 8192), a)), 4)
  expect_lt(max(abs(found$first - g_indices(a)$first)), 0.01)
  expect_lt(max(abs(found$total - g_indices(a)$total)), 0.01)
  linear <- sobol_design(uniform(3, 0, 1), 1024)
  found <- sobol_indices(cbind(3 * linear$a - linear$b, 2 * linear$c), 3)
  expect_lt(max(abs(found$total - cbind(c(0.9, 0.1, 0), c(0, 0, 1)))), 0.01)
})

test_that("a linear response has its closed form, with narrow intervals", {
  d <- data.frame(a = (0.618 * 1:30) %% 1, b = (0.414 * 1:30) %% 1)
  d$y <- 3 * d$a - d$b + 1e-3 * sin(37 * (1:30)^2)
  fit <- btg(y ~ a + b, d, trend = ~ a + b, transform = "identity", quadrature = few_nodes(8),
             prior = btg_prior(fixed = c(lengthscale.a = 5, lengthscale.b = 5, noise = 1)))
  same <- sensitivity(fit, inputs = data.frame(a = seq(0, 1, 0.01), b = seq(0, 1, 0.01)), nsim = 64)
  uniform <- sensitivity(fit, inputs = data.frame(a = d$a), nsim = 64)
  expect_identical(same$indices$variable, c("a", "b"))
  expect_equal(same$indices$first, c(0.9, 0.1), tolerance = 0.02)
  expect_equal(same$indices$total, c(0.9, 0.1), tolerance = 0.02)
  expect_lt(max(uniform$indices$total_upr - uniform$indices$total_lwr), 0.02)
  expect_lt(uniform$interactions[["upr"]], 0.02)
})

test_that("intervals of fits cover the indices of the Ishigami function", {
  skip_if_quick()
  d <- as.data.frame(pi * (2 * even_points(150, 3) - 1))
  names(d) <- c("a", "b", "c")
  d$y <- ishigami(d)
  fit <- btg(y ~ a + b + c, d, transform = "identity")
  x <- sensitivity(fit, inputs = data.frame(a = seq(-pi, pi, 0.02), b = seq(-pi, pi, 0.02),
                                            c = seq(-pi, pi, 0.02)))
  found <- x$indices[order(x$indices$variable), ]
  exact <- ishigami_indices()
  expect_lt(max(abs(found$first - exact$first)), 0.06)
  expect_lt(max(abs(found$total - exact$total)), 0.06)
  slack <- 0.015 # of the design
  expect_true(all(exact$first > found$first_lwr - slack & exact$first < found$first_upr + slack))
  expect_true(all(exact$total > found$total_lwr - slack & exact$total < found$total_upr + slack))
})

test_that("fewer data give wider intervals", {
  indices <- lapply(c(12, 60), function(n) {
    d <- data.frame(a = (0.618 * 1:n) %% 1, b = (0.414 * 1:n) %% 1)
    d$y <- exp(sin(6 * d$a) + d$b)
    fit <- btg(y ~ a + b, d, transform = "softplus", quadrature = few_nodes(32))
    sensitivity(fit, nsim = 256)$indices
  })
  width <- vapply(indices, function(one) mean(one$total_upr - one$total_lwr), 0)
  expect_gt(width[1], 2 * width[2])
})

test_that("factors vary by their shares, and inputs that are misnamed are refused", {
  case <- factor_case()
  found <- sensitivity(case$fit, nsim = 64, points = 64)
  expect_setequal(found$indices$variable, c("x", "three", "two"))
  expect_false(anyNA(found$indices))
  values <- input_quantiles(case$fit, NULL)$two((1:1000 - 0.5) / 1000)
  expect_equal(mean(values == "yes"), mean(case$data$two == "yes"), tolerance = 0.01)
  expect_error(sensitivity(case$fit, inputs = data.frame(z = 1)), class = "btg_error_argument")
  expect_error(sensitivity(case$fit, inputs = 1:3), class = "btg_error_argument")
  expect_error(sensitivity(case$fit, inputs = data.frame(x = NA)), class = "btg_error_argument")
  expect_error(sensitivity(case$fit, which = 1), class = "btg_error_unknown_argument")
})

test_that("the cheap importance is that of the predicted median", {
  case <- oracle_case("softplus")
  importance <- median_importance(case$fit, 2048L)
  design <- sobol_design(input_quantiles(case$fit, NULL), 8192)
  expected <- sobol_indices(cbind(predict(case$fit, design, observation = FALSE)), 2)$total[, 1]
  expect_equal(unname(importance), expected, tolerance = 0.03)
  expect_named(importance, c("x", "w"))
})

test_that("groups that are numbers have the indices of groups that are a factor", {
  d <- data.frame(x = (0.618 * 1:30) %% 1, k = rep(c(10, 20, 40), 10))
  d$y <- 2 * d$x + d$k / 20 + 0.01 * sin(37 * (1:30)^2)
  d$f <- factor(d$k)
  number <- btg(y ~ x + (1 | k), d, transform = "identity", quadrature = few_nodes(8))
  named <- btg(y ~ x + (1 | f), d, transform = "identity", quadrature = few_nodes(8))
  expect_silent(found <- sensitivity(number, points = 64, nsim = 64))
  expected <- sensitivity(named, points = 64, nsim = 64)
  expect_equal(found$indices[-1], expected$indices[-1])
  expect_equal(unname(median_importance(number)), unname(median_importance(named)))
  # The variances of the groups and of 2x over its range.
  own <- c(k = var(c(0.5, 1, 2)) * 2 / 3, x = (2 * diff(range(d$x)))^2 / 12)
  expect_equal(found$indices$first, unname(own / sum(own))[match(found$indices$variable,
                                                                 names(own))],
               tolerance = 0.03)
})

test_that("indices do not depend on the unit of the response", {
  response <- cbind(ishigami(sobol_design(uniform(3, -pi, pi), 512)))
  expected <- sobol_indices(response, 3)
  for (unit in c(2^-900, 2^900)) expect_equal(sobol_indices(unit * response, 3), expected)
})
