wavy <- function(n = 40) {
  x <- seq(0, 1, length.out = n)
  noise <- sin(seq_len(n)^2)
  data.frame(x = x, y = exp(sin(6 * x) + 0.3 * noise))
}

fit_wavy <- function(...) btg(y ~ x, wavy(), transform = "sinharcsinh", ...)

test_that("`keep` nodes have the posterior's moments", {
  fit <- fit_wavy(quadrature = quad_adaptive(keep = 96))
  all <- nodes(fit)
  few <- nodes(fit, predictive = TRUE)
  expect_identical(nrow(few), fit$quadrature$nodes_predictive)
  expect_lte(nrow(few), 16 + 5 * 4^2)
  expect_gt(nrow(all), 3 * nrow(few))
  expect_gt(min(few$weight), 0)
  expect_equal(sum(few$weight), 1, tolerance = 1e-12)
  # Normal coordinates: logs of all but `a`, and of the noise only nearly so.
  for (name in c("lengthscale.x", "sinharcsinh.b")) {
    for (degree in 1:4) {
      expect_equal(sum(few$weight * log(few[[name]])^degree),
                   sum(all$weight * log(all[[name]])^degree), tolerance = 1e-8)
    }
  }
  expect_equal(sum(few$weight * few$sinharcsinh.a * log(few$lengthscale.x)^2),
               sum(all$weight * all$sinharcsinh.a * log(all$lengthscale.x)^2), tolerance = 1e-8)
  key <- function(nodes) do.call(paste, nodes[-1])
  expect_true(all(key(few) %in% key(all)))
})

test_that("predictions from fewer nodes are those from all, to a small share of their error", {
  fit <- fit_wavy(quadrature = quad_adaptive(keep = 96))
  all <- fit_wavy(quadrature = quad_adaptive(keep = Inf))
  expect_identical(nodes(fit), nodes(all))
  expect_identical(nodes(all, predictive = TRUE), nodes(all))
  expect_identical(all$quadrature$nodes_predictive, nrow(nodes(all)))
  new <- data.frame(x = c(-0.1, 0.03, 0.5, 0.72, 1.2))
  found <- predict(fit, new, interval = "credible", quadrature_error = TRUE)
  expected <- predict(all, new, interval = "credible", quadrature_error = TRUE)
  expect_lt(max(abs(found$fit - expected$fit) / expected$quadrature_error), 0.3)
  expect_gt(max(abs(found$fit - expected$fit)), 0)
  # Standard errors still count all nodes that were drawn.
  expect_equal(found$quadrature_error, expected$quadrature_error, tolerance = 0.1)
  elpd <- function(fit) loocv(fit)$estimates["elpd", "estimate"]
  expect_lt(abs(elpd(fit) - elpd(all)), 0.1)
})

test_that("predictions use the nodes that nodes(predictive = TRUE) returns", {
  fit <- fit_wavy(quadrature = quad_adaptive(keep = 20))
  expect_identical(fit$quadrature$nodes_predictive, 20L)
  d <- wavy()
  model <- naive_model(fit, d["x"], cbind(rep(1, nrow(d))), d$y, "sinharcsinh",
                       nodes = nodes(fit, predictive = TRUE))
  latent <- naive_latent(model, cbind(0.33), cbind(1))
  mixture <- naive_mixture(model, latent$location[1, ], latent$scale[1, ])
  y <- c(0.5, 2, 3.1)
  expect_equal(as.vector(predict(fit, data.frame(x = 0.33), type = "cdf", at = y)),
               vapply(y, mixture$cdf, 0), tolerance = 1e-9)
})

test_that("summary() shows how many nodes predictions use, if not all", {
  expect_output(print(summary(fit_wavy())), "predictions use [0-9]{1,2} of them")
  shown <- capture.output(print(summary(fit_wavy(quadrature = few_nodes()))))
  expect_no_match(shown, "predictions use")
})

test_that("refine() pools nodes to predict from", {
  fit <- fit_wavy(quadrature = quad_adaptive(keep = 40))
  more <- refine(fit)
  few <- nodes(more, predictive = TRUE)
  expect_identical(nrow(few), 2L * fit$quadrature$nodes_predictive)
  expect_equal(sum(few$weight), 1)
  expect_identical(more$quadrature$nodes_predictive, nrow(few))
})

test_that("an average predicts from the fewer nodes of its models", {
  fit <- btg(y ~ x, wavy(), averaging = "posterior")
  few <- nodes(fit, predictive = TRUE)
  used <- names(fit$model_weights)[fit$model_weights > 0]
  each <- vapply(fit$models, function(model) model$quadrature$nodes_predictive, 0L)
  expect_identical(nrow(few), sum(each[used]))
  expect_identical(fit$quadrature$nodes_predictive, nrow(few))
  one <- fit
  one$model_weights[] <- c(1, rep(0, length(fit$models) - 1L))
  expect_identical(fit_quadrature(one)$nodes_predictive, each[[1L]])
  expect_equal(tapply(few$weight, few$model, sum)[used], fit$model_weights[used],
               ignore_attr = TRUE)
})

test_that("standard errors are multiplied by the factor for heavy tails", {
  fit <- fit_wavy()
  expect_identical(fit$quadrature$error_factor, 1)
  heavy <- fit
  heavy$models[[1]]$quadrature$error_factor <- 1.7
  new <- data.frame(x = c(0.2, 0.9))
  se <- function(fit) predict(fit, new, quadrature_error = TRUE)$quadrature_error
  expect_equal(se(add_checksum(heavy)), 1.7 * se(fit))
})

# With k the tail index and m effective of n nodes, the factor is m^((min(k, 1) - 1/2) / 2) if
# k > 1/2 and m < 0.35 n, and 1 otherwise.
test_that("the factor for heavy tails grows with the tail index, if few nodes have the weight", {
  quadratures <- lapply(1:6, function(seed) {
    set.seed(seed)
    inputs <- matrix(runif(250), 25)
    y <- exp(sin(5 * inputs[, 1]) + inputs[, 2] + 0.3 * rnorm(25))
    rule <- quad_adaptive(nodes = 200, effective = 30, most = 600)
    btg(inputs, y, transform = "identity", quadrature = rule)$quadrature
  })
  part <- function(name) vapply(quadratures, function(one) as.double(one[[name]]), 0)
  k <- part("k_hat")
  effective <- part("effective_nodes")
  is_heavy <- k > 0.5
  is_few <- effective < 0.35 * part("nodes_tried")
  # There are fits of every kind, except for light tails with few nodes.
  expect_true(any(is_heavy & is_few) && any(is_heavy & !is_few) && any(!is_heavy))
  expected <- ifelse(is_heavy & is_few, effective^((pmin(k, 1) - 0.5) / 2), 1)
  expect_equal(part("error_factor"), expected)
  # The error of the evidence has the factor, its diagnostic has not.
  own <- vapply(quadratures, function(one) one$diagnostics[["log_evidence_error"]], 0)
  expect_equal(part("log_evidence_error"), expected * own)
})

test_that("rules that draw points want 100 effective nodes, grids two for each hyperparameter", {
  wanted <- function(rule) {
    quadrature <- suppressWarnings(fit_wavy(quadrature = rule), classes = "btg_warning")$quadrature
    unlist(quadrature[c("least_effective", "good_effective")], use.names = FALSE)
  }
  for (rule in list(quad_adaptive(), quad_sobol(nodes = 64), quad_monte_carlo(nodes = 64))) {
    expect_identical(wanted(rule), c(5, 100))
  }
  # A lengthscale, the noise and two parameters of the transform.
  expect_identical(wanted(quad_tensor(4)), c(8, 8))
  # Around a mode most of the weight is at the centre.
  expect_identical(wanted(quad_ccd()), c(NaN, NaN))
})

test_that("`keep` is checked", {
  expect_error(quad_adaptive(keep = -1), class = "btg_error_argument")
  expect_error(quad_adaptive(keep = "all"), class = "btg_error_argument")
})

test_that("a model of an average has nodes by its share, unless likelihoods cost little", {
  predictive_nodes_of <- function(n, share) {
    fit <- btg(y ~ x, oracle_data(n), transform = "identity", quadrature = few_nodes(4))
    core <- integrate_model(build_models(fit$design, fit$models), "identity", quad_adaptive(), 1e-4,
                            new_run(), share = share)
    c(kept = sum(core$predictive > 0) + 0, tried = core$nodes_tried)
  }
  # With d = 2 hyperparameters and a share s, s^0.7 (16 + 4 d^2) nodes represent all, and with few
  # rows more.
  whole <- predictive_nodes_of(200, 1)
  part <- predictive_nodes_of(200, 0.2)
  expect_identical(whole[["kept"]], 32)
  expect_identical(part[["kept"]], ceiling(0.2^0.7 * 32))
  expect_lt(part[["tried"]], whole[["tried"]] / 2)
  # A likelihood of 20 rows takes about 9 microseconds.
  expect_gt(predictive_nodes_of(20, 0.2)[["kept"]], 0.9 * 32)
})

test_that("options of the rule that a user gives hold", {
  fit <- fit_wavy(quadrature = quad_adaptive(nodes = 100, effective = 7, most = 200, keep = 11,
                                             seed = 3))
  expect_identical(fit$quadrature$nodes_predictive, 11L)
  expect_gte(fit$quadrature$effective_nodes, 7)
  expect_lt(fit$quadrature$likelihoods, fit_wavy()$quadrature$likelihoods / 2)
  expect_equal(fit$settings$rule$options[c("nodes", "effective", "most", "keep", "seed")],
               list(nodes = 100, effective = 7, most = 200, keep = 11, seed = 3))
  # The share is set for the core only.
  expect_false("share" %in% names(fit$settings$rule$options))
  other <- fit_wavy(quadrature = quad_adaptive(nodes = 100, effective = 7, most = 200, keep = 11,
                                               seed = 4))
  expect_false(identical(nodes(other), nodes(fit)))
})

test_that("fits with censored rows agree with a chain that samples their responses", {
  skip_if_quick()
  set.seed(5)
  n <- 30
  d <- data.frame(x = 10 * ((0.618 * seq_len(n)) %% 1))
  d$y <- exp(sin(d$x / 1.5) + 0.4 * rnorm(n))
  limit <- sort(d$y)[12]
  d$below <- d$y <= limit
  d$y <- pmax(d$y, limit)
  fit <- btg(y ~ x, d, censored = below, transform = "sinharcsinh", lower = -Inf)
  model <- naive_model(fit, d["x"], matrix(1, n, 1), d$y, "sinharcsinh", nodes = nodes(fit)[1, ])
  hyper_of <- function(x) {
    list(lengthscale.x = exp(x[1]), noise = exp(x[2]), sinharcsinh.a = x[3],
         sinharcsinh.b = exp(x[4]))
  }
  log_prior <- function(x) {
    dnorm(x[1], 1 + log(sd(d$x)), 1.25, log = TRUE) + naive_priors$noise(exp(x[2])) +
      naive_priors$sinharcsinh.a(x[3]) + naive_priors$sinharcsinh.b(exp(x[4]))
  }
  new <- data.frame(x = c(0.5, 2.5, 5, 7.2, 9.8, 11))
  draws <- naive_chain(model, list(row = which(d$below), lower = rep(-Inf, 12),
                                   upper = rep(limit, 12)),
                       hyper_of, log_prior, c(1.2, -2, 0.7, 0.1), c(0.6, 1.6, 0.35, 0.4),
                       as.matrix(new), 10000, thin = 3)
  for (p in c(0.1, 0.5, 0.9)) {
    at <- predict(fit, new, type = "quantile", probs = p)[, 1]
    # The chain has a standard error of about 0.01.
    expect_lt(max(abs(naive_chain_cdf(draws, model, at) - p)), 0.03)
  }
})

test_that("the integral finds the mode without noise", {
  # A wider mode, lower by 13 and 50, has a little noise and long lengthscales.
  for (seed in c(21, 23)) {
    d <- withr::with_seed(seed, data.frame(x1 = runif(50, -1, 1), x2 = runif(50, -2, 2)))
    d$y <- with(d, (4 - 2.1 * x1^2 + x1^4 / 3) * x1^2 + x1 * x2 + 4 * (x2^2 - 1) * x2^2)
    fit <- suppressWarnings(btg(y ~ ., d, transform = "identity", kernel = "rbf",
                                warp_inputs = FALSE))
    density <- function(p) {
      log_posterior(fit, data.frame(lengthscale.x1 = exp(p[1]), lengthscale.x2 = exp(p[2]),
                                    noise = exp(p[3])))
    }
    starts <- expand.grid(log(c(0.5, 1, 2, 4)), c(-16, -24))
    best <- max(apply(starts, 1L, function(start) {
      stats::optim(start[c(1, 1, 2)], density, control = list(fnscale = -1))$value
    }))
    found <- nodes(fit)
    expect_gt(max(found$log_marginal + found$log_prior), best - 5)
  }
})
