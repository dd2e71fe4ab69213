test_that("quad_sobol() and quadrature_spec() make rules", {
  expect_identical(unclass(quad_sobol(64, inner = 2)),
                   list(name = "sobol", options = list(nodes = 64L, inner = 2L, seed = 0L)))
  expect_s3_class(quad_sobol(), "btg_rule")
  expect_identical(quadrature_spec(quad_sobol(16)), quad_sobol(16))
  expect_identical(quadrature_spec("sobol")$name, "sobol")
  expect_true(quadrature_spec("auto")$name %in% names(core_registry()$rules))
})

test_that("a rule by name has the options its function documents", {
  d <- oracle_data()
  by_name <- btg(y ~ x, d, quadrature = "sobol", transform = "sinharcsinh")
  expect_identical(nodes(by_name), nodes(btg(y ~ x, d, quadrature = quad_sobol(),
                                             transform = "sinharcsinh")))
  expect_identical(by_name$quadrature$nodes_tried, 2048L)
})

test_that("`nodes` is how many are tried, `inner` how many share lengthscales and noise", {
  tried <- function(...) {
    fit <- btg(y ~ x, oracle_data(), transform = "sinharcsinh", quadrature = quad_sobol(...),
               epsilon = 0)
    kernel <- unique(fit$models[[1]]$posterior$hyper[, 1:2])
    c(fit$quadrature$nodes_tried, nrow(kernel))
  }
  expect_identical(tried(32), c(32L, 8L))
  expect_identical(tried(32, inner = 1), c(32L, 32L))
  expect_identical(tried(32, inner = 8), c(32L, 4L))
  expect_identical(tried(3, inner = 8), c(3L, 1L))
})

test_that("without parameters of the transform, every node has its own lengthscales", {
  fit <- btg(y ~ x, oracle_data(), transform = "identity", epsilon = 0,
             quadrature = quad_sobol(32, inner = 4))
  expect_identical(nrow(unique(fit$models[[1]]$posterior$hyper)), 32L)
})

test_that("epsilon is the mass that may be left out", {
  d <- oracle_data()
  fit_with <- function(epsilon) {
    btg(y ~ x + w, d, transform = "sinharcsinh", epsilon = epsilon, quadrature = few_nodes(64))
  }
  all <- fit_with(0)
  expect_identical(all$quadrature$nodes_kept, 64L)
  expect_lt(all$quadrature$dropped_mass, 1e-12)
  for (epsilon in c(0.01, 0.2)) {
    some <- fit_with(epsilon)
    kept <- nrow(nodes(some))
    expect_identical(some$quadrature$nodes_kept, kept)
    expect_lt(kept, 64)
    # The heaviest nodes, and no more of them than needed.
    mass <- cumsum(nodes(all)$weight)
    expect_identical(kept, which(mass >= 1 - epsilon)[1])
    expect_equal(some$quadrature$dropped_mass, 1 - mass[kept])
    expect_equal(nodes(some)$weight, nodes(all)$weight[seq_len(kept)] / mass[kept])
    expect_equal(some$quadrature$log_evidence, all$quadrature$log_evidence)
    # The distribution function changes by no more.
    at <- c(0.3, 0.7, 1, 1.5, 2.5)
    difference <- predict(some, type = "cdf", at = at) - predict(all, type = "cdf", at = at)
    expect_lte(max(abs(difference)), epsilon)
    expect_gt(max(abs(difference)), 0)
  }
})

test_that("the effective number of nodes and the evidence follow from the weights", {
  fit <- btg(y ~ x + w, oracle_data(), epsilon = 0, quadrature = few_nodes(64),
             transform = "sinharcsinh")
  found <- nodes(fit)
  expect_equal(fit$quadrature$effective_nodes, 1 / sum(found$weight^2))
  terms <- found$log_marginal + naive_excess(found, input_sds(oracle_data()))
  evidence <- max(terms) + log(mean(exp(terms - max(terms))))
  # The nodes' likelihoods are those of the scaled response, the evidence that of the response.
  expect_equal(fit$quadrature$log_evidence, evidence - 13 * log(fit$scaling$y$scale))
})

# One free hyperparameter, integrated by stats::integrate() over its prior's quantiles.
expect_integrated <- function(name, quantile, transform = "boxcox") {
  fixed <- c(lengthscale.x = 3, noise = 0.3, boxcox.lambda = 0.2, softplus.s = 0.5)
  own <- grepl(paste0("^lengthscale|^noise|^", transform), names(fixed))
  prior <- btg_prior(fixed = fixed[own & names(fixed) != name])
  d <- oracle_data()
  fit <- btg(y ~ x, d, transform = transform, prior = prior,
             quadrature = quad_sobol(4096, inner = 1))
  model <- naive_model(fit, d["x"], cbind(rep(1, 14)), d$y, transform, nodes = nodes(fit)[1, ])

  offset <- fit$quadrature$log_evidence + 13 * log(fit$scaling$y$scale)
  likelihood <- function(u) {
    hyper <- as.data.frame(as.list(fixed[own]))[rep(1, length(u)), ]
    hyper[[name]] <- quantile(u)
    exp(naive_log_marginal(model, naive_nodes(model, hyper)) - offset)
  }
  area <- function(f) integrate(f, 0, 1, rel.tol = 1e-8, subdivisions = 500)$value
  evidence <- area(likelihood)
  expect_equal(evidence, 1, tolerance = 1e-4)
  mean_angle <- area(function(u) likelihood(u) * atan(quantile(u))) / evidence
  expect_equal(sum(nodes(fit)$weight * atan(nodes(fit)[[name]])), mean_angle, tolerance = 1e-3)
}

test_that("Sobol points integrate one hyperparameter as stats::integrate() does", {
  expect_integrated("boxcox.lambda", function(u) 3 * u)
  expect_integrated("softplus.s", function(u) qlnorm(u, 0, 1.5), "softplus")
  expect_integrated("lengthscale.x", function(u) sd(oracle_data()$x) * qlnorm(u, 1, 1.25))
  expect_integrated("noise", function(u) {
    v <- qbeta(u, 1 / 4, 1 / 2)
    pmax(v / (1 - v), 1e-12)
  })
})

test_that("more nodes bring predictions closer to those of many", {
  d <- oracle_data()
  ask <- function(nodes) {
    predict(btg(y ~ x, d, quadrature = quad_sobol(nodes),
                transform = "sinharcsinh"), type = "cdf", at = c(0.5, 1, 2))
  }
  reference <- ask(2^15)
  error <- vapply(2^c(5, 9, 13), function(nodes) max(abs(ask(nodes) - reference)), 0)
  expect_lt(error[2], error[1])
  expect_lt(error[3], error[2])
  expect_lt(error[3], 0.02)
})

test_that("every rule is made by a function with the options of the core", {
  rules <- core_registry()$rules
  for (name in names(rules)) {
    rule <- get(paste0("quad_", name))()
    expect_s3_class(rule, "btg_rule")
    expect_identical(rule$name, name)
    # A fit sets the share of a model in an average.
    expect_mapequal(lapply(rule$options, as.vector),
                    rules[[name]][setdiff(names(rules[[name]]), "share")])
    expect_output(print(rule), name)
  }
})

test_that("families of grids are chosen by name", {
  for (rule in list(quad_smolyak, quad_gauss_hermite, quad_gerstner_griebel)) {
    for (family in eval(formals(rule)$family)) {
      expect_identical(rule(family = family)$options$family, family)
    }
    expect_identical(rule()$options$family, eval(formals(rule)$family)[1])
  }
  expect_error(quad_smolyak(family = "simpson"), "clenshaw_curtis", class = "btg_error_family")
  expect_error(quad_ccd(f0 = 1), class = "btg_error_argument")
  expect_error(quad_adaptive(nodes = -1), class = "btg_error_argument")
})

test_that("all rules agree where the posterior is smooth and has few dimensions", {
  fit_by <- function(rule) {
    btg(dist ~ speed, cars, transform = "identity", quadrature = rule,
        prior = btg_prior(noise = btg_dist("lognormal", meanlog = -2, sdlog = 0.7),
                          lengthscale = btg_dist("lognormal", meanlog = 0.7, sdlog = 0.5)))
  }
  reference <- fit_by(quad_tensor(points = 25))
  ends <- function(fit) {
    suppressWarnings(predict(fit, data.frame(speed = c(5, 15, 25)), interval = "credible"))
  }
  sd <- (ends(reference)[, 3] - ends(reference)[, 2]) / 4
  for (rule in list(quad_adaptive(), quad_sobol(inner = 1), quad_smolyak(order = 6),
                    quad_gauss_hermite(order = 5), quad_gerstner_griebel(),
                    quad_monte_carlo(8000))) {
    fit <- fit_by(rule)
    expect_lt(max(abs(ends(fit) - ends(reference)) / sd), 0.05)
    expect_lt(abs(fit$quadrature$log_evidence - reference$quadrature$log_evidence), 0.05)
  }
  ccd <- fit_by(quad_ccd())
  expect_lt(max(abs(ends(ccd) - ends(reference)) / sd), 0.15)
})

test_that("the reported standard error covers the error of the default rule", {
  d <- transform(cars, dist = dist + 1)
  new <- data.frame(speed = c(2, 8, 15, 22, 28))
  ask <- function(rule) {
    predict(btg(dist ~ speed, d, quadrature = rule,
                transform = "sinharcsinh"), new, type = "quantile", quadrature_error = TRUE)
  }
  reference <- ask(quad_adaptive(nodes = 20000, most = 40000))$fit
  covered <- vapply(0:7, function(seed) {
    answer <- ask(quad_adaptive(nodes = 200, effective = 1, seed = seed))
    mean(abs(answer$fit - reference) <= 2 * answer$quadrature_error)
  }, 0)
  expect_gt(mean(covered), 0.9)
})

test_that("few effective nodes and heavy weights are said", {
  before <- options(btg.warn_quadrature = TRUE)
  on.exit(options(before))
  expect_warning(btg(dist ~ speed, cars, quadrature = quad_sobol(nodes = 8),
                     transform = "sinharcsinh"), "nearly all the weight",
                 class = "btg_warning_quadrature")
  expect_no_warning(btg(dist ~ speed, cars, transform = "sinharcsinh"))
  for (rule in c("ccd", "gauss_hermite", "gerstner_griebel")) {
    expect_no_warning(btg(dist ~ speed, cars, quadrature = rule, transform = "sinharcsinh"))
  }
})

test_that("a grid that is too coarse for the posterior is said", {
  before <- options(btg.warn_quadrature = TRUE)
  on.exit(options(before))
  expect_warning(fit <- btg(dist ~ speed, cars, quadrature = "smolyak", transform = "identity"),
                 "Two settings .* nearly all the weight; 4 or more",
                 class = "btg_warning_quadrature")
  expect_equal(fit$quadrature$effective_nodes, 1.6, tolerance = 0.05)
  expect_warning(btg(dist ~ speed, cars, quadrature = quad_tensor(2), transform = "identity"),
                 class = "btg_warning_quadrature")
  expect_no_warning(btg(dist ~ speed, cars, quadrature = quad_tensor(15), transform = "identity"))
  # With all else fixed, there is one node and nothing to integrate.
  fixed <- btg_prior(fixed = c(lengthscale.speed = 5, noise = 0.1))
  expect_no_warning(btg(dist ~ speed, cars, quadrature = "tensor", transform = "identity",
                        prior = fixed))
})

test_that("a negative evidence is an error, and a cdf that falls is rearranged with a warning", {
  expect_error(btg(dist ~ speed, cars, quadrature = "smolyak",
                   transform = "sinharcsinh"), "negative evidence",
               class = "btg_error_quadrature")
  signed <- NULL
  for (level in 4:6) {
    fit <- tryCatch(btg(dist ~ speed, cars, quadrature = quad_smolyak(order = level),
                        transform = "sinharcsinh"),
                    btg_error_quadrature = function(e) NULL)
    if (!is.null(fit) && fit$quadrature$negative_mass > 0.5) signed <- fit
  }
  skip_if(is.null(signed))
  new <- data.frame(speed = seq(1, 30, by = 1))
  at <- seq(-50, 200, by = 1)
  cdf <- suppressWarnings(predict(signed, new, type = "cdf", at = at))
  expect_true(all(cdf >= 0 & cdf <= 1))
  expect_true(all(apply(cdf, 1, diff) >= -1e-12))
  q <- suppressWarnings(predict(signed, new, type = "quantile", probs = c(0.1, 0.5, 0.9)))
  expect_true(all(apply(q, 1, diff) > 0))
  expect_output(print(summary(signed)), "Posterior")
})

test_that("the evidence is that of the response, whatever its units", {
  evidence <- function(d, transform) {
    btg(dist ~ speed, d, transform = transform)$quadrature$log_evidence
  }
  for (transform in c("sinharcsinh", "softplus")) {
    inches <- evidence(transform(cars, dist = 12 * dist), transform)
    expect_equal(inches, evidence(cars, transform) - 49 * log(12), tolerance = 1e-6)
  }
})

test_that("seeds may be as large as an integer", {
  largest <- .Machine$integer.max
  for (rule in list(quad_sobol, quad_monte_carlo, quad_adaptive)) {
    fit_with <- function(seed) {
      btg(y ~ x, oracle_data(), transform = "identity", quadrature = rule(nodes = 32, seed = seed))
    }
    expect_no_warning(fit <- fit_with(largest))
    expect_equal(sum(nodes(fit)$weight), 1)
    expect_identical(nodes(fit_with(largest)), nodes(fit))
    expect_false(identical(nodes(fit_with(largest - 1)), nodes(fit)))
    expect_error(rule(seed = 2^31), "`seed`", class = "btg_error_argument")
  }
})
