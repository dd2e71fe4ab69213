test_that("predictions are naive: every kernel, radial and product, both trends", {
  skip_if_quick()
  for (case in oracle_cases(list("arcsinh", "boxcox", c("affine", "sinharcsinh")))) {
    expect_naive_predictions(do.call(oracle_case, case), observation = case$product)
  }
})

test_that("predictions are naive: every transform, both trends, with and without noise", {
  transforms <- list(
    "identity", "sinharcsinh", "boxcox", "softplus", "yeojohnson",
    c("boxcox", "arcsinh"), c("softplus", "sinharcsinh"), c("sinharcsinh", "sinharcsinh")
  )
  for (transform in transforms) {
    constant <- oracle_case(transform)
    expect_naive_predictions(constant)
    expect_naive_predictions(constant, observation = FALSE)
    expect_naive_predictions(oracle_case(transform, trend = ~ x))
  }
})

test_that("predictions are naive with one lengthscale for all inputs, and with factors", {
  expect_naive_predictions(oracle_case("sinharcsinh", ard = FALSE))
  expect_naive_predictions(oracle_case("sinharcsinh", ard = FALSE, product = TRUE))
  for (product in c(FALSE, TRUE)) expect_naive_predictions(factor_case(product = product))
})

test_that("with the noise overwhelming, a fit is a linear model of the transformed response", {
  d <- oracle_data()
  new <- data.frame(x = c(1, 5, 30))
  noisy <- function(...) btg_prior(fixed = c(noise = 1e10, ...))
  linear <- function(formula) predict(lm(formula, d), new, interval = "prediction", level = 0.9)
  found <- function(...) {
    predict(btg(y ~ x, d, quadrature = few_nodes(), ...), new, interval = "credible", level = 0.9)
  }
  expect_close(found(transform = "identity", prior = noisy()), linear(y ~ 1), 1e-7)
  expect_close(found(transform = "identity", prior = noisy(), trend = ~ x), linear(y ~ x), 1e-7)
  expect_close(
    found(transform = "boxcox", prior = noisy(boxcox.lambda = 0), trend = ~ x + I(x^2)),
    exp(linear(log(y) ~ x + I(x^2))), 1e-6
  )
})

test_that("one node is a t distribution to the far tails, for few and many degrees of freedom", {
  fixed <- btg_prior(fixed = c(lengthscale.x = 2, noise = 0.3))
  t <- c(-40, -15, -6, -2, -0.5, 0, 1e-3, 1, 3, 8)
  new <- data.frame(x = 3.3)
  for (n in c(3, 4, 14, 60, 300)) {
    d <- oracle_data(n)
    fit <- btg(y ~ x, d, transform = "identity", prior = fixed)
    model <- naive_model(fit, d["x"], cbind(rep(1, n)), d$y, "identity")
    latent <- naive_latent(model, as.matrix(new), cbind(1))
    scale <- c(latent$scale) * sd(d$y)
    at <- mean(d$y) + c(latent$location) * sd(d$y) + scale * t
    expect_close(predict(fit, new, type = "cdf", at = at), pt(t, n - 1), 1e-9, floor = 0)
    expect_close(predict(fit, new, type = "density", at = at), dt(t, n - 1) / scale, 1e-9,
                 floor = 0)
    probs <- c(1e-12, 1e-6, 0.3, 0.5, 1 - 1e-6)
    found <- predict(fit, new, type = "quantile", probs = probs)
    # The median is a difference of two numbers, known to the rounding of these.
    expect_close(found - at[6], scale * qt(probs, n - 1), floor = 1e-5)
  }
})

test_that("without noise, a fit goes through the data and knows it", {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, prior = btg_prior(fixed = c(noise = 1e-9)), quadrature = few_nodes())
  found <- predict(fit, interval = "credible")
  expect_close(found[, "fit"], d$y, 1e-6)
  expect_lt(max(found[, "upr"] - found[, "lwr"]), 0.01)
  expect_gt(diff(predict(fit, data.frame(x = 30, w = 5500), interval = "credible")[, 2:3]), 1)
})

test_that("noise counts once: with it for observations, without it for the process", {
  case <- oracle_case("identity", prior = btg_prior(fixed = c(noise = 0.5)))
  width <- function(observation) {
    found <- predict(case$fit, case$new, interval = "credible", observation = observation)
    found[, "upr"] - found[, "lwr"]
  }
  expect_true(all(width(FALSE) < 0.9 * width(TRUE)))
  # The last row is row 5 of the data: its k is a column of K, less the noise on the diagonal.
  node <- case$model$solved[[1]]
  k <- node$K[, 5] - c(0, 0, 0, 0, 0.5, rep(0, 9))
  u <- 1 - sum(solve(node$K, k))
  C <- 1 - sum(k * solve(node$K, k)) + u^2 / sum(solve(node$K))
  latent <- function(observation) {
    naive_latent(case$model, as.matrix(case$new), case$new_trend, observation)$scale[[3, 1]]
  }
  expect_equal(latent(FALSE)^2, node$q * C / 13)
  expect_equal(latent(TRUE)^2, node$q * (C + 0.5) / 13)
  for (observation in c(TRUE, FALSE)) {
    expect_naive_predictions(case, observation = observation)
  }
})

test_that("the density is the derivative of the distribution function", {
  at <- c(0.4, 1, 3)
  h <- 1e-3
  stencil <- as.vector(outer(c(-2, -1, 1, 2) * h, at, `+`))
  for (transform in list("sinharcsinh", "boxcox", c("softplus", "sinharcsinh"), "arcsinh")) {
    case <- oracle_case(transform)
    cdf <- quiet_predict(case$fit, case$new[1, ], type = "cdf", at = stencil)
    slope <- colSums(matrix(cdf, 4) * c(1, -8, 8, -1)) / (12 * h)
    density <- quiet_predict(case$fit, case$new[1, ], type = "density", at = at)
    expect_close(slope, density, 1e-6)
  }
})

test_that("the density integrates to one over the support", {
  area <- function(transform, lower, ...) {
    case <- oracle_case(transform, ...)
    density <- function(y) {
      drop(quiet_predict(case$fit, case$new[1, ], type = "density", at = y))
    }
    integrate(density, lower, 1, rel.tol = 1e-9)$value +
      integrate(density, 1, Inf, rel.tol = 1e-9)$value
  }
  expect_equal(area("identity", -Inf), 1, tolerance = 1e-6)
  expect_equal(area("sinharcsinh", -Inf), 1, tolerance = 1e-6)
  expect_equal(area("softplus", 0), 1, tolerance = 1e-6)
  expect_equal(area("boxcox", 0), 1, tolerance = 1e-6)
  truncated <- btg_prior(fixed = c(boxcox.lambda = 2))
  expect_equal(area("boxcox", 0, prior = truncated), 1, tolerance = 1e-6)
})

test_that("predictions of a positive response stay positive", {
  for (transform in list("boxcox", "softplus", c("boxcox", "arcsinh"))) {
    case <- oracle_case(transform)
    low <- quiet_predict(case$fit, case$new, type = "quantile", probs = c(0.001, 0.01))
    expect_true(all(low > 0))
    expect_identical(c(quiet_predict(case$fit, case$new, type = "cdf", at = c(-1, 0))), rep(0, 6))
    expect_identical(c(quiet_predict(case$fit, case$new, type = "density", at = -1)), rep(0, 3))
  }
})

test_that("`at` is for all rows, or a row for each", {
  case <- oracle_case("sinharcsinh")
  ask <- function(at, type = "cdf", rows = 1:3) {
    predict(case$fit, case$new[rows, ], type = type, at = at)
  }
  for (type in c("cdf", "density")) {
    together <- ask(c(0.5, 1), type)
    expect_identical(colnames(together), c("0.5", "1.0"))
    each <- ask(rbind(c(0.5, 1), c(1, 2), c(2, 0.5)), type)
    expect_identical(dim(each), c(3L, 2L))
    expect_identical(each[1, ], unname(together[1, ]))
    expect_identical(each[2, ], unname(ask(c(1, 2), type)[2, ]))
    expect_close(each[3, ], ask(c(2, 0.5), type, 3), 1e-12)
  }
  expect_equal(unname(ask(c(-Inf, Inf))), cbind(c(0, 0, 0), c(1, 1, 1)))
  expect_identical(unname(ask(c(-Inf, Inf), "density")), matrix(0, 3, 2))
})

test_that("rows and their names are kept, whatever their order", {
  case <- oracle_case("sinharcsinh")
  new <- case$data[c(7, 2, 11, 2), c("w", "x")]
  found <- predict(case$fit, new)
  expect_named(found, row.names(new))
  expect_close(found[4], found[2], 1e-12)
  expect_close(found, predict(case$fit)[c(7, 2, 11, 2)], 1e-12)
  expect_equal(predict(case$fit, new[3, ]), found[3])
  expect_identical(rownames(predict(case$fit, new, type = "cdf", at = 1)), row.names(new))
  expect_identical(rownames(predict(case$fit, new, interval = "credible")), row.names(new))
})

test_that("a row with missing values is answered by NA, and disturbs no other", {
  case <- oracle_case("boxcox", trend = ~ x)
  new <- case$data[1:4, ]
  new$x[2] <- NA
  new$w[4] <- NaN
  same <- function(...) {
    found <- quiet_predict(case$fit, new, ...)
    complete <- quiet_predict(case$fit, case$data[1:4, ], ...)
    expect_identical(is.na(as.matrix(found)[, 1]), c("1" = FALSE, "2" = TRUE, "3" = FALSE,
                                                     "4" = TRUE))
    expect_close(as.matrix(found)[c(1, 3), ], as.matrix(complete)[c(1, 3), ], 1e-12)
  }
  same()
  same(interval = "credible")
  same(type = "quantile", probs = c(0.1, 0.6))
  same(type = "cdf", at = c(1, 2))
  same(type = "density", at = matrix(1:4, 4))
  new$x <- NA
  expect_identical(unname(quiet_predict(case$fit, new)), rep(NA_real_, 4))
})

test_that("no rows get an answer without rows", {
  case <- oracle_case("sinharcsinh")
  none <- case$data[0, ]
  expect_identical(unname(predict(case$fit, none)), numeric())
  shape <- function(...) {
    found <- predict(case$fit, none, ...)
    list(dim(found), colnames(found))
  }
  expect_identical(shape(interval = "credible"), list(c(0L, 3L), c("fit", "lwr", "upr")))
  expect_identical(shape(type = "quantile", probs = 0.5), list(c(0L, 1L), "50%"))
  expect_identical(shape(type = "cdf", at = c(1, 2)), list(c(0L, 2L), c("1", "2")))
  expect_identical(shape(type = "density", at = 1), list(c(0L, 1L), "1"))
  expect_identical(shape(type = "density", at = matrix(0, 0, 2))[[1]], c(0L, 2L))
})

test_that("without new data, predictions are at the data of the fit", {
  case <- oracle_case("sinharcsinh", trend = ~ x)
  expect_identical(predict(case$fit), predict(case$fit, case$data))
  expect_identical(predict(case$fit, type = "cdf", at = 1:2),
                   predict(case$fit, case$data, type = "cdf", at = 1:2))
})

test_that("rows left out at the fit come back as NA with na.exclude", {
  d <- oracle_data()
  d$x[3] <- NA
  d$y[9] <- NA
  fit_with <- function(action) btg(y ~ x + w, d, na.action = action, quadrature = few_nodes())
  left_out <- predict(fit_with(na.omit))
  expect_named(left_out, as.character(setdiff(1:14, c(3, 9))))
  padded <- predict(fit_with(na.exclude))
  expect_named(padded, as.character(1:14))
  expect_identical(unname(which(is.na(padded))), c(3L, 9L))
  expect_identical(padded[-c(3, 9)], left_out)
  intervals <- predict(fit_with(na.exclude), interval = "credible")
  expect_identical(dim(intervals), c(14L, 3L))
  expect_identical(unname(intervals[, "fit"]), unname(padded))
  # Values to ask at, a row for each row: of the data, or of those that were fitted.
  asked <- cbind(d$y)
  of_all <- predict(fit_with(na.exclude), type = "cdf", at = asked)
  expect_identical(dim(of_all), c(14L, 1L))
  expect_identical(of_all, predict(fit_with(na.exclude), type = "cdf",
                                   at = asked[-c(3, 9), , drop = FALSE]))
  expect_equal(unname(of_all[-c(3, 9), ]),
               unname(predict(fit_with(na.omit), type = "cdf",
                              at = asked[-c(3, 9), , drop = FALSE])[, 1]))
  expect_error(predict(fit_with(na.omit), type = "cdf", at = cbind(1:14)), "one row for each row",
               class = "btg_error_argument")
})

test_that("standard errors have the shape of the answer and shrink with the number of nodes", {
  skip_if_quick()
  new <- data.frame(speed = c(15, NA, 25))
  ask <- function(nodes, ...) {
    # Fewer nodes to predict from would add an error that does not shrink.
    rule <- quad_adaptive(nodes = nodes, most = 1e5, keep = 200)
    fit <- btg(dist ~ speed, cars, quadrature = rule)
    predict(fit, new, quadrature_error = TRUE, ...)
  }
  few <- ask(100, interval = "credible")
  expect_named(few, c("fit", "quadrature_error"))
  expect_identical(dimnames(few$quadrature_error), dimnames(few$fit))
  expect_true(all(is.na(few$quadrature_error[2, ])) && all(few$quadrature_error[-2, ] > 0))
  many <- ask(10000, interval = "credible")
  expect_true(all(many$quadrature_error[-2, ] < 0.5 * few$quadrature_error[-2, ]))
  expect_named(ask(100)$quadrature_error, c("1", "2", "3"))
})

test_that("se.fit is the posterior sd of the process, and that of kriging for a known model", {
  for (transform in c("identity", "softplus")) {
    case <- oracle_case(transform)
    found <- predict(case$fit, case$new, se.fit = TRUE)
    expect_named(found, c("fit", "se.fit"))
    expect_identical(found$fit, predict(case$fit, case$new))
    # Computed in scaled units, so equal up to rounding.
    expect_equal(found$se.fit, sqrt(predict(case$fit, case$new, type = "variance",
                                            observation = FALSE)), tolerance = 1e-15)
    means <- predict(case$fit, case$new, type = "mean", observation = FALSE, se.fit = TRUE)
    expect_identical(means$se.fit, found$se.fit)
  }
  # A straight line: the process is known as well as that of lm(), whose errors are t too.
  d <- data.frame(x = 1:20, y = 3 * (1:20) + 5 * sin(37 * (1:20)^2))
  fit <- btg(y ~ x, d, trend = ~ x, transform = "identity",
             prior = btg_prior(fixed = c(noise = 1e4, lengthscale.x = 1e3)))
  linear <- lm(y ~ x, d)
  new <- data.frame(x = c(3, 30))
  se <- predict(linear, new, se.fit = TRUE)$se.fit * sqrt(18 / 16)
  expect_equal(predict(fit, new, se.fit = TRUE)$se.fit, se, tolerance = 1e-3)
  both <- predict(fit, new, interval = "confidence", se.fit = TRUE, quadrature_error = TRUE)
  expect_named(both, c("fit", "se.fit", "quadrature_error"))
  expect_equal(both$fit, predict(linear, new, interval = "confidence"), tolerance = 1e-3)
})

test_that("se.fit is NA where the sd does not exist, and says so", {
  case <- oracle_case("arcsinh")
  expect_warning(found <- predict(case$fit, case$new, se.fit = TRUE), "standard deviation",
                 class = "btg_warning_moments")
  expect_true(all(is.na(found$se.fit)))
  wgp <- wgp(dist ~ speed, cars)
  expect_true(all(predict(wgp, se.fit = TRUE)$se.fit > 0))
})

test_that("intervals of the process and of an observation have the names of predict.lm()", {
  case <- oracle_case("softplus")
  ask <- function(...) predict(case$fit, case$new, level = 0.9, ...)
  expect_identical(ask(interval = "confidence"), ask(interval = "credible", observation = FALSE))
  expect_identical(ask(interval = "prediction"), ask(interval = "credible"))
  expect_identical(ask(interval = "prediction", observation = TRUE), ask(interval = "prediction"))
  expect_error(ask(interval = "confidence", observation = TRUE), "contradict",
               class = "btg_error_argument")
  expect_error(ask(interval = "prediction", observation = FALSE), "contradict",
               class = "btg_error_argument")
  # As geom_smooth(se = FALSE) asks.
  expect_identical(ask(interval = "none"), predict(case$fit, case$new))
})

test_that("arguments without effect are errors", {
  fit <- oracle_case("identity")$fit
  new <- oracle_case("identity")$new
  expect_error(predict(fit, new, level = 0.9), "interval", class = "btg_error_argument")
  expect_error(predict(fit, new, probs = 0.9), "quantile", class = "btg_error_argument")
  expect_error(predict(fit, new, at = 1), "density", class = "btg_error_argument")
  expect_error(predict(fit, new, type = "cdf", at = 1, se.fit = TRUE), "mean",
               class = "btg_error_argument")
  expect_error(predict(fit, new, type = "mean", quadrature_error = TRUE), "quantile",
               class = "btg_error_argument")
  expect_error(predict(fit, new, type = "average"), "quantile", class = "btg_error_argument")
})

test_that("means and variances within stated bounds are integrals of the probabilities", {
  d <- data.frame(x = c(0.27, 0.37, 0.57, 0.91, 0.2, 0.9),
                  y = c(4.26, 2.88, 1.03, 0.43, 2.91, 0.45))
  for (upper in c(50, 1e6)) {
    fit <- btg(y ~ x, d, transform = "sinharcsinh", lower = 0, upper = upper,
               quadrature = few_nodes(12))
    at <- data.frame(x = 0.3)
    above <- function(y) as.vector(predict(fit, at, type = "exceedance", at = y))
    knots <- c(0, 10^seq(-1, log10(upper), length.out = 30))
    integral <- function(f) {
      sum(mapply(function(a, b) integrate(f, a, b, rel.tol = 1e-8)$value, head(knots, -1),
                 knots[-1]))
    }
    mean <- integral(above)
    expect_close(predict(fit, at, type = "mean"), mean, 1e-6)
    variance <- integral(function(y) 2 * y * above(y)) - mean^2
    expect_close(predict(fit, at, type = "variance"), variance, 1e-5)
  }
})
