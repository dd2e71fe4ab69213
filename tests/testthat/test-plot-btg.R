d <- transform(oracle_data(), f = factor(rep(c("a", "b"), 7)))
fit <- btg(y ~ x + f, d, trend = ~ w, transform = "softplus", quadrature = few_nodes(8))

test_that("plot() draws predictions along each variable, the others held", {
  drawn <- draw(fit)
  expect_named(drawn, c("x", "f", "w"))
  new <- data.frame(x = drawn$x$value, f = "a", w = median(d$w))
  quantiles <- predict(fit, new, type = "quantile", probs = c(0.5, 0.025, 0.25, 0.75, 0.975))
  expect_equal(as.matrix(drawn$x[-1]), quantiles, ignore_attr = TRUE)
  expect_equal(range(drawn$x$value), range(d$x))
  expect_identical(as.character(drawn$f$value), c("a", "b"))
  few <- draw(fit, variables = "x", level = 0.9, observation = FALSE, points = 7)
  expect_identical(dim(few$x), c(7L, 4L))
})

test_that("variables behind transformed inputs vary on their own scale", {
  by_log <- btg(y ~ log(w) + x, d, transform = "softplus", quadrature = few_nodes(8))
  expect_named(draw(by_log), c("w", "x"))
  by_matrix <- btg(as.matrix(d[c("x", "w")]), d$y, transform = "identity", quadrature = few_nodes())
  expect_named(draw(by_matrix), c("x", "w"))
})

test_that("the data behind a plot are the rows of the fit", {
  d$x[2] <- NA
  part <- btg(y ~ x, d, subset = w > min(w), transform = "softplus", quadrature = few_nodes(8))
  kept <- d$w > min(d$w) & !is.na(d$x)
  expect_equal(part$data$x, d$x[kept])
  x <- d$w
  from_environment <- btg(d$y ~ x, transform = "softplus", quadrature = few_nodes(8))
  expect_equal(from_environment$data$x, x)
})

average <- btg(y ~ x + w, d, kernel = "matern52", quadrature = few_nodes(32))

test_that("left-out predictions are drawn, and effects of averages", {
  for (which in c("predicted", "pit", "residuals")) {
    expect_equal(draw(fit, which = which)$pointwise, loocv(fit)$pointwise)
  }
  expect_named(draw(average, points = 5), c("x", "w"))
})

test_that("bars of hyperparameters are the weights of the nodes in them", {
  bars <- draw(fit, which = "hyperparameters")
  at <- nodes(fit)
  expect_identical(unique(bars$name), c("lengthscale.x", "lengthscale.f", "noise", "softplus.s"))
  for (name in unique(bars$name)) {
    one <- bars[bars$name == name, ]
    expect_true(all(one$positive))
    expect_equal(sum(one$density * (one$to - one$from)), 1)
    inside <- log(at[[name]]) > one$from[3] & log(at[[name]]) < one$to[7]
    expect_equal(sum((one$density * (one$to - one$from))[3:7]), sum(at$weight[inside]))
  }
  # An average shows its main model.
  expect_setequal(draw(average, which = "hyperparameters")$title,
                  names(which.max(average$model_weights)))
})

# Rows are nodes: the weight, then g at `at`, with the mean and sd of `y` over `y`.
naive_g <- function(fit, y, at) {
  each <- Map(function(single, weight) {
    hyper <- nodes(single)
    scaled <- function(y) (y - single$scaling$y$center) / single$scaling$y$scale
    t(vapply(seq_len(nrow(hyper)), function(i) {
      layers <- naive_layers(single$models[[1]]$transform$layers, hyper[i, ])
      z <- naive_forward(scaled(y), layers)
      c(weight * hyper$weight[i],
        mean(y) + sd(y) * (naive_forward(scaled(at), layers) - mean(z)) / sd(z))
    }, numeric(length(at) + 1)))
  }, single_fits(fit), fit$model_weights)
  do.call(rbind, each)
}

test_that("the band of the transform is a weighted quantile of the nodes' transforms", {
  for (one in list(fit, average)) {
    band <- draw(one, which = "transform", level = 0.8, points = 5)
    expect_named(band, c("y", "median", "10%", "90%"))
    expect_equal(range(band$y), range(d$y))
    g <- naive_g(one, d$y, band$y)
    for (j in 1:5) {
      for (p in c(0.1, 0.5, 0.9)) {
        value <- band[[c("10%", "median", "90%")[match(p, c(0.1, 0.5, 0.9))]]][j]
        small <- 1e-9 * abs(value)
        expect_gte(sum(g[g[, j + 1] <= value + small, 1]), p - 1e-12)
        expect_lte(sum(g[g[, j + 1] < value - small, 1]), p + 1e-12)
      }
    }
  }
})

test_that("without a transform g is the identity, and wgp() has one g", {
  plain <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes(8))
  band <- draw(plain, which = "transform")
  for (column in names(band)[-1]) expect_equal(band[[column]], band$y)
  likely <- wgp(y ~ x, d, transform = "boxcox", fixed = c(boxcox.lambda = 0))
  band <- draw(likely, which = "transform")
  expect_equal(band$median, mean(d$y) + sd(d$y) * (log(band$y) - mean(log(d$y))) / sd(log(d$y)))
  expect_error(draw(likely, which = "quadrature"), class = "btg_error_no_posterior")
})

test_that("the plot of the quadrature shows its nodes", {
  for (one in list(fit, average)) {
    drawn <- draw(one, which = "quadrature")
    at <- nodes(one)
    expect_equal(drawn$cumulative, cumsum(at$weight))
    expect_equal(drawn$weight, at$weight)
    models <- if (is.null(at$model)) rep("nodes", nrow(at)) else at$model
    expect_identical(drawn$model, models)
    for (model in unique(models)) {
      density <- (at$log_marginal + at$log_prior)[models == model]
      expect_equal(drawn$drop[models == model], max(density) - density)
    }
  }
  adaptive <- btg(y ~ x, d, transform = "softplus")
  modes <- quadrature_modes(adaptive)
  expect_gt(nrow(modes), 0)
  expect_equal(sum(modes$mass), 1)
  # A mode is higher than the nodes, except for the change of coordinates.
  expect_lt(min(modes$drop), 0.5)
  draw(adaptive, which = "quadrature")
})

test_that("a warning about a term that depends on the rows is given once", {
  centred <- btg(y ~ I(x - mean(x)) + w, d, transform = "identity", quadrature = few_nodes(8))
  said <- list()
  withCallingHandlers(draw(centred, points = 3), btg_warning_row_dependent = function(w) {
    said <<- c(said, list(w))
    rlang::cnd_muffle(w)
  })
  expect_length(said, 1)
})

test_that("impossible requests are errors", {
  expect_error(draw(fit, which = "leverage"), class = "btg_error_argument")
  expect_error(draw(fit, variables = "z"), "`w`", class = "btg_error_argument")
  expect_error(draw(fit, level = 95), class = "btg_error_argument")
})

test_that("a message names the variables that a default leaves out", {
  many <- as.data.frame(matrix(sin(seq_len(14 * 11)^2), 14))
  names(many) <- letters[1:11]
  ten <- btg(many[1:10], d$y, transform = "identity", quadrature = few_nodes(4))
  expect_message(drawn <- draw(ten, points = 2), "Not drawn: `j`", class = "btg_message_not_drawn")
  expect_named(drawn, letters[1:9])
  expect_no_message(draw(ten, variables = "j", points = 2))
  expect_no_message(draw(fit, points = 2))
})

test_that("numbers that are made categories, times and matrices can be drawn", {
  d <- oracle_data()
  d$group <- rep_len(c(1, 2, 4), nrow(d))
  d$day <- as.Date("2020-01-01") + seq_len(nrow(d))
  d$both <- cbind(d$x, d$w)
  by_group <- btg(y ~ x + factor(group), d, transform = "identity", quadrature = few_nodes())
  drawn <- draw(by_group)
  expect_identical(drawn$group$value, c(1, 2, 4))
  held <- data.frame(x = stats::median(d$x), group = c(1, 2, 4))
  expect_equal(drawn$group$median, unname(predict(by_group, held)))
  expect_setequal(drawn$x$value, c(seq(min(d$x), max(d$x), length.out = 80), d$x))

  by_day <- btg(y ~ day, d, transform = "identity", quadrature = few_nodes())
  expect_s3_class(draw(by_day)$day$value, "Date")
  expect_true(all(d$day %in% draw(by_day)$day$value))

  by_both <- btg(y ~ both + w, d, transform = "identity", quadrature = few_nodes())
  expect_named(draw(by_both), "w")
  only <- btg(y ~ both, d, transform = "identity", quadrature = few_nodes())
  expect_error(draw(only), class = "btg_error_plot")
})

test_that("partial dependence is the average over the rows, and residuals are added to it", {
  drawn <- draw(fit, which = "partial", points = 5, level = 0.9)
  expect_named(drawn, c("x", "f", "w"))
  at <- drawn$x$value
  expect_equal(range(at), range(d$x))
  all_at <- function(value) replace(d, "x", list(rep(value, nrow(d))))
  average <- vapply(at, function(value) mean(predict(fit, all_at(value))), 0)
  expect_equal(drawn$x$median, average)
  upper <- vapply(at, function(value) {
    mean(predict(fit, all_at(value), type = "quantile", probs = 0.95))
  }, 0)
  expect_equal(drawn$x[["95%"]], upper)
  # The curve at the values of the data, plus the residuals of the fit.
  curve <- approx(at, average, d$x)$y
  expect_equal(unname(attr(drawn$x, "residuals")), unname(curve + residuals(fit)))
  of_factor <- drawn$f$median[match(d$f, drawn$f$value)] + residuals(fit)
  expect_equal(unname(attr(drawn$f, "residuals")), unname(of_factor))
  # na.exclude() puts missing values between the residuals.
  d$x[3] <- NA
  part <- btg(y ~ x + w, d, na.action = na.exclude, transform = "identity",
              quadrature = few_nodes(8))
  drawn <- draw(part, which = "partial", points = 4)
  curve <- approx(drawn$w$value, drawn$w$median, d$w[-3])$y
  expect_equal(unname(attr(drawn$w, "residuals")), unname(curve + residuals(part)[-3]))
})

test_that("maps have medians, widths and exceedances", {
  drawn <- draw(fit, which = "surface", points = 6, level = 0.8, at = 1.5)
  expect_named(drawn, c("x", "w", "median", "width", "exceedance"))
  expect_identical(nrow(drawn), 36L)
  new <- data.frame(x = drawn$x, w = drawn$w, f = "a")
  interval <- predict(fit, new, interval = "credible", level = 0.8)
  expect_equal(drawn$median, unname(interval[, "fit"]))
  expect_equal(drawn$width, unname(interval[, "upr"] - interval[, "lwr"]))
  expect_equal(drawn$exceedance, unname(predict(fit, new, type = "exceedance", at = 1.5)[, 1]))
  by_default <- draw(average, which = "surface", variables = c("w", "x"), points = 3)
  expect_equal(attr(by_default, "threshold"), quantile(d$y, 0.9, names = FALSE))
  expect_error(draw(fit, which = "surface", variables = c("x", "f")), "numbers",
               class = "btg_error_plot")
  expect_error(draw(fit, at = 3), class = "btg_error_argument")
})

test_that("axes can be logarithmic, and values must be positive then", {
  drawn <- draw(fit, variables = c("w", "f"), log = "xy", points = 5)
  expect_equal(diff(log(drawn$w$value), differences = 2), rep(0, 3), tolerance = 1e-9)
  expect_error(draw(fit, log = "z"), class = "btg_error_argument")
  expect_error(draw(fit, xlog = TRUE), class = "btg_error_unknown_argument")
  expect_error(draw(fit, which = "transform", log = "x"), "no effect", class = "btg_error_argument")
  centred <- btg(y ~ x, transform(d, x = x - 5), transform = "softplus", quadrature = few_nodes(8))
  expect_error(draw(centred, log = "x"), "`x` has others", class = "btg_error_argument")
})

test_that("fixed hyperparameters have no histogram, and a level may be NA", {
  d <- data.frame(a = (0.618 * 1:20) %% 1, f = factor(rep(c("u", NA), 10), exclude = NULL))
  d$y <- sin(6 * d$a) + is.na(d$f) + 0.1 * sin(37 * 1:20)
  fixed <- btg(y ~ a, d, transform = "identity",
               prior = btg_prior(fixed = c(lengthscale.a = 1, noise = 0.1)))
  expect_error(draw(fixed, which = "hyperparameters"), class = "btg_error_plot")
  expect_no_error(draw(btg(y ~ a + f, d, transform = "identity", quadrature = few_nodes())))
})

test_that("a curve has points at the data and enough for its lengthscale", {
  weeks <- data.frame(week = 1:150)
  weeks$y <- sin(7 * weeks$week^2) + ifelse(weeks$week == 73, 8, 0)
  scale <- btg_prior(fixed = c(lengthscale.week = 0.4, noise = 1e-4))
  rough <- btg(y ~ week, weeks, transform = "identity", prior = scale, quadrature = few_nodes(1))
  drawn <- draw(rough)$week
  expect_true(all(weeks$week %in% drawn$value))
  expect_equal(max(drawn$median), max(fitted(rough)))
  # Between the data too, four values per lengthscale, but not more than 600.
  expect_lte(max(diff(drawn$value)), 0.25)
  expect_lte(nrow(drawn), 750)
  smooth <- btg(y ~ week, weeks, transform = "identity", quadrature = few_nodes(1),
                prior = btg_prior(fixed = c(lengthscale.week = 60, noise = 1)))
  expect_equal(lengthscales_across(smooth, "week"), 149 / 60)
  expect_lte(nrow(draw(smooth)$week), 230)
  expect_identical(nrow(draw(rough, points = 80)$week), 80L)
  # One lengthscale for all inputs, terms, dates and durations.
  weeks$day <- as.Date("2024-01-01") + 7 * weeks$week
  weeks$age <- as.difftime(weeks$week, units = "weeks")
  for (formula in list(y ~ week + day, y ~ log(week), y ~ age)) {
    fit <- btg(formula, weeks, transform = "identity", ard = FALSE, quadrature = few_nodes(4))
    drawn <- draw(fit)[[1]]
    expect_true(all(fit$data[[1]] %in% drawn$value))
    expect_s3_class(draw(fit)[[length(draw(fit))]], "data.frame")
  }
})

test_that("`by` draws one panel per category, with its own rows", {
  drawn <- draw(fit, variables = "x", by = "f", points = 6)
  expect_named(drawn, c("x, f = a", "x, f = b"))
  for (level in c("a", "b")) {
    one <- drawn[[paste("x, f =", level)]]
    new <- data.frame(x = one$value, f = level, w = median(d$w))
    expect_equal(one$median, unname(predict(fit, new)))
  }
  page <- fit_page(fit, "fit", "x", c(0.5, 0.95), TRUE, 6, NULL, "f")
  expect_identical(unname(page$panels)[[2]]$title, "f = b")
  expect_equal(unname(page$panels)[[2]]$layers$data$data$y, d$y[d$f == "b"])

  # Partial dependence at each value; a number is split at three quantiles, rows to the nearest.
  partial <- draw(fit, which = "partial", variables = "x", by = "w", points = 4)
  at <- unname(quantile(d$w, c(0.1, 0.5, 0.9), type = 1))
  expect_named(partial, paste("x, w =", format(at[1:3], digits = 3)), ignore.order = TRUE)
  for (k in 1:3) {
    expected <- vapply(partial[[k]]$value, function(x) {
      mean(predict(fit, replace(d, c("x", "w"), list(x, at[k]))))
    }, 0)
    expect_equal(partial[[k]]$median, expected)
  }
  rows <- lapply(plot_conditions(fit, "w"), `[[`, "rows")
  nearest <- apply(abs(outer(d$w, at, `-`)), 1, which.min)
  expect_identical(rows, lapply(1:3, function(k) which(nearest == k)))

  expect_error(draw(fit, by = "z"), class = "btg_error_argument")
  expect_error(draw(fit, which = "transform", by = "f"), "no effect", class = "btg_error_argument")
})
