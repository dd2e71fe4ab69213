# Fits with rotated() inputs, against coordinates that are rotated by hand.

turned_data <- function(n = 40, noise = 0.1) {
  withr::with_seed(2, {
    d <- data.frame(x = runif(n, 0, 10), y = runif(n, 5, 9), w = runif(n),
                    g = sample(c("a", "b"), n, TRUE))
    d$z <- sin(0.8 * d$x + 1.2 * d$y) + d$w + noise * rnorm(n)
    d
  })
}

# Coordinates along and across an angle in degrees, in which one lengthscale serves both.
by_hand <- function(d, angle, ratio) {
  a <- angle * pi / 180
  d$along <- (cos(a) * d$x + sin(a) * d$y) / sqrt(ratio)
  d$across <- (cos(a) * d$y - sin(a) * d$x) * sqrt(ratio)
  d
}

coordinates_of <- function(angle, ratio, input = "rotated(x, y)") {
  stats::setNames(log(ratio) * c(cos(angle * pi / 90), sin(angle * pi / 90)),
                  paste0("anisotropy.", c("cos.", "sin."), input))
}

# A function that is not rotated(), so that both coordinates have one lengthscale.
as_one_input <- function(x, y) one_input(cbind(x, y), Inf)

test_that("at a fixed angle, a fit is that to coordinates rotated by hand", {
  d <- turned_data()
  new <- withr::with_seed(5, data.frame(x = runif(6, 0, 10), y = runif(6, 5, 9), w = 0.4, g = "b"))
  for (case in list(c(30, 3), c(-77, 1.2), c(90, 20), c(12, 1))) {
    for (product in c(FALSE, TRUE)) {
      common <- c(lengthscale.w = 0.7, noise = 0.05)
      fixed <- c("lengthscale.rotated(x, y)" = 2, common, coordinates_of(case[1], case[2]))
      found <- wgp(z ~ rotated(x, y) + w, d, fixed = fixed, product = product, warp_inputs = FALSE)
      expected <- wgp(z ~ as_one_input(along, across) + w, by_hand(d, case[1], case[2]),
                      fixed = c("lengthscale.as_one_input(along, across)" = 2, common),
                      product = product, warp_inputs = FALSE)
      expect_close(as.numeric(logLik(found)), as.numeric(logLik(expected)), 1e-8)
      turned <- by_hand(new, case[1], case[2])
      expect_close(predict(found, new, interval = "prediction"),
                   predict(expected, turned, interval = "prediction"), 1e-8)
      expect_close(loocv(found)$pointwise$log_score, loocv(expected)$pointwise$log_score, 1e-7)
      table <- anisotropy(found)
      expect_equal(table$median, c(case[1], 2 * sqrt(case[2]), 2 / sqrt(case[2]), case[2]) *
                     c(if (case[2] == 1) 0 else 1, 1, 1, 1))
    }
  }
})

test_that("predictions average over the angle as the naive model does, also within terms", {
  d <- turned_data(30)
  fit <- btg(z ~ w + gp(rotated(x, y), by = g) + additive(rotated(x, y), w), d,
             transform = "sinharcsinh", warp_inputs = FALSE, quadrature = few_nodes())
  X <- function(d) cbind(x = d$x, y = d$y, w = d$w, g = match(d$g, unique(turned_data(30)$g)))
  input <- c("rotated(x, y)", "rotated(x, y)")
  terms <- list(
    list(name = "main", base = "stationary", columns = "w", kernel = "matern52", form = "radial"),
    list(name = "gp(rotated(x, y), by = g)", base = "stationary", columns = c("x", "y"),
         kernel = "matern52", form = "radial", by = "g", input = input, rotated = input[1]),
    list(name = "additive(rotated(x, y), w)", base = "stationary", columns = c("x", "y", "w"),
         kernel = "matern52", form = "additive", input = c(input, "w"), rotated = input[1])
  )
  model <- naive_model(fit, X(d), matrix(1, 30), d$z, "sinharcsinh", terms = terms)
  new <- transform(turned_data()[31:36, ], x = x + 0.3)
  mixtures <- naive_mixtures(model, X(new), matrix(1, 6))
  expected <- vapply(mixtures, function(mixture) {
    c(mixture$quantile(0.1), mixture$quantile(0.5))
  }, 0 * 1:2)
  found <- predict(fit, new, type = "quantile", probs = c(0.1, 0.5), tolerance = 1e-12)
  expect_close(unname(found), t(expected), 1e-7)
  at <- nodes(fit)[1:3, ]
  expect_close(log_posterior(fit, at[setdiff(names(at), c("weight", "log_marginal", "log_prior"))]),
               at$log_marginal + at$log_prior, 1e-10)
})

test_that("slopes of a rotated input are those of differences, with their variance", {
  d <- turned_data()
  fit <- btg(z ~ rotated(x + y, x - 2 * y) + w, d, transform = "identity",
             quadrature = few_nodes())
  new <- data.frame(x = c(2, 7), y = c(6, 8), w = 0.5)
  found <- predict(fit, new, type = "slope", tolerance = 1e-13)
  for (name in c("x", "y")) {
    at <- function(step) {
      new[[name]] <- new[[name]] + step
      predict(fit, new, tolerance = 1e-13)
    }
    slope <- function(h) (at(h) - at(-h)) / (2 * h)
    expect_equal(found[, name], (4 * slope(1e-3) - slope(2e-3)) / 3, tolerance = 1e-6)
  }
  # At fixed hyperparameters, the process and its slope are normal.
  fit <- wgp(z ~ rotated(x + y, x - 2 * y), d, kernel = "rbf", warp_inputs = FALSE, fixed = c(
    "lengthscale.rotated(x + y, x - 2 * y)" = 3, noise = 0.1,
    coordinates_of(40, 3, "rotated(x + y, x - 2 * y)")
  ))
  ends <- predict(fit, new[1, ], type = "slope", interval = "confidence")
  draws <- simulate(fit, 4000, seed = 1, newdata = data.frame(x = 2 + c(-0.01, 0.01), y = 6),
                    observation = FALSE)
  slopes <- unlist(draws[2, ] - draws[1, ]) / 0.02
  width <- diff(ends[1, "x", c("lwr", "upr")])
  expect_lt(abs(sd(slopes) * 2 * qnorm(0.975) / width - 1), 0.06)
})

test_that("an approximate covariance has the rotated inputs of the exact one", {
  d <- turned_data(500)
  new <- turned_data(540)[501:540, ]
  fixed <- c("lengthscale.rotated(x, y)" = 2, noise = 0.02, lengthscale.w = 1,
             coordinates_of(-34, 5))
  fit <- function(approx) {
    suppressWarnings(btg(z ~ rotated(x, y) + w, d, transform = "identity", warp_inputs = FALSE,
                         prior = btg_prior(fixed = fixed), approx = approx))
  }
  exact <- fit("exact")
  rough <- exact
  rough$models[[1L]]$problem$approx <- with_lengthscales(vecchia(60, 16, 80), rough$models[[1L]])
  expect_equal(rough$models[[1L]]$problem$approx$maps, unname(coordinates_of(-34, 5)))
  rough <- add_checksum(rough)
  ends <- lapply(list(exact, rough), predict, new, interval = "confidence")
  width <- ends[[1]][, "upr"] - ends[[1]][, "lwr"]
  expect_lt(max(abs(ends[[2]] - ends[[1]]) / width), 0.05)
  # The gradient of the approximation, against differences.
  built <- build_models(rough$design, rough$models)
  names <- names(rough$models[[1L]]$problem$hyperparameters)
  hyper <- rough$models[[1L]]$posterior$hyper
  gradient <- evaluate_model(built, hyper, gradient = TRUE)$gradient
  for (name in grep("anisotropy", names, value = TRUE)) {
    j <- match(name, names)
    value <- function(h) {
      hyper[, j] <- hyper[, j] + h
      evaluate_model(built, hyper)$log_marginal
    }
    slope <- function(h) (value(h) - value(-h)) / (2 * h)
    expect_close(gradient[, j], (4 * slope(1e-3) - slope(2e-3)) / 3, 1e-6, floor = 0.1)
  }
})

test_that("the angle of a field is found, and a fit survives saving and updating", {
  d <- turned_data(60)
  fit <- btg(z ~ rotated(x, y) + w, d, transform = "identity")
  # sin(0.8 x + 1.2 y) is constant across (0.8, 1.2).
  truth <- atan2(-0.8, 1.2) * 180 / pi
  found <- anisotropy(fit)
  expect_identical(found$quantity, c("angle", "along", "across", "ratio"))
  expect_true(found$lwr[1] < truth && truth < found$upr[1] && found$upr[1] - found$lwr[1] < 40)
  expect_gt(found$lwr[4], 1.5)
  nodes <- nodes(fit)
  t <- sqrt(nodes[["anisotropy.cos.rotated(x, y)"]]^2 + nodes[["anisotropy.sin.rotated(x, y)"]]^2)
  expect_equal(found$median[2], weighted_quantile(
    nodes[["lengthscale.rotated(x, y)"]] * exp(t / 2), nodes$weight, 0.5
  ))
  expect_output(print(summary(fit)), "Anisotropy of rotated\\(x, y\\): angle -3")
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), d[1:3, ]), predict(fit, d[1:3, ]))
  again <- update(fit, . ~ . - w)
  expect_identical(unique(anisotropy(again)$input), "rotated(x, y)")
  # A turn of the coordinates turns the angle and changes nothing else.
  turned <- data.frame(x = -d$y, y = d$x, w = d$w, z = d$z)
  other <- anisotropy(btg(z ~ rotated(x, y) + w, turned, transform = "identity"))
  expect_lt(abs(other$median[1] - found$median[1] - 90), 2)
  expect_equal(other$median[-1], found$median[-1], tolerance = 0.1)
})

test_that("priors of the anisotropy are set, and bad ones refused", {
  d <- turned_data()
  narrow <- btg_prior(anisotropy = btg_dist("normal", mean = 0, sd = 1e-4))
  fit <- btg(z ~ rotated(x, y), d, transform = "identity", prior = narrow)
  expect_equal(anisotropy(fit)$median[4], 1, tolerance = 1e-3)
  expect_gt(diff(unlist(anisotropy(fit)[1, c("lwr", "upr")])), 120)
  plain <- btg(z ~ as_one_input(x, y), d, transform = "identity")
  expect_lt(max(abs(predict(fit, d) - predict(plain, d))), 0.03)
  expect_error(btg(z ~ rotated(x, y), d, prior = btg_prior(
    "anisotropy.cos.rotated(x)" = btg_dist("normal", mean = 0, sd = 1)
  )), class = "btg_error_prior")
})

test_that("rotated() inputs that cannot be used are refused", {
  d <- transform(turned_data(), one = 1)
  expect_error(rotated(1:3), class = "btg_error_argument")
  expect_error(rotated(1:3, 1:3, 1:3), class = "btg_error_argument")
  expect_error(rotated(1:3, letters[1:3]), class = "btg_error_argument")
  expect_error(rotated(1:3, 1:2), class = "btg_error_length")
  expect_error(btg(z ~ rotated(x, one), d), class = "btg_error_term")
  expect_error(btg(z ~ x + linear(rotated(x, y)), d), class = "btg_error_term")
  expect_error(btg(z ~ x + (rotated(x, y) | g), d), class = "btg_error_term")
  expect_error(btg(z ~ rotated(x, y):w, d), class = "btg_error_interaction")
  expect_error(anisotropy(wgp(z ~ x, d)), class = "btg_error_term")
  names(d)[1:2] <- c("lon", "lat")
  expect_message(wgp(z ~ rotated(lon, lat), d), class = "btg_message_degrees")
})
