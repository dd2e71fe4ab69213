d <- grouped_data()
settings <- function(...) {
  utils::modifyList(btg_settings("identity", NULL, TRUE, FALSE, FALSE, FALSE, btg_prior(),
                                 noise_spec(~ 1), "auto", 1e-4, "stacking", "exact"), list(...))
}

specified <- function(formula, ..., prior = btg_prior()) {
  design <- design_of(formula, d)
  chosen <- settings(prior = prior, ...)
  candidate <- candidate_models(chosen, design)[[1]]
  specify_model(candidate, design, scale_design(design, chosen)$scaling$scale, chosen)
}

test_that("hyperparameters come by role, then by term, under documented names", {
  model <- specified(y ~ x + gp(t, x, kernel = "rational_quadratic") + additive(x, t) + (x | g),
                     kernel = "rational_quadratic")
  expect_named(model$problem$hyperparameters, c(
    "lengthscale.x", "gp(t, x).lengthscale.x", "gp(t, x).lengthscale.t",
    "additive(x, t).lengthscale.x", "additive(x, t).lengthscale.t",
    "rational_quadratic.alpha", "gp(t, x).rational_quadratic.alpha", "ratio.gp(t, x)",
    "ratio.additive(x, t)", "ratio.(0 + x | g)", "ratio.(1 | g)", "noise"
  ))
  expect_identical(hyper_roles(model$problem)[8:11], rep("share", 4), ignore_attr = TRUE)
  terms <- model$problem$terms
  expect_identical(vapply(terms, `[[`, "", "base"),
                   c("stationary", "stationary", "stationary", "linear", "constant"))
  expect_identical(terms[[2]]$lengthscale, 1:2)
  expect_identical(terms[[4]][c("columns", "by")], list(columns = 1L, by = 3L))
  # Lengthscales are in units of the input wherever they stand.
  expect_equal(unname(model$units[c("gp(t, x).lengthscale.t", "lengthscale.x")]),
               c(sd(d$t), sd(d$x)))
  expect_null(specified(y ~ x + t)$problem$terms)
})

test_that("with one lengthscale for all inputs, each term has one", {
  model <- specified(y ~ x + t + additive(x, t), ard = FALSE)
  expect_named(model$problem$hyperparameters,
               c("lengthscale.all", "additive(x, t).lengthscale.all", "ratio.additive(x, t)",
                 "noise"))
  expect_identical(model$problem$terms[[2]][c("lengthscale", "input")],
                   list(lengthscale = c(1L, 1L), input = 1:2))
})

test_that("priors of terms are as documented, and can be set by kind and by name", {
  prior_of <- function(model, name) model$problem$hyperparameters[[name]]$prior
  formula <- y ~ x + t + gp(t) + additive(x, t)
  model <- specified(formula)
  expect_equal(prior_of(model, "ratio.gp(t)"),
               btg_dist("lognormal", meanlog = log(0.7), sdlog = 1.5))
  expect_equal(prior_of(model, "gp(t).lengthscale.t"),
               btg_dist("lognormal", meanlog = 1, sdlog = 1.25))
  expect_equal(prior_of(model, "additive(x, t).lengthscale.x"),
               btg_dist("lognormal", meanlog = 1.5, sdlog = 1.25))
  expect_true(model$problem$hyperparameters$lengthscale.x$in_common)
  expect_null(model$problem$hyperparameters$`gp(t).lengthscale.t`$in_common)
  one <- btg_dist("lognormal", meanlog = 0, sdlog = 0.5)
  two <- btg_dist("lognormal", meanlog = 2, sdlog = 0.5)
  own <- specified(formula, prior = btg_prior(ratio = one, additive_lengthscale = two,
                                              `ratio.gp(t)` = two,
                                              fixed = c(`gp(t).lengthscale.t` = 3)))
  expect_equal(prior_of(own, "ratio.additive(x, t)"), one)
  expect_equal(prior_of(own, "ratio.gp(t)"), two)
  expect_equal(prior_of(own, "additive(x, t).lengthscale.t"), two)
  expect_equal(prior_of(own, "gp(t).lengthscale.t"), 3 / sd(d$t))
  expect_error(specified(formula, prior = btg_prior(`ratio.gp(x)` = one)), "`ratio.gp(x)`",
               fixed = TRUE, class = "btg_error_prior")
  expect_error(specified(y ~ gp(x, kernel = "cubic")), class = "btg_error_kernel")
})

test_that("log_posterior() has the densities of the priors of terms", {
  fit <- btg(y ~ x + linear(t) + (1 | g), d, transform = "identity", warp_inputs = FALSE,
             quadrature = few_nodes(4))
  at <- nodes(fit)[1, ]
  moved <- at
  moved$`ratio.(1 | g)` <- 2 * at$`ratio.(1 | g)`
  change <- function(prior, x, y) prior(log(y)) - prior(log(x))
  expect_equal(nodes(fit)$log_prior[1] - nodes(fit)$log_prior[2], {
    each <- lapply(c("ratio.linear(t)", "ratio.(1 | g)"), function(name) {
      dnorm(log(nodes(fit)[[name]][1:2]), log(0.7), 1.5, log = TRUE)
    })
    lengthscale <- dnorm(log(nodes(fit)$lengthscale.x[1:2] / sd(d$x)), 1, 1.25, log = TRUE)
    share <- nodes(fit)$noise[1:2] / (1 + nodes(fit)$noise[1:2])
    # The density of noise / (1 + noise), by the logarithm of the noise.
    noise <- dbeta(share, 1 / 4, 1 / 2, log = TRUE) + log(share * (1 - share))
    diff(-(each[[1]] + each[[2]] + lengthscale + noise))
  }, tolerance = 1e-8)
  expect_true(is.finite(log_posterior(fit, moved)))
})
