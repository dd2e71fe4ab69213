# Predictions of fits with terms against chains over log_posterior(). Given its hyperparameters,
# each draw of a chain predicts as the naive model does.

# Returns how far ends and middles of intervals of the fit are from those of the chain (`move`), and
# the standard errors of the latter (`se`), in predictive standard deviations; one row per point.
compare_with_chain <- function(fit, d, new, transform, terms, columns) {
  draws <- withr::with_seed(1, chain_nodes(fit, steps = 600, burn = 200, thin = 20))
  # The naive model names the first term as the main one.
  names(draws) <- sub(paste0(terms[[1L]]$name, "."), "", names(draws), fixed = TRUE)
  known <- unique(d$g)
  X <- function(rows) {
    do.call(cbind, lapply(stats::setNames(nm = columns), function(name) {
      if (name == "g") match(rows$g, union(known, rows$g)) else rows[[name]]
    }))
  }
  M <- function(rows) matrix(1, nrow(rows), 1)
  model <- naive_model(fit, X(d), M(d), d$y, transform, terms = terms, nodes = draws)
  latent <- naive_latent(model, X(new), M(new))
  quantiles <- function(kept) {
    part <- model
    part$nodes <- draws[kept, ]
    part$nodes$weight <- 1 / length(kept)
    t(vapply(seq_len(nrow(new)), function(i) {
      mixture <- naive_mixture(part, latent$location[i, kept], latent$scale[i, kept])
      vapply(c(0.025, 0.5, 0.975), mixture$quantile, 0)
    }, numeric(3)))
  }
  all <- quantiles(seq_len(nrow(draws)))
  parts <- lapply(split(seq_len(nrow(draws)), draws$walker %% 6), quantiles)
  se <- sqrt(Reduce(`+`, lapply(parts, function(part) (part - all)^2)) / 30)
  found <- suppressMessages(predict(fit, new, type = "quantile", probs = c(0.025, 0.5, 0.975)))
  sd <- (all[, 3] - all[, 1]) / (2 * qnorm(0.975))
  list(move = unname(found - all) / sd, se = se / sd)
}

expect_like_chain <- function(compared, most = 0.03) {
  expect_lt(max(abs(compared$move) - 3 * compared$se), most)
}

process_term <- function(name, columns, form = "radial", ...) {
  list(name = name, base = "stationary", columns = columns, kernel = "matern52", form = form, ...)
}

test_that("intervals of known and new groups are those of a chain", {
  skip_if_quick()
  d <- grouped_data(40)
  fit <- btg(y ~ t + (1 | g), d, transform = "sinharcsinh", warp_inputs = FALSE)
  terms <- list(process_term("main", "t"),
                list(name = "(1 | g)", base = "constant", columns = character(), by = "g"))
  new <- data.frame(t = c(2.2, 5, 9), g = c("b", "new", "d"))
  expect_like_chain(compare_with_chain(fit, d, new, "sinharcsinh", terms, c("t", "g")))
})

test_that("intervals with an additive term are those of a chain", {
  skip_if_quick()
  d <- withr::with_seed(2, data.frame(x = rnorm(40), t = runif(40, 0, 9), noise = rnorm(40)))
  d$y <- sin(d$t) + d$x^2 / 2 + 0.2 * d$x * cos(d$t) + 0.1 * d$noise
  fit <- btg(y ~ x + t + additive(x, t), d, transform = "identity", warp_inputs = FALSE)
  both <- c("x", "t")
  terms <- list(process_term("main", both), process_term("additive(x, t)", both, "additive"))
  new <- data.frame(t = c(2.2, 5, 9, 14), x = c(0, 1.5, -1, 0))
  expect_like_chain(compare_with_chain(fit, d, new, "identity", terms, both))
})

test_that("intervals of curves by group are those of a chain", {
  skip_if_quick()
  d <- withr::with_seed(3, data.frame(t = sort(runif(45, 0, 9)), g = rep(c("a", "b", "c"), 15),
                                      noise = rnorm(45)))
  curve <- c(a = 0, b = 0.5, c = 0.3)[d$g]
  d$y <- exp(sin(d$t) / 2 + curve * cos(d$t) + 0.15 * d$noise)
  fit <- btg(y ~ gp(t) + gp(t, by = g), d, transform = "softplus", warp_inputs = FALSE)
  terms <- list(process_term("gp(t)", "t"), process_term("gp(t, by = g)", "t", by = "g"))
  new <- data.frame(t = c(2.2, 5, 9.5), g = c("b", "new", "c"))
  expect_like_chain(compare_with_chain(fit, d, new, "softplus", terms, c("t", "g")))
})
