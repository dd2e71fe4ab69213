unit_data <- function() {
  d <- data.frame(x = (1:20) / 2)
  d$y <- exp(sin(d$x)) + 0.1 * sin(37 * (1:20)^2)
  d
}

test_that("new data are converted to the units of the fit, or refused", {
  skip_if_not_installed("units")
  d <- unit_data()
  metres <- d
  metres$x <- units::set_units(d$x, "m", mode = "standard")
  fit <- btg(y ~ x, metres, transform = "softplus", quadrature = few_nodes())
  expected <- unname(predict(fit, data.frame(x = c(2, 5.5))))
  ask <- function(x) unname(predict(fit, data.frame(x = x)))
  expect_equal(ask(units::set_units(c(200, 550), "cm", mode = "standard")), expected)
  expect_equal(ask(units::set_units(c(2, 5.5), "m", mode = "standard")), expected)
  expect_error(ask(units::set_units(c(2, 5.5), "s", mode = "standard")), "`x` cannot be converted",
               class = "btg_error_units")
  plain <- btg(y ~ x, d, transform = "softplus", quadrature = few_nodes())
  expect_equal(predict(plain), predict(fit))
  expect_error(predict(plain, metres), "is in m", class = "btg_error_units")
  # The rows of the fit, and slices through them, are in its units.
  expect_equal(unname(predict(fit, metres)), unname(predict(fit)))
  pdf(NULL)
  on.exit(dev.off())
  expect_s3_class(plot(fit)$x, "data.frame")
})

test_that("the response and what is compared with it are in the unit of the fit", {
  skip_if_not_installed("units")
  d <- unit_data()
  metres <- transform(d, y = units::set_units(d$y, "m", mode = "standard"))
  fit <- btg(y ~ x, metres, transform = "softplus", quadrature = few_nodes())
  same <- btg(y ~ x, d, transform = "softplus", quadrature = few_nodes())
  cm <- transform(d, y = units::set_units(100 * d$y, "cm", mode = "standard"))
  expect_equal(predictive_scores(fit, cm), predictive_scores(same, d))
  expect_equal(c(predict(fit, d, type = "cdf", at = units::set_units(120, "cm"))),
               c(predict(same, d, type = "cdf", at = 1.2)))
  expect_equal(predict(update(fit, newdata = cm[1:3, ]), d[4:5, ]),
               predict(update(same, newdata = d[1:3, ]), d[4:5, ]))
})

test_that("durations are inputs, in whatever unit they come", {
  d <- unit_data()
  hours <- transform(d, x = as.difftime(x, units = "hours"))
  fit <- btg(y ~ x, hours, transform = "softplus", quadrature = few_nodes())
  plain <- btg(y ~ x, d, transform = "softplus", quadrature = few_nodes())
  expect_equal(predict(fit), predict(plain))
  minutes <- data.frame(x = as.difftime(c(90, 300), units = "mins"))
  expect_equal(predict(fit, minutes), predict(plain, data.frame(x = c(1.5, 5))))
  # Plain numbers are in the unit of the fit.
  expect_equal(predict(fit, d), predict(plain, d))
  expect_error(predict(fit, data.frame(x = "a")), "difftime", class = "btg_error_column_type")
  pdf(NULL)
  on.exit(dev.off())
  expect_s3_class(plot(fit)$x, "data.frame")
  # A difference of times has the unit that suits the rows: here hours, and minutes in new data.
  start <- as.POSIXct("2024-01-01", tz = "UTC")
  d$from <- start
  d$to <- start + 3600 * d$x + 3600
  times <- btg(y ~ I(to - from), d, transform = "softplus", quadrature = few_nodes())
  new <- data.frame(from = start, to = start + 60 * c(40, 50))
  expect_identical(attr(new$to - new$from, "units"), "mins")
  expect_no_warning(found <- predict(times, new))
  expect_equal(found, predict(plain, data.frame(x = c(40, 50) / 60 - 1)), tolerance = 1e-6)
})

test_that("targets, suggestions, residuals and plots know the units of a fit", {
  skip_if_not_installed("units")
  d <- cars
  d$dist <- units::set_units(d$dist, "m")
  d$speed <- units::set_units(d$speed, "m/s")
  d$load <- units::set_units((0.618 * 1:50) %% 1, "kg")
  fit <- btg(dist ~ speed + load, d, transform = "softplus", noise = ~ speed,
             quadrature = few_nodes())
  expect_identical(acquire(fit, d[1:2, ], "pi", target = units::set_units(3000, "cm")),
                   acquire(fit, d[1:2, ], "pi", target = 30))
  expect_true(suggest(fit)$speed >= 4)
  expect_equal(unname(as.double(generics::augment(fit, newdata = d[1:3, ])$.resid)),
               cars$dist[1:3] - unname(predict(fit, d[1:3, ])))
  expect_error(btg(dist ~ speed, d, lower = units::set_units(0, "m")),
               class = "btg_error_argument")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (which in c("surface", "residuals", "noise")) expect_no_error(plot(fit, which = which))
})
