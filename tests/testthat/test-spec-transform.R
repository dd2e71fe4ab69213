all_names <- c("identity", "affine", "arcsinh", "sinharcsinh", "boxcox", "softplus", "yeojohnson",
               "logit")

parameters_of <- function(transform, trend_has_constant = TRUE) {
  parameters <- transform_spec(transform, trend_has_constant)$parameters
  vapply(parameters, function(parameter) parameter$redundant, NA)
}

test_that("transform_spec() lists parameters by layer, and numbers layers of a kind", {
  spec <- transform_spec(c("boxcox", "arcsinh", "arcsinh"), TRUE)
  expect_identical(spec$layers, c("boxcox", "arcsinh", "arcsinh"))
  expect_named(spec$parameters, c("boxcox.lambda", "arcsinh.c", "arcsinh.d", "arcsinh2.c",
                                  "arcsinh2.d"))
  expect_true(spec$parameters$arcsinh.d$positive)
  expect_false(spec$parameters$arcsinh.c$positive)
  expect_named(transform_spec("identity", TRUE)$parameters, character())
})

test_that("transform_spec() knows which transforms need a positive response", {
  positive <- vapply(all_names, function(name) transform_spec(name, TRUE)$positive, NA)
  expect_identical(all_names[positive], c("boxcox", "softplus"))
  expect_true(transform_spec(c("softplus", "affine"), TRUE)$positive)
  expect_false(transform_spec(c("affine", "softplus"), TRUE)$positive)
})

test_that("transform_spec() wants registered names", {
  expect_error(transform_spec("log", TRUE), "\"boxcox\"", class = "btg_error_transform")
  expect_error(transform_spec(c("affine", "sinhasinh"), TRUE), "no transform \"sinhasinh\"",
               class = "btg_error_transform")
  for (bad in list(NULL, character(), NA_character_, 1, list("affine"))) {
    expect_error(transform_spec(bad, TRUE), "`transform` must be", class = "btg_error_argument")
  }
})

test_that("format_transform() writes a composition as a function of y", {
  expect_identical(format_transform("boxcox"), "boxcox(y)")
  expect_identical(format_transform(c("affine", "sinharcsinh")), "sinharcsinh(affine(y))")
})

test_that("only parameters that nothing after them absorbs are integrated over", {
  expect_identical(parameters_of("affine"), c(affine.a = TRUE, affine.b = TRUE))
  expect_identical(parameters_of("affine", FALSE), c(affine.a = FALSE, affine.b = TRUE))
  expect_identical(unname(parameters_of(c("affine", "sinharcsinh"))), rep(FALSE, 4))
  expect_identical(unname(parameters_of(c("sinharcsinh", "affine"))),
                   c(FALSE, FALSE, TRUE, TRUE))
  expect_identical(unname(parameters_of(c("affine", "arcsinh"))), c(TRUE, TRUE, FALSE, FALSE))
  expect_false(any(parameters_of("arcsinh"), parameters_of("boxcox"), parameters_of("softplus")))
})

test_that("an affine layer that comes last changes nothing, and its columns are constant", {
  d <- oracle_data()
  same_predictions <- function(transform, plain, trend = ~ 1) {
    ask <- function(transform) {
      fit <- btg(y ~ x + w, d, transform = transform, trend = trend, quadrature = few_nodes())
      list(nodes(fit), predict(fit, interval = "credible"))
    }
    with_layer <- ask(transform)
    without <- ask(plain)
    expect_close(with_layer[[2]], without[[2]], 1e-12)
    expect_close(with_layer[[1]][names(without[[1]])], without[[1]], 1e-12)
    expect_identical(unique(with_layer[[1]]$affine.a), 0)
    expect_identical(unique(with_layer[[1]]$affine.b), 1)
  }
  same_predictions("affine", "identity")
  same_predictions("affine", "identity", trend = ~ x)
  same_predictions(c("sinharcsinh", "affine"), "sinharcsinh")
  same_predictions(c("affine", "arcsinh"), "arcsinh")
})

test_that("without a constant in the trend, an affine layer's shift is a parameter", {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, transform = "affine", trend = ~ x - 1, quadrature = few_nodes())
  expect_gt(length(unique(nodes(fit)$affine.a)), 10)
  expect_identical(unique(nodes(fit)$affine.b), 1)
})

# Transforms that contain another, at the parameters where they are the other.
test_that("transforms meet where their formulas do", {
  d <- oracle_data()
  ask <- function(transform, ..., data = d) {
    prior <- btg_prior(fixed = c(noise = 0.2, lengthscale.x = 2, lengthscale.w = 500, ...))
    fit <- btg(y ~ x + w, data, transform = transform, prior = prior)
    predict(fit, d[1:4, ], type = "quantile", probs = c(0.1, 0.5, 0.9))
  }
  identity <- ask("identity")
  expect_close(ask("sinharcsinh", sinharcsinh.a = 0, sinharcsinh.b = 1), identity, 1e-9)
  expect_close(ask("yeojohnson", yeojohnson.lambda = 1), identity, 1e-9)
  expect_close(ask("arcsinh", arcsinh.c = 0, arcsinh.d = 1e5), identity, 1e-7)
  # Far from zero, the edge of its image is out of reach.
  shifted <- transform(d, y = y + 1000)
  expect_close(ask("boxcox", boxcox.lambda = 1, data = shifted) - 1000, identity, 1e-8)
  expect_close(ask("softplus", softplus.s = 1e-3, data = shifted) - 1000, identity, 1e-8)

  log_normal <- exp(ask("identity", data = transform(d, y = log(y))))
  expect_close(ask("boxcox", boxcox.lambda = 0), log_normal, 1e-8)
  expect_close(ask("boxcox", boxcox.lambda = 1e-9), log_normal, 1e-7)
  expect_close(ask("softplus", softplus.s = 1e8), log_normal, 1e-7)
})

test_that("a layer given twice with neutral parameters is the layer once", {
  d <- oracle_data()
  ask <- function(transform, ...) {
    fit <- btg(y ~ x, d, transform = transform, prior = btg_prior(fixed = c(noise = 0.2, ...)),
               quadrature = few_nodes())
    predict(fit, d[1:4, ], interval = "credible")
  }
  bent <- c(sinharcsinh.a = 0.3, sinharcsinh.b = 0.8)
  twice <- c(bent, sinharcsinh2.a = 0, sinharcsinh2.b = 1)
  expect_close(ask(c("sinharcsinh", "sinharcsinh"), twice), ask("sinharcsinh", bent), 1e-9)
})

test_that("layers apply left to right", {
  d <- oracle_data()
  fixed <- c(noise = 0.2, lengthscale.x = 2, boxcox.lambda = 0, arcsinh.c = 0.5, arcsinh.d = 0.4)
  fit <- btg(y ~ x, d, transform = c("boxcox", "arcsinh"), prior = btg_prior(fixed = fixed))
  # By hand: the geometric mean is the unit of y; arcsinh follows the logarithm.
  d$z <- asinh((log(d$y) - mean(log(d$y)) - 0.5) / 0.4)
  inner <- btg(z ~ x, d, transform = "identity", prior = btg_prior(fixed = fixed[1:2]))
  z <- predict(inner, interval = "credible")
  expect_close(predict(fit, interval = "credible"),
               exp(mean(log(d$y)) + 0.5 + 0.4 * sinh(z)), 1e-9)
})

test_that("the likelihood is a density of y: its Jacobian is that of the transform", {
  d <- oracle_data()
  fixed <- c(noise = 0.2, lengthscale.x = 2)
  marginal <- function(data, transform, ...) {
    prior <- btg_prior(fixed = c(fixed, ...))
    nodes(btg(y ~ x, data, transform = transform, prior = prior))$log_marginal
  }
  logged <- transform(d, y = log(y))
  # log(y) is standardised by its own sd; in boxcox, y is divided by its geometric mean, so that
  # the logarithms of its derivatives sum to 0.
  expect_equal(marginal(d, "boxcox", boxcox.lambda = 0),
               marginal(logged, "identity") - (14 - 1) * log(sd(logged$y)), tolerance = 1e-10)
  # For lambda = 2: g(y) = (y^2 - 1) / 2, log g'(y) = log(y), which sum to 0 too.
  scaled <- d$y / exp(mean(log(d$y)))
  squared <- transform(d, y = scaled^2 / 2)
  expect_equal(marginal(d, "boxcox", boxcox.lambda = 2),
               marginal(squared, "identity") - (14 - 1) * log(sd(squared$y)), tolerance = 1e-10)
  # softplus: the sum of -log(s) - log(1 - exp(-y / s)), times 1 - p / n.
  soft <- transform(d, y = log(expm1(scaled / 0.5)))
  jacobian <- sum(-log(0.5) - log1p(-exp(-scaled / 0.5)))
  expect_equal(marginal(d, "softplus", softplus.s = 0.5),
               marginal(soft, "identity") - (14 - 1) * log(sd(soft$y)) + (1 - 1 / 14) * jacobian,
               tolerance = 1e-10)
})

test_that("a transform that fails at some nodes leaves them out and counts them", {
  fit <- btg(y ~ x, oracle_data(), transform = c("affine", "softplus"), quadrature = few_nodes(256))
  expect_gt(fit$quadrature$nodes_failed, 0)
  expect_lt(fit$quadrature$nodes_failed, 256)
  # affine(y) > 0 for every row.
  lowest <- min(fit$models[[1]]$problem$response)
  expect_true(all(nodes(fit)$affine.a + nodes(fit)$affine.b * lowest > 0))
  found <- predict(fit, type = "quantile", probs = c(0.001, 0.5, 0.999))
  expect_true(all(is.finite(found)))
  expect_true(all(diff(t(found)) > 0))
})
