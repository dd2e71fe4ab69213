d <- oracle_data()
fit <- btg(y ~ x + w, d, quadrature = few_nodes(8), transform = "sinharcsinh")

refuses <- function(object, kind, ...) {
  expect_error(object, ..., class = paste0("btg_error_", kind))
}

test_that("the response must be numeric, finite and vary", {
  text <- transform(d, y = as.character(y))
  refuses(btg(y ~ x, text), "response_type", "`y`")
  refuses(btg(y ~ x, transform(d, y = factor(y))), "response_type")
  refuses(btg(y ~ x, transform(d, y = y > 1)), "response_type")
  refuses(btg(d["x"], text$y), "response_type")
  refuses(btg(cbind(x, w) ~ y, d), "response_type", "matrix")
  refuses(btg(y ~ x, transform(d, y = replace(y, 3, Inf))), "response_not_finite", "row 3")
  refuses(btg(d["x"], replace(d$y, 3, -Inf)), "response_not_finite", "row 3")
  refuses(btg(y ~ x, transform(d, y = 2)), "constant_response")
})

test_that("there must be enough rows", {
  refuses(btg(y ~ x, d[1:2, ]), "too_few_rows", "n = 2")
  refuses(btg(y ~ x, d[1:4, ], trend = ~ x + w), "too_few_rows", "p = 3")
  refuses(btg(y ~ x, d, subset = x > 100), "too_few_rows", "n = 0")
  expect_no_error(btg(y ~ x, d[1:5, ], trend = ~ x + w, quadrature = few_nodes(8)))
})

test_that("inputs must vary, and the trend be of full rank", {
  expect_message(btg(y ~ x + one, transform(d, one = 1), quadrature = few_nodes(8)),
                 "Dropped constant input `one`", class = "btg_message_constant_input")
  refuses(btg(y ~ one, transform(d, one = 1)), "constant_inputs", "`one`")
  refuses(btg(y ~ x, d, trend = ~ x + I(2 * x)), "trend_rank", "I(2 * x)", fixed = TRUE)
  refuses(btg(y ~ x, transform(d, one = 1), trend = ~ one), "trend_rank")
  refuses(btg(y ~ x, transform(d, x = replace(x, 4, Inf))), "not_finite", "row 4")
})

test_that("Box-Cox and softplus need a response that is not negative", {
  zero <- transform(d, y = replace(y, 5, 0))
  for (transform in list("boxcox", "softplus", c("boxcox", "arcsinh"))) {
    refuses(btg(y ~ x, transform(d, y = -y), transform = transform), "response_not_positive",
            "14 values")
    refuses(btg(y ~ x, transform(zero, y = y - 1e-9), transform = transform),
            "response_not_positive", "row 5")
    expect_message(btg(y ~ x, zero, transform = transform, quadrature = few_nodes(8)),
                   "zero in 1 of 14 rows", class = "btg_message_zero_response")
  }
  expect_silent(btg(y ~ x, zero, transform = "sinharcsinh", quadrature = few_nodes(8)))
})

test_that("a transform whose tails explode is warned of", {
  for (transform in list(c("boxcox", "sinharcsinh"), c("boxcox", "affine", "sinharcsinh"))) {
    expect_warning(btg(y ~ x, d, transform = transform, quadrature = few_nodes(8)), "explode",
                   class = "btg_warning_transform")
  }
  for (transform in list("boxcox", c("softplus", "sinharcsinh"), c("boxcox", "arcsinh"),
                         c("sinharcsinh", "sinharcsinh"))) {
    expect_no_warning(btg(y ~ x, d, transform = transform, quadrature = few_nodes(8)))
  }
})

test_that("ties at one value are warned of where a layer can squeeze it", {
  # 14 rows: 3 are a fifth.
  tied <- transform(d, y = replace(y, 2:4, 1))
  warned <- function(object) expect_warning(object, class = "btg_warning_ties")
  warned(btg(y ~ x, tied, transform = "arcsinh", quadrature = few_nodes(8)))
  warned(btg(y ~ x, tied, transform = c("affine", "sinharcsinh"), quadrature = few_nodes(8)))
  warned(btg(y ~ x, tied, transform = c("boxcox", "arcsinh"), quadrature = few_nodes(8)))
  # An outer affine layer is not integrated over; a fixed width cannot go to its bound.
  for (transform in list("sinharcsinh", "softplus", "affine", c("sinharcsinh", "affine"))) {
    expect_no_warning(btg(y ~ x, tied, transform = transform, quadrature = few_nodes(8)))
  }
  fixed <- btg_prior(fixed = c(arcsinh.d = 0.5))
  expect_no_warning(
    btg(y ~ x, tied, transform = "arcsinh", prior = fixed, quadrature = few_nodes(8))
  )
  pairs <- transform(d, y = rep(y[1:7], 2))
  expect_no_warning(btg(y ~ x, pairs, transform = "arcsinh", quadrature = few_nodes(8)))
})

test_that("powers stay where predictions are finite", {
  fit_with <- function(transform, ...) {
    btg(y ~ x, d, transform = transform, prior = btg_prior(...), quadrature = few_nodes(8))
  }
  for (lambda in c(-1, -1e-9, 3.1)) {
    refuses(fit_with("boxcox", fixed = c(boxcox.lambda = lambda)), "prior", "between 0 and 3")
  }
  for (lambda in c(-0.1, 2.1)) {
    refuses(fit_with("yeojohnson", fixed = c(yeojohnson.lambda = lambda)), "prior", "0 and 2")
  }
  normal <- function(...) btg_dist("normal", mean = 0.5, sd = 0.5, ...)
  refuses(fit_with("boxcox", boxcox.lambda = normal()), "prior", "lower = 0, upper = 3")
  refuses(fit_with("boxcox", boxcox.lambda = normal(upper = 1)), "prior", "from -Inf to 1")
  refuses(fit_with("boxcox", boxcox.lambda = btg_dist("exponential", rate = 2)), "prior")
  refuses(fit_with("boxcox", boxcox.lambda = btg_dist("uniform", lower = -1, upper = 1)), "prior")
  expect_no_error(fit_with("boxcox", boxcox.lambda = normal(lower = 0, upper = 3)))
  expect_no_error(fit_with("boxcox", boxcox.lambda = btg_dist("exponential", rate = 2, upper = 3)))
  expect_no_error(fit_with("boxcox", fixed = c(boxcox.lambda = 0)))
  # Without bounds by default, a parameter has none.
  expect_no_error(fit_with("sinharcsinh", sinharcsinh.a = normal()))
})

test_that("new data must have the columns and the levels of the fit", {
  refuses(predict(fit, d["x"]), "missing_columns", "`w`")
  refuses(predict(fit, transform(d, x = as.character(x))), "column_type", "`x`")
  refuses(predict(fit, transform(d, x = replace(x, 1, Inf))), "not_finite")
  refuses(predict(fit, 1:3), "argument", "newdata")
  grouped <- btg(y ~ x + g, transform(d, g = rep(c("a", "b"), 7)), quadrature = few_nodes(8))
  refuses(predict(grouped, data.frame(x = 1:2, g = c("a", "z"))), "new_levels", "\"z\"")
})

test_that("names of kernels, transforms, rules and families are those registered", {
  refuses(btg(y ~ x, d, kernel = "matern"), "kernel", "\"matern52\", \"matern32\"")
  refuses(btg(y ~ x, d, transform = "log"), "transform", "\"boxcox\", \"softplus\"")
  expect_error(btg(y ~ x, d, quadrature = "gauss"), "\"auto\"", class = "btg_error")
  expect_error(btg_dist("cauchy", location = 1, scale = 1), "\"lognormal\"", class = "btg_error")
  refuses(btg(y ~ x, d, kernel = 5), "argument", "`kernel` must be one string")
  refuses(btg(y ~ x, d, transform = NULL), "argument", "`transform`")
  refuses(btg(y ~ x, d, quadrature = 100), "argument", "`quadrature`")
})

test_that("unknown arguments are errors", {
  refuses(btg(y ~ x, d, kernal = "rbf"), "unknown_argument", "Did you mean `kernel`")
  refuses(btg(d["x"], d$y, offset = 1), "unknown_argument", "`offset`")
  refuses(predict(fit, d, terms = "x"), "unknown_argument", "`terms`")
})

test_that("what users of other software would write is answered", {
  refuses(btg(y ~ xx, d, trend = ~ w), "model_frame")
  refuses(btg(y ~ speeed, transform(d, speed = x)), "model_frame", "Did you mean `speed`?",
          fixed = TRUE)
  refuses(btg(y ~ x, transform(d, speed = x), trend = ~ speeed), "model_frame",
          "Did you mean `speed`?", fixed = TRUE)
  refuses(btg(y ~ s(x), d), "model_frame", "every input smooth")
  refuses(btg(y ~ x, d, trend = ~ (1 | w)), "random_effects", "into the formula itself")
  refuses(btg(y ~ x + (1 | w + x), d), "term", "is not a group")
  refuses(btg(y ~ x, d, transform = "log"), "transform", "`boxcox.lambda` is fixed at 0")
  refuses(wgp(y ~ x, d, transform = "auto"), "transform", "only in `btg()`", fixed = TRUE)
  refuses(wgp(y ~ x, d, fixed = c(lengthscale = 1)), "prior", "`fixed` names.*`lengthscale.x`")
  refuses(btg(y ~ x, d, transform = log), "argument", "a function")
  refuses(btg(y ~ x, d, prior = list(noise = 1)), "argument", "a list")
  refuses(btg("y ~ x", d), "interface", "without quotes")
  refuses(btg(y ~ x, d, quadrature = 500), "argument", "quad_")
  refuses(predict(fit, d, interval = TRUE), "argument", "\"credible\"")
  refuses(loocv(fit, k = 10), "unknown_argument", "`folds`")
  refuses(plot(fit, "x"), "argument", "`variables`")
})

test_that("flags, counts and epsilon are checked", {
  refuses(btg(y ~ x, d, ard = NA), "argument", "`ard`")
  refuses(btg(y ~ x, d, product = "yes"), "argument", "`product`")
  refuses(btg(y ~ x, d, warp_inputs = NA), "argument", "`warp_inputs`")
  refuses(btg(d["x"], d$y, warp_inputs = "no"), "argument", "`warp_inputs`")
  refuses(btg(y ~ x, d, epsilon = 1), "argument", "`epsilon`")
  refuses(btg(y ~ x, d, threads = 0), "argument", "`threads`")
  refuses(quad_sobol(0), "argument", "`nodes`")
  refuses(quad_sobol(10.5), "argument", "`nodes`")
  refuses(quad_sobol(inner = "4"), "argument", "`inner`")
})

test_that("the two interfaces are not mixed up", {
  refuses(btg(), "interface")
  refuses(btg(d["x"]), "interface", "`y`")
  refuses(btg(d, y ~ x), "interface", "first argument")
  refuses(btg(d["x"], d$y[1:5]), "length", "5")
  refuses(btg(~ x, d), "formula", "response")
  refuses(btg(y ~ x * w, d), "interaction")
  refuses(btg(y ~ 1, d), "no_inputs")
})

test_that("what predict() is asked for is checked", {
  for (level in list(0, 1, 95, NA, c(0.5, 0.9), "0.9")) {
    refuses(predict(fit, d, interval = "credible", level = level), "argument", "`level`")
  }
  for (probs in list(0, 1, c(0.1, NA), numeric(), "a", -0.1)) {
    refuses(predict(fit, d, type = "quantile", probs = probs), "argument", "`probs`")
  }
  for (at in list(NULL, "a", c(1, NA), numeric(), matrix(1, 3, 1))) {
    refuses(predict(fit, d, type = "cdf", at = at), "argument", "`at`")
    refuses(predict(fit, d, type = "density", at = at), "argument", "`at`")
  }
  refuses(predict(fit, d, observation = 1), "argument", "`observation`")
  refuses(predict(fit, d, tolerance = 0), "argument", "`tolerance`")
  expect_error(predict(fit, d, type = "average"), "\"quantile\"")
  expect_error(predict(fit, d, interval = "central"), "\"credible\"")
})

test_that("priors name hyperparameters of the model, with values they can have", {
  normal <- btg_dist("normal", mean = 0, sd = 1)
  refuses(btg(y ~ x, d, prior = btg_prior(boxcox.lambda = normal)), "prior", "`boxcox.lambda`")
  refuses(btg(y ~ x, d, prior = btg_prior(fixed = c(lengthscale.w = 1))), "prior",
          "It has `lengthscale.x`, `noise`, `sinharcsinh.a` and `sinharcsinh.b`", fixed = TRUE)
  refuses(btg(y ~ x, d, transform = "affine", prior = btg_prior(affine.a = normal)), "prior")
  for (value in c(0, -1)) {
    refuses(btg(y ~ x, d, prior = btg_prior(fixed = c(lengthscale.x = value))), "prior", "positive")
  }
  refuses(btg(y ~ x, d, prior = btg_prior(fixed = c(noise = -1))), "prior", "positive")
  negative <- btg_dist("uniform", lower = -2, upper = -1)
  refuses(btg(y ~ x, d, prior = btg_prior(noise = negative)), "prior", "no mass")
  refuses(btg(y ~ x, d, prior = list(noise = normal)), "argument", "btg_prior()", fixed = TRUE)
})

test_that("priors and distributions are made of the right parts", {
  refuses(btg_prior(noise = 0.1), "prior", "fixed = c(noise = ...)", fixed = TRUE)
  refuses(btg_prior(NULL, NULL, btg_dist("exponential", rate = 1)), "prior", "name")
  for (fixed in list(1, c(noise = NA), c(noise = Inf), c(noise = "a"), c(noise = 1, noise = 2))) {
    refuses(btg_prior(fixed = fixed), "argument", "`fixed`")
  }
  refuses(btg_dist("normal", mean = 0), "prior", "`mean` and `sd`")
  refuses(btg_dist("normal", 0, 1), "prior", "by name")
  refuses(btg_dist("normal", mean = 0, sd = 1, rate = 2), "prior")
  refuses(btg_dist("normal", mean = 0, sd = "1"), "prior")
  refuses(btg_dist("normal", mean = 0, sd = 1, lower = 2, upper = 1), "prior", "`lower`")
  fit_with <- function(dist) btg(y ~ x, d, prior = btg_prior(noise = dist))
  refuses(fit_with(btg_dist("normal", mean = 0, sd = -1)), "prior", "`sd`.*positive")
})

test_that("hyperparameters given to log_posterior() are complete and not fixed elsewhere", {
  at <- nodes(fit)[1:2, ]
  refuses(log_posterior(fit, at[c("noise", "lengthscale.x")]), "hyper", "`lengthscale.w`")
  refuses(log_posterior(fit, transform(at, noise = c(1, NA))), "hyper", "missing values")
  refuses(log_posterior(fit, transform(at, noise = "a")), "hyper")
  refuses(log_posterior(fit, as.list(at)), "argument", "`hyper`")
  refuses(log_posterior(fit, unlist(at[1, ])), "argument", "`hyper`")
  fixed <- btg(y ~ x, d, transform = "sinharcsinh", quadrature = few_nodes(8),
               prior = btg_prior(fixed = c(noise = 0.5)))
  refuses(log_posterior(fixed, transform(nodes(fixed), noise = 0.6)), "hyper", "`noise`")
  refuses(log_posterior(lm(y ~ x, d), at), "argument", "`fit`")
  refuses(nodes(lm(y ~ x, d)), "argument", "`fit`")
})

test_that("the main errors read well", {
  expect_snapshot(error = TRUE, {
    btg(y ~ x, transform(d, y = as.character(y)))
    btg(y ~ x, transform(d, y = replace(y, c(3, 7), -1)), transform = "boxcox")
    btg(y ~ x, d[1:2, ])
    btg(y ~ x, d, kernel = "matern")
    btg(y ~ x, d, transform = c("affine", "box-cox"))
    btg(y ~ x, d, trend = ~ x + I(2 * x))
    btg(y ~ x, d, transform = "boxcox", prior = btg_prior(fixed = c(lambda = 1)))
    btg(y ~ x, d, transform = "boxcox", prior = btg_prior(fixed = c(boxcox.lambda = -1)))
    predict(fit, d["x"])
    predict(fit, d, interval = "credible", level = 95)
    log_posterior(fit, nodes(fit)["noise"])
  })
})

test_that("what is said about the data reads well", {
  zeros <- transform(d, y = replace(y, 3:6, 0))
  expect_snapshot({
    fit <- btg(y ~ x, zeros, transform = "softplus", quadrature = few_nodes(8))
    fit <- btg(y ~ x, zeros, transform = "arcsinh", quadrature = few_nodes(8))
    fit <- btg(y ~ x, d, transform = c("boxcox", "sinharcsinh"), quadrature = few_nodes(8))
  })
})
