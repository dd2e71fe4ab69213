printed <- function(x, ...) paste(capture.output(print(x, ...)), collapse = "\n")

d <- oracle_data()
average <- btg(y ~ x + w, d, quadrature = few_nodes(64))

test_that("the main model of an average is printed, the others on request", {
  kept <- sort(average$model_weights[average$model_weights > 0], decreasing = TRUE)
  main <- printed(summary(average))
  expect_match(main, paste0("Main model, weight ", format_weights(kept[1]), ": "), fixed = TRUE)
  expect_match(main, "The other models: summary(fit, models = \"all\")", fixed = TRUE)
  all <- printed(summary(average, models = "all"))
  expect_length(gregexpr("odel, weight", all)[[1]], length(kept))
  expect_no_match(all, "The other models")
  expect_error(summary(average, models = "some"), class = "btg_error_argument")
})

test_that("lengthscales stand beside the spans of their inputs", {
  found <- summary(btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes()))
  expect_equal(found$span, c(lengthscale.x = diff(range(d$x)), lengthscale.w = diff(range(d$w))))
  row <- grep("lengthscale.w", strsplit(printed(found), "\n")[[1]], value = TRUE)
  expect_match(row, paste0(format_significant(diff(range(d$w)), 3), "$"))
  one <- summary(btg(y ~ x + w, d, transform = "softplus", ard = FALSE, quadrature = few_nodes()))
  expect_identical(unname(one$span), NA_real_)
  expect_no_match(printed(one), "span of the data")
})

test_that("a lengthscale far beyond the span is explained", {
  found <- summary(wgp(y ~ x, d))
  found$hyperparameters["lengthscale.x", "estimate"] <- 3.1 * diff(range(d$x))
  expect_match(printed(found), "far beyond the span (`x`) mean a weak or nearly", fixed = TRUE)
  found$hyperparameters["lengthscale.x", "estimate"] <- 2.9 * diff(range(d$x))
  expect_no_match(printed(found), "far beyond the span")
})

test_that("coefficients of a trend are shown, those of a constant are not", {
  fit <- btg(y ~ x, d, trend = ~ w, transform = "identity", quadrature = few_nodes())
  found <- summary(fit)
  expect_equal(found$trend[, "mean"], coef(fit))
  expect_equal(found$trend[, -1], confint(fit, c("(Intercept)", "w")))
  expect_match(printed(found), "Trend, roughly in units of the response")
  expect_null(summary(average)$trend)
})

test_that("what is remarkable about a posterior is said in words", {
  quadrature <- summary(btg(y ~ x, d, transform = "softplus"))$quadrature
  caveats <- function(...) {
    more <- list(...)
    quadrature[names(more)] <- more
    paste(capture.output(print_caveats(quadrature)), collapse = "\n")
  }
  expect_identical(caveats(), "")
  expect_match(caveats(effective_nodes = 2, least_effective = 5), "Two settings .* rough")
  expect_match(caveats(boundary_mass = c(softplus.s = 0.5, noise = 0.1)),
               "more extreme values of `softplus.s` than the prior expects")
  expect_match(caveats(nodes_failed = 3L), "3 settings could not be evaluated")
  two <- rbind(quadrature$modes[1, ], quadrature$modes[1, ])
  two$mass <- c(0.7, 0.3)
  expect_match(caveats(modes = two), "2 modes, with shares 0.7, 0.3")
})

test_that("outputs read as they did when they were last reviewed", {
  local_reproducible_output(width = 80)
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(64))
  plain <- update(fit, transform = "identity")
  likely <- wgp(dist ~ speed, cars, transform = "softplus", fixed = c(noise = 0.1))
  timeless <- function(lines) sub(" +([0-9][0-9.]*|seconds)$", "", lines)
  expect_snapshot({
    fit
    average
    summary(fit)
    summary(average)
    likely
    summary(likely)
    loocv(fit)
    summary(loocv(fit))
  })
  expect_snapshot(compare_fits(fit, plain, likely), transform = timeless)
})
