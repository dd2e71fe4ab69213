grid <- expand.grid(x = seq(0, 10, length.out = 7), w = seq(5000, 6000, length.out = 7))

# Draws of the naive t process, by a sampler of its own.
own_draws <- function(case, new, count) {
  model <- case$model
  basis <- model.matrix(~ 1, new)
  latent <- naive_latent(model, as.matrix(new), basis, FALSE)
  covariance <- naive_joint_covariance(model, model$solved[[1]], as.matrix(new), basis, FALSE)
  df <- nrow(model$M) - ncol(model$M)
  root <- t(chol(covariance * (df - 2) / df + diag(1e-10, nrow(new))))
  set.seed(1)
  normal <- matrix(rnorm(nrow(new) * count), ncol = count)
  z <- latent$location[, 1] + sweep(root %*% normal, 2, sqrt(rchisq(count, df) / df), `/`)
  model$y_center + model$y_scale * z
}

test_that("regions hold jointly, and with the next row no longer", {
  case <- one_node_case(noise = 0.05)
  draws <- own_draws(case, grid, 20000)
  threshold <- median(predict(case$fit, grid))
  for (level in c(0.5, 0.9)) {
    found <- exceedance_region(case$fit, grid, threshold, level, observation = FALSE)
    rows <- as.data.frame(found)
    for (side in c("above", "below")) {
      holds <- if (side == "above") draws > threshold else draws <= threshold
      own <- which(rows$region == side)
      expect_gt(length(own), 2)
      jointly <- function(rows) mean(colSums(!holds[rows, , drop = FALSE]) == 0)
      expect_gt(jointly(own), level - 0.02)
      expect_equal(found$probability[[side]], jointly(own), tolerance = 0.02)
      chance <- if (side == "above") rows$exceedance else 1 - rows$exceedance
      more <- setdiff(order(-chance), own)[1]
      expect_lt(jointly(c(own, more)), level + 0.02)
      # All rows of the region are more probable than all others.
      expect_gte(min(chance[own]), max(chance[-own]))
    }
    # The set above lies inside the possible one with the stated probability.
    outside <- setdiff(seq_len(nrow(grid)), found$possible)
    expect_gt(mean(colSums(draws[outside, ] > threshold) == 0), level - 0.02)
  }
})

test_that("the probability of each row is that of predict(), and one row is its own region", {
  case <- oracle_case("sinharcsinh")
  found <- exceedance_region(case$fit, case$new, 1.1, observation = TRUE)
  expect_equal(found$rows$exceedance,
               unname(predict(case$fit, case$new, type = "exceedance", at = 1.1)[, 1]))
  one <- exceedance_region(case$fit, case$new[1, ], 1.1, observation = TRUE)
  expect_equal(one$rows$joint, one$rows$exceedance, tolerance = 0.03)
  expect_equal(one$rows$joint_below, 1 - one$rows$exceedance, tolerance = 0.03)
})

test_that("regions of a higher level are smaller, and `joint` shows all of them", {
  case <- oracle_case("sinharcsinh")
  threshold <- median(predict(case$fit, grid))
  ask <- function(level) exceedance_region(case$fit, grid, threshold, level, observation = FALSE)
  low <- ask(0.6)
  high <- ask(0.9)
  expect_true(all(which(high$rows$region == "above") %in% which(low$rows$region == "above")))
  expect_identical(high$rows$joint, low$rows$joint)
  expect_identical(low$rows$joint >= 0.9, high$rows$region == "above")
  expect_identical(ask(0.6), low)
})

test_that("rows that cannot be predicted have no region, and the choice of noise is stated", {
  case <- oracle_case("identity")
  new <- grid[1:4, ]
  new$x[2] <- NA
  expect_message(found <- exceedance_region(case$fit, new, 1), class = "btg_message_noise")
  expect_identical(is.na(found$rows$region), c(FALSE, TRUE, FALSE, FALSE))
  expect_error(exceedance_region(case$fit, new[2, ], 1, observation = TRUE),
               class = "btg_error_regions")
  expect_error(exceedance_region(case$fit, new, "1"), class = "btg_error_argument")
  expect_error(exceedance_region(case$fit, new, 1, level = 95), class = "btg_error_argument")
})
