# The same fit, predicting from all nodes.
with_all_nodes <- function(fit) {
  fit$models <- lapply(fit$models, function(model) {
    model$posterior[c("candidates", "predictive", "variance")] <- NULL
    model
  })
  add_checksum(fit)
}

# Points halfway between random pairs of near rows, other than the probes.
points_apart <- function(fit, count = 60L) {
  points <- fit_points(fit)
  X <- points$inputs
  rows <- rep_len(seq_len(nrow(X)), count)
  partner <- vapply(seq_along(rows), function(k) {
    order(rowSums((X - rep(X[rows[k], ], each = nrow(X)))^2))[2L + k %% 3L]
  }, 0L)
  new_points((X[rows, , drop = FALSE] + X[partner, , drop = FALSE]) / 2,
             points$trend[rows, , drop = FALSE], points$noise[rows, , drop = FALSE],
             rep(1, count), rep(TRUE, count), as.character(seq_len(count)))
}

# Root mean squares over the ends of 95% intervals, in predictive sds: how far they are from those
# by all nodes, their stated errors, and the errors of all nodes.
moves_of_ends <- function(fit, points) {
  ask <- function(fit) {
    request <- new_request(points, list(quantile = rbind(c(0.025, 0.975))),
                           options = list(standard_error = TRUE), run = new_run(cache = FALSE))
    answer(ensemble_of(fit), request)$answers$quantile
  }
  few <- ask(fit)
  all <- ask(with_all_nodes(fit))
  sd <- (all$value[, 2L] - all$value[, 1L]) / (2 * qnorm(0.975))
  root <- function(x) sqrt(mean(x^2))
  c(move = root((few$value - all$value) / sd), stated = root(few$standard_error / sd),
    own = root(all$standard_error / sd))
}

hills <- function(n, d, noise = 0.2, seed = 1) {
  set.seed(seed)
  x <- matrix(runif(n * d), n, dimnames = list(NULL, paste0("x", seq_len(d))))
  data.frame(x, y = exp(sin(5 * x[, 1]) / 2 + x[, min(2, d)]^2 + noise * rnorm(n)))
}

# The limit is of the probes that check; elsewhere ends may move a little more.
expect_small_move <- function(fit, most = 1.5, points = points_apart(fit)) {
  moves <- moves_of_ends(fit, points)
  expect_lt(moves[["move"]], most * max(0.5 * moves[["own"]], 0.005))
  expect_gt(moves[["stated"]], 0.8 * moves[["own"]])
  expect_gt(moves[["stated"]], moves[["move"]])
}

test_that("few nodes predict new rows like all, with many inputs, and far from other rows", {
  fit <- btg(y ~ ., hills(80, 12), transform = "sinharcsinh")
  expect_lt(fit$quadrature$nodes_predictive, length(fit$models[[1L]]$posterior$weight) / 2)
  expect_small_move(fit, points = prediction_points(fit, hills(60, 12, seed = 2)))
  curve <- btg(y ~ ., hills(40, 1, 0.1), transform = "sinharcsinh")
  around <- data.frame(x1 = seq(-0.05, 1.05, length.out = 60))
  expect_small_move(curve, points = prediction_points(curve, around))
})

test_that("few nodes predict like all: one model, an average, little noise", {
  one <- btg(y ~ ., hills(120, 2), transform = "sinharcsinh")
  expect_lt(one$quadrature$nodes_predictive, 40)
  expect_small_move(one)
  average <- btg(y ~ ., hills(60, 2), quadrature = quad_adaptive(effective = 100))
  expect_lt(average$quadrature$nodes_predictive, 60)
  expect_small_move(average)
  expect_small_move(btg(y ~ ., hills(60, 1, 0.001), transform = "sinharcsinh"))
})

test_that("few rows and many hyperparameters have more nodes, as their error asks for", {
  fit <- suppressWarnings(btg(y ~ ., hills(32, 5), transform = "sinharcsinh"))
  simple <- btg(y ~ ., hills(120, 1), transform = "sinharcsinh")
  expect_gt(fit$quadrature$nodes_predictive, 1.5 * simple$quadrature$nodes_predictive)
  expect_small_move(fit)
})

test_that("large fits predict from few of their nodes", {
  # Blocks this small are coarse, which is no matter here.
  fit <- suppressWarnings(btg(y ~ ., hills(600, 2), transform = "sinharcsinh",
                              approx = vecchia(10, 10, 20)), classes = "btg_warning_approx")
  expect_lt(fit$quadrature$nodes_predictive, fit$quadrature$nodes_kept)
  expect_small_move(fit)
})

test_that("left-out predictions of few nodes are those of all", {
  d <- hills(80, 2)
  d$y[7] <- max(d$y) # an outlier, whose left-out weights differ
  fit <- btg(y ~ ., d, transform = "sinharcsinh")
  left_out <- function(fit) suppressWarnings(loocv(fit), classes = "btg_warning")$pointwise
  few <- left_out(fit)
  all <- left_out(with_all_nodes(fit))
  # Without an outlier so far away, all nodes are of little use, but few are of no less.
  d$y[7] <- 3 * max(d$y)
  far <- btg(y ~ ., d, transform = "sinharcsinh")
  candidates <- far
  candidates$models <- lapply(far$models, with_candidates)
  difference <- left_out(far)$log_score - left_out(add_checksum(candidates))$log_score
  expect_lt(sqrt(mean(difference^2)), 0.02)
  expect_lt(sqrt(mean((few$log_score - all$log_score)^2)), 0.03)
  expect_lt(abs(sum(few$log_score - all$log_score)), 0.3)
  expect_equal(mean(few$crps), mean(all$crps), tolerance = 0.005)
})

test_that("models of an average have nodes by weight and keep their shares", {
  fit <- btg(y ~ ., hills(60, 2))
  weights <- fit$model_weights[fit$model_weights > 0]
  each <- lapply(kept_models(fit), function(model) model$posterior$predictive)
  expect_equal(vapply(each, sum, 0), rep(1, length(each)), ignore_attr = TRUE)
  expect_true(all(vapply(each, min, 0) >= 0))
  counts <- vapply(each, function(x) sum(x > 0), 0L)
  light <- weights < 0.1
  if (any(light)) expect_lt(max(counts[light]), max(counts))
  # One model by itself is represented anew.
  name <- names(which.min(weights))
  alone <- select_models(fit, name)
  expect_gt(alone$quadrature$nodes_predictive, counts[[name]])
  expect_small_move(alone)
})

test_that("`keep` sets the number, other rules keep their nodes, and refine() selects anew", {
  d <- hills(50, 1)
  fit <- btg(y ~ ., d, transform = "sinharcsinh")
  expect_type(fit$quadrature$representation$change, "double")
  kept <- btg(y ~ ., d, transform = "sinharcsinh", quadrature = quad_adaptive(keep = 30))
  expect_identical(kept$quadrature$nodes_predictive, 30L)
  expect_null(kept$quadrature$representation)
  grid <- btg(y ~ ., d, transform = "sinharcsinh", quadrature = few_nodes(32))
  expect_identical(grid$quadrature$nodes_predictive, grid$quadrature$nodes_kept)
  more <- refine(fit)
  expect_gt(more$quadrature$nodes_kept, fit$quadrature$nodes_kept)
  expect_lt(more$quadrature$nodes_predictive, 60)
  expect_small_move(more)
})

test_that("left-out posteriors that moved are found by few nodes as by all", {
  d <- hills(80, 2)
  d$y[7] <- 3 * max(d$y)
  fit <- btg(y ~ ., d, transform = "sinharcsinh")
  moved <- function(fit) {
    which(suppressWarnings(loocv(fit), classes = "btg_warning")$diagnostics$moved)
  }
  expect_gt(nodes_represented(fit), 5)
  expect_identical(moved(fit), moved(with_all_nodes(fit)))
  expect_identical(moved(fit), 7L)
})

# Points that are no probes: `step` times as far from the mean of the inputs as rows are, and in a
# group that has `code`.
points_outside <- function(fit, step, code = NULL, count = 9L) {
  at <- select_points(fit_points(fit), round(seq(2, row_count(fit) - 1, length.out = count)))
  groups <- coded_groups(fit$design)
  numbers <- setdiff(seq_len(ncol(at$inputs)), groups)
  at$inputs[, numbers] <- step * at$inputs[, numbers]
  if (!is.null(code)) at$inputs[, groups] <- code
  at$relative_noise[] <- 1
  at
}

test_that("few nodes predict like all beyond the data, and in new groups", {
  # Without probes there, ends moved by 0.47, 1.75 and 0.5 predictive sds.
  plain <- btg(y ~ ., hills(120, 2), transform = "sinharcsinh")
  expect_lt(moves_of_ends(plain, points_outside(plain, 5))[["move"]], 0.1)
  average <- btg(y ~ ., hills(60, 2))
  expect_lt(moves_of_ends(average, points_outside(average, 5))[["move"]], 0.5)
  d <- grouped_data(40)
  grouped <- btg(y ~ t + (1 | g), d, transform = "sinharcsinh")
  expect_lt(grouped$quadrature$nodes_predictive, 48)
  expect_lt(moves_of_ends(grouped, points_outside(grouped, 0.9, 7))[["move"]], 0.06)
  expect_lt(moves_of_ends(grouped, points_outside(grouped, 4, 7))[["move"]], 0.1)
})

test_that("points between rows of groups are in the group of a row", {
  fit <- btg(y ~ t + (1 | g), grouped_data(40), transform = "identity", quadrature = few_nodes())
  between <- points_between(fit, 40L)
  expect_identical(between$inputs[, "btg_levels(g)"], fit$design$inputs[, "btg_levels(g)"])
  expect_false(any(between$inputs[, "t"] == fit$design$inputs[, "t"]))
})
