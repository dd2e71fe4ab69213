# Leaves rows out of the naive model.

# Returns the model of all rows but `out` at the same nodes, reweighted by Bayes' theorem. Returns
# NULL if the remaining rows do not determine the trend.
oracle_loo_model <- function(model, out) {
  kept <- model
  kept$X <- model$X[-out, , drop = FALSE]
  kept$M <- model$M[-out, , drop = FALSE]
  kept$y <- model$y[-out]
  kept$w <- model$w[-out]
  if (nrow(kept$M) <= ncol(kept$M) || qr(kept$M)$rank < ncol(kept$M)) {
    return(NULL)
  }
  kept$solved <- naive_nodes(kept, kept$nodes)
  log_ratio <- naive_log_marginal(kept) - naive_log_marginal(model)
  weight <- model$nodes$weight * exp(log_ratio - max(log_ratio))
  kept$nodes$weight <- weight / sum(weight)
  kept
}

# Splits the rows by `folds`, a number or name per row, by default all different.
oracle_loo_rows <- function(model, folds = seq_along(model$y)) {
  split(seq_along(model$y), factor(folds, unique(folds)))
}

# Returns the t distributions of g(Y) without the fold: `location`, `scale` and `weight` with one
# row per row of the data and one column per node, and `df`; NA without a prediction.
oracle_loo_latent <- function(model, folds = seq_along(model$y), observation = TRUE) {
  empty <- matrix(NA_real_, length(model$y), nrow(model$nodes))
  result <- list(location = empty, scale = empty, weight = empty,
                 df = rep(NA_real_, length(model$y)))
  for (rows in oracle_loo_rows(model, folds)) {
    kept <- oracle_loo_model(model, rows)
    if (is.null(kept)) next
    latent <- naive_latent(kept, model$X[rows, , drop = FALSE], model$M[rows, , drop = FALSE],
                           observation, model$w[rows])
    result$location[rows, ] <- latent$location
    result$scale[rows, ] <- latent$scale
    result$weight[rows, ] <- rep(kept$nodes$weight, each = length(rows))
    result$df[rows] <- nrow(kept$M) - ncol(kept$M)
  }
  result
}

# Returns the predictive mixture of each row without its fold, or NULL without a prediction.
oracle_loo_mixtures <- function(model, folds = seq_along(model$y), observation = TRUE) {
  mixtures <- vector("list", length(model$y))
  for (rows in oracle_loo_rows(model, folds)) {
    kept <- oracle_loo_model(model, rows)
    if (is.null(kept)) next
    mixtures[rows] <- naive_mixtures(kept, model$X[rows, , drop = FALSE],
                                     model$M[rows, , drop = FALSE], observation, model$w[rows])
  }
  mixtures
}

# Returns per row, in the user's units: the median, the ends of the interval, the log density of y,
# the probability below y, and the crps by numerical integration.
oracle_loo_pointwise <- function(model, folds = seq_along(model$y), level = 0.95) {
  y <- model$y_center + model$y_scale * model$y
  mixtures <- oracle_loo_mixtures(model, folds)
  each <- lapply(seq_along(y), function(i) {
    mixture <- mixtures[[i]]
    if (is.null(mixture)) {
      return(rep(NA_real_, 6))
    }
    c(mixture$quantile(0.5), mixture$quantile((1 - level) / 2), mixture$quantile((1 + level) / 2),
      log(mixture$density(y[i])), mixture$cdf(y[i]), oracle_crps(mixture, y[i]))
  })
  values <- do.call(rbind, each)
  colnames(values) <- c("median", "lwr", "upr", "log_score", "pit", "crps")
  data.frame(y = y, values)
}

# Integrates crps = int F(t)^2 dt below y + int (1 - F(t))^2 dt above y, between quantiles.
oracle_crps <- function(mixture, y) {
  squared <- function(t) vapply(t, function(t) (mixture$cdf(t) - (t > y))^2, 0)
  inner <- vapply(c(0.001, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.999), mixture$quantile, 0)
  ends <- c(-Inf, sort(c(inner, y)), Inf)
  pieces <- vapply(seq_len(length(ends) - 1), function(i) {
    integrate(squared, ends[i], ends[i + 1], rel.tol = 1e-9, subdivisions = 1000L,
              stop.on.error = FALSE)$value
  }, 0)
  sum(pieces)
}
