test_that("draws have the names, rows and columns of simulate()", {
  case <- oracle_case("sinharcsinh")
  for (joint in c(TRUE, FALSE)) {
    draws <- simulate(case$fit, nsim = 3, seed = 1, newdata = case$new, joint = joint)
    expect_s3_class(draws, "data.frame")
    expect_named(draws, c("sim_1", "sim_2", "sim_3"))
    expect_identical(row.names(draws), row.names(case$new))
    expect_identical(row.names(simulate(case$fit, seed = 1, joint = joint)),
                     row.names(case$data))
  }
})

test_that("seeds are as those of simulate() for lm", {
  case <- oracle_case("identity")
  draw <- function(...) simulate(case$fit, 2, newdata = case$new, ...)
  linear <- lm(dist ~ speed, cars)
  set.seed(7)
  state <- .Random.seed
  seeded <- draw(seed = 3)
  expect_identical(.Random.seed, state)
  expect_identical(attr(seeded, "seed"), attr(simulate(linear, 2, seed = 3), "seed"))
  expect_identical(draw(seed = 3), seeded)
  expect_false(identical(c(draw(seed = 4)), c(seeded)))

  unseeded <- draw()
  expect_identical(attr(unseeded, "seed"), state)
  expect_false(identical(.Random.seed, state))
  set.seed(7)
  expect_identical(draw(), unseeded)
  set.seed(3)
  expect_identical(unlist(draw()), unlist(seeded))
})

# Means and covariances of many draws against `expected`, to four standard errors of each.
expect_covariance <- function(draws, center, covariance) {
  n <- ncol(draws)
  deviation <- draws - center
  expect_lt(max(abs(rowMeans(deviation)) / sqrt(diag(covariance) / n)), 4)
  for (i in seq_len(nrow(draws))) {
    for (j in seq_len(i)) {
      product <- deviation[i, ] * deviation[j, ]
      expect_lt(abs(mean(product) - covariance[i, j]) / (sd(product) / sqrt(n)), 4)
    }
  }
}

test_that("joint draws of one node have the naive mean and covariance", {
  for (trend in c(~ 1, ~ x)) {
    case <- one_node_case(trend = trend)
    new <- rbind(case$new, data.frame(x = c(3.5, 3.3), w = c(5690, 5700)))
    basis <- model.matrix(trend, new)
    for (observation in c(TRUE, FALSE)) {
      latent <- naive_latent(case$model, as.matrix(new), basis, observation)
      covariance <- naive_joint_covariance(case$model, case$model$solved[[1]], as.matrix(new),
                                           basis, observation)
      draws <- simulate(case$fit, 4000, seed = 11, newdata = new, observation = observation)
      scaled <- (as.matrix(draws) - case$model$y_center) / case$model$y_scale
      expect_covariance(scaled, latent$location[, 1], covariance)
    }
  }
  # The process has one value at one place; observations of it differ.
  expect_lt(max(abs(draws[1, ] - draws[5, ])), 1e-3 * diff(range(draws)))
})

test_that("draws that are not joint are independent", {
  case <- one_node_case()
  new <- case$new[c(1, 1, 2), ]
  draws <- t(simulate(case$fit, 4000, seed = 1, newdata = new, joint = FALSE,
                      observation = FALSE))
  expect_lt(max(abs(cor(draws, method = "spearman")[upper.tri(diag(3))])), 4 / sqrt(4000))
  joint <- t(simulate(case$fit, 400, seed = 1, newdata = new, observation = FALSE))
  expect_gt(cor(joint[, 1], joint[, 2]), 0.999)
})

test_that("the margins of draws are the predictions", {
  truncated <- btg_prior(fixed = c(boxcox.lambda = 2))
  cases <- list(oracle_case("sinharcsinh"), oracle_case("boxcox", prior = truncated),
                oracle_case(c("softplus", "sinharcsinh")))
  for (case in cases) {
    for (joint in c(TRUE, FALSE)) {
      draws <- suppressWarnings(simulate(case$fit, 3000, seed = 5, newdata = case$new,
                                         joint = joint))
      pit <- quiet_predict(case$fit, case$new, type = "cdf", at = as.matrix(draws))
      for (i in 1:3) expect_gt(ks.test(pit[i, ], "punif")$p.value, 0.001)
    }
  }
})

# Found by fuzzing: what is added to a covariance to factor it made draws several times too wide.
test_that("the margins of draws are the predictions where the response is nearly known", {
  d <- data.frame(x = 1:12, y = sin(1:12))
  fit <- btg(y ~ x, d, transform = "identity", kernel = "exponential", quadrature = few_nodes(),
             prior = btg_prior(fixed = c(noise = 1e-13)))
  new <- data.frame(x = c(3, 4, 11))
  p <- c(0.1, 0.5, 0.9)
  quantiles <- predict(fit, new, type = "quantile", probs = p)
  expect_lt(max(quantiles[, 3] - quantiles[, 1]), 1e-5)
  draws <- as.matrix(simulate(fit, 2000, seed = 1, newdata = new))
  below <- vapply(1:3, function(k) rowMeans(draws <= quantiles[, k]), numeric(3))
  error <- (below - rep(p, each = 3)) / sqrt(rep(p * (1 - p), each = 3) / 2000)
  expect_lt(max(abs(error)), 4.5)
})

test_that("nodes are drawn by their weights", {
  # Far from the data the two nodes disagree: the mean is that of the mixture.
  case <- oracle_case("identity")
  draws <- simulate(case$fit, 5000, seed = 9, newdata = case$new)
  naive <- naive_mean_variance(case)
  z <- (rowMeans(draws) - naive$mean) / sqrt(naive$variance / 5000)
  expect_lt(max(abs(z)), 4)
  expect_lt(max(abs(apply(draws, 1, var) / naive$variance - 1)), 0.2)
})

test_that("threads do not change draws", {
  case <- oracle_case("sinharcsinh")
  draw <- function(...) simulate(case$fit, 20, seed = 2, newdata = case$new, ...)
  expect_identical(draw(threads = 2), draw())
  expect_identical(draw(threads = 2, joint = FALSE), draw(joint = FALSE))
})

test_that("rows that cannot be predicted are NA, and na.exclude pads", {
  case <- oracle_case("sinharcsinh")
  new <- rbind(case$new, c(NA, 5500))[c(1, 4, 2, 3), ]
  for (joint in c(TRUE, FALSE)) {
    draws <- simulate(case$fit, 2, seed = 1, newdata = new, joint = joint)
    expect_identical(which(is.na(draws$sim_1)), 2L)
    expect_identical(which(is.na(draws$sim_2)), 2L)
    none <- simulate(case$fit, 2, seed = 1, newdata = new[2, ], joint = joint)
    expect_identical(unname(unlist(none)), c(NA_real_, NA_real_))
  }
  d <- oracle_data()
  d$x[3] <- NA
  fit <- btg(y ~ x + w, d, na.action = na.exclude, quadrature = few_nodes(),
             transform = "sinharcsinh")
  for (joint in c(TRUE, FALSE)) {
    draws <- simulate(fit, 2, seed = 1, joint = joint)
    expect_identical(row.names(draws), as.character(1:14))
    expect_identical(which(is.na(draws$sim_2)), 3L)
  }
})

test_that("zeros are drawn where predictions are clipped", {
  d <- oracle_data()
  d$y <- pmax(d$y - 0.7, 0)
  fit <- suppressMessages(btg(y ~ x + w, d, transform = "boxcox", quadrature = few_nodes()))
  new <- data.frame(x = c(3.3, 12), w = c(5700, 5100))
  share <- quiet_predict(fit, new, type = "cdf", at = 0)[, 1]
  for (joint in c(TRUE, FALSE)) {
    draws <- suppressWarnings(simulate(fit, 2000, seed = 1, newdata = new, joint = joint))
    expect_gte(min(draws), 0)
    expect_lt(max(abs(rowMeans(draws == 0) - share) / sqrt(share * (1 - share) / 2000)), 4)
  }
})

test_that("what cannot be drawn is an error", {
  fit <- oracle_case("identity")$fit
  expect_error(simulate(fit, nsim = 0), "nsim", class = "btg_error_argument")
  expect_error(simulate(fit, nsims = 2), "nsim", class = "btg_error_unknown_argument")
  fit$models[[1]]$posterior$weight[2] <- -0.01
  expect_error(simulate(add_checksum(fit)), "negative weights", class = "btg_error_quadrature")
})

test_that("a covariance that would not fit into memory is refused, with its size", {
  before <- options(btg.memory = 4e9)
  on.exit(options(before))
  expect_error(check_covariance_size(50000, 1), "50,000 rows would need 40 GB",
               class = "btg_error_memory")
  expect_error(check_covariance_size(12000, 2), "on 2 threads",
               class = "btg_error_memory")
  expect_no_error(check_covariance_size(12000, 1))
  fit <- oracle_case("identity")$fit
  new <- data.frame(x = seq_len(3e4), w = 5500)
  expect_error(simulate(fit, newdata = new), "14 GB", class = "btg_error_memory")
})

test_that("draws in blocks have the covariance of joint draws", {
  case <- oracle_case("softplus")
  new <- data.frame(x = c(1, 9, 1.01, 9.01, 5), w = 5400)
  draw <- function(joint, nsim = 1000) {
    as.matrix(simulate(case$fit, nsim, seed = 3, newdata = new, joint = joint, observation = FALSE))
  }
  expect_identical(draw(5), draw(TRUE))
  expect_identical(draw(100), draw(TRUE))
  expect_identical(near_batches(cbind(new$x), 2), list(c(1L, 3L), 5L, c(2L, 4L)))
  expect_equal(cor(t(draw(2)), method = "spearman"), cor(t(draw(TRUE)), method = "spearman"),
               tolerance = 0.05)
  expect_error(simulate(case$fit, newdata = new, joint = 0), "joint", class = "btg_error_argument")
})

test_that("totals of draws in blocks have the standard deviation of the closed form", {
  case <- one_node_case()
  new <- expand.grid(x = seq(1, 12, length.out = 15), w = seq(5000, 6000, length.out = 15))
  basis <- matrix(1, nrow(new), 1)
  for (observation in c(TRUE, FALSE)) {
    covariance <- naive_joint_covariance(case$model, case$model$solved[[1]], as.matrix(new), basis,
                                         observation) * case$model$y_scale^2
    exact <- sqrt(sum(covariance))
    for (joint in c(60, 20)) {
      draws <- simulate(case$fit, 2000, seed = 4, newdata = new, observation = observation,
                        joint = joint)
      # The standard error of a standard deviation from 2000 draws is 1.6%.
      expect_equal(sd(colSums(draws)), exact, tolerance = 0.06)
      expect_equal(mean(apply(draws, 1L, var)), mean(diag(covariance)), tolerance = 0.06)
    }
  }
})

test_that("each block is drawn given rows that were drawn before", {
  x <- as.matrix(expand.grid(1:20, 1:15))
  steps <- draw_steps(x, 40)
  drawn <- unlist(lapply(steps, `[[`, "drawn"))
  expect_setequal(drawn, seq_len(300))
  expect_identical(anyDuplicated(drawn), 0L)
  done <- integer()
  for (step in steps) {
    expect_true(all(step$given %in% done))
    expect_lte(length(step$drawn), 40)
    expect_lte(length(step$given), 40)
    done <- c(done, step$drawn)
  }
  # Every row has a pivot near it.
  pivots <- x[steps[[1]]$drawn, ]
  nearest <- apply(x, 1, function(row) min(colSums((t(pivots) - row)^2)))
  expect_lt(max(sqrt(nearest)), 5)
})

test_that("draws share few nodes where a covariance is dear, each by its weight", {
  weight <- c(0.5, 0.3, 0.15, 0.05)
  set.seed(1)
  expect_identical(as.vector(table(drawn_nodes(weight, 100, Inf))), c(50L, 30L, 15L, 5L))
  two <- replicate(2000, drawn_nodes(weight, 10, 2))
  expect_true(all(apply(two, 2, function(one) length(unique(one))) <= 2))
  for (draw in c(1, 10)) {
    share <- tabulate(two[draw, ], 4) / 2000
    expect_lt(max(abs(share - weight) / sqrt(weight * (1 - weight) / 2000)), 4)
  }
  expect_identical(most_drawn_nodes(2025), 16)
  expect_gt(most_drawn_nodes(500), 100)
  expect_gt(most_drawn_nodes(2025, 100), 100)
  expect_identical(most_drawn_nodes(1e5, 500), 16)
})

test_that("joint draws of some terms have the naive mean and covariance", {
  d <- grouped_data()
  fit <- wgp(y ~ x + (x | g), d, warp_inputs = FALSE,
             fixed = c(lengthscale.x = 1.5, `ratio.(0 + x | g)` = 0.5, `ratio.(1 | g)` = 2,
                       noise = 0.2))
  terms <- list(
    list(name = "main", base = "stationary", columns = "x", kernel = "matern52", form = "radial"),
    list(name = "(0 + x | g)", base = "linear", columns = "x", by = "g"),
    list(name = "(1 | g)", base = "constant", columns = character(), by = "g")
  )
  X <- function(new) cbind(x = new$x, g = match(new$g, letters))
  model <- naive_model(fit, X(d), matrix(1, 36), d$y, "identity", terms = terms)
  new <- data.frame(x = c(-0.5, 1, 1.1), g = c("a", "b", "b"))
  ones <- matrix(1, 3)
  for (kept in list("main", c("main", "(1 | g)"), c("(0 + x | g)", "(1 | g)"))) {
    model$include <- kept
    latent <- naive_latent(model, X(new), ones, include = kept)
    covariance <- naive_joint_covariance(model, model$solved[[1]], X(new), ones)
    draws <- simulate(fit, 4000, seed = 12, newdata = new, include = kept)
    expect_covariance((as.matrix(draws) - model$y_center) / model$y_scale, latent$location[, 1],
                      covariance)
  }
  # Draws without groups need none.
  draw <- function(new, ...) unlist(simulate(fit, 2, seed = 1, newdata = new, ...))
  expect_identical(draw(new["x"], exclude = "(x | g)"), draw(new, include = "main"))
  expect_equal(c(rstantools::posterior_predict(fit, new["x"], draws = 2, seed = 1,
                                               include = "main")),
               unname(draw(new, include = "main"))[c(1, 4, 2, 5, 3, 6)])
})
