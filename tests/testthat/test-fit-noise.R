# A fit whose noise varies, with weights and replicates, and what the naive model needs.
noisy_case <- function(...) {
  set.seed(5)
  d <- data.frame(x = round(runif(28), 1), g = rep(c("a", "b"), 14), w = runif(28, 0.5, 2))
  d$y <- exp(sin(4 * d$x) + rnorm(28, sd = 0.05 + 0.5 * d$x))
  fit <- btg(y ~ x, d, noise = ~ x + g, weights = w, transform = "boxcox", kernel = "matern32",
             quadrature = quad_sobol(48), warp_inputs = FALSE, ...)
  B <- cbind(x = d$x, gb = as.numeric(d$g == "b"))
  list(d = d, fit = fit, B = B, X = cbind(x = d$x), M = cbind(rep(1, 28)))
}

case_models <- function(case, nodes) {
  naive_noise_models(case$fit, standardise_like(case$B), case$X, case$M, case$d$y, "boxcox",
                     "matern32", weights = case$d$w, nodes = nodes)
}

test_that("likelihoods, predictions and left-out rows are naive", {
  case <- noisy_case()
  fit <- case$fit
  nodes <- nodes(fit)
  expect_true(all(c("noise.x", "noise.gb") %in% names(nodes)))
  models <- case_models(case, nodes)
  naive <- vapply(models, function(one) naive_log_marginal(one$model), 0)
  expect_equal(nodes$log_marginal - naive, rep((nodes$log_marginal - naive)[1], nrow(nodes)),
               tolerance = 1e-8)
  prior <- dnorm(nodes$noise.x, log = TRUE) + dnorm(nodes$noise.gb, log = TRUE)
  rest <- naive_log_prior(nodes[setdiff(names(nodes), c("noise.x", "noise.gb"))],
                          c(lengthscale.x = sd(case$d$x)))
  expect_equal(nodes$log_prior, prior + rest, tolerance = 1e-8)

  new <- data.frame(x = c(0.05, 0.55, 0.93, 4), g = c("a", "b", "b", "a"))
  # Beyond the data, x counts as at its edge for the noise, and only there.
  B <- cbind(x = pmin(pmax(new$x, min(case$d$x)), max(case$d$x)), gb = c(0, 1, 1, 0))
  X <- cbind(x = new$x)
  for (observation in c(TRUE, FALSE)) {
    latent <- naive_noise_latent(models, nodes, X, cbind(rep(1, 4)), standardise_like(case$B, B),
                                 2 / mean(case$d$w), observation)
    expected <- t(sapply(1:4, function(i) {
      mixture <- naive_noise_mixture(models, nodes, latent$location[i, ], latent$scale[i, ])
      vapply(c(0.1, 0.5, 0.9), mixture$quantile, 0)
    }))
    found <- suppressWarnings(predict(fit, new, type = "quantile", probs = c(0.1, 0.5, 0.9),
                                      observation = observation, weights = 2))
    expect_equal(unname(found), expected, tolerance = 1e-7)
  }
  for (folds in list(seq_len(28), rep(1:4, 7))) {
    cv <- suppressWarnings(loocv(fit, folds = folds))
    expect_equal(cv$pointwise$log_score,
                 naive_noise_log_scores(models, nodes, case$d$y, folds), tolerance = 1e-8)
  }
  expect_equal(suppressWarnings(loocv(fit, method = "naive"))$pointwise$log_score,
               suppressWarnings(loocv(fit))$pointwise$log_score, tolerance = 1e-8)
})

test_that("gradients are naive", {
  skip_if_not_installed("numDeriv")
  case <- noisy_case()
  model <- case$fit$models[[1]]
  at <- model$posterior$hyper[1, ]
  positive <- vapply(model$problem$hyperparameters, function(h) h$positive, NA)
  naive <- function(coordinate) {
    hyper <- ifelse(positive, exp(coordinate), coordinate) * model$units
    node <- as.data.frame(as.list(setNames(hyper, names(model$units))), check.names = FALSE)
    node$weight <- 1
    naive_log_marginal(case_models(case, node)[[1]]$model)
  }
  expected <- numDeriv::grad(naive, replace(at, positive, log(at[positive])))
  expect_equal(as.vector(evaluate_fit(case$fit, at)$gradient), expected, tolerance = 1e-6)
})

test_that("a noise model without terms changes nothing", {
  plain <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes())
  for (noise in list(~ 1, ~ 0, NULL)) {
    same <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(),
                noise = noise)
    expect_identical(nodes(same), nodes(plain))
  }
})

test_that("rows share a site only if their noise is the same", {
  d <- data.frame(x = rep(1:10, 2), g = rep(c("a", "b"), each = 10))
  d$y <- sin(d$x) + rep(c(0, 0.1), each = 10) * cos(7 * seq_len(20))
  sites <- function(noise) {
    fit <- btg(y ~ x, d, transform = "identity", noise = noise, quadrature = few_nodes())
    fit$models[[1]]$sites
  }
  expect_identical(sites(~ 1), 10L)
  expect_identical(sites(~ x), 10L)
  expect_identical(sites(~ g), 20L)
})

test_that("everything follows: wgp(), update(), simulate(), refine(), averages, saving", {
  set.seed(2)
  d <- data.frame(x = seq(0, 1, length.out = 40))
  d$y <- 2 + sin(6 * d$x) + rnorm(40, sd = 0.02 + 0.4 * d$x)
  fit <- btg(y ~ x, d, noise = ~ x, quadrature = few_nodes(), transform = "sinharcsinh")
  draws <- simulate(fit, 400, seed = 1, newdata = data.frame(x = c(0.05, 0.95)), joint = FALSE)
  expect_gt(sd(unlist(draws[2, ])), 2 * sd(unlist(draws[1, ])))
  expect_s3_class(refine(fit), "btg")
  more <- update(fit, newdata = data.frame(x = 0.5, y = 2.1))
  expect_identical(colnames(more$design$noise), "x")
  most_likely <- wgp(y ~ x, d, noise = ~ x)
  expect_gt(nodes(most_likely)$noise.x, 0)
  expect_true("noise.x" %in% rownames(confint(most_likely)))
  averaged <- btg(y ~ x, d, noise = ~ x, kernel = "matern52", quadrature = few_nodes())
  expect_length(averaged$models, 2L)
  file <- tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), d[1:3, , drop = FALSE]),
                   predict(fit, d[1:3, , drop = FALSE]))
  expect_output(print(summary(fit)), "Noise sd is multiplied")
  expect_output(print(fit), "Noise +varies with x")
  prior <- btg_prior(noise_effect = btg_dist("normal", mean = 0, sd = 1e-4))
  tight <- btg(y ~ x, d, noise = ~ x, quadrature = few_nodes(), prior = prior,
               transform = "identity")
  expect_lt(max(abs(nodes(tight)$noise.x)), 1e-3)
})

test_that("noise = \"auto\" models noise where it varies, and only there", {
  set.seed(8)
  d <- data.frame(x = runif(120), u = runif(120))
  signal <- sin(6 * d$x) + d$u
  d$varying <- signal + rnorm(120, sd = 0.02 + 0.5 * d$x)
  d$constant <- signal + rnorm(120, sd = 0.2)
  automatic <- function(formula, ...) {
    btg(formula, d, noise = "auto", transform = "identity", product = FALSE,
        quadrature = quad_adaptive(effective = 100, most = 400), ...)
  }
  fit <- automatic(varying ~ x + u)
  expect_named(fit$models, c("identity", "identity, varying noise"))
  expect_gt(fit$model_weights[[2]], 0.8)
  expect_identical(fit$models[[1]]$problem$noise_columns, integer())
  expect_output(print(fit), "Noise +varies")
  expect_no_match(capture.output(print(select_models(fit, 1L))), "varies")
  expect_length(automatic(constant ~ x + u)$models, 1L)
  at <- data.frame(x = c(0.05, 0.95), u = 0.5)
  width <- predict(fit, at, interval = "credible")
  expect_gt(diff(width[2, 2:3]), 3 * diff(width[1, 2:3]))
  expect_gt(nrow(update(fit, newdata = d[1:5, ] + 0.001)$design$noise), 120)
  approximate <- automatic(varying ~ x + u, approx = vecchia(30, 16, 30))
  expect_named(approximate$models, names(fit$models))
  for (model in approximate$models) expect_false(is.null(model$problem$approx))
  close <- predict(approximate, at, interval = "credible") - width
  expect_lt(max(abs(close)), 0.05 * diff(width[1, 2:3]))
  d$ns <- d$u # is no function
  expect_length(automatic(varying ~ x + ns)$models, 2L)
  most_likely <- wgp(varying ~ x + u, d, noise = "auto")
  expect_false(is.null(most_likely$blueprint$noise))
  expect_null(wgp(constant ~ x + u, d, noise = "auto")$blueprint$noise)
})

test_that("what cannot be a model of the noise is an error of its own", {
  d <- data.frame(y = rnorm(20), x = 1:20, k = 1, i = c(Inf, 2:20))
  bad <- function(noise, class) {
    expect_error(btg(y ~ x, d, noise = noise), class = paste0("btg_error_", class))
    expect_error(wgp(y ~ x, d, noise = noise), class = paste0("btg_error_", class))
  }
  bad(y ~ x, "noise")
  bad(~ y, "response_used")
  bad(~ k, "noise")
  bad(~ x + I(2 * x), "noise")
  bad(~ poly(x, 18), "noise")
  bad(~ i, "not_finite")
  bad(~ nowhere, "model_frame")
  bad("x", "argument")
  bad(-1, "argument")
  fit <- btg(y ~ x, transform(d, u = x^2), noise = ~ u, quadrature = few_nodes())
  expect_error(predict(fit, data.frame(x = 1)), class = "btg_error_missing_columns")
  expect_true(is.na(predict(fit, data.frame(x = 1, u = NA))))
  expect_error(btg(y ~ x, d, noise = 0.1, prior = btg_prior(fixed = c(noise = 1))),
               class = "btg_error_argument")
})

test_that("variables that follow from each other are not both in a model of the noise", {
  d <- data.frame(a = seq(0, 1, length.out = 60))
  d$b <- 3 * d$a + 1
  d$g <- rep(1, 60)
  d$y <- sin(37 * seq_len(60)^2)
  fit <- btg(y ~ a + b, d, transform = "identity", quadrature = few_nodes(8))
  design <- list(inputs = fit$design$inputs, trend = fit$design$trend, variables = d,
                 blueprint = fit$blueprint)
  expect_identical(design_with_noise(design, c("a", "b")), design_with_noise(design, "a"))
  expect_null(design_with_noise(design, "g"))
  expect_null(design_with_noise(design, character()))
})
