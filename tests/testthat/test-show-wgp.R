cases <- lapply(wgp_cases(), function(arguments) do.call(wgp_case, arguments))

test_that("coefficients are those of generalised least squares, with their covariance", {
  for (case in cases) {
    node <- case$model$solved[[1]]
    p <- ncol(node$A)
    variance <- node$q / (if (case$method == "ML") 14 else 14 - p)
    scale <- 1
    shift <- 0
    if (identical(case$model$transform, "identity")) {
      scale <- sd(case$data$y)
      shift <- c(mean(case$data$y), rep(0, p - 1))
    }
    expect_close(coef(case$fit), scale * node$beta + shift, 1e-7)
    expect_close(vcov(case$fit), scale^2 * variance * solve(node$A), 1e-7)
    expect_named(coef(case$fit), colnames(case$model$M))
  }
  # Of the response itself, without a transform.
  d <- oracle_data(40)
  fit <- wgp(y ~ x, d, trend = ~ x, noise = 1e9, warp_inputs = FALSE)
  regression <- lm(y ~ x, d)
  expect_close(coef(fit), coef(regression), 1e-6)
  expect_close(vcov(fit), vcov(regression), 1e-6)
  expect_close(confint(fit, 1:2), confint(regression), 1e-6)
})

test_that("intervals of hyperparameters are those of the naive Hessian, mapped back", {
  skip_if_not_installed("numDeriv")
  compared <- 0
  for (case in cases[c(1, 3, 5, 9)]) {
    inside <- row.names(case$fit$bounds)[case$fit$bounds$at == ""]
    of_inside <- function(x) {
      case$log_likelihood(replace(case$estimate, inside, x))
    }
    covariance <- solve(-numDeriv::hessian(of_inside, case$estimate[inside]))
    sd <- setNames(sqrt(diag(covariance)), inside)
    for (level in c(0.5, 0.95)) {
      found <- confint(case$fit, level = level)[row.names(case$fit$bounds), , drop = FALSE]
      expect_true(all(is.na(found[!row.names(found) %in% inside, ])))
      for (name in inside) {
        ends <- case$estimate[[name]] + sd[[name]] * qnorm(0.5 + level / 2) * c(-1, 1)
        expected <- if (name %in% real_parameters) ends else exp(ends)
        expect_close(found[name, ], expected, 1e-3)
        compared <- compared + 1
      }
    }
  }
  expect_gt(compared, 10)
})

test_that("degrees of freedom count what is estimated", {
  d <- oracle_data()
  df <- function(...) attr(logLik(wgp(y ~ x + w, d, ...)), "df")
  expect_equal(df(), 2 + 1 + 1 + 1) # lengthscales, noise, constant, scale
  expect_equal(df(trend = ~ x), 6)
  expect_equal(df(ard = FALSE), 4)
  expect_equal(df(noise = 0.1), 4)
  expect_equal(df(transform = "boxcox", fixed = c(lengthscale.x = 3)), 5)
  # The outer affine layer is redundant.
  expect_equal(df(transform = c("sinharcsinh", "affine")), 7)
  fit <- cases[[1]]$fit
  expect_equal(AIC(fit), -2 * as.vector(logLik(fit)) + 2 * 5)
  expect_equal(BIC(fit), -2 * as.vector(logLik(fit)) + log(14) * 5)
})

test_that("a process without a warp is printed as such", {
  expect_output(print(wgp(dist ~ speed, cars)), "Transform +.*\\(none: `transform = .* learns one")
  expect_no_match(capture.output(print(wgp(dist ~ speed, cars, transform = "boxcox"))), "none:")
  plain <- btg(dist ~ speed, cars, transform = "identity", quadrature = few_nodes(4))
  expect_no_match(capture.output(print(plain)), "none:")
})
