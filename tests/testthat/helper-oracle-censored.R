# The naive model of censored responses at fixed hyperparameters: data augmentation by Gibbs
# sampling, and for one censored row an integral over its latent response.

# A process of one input. `z` are latent responses, `limits` those of censored rows (equal for exact
# ones), all transformed.
censored_process <- function(x, limits, lengthscale, noise, new) {
  K <- function(a, b) naive_kernels$matern52(abs(outer(a, b, `-`)) / lengthscale)
  list(K = K(x, x) + noise * diag(length(x)), k = K(x, new), c0 = 1 + noise, limits = limits,
       M = matrix(1, length(x)), m = matrix(1, length(new)))
}

# Location, scale and degrees of freedom of predictions from complete latent responses.
complete_prediction <- function(process, z, rows = seq_along(z)) {
  inverse <- solve(process$K[rows, rows])
  M <- process$M[rows, , drop = FALSE]
  k <- process$k[rows, , drop = FALSE]
  A <- t(M) %*% inverse %*% M
  beta <- solve(A, t(M) %*% inverse %*% z)
  residual <- z - M %*% beta
  u <- t(process$m) - t(M) %*% inverse %*% k
  variance <- process$c0 - colSums(k * (inverse %*% k)) + colSums(u * solve(A, u))
  df <- length(rows) - ncol(M)
  list(location = as.vector(process$m %*% beta + t(k) %*% inverse %*% residual),
       scale = sqrt(sum(residual * (inverse %*% residual)) / df * variance), df = df)
}

complete_cdf <- function(process, z, at) {
  law <- complete_prediction(process, z)
  pt((at - law$location) / law$scale, law$df)
}

# Returns the predictive distribution function at `at`, one value per new point, as the mean over
# `draws` sweeps of beta, tau and the latent responses.
gibbs_cdf <- function(process, at, draws, burn = 200) {
  limits <- process$limits
  censored <- which(limits[, 1] < limits[, 2])
  z <- ifelse(is.finite(limits[, 1]), limits[, 1], limits[, 2])
  precision <- solve(process$K)
  M <- process$M
  A <- t(M) %*% precision %*% M
  total <- 0
  for (sweep in seq_len(burn + draws)) {
    beta <- solve(A, t(M) %*% precision %*% z)
    residual <- z - M %*% beta
    q <- sum(residual * (precision %*% residual))
    tau <- rgamma(1, (length(z) - ncol(M)) / 2, q / 2)
    beta <- beta + solve(chol(A * tau), rnorm(ncol(M)))
    mean <- as.vector(M %*% beta)
    for (i in censored) {
      # The normal conditional of one latent response given all others.
      sd <- 1 / sqrt(tau * precision[i, i])
      location <- z[i] - sum(precision[i, ] * (z - mean)) / precision[i, i]
      ends <- pnorm(limits[i, ], location, sd)
      z[i] <- qnorm(runif(1, ends[1], ends[2]), location, sd)
    }
    if (sweep > burn) total <- total + complete_cdf(process, z, at)
  }
  total / draws
}

# The same by an integral over the latent response of the only censored row, whose predictive from
# the exact rows is a t.
one_censored_cdf <- function(process, at) {
  limits <- process$limits
  row <- which(limits[, 1] < limits[, 2])
  from_exact <- process
  from_exact$k <- process$K[, row, drop = FALSE]
  from_exact$m <- process$M[row, , drop = FALSE]
  from_exact$c0 <- process$K[row, row]
  exact <- setdiff(seq_len(nrow(limits)), row)
  law <- complete_prediction(from_exact, limits[exact, 1], exact)
  ends <- pt((limits[row, ] - law$location) / law$scale, law$df)
  given <- function(p, j) {
    z <- limits[, 1]
    vapply(p, function(one) {
      z[row] <- law$location + law$scale * qt(one, law$df)
      complete_cdf(process, z, at)[j]
    }, 0)
  }
  vapply(seq_along(at), function(j) {
    integrate(given, ends[1], ends[2], j = j, rel.tol = 1e-8)$value / diff(ends)
  }, 0)
}
