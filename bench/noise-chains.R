# The posterior of the noise effects against chains of another sampler. See README.md.
#
#   Rscript bench/noise-chains.R [--full]
#
# Writes noise-chains.csv: means, standard deviations and quantiles of each hyperparameter, by the
# nodes and by the chains, and the largest distance of their distribution functions.

source("bench/common.R")

problems <- list(
  mcycle = function() {
    btg(accel ~ times, MASS::mcycle, transform = "sinharcsinh", warp_inputs = FALSE,
        noise = ~ splines::ns(times, 3), quadrature = quad_adaptive(effective = 1000))
  },
  cars = function() {
    btg(dist ~ speed, cars, transform = "softplus", warp_inputs = FALSE, noise = ~ speed,
        quadrature = quad_adaptive(effective = 1000))
  }
)

# Random-walk Metropolis, many chains side by side: a row of `coordinate` is where a chain is, which
# are logarithms of positive hyperparameters. Returns draws, chains and coordinates.
metropolis <- function(density, coordinate, steps, root) {
  draws <- array(0, c(steps, dim(coordinate)))
  chains <- nrow(coordinate)
  here <- density(coordinate)
  for (step in seq_len(steps)) {
    jump <- matrix(stats::rnorm(length(coordinate)), chains) %*% root
    # Now and then a small step, for corners.
    proposal <- coordinate + sample(c(1, 0.2), chains, TRUE, c(0.8, 0.2)) * jump
    there <- density(proposal)
    accepted <- log(stats::runif(chains)) < there - here
    coordinate[accepted, ] <- proposal[accepted, ]
    here[accepted] <- there[accepted]
    draws[step, , ] <- coordinate
  }
  draws
}

# Chains of log_posterior(), from starts twice as far apart as the posterior is wide.
run_chains <- function(fit, steps, chains = 24L) {
  nodes <- nodes(fit)
  names <- setdiff(names(nodes), c("weight", "log_marginal", "log_prior"))
  positive <- vapply(fit$models[[1L]]$problem$hyperparameters, function(h) h$positive, NA)
  as_hyper <- function(coordinate) {
    coordinate[, positive] <- exp(coordinate[, positive])
    colnames(coordinate) <- names
    coordinate
  }
  at <- as.matrix(nodes[names])
  at[, positive] <- log(at[, positive])
  known <- stats::cov.wt(at, pmax(nodes$weight, 0) / sum(pmax(nodes$weight, 0)))
  width <- chol(known$cov)
  set.seed(1)
  away <- matrix(stats::rnorm(chains * length(names)), chains) %*% (2 * width)
  draws <- metropolis(function(coordinate) log_posterior(fit, as_hyper(coordinate)),
                      sweep(away, 2L, known$center, `+`), steps,
                      2.38 / sqrt(length(names)) * width)
  list(draws = draws[-seq_len(steps %/% 5L), , ], nodes = at, weight = nodes$weight,
       names = names, positive = positive)
}

# The standard error of a chain's mean is from the spread of the means of chains.
compare_chains <- function(problem, run) {
  do.call(rbind, lapply(seq_along(run$names), function(j) {
    draws <- run$draws[, , j]
    order <- order(run$nodes[, j])
    value <- run$nodes[order, j]
    reached <- cumsum(run$weight[order])
    by_nodes <- function(p) value[pmin(findInterval(p, reached) + 1L, length(value))]
    mean <- sum(run$weight * run$nodes[, j])
    chain_means <- colMeans(draws)
    p <- c(0.025, 0.5, 0.975)
    quantiles <- c(by_nodes(p), stats::quantile(draws, p, names = FALSE))
    within <- mean(apply(draws, 2L, stats::var))
    data.frame(
      problem = problem, hyperparameter = run$names[j], logarithm = run$positive[[j]],
      mean_nodes = mean, mean_chains = mean(draws),
      se_chains = stats::sd(chain_means) / sqrt(length(chain_means)),
      sd_nodes = sqrt(sum(run$weight * (run$nodes[, j] - mean)^2)), sd_chains = stats::sd(draws),
      lower_nodes = quantiles[1L], lower_chains = quantiles[4L], median_nodes = quantiles[2L],
      median_chains = quantiles[5L], upper_nodes = quantiles[3L], upper_chains = quantiles[6L],
      distance = max(abs(stats::ecdf(draws)(value) - reached)),
      r_hat = sqrt(1 + stats::var(chain_means) / within)
    )
  }))
}

main <- function(given) {
  steps <- if (given$full) 5000L else 1000L
  table <- do.call(rbind, lapply(names(problems), function(name) {
    fit <- silently(problems[[name]]())
    compare_chains(name, run_chains(fit, steps))
  }))
  print(table[c("problem", "hyperparameter", "mean_nodes", "mean_chains", "se_chains", "sd_nodes",
                "sd_chains", "distance", "r_hat")], digits = 3, row.names = FALSE)
  write_rounded(table, given, "noise-chains.csv", 4L)
}

run_benchmark(main)
