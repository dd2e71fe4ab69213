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
