# Computes weights of models from their left-out scores.

# Returns the weights that maximise the sum over rows of the log of the averaged densities (Yao,
# Vehtari, Simpson and Gelman 2018), plus `strength` times the mean of their logs under `prior`.
# `log_scores` has one row per observation and one column per model.
stacking_weights <- function(log_scores, prior = NULL, strength = 0) {
  # Rows that a model does not predict, or without density in any model, carry no information.
  informative <- rowSums(is.na(log_scores)) == 0L & apply(log_scores, 1L, max) > -Inf
  log_scores <- log_scores[informative %in% TRUE, , drop = FALSE]
  weights <- rep(1 / ncol(log_scores), ncol(log_scores))
  if (is.null(prior)) prior <- weights
  if (nrow(log_scores) == 0L) {
    return(stats::setNames(prior, colnames(log_scores)))
  }
  pull <- strength * prior / nrow(log_scores)
  density <- exp(log_scores - apply(log_scores, 1L, max))
  for (barrier in 10^-(1:11)) {
    weights <- stacking_newton(density, weights, barrier + pull, 1e-4 * barrier^2)
  }
  stats::setNames(weights / sum(weights), colnames(log_scores))
}

# Minimises sum(w) - mean(log(density w)) - sum(barrier log(w)) over positive w by Newton's method
# from `weights`. Divided by its sum, the minimiser is optimal among weights that sum to one.
stacking_newton <- function(density, weights, barrier, tolerance) {
  objective <- function(w) sum(w) - mean(log(density %*% w)) - sum(barrier * log(w))
  for (iteration in seq_len(50L)) {
    shares <- density * rep(weights, each = nrow(density))
    shares <- shares / rowSums(shares)
    gradient <- weights - colMeans(shares) - barrier # of the logarithms of the weights
    hessian <- crossprod(shares) / nrow(shares) + diag(barrier, length(weights))
    move <- -solve(hessian, gradient, tol = 0) # relative to the weights
    decrease <- -sum(gradient * move)
    if (decrease < tolerance) break
    size <- min(1, 0.9 / max(-move, 0.9))
    start <- objective(weights)
    while (objective(weights * (1 + size * move)) > start - 0.1 * size * decrease && size > 1e-10) {
      size <- size / 2
    }
    weights <- weights * (1 + size * move)
  }
  weights
}
