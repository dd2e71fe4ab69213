test_that("plot() draws the defaults of the documentation", {
  drawn <- draw(btg_prior())
  expect_identical(drawn$name, c("lengthscale.x1", "noise", "sinharcsinh.a", "sinharcsinh.b"))
  expect_identical(drawn$panel, 1:4)
  expect_identical(drawn$coordinate, c("log(lengthscale.x1)", "log(noise)", "sinharcsinh.a",
                                       "log(sinharcsinh.b)"))
  p <- c(0.025, 0.5, 0.975)
  beta <- qbeta(p, 1 / 4, 1 / 2)
  expected <- rbind(qlnorm(p, 1, 1.25), beta / (1 - beta), qnorm(p, 0, 0.5), qlnorm(p, 0, 0.5))
  expect_equal(as.matrix(drawn[c("lwr", "median", "upr")]), expected, ignore_attr = TRUE)
})

test_that("plot() depends on the inputs and the transform", {
  eight <- draw(btg_prior(), inputs = 8, transform = "boxcox")
  named <- draw(btg_prior(lengthscale.speed = btg_dist("lognormal", meanlog = 0, sdlog = 1)),
                inputs = c("speed", "height", "age"), transform = c("affine", "yeojohnson"))
  last <- draw(btg_prior(), transform = c("boxcox", "affine"))
  expect_equal(eight$median[1:8], rep(exp(1 + log(8) / 2), 8))
  expect_identical(eight$panel, c(rep(1L, 8), 2L, 3L))
  expect_identical(named$name[1:3], paste0("lengthscale.", c("speed", "height", "age")))
  expect_identical(named$panel[1:3], c(1L, 2L, 2L))
  expect_match(named$prior[named$name == "affine.b"], "on (0, 10)", fixed = TRUE)
  # The trend and the scale absorb a shift and a factor, so these are fixed.
  expect_identical(last$prior[last$name == "affine.b"], "fixed at 1")
})

test_that("fixed values are drawn as such", {
  drawn <- draw(btg_prior(fixed = c(boxcox.lambda = 0.5, lengthscale.x2 = 12)), inputs = 3,
                transform = "boxcox")
  lambda <- drawn[drawn$name == "boxcox.lambda", ]
  expect_identical(lambda$prior, "fixed at 0.5")
  expect_identical(c(lambda$lwr, lambda$median, lambda$upr), rep(0.5, 3))
  expect_identical(drawn$panel[1:3], c(1L, 2L, 1L))
  expect_identical(drawn$median[2], 12)
})

test_that("every family and every transform can be drawn", {
  dists <- list(
    btg_dist("normal", mean = 1, sd = 2),
    btg_dist("lognormal", meanlog = -2, sdlog = 0.01),
    btg_dist("uniform", lower = 0, upper = 1),
    btg_dist("loguniform", log_lower = -2, log_upper = 3),
    btg_dist("half_normal", sd = 1),
    btg_dist("exponential", rate = 1e-3),
    btg_dist("gamma", shape = 2, rate = 4),
    btg_dist("inverse_gamma", shape = 0.1, scale = 1, lower = 0.5),
    btg_dist("beta_prime", alpha = 0.01, beta = 0.01),
    btg_dist("student_t", df = 1, location = 0, scale = 1),
    btg_dist("half_student_t", df = 3, scale = 0.1)
  )
  expect_setequal(vapply(dists, function(dist) dist$family, ""), names(core_registry()$families))
  for (dist in dists) expect_no_warning(draw(btg_prior(noise = dist, sinharcsinh.a = dist)))
  for (transform in names(core_registry()$transforms)) {
    expect_no_warning(draw(btg_prior(), transform = transform))
  }
})

test_that("curves are densities of the coordinate, over most of it", {
  area <- function(dist, positive) {
    hyper <- list(name = "a", positive = positive, prior = dist)
    curve <- prior_curve(hyper, points = 4000L)
    x <- if (positive) log(curve$value) else curve$value
    expect_true(all(is.finite(x)) && all(diff(x) >= 0))
    expect_true(all(is.finite(curve$density)) && all(curve$density >= 0))
    expect_equal(dist_quantile(dist, c(0.025, 0.975)), curve$interval)
    sum(diff(x) * (curve$density[-1] + curve$density[-length(x)]) / 2)
  }
  within <- function(area) expect_true(area > 0.99 && area < 1.002)
  within(area(btg_dist("lognormal", meanlog = 1, sdlog = 1.25), TRUE))
  within(area(btg_dist("beta_prime", alpha = 1 / 4, beta = 1 / 2), TRUE))
  within(area(btg_dist("uniform", lower = 0.1, upper = 0.6), TRUE))
  within(area(btg_dist("inverse_gamma", shape = 3, scale = 2, lower = 0.5), TRUE))
  within(area(btg_dist("normal", mean = 0, sd = 0.5), FALSE))
  within(area(btg_dist("uniform", lower = 0, upper = 3), FALSE))
  within(area(btg_dist("exponential", rate = 3), FALSE))
})

test_that("a curve falls to zero where the support ends", {
  curve <- prior_curve(list(positive = FALSE, prior = btg_dist("uniform", lower = 0, upper = 3)))
  expect_identical(unique(curve$density[curve$value < 0 | curve$value > 3]), 0)
  expect_equal(range(curve$density[curve$value > 0 & curve$value < 3]), c(1, 1) / 3)
  expect_setequal(round(curve$density[curve$value == 3], 6), c(0, round(1 / 3, 6)))
})

test_that("panels are named for the lengthscales they show", {
  lengthscales <- paste0("lengthscale.", c("a", "b", "c", "d"))
  all <- c(lengthscales, "noise")
  expect_identical(panel_title(lengthscales, all), "lengthscale (all 4 inputs)")
  expect_identical(panel_title(lengthscales[1:2], all), "lengthscale of a and b")
  expect_identical(panel_title(lengthscales[3], all), "lengthscale.c")
  expect_identical(panel_title("noise", all), "noise")
})

test_that("impossible requests are errors", {
  normal <- btg_dist("normal", mean = 0, sd = 1)
  expect_error(draw(btg_prior(boxcox.lambda = normal)), "`boxcox.lambda`.*`transform`",
               class = "btg_error_prior")
  error <- expect_error(draw(btg_prior(boxcox.lambda = normal), transform = "boxcox"),
                        class = "btg_error_prior")
  expect_no_match(conditionMessage(error), "Describe the model")
  expect_error(draw(btg_prior(noise = btg_dist("uniform", lower = -2, upper = -1))),
               "prior of `noise` has no mass", class = "btg_error_prior")
  for (inputs in list(0, c("a", "a"))) {
    expect_error(draw(btg_prior(), inputs = inputs), "`inputs`", class = "btg_error_argument")
  }
  expect_error(draw(btg_prior(), transform = "log"), "\"boxcox\"", class = "btg_error_transform")
})
