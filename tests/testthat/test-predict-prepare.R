test_that("prepare() fills the cache and release() empties it", {
  fit <- btg(dist ~ speed, data = cars, transform = "softplus", quadrature = few_nodes())
  release()
  expect_identical(withVisible(prepare(fit)), list(value = fit, visible = FALSE))
  held <- cache_bytes()
  expect_gt(held, 0)
  before <- serialize(fit, NULL)
  predict(fit, cars[1:3, ])
  expect_identical(cache_bytes(), held)
  expect_identical(serialize(fit, NULL), before)
  expect_identical(release(fit), held)
  expect_identical(release(fit), 0)
  prepare(fit)
  expect_identical(release(), held)
  expect_error(prepare(fit, limit = 2), class = "btg_error_unknown_argument")
})

test_that("prepare() says when nothing is kept", {
  fit <- btg(dist ~ speed, data = cars, transform = "softplus", quadrature = few_nodes())
  release()
  rlang::local_options(btg.cache = 1000)
  expect_warning(prepare(fit), class = "btg_warning_cache")
  expect_identical(cache_bytes(), 0)
  plain <- predict(fit, cars)
  options(btg.cache = 0)
  expect_warning(prepare(fit), class = "btg_warning_cache")
  expect_identical(predict(fit, cars), plain)
})

test_that("single predictions equal those of all rows at once, to the last bit", {
  set.seed(1)
  d <- data.frame(a = runif(61), b = runif(61), g = gl(3, 1, 61))
  d$y <- exp(sin(6 * d$a) + d$b + 0.1 * rnorm(61))
  new <- data.frame(a = runif(23), b = runif(23), g = gl(3, 1, 23))
  fits <- list(
    btg(y ~ a + b, d, transform = "sinharcsinh", quadrature = few_nodes(8)),
    btg(y ~ a + b + g, d, trend = ~ a + g + I(b^2), quadrature = few_nodes(8), noise = ~ a),
    wgp(y ~ a + b, d, transform = "boxcox")
  )
  for (fit in fits) {
    prepare(fit)
    ask <- function(rows, ...) {
      predict(fit, new[rows, ], type = c("response", "mean", "cdf"), interval = "prediction",
              at = 1.5, ...)
    }
    all <- suppressWarnings(ask(1:23))
    for (rows in list(1, 23, 4:5, 7:14)) {
      expect_identical(suppressWarnings(ask(rows)), all[rows, ])
    }
    # Neither the cache nor threads make a difference.
    release(fit)
    rlang::with_options(btg.cache = 0, {
      expect_identical(suppressWarnings(ask(9, threads = 2)), all[9, ])
      expect_identical(suppressWarnings(ask(1:23)), all)
    })
  }
})

test_that("a fit that was used before is checked again after a change", {
  fit <- btg(dist ~ speed, data = cars, transform = "softplus", quadrature = few_nodes())
  before <- predict(fit, cars[1:3, ])
  expect_true(is_recent(fit))
  changed <- fit
  changed$design$inputs[1, 1] <- 3
  expect_false(is_recent(changed))
  expect_error(predict(changed, cars[1:3, ]), class = "btg_error_damaged")
  expect_identical(predict(fit, cars[1:3, ]), before)
  other <- btg(dist ~ speed, data = cars[-1, ], transform = "softplus", quadrature = few_nodes())
  expect_false(identical(predict(other, cars[1:3, ]), before))
  expect_identical(predict(fit, cars[1:3, ]), before)
  release(fit)
  expect_false(is_recent(fit))
})
