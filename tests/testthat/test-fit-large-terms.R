# Approximate covariances with several terms, against the exact model at the same hyperparameters.

# Rows with two numbers, sites with levels and slopes of their own, and kinds with their own curves.
sites_data <- function(n, sites = 25, seed = 1) {
  withr::with_seed(seed, {
    d <- data.frame(a = runif(n), b = runif(n), site = sample(sites, n, TRUE),
                    kind = sample(c("u", "v", "w"), n, TRUE))
    level <- rnorm(sites, 0, 0.5)[d$site]
    slope <- rnorm(sites, 0, 0.3)[d$site]
    curve <- c(u = 0, v = 2, w = 4)[d$kind]
    d$y <- exp(sin(8 * d$a + curve) / 2 + d$b + level + slope * d$b + rnorm(n, sd = 0.1))
    d$site <- paste0("s", d$site)
    d
  })
}

# Errors of an approximation at the rows of `new`, as in test-fit-large-levels.R, and those that it
# states.
terms_error <- function(train, new, formula, hyper, approx, ...) {
  exact <- suppressMessages(suppressWarnings(
    btg(formula, train, transform = "softplus", approx = "exact", warp_inputs = FALSE,
        prior = btg_prior(fixed = c(hyper, noise = 0.01, softplus.s = 1)), ...)
  ))
  fit <- exact
  fit$models[[1L]]$problem$approx <- with_lengthscales(approx, fit$models[[1L]])
  fit <- add_checksum(suppressWarnings(check_approximation(fit, 1L)))
  ends <- function(fit, ...) suppressMessages(predict(fit, new, interval = "confidence", ...))
  width <- function(fit, ...) ends(fit, ...)[, "upr"] - ends(fit, ...)[, "lwr"]
  score <- function(fit) sum(suppressWarnings(loocv(fit))$pointwise$log_score)
  off <- abs(width(fit) / width(exact) - 1)
  moved <- abs(ends(fit)[, "fit"] - ends(exact)[, "fit"]) / width(exact) * 2 * qnorm(0.975)
  list(width = mean(off), worst = max(off), median = mean(moved),
       elpd = abs(score(fit) - score(exact)), stated = fit$approximation$errors, fit = fit,
       exact = exact)
}

test_that("groups and linear terms alone are exact with few neighbours", {
  d <- sites_data(400)
  error <- terms_error(d[1:360, ], d[-(1:360), ], y ~ linear(a, b) + (b | site) + (1 | kind),
                       c("ratio.(0 + b | site)" = 0.5, "ratio.(1 | site)" = 0.7,
                         "ratio.(1 | kind)" = 0.4),
                       vecchia(5, 10, 4))
  expect_lt(error$worst, 1e-8)
  expect_lt(error$median, 1e-7)
  expect_lt(error$elpd, 1e-6)
  expect_lt(max(error$stated), 1e-6)
  expect_close(group_effects(error$fit)$effect, group_effects(error$exact)$effect, 1e-6, 1e-3)
})

test_that("processes beside groups are approximated as well as alone", {
  d <- sites_data(560)
  train <- d[1:480, ]
  new <- d[-(1:480), ]
  lengthscales <- c(lengthscale.a = 0.3, lengthscale.b = 0.6)
  alone <- terms_error(train, new, y ~ a + b, lengthscales, vecchia(40, 16, 40))
  beside <- terms_error(train, new, y ~ a + b + (b | site), c(
    lengthscales, "ratio.(1 | site)" = 1, "ratio.(0 + b | site)" = 0.3
  ), vecchia(40, 16, 40))
  for (error in list(alone, beside)) {
    expect_lt(error$width, 0.02)
    expect_lt(error$median, 0.05)
    expect_lt(error$elpd, 2)
  }
  # A new site has the variance between sites.
  new$site <- "elsewhere"
  ends <- lapply(beside[c("fit", "exact")], function(fit) {
    log(suppressMessages(predict(fit, new, interval = "confidence")))
  })
  width <- ends$exact[, "upr"] - ends$exact[, "lwr"]
  expect_lt(max(abs(ends$fit - ends$exact) / width), 0.02)
})

test_that("curves by group and additive terms are approximated, and errors are stated", {
  d <- sites_data(560)
  cases <- list(
    list(formula = y ~ b + gp(a, by = kind),
         hyper = c(lengthscale.b = 0.6, "gp(a, by = kind).lengthscale.a" = 0.3,
                   "ratio.gp(a, by = kind)" = 1.5)),
    list(formula = y ~ a + b + additive(a, b),
         hyper = c(lengthscale.a = 0.5, lengthscale.b = 0.8, "additive(a, b).lengthscale.a" = 0.3,
                   "additive(a, b).lengthscale.b" = 1, "ratio.additive(a, b)" = 2))
  )
  for (case in cases) {
    error <- terms_error(d[1:480, ], d[-(1:480), ], case$formula, case$hyper, vecchia(60, 16, 60))
    expect_lt(error$width, 0.02)
    expect_lt(error$median, 0.06)
    expect_lt(error$elpd, 2)
    # The stated errors are of points between the rows, and about as large.
    expect_lt(error$width, 0.002 + 3 * error$stated["process", "mean"])
  }
})

test_that("too many groups for an approximation are refused", {
  d <- sites_data(700, sites = 5000)
  hyper <- c(lengthscale.a = 0.5, "ratio.(1 | site)" = 1)
  expect_error(terms_error(d, d, y ~ a + (1 | site), hyper, vecchia(5, 10, 4)),
               class = "btg_error_approx")
})

test_that("the default makes exact fits with many groups and not too many rows", {
  few <- quad_adaptive(nodes = 20, most = 20)
  expect_message(
    fit <- suppressWarnings(btg(y ~ a + (1 | site), sites_data(1100, sites = 1000),
                                transform = "softplus", quadrature = few)),
    "effects of groups, too many for an approximation", class = "btg_message_approx"
  )
  expect_null(fit$models[[1L]]$problem$approx)
  expect_null(fit$approximation)
  # 1200 levels and as many slopes, a linear effect
  d <- sites_data(2200, sites = 1200)
  effects <- 2 * length(unique(d$site)) + 1
  expect_error(btg(y ~ linear(a) + (b | site), d), format(effects, big.mark = ","),
               class = "btg_error_approx")
})

test_that("fits of all rows by the approximation keep their terms", {
  skip_if_quick()
  d <- sites_data(700)
  fit <- suppressMessages(btg(y ~ a + (1 | site), d, transform = "softplus",
                              approx = vecchia(30, 20, 30)))
  exact <- suppressMessages(btg(y ~ a + (1 | site), d, transform = "softplus", approx = "exact",
                                quadrature = quad_adaptive(nodes = 60, most = 400)))
  expect_length(fit$models[[1L]]$problem$approx$ratios, 1L)
  at <- d[1:20, ]
  width <- function(fit) {
    ends <- predict(fit, at, interval = "credible")
    ends[, "upr"] - ends[, "lwr"]
  }
  expect_lt(max(abs(predict(fit, at) - predict(exact, at)) / width(exact)), 0.02)
  expect_lt(max(abs(width(fit) / width(exact) - 1)), 0.05)
})
