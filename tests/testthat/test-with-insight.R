test_that("insight finds formula, variables and the data of the fit", {
  skip_if_not_installed("insight")
  d <- oracle_data()
  single <- btg(y ~ log(w) + x, d, trend = ~ x, transform = "identity", quadrature = few_nodes(8))
  average <- btg(y ~ w + x, d, quadrature = few_nodes(8))
  likely <- wgp(y ~ w + x, d, fixed = c(noise = 0.1))
  original <- d
  d <- data.frame(x = 1, w = 2, y = 3) # what the calls would find now
  for (fit in list(single, average, likely)) {
    expect_identical(insight::find_predictors(fit, flatten = TRUE), c("w", "x"))
    expect_identical(insight::find_response(fit), "y")
    expect_equal(insight::get_data(fit), original[c("y", "w", "x")], ignore_attr = TRUE)
    expect_equal(insight::get_response(fit), original$y, ignore_attr = TRUE)
    expect_identical(as.integer(insight::n_obs(fit)), 14L)
  }
  expect_equal(insight::get_parameters(single)$Estimate, unname(coef(single)))
  expect_equal(insight::get_varcov(single), vcov(single))
})

test_that("easystats knows the kind of the model and its predictions", {
  skip_if_not_installed("insight")
  for (fit in list(btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(8)),
                   wgp(dist ~ speed, cars))) {
    expect_identical(insight::model_info(fit)$is_bayesian, !inherits(fit, "wgp"))
    expect_equal(as.numeric(insight::get_predicted(fit)),
                 unname(predict(fit, observation = FALSE)))
    new <- data.frame(speed = c(5, 25))
    found <- insight::get_predicted(fit, data = new, predict = "prediction", ci = 0.9)
    expected <- predict(fit, new, interval = "prediction", level = 0.9)
    expect_equal(attr(found, "ci_data")$CI_low, unname(expected[, "lwr"]))
    skip_if_not_installed("performance")
    expect_equal(performance::mae(fit), mean(abs(cars$dist - predict(fit, observation = FALSE))))
  }
})
