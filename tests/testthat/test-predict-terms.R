quietly <- function(code) suppressMessages(code, classes = "btg_message_new_groups")

# The posterior mean and sd of `term`, on the scale of coef(), by the naive model. Processes over
# all groups are less their mean over the rows of the fit.
naive_moments <- function(case, new, term) {
  model <- case$model
  model$include <- term$name
  X <- case$X(new)
  center <- matrix(0, nrow(X), nrow(case$d))
  if (term$base == "stationary" && is.null(term$by)) center[] <- 1 / nrow(case$d)
  A <- cbind(diag(nrow(X)), -center)
  X <- rbind(X, model$X)
  M <- matrix(0, nrow(X), ncol(model$M))
  latent <- naive_latent(model, X, M, observation = FALSE, include = term$name)
  each <- vapply(seq_along(model$solved), function(k) {
    node <- model$solved[[k]]
    z <- naive_forward(model$y, naive_layers(model$transform, node$hyper))
    scale <- sd(case$d$y) / sd(z)
    C <- naive_joint_covariance(model, node, X, M, observation = FALSE)
    cbind(scale * A %*% latent$location[, k], scale^2 * diag(A %*% C %*% t(A)))
  }, matrix(0, nrow(A), 2))
  weight <- model$nodes$weight
  mean <- drop(each[, 1, ] %*% weight)
  list(mean = mean, sd = sqrt(drop((each[, 2, ] + each[, 1, ]^2) %*% weight) - mean^2))
}

test_that("contributions of terms and their sds are naive, also in new groups", {
  for (transform in c("identity", "sinharcsinh")) {
    case <- grouped_case(transform)
    found <- quietly(predict(case$fit, new_grouped, type = "terms", se.fit = TRUE))
    names <- vapply(case$model$terms, `[[`, "", "name")
    expect_identical(colnames(found$fit), c(names, "trend"))
    for (term in case$model$terms) {
      expected <- naive_moments(case, new_grouped, term)
      expect_close(unname(found$fit[, term$name]), expected$mean, 1e-6)
      expect_close(unname(found$se.fit[, term$name]), expected$sd, 1e-6)
    }
  }
  # Without a transform, terms add up to the prediction.
  expect_close(rowSums(quietly(predict(grouped_case("identity")$fit, new_grouped, type = "terms"))),
               quietly(predict(grouped_case("identity")$fit, new_grouped, type = "mean")), 1e-8)
})

test_that("predictions with some terms are naive", {
  case <- grouped_case("identity")
  with <- c("main", "linear(x, t)", "(1 | h)")
  groups <- c("(x | g)", "gp(t, by = g)", "additive(x, periodic(t, 3))")
  latent <- naive_latent(case$model, case$X(new_grouped), case$M(new_grouped), include = with)
  mixture <- function(p) {
    vapply(1:3, function(i) {
      cdf <- function(y) {
        z <- (y - case$model$y_center) / case$model$y_scale
        sum(case$model$nodes$weight *
              pt((z - latent$location[i, ]) / latent$scale[i, ], nrow(case$d) - 2)) - p
      }
      uniroot(cdf, c(-20, 30), tol = 1e-12)$root
    }, 0)
  }
  found <- quietly(predict(case$fit, new_grouped, exclude = groups, interval = "prediction",
                           tolerance = 1e-12))
  expect_close(unname(found), cbind(mixture(0.5), mixture(0.025), mixture(0.975)), 1e-7)
  expect_identical(quietly(predict(case$fit, new_grouped, include = with, tolerance = 1e-12)),
                   found[, 1])
  # Rows that differ only in terms that are left out have the same prediction.
  other <- transform(new_grouped, g = "a")
  expect_equal(unname(quietly(predict(case$fit, other, include = with))), unname(found[, 1]))
})

test_that("the trend has the levels of the processes, with their uncertainty", {
  # With a constant and one process, prediction and level are known together.
  d <- grouped_data()
  fit <- wgp(y ~ t, d, trend = ~ x, fixed = c(lengthscale.t = 3, noise = 0.2), warp_inputs = FALSE)
  new <- data.frame(x = c(-1, 2), t = 5)
  found <- predict(fit, new, type = "terms", se.fit = TRUE)
  R <- function(a, b) naive_kernels$matern52(abs(outer(a, b, `-`)) / 3)
  K <- R(d$t, d$t) + (0.2 + fit$models[[1]]$noise_floor) * diag(36)
  M <- cbind(1, d$x)
  precision <- t(M) %*% solve(K, M)
  beta <- solve(precision, t(M) %*% solve(K, d$y))
  residual <- d$y - M %*% beta
  k <- rowMeans(R(d$t, d$t))
  Z <- cbind(1, new$x)
  expect_equal(unname(found$fit[, "trend"]), drop(Z %*% beta) + sum(k * solve(K, residual)),
               tolerance = 1e-8)
  u <- t(Z) - drop(t(M) %*% solve(K, k))
  C <- mean(R(d$t, d$t)) - sum(k * solve(K, k)) + colSums(u * solve(precision, u))
  q <- sum(residual * solve(K, residual))
  expect_equal(unname(found$se.fit[, "trend"]), sqrt(q / 32 * C), tolerance = 1e-7)
})

test_that("slopes of some terms are derivatives", {
  fit <- grouped_case("identity")$fit
  known <- transform(new_grouped, g = "a")
  at <- function(step) {
    predict(fit, transform(known, t = t + step), include = "linear(x, t)", tolerance = 1e-12)
  }
  slopes <- predict(fit, known, type = "slope", include = "linear(x, t)")
  expect_equal(slopes[, "t"], (at(1e-3) - at(-1e-3)) / 2e-3, tolerance = 1e-6)
  expect_true(all(is.na(slopes[, "g"])))
})

test_that("effects of groups are those of the terms, slopes in units of their variable", {
  case <- grouped_case("identity")
  effects <- group_effects(case$fit, level = 0.9)
  expect_setequal(effects$term, c("(0 + x | g)", "(1 | g)", "(1 | h)"))
  own <- effects[effects$term == "(1 | g)", ]
  new <- data.frame(x = 0, t = 1, g = own$group, h = 1)
  terms <- predict(case$fit, new, type = "terms", se.fit = TRUE)
  expect_equal(own$effect, unname(terms$fit[, "(1 | g)"]))
  expect_equal(own$sd, unname(terms$se.fit[, "(1 | g)"]))
  slopes <- effects[effects$term == "(0 + x | g)", ]
  up <- predict(case$fit, transform(new, x = mean(case$d$x) + 1), type = "terms")
  expect_equal(slopes$effect, unname(up[, "(0 + x | g)"]))
  # Intervals are quantiles of the mixture of t distributions.
  expect_true(all(own$lwr < own$effect & own$effect < own$upr))
  latent <- naive_latent(case$model, case$X(new), 0 * case$M(new), FALSE, include = "(1 | g)")
  scale <- case$model$y_scale
  probability <- vapply(seq_len(nrow(own)), function(i) {
    sum(case$model$nodes$weight *
          pt((own$lwr[i] / scale - latent$location[i, ]) / latent$scale[i, ], 34))
  }, 0)
  expect_close(probability, rep(0.05, 4), 1e-7)
})

test_that("REML variance components and effects are those of nlme", {
  skip_if_not_installed("nlme")
  d <- transform(grouped_data(), x = (x - mean(x)) / sd(x))
  reml <- function(random) {
    nlme::lme(y ~ x, d, random = random, method = "REML",
              control = nlme::lmeControl(tolerance = 1e-12, msTol = 1e-12, opt = "optim",
                                         reltol = 1e-14))
  }
  theirs <- reml(~ 1 | g)
  ours <- wgp(y ~ (1 | g), d, trend = ~ x)
  variance <- as.numeric(nlme::VarCorr(theirs)[, "Variance"])
  expect_equal(nodes(ours)$noise, variance[2] / variance[1], tolerance = 1e-4)
  expect_equal(unname(coef(ours)), unname(nlme::fixef(theirs)), tolerance = 1e-5)
  expect_equal(nlme::ranef(ours)$g[["(Intercept)"]], nlme::ranef(theirs)[["(Intercept)"]],
               tolerance = 1e-4)
  expect_equal(sigma(ours), sigma(theirs), tolerance = 1e-4)
  both <- reml(list(g = nlme::pdDiag(~ x)))
  ours <- wgp(y ~ (x | g), d, trend = ~ x)
  variance <- as.numeric(nlme::VarCorr(both)[, "Variance"])
  found <- nodes(ours)
  expect_equal(found$`ratio.(1 | g)`, variance[1] / variance[2], tolerance = 1e-3)
  expect_equal(found$noise, variance[3] / (variance[1] + variance[2]), tolerance = 1e-3)
  expect_equal(as.matrix(nlme::ranef(ours)$g[c("(Intercept)", "x")]), as.matrix(nlme::ranef(both)),
               tolerance = 1e-3, ignore_attr = TRUE)
  expect_equal(unname(predict(ours, d)), as.vector(predict(both, d)), tolerance = 1e-3)
})

test_that("REML variance components are those of lme4", {
  skip_if_not_installed("lme4")
  d <- grouped_data()
  d$y <- d$y + 2 * cos(as.integer(factor(d$h))) # so that no variance is zero
  theirs <- as.data.frame(lme4::VarCorr(lme4::lmer(y ~ x + (1 | g) + (1 | h), d)))
  ours <- nodes(wgp(y ~ (1 | g) + (1 | h), d, trend = ~ x))
  expect_equal(ours$noise, theirs$vcov[3] / sum(theirs$vcov[1:2]), tolerance = 1e-3)
})

test_that("the effects of groups are the best linear unbiased predictors in closed form", {
  d <- data.frame(g = rep(letters[1:5], times = c(2, 3, 4, 5, 6)), y = cos(1:20))
  ratio <- 0.7
  fit <- wgp(y ~ (1 | g), d, fixed = c(noise = ratio))
  n <- tapply(d$y, d$g, length)
  shrunk <- n / (n + ratio)
  mu <- sum(shrunk * tapply(d$y, d$g, mean)) / sum(shrunk)
  expect_equal(unname(coef(fit)), mu)
  expect_equal(group_effects(fit)$effect, as.vector(shrunk * (tapply(d$y, d$g, mean) - mu)))
})

test_that("linear() is ridge regression", {
  d <- grouped_data()
  ratio <- 0.3
  fit <- wgp(y ~ linear(x, t), d, fixed = c(noise = ratio), warp_inputs = FALSE)
  X <- scale(d[c("x", "t")])
  beta <- solve(crossprod(X) + 2 * ratio * diag(2), crossprod(X, d$y))
  new <- data.frame(x = c(0, 3), t = c(2, 20))
  Z <- scale(new, attr(X, "scaled:center"), attr(X, "scaled:scale"))
  expect_equal(unname(predict(fit, new)), mean(d$y) + drop(Z %*% beta), ignore_attr = TRUE)
})

test_that("terms that do not exist, or that need a group, are errors", {
  fit <- btg(dist ~ speed, cars, transform = "identity", quadrature = few_nodes(4))
  expect_error(predict(fit, include = "gp(x)"), "It has `main`", class = "btg_error_argument")
  expect_error(predict(fit, include = "main", exclude = "main"), class = "btg_error_argument")
  expect_error(predict(fit, include = 1), class = "btg_error_argument")
  expect_error(predict(fit, left_out = TRUE, include = "main"), class = "btg_error_argument")
  expect_error(predict(fit, type = c("terms", "mean")), class = "btg_error_argument")
  expect_error(group_effects(fit), "no effects of groups", class = "btg_error_term")
  # A fit without special terms has one.
  expect_equal(rowSums(predict(fit, cars[1:3, ], type = "terms")) +
                 attr(predict(fit, cars[1:3, ], type = "terms"), "constant"),
               predict(fit, cars[1:3, ], type = "mean"), ignore_attr = TRUE, tolerance = 1e-7)
  expect_identical(dim(predict(fit, cars[0, ], type = "terms")), c(0L, 1L))
  expect_identical(is.na(predict(fit, data.frame(speed = c(NA, 5)), type = "terms")[, 1]),
                   c(`1` = TRUE, `2` = FALSE))
})

test_that("a season is forecast beyond the end of the data, over a gap", {
  months <- data.frame(co2 = as.vector(co2), time = as.vector(time(co2)))
  months <- months[months$time >= 1986, ]
  past <- months[months$time < 1996 & !(months$time >= 1990 & months$time < 1991), ]
  fit <- btg(co2 ~ gp(time) + gp(periodic(time, 1)), past, trend = ~ time, transform = "identity",
             quadrature = few_nodes(32))
  unseen <- months[!months$time %in% past$time, ]
  found <- suppressWarnings(predict(fit, unseen, interval = "prediction"))
  inside <- unseen$co2 >= found[, "lwr"] & unseen$co2 <= found[, "upr"]
  expect_gt(mean(inside), 0.8)
  # A trend with sine and cosine of one year is less accurate: the season is no sine.
  harmonic <- lm(co2 ~ time + sin(2 * pi * time) + cos(2 * pi * time), past)
  error <- function(predicted) mean(abs(predicted - unseen$co2))
  expect_lt(error(found[, "fit"]), 0.6 * error(predict(harmonic, unseen)))
})

test_that("a saved fit with terms predicts the same, and rows with new groups can be added", {
  fit <- grouped_case("identity")$fit
  path <- withr::local_tempfile()
  saveRDS(fit, path)
  expect_identical(quietly(predict(readRDS(path), new_grouped)),
                   quietly(predict(fit, new_grouped)))
  more <- transform(new_grouped, y = 5)
  again <- update(fit, newdata = more)
  whole <- rbind(fit$data, more[names(fit$data)])
  expect_true("new" %in% group_effects(again)$group)
  expect_no_message(predict(again, new_grouped), class = "btg_message_new_groups")
  expect_identical(row_count(again), 39L)
})

test_that("numbers that name groups are searched as levels", {
  fit <- grouped_case("identity")$fit
  space <- space_of_fit(fit, NULL, NULL, NULL)
  expect_named(space$lower, c("x", "t"))
  expect_identical(space$levels$h, 1:3)
})

test_that("predictions with some terms use all nodes, not those chosen for all terms together", {
  d <- data.frame(t = 1:36)
  d$y <- withr::with_seed(1, sin(pi * d$t / 6) + 0.1 * d$t + rnorm(36, sd = 0.4))
  fit <- btg(y ~ gp(t) + gp(periodic(t, 12)), d, transform = "identity")
  expect_gt(length(with_all_candidates(fit)$models[[1]]$posterior$candidates),
            length(ensemble_of(fit)$weight))
  season <- "gp(periodic(t, 12))"
  found <- predict(fit, d[1:5, ], include = season, interval = "confidence", tolerance = 1e-10)
  opened <- open_terms(fit, 1)
  law <- term_laws(opened, select_points(fit_points(fit), 1:5), season, trend = TRUE)
  ends <- t_mixture_quantiles(opened$weight, opened$df, law$location, law$scale,
                              c(0.5, 0.025, 0.975))
  expect_equal(unname(found), unname(ends), tolerance = 1e-6)
})

test_that("errors of terms do not depend on the level of the response", {
  # Without a transform, a shift of the response moves the trend by a constant.
  terms_at <- function(level) {
    fit <- wgp(y ~ speed, transform(cars, y = level + dist), trend = ~ speed,
               fixed = c(lengthscale.speed = 5, noise = 0.5))
    predict(fit, cars[1:3, ], type = "terms", se.fit = TRUE)
  }
  near <- terms_at(0)
  far <- terms_at(1e9)
  expect_equal(far$se.fit, near$se.fit, tolerance = 1e-4)
  expect_equal(far$fit[, "trend"] - 1e9, near$fit[, "trend"], tolerance = 1e-4)
})
