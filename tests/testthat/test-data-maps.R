d <- data.frame(t = (1:40) / 7, x = sin(1:40))
d$y <- sin(2 * pi * d$t / 1.5) + d$x^2 + 0.1 * cos(7 * 1:40)
few <- few_nodes(8)

# The great-circle distance by the haversine formula.
great_circle <- function(lon, lat, radius = 6371) {
  rad <- pi / 180
  h <- sin(outer(lat, lat, `-`) * rad / 2)^2 +
    outer(cos(lat * rad), cos(lat * rad)) * sin(outer(lon, lon, `-`) * rad / 2)^2
  2 * radius * asin(pmin(sqrt(h), 1))
}

test_that("the rbf kernel of periodic() is the periodic kernel in closed form", {
  period <- 1.5
  found <- as.matrix(dist(periodic(d$t, period)))
  difference <- abs(outer(d$t, d$t, `-`))
  expect_equal(unname(found), period / pi * abs(sin(pi * difference / period)))
  fit <- wgp(y ~ periodic(t, 1.5), d, kernel = "rbf",
             fixed = c(`lengthscale.periodic(t, 1.5)` = 0.4, noise = 0.1))
  # MacKay's kernel has exp(-2 sin^2(pi dt / p) / w^2) with w = 2 pi lengthscale / period.
  w <- 2 * pi * 0.4 / period
  K <- exp(-2 * sin(pi * difference / period)^2 / w^2) + 0.1 * diag(40)
  one <- rep(1, 40)
  beta <- sum(solve(K, d$y)) / sum(solve(K, one))
  new <- c(0.3, 0.3 + 10 * period)
  k <- exp(-2 * sin(pi * outer(new, d$t, `-`) / period)^2 / w^2)
  expected <- beta + drop(k %*% solve(K, d$y - beta))
  expect_equal(unname(predict(fit, data.frame(t = new))), expected, tolerance = 1e-7)
})

test_that("sphere() has the chords of great circles, in kilometres", {
  lon <- c(0, 90, 179, -179, 12, 13)
  lat <- c(0, 0, 10, 10, 90, -90)
  arc <- great_circle(lon, lat)
  expect_equal(unname(as.matrix(dist(sphere(lon, lat)))), 2 * 6371 * sin(arc / (2 * 6371)))
  expect_equal(unname(as.matrix(dist(sphere(lon, lat, radius = 1)))), 2 * sin(arc / (2 * 6371)))
})

test_that("a map is one input with one lengthscale in the unit of its variable", {
  fit <- btg(y ~ x + periodic(t, 1.5), d, transform = "identity", quadrature = few)
  expect_identical(fit$input_names, c("x", "periodic(t, 1.5)"))
  expect_true("lengthscale.periodic(t, 1.5)" %in% names(nodes(fit)))
  expect_identical(fit$design$input_of_column, c(1L, 2L, 2L))
  scale <- unname(fit$lengthscale_units[2])
  X <- periodic(d$t, 1.5)
  expect_equal(scale, sqrt(sum(apply(X, 2, var))))
  # A period later everything is the same.
  new <- data.frame(t = c(0.2, 30.2), x = 0.5)
  expect_equal(diff(predict(fit, new)), 0, ignore_attr = TRUE, tolerance = 1e-10)
})

test_that("maps work in the trend and the noise, with dates, and with missing values", {
  d$day <- as.Date("2020-01-01") + round(100 * d$t)
  d$day[3] <- NA
  fit <- btg(y ~ x, d, trend = ~ periodic(day, 365.25), noise = ~ periodic(t, 3),
             transform = "identity", quadrature = few)
  angle <- 2 * pi * (as.numeric(d$day[-3]) %% 365.25) / 365.25
  expect_equal(unname(fit$design$trend[, 2]), 365.25 / (2 * pi) * cos(angle))
  expect_identical(ncol(fit$design$noise), 2L)
  expect_true(is.na(predict(fit, data.frame(x = 1, day = as.Date(NA), t = 2))))
})

test_that("slopes through maps are derivatives", {
  fit <- btg(y ~ x + periodic(t, 1.5), d, transform = "identity", quadrature = few)
  new <- data.frame(t = c(0.2, 3.1), x = 0.5)
  at <- function(h) predict(fit, transform(new, t = t + h), tolerance = 1e-10)
  expect_equal(predict(fit, new, type = "slope")[, "t"], (at(1e-4) - at(-1e-4)) / 2e-4,
               tolerance = 1e-6)
  # Steps follow the period, even if times range over thousands of periods.
  long <- transform(d, t = 1.5 * round(1000 * sin(1:40)) + t)
  fit <- btg(y ~ x + periodic(t, 1.5), long, transform = "identity", quadrature = few)
  expect_equal(predict(fit, new, type = "slope")[, "t"], (at(1e-4) - at(-1e-4)) / 2e-4,
               tolerance = 1e-6)
})

test_that("maps are found without the package, and users' own functions come first", {
  env <- new.env(parent = baseenv())
  formula <- y ~ periodic(t, 1.5)
  environment(formula) <- env
  fit <- btg(formula, d, transform = "identity", quadrature = few)
  expect_equal(predict(fit, d[1, ]), predict(btg(y ~ periodic(t, 1.5), d, transform = "identity",
                                                 quadrature = few), d[1, ]))
  assign("periodic", function(t, period) base::sin(t), envir = env)
  own <- btg(formula, d, transform = "identity", quadrature = few)
  expect_identical(ncol(own$design$inputs), 1L)
})

test_that("periods and coordinates are checked", {
  expect_error(periodic(d$t, 0), "period", class = "btg_error_argument")
  expect_error(periodic(letters, 1), "numbers, dates", class = "btg_error_argument")
  expect_error(sphere(1:2, c(0, 95)), "row 2", class = "btg_error_argument")
  expect_error(sphere("a", 1), "degrees", class = "btg_error_argument")
  expect_error(sphere(1:2, 1), class = "btg_error_length")
  expect_error(sphere(1, 1, radius = -1), class = "btg_error_argument")
})

test_that("columns called lon and lat get a hint", {
  d <- transform(d, lon = 10 * x, lat = 5 * t)
  expect_message(btg(y ~ lon + lat, d, transform = "identity", quadrature = few),
                 "`sphere(lon, lat)`", fixed = TRUE, class = "btg_message_degrees")
  expect_no_message(btg(y ~ sphere(lon, lat), d, transform = "identity", quadrature = few),
                    class = "btg_message_degrees")
  expect_no_message(btg(y ~ lon + lat, transform(d, lat = 100 * t), transform = "identity",
                        quadrature = few), class = "btg_message_degrees")
})
