test_that("groups and their differences are those of the process", {
  skip_if_not_installed("emmeans")
  skip_if_not_installed("coda") # which emmeans summarises draws with
  fit <- btg(weight ~ group, PlantGrowth, transform = "identity", quadrature = few_nodes())
  groups <- emmeans::emmeans(fit, ~ group)
  found <- as.data.frame(groups)
  expected <- predict(fit, data.frame(group = found$group), interval = "confidence")
  expect_equal(found$emmean, unname(expected[, "fit"]), tolerance = 0.01)
  expect_equal(found$upper.HPD, unname(expected[, "upr"]), tolerance = 0.03)
  differences <- as.data.frame(graphics::pairs(groups))
  draws <- simulate(fit, 2000, seed = 1, observation = FALSE,
                    newdata = data.frame(group = levels(PlantGrowth$group)))
  first <- as.numeric(draws[1, ]) - as.numeric(draws[2, ])
  expect_equal(differences$estimate[1], median(first), tolerance = 0.02)
})

test_that("other variables are held at their means", {
  skip_if_not_installed("emmeans")
  skip_if_not_installed("coda") # which emmeans summarises draws with
  d <- transform(oracle_data(), f = factor(rep(c("a", "b"), 7)))
  fit <- btg(y ~ x + f, d, transform = "softplus", quadrature = few_nodes())
  found <- as.data.frame(emmeans::emmeans(fit, ~ f))
  at <- data.frame(x = mean(d$x), f = c("a", "b"))
  expect_equal(found$emmean, unname(predict(fit, at, observation = FALSE)), tolerance = 0.03)
})

test_that("names may need backticks", {
  skip_if_not_installed("emmeans")
  skip_if_not_installed("coda") # which emmeans summarises draws with
  d <- transform(oracle_data(), f = factor(rep(c("a", "b"), 7)))
  names(d)[names(d) == "x"] <- "x 1"
  fit <- btg(y ~ `x 1` + f, d, transform = "softplus", quadrature = few_nodes())
  expect_identical(nrow(as.data.frame(emmeans::emmeans(fit, ~ f))), 2L)
})

test_that("means, predictions and trends are those of predict()", {
  skip_if_not_installed("emmeans")
  skip_if_not_installed("coda")
  set.seed(1)
  d <- data.frame(x = runif(40), f = factor(rep(c("a", "b"), 20)))
  d$y <- exp(1 + d$x + (d$f == "b") + 0.8 * rnorm(40))
  fit <- btg(y ~ x + f, d, transform = "softplus", quadrature = few_nodes())
  at <- data.frame(x = mean(d$x), f = c("a", "b"))
  means <- emmeans::emmeans(fit, ~ f, mode = "mean", draws = 8000)
  expected <- predict(fit, at, type = "mean", interval = "hdi")
  found <- as.data.frame(means)
  expect_equal(found$upper.HPD, unname(expected[, "upr"]), tolerance = 0.05)
  expect_equal(mean(found$emmean > predict(fit, at, observation = FALSE)), 1)
  expect_output(print(means), "means of observations")
  expect_output(print(emmeans::emmeans(fit, ~ f)), "medians of observations")
  expect_error(emmeans::emmeans(fit, ~ f, type = "prediction"), "mode",
               class = "btg_error_argument")
  expect_error(emmeans::emmeans(fit, ~ f, mode = "average"), class = "btg_error_argument")
  trends <- as.data.frame(emmeans::emtrends(fit, ~ f, var = "x", draws = 8000))
  slopes <- predict(fit, at, type = "slope", interval = "confidence")[, "x", ]
  width <- slopes[, "upr"] - slopes[, "lwr"]
  expect_lt(max(abs(trends$x.trend - slopes[, "fit"]) / width), 0.08)
  expect_lt(max(abs((trends$upper.HPD - trends$lower.HPD) / width - 1)), 0.1)
  rough <- btg(y ~ x + f, d, transform = "softplus", kernel = "exponential",
               quadrature = few_nodes())
  expect_error(emmeans::emtrends(rough, ~ f, var = "x"), "no derivative", class = "btg_error_slope")
})

test_that("without a group, its levels are not averaged over", {
  skip_if_not_installed("emmeans")
  skip_if_not_installed("coda")
  fit <- btg(y ~ x + (x | g), grouped_data(), transform = "identity", quadrature = few_nodes())
  means <- function(...) as.data.frame(emmeans::emmeans(fit, ~ x, at = list(x = c(-1, 1)), ...))
  found <- means(exclude = "(x | g)")
  at <- data.frame(x = c(-1, 1))
  expected <- predict(fit, at, exclude = "(x | g)", interval = "confidence")
  expect_equal(found$emmean, unname(expected[, "fit"]), tolerance = 0.02)
  expect_gt(min(found$upper.HPD - found$lower.HPD), max(means()$upper.HPD - means()$lower.HPD))
  # With it, the averages are those of joint draws over the groups of the fit.
  draws <- simulate(fit, 2000, seed = 1, observation = FALSE,
                    newdata = expand.grid(x = c(-1, 1), g = letters[1:4]))
  averages <- apply(as.matrix(draws), 2, function(y) tapply(y, rep(1:2, 4), mean))
  expect_equal(means()$emmean, unname(rowMeans(averages)), tolerance = 0.02)
})
