# A fit of few nodes stands for one of many in searches.

wave_data <- function() {
  d <- data.frame(a = (0.618 * 1:20) %% 1, b = (0.414 * 1:20) %% 1)
  d$y <- exp(sin(6 * d$a) + d$b)
  d
}

wave_fit <- function() {
  suppressWarnings(btg(y ~ a + b, wave_data(), transform = "auto"), classes = "btg_warning")
}

# The weights in a sketch of the nodes that the fit predicts from.
shares_of <- function(sketch, fit) {
  unlist(Map(function(drawn, model, weight) {
    nodes <- predictive_nodes(model)$hyper
    key <- function(hyper) do.call(paste, as.data.frame(hyper))
    at <- match(key(drawn$posterior$hyper), key(nodes))
    replace(numeric(nrow(nodes)), at, weight * drawn$posterior$weight)
  }, sketch$models, kept_models(fit), sketch$model_weights), use.names = FALSE)
}

test_that("a sketch has some of the nodes, and the weights of all", {
  fit <- wave_fit()
  sketch <- sketch_fit(fit, draw_nodes(fit, 40L))
  expect_lte(length(node_weights(sketch)), 40L)
  expect_equal(sum(node_weights(sketch)), 1)
  expect_named(sketch$models, names(kept_models(fit)))
  expect_lt(max(abs(sketch$model_weights - fit$model_weights[names(sketch$models)])), 1 / 40)
  # Each node is drawn as often as its share, but for one more or less.
  expect_lt(max(abs(shares_of(sketch, fit) - node_weights(fit))), 1 / 40)
})

test_that("a fit of few nodes, or with weights that have signs, is its own sketch", {
  few <- btg(y ~ a + b, wave_data(), transform = "identity", quadrature = few_nodes(24))
  expect_identical(sketch_fit(few), few)
  signed <- suppressWarnings(
    btg(y ~ a + b, wave_data(), transform = "softplus", quadrature = quad_smolyak(4)),
    classes = "btg_warning"
  )
  expect_lt(min(node_weights(signed)), 0)
  expect_identical(sketch_fit(signed), signed)
})

test_that("nothing on a fine grid is better than what is suggested by a sketch and an ascent", {
  skip_if_quick()
  fit <- wave_fit()
  expect_gt(length(node_weights(fit)), 3L * sketch_nodes)
  grid <- expand.grid(a = seq(0, 1, length.out = 31), b = seq(0, 1, length.out = 31))
  for (criterion in c("ei", "quantile")) {
    best <- suggest(fit, 0, 1, criterion = criterion)
    expect_gte(best[[criterion]], max(acquire(fit, grid, criterion)) - 1e-8)
  }
})

test_that("the sum by which improvements are looked for is close to the integral", {
  fit <- wave_fit()
  grid <- expand.grid(a = seq(0, 1, length.out = 25), b = seq(0, 1, length.out = 25))
  for (maximise in c(FALSE, TRUE)) {
    spec <- acquisition(fit, "ei", maximise = maximise)
    ask <- function(spec) answer_acquisition(fit, grid, spec, FALSE, 1)$value
    exact <- ask(spec)
    rough <- ask(screening_spec(spec, fit$scaling$y$scale))
    some <- exact > 1e-3 * max(exact)
    expect_gt(sum(some), 10)
    # Trapezoids are above a tail that bends upwards, and below one that bends downwards. To find
    # the best of many points the order is enough, and the factors were found, not derived.
    expect_lt(max(rough[some] / exact[some]), 3)
    expect_gt(min(rough[some] / exact[some]), 0.5)
    expect_gte(exact[which.max(rough)], 0.9 * max(exact))
  }
})
