# The total of a one-node fit without a transform is t: its location and scale by explicit inverses.
exact_total <- function(case, new, weights, observation) {
  basis <- model.matrix(~ 1, new)
  model <- case$model
  latent <- naive_latent(model, as.matrix(new), basis, observation)
  covariance <- naive_joint_covariance(model, model$solved[[1]], as.matrix(new), basis, observation)
  df <- nrow(model$M) - ncol(model$M)
  list(mean = model$y_center * sum(weights) + model$y_scale * sum(weights * latent$location[, 1]),
       scale = model$y_scale * sqrt(drop(weights %*% covariance %*% weights) * (df - 2) / df),
       df = df)
}

grid_of <- function(side) {
  expand.grid(x = seq(0, 10, length.out = side), w = seq(5000, 6000, length.out = side))
}

test_that("totals without a transform are the t of the closed form, also by a root of low rank", {
  case <- one_node_case()
  for (side in c(6, 20)) {
    new <- grid_of(side)
    weights <- seq(0.5, 2, length.out = nrow(new))
    for (observation in c(TRUE, FALSE)) {
      exact <- exact_total(case, new, weights, observation)
      found <- predict_region(case$fit, new, fun = "total", weights = weights, nsim = 4096,
                              observation = observation, at = exact$mean + exact$scale)
      estimates <- found$estimates
      expect_equal(estimates$mean, exact$mean, tolerance = 1e-8)
      ends <- exact$mean + exact$scale * qt(c(0.5, 0.025, 0.975), exact$df)
      off <- abs(unlist(estimates[c("median", "lwr", "upr")]) - ends)
      expect_lt(max(off), 4 * estimates$error)
      expect_lt(estimates$error, 0.1 * exact$scale)
      expect_equal(estimates[[ncol(estimates)]], pt(1, exact$df, lower.tail = FALSE),
                   tolerance = 0.05)
    }
  }
})

test_that("the scale of draws of totals is right within the error of many draws", {
  case <- one_node_case(noise = 0.01)
  new <- grid_of(20)
  exact <- exact_total(case, new, rep(1, 400), FALSE)
  draws <- predict_region(case$fit, new, fun = "total", nsim = 8192, observation = FALSE,
                          keep_draws = TRUE)$draws
  expect_equal(dim(draws), c(8192L, 1L))
  reach <- diff(quantile(draws, c(0.1, 0.9), names = FALSE))
  expect_equal(reach / exact$scale, 2 * qt(0.9, exact$df), tolerance = 0.03)
})

test_that("means of means and of shares are sums of the rows' predictions", {
  case <- oracle_case("sinharcsinh")
  new <- transform(grid_of(4), part = rep(c("b", "a"), 8), area = 1:16)
  for (observation in c(TRUE, FALSE)) {
    mean <- predict(case$fit, new, type = "mean", observation = observation)
    above <- predict(case$fit, new, type = "exceedance", at = 1.2, observation = observation)
    by_part <- function(values) {
      vapply(split(seq_len(16), new$part), function(i) weighted.mean(values[i], new$area[i]), 0)
    }
    ask <- function(...) {
      predict_region(case$fit, new, "part", weights = "area", observation = observation, ...)
    }
    expect_equal(ask()$estimates$mean, unname(by_part(mean)), tolerance = 1e-10)
    share <- ask(fun = "share", threshold = 1.2)$estimates
    expect_equal(share$mean, unname(by_part(above)), tolerance = 1e-10)
    expect_identical(share$region, c("a", "b"))
  }
})

test_that("every summary agrees with long plain simulation", {
  case <- oracle_case(c("softplus", "sinharcsinh"))
  new <- grid_of(5)
  part <- rep(c("a", "b"), c(15, 10))
  plain <- as.matrix(simulate(case$fit, 6000, seed = 1, newdata = new))
  spread <- function(y) diff(range(y))
  summaries <- list(mean = mean, total = sum, max = max, min = min,
                    share = function(y) mean(y > 1))
  for (name in c(names(summaries), "own")) {
    fun <- if (name == "own") spread else name
    found <- predict_region(case$fit, new, part, fun = fun, observation = TRUE, nsim = 4096,
                            threshold = if (name == "share") 1)$estimates
    for (k in 1:2) {
      values <- apply(plain[part == c("a", "b")[k], ], 2, if (name == "own") spread
                                                           else summaries[[name]])
      # The median and limits as probabilities of the plain draws.
      got <- found[k, ]
      share <- vapply(c(got$median, got$lwr, got$upr),
                      function(q) (mean(values <= q) + mean(values < q)) / 2, 0)
      expect_lt(max(abs(share - c(0.5, 0.025, 0.975)) / c(0.04, 0.015, 0.015)),
                if (name == "share") 5 else 1)
    }
  }
})

test_that("regions of the same rows are the same however they are named", {
  case <- oracle_case("identity")
  new <- transform(grid_of(4), part = rep(c("north", "south"), each = 8))
  ask <- function(by) as.data.frame(predict_region(case$fit, new, by, observation = TRUE))
  expect_identical(ask("part"), ask(new$part))
  expect_identical(ask("part"), ask(factor(new$part)))
  numbered <- ask(rep(c(1, NA), each = 8))
  expect_identical(numbered$region, "1")
  expect_equal(numbered$mean, ask("part")$mean[1])
  expect_identical(as.data.frame(predict_region(case$fit, new, observation = TRUE))$rows, 16L)
})

test_that("answers do not depend on threads, and leave the generator of R alone", {
  case <- oracle_case("sinharcsinh")
  set.seed(1)
  before <- .Random.seed
  ask <- function(...) predict_region(case$fit, grid_of(17), observation = TRUE, nsim = 64, ...)
  first <- ask()
  expect_identical(.Random.seed, before)
  expect_identical(ask(threads = 2), first)
  expect_false(identical(ask(seed = 2)$estimates$median, first$estimates$median))
})

test_that("a message states what a row stands for, unless it is chosen or there is no noise", {
  case <- oracle_case("identity")
  expect_message(predict_region(case$fit, case$new), class = "btg_message_noise")
  expect_no_message(predict_region(case$fit, case$new, observation = FALSE))
  exact <- btg(y ~ x, data.frame(x = 1:8, y = sin(1:8)),
               transform = "identity", prior = btg_prior(fixed = c(noise = 0)),
               quadrature = few_nodes())
  expect_no_message(predict_region(exact, data.frame(x = c(1.5, 2.5))))
})

test_that("a mean that does not exist is NA, and its median is there", {
  case <- one_node_case("boxcox", fixed = c(boxcox.lambda = 0))
  found <- predict_region(case$fit, case$new, observation = TRUE)
  expect_identical(found$estimates$mean, NA_real_)
  expect_true(is.finite(found$estimates$median))
  expect_output(print(found), "mean does not exist")
})

test_that("draws in blocks do not narrow totals", {
  skip_if_quick()
  case <- one_node_case()
  new <- grid_of(80)
  exact <- exact_total(case, new, rep(1, 6400), FALSE)
  draws <- predict_region(case$fit, new, fun = "total", nsim = 512, observation = FALSE,
                          keep_draws = TRUE)$draws
  expect_equal(diff(quantile(draws, c(0.1, 0.9), names = FALSE)) / exact$scale,
               2 * qt(0.9, exact$df), tolerance = 0.12)
})

test_that("rows that cannot be predicted are left out with a warning, regions of none refused", {
  case <- oracle_case("identity")
  new <- transform(grid_of(2), part = c(1, 1, 2, 2))
  new$x[1] <- NA
  expect_warning(found <- predict_region(case$fit, new, "part", observation = TRUE),
                 class = "btg_warning_regions")
  expect_identical(found$estimates$rows, c(1L, 2L))
  new$x[2] <- NA
  expect_error(suppressWarnings(predict_region(case$fit, new, "part", observation = TRUE)),
               class = "btg_error_regions")
})

test_that("arguments that make no sense are refused", {
  case <- oracle_case("identity")
  ask <- function(...) predict_region(case$fit, case$new, observation = TRUE, ...)
  expect_error(ask(by = "part"), "no column `part`", class = "btg_error_argument")
  expect_error(ask(by = 1:2), "one value for each row", class = "btg_error_argument")
  expect_error(ask(fun = "sum"), class = "btg_error_argument")
  expect_error(ask(fun = "share"), "threshold", class = "btg_error_argument")
  expect_error(ask(threshold = 1), "share", class = "btg_error_argument")
  expect_error(ask(fun = range), "one number", class = "btg_error_argument")
  expect_error(ask(weights = c(-1, 1, 1)), class = "btg_error_argument")
  expect_error(ask(weights = c(1, Inf, 1)), class = "btg_error_argument")
  expect_error(ask(by = 1:3, weights = c(0, 1, 1)), "all zero", class = "btg_error_regions")
  expect_error(predict_region(case$fit, case$new[0, ], observation = TRUE), "no row",
               class = "btg_error_regions")
  expect_error(ask(weights = "area"), class = "btg_error_argument")
  expect_error(ask(at = NA), class = "btg_error_argument")
  expect_error(ask(cells = 5), class = "btg_error_argument")
  expect_error(ask(funs = 1), class = "btg_error_unknown_argument")
  expect_error(predict_region(case$fit), class = "btg_error_argument")
})

test_that("one row is a region, whose answer is its prediction", {
  case <- oracle_case("softplus")
  for (by in list(NULL, "only", "part")) {
    new <- transform(case$new[2, ], part = "a")
    found <- predict_region(case$fit, new, by, observation = TRUE, nsim = 8192)$estimates
    expect_identical(found$region, switch(if (is.null(by)) "none" else by, none = "all",
                                          only = "only", part = "a"))
    ends <- predict(case$fit, new, type = "quantile", probs = c(0.5, 0.025, 0.975))
    expect_lt(max(abs(unlist(found[c("median", "lwr", "upr")]) - ends)), 4 * found$error)
    expect_equal(found$mean, unname(predict(case$fit, new, type = "mean")))
  }
})

test_that("several columns make regions of their combinations", {
  case <- oracle_case("identity")
  new <- transform(grid_of(4), k = rep(1:2, 8), l = rep(c("b", "a"), each = 8))
  found <- predict_region(case$fit, new, c("k", "l"), observation = TRUE, nsim = 64)$estimates
  expect_identical(found$region, c("1, a", "1, b", "2, a", "2, b"))
  one <- predict_region(case$fit, new[new$k == 2 & new$l == "a", ], observation = TRUE, nsim = 64)
  expect_equal(found$mean[3], one$estimates$mean)
  expect_error(predict_region(case$fit, new, ~k, observation = TRUE), "names of columns",
               class = "btg_error_argument")
})

test_that("thresholds and values are converted to the unit of the fit", {
  skip_if_not_installed("units")
  d <- oracle_data()
  metres <- transform(d, y = units::set_units(y, "m"))
  fits <- lapply(list(d, metres), function(data) {
    btg(y ~ x, data, transform = "softplus", quadrature = few_nodes(8))
  })
  new <- data.frame(x = c(2, 5, 8))
  centimetres <- units::set_units(120, "cm")
  region <- function(fit, ...) predict_region(fit, new, observation = TRUE, ...)
  for (ask in list(
    function(fit, value) region(fit, fun = "share", threshold = value),
    function(fit, value) region(fit, at = value),
    function(fit, value) exceedance_region(fit, new, value, observation = TRUE),
    function(fit, value) influence(fit, new, at = value)
  )) {
    expect_equal(as.data.frame(ask(fits[[2]], centimetres)),
                 as.data.frame(ask(fits[[1]], 1.2)))
  }
})

test_that("a function of its own may return TRUE or FALSE, and must always have a value", {
  case <- oracle_case("identity")
  ask <- function(fun, ...) {
    predict_region(case$fit, case$new, fun = fun, observation = TRUE, nsim = 64, ...)$estimates
  }
  threshold <- median(predict(case$fit, case$new))
  expect_equal(ask(function(y) any(y > threshold), at = 0.5)[["exceedance_0.5"]],
               ask("max", at = threshold)[[7]])
  # Further arguments of functions are not weights.
  expect_equal(ask(median, weights = 1:3), ask(function(y) sort(y)[2], weights = 1:3))
  expect_equal(ask(sum, weights = 1:3), ask(function(y) sum(y), weights = 1:3))
  expect_error(ask(function(y) if (y[1] > threshold) NA else 1), "it returned NA",
               class = "btg_error_argument")
  expect_error(ask(function(y) stop("no such thing")), "no such thing",
               class = "btg_error_argument")
})

test_that("a function whose second argument is `w` gets the weights", {
  case <- oracle_case("identity")
  own <- predict_region(case$fit, case$new, fun = function(y, w) sum(w * y) / sum(w),
                        weights = 1:3, observation = TRUE, nsim = 64)
  built_in <- predict_region(case$fit, case$new, weights = 1:3, observation = TRUE, nsim = 64)
  expect_equal(own$estimates$median, built_in$estimates$median)
})
