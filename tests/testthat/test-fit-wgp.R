cases <- lapply(wgp_cases(), function(arguments) do.call(wgp_case, arguments))

test_that("the likelihood agrees with explicit inverses and determinants", {
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

test_that("gradients agree with those of the naive likelihood", {
  skip_if_not_installed("numDeriv")
  for (case in cases) {
    model <- case$fit$models[[1]]
    hyper <- model$posterior$hyper[1, ] * 1.1 + 0.05
    gradient <- evaluate_fit(case$fit, hyper)$gradient
    moved <- setNames(as.data.frame(as.list(hyper * model$units)), hyper_names(model))
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
  skip_if_quick()
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
test_that("without a signal, lambda agrees with Box-Cox regression", {
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

test_that("fits are the same each time, and leave the random numbers alone", {
  d <- oracle_data()
  set.seed(1)
  before <- .Random.seed
  fit <- wgp(y ~ x + w, d, transform = "boxcox")
  predict(fit, d)
  confint(fit)
  expect_identical(.Random.seed, before)
  again <- wgp(y ~ x + w, d, transform = "boxcox", threads = 2)
  expect_identical(again$models[[1]]$posterior, fit$models[[1]]$posterior)
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

test_that("wgp() has the interfaces of btg()", {
  d <- oracle_data()
  fit <- wgp(y ~ x + w, d, trend = ~ x)
  expect_identical(nodes(wgp(d[c("x", "w")], d$y, trend = ~ x)), nodes(fit))
  expect_identical(nodes(wgp(data = d, formula = y ~ x + w, trend = ~ x)), nodes(fit))
  expect_identical(nodes(wgp(d, formula = y ~ x + w, trend = ~ x)), nodes(fit))
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

test_that("print() and summary() show which hyperparameters are at a bound", {
  d <- transform(oracle_data(), useless = rep(c(1, 5, 2, 9, 3, 7, 4), 2), y = x + 1e-9 * w)
  fit <- wgp(y ~ x + useless, d)
  expect_identical(fit$bounds["lengthscale.useless", "at"], "upper")
  expect_close(nodes(fit)$lengthscale.useless, 1000 * 8)
  expect_output(print(fit), "At bound +.*`lengthscale.useless`.*upper")
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

  fit <- wgp(dist ~ speed, cars)
  expect_null(summary(fit)$modes)
  searches <- fit$optimisation[c(1, 1, 1, 1), ]
  searches$log_likelihood <- searches$log_likelihood - c(0, 0.001, 0.5, 2)
  searches$noise <- 1:4
  searches$converged <- c(TRUE, TRUE, FALSE, TRUE)
  fit$optimisation <- searches
  fit <- add_checksum(fit)
  modes <- summary(fit)$modes
  expect_identical(modes$noise, c(1L, 4L))
  expect_output(print(summary(fit)), "several modes")
  expect_output(print(fit), "4 starts, 2 reached the maximum, 1 did not converge")
})

test_that("wgp() warns if the best search did not converge", {
  fit <- cases[[1]]$fit
  expect_silent(warn_not_converged(fit))
  fit$optimisation$converged[1] <- FALSE
  expect_warning(warn_not_converged(fit), "largest likelihood did not converge",
                 class = "btg_warning_convergence")
  fit$optimisation$converged <- FALSE
  expect_warning(warn_not_converged(fit), "No search",
                 class = "btg_warning_convergence")
})

test_that("wgp() refuses bad arguments, and its fits refuse what they cannot do", {
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

test_that("errors of wgp() name wgp()", {
  d <- oracle_data()
  of_wgp <- function(expr) {
    error <- tryCatch(expr, error = identity)
    expect_s3_class(error, "btg_error")
    expect_identical(error$call, quote(wgp()))
    expect_no_match(conditionMessage(error), "btg(", fixed = TRUE)
  }
  of_wgp(wgp(d, y ~ x))
  of_wgp(wgp(as.matrix(d), formula = y ~ x))
  of_wgp(wgp("y ~ x", d))
  of_wgp(wgp(d["x"]))
  of_wgp(wgp(d["x"], d$y[1:5]))
  of_wgp(wgp(list(1, "a"), d$y))
  of_wgp(wgp(transform(d["x"], x = Inf), d$y))
  of_wgp(wgp(d["x"], as.character(d$y)))
  of_wgp(wgp(d["x"], d$y, weights = -d$y))
  of_wgp(wgp(y ~ x * w, d))
  of_wgp(wgp(y ~ nowhere, d))
  of_wgp(wgp(y ~ x, transform(d, x = 1)))
  of_wgp(wgp(y ~ x, transform(d, y = 1)))
  of_wgp(wgp(y ~ x, d[1:2, ]))
  of_wgp(wgp(y ~ x, d, trend = ~ x + I(2 * x)))
  of_wgp(wgp(y ~ x, transform(d, y = -y), transform = "softplus"))
  of_wgp(wgp(y ~ x, d, kernel = "spline"))
  of_wgp(wgp(y ~ x, d, fixed = c(noise = -1)))
  of_wgp(wgp(y ~ x, d, weights = -x))
  of_wgp(wgp(y ~ x, d, threads = 0))
  of_wgp(wgp(y ~ x, d, unknown = 0))
})

test_that("the maximum with censored rows is that of the naive likelihood", {
  d <- oracle_data()
  limits <- cbind(rep(NA, 14), NA)
  limits[c(3, 8), ] <- c(d$y[c(3, 8)] - 0.3, d$y[c(3, 8)] + 0.4)
  fit <- wgp(y ~ x, d, transform = "sinharcsinh", lower = -Inf, censored = limits,
             fixed = list(noise = 0.1))
  at <- list(row = c(3L, 8L), lower = limits[c(3, 8), 1], upper = limits[c(3, 8), 2])
  model <- naive_model(fit, d["x"], matrix(1, 14, 1), d$y, "sinharcsinh")
  best <- nodes(fit)
  expect_identical(nrow(best), 1L)
  expect_true(fit$optimisation$converged[1])
  expect_equal(best$log_marginal, naive_censored_marginal(model, at, best), tolerance = 1e-3)
  for (name in setdiff(row.names(fit$bounds)[fit$bounds$at == ""], "sinharcsinh.a")) {
    moved <- best[c(1, 1), ]
    moved[[name]] <- best[[name]] * exp(c(-0.02, 0.02))
    slope <- diff(naive_censored_marginal(model, at, moved)) / 0.04
    expect_lt(abs(slope), 0.02)
  }
  expect_equal(logLik(fit, hyper = best), as.vector(logLik(fit)), tolerance = 1e-6)
  expect_identical(dim(vcov(fit)), c(1L, 1L))
  expect_identical(dim(suppressWarnings(confint(fit))), c(4L, 2L))
})
