# A sampler that shares nothing with the package but the density. Many chains advance in step;
# a state is a matrix with one row a chain. Two kinds of moves take turns:
#
# - differences: a multiple of the difference of two past states (DE-MC_Z: ter Braak and Vrugt
#   2008, Statistics and Computing 18). The multiple 1 lets chains change modes.
# - Hamiltonian: leapfrog steps along a force, with the covariance of past states as the inverse
#   of the mass. Whatever the force is, the chain is exact as long as it depends on the position
#   only: the density alone decides on acceptance.

# `start`: at least 10 d rows, of which the last start the chains. The first `warm_up` steps, of
# differences alone, and as many again with both, which adapt, are not returned. Returns an array:
# draws x chains x coordinates.
run_chains <- function(log_density, force, start, chains, steps, warm_up = 2000L) {
  d <- ncol(start)
  memory <- start
  state <- list(at = utils::tail(start, chains))
  state$density <- log_density(state$at)
  for (step in seq_len(warm_up)) {
    state <- move_by_difference(state, log_density, memory, if (step %% 10 == 0) 1)
    if (step %% 10 == 0) memory <- rbind(memory, state$at)
  }
  root <- covariance_root(memory)
  stepsize <- 0.5 * d^-0.25
  adapting <- steps %/% 4L
  draws <- array(NA_real_, c(steps, chains, d))
  for (step in seq_len(adapting + steps)) {
    state <- move_along_force(state, log_density, force, root, stepsize * runif(1, 0.7, 1.3))
    if (step <= adapting) {
      stepsize <- stepsize * exp((mean(state$accepted) - 0.8) / sqrt(step))
      if (step %% 50 == 0) root <- covariance_root(memory)
    }
    state <- move_by_difference(state, log_density, memory, if (step %% 2 == 0) 1)
    memory <- rbind(memory, state$at)
    if (step > adapting) draws[step - adapting, , ] <- state$at
  }
  draws
}

accept <- function(state, proposed, density, log_ratio) {
  accepted <- log(runif(length(density))) < log_ratio
  accepted[is.na(accepted)] <- FALSE
  state$at[accepted, ] <- proposed[accepted, ]
  state$density[accepted] <- density[accepted]
  state$accepted <- accepted
  state
}

move_by_difference <- function(state, log_density, memory, multiple = NULL) {
  chains <- nrow(state$at)
  d <- ncol(state$at)
  first <- memory[sample.int(nrow(memory), chains, TRUE), , drop = FALSE]
  second <- memory[sample.int(nrow(memory), chains, TRUE), , drop = FALSE]
  # Some coordinates at a time: all of 30 would hardly ever be accepted.
  moved <- matrix(runif(chains * d) < sample(c(0.1, 0.3, 1), chains, TRUE), chains)
  moved[cbind(seq_len(chains), sample.int(d, chains, TRUE))] <- TRUE
  if (is.null(multiple)) multiple <- 2.38 / sqrt(2 * rowSums(moved))
  proposed <- state$at + moved * (multiple * (first - second) + 1e-4 * rnorm(chains * d))
  density <- log_density(proposed)
  accept(state, proposed, density, density - state$density)
}

# Coordinates in which past states have the unit covariance: at = q root.
covariance_root <- function(memory) {
  recent <- utils::tail(memory, max(nrow(memory) %/% 2L, 20L * ncol(memory)))
  chol(cov(recent) + diag(1e-6, ncol(memory)))
}

move_along_force <- function(state, log_density, force, root, stepsize, least = 4L, most = 12L) {
  at <- state$at
  momentum <- start <- matrix(rnorm(length(at)), nrow(at))
  push <- function(at) force(at) %*% t(root)
  momentum <- momentum + stepsize / 2 * push(at)
  leaps <- sample(least:most, 1L)
  for (leap in seq_len(leaps)) {
    at <- at + stepsize * momentum %*% root
    momentum <- momentum + (if (leap < leaps) stepsize else stepsize / 2) * push(at)
  }
  density <- log_density(at)
  kinetic <- rowSums(momentum^2 - start^2) / 2
  accept(state, at, density, density - state$density - kinetic)
}

# Split R-hat (Gelman et al. 2013, section 11.4) of draws x chains.
r_hat <- function(draws) {
  half <- nrow(draws) %/% 2L
  halves <- cbind(draws[seq_len(half), ], draws[half + seq_len(half), ])
  within <- mean(apply(halves, 2L, var))
  sqrt((half - 1) / half + var(colMeans(halves)) / within)
}
