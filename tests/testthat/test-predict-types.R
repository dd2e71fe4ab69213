case <- oracle_case("sinharcsinh")

test_that("several types are answered as each alone, in one call of the core", {
  ask <- function(...) predict(case$fit, case$new, ...)
  calls <- 0
  ask_core <- core_answer
  together <- with_functions(list(core_answer = function(...) {
    calls <<- calls + 1
    ask_core(...)
  }), ask(type = c("quantile", "mean", "exceedance", "density", "response", "variance",
                   "lost_mass", "mode"),
          probs = c(0.1, 0.9), at = c(1, 2.5), interval = "prediction", level = 0.8))
  expect_identical(calls, 1)
  expect_s3_class(together, "data.frame")
  expect_identical(row.names(together), row.names(case$new))
  expect_named(together, c("quantile_0.1", "quantile_0.9", "mean", "lwr", "upr", "exceedance_1.0",
                           "exceedance_2.5", "density_1.0", "density_2.5", "response", "variance",
                           "lost_mass", "mode"))
  same <- function(columns, alone) {
    expect_identical(unname(as.matrix(together[columns])), unname(as.matrix(alone)))
  }
  same(1:2, ask(type = "quantile", probs = c(0.1, 0.9)))
  same(3:5, ask(type = "mean", interval = "prediction", level = 0.8))
  same(6:7, ask(type = "exceedance", at = c(1, 2.5)))
  same(8:9, ask(type = "density", at = c(1, 2.5)))
  same(10, ask())
  same(11, ask(type = "variance"))
  same(12, ask(type = "lost_mass"))
  same(13, ask(type = "mode"))
})

test_that("values may differ from row to row, and rows be missing", {
  new <- rbind(case$new, NA)
  at <- matrix(1:4 / 2, 4)
  probs <- matrix(1:8 / 10, 4)
  found <- predict(case$fit, new, type = c("response", "quantile", "crps"), at = at, probs = probs,
                   interval = "hdi")
  expect_named(found, c("response", "lwr", "upr", "quantile_1", "quantile_2", "crps"))
  expect_true(all(is.na(found[4, ])))
  alone <- predict(case$fit, new, type = "quantile", probs = probs)
  expect_identical(unname(as.matrix(found[4:5])), unname(alone))
  expect_identical(found$crps, unname(predict(case$fit, new, type = "crps", at = at)[, 1]))
  expect_identical(found$upr, unname(predict(case$fit, new, interval = "hdi")[, "upr"]))
  left_out <- predict(case$fit, type = c("response", "variance"), left_out = TRUE)
  expect_identical(left_out$variance,
                   unname(predict(case$fit, type = "variance", left_out = TRUE)))
  expect_identical(row.names(left_out), row.names(case$data))
})

test_that("types that cannot be combined are an error", {
  ask <- function(...) predict(case$fit, case$new, ...)
  expect_argument_error(ask(type = c("response", "slope")), "slope")
  expect_argument_error(ask(type = c("mean", "distribution")), "distribution")
  expect_argument_error(ask(type = c("mean", "mean")), "twice")
  expect_argument_error(ask(type = c("mean", "meen")), "meen")
  expect_argument_error(ask(type = c("mean", "mode"), se.fit = TRUE), "one type")
  expect_argument_error(ask(type = c("response", "mode"), quadrature_error = TRUE), "one type")
  expect_argument_error(ask(type = c("mean", "mode"), at = 1), "`at` has no effect")
  expect_argument_error(ask(type = c("cdf", "variance"), at = 1, interval = "hdi"), "interval")
  expect_argument_error(ask(type = c("mean", "cdf")), "`at` is missing")
})

test_that("augment() adds columns of further types", {
  skip_if_not_installed("generics")
  found <- generics::augment(case$fit, newdata = case$new, type = c("quantile", "exceedance"),
                             probs = 0.9, at = 2)
  expect_named(found, c(names(case$new), ".fitted", ".lower", ".upper", ".quantile_0.9",
                        ".exceedance_2"))
  expect_identical(found$.exceedance_2,
                   unname(predict(case$fit, case$new, type = "exceedance", at = 2)[, 1]))
  plain <- generics::augment(case$fit, newdata = case$new)
  expect_identical(found[names(plain)], plain)
})

test_that("rasters have a layer for each column", {
  skip_if_not_installed("terra")
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(8))
  raster <- terra::rast(nrows = 2, ncols = 3, vals = seq(5, 20, by = 3), names = "speed")
  new <- data.frame(speed = seq(5, 20, by = 3))
  types <- c("response", "exceedance")
  found <- terra::predict(raster, fit, type = types, at = c(20, 50), interval = "prediction")
  expected <- predict(fit, new, type = types, at = c(20, 50), interval = "prediction")
  expect_identical(names(found), names(expected))
  expect_equal(unname(terra::values(found)), unname(as.matrix(expected)), tolerance = 1e-6)
})
