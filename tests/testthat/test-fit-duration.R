test_that("the time of a fit is estimated to its order of magnitude", {
  skip_if_quick()
  set.seed(1)
  d <- data.frame(x = runif(500))
  d$y <- exp(sin(6 * d$x) + 0.3 * rnorm(500))
  fit <- btg(y ~ x, d, transform = "softplus")
  design <- design_from_formula(y ~ x, d)
  candidates <- candidate_models(fit$settings, design)
  estimate <- function(...) {
    estimate_seconds(candidates, design, scale_design(design, fit$settings), fit$settings,
                     list(threads = 1L), ...)
  }
  expect_gt(estimate(NULL), fit$seconds / 8)
  expect_lt(estimate(NULL), fit$seconds * 8)
  expect_gt(estimate(vecchia(20, 10, 20)), 0)

  # A fit without unknown hyperparameters has one likelihood.
  unknown <- estimate(NULL)
  fit$settings$prior <- btg_prior(fixed = unlist(nodes(fit)[1, -(1:3)]))
  candidates <- candidate_models(fit$settings, design)
  expect_lt(estimate(NULL), unknown / 100)
})

test_that("a long fit says so before it starts, and a short one nothing", {
  say <- function(seconds, ...) inform_duration(seconds, 20000, ...)
  expect_message(say(90, 1L, NULL), "about 2 minutes.*20,000 rows.*vecchia",
                 class = "btg_message_duration")
  expect_message(say(7200, 4L, vecchia()), "about 2 hours.*4 models.*neighbours.*One `transform`",
                 class = "btg_message_duration")
  expect_no_message(say(59, 1L, NULL))
  expect_no_message(say(NULL, 1L, NULL))
  expect_no_message(btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(8)))
})

test_that("durations are in the unit that suits them", {
  expect_identical(format_duration(1), "1 second")
  expect_identical(format_duration(59.5), "1 minute")
  expect_identical(format_duration(200), "3 minutes")
  expect_identical(format_duration(9000), "2.5 hours")
  expect_identical(format_duration(864000), "10 days")
})

test_that("progress shows the time left where there is an estimate", {
  bar <- list(seconds = 600, started = proc.time()[["elapsed"]])
  expect_identical(time_left(bar), ", about 10 minutes left")
  bar$started <- bar$started - 700
  expect_identical(time_left(bar), "")
  expect_identical(time_left(list(started = 0)), "")
})
