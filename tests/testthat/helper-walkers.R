# Chains over the hyperparameters of a fit.

# Samples hyperparameters by differential evolution (ter Braak 2006) over log_posterior(): each half
# of the walkers moves along differences of the other half. Positive hyperparameters move on the log
# scale. Returns a data frame as nodes() does, with equal weights and the number of the `walker`.
chain_nodes <- function(fit, walkers = 60, steps = 400, burn = 150, thin = 25) {
  nodes <- nodes(fit)
  names <- setdiff(names(nodes), c("weight", "log_marginal", "log_prior"))
  positive <- vapply(nodes[names], function(x) all(x > 0), NA)
  natural <- function(x) {
    x[, positive] <- exp(x[, positive])
    stats::setNames(as.data.frame(x), names)
  }
  height <- function(x) log_posterior(fit, natural(x))
  x <- as.matrix(nodes[sample(nrow(nodes), walkers, TRUE), names])
  x[, positive] <- log(x[, positive])
  x <- x + 0.1 * rnorm(length(x))
  now <- height(x)
  halves <- split(seq_len(walkers), rep(1:2, length.out = walkers))
  draws <- list()
  for (step in seq_len(burn + steps)) {
    for (h in 1:2) {
      mine <- halves[[h]]
      pairs <- vapply(mine, function(i) sample(halves[[3 - h]], 2), c(0, 0))
      size <- if (step %% 10 == 0) 1 else 2.38 / sqrt(2 * length(names)) * runif(1, 0.3, 1)
      proposed <- x[mine, ] + size * (x[pairs[1, ], ] - x[pairs[2, ], ]) +
        1e-3 * rnorm(length(mine) * length(names))
      then <- height(proposed)
      accept <- is.finite(then) & log(runif(length(mine))) < then - now[mine]
      x[mine[accept], ] <- proposed[accept, ]
      now[mine[accept]] <- then[accept]
    }
    if (step > burn && step %% thin == 0) draws <- c(draws, list(natural(x)))
  }
  draws <- do.call(rbind, draws)
  cbind(weight = 1 / nrow(draws), draws, walker = seq_len(walkers))
}
