cases <- lapply(wgp_cases(), function(arguments) do.call(wgp_case, arguments))

test_that("the likelihood is that of explicit inverses and determinants", {
  for (case in cases) {
    expect_close(logLik(case$fit), case$log_likelihood(case$estimate))
    others <- nodes(case$fit)[c(1, 1, 1), ]
    others$noise <- c(0.01, 0.3, 2)
    others[[4]] <- others[[4]] / c(1, 2, 5)
    expected <- naive_log_likelihood(case$model, case$method, naive_nodes(case$model, others))
    expect_close(logLik(case$fit, hyper = others), expected)
    expect_close(logLik(case$fit, hyper = as.matrix(others)), expected)
  }
})

# p(y) = int int N(z; M beta, K / tau) J * 1 / (tau J^(p/n)) dbeta dtau, with tau as e^u.
test_that("REML integrates over the trend and the scale, constant and all", {
  case <- cases[[1]]
  node <- case$model$solved[[1]]
  n <- nrow(node$K)
  z <- case$model$y
  log_jacobian <- -n * log(case$model$y_scale)
  of_scale <- function(u) {
    vapply(u, function(u) {
      density <- function(b) {
        log_density <- vapply(b, function(b) naive_dmvnorm(z, b, node$K / exp(u)), 0)
        exp(log_density + (1 - 1 / n) * log_jacobian - as.vector(logLik(case$fit)))
      }
      sd <- 1 / sqrt(exp(u) * as.vector(node$A))
      integrate(density, node$beta - 10 * sd, node$beta + 10 * sd, rel.tol = 1e-9)$value
    }, 0)
  }
  middle <- log((n - 1) / node$q)
  expect_close(integrate(of_scale, middle - 8, middle + 4, rel.tol = 1e-8)$value, 1, 1e-6)
})

test_that("ML is the density at the maximum over the trend and the scale", {
  case <- cases[[2]]
  node <- case$model$solved[[1]]
  deviance <- function(par) {
    -2 * naive_dmvnorm(case$model$y, case$model$M %*% par[-1], exp(par[1]) * node$K)
  }
  found <- optim(c(-1, 0, 0), deviance, method = "BFGS", control = list(reltol = 1e-14))
  expect_close(logLik(case$fit), -found$value / 2 - 14 * log(sd(case$data$y)), 1e-6)
})

test_that("gradients are those of the naive likelihood", {
  skip_if_not_installed("numDeriv")
  for (case in cases) {
    problem <- runnable(case$fit$problem)
    hyper <- case$fit$posterior$hyper[1, ] * 1.1 + 0.05
    gradient <- core_likelihood(problem, hyper)$gradient
    moved <- setNames(as.data.frame(as.list(hyper * hyper_units(case$fit))), hyper_names(case$fit))
    expect_close(gradient, numDeriv::grad(case$log_likelihood, to_coordinates(moved)), 1e-6, 1e-2)
  }
})

test_that("the estimate is a maximum: no slope inside the bounds, and none that leads inwards", {
  skip_if_not_installed("numDeriv")
  for (case in cases) {
    expect_true(case$fit$optimisation$converged[1])
    slope <- numDeriv::grad(case$log_likelihood, case$estimate)
    names(slope) <- names(case$estimate)
    slope <- slope[row.names(case$fit$bounds)]
    at <- case$fit$bounds$at
    expect_lt(max(0, abs(slope[at == ""])), 0.02)
    expect_gt(min(0, slope[at == "upper"]), -0.02)
    expect_lt(max(0, slope[at == "lower"]), 0.02)
  }
})

test_that("no other optimiser finds a better value", {
  for (case in cases[c(1, 3, 5)]) {
    for (step in c(0, 0.8, -0.5)) {
      start <- case$estimate + step * c(1, -1, 2, 1, -1)[seq_along(case$estimate)]
      found <- optim(start, case$log_likelihood, method = "Nelder-Mead",
                     control = list(fnscale = -1, maxit = 500))
      expect_lt(found$value, logLik(case$fit) + 1e-3)
    }
  }
})

# With noise alone the model is Box and Cox's linear regression.
test_that("without a signal, lambda is that of Box-Cox regression", {
  d <- oracle_data(40)
  for (method in c("ML", "REML")) {
    fit <- wgp(y ~ x, d, trend = ~ x, transform = "boxcox", noise = 1e9, method = method,
               warp_inputs = FALSE)
    profile <- function(lambda) {
      z <- if (lambda == 0) log(d$y) else (d$y^lambda - 1) / lambda
      regression <- lm(z ~ x, d)
      rss <- sum(residuals(regression)^2)
      log_jacobian <- (lambda - 1) * sum(log(d$y))
      if (method == "ML") {
        return(as.vector(logLik(regression)) + log_jacobian)
      }
      M <- model.matrix(~ x, d)
      lgamma(19) - 19 * log(pi * rss) - log(det(crossprod(M))) / 2 + 38 / 40 * log_jacobian
    }
    best <- optimize(profile, c(0, 3), maximum = TRUE, tol = 1e-8)
    expect_close(nodes(fit)$boxcox.lambda, best$maximum, 1e-3, 1)
    expect_close(logLik(fit), best$objective, 1e-6)
  }
})

test_that("a fixed lambda of 0 is the model of the logarithm", {
  d <- oracle_data()
  for (method in c("ML", "REML")) {
    boxcox <- wgp(y ~ x + w, d, transform = "boxcox", fixed = c(boxcox.lambda = 0), method = method)
    log <- wgp(log(y) ~ x + w, d, method = method)
    count <- if (method == "ML") 14 else 13
    expect_close(logLik(boxcox), logLik(log) - count / 14 * sum(log(d$y)))
    expect_equal(attr(logLik(boxcox), "df"), attr(logLik(log), "df"))
    expect_close(nodes(boxcox)$noise, nodes(log)$noise, 1e-3)
    expect_close(predict(boxcox, d), exp(predict(log, d)), 1e-3)
  }
})

test_that("the response's units change the likelihood by their Jacobian alone", {
  d <- oracle_data()
  moved <- transform(d, y = 1000 * y)
  for (method in c("ML", "REML")) {
    count <- if (method == "ML") 14 else 13
    for (transform in c("identity", "sinharcsinh", "boxcox")) {
      fit <- wgp(y ~ x + w, d, transform = transform, method = method)
      other <- wgp(y ~ x + w, moved, transform = transform, method = method)
      expect_close(logLik(other), logLik(fit) - count * log(1000), 1e-7)
      expect_close(predict(other, d, interval = "credible"),
                   1000 * predict(fit, d, interval = "credible"), 1e-4)
    }
  }
})

test_that("units of the inputs, order of the rows and shifts of the response do not matter", {
  d <- oracle_data()
  fit <- wgp(y ~ x + w, d, transform = "sinharcsinh")
  inputs <- wgp(y ~ x + w, transform(d, x = 1e4 * x - 3, w = w / 1e6), transform = "sinharcsinh")
  expect_close(logLik(inputs), logLik(fit), 1e-7)
  expect_close(nodes(inputs)$lengthscale.x, 1e4 * nodes(fit)$lengthscale.x, 1e-3)
  rows <- wgp(y ~ x + w, d[14:1, ], transform = "sinharcsinh")
  expect_close(logLik(rows), logLik(fit), 1e-7)
  shifted <- wgp(y ~ x + w, transform(d, y = y - 100), transform = "sinharcsinh")
  expect_close(logLik(shifted), logLik(fit), 1e-7)
  expect_close(predict(shifted, d), predict(fit, d) - 100, 1e-4)
})

test_that("units of the trend change REML by their determinant, and ML not at all", {
  d <- oracle_data()
  fits <- function(method) {
    c(logLik(wgp(y ~ x + w, d, trend = ~ x, method = method)),
      logLik(wgp(y ~ x + w, d, trend = ~ I(10 * x), method = method)))
  }
  expect_close(diff(fits("REML")), -log(10), 1e-6)
  expect_equal(diff(fits("ML")), 0, tolerance = 1e-6)
})

test_that("REML predicts by the t of explicit inverses", {
  at <- c(0.4, 1.1, 2.5)
  for (case in Filter(function(case) case$method == "REML", cases)) {
    for (observation in c(TRUE, FALSE)) {
      expected <- naive_mixtures(case$model, case$new, case$new_trend, observation)
      for (what in c("cdf", "density")) {
        found <- predict(case$fit, case$new, type = what, at = at, observation = observation)
        expect_close(found, do.call(rbind, lapply(expected, function(m) vapply(at, m[[what]], 0))),
                     1e-6, 1e-8)
      }
    }
  }
})

test_that("ML predicts by the normal with the scale at its estimate", {
  probs <- c(0.025, 0.5, 0.975)
  for (case in cases[c(2, 3, 7, 9)]) {
    latent <- naive_latent(case$model, as.matrix(case$new), case$new_trend)
    p <- ncol(case$model$M)
    sd <- latent$scale * sqrt((14 - p) / 14)
    layers <- naive_layers(case$model$transform, case$model$nodes)
    z <- as.vector(latent$location) + outer(as.vector(sd), qnorm(probs))
    expected <- case$model$y_center + case$model$y_scale * naive_inverse(z, layers)
    expect_close(predict(case$fit, case$new, type = "quantile", probs = probs), expected, 1e-6)
  }
})

# The covariance of the noise-free process, or of observations, at `points`.
naive_covariance <- function(case, points, M, observation) {
  model <- case$model
  node <- model$solved[[1]]
  R <- function(A, B) naive_correlation(A, B, node$lengthscale, model$kernel, model$product)
  k <- R(model$X, points)
  u <- t(M) - t(model$M) %*% solve(node$K, k)
  C <- R(points, points) - t(k) %*% solve(node$K, k) + t(u) %*% solve(node$A, u)
  n <- nrow(model$X)
  variance <- model$y_scale^2 * node$q / (if (case$method == "ML") n else n - ncol(M))
  variance * (C + observation * node$noise * diag(nrow(C)))
}

test_that("without a transform, ML predicts and simulates the normal of explicit inverses", {
  case <- cases[[2]]
  latent <- naive_latent(case$model, as.matrix(case$new), case$new_trend)
  mean <- case$model$y_center + case$model$y_scale * as.vector(latent$location)
  for (observation in c(TRUE, FALSE)) {
    expected <- naive_covariance(case, as.matrix(case$new), case$new_trend, observation)
    ask <- function(type) predict(case$fit, case$new, type = type, observation = observation)
    expect_close(ask("mean"), mean, 1e-8)
    expect_close(ask("variance"), diag(expected), 1e-6)
    draws <- simulate(case$fit, 4000, seed = 1, newdata = case$new, observation = observation)
    expect_close(rowMeans(draws), mean, 0.1)
    # The standard error of a covariance of standardised draws is at most sqrt(2 / 4000).
    sd <- sqrt(diag(expected))
    expect_lt(max(abs(cov(t(draws)) - expected) / outer(sd, sd)), 0.1)
  }
})

test_that("draws of REML have the margins of its predictions", {
  case <- cases[[4]]
  for (joint in c(TRUE, FALSE)) {
    draws <- as.matrix(simulate(case$fit, 500, seed = 2, newdata = case$new, joint = joint))
    pit <- vapply(1:3, function(i) {
      ks.test(as.vector(predict(case$fit, case$new[i, ], type = "cdf", at = draws[i, ])),
              "punif")$p.value
    }, 0)
    expect_gt(min(pit), 0.001)
  }
})

# Refits to the other rows with all hyperparameters fixed, and predicts the row.
test_that("loocv() leaves rows out with the hyperparameters frozen, and says so", {
  for (case in cases[c(2, 4)]) {
    d <- case$data
    cv <- loocv(case$fit)
    expect_equal(unclass(loocv(case$fit, method = "naive"))$pointwise, cv$pointwise,
                 tolerance = 1e-6)
    model <- case$model
    for (i in c(1, 9)) {
      left_out <- model
      left_out$X <- model$X[-i, ]
      left_out$M <- model$M[-i, , drop = FALSE]
      left_out$y <- model$y[-i]
      left_out$w <- model$w[-i]
      left_out$solved <- naive_nodes(left_out, model$nodes)
      latent <- naive_latent(left_out, model$X[i, , drop = FALSE], model$M[i, , drop = FALSE])
      probs <- c(0.5, 0.025, 0.975)
      expected <- if (case$method == "ML") {
        sd <- latent$scale * sqrt((13 - ncol(model$M)) / 13)
        model$y_center + model$y_scale * (as.vector(latent$location) + as.vector(sd) * qnorm(probs))
      } else {
        mixture <- naive_mixture(left_out, latent$location[1, ], latent$scale[1, ])
        vapply(probs, mixture$quantile, 0)
      }
      expect_close(cv$pointwise[i, c("median", "lwr", "upr")], expected, 1e-6)
    }
    expect_output(print(cv), "hyperparameters are those of all rows")
    expect_false(any(grepl("refine", capture.output(print(cv)))))
  }
})

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

test_that("fits are the same each time, and leave the random numbers alone", {
  d <- oracle_data()
  set.seed(1)
  before <- .Random.seed
  fit <- wgp(y ~ x + w, d, transform = "boxcox")
  predict(fit, d)
  confint(fit)
  expect_identical(.Random.seed, before)
  again <- wgp(y ~ x + w, d, transform = "boxcox", threads = 2)
  expect_identical(again$posterior, fit$posterior)
  expect_identical(again$optimisation, fit$optimisation)
})

test_that("without noise the data are interpolated", {
  d <- oracle_data()
  fit <- wgp(y ~ x + w, d, transform = "boxcox", noise = 0)
  expect_identical(nodes(fit)$noise, 0)
  expect_close(predict(fit, d), d$y, 1e-3)
  expect_close(logLik(fit, hyper = nodes(fit)), logLik(fit), 1e-8)
  expect_true(all(is.finite(confint(fit)["lengthscale.x", ])))
})

test_that("all hyperparameters can be fixed", {
  d <- oracle_data()
  fit <- wgp(y ~ x, d, noise = 0.2, fixed = c(lengthscale.x = 4))
  model <- naive_model(fit, d["x"], cbind(rep(1, 14)), d$y, "identity")
  expect_equal(unlist(nodes(fit)[4:5]), c(lengthscale.x = 4, noise = 0.2))
  expect_close(logLik(fit), naive_log_likelihood(model, "REML"))
  expect_equal(attr(logLik(fit), "df"), 2)
  expect_output(print(summary(fit)), "Fixed: lengthscale.x = 4, noise = 0.2")
})

test_that("the interfaces of btg() are those of wgp()", {
  d <- oracle_data()
  fit <- wgp(y ~ x + w, d, trend = ~ x)
  expect_identical(nodes(wgp(d[c("x", "w")], d$y, trend = ~ x)), nodes(fit))
  expect_identical(nodes(wgp(data = d, formula = y ~ x + w, trend = ~ x)), nodes(fit))
  part <- wgp(y ~ x, d[d$w > 5200, ])
  expect_identical(nodes(wgp(y ~ x, d, subset = w > 5200)), nodes(part))
  missing <- transform(d, x = replace(x, 4, NA))
  expect_identical(nobs(wgp(y ~ x, missing)), 13L)
  three <- wgp(y ~ x + f, transform(d, f = rep_len(c("a", "b", "c"), 14)))
  expect_identical(names(nodes(three))[4:6], c("lengthscale.x", "lengthscale.f", "noise"))
})

test_that("update() fits again", {
  d <- oracle_data()
  fit <- wgp(y ~ x, d, method = "ML")
  expect_identical(nodes(update(fit, . ~ . + w)), nodes(wgp(y ~ x + w, d, method = "ML")))
  expect_identical(nodes(update(fit, transform = "boxcox")),
                   nodes(wgp(y ~ x, d, method = "ML", transform = "boxcox")))
  inputs <- d["x"]
  by_frame <- wgp(inputs, d$y)
  expect_identical(nodes(update(by_frame, method = "ML")), nodes(fit))
})

test_that("a saved fit is as good as new", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  fit <- cases[[4]]$fit
  saveRDS(fit, file)
  again <- readRDS(file)
  expect_identical(predict(again, cases[[4]]$new), predict(fit, cases[[4]]$new))
  expect_identical(confint(again), confint(fit))
})

test_that("what is at a bound is said", {
  d <- transform(oracle_data(), useless = rep(c(1, 5, 2, 9, 3, 7, 4), 2), y = x + 1e-9 * w)
  fit <- wgp(y ~ x + useless, d)
  expect_identical(fit$bounds["lengthscale.useless", "at"], "upper")
  expect_close(nodes(fit)$lengthscale.useless, 1000 * 8)
  expect_output(print(fit), "At bound: .*`lengthscale.useless`.*upper")
  expect_true(all(is.na(confint(fit)["lengthscale.useless", ])))
  expect_identical(summary(fit)$hyperparameters["lengthscale.useless", "at"], "upper")
})

test_that("several modes are shown, the better first", {
  d <- oracle_data()
  two <- wgp(y ~ x + w, d, transform = "boxcox", noise = 0)
  modes <- summary(two)$modes
  expect_identical(nrow(modes), 2L)
  expect_close(modes$log_likelihood, logLik(two, hyper = modes))
  expect_close(modes$log_likelihood[1], logLik(two))
  expect_lt(modes$log_likelihood[2], modes$log_likelihood[1] - 0.01)

  fit <- cases[[1]]$fit
  expect_null(summary(fit)$modes)
  searches <- fit$optimisation[c(1, 1, 1, 1), ]
  searches$log_likelihood <- searches$log_likelihood - c(0, 0.001, 0.5, 2)
  searches$noise <- 1:4
  searches$converged <- c(TRUE, TRUE, FALSE, TRUE)
  fit$optimisation <- searches
  modes <- summary(fit)$modes
  expect_identical(modes$noise, c(1L, 4L))
  expect_output(print(summary(fit)), "several modes")
  expect_output(print(fit), "4 starts, 2 reached the maximum, 1 did not converge")
})

test_that("a search that does not converge is counted, and warned of if it is the best", {
  fit <- cases[[1]]$fit
  expect_silent(warn_not_converged(fit, quote(wgp())))
  fit$optimisation$converged[1] <- FALSE
  expect_warning(warn_not_converged(fit, quote(wgp())), "largest likelihood did not converge",
                 class = "btg_warning_convergence")
  fit$optimisation$converged <- FALSE
  expect_warning(warn_not_converged(fit, quote(wgp())), "No search",
                 class = "btg_warning_convergence")
})

test_that("what a fit by wgp() cannot do is refused, and so are bad arguments", {
  d <- oracle_data()
  fit <- cases[[1]]$fit
  refuses <- function(object, kind, ...) {
    expect_error(object, ..., class = paste0("btg_error_", kind))
  }
  refuses(refine(fit), "no_posterior", "restarts")
  refuses(log_posterior(fit, nodes(fit)), "no_posterior", "logLik")
  refuses(plot(fit, "hyperparameters"), "no_posterior", "confint")
  refuses(wgp(y ~ x, d, noise = -1), "argument", "noise")
  refuses(wgp(y ~ x, d, noise = "no"), "argument", "noise")
  refuses(wgp(y ~ x, d, noise = 1, fixed = c(noise = 1)), "argument")
  refuses(wgp(y ~ x, d, fixed = 3), "argument", "fixed")
  refuses(wgp(y ~ x, d, fixed = c(boxcox.lambda = 1)), "prior", "boxcox.lambda")
  refuses(wgp(y ~ x, d, method = "map"), "argument", "REML")
  refuses(wgp(y ~ x, d, restarts = 0), "argument", "restarts")
  refuses(wgp(y ~ x, d, threads = 1.5), "argument", "threads")
  refuses(wgp(y ~ x, d, ard = NA), "argument", "ard")
  refuses(wgp(y ~ x, d, prior = btg_prior()), "unknown_argument", "prior")
  refuses(wgp(y ~ x, d, kernel = "spline"), "kernel")
  refuses(wgp(y ~ x, d, transform = "sqrt"), "transform")
  refuses(wgp(y ~ x, transform(d, y = -y), transform = "boxcox"), "response_not_positive")
  refuses(wgp(d$x), "interface")
  refuses(confint(fit, "lambda"), "argument", "lengthscale.x")
  refuses(confint(fit, level = 2), "argument")
  refuses(logLik(fit, hyper = data.frame(noise = 1)), "hyper", "lengthscale.x")
  error <- tryCatch(wgp(y ~ x, d, trend = 1), error = identity)
  expect_identical(error$call, quote(wgp()))
})
