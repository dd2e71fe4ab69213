set.seed(3)
d <- data.frame(x = sort(runif(40)), g = rep(c("a", "b"), 20))
d$y <- 5 + sin(5 * d$x) + rnorm(40, sd = (0.05 + 0.4 * d$x) * ifelse(d$g == "b", 2, 1))

# sqrt(sigma2 exp(b gamma)) times the standard deviation of the process, in units of the response,
# for a fit without a transform. Rows are those of `at`, columns are nodes.
naive_noise_sd <- function(fit, B, at, X, y, nodes) {
  models <- naive_noise_models(fit, standardise_like(B), X, cbind(rep(1, nrow(B))), y, "identity",
                               nodes = nodes)
  at <- standardise_like(B, at)
  vapply(seq_along(models), function(i) {
    solved <- models[[i]]$model$solved[[1]]
    process <- fit$scaling$y$scale * sqrt(solved$q / (nrow(B) - 1))
    gamma <- unlist(nodes[i, paste0("noise.", colnames(B))])
    process * sqrt(nodes$noise[i] * exp(as.vector(at %*% gamma)))
  }, numeric(nrow(at)))
}

test_that("the band is a weighted quantile of the nodes' noise", {
  fit <- btg(y ~ x, d, noise = ~ x + g, transform = "identity", warp_inputs = FALSE)
  bands <- draw(fit, which = "noise", level = 0.8, points = 5)
  expect_named(bands, c("x", "g"))
  expect_named(bands$x, c("value", "median", "10%", "90%"))
  expect_equal(bands$x$value, seq(min(d$x), max(d$x), length.out = 5))
  expect_identical(as.character(bands$g$value), c("a", "b"))
  # Predictions use fewer nodes.
  nodes <- nodes(fit)
  expect_lt(nrow(nodes(fit, predictive = TRUE)), nrow(nodes) / 2)
  B <- cbind(x = d$x, gb = as.numeric(d$g == "b"))
  held <- as.numeric(names(which.max(table(d$g))) == "b")
  ats <- list(x = cbind(x = bands$x$value, gb = held), g = cbind(x = median(d$x), gb = 0:1))
  for (name in names(ats)) {
    sds <- naive_noise_sd(fit, B, ats[[name]], cbind(x = d$x), d$y, nodes)
    expected <- t(apply(sds, 1, weighted_quantile, nodes$weight / sum(nodes$weight),
                        c(0.5, 0.1, 0.9)))
    expect_equal(as.matrix(bands[[name]][-1]), expected, tolerance = 1e-7, ignore_attr = TRUE)
  }
  expect_named(draw(fit, which = "noise", variables = "g"), "g")
})

test_that("the estimate of wgp() is one curve", {
  fit <- wgp(y ~ x, d, noise = ~ x + g, transform = "identity", warp_inputs = FALSE)
  band <- draw(fit, which = "noise", variables = "x", points = 4)$x
  at <- cbind(x = band$value, gb = 0)
  B <- cbind(x = d$x, gb = as.numeric(d$g == "b"))
  sds <- naive_noise_sd(fit, B, at, cbind(x = d$x), d$y, nodes(fit))
  expect_equal(band$median, as.vector(sds), tolerance = 1e-7)
  expect_equal(band[["2.5%"]], band$median)
})

test_that("averages, transforms, curves of several columns and dates are drawn", {
  average <- btg(y ~ x, d, noise = ~ splines::ns(x, 3), quadrature = few_nodes(64))
  band <- draw(average, which = "noise", points = 20)$x
  expect_gt(nrow(band), 19)
  expect_true(all(is.finite(as.matrix(band))) && all(band$median > 0))
  expect_identical(noise_label(average), "noise sd of g(y)")
  dated <- transform(d, day = as.Date("2024-03-01") + round(100 * x))
  by_day <- btg(y ~ day, dated, noise = ~ day, transform = "identity", quadrature = few_nodes())
  expect_s3_class(draw(by_day, which = "noise", points = 5)$day$value, "Date")
  expect_identical(noise_label(by_day), "noise sd of y")
})

test_that("models of constant noise in an average have the same variance everywhere", {
  set.seed(8)
  u <- data.frame(x = runif(100))
  u$y <- sin(6 * u$x) + rnorm(100, sd = 0.02 + 0.5 * u$x)
  fit <- btg(y ~ x, u, noise = "auto", transform = "identity",
             quadrature = quad_adaptive(effective = 100, most = 400))
  band <- draw(fit, which = "noise", points = 9)$x
  expect_gt(band$median[9], 3 * band$median[1])
  model <- fit$models[[1]]
  constant <- noise_variance(model, model$posterior$hyper[1:3, ], fit$design$noise[1:4, ], 4)
  noise <- model_nodes(model)$noise[1:3]
  expect_equal(constant, matrix(noise, 4, 3, byrow = TRUE), ignore_attr = TRUE)
})

test_that("a fit of constant noise is drawn only along named variables", {
  plain <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes())
  for (fit in list(wgp(y ~ x, d), plain)) {
    expect_error(draw(fit, which = "noise"), class = "btg_error_plot")
    band <- draw(fit, which = "noise", variables = "x", points = 3)$x
    expect_equal(band$median, rep(band$median[1], 3))
    expect_error(draw(fit, which = "noise", variables = "nowhere"), class = "btg_error_argument")
  }
})
