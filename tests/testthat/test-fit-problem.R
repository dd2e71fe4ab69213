fit_oracle <- function(data = oracle_data(), transform = "sinharcsinh", ..., nodes = 48) {
  btg(y ~ x + w, data, transform = transform, ..., quadrature = few_nodes(nodes))
}

bands <- function(fit, ...) {
  suppressWarnings(predict(fit, ..., interval = "credible"), classes = "btg_warning_lost_mass")
}

# All of a fit but the time it took.
without_time <- function(fit) fit[names(fit) != "seconds"]

test_that("an input in other units has its lengthscale in them, and predictions stay", {
  d <- oracle_data()
  scaled <- transform(d, x = 1000 * x, w = (w - 5000) / 1e6)
  for (product in c(FALSE, TRUE)) {
    fit <- fit_oracle(d, product = product)
    other <- fit_oracle(scaled, product = product)
    expect_close(nodes(other)$lengthscale.x, 1000 * nodes(fit)$lengthscale.x, 1e-10)
    expect_close(nodes(other)$lengthscale.w, nodes(fit)$lengthscale.w / 1e6, 1e-10)
    same <- c("weight", "log_marginal", "log_prior", "noise", "sinharcsinh.a", "sinharcsinh.b")
    expect_close(nodes(other)[same], nodes(fit)[same])
    expect_close(bands(other), bands(fit))
  }
})

test_that("one lengthscale for all inputs is in the units they share", {
  d <- oracle_data()
  fit <- fit_oracle(d, ard = FALSE)
  other <- fit_oracle(transform(d, x = 1000 * x, w = 1000 * w), ard = FALSE)
  expect_close(nodes(other)$lengthscale.all, 1000 * nodes(fit)$lengthscale.all, 1e-10)
  expect_close(bands(other), bands(fit))
})

test_that("a trend's columns may be in any units", {
  d <- oracle_data()
  fit <- fit_oracle(d, trend = ~ w)
  for (trend in c(~ I(1e-7 * w), ~ I(w - 5500), ~ poly(w, 1))) {
    other <- fit_oracle(d, trend = trend)
    expect_close(bands(other), bands(fit))
    expect_close(nodes(other)$weight, nodes(fit)$weight)
  }
})

test_that("fits follow a shift and a scaling of the response", {
  d <- oracle_data()
  for (transform in list("sinharcsinh", "identity", c("affine", "sinharcsinh"), "arcsinh")) {
    fit <- fit_oracle(d, transform = transform)
    moved <- fit_oracle(transform(d, y = 1e5 + 300 * y), transform = transform)
    expect_close(bands(moved) - 1e5, 300 * bands(fit), floor = 1)
    expect_close(nodes(moved), nodes(fit), floor = 1e-3)
    expect_close(predict(moved, type = "density", at = 1e5 + 300),
                 predict(fit, type = "density", at = 1) / 300)
  }
})

test_that("fits to a positive response follow its scaling", {
  d <- oracle_data()
  for (transform in list("boxcox", "softplus", c("boxcox", "arcsinh"))) {
    fit <- fit_oracle(d, transform = transform)
    moved <- fit_oracle(transform(d, y = 1e-6 * y), transform = transform)
    expect_close(bands(moved), 1e-6 * bands(fit))
    expect_close(nodes(moved), nodes(fit), floor = 1e-3)
  }
})

test_that("a response with zeros is fitted as if shifted, and predicted down to zero", {
  d <- transform(oracle_data(), y = replace(y, c(2, 9, 11), 0))
  offset <- min(d$y[d$y > 0]) / 2
  shifted <- transform(d, y = y + offset)
  new <- data.frame(x = c(3.3, 12), w = c(5700, 5100))
  for (transform in list("softplus", "boxcox", c("softplus", "sinharcsinh"))) {
    expect_message(fit <- fit_oracle(d, transform = transform), format(offset, digits = 3),
                   class = "btg_message_zero_response")
    by_hand <- fit_oracle(shifted, transform = transform)
    expect_close(nodes(fit), nodes(by_hand), floor = 1e-3)
    expect_close(bands(fit, new), pmax(bands(by_hand, new) - offset, 0))
    expect_identical(unname(bands(fit)[2, "lwr"]), 0)
    at <- c(0, 0.1, 2)
    for (type in c("cdf", "density")) {
      expect_close(suppressWarnings(predict(fit, new, type = type, at = at)),
                   suppressWarnings(predict(by_hand, new, type = type, at = at + offset)))
      expect_identical(unname(suppressWarnings(predict(fit, new, type = type, at = -1e-9))),
                       matrix(0, 2, 1))
    }
  }
})

test_that("a response that is nearly all zeros does not break a fit", {
  d <- transform(oracle_data(), y = replace(0 * y, 3, 2))
  for (transform in list("softplus", "boxcox")) {
    expect_warning(fit <- suppressMessages(fit_oracle(d, transform = transform)), "only two values")
    found <- bands(fit)
    expect_true(all(is.finite(found) & found >= 0))
  }
})

test_that("a mirrored response has mirrored predictions", {
  d <- oracle_data()
  fit <- fit_oracle(d, transform = "identity")
  mirrored <- fit_oracle(transform(d, y = -y), transform = "identity")
  expect_close(bands(mirrored)[, c("fit", "lwr", "upr")], -bands(fit)[, c("fit", "upr", "lwr")])
})

test_that("the order of the rows does not matter", {
  d <- oracle_data()
  new <- data.frame(x = c(3.3, 12), w = c(5700, 5100))
  rows <- c(11, 5, 14, 2, 8, 1, 9, 13, 4, 7, 3, 12, 6, 10)
  for (transform in list("sinharcsinh", c("boxcox", "arcsinh"))) {
    fit <- fit_oracle(d, transform = transform, trend = ~ x)
    shuffled <- fit_oracle(d[rows, ], transform = transform, trend = ~ x)
    expect_close(nodes(shuffled), nodes(fit), floor = 1e-3)
    expect_close(bands(shuffled, new), bands(fit, new))
  }
})

test_that("the order of the inputs matters only to which point a node is", {
  d <- oracle_data()
  fixed <- btg_prior(fixed = c(lengthscale.x = 2, lengthscale.w = 500))
  one <- btg(y ~ x + w, d, prior = fixed, quadrature = few_nodes(), transform = "sinharcsinh")
  other <- btg(y ~ w + x, d, prior = fixed, quadrature = few_nodes(), transform = "sinharcsinh")
  expect_close(bands(other), bands(one))
})

test_that("a fit is deterministic, and leaves the random numbers alone", {
  set.seed(1)
  before <- .Random.seed
  first <- fit_oracle()
  first_bands <- bands(first)
  expect_identical(.Random.seed, before)
  set.seed(2)
  second <- fit_oracle()
  # Environments hold the same, but are not the same.
  expect_equal(without_time(second), without_time(first), tolerance = 0)
  expect_identical(second$models[[1]]$posterior, first$models[[1]]$posterior)
  expect_identical(nodes(second), nodes(first))
  expect_identical(bands(second), first_bands)
})

test_that("a fit makes no random numbers where there were none", {
  kept <- if (exists(".Random.seed", globalenv())) get(".Random.seed", globalenv())
  on.exit(if (!is.null(kept)) assign(".Random.seed", kept, globalenv()))
  suppressWarnings(rm(".Random.seed", envir = globalenv()))
  bands(fit_oracle())
  expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
})

test_that("results do not depend on the number of threads", {
  one <- fit_oracle(transform = c("softplus", "sinharcsinh"), threads = 1)
  several <- fit_oracle(transform = c("softplus", "sinharcsinh"), threads = 2)
  expect_identical(nodes(several), nodes(one))
  expect_identical(bands(one, threads = 2), bands(one))
  expect_identical(predict(one, type = "density", at = 1:3, threads = 2),
                   predict(one, type = "density", at = 1:3))
})

test_that("a saved and reloaded fit predicts the same", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  fit <- fit_oracle(transform = c("softplus", "sinharcsinh"), trend = ~ poly(x, 2))
  new <- data.frame(x = c(1, 11), w = c(5000, 5500))
  saveRDS(fit, file)
  reloaded <- readRDS(file)
  expect_identical(bands(reloaded, new), bands(fit, new))
  expect_identical(bands(reloaded), bands(fit))
  expect_identical(nodes(reloaded), nodes(fit))
  expect_identical(log_posterior(reloaded, nodes(fit)), log_posterior(fit, nodes(fit)))
})

test_that("a fit is plain: no pointers, no functions, no caller's frame", {
  big <- numeric(1e5)
  fit <- fit_oracle()
  types <- unique(rapply(unclass(fit), typeof, how = "unlist"))
  expect_false(any(c("externalptr", "closure") %in% types))
  expect_lt(length(serialize(fit, NULL)), 1e5)
  expect_length(big, 1e5)
})

test_that("duplicated rows work, with equal and with different responses", {
  d <- oracle_data()
  noisy <- rbind(d, transform(d, y = 1.3 * y))
  for (data in list(rbind(d, d[1:3, ]), noisy, d[rep(1:14, 3), ])) {
    fit <- fit_oracle(data)
    found <- bands(fit, d)
    expect_true(all(is.finite(found)))
    expect_true(all(found[, "lwr"] < found[, "fit"] & found[, "fit"] < found[, "upr"]))
  }
  fit <- fit_oracle(noisy, transform = "identity")
  model <- naive_model(fit, noisy[c("x", "w")], cbind(rep(1, 28)), noisy$y, "identity")
  expect_close(nodes(fit)$log_marginal, naive_log_marginal(model))
})

test_that("the noise has a floor, where kernels would be singular to rounding", {
  x <- seq(0, 1, length.out = 40)
  prior <- btg_prior(fixed = c(noise = 1e-14))
  fit <- btg(x, sin(3 * x), kernel = "rbf", transform = "identity", prior = prior,
             quadrature = few_nodes())
  expect_equal(fit$models[[1L]]$noise_floor, 100 * 40 * .Machine$double.eps)
  expect_identical(fit$quadrature$nodes_failed, 0L)
  expect_true(is.finite(fit$quadrature$log_evidence))
  found <- bands(fit, c(0.111, 0.5, 0.777))
  expect_true(all(is.finite(found)))
  expect_close(found[, "fit"], sin(3 * c(0.111, 0.5, 0.777)), 1e-4)
  expect_true(all(found[, "lwr"] <= found[, "fit"] & found[, "fit"] <= found[, "upr"]))
})

test_that("the floor of the noise counts sites, and rows of the heaviest site", {
  d <- data.frame(x = c(1:10, 1, 1, 1), y = sin(1:13))
  fit <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes())
  expect_equal(fit$models[[1L]]$noise_floor, 100 * 10 * 4 * .Machine$double.eps)
  fit <- btg(y ~ x, d, transform = "identity", weights = rep(c(1, 5), c(12, 1)),
             quadrature = few_nodes())
  expect_equal(fit$models[[1L]]$noise_floor,
               100 * 10 * 8 / (17 / 13) * .Machine$double.eps)
})

test_that("likelihood, prediction and left-out rows have the same floor of the noise", {
  d <- data.frame(x = seq(0, 1, length.out = 15))
  d$y <- sin(3 * d$x)
  fixed <- c(lengthscale.x = 0.2, noise = 0)
  fit <- btg(y ~ x, d, kernel = "exponential", transform = "identity",
             prior = btg_prior(fixed = fixed))
  model <- naive_model(fit, cbind(x = d$x), cbind(rep(1, 15)), d$y, "identity", "exponential")
  expect_close(nodes(fit)$log_marginal, naive_log_marginal(model))
  # At a datum, an observation has the noise of two: its own and the other.
  at_datum <- predict(fit, d[8, , drop = FALSE], interval = "prediction")
  scale <- naive_latent(model, cbind(d$x[8]), cbind(1))$scale * fit$scaling$y$scale
  expect_equal(at_datum[, "upr"] - at_datum[, "lwr"], 2 * qt(0.975, 14) * scale[1],
               tolerance = 1e-3, ignore_attr = TRUE)
  expect_equal(scale[1] / (sigma(fit) * sqrt(2)), 1, tolerance = 1e-3)
})

test_that("a fit with everything fixed is one node", {
  fixed <- c(lengthscale.x = 2, lengthscale.w = 500, noise = 0.1)
  fit <- fit_oracle(transform = "identity", prior = btg_prior(fixed = fixed))
  expect_identical(nodes(fit)$weight, 1)
  expect_identical(nodes(fit)$log_prior, 0)
  expect_equal(unlist(nodes(fit)[-(1:3)]), fixed)
  expect_equal(fit$quadrature$log_evidence,
               nodes(fit)$log_marginal - 13 * log(fit$scaling$y$scale))
})

test_that("few rows and many inputs work", {
  smallest <- btg(c(1, 2, 4), c(2, 1, 3), quadrature = few_nodes(), transform = "sinharcsinh")
  expect_true(all(is.finite(bands(smallest))))
  d <- as.data.frame(matrix(sin(17 * (1:120)^2), 12))
  d$y <- d$V1 + d$V2^2
  wide <- btg(y ~ ., d, quadrature = few_nodes(), transform = "sinharcsinh")
  expect_identical(sum(startsWith(names(nodes(wide)), "lengthscale.V")), 10L)
  expect_true(all(is.finite(bands(wide))))
})

test_that("extreme units of the response and the inputs do no harm", {
  d <- oracle_data()
  fit <- fit_oracle(d)
  for (scale in c(1e-150, 1e150)) {
    moved <- fit_oracle(transform(d, y = scale * y, x = x / scale))
    expect_close(bands(moved), scale * bands(fit), 1e-7, floor = 0)
  }
})
