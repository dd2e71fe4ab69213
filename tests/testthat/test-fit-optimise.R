# A problem and its design as wgp() has them before the search.
posed_of <- function(formula, data, transform = "identity", fixed = NULL, ard = TRUE) {
  design <- design_from_formula(formula, data)
  settings <- wgp_settings(transform, "matern52", ard, product = FALSE, warp_inputs = FALSE,
                           method = "REML", noise = noise_spec(NULL), fixed = fixed,
                           restarts = 5, approx = "exact")
  posed <- pose_design(design, settings)
  candidate <- c(settings[c("transform", "kernel", "product", "prior")], constant_noise = TRUE)
  model <- pose_model(candidate, design, posed$units, settings)
  list(problem = model$problem, design = posed$design)
}

space_of <- function(...) {
  posed <- posed_of(...)
  search_space(posed$problem, posed$design)
}

test_that("lengthscales stay between a tenth of a step and 1000 times the range of their input", {
  d <- data.frame(x = c(0:9, 20), y = c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5),
                  f = rep_len(c("a", "b", "c"), 11))
  space <- space_of(y ~ x + f, d)
  sd <- c(sd(d$x), sqrt(sum(apply(model.matrix(~ f - 1, d), 2, var))))
  expect_equal(unname(exp(space$lower[1:2]) * sd), c(1, 1) / 10)
  expect_equal(unname(exp(space$upper[1:2]) * sd), 1000 * c(20, sqrt(3)))
  expect_equal(unname(exp(c(space$lower[3], space$upper[3]))), c(1e-8, 100))
  all <- space_of(y ~ x + k, transform(d, k = x^2), ard = FALSE)
  expect_named(all$lower, c("lengthscale.all", "noise"))
})

test_that("parameters of transforms stay where their default priors are", {
  d <- oracle_data()
  ends <- function(transform, name) {
    space <- space_of(y ~ x, d, transform)
    unname(c(space$lower[name], space$upper[name]))
  }
  expect_equal(ends("boxcox", "boxcox.lambda"), c(0, 3))
  expect_equal(ends("yeojohnson", "yeojohnson.lambda"), c(0, 2))
  expect_equal(ends("sinharcsinh", "sinharcsinh.a"), c(-3, 3), tolerance = 1e-6)
  expect_equal(ends("sinharcsinh", "sinharcsinh.b"), c(-3, 3), tolerance = 1e-6)
  expect_equal(ends("arcsinh", "arcsinh.d")[1], log(0.1))
  expect_equal(ends(c("affine", "sinharcsinh"), "affine.b")[2], log(10))
})

test_that("redundant and fixed hyperparameters are not searched", {
  d <- oracle_data()
  space <- space_of(y ~ x + w, d, c("sinharcsinh", "affine"), c(lengthscale.w = 50))
  expect_named(space$lower, c("lengthscale.x", "noise", "sinharcsinh.a", "sinharcsinh.b"))
  hyper <- natural_hyper(space, c(log(2), log(0.3), -0.1, log(1.5)))
  expect_equal(hyper, c(lengthscale.x = 2, lengthscale.w = 50 / sd(d$w), noise = 0.3,
                        sinharcsinh.a = -0.1, sinharcsinh.b = 1.5, affine.a = 0, affine.b = 1))
})

test_that("starts are the best of the design, within the bounds, and all different", {
  posed <- posed_of(y ~ x + w, oracle_data(), "boxcox")
  space <- search_space(posed$problem, posed$design)
  starts <- screened_starts(posed$problem, posed$design, space, 8, 1, quote(wgp()))
  expect_identical(dim(starts), c(8L, 4L))
  expect_true(all(t(starts) >= space$lower & t(starts) <= space$upper))
  expect_identical(anyDuplicated(starts), 0L)
  value <- apply(starts, 1, function(x) {
    core_likelihood(posed$design, posed$problem, natural_hyper(space, x),
                    core_run())$log_likelihood
  })
  expect_false(is.unsorted(rev(value)))
  more <- screened_starts(posed$problem, posed$design, space, 2, 1, quote(wgp()))
  expect_identical(more, starts[1:2, ])
})

# A likelihood as search_from() sees it, without a core.
stub <- function(value, gradient) {
  evaluations <- 0L
  list(
    evaluate = function(x) {
      evaluations <<- evaluations + 1L
      list(value = value(x), gradient = gradient(x), failed = FALSE)
    },
    evaluations = function() evaluations
  )
}

box <- list(lower = c(-5, -5), upper = c(5, 5))

test_that("a search ends at the minimum, or at a bound", {
  inside <- stub(function(x) (x[1] - 1)^2 + 10 * (x[2] - x[1])^2,
                 function(x) c(2 * (x[1] - 1) - 20 * (x[2] - x[1]), 20 * (x[2] - x[1])))
  found <- search_from(c(-3, 2), inside, box)
  expect_equal(found$x, c(1, 1), tolerance = 1e-4)
  expect_true(found$converged)
  expect_identical(found$evaluations, inside$evaluations())
  outwards <- search_from(c(-3, 2), stub(function(x) -x[1] + x[2], function(x) c(-1, 1)), box)
  expect_equal(outwards$x, c(5, -5))
  expect_true(outwards$converged)
  expect_identical(outwards$gradient, 0)
})

test_that("a search with wrong gradients does not claim to have converged", {
  wrong <- stub(function(x) sum(x^2), function(x) -2 * x)
  expect_false(search_from(c(2, 1), wrong, box)$converged)
})

test_that("an error in the optimiser is a search that failed, one of the core is raised", {
  broken <- stub(function(x) if (x[1] == 2) 5 else NaN, function(x) c(1, 1))
  found <- search_from(c(2, 1), broken, box)
  expect_false(found$converged)
  expect_match(found$message, "finite")
  core <- stub(function(x) abort_btg("no", "numerical"), function(x) c(1, 1))
  expect_error(search_from(c(2, 1), core, box), class = "btg_error_numerical")
})

test_that("where there is no likelihood the search turns back", {
  posed <- posed_of(y ~ x, oracle_data(), c("affine", "boxcox"))
  space <- search_space(posed$problem, posed$design)
  likelihood <- likelihood_at(function(hyper) {
    core_likelihood(posed$design, posed$problem, hyper, core_run())
  }, space)
  expect_named(space$lower, c("lengthscale.x", "noise", "affine.a", "boxcox.lambda"))
  x <- c(0, -2, 4, 1)
  good <- likelihood$evaluate(x)
  expect_false(good$failed)
  bad <- likelihood$evaluate(replace(x, 3, -6)) # the affine layer makes the response negative
  expect_true(bad$failed)
  expect_gt(bad$value, good$value)
  likelihood$evaluate(replace(x, 3, -6))
  expect_identical(likelihood$evaluations(), 2L)
})

test_that("a likelihood that cannot be evaluated anywhere is an error", {
  expect_error(check_evaluated(c(FALSE, FALSE), quote(wgp())), "any of 2 starts",
               class = "btg_error_numerical")
  expect_silent(check_evaluated(c(FALSE, TRUE), quote(wgp())))
})

test_that("next to no noise, the search ends at the best maximum and not at a noisy one", {
  set.seed(18)
  d <- data.frame(x1 = runif(40, -2, 2), x2 = runif(40, -1, 1))
  d$y <- with(d, (4 - 2.1 * x1^2 + x1^4 / 3) * x1^2 + x1 * x2 + (-4 + 4 * x2^2) * x2^2)
  known <- logLik(wgp(y ~ x1 + x2, d, kernel = "rbf", noise = 1e-4))
  expect_gte(as.numeric(logLik(wgp(y ~ x1 + x2, d, kernel = "rbf"))), as.numeric(known) - 1e-6)
})

test_that("short lengthscales, as of a periodic series, are found", {
  d <- data.frame(year = as.numeric(time(lynx)), y = as.numeric(lynx))[-seq(3, 114, 3), ]
  fit <- wgp(y ~ year, d, transform = "sinharcsinh")
  expect_lt(nodes(fit)$lengthscale.year, 10)
})
