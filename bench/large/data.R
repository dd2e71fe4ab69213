# Data for large fits: simulated processes, and public data of some ten thousand rows.

# A process with Matern 5/2 correlation at the rows of x, by random Fourier features: exact as their
# number grows, and as quick with a million rows as with a thousand.
simulate_process <- function(x, lengthscales, features = 2000L) {
  d <- ncol(x)
  frequency <- matrix(stats::rnorm(d * features), d) / lengthscales *
    rep(sqrt(5 / stats::rchisq(features, 5)), each = d)
  phase <- stats::runif(features, 0, 2 * pi)
  amplitude <- stats::rnorm(features) * sqrt(2 / features)
  value <- numeric(nrow(x))
  for (rows in split(seq_along(value), (seq_along(value) - 1L) %/% 5000L)) {
    value[rows] <- cos(sweep(x[rows, , drop = FALSE] %*% frequency, 2L, phase, "+")) %*% amplitude
  }
  value
}

# Rows with inputs uniform in the cube, and a process with noise of this variance behind `inverse`.
simulated_rows <- function(n, lengthscales, noise, inverse = exp, seed = 1) {
  set.seed(seed)
  x <- matrix(stats::runif(n * length(lengthscales)), n)
  colnames(x) <- paste0("x", seq_along(lengthscales))
  z <- simulate_process(x, lengthscales) + stats::rnorm(n, sd = sqrt(noise))
  data.frame(x, y = inverse(z))
}

# A set has its rows, the last `test` of which are predicted, and the transform that is learned.
large_set <- function(data, test, transform, seed = 1) {
  data <- data[stats::complete.cases(data), ]
  set.seed(seed)
  data <- data[sample(nrow(data)), ]
  test <- seq_len(nrow(data)) > nrow(data) - test
  list(train = data[!test, ], test = data[test, ], transform = transform)
}

from_package <- function(package, name) {
  holder <- new.env()
  utils::data(list = name, package = package, envir = holder)
  holder[[name]]
}

large_sets <- list(
  smooth = function(n) {
    large_set(simulated_rows(n + 2000L, c(0.2, 0.4, 0.8, 1.6), 0.1, function(z) exp(1 + z / 2)),
              2000L, "boxcox")
  },
  heavy = function(n) {
    large_set(simulated_rows(n + 2000L, c(0.3, 0.6), 0.5, function(z) sinh(1.5 * asinh(z))), 2000L,
              "sinharcsinh")
  },
  jason3 = function(n) {
    d <- from_package("GpGp", "jason3")
    d <- data.frame(longitude = d$lon, latitude = d$lat, time = d$time, y = d$windspeed)
    large_set(head_rows(d[d$y > 0, ], n), 2000L, "boxcox")
  },
  argo2016 = function(n) {
    d <- from_package("GpGp", "argo2016")
    large_set(head_rows(data.frame(longitude = d$lon, latitude = d$lat, day = d$day, y = d$temp100),
                        n), 2000L, "sinharcsinh")
  },
  diamonds = function(n) {
    d <- from_package("ggplot2", "diamonds")
    d <- data.frame(carat = d$carat, depth = d$depth, table = d$table, cut = as.integer(d$cut),
                    color = as.integer(d$color), clarity = as.integer(d$clarity), y = d$price)
    large_set(head_rows(d, n), 3000L, "boxcox")
  }
)

# At most n rows for a fit, besides those to predict, at random.
head_rows <- function(data, n) {
  set.seed(2)
  data[sample(nrow(data), min(nrow(data), n + 3000L)), ]
}
