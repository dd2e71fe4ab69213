# The naive model with censored rows: likelihoods by one- and two-dimensional integrals, and a chain
# that samples hyperparameters and latent responses.

# Returns the law of the censored `rows` of a node given the others: location, scale matrix and
# degrees of freedom of a multivariate t.
naive_conditional <- function(node, M, z, rows) {
  o <- setdiff(seq_along(z), rows)
  exact_trend <- M[o, , drop = FALSE]
  inverse <- solve(node$K[o, o])
  A <- t(exact_trend) %*% inverse %*% exact_trend
  beta <- solve(A, t(exact_trend) %*% inverse %*% z[o])
  residual <- z[o] - exact_trend %*% beta
  q <- sum(residual * (inverse %*% residual))
  k <- node$K[rows, o, drop = FALSE]
  u <- M[rows, , drop = FALSE] - k %*% inverse %*% exact_trend
  C <- node$K[rows, rows, drop = FALSE] - k %*% inverse %*% t(k) + u %*% solve(A, t(u))
  df <- length(o) - ncol(M)
  list(location = as.vector(M[rows, , drop = FALSE] %*% beta + k %*% inverse %*% residual),
       scale = (C + t(C)) / 2 * q / df, df = df, q = q,
       half_log_det = (naive_log_det(node$K[o, o]) + naive_log_det(A)) / 2)
}

# P(lower < T < upper) of one or two t variables.
naive_box <- function(law, lower, upper) {
  s <- sqrt(law$scale[1, 1])
  a <- (lower - law$location) / sqrt(diag(law$scale))
  b <- (upper - law$location) / sqrt(diag(law$scale))
  if (length(lower) == 1) {
    return(pt(b, law$df) - pt(a, law$df))
  }
  rho <- law$scale[1, 2] / s / sqrt(law$scale[2, 2])
  given <- function(x) {
    spread <- sqrt((1 - rho^2) * (law$df + x^2) / (law$df + 1))
    inner <- pt((b[2] - rho * x) / spread, law$df + 1) - pt((a[2] - rho * x) / spread, law$df + 1)
    dt(x, law$df) * inner
  }
  integrate(given, a[1], b[1], rel.tol = 1e-10)$value
}

# Returns log likelihoods like naive_log_marginal(). `censored` is list(row, lower, upper) in the
# units of the response.
naive_censored_marginal <- function(model, censored, hyper = model$nodes) {
  scaled <- function(y) (y - model$y_center) / model$y_scale
  exact <- setdiff(seq_along(model$y), censored$row)
  middle <- scaled((censored$lower + censored$upper) / 2)
  vapply(seq_len(nrow(hyper)), function(i) {
    node <- naive_node(model, as.list(hyper[i, ]))
    layers <- naive_layers(model$transform, as.list(hyper[i, ]))
    z <- naive_forward(model$y, layers)
    law <- naive_conditional(node, model$M, z, censored$row)
    ends <- lapply(censored[c("lower", "upper")], function(y) naive_forward(scaled(y), layers))
    # The prior has the geometric mean of g' over exact rows and middles of finite intervals.
    references <- c(model$y[exact], middle[is.finite(middle)])
    -law$half_log_det - law$df / 2 * log(law$q) +
      sum(naive_log_derivative(model$y[exact], layers)) -
      ncol(model$M) * mean(naive_log_derivative(references, layers)) +
      log(naive_box(law, ends$lower, ends$upper))
  }, 0)
}

# Samples hyperparameters `x` by Metropolis steps and latent responses by Gibbs steps. `hyper_of`
# turns x into a list of hyperparameters (the trend is a constant), `log_prior` is the log prior
# density of x, and `start` and
# `steps` are a start and the standard deviations of the steps. Returns `count` draws of the
# location and scale of the t distribution of g(Y) at `inputs`, with the transform's parameters.
naive_chain <- function(model, censored, hyper_of, log_prior, start, steps, inputs, count,
                        burn = 500, thin = 5) {
  n <- length(model$y)
  p <- ncol(model$M)
  rows <- censored$row
  exact <- setdiff(seq_len(n), rows)
  lower <- (censored$lower - model$y_center) / model$y_scale
  upper <- (censored$upper - model$y_center) / model$y_scale
  y <- model$y
  y[rows] <- ifelse(is.finite(lower), lower + 0.1, upper - 0.1)
  # Everything at one value of the hyperparameters that does not depend on latent responses.
  node_at <- function(x) {
    hyper <- hyper_of(x)
    K <- naive_correlation(model$X, model$X, unlist(hyper[model$lengthscales]), model$kernel,
                           model$product) + (hyper$noise + model$floor) * diag(n)
    inverse <- chol2inv(chol(K))
    KM <- inverse %*% model$M
    A <- t(model$M) %*% KM
    # The t distribution at new points with a constant trend.
    predict <- function(k, z) {
      beta <- solve(A, t(KM) %*% z)
      u <- 1 - as.vector(t(k) %*% KM)
      C <- 1 + hyper$noise + model$floor - colSums(k * (inverse %*% k)) + u^2 / A[1, 1]
      q <- sum((z - beta[1]) * (inverse %*% (z - beta[1])))
      list(location = as.vector(beta[1] + t(k) %*% inverse %*% (z - beta[1])),
           scale = sqrt(q * C / (n - p)))
    }
    list(hyper = hyper, K = K, predict = predict, Q = inverse - KM %*% solve(A, t(KM)),
         constant = -(naive_log_det(K) + naive_log_det(A)) / 2 + log_prior(x),
         layers = naive_layers(model$transform, hyper))
  }
  # The density of exact and latent responses, where Jacobians of latent ones have power 1.
  height <- function(node, y) {
    z <- naive_forward(y, node$layers)
    node$constant - (n - p) / 2 * log(sum(z * (node$Q %*% z))) +
      (1 - p / length(exact)) * sum(naive_log_derivative(y[exact], node$layers)) +
      sum(naive_log_derivative(y[rows], node$layers))
  }
  x <- start
  node <- node_at(x)
  now <- height(node, y)
  draws <- vector("list", count)
  for (k in seq_len(burn + count)) {
    for (inner in seq_len(thin)) {
      proposed <- x + rnorm(length(x)) * steps * sample(c(0.3, 1, 2), 1)
      other <- node_at(proposed)
      then <- height(other, y)
      if (is.finite(then) && log(runif(1)) < then - now) {
        x <- proposed
        node <- other
        now <- then
      }
    }
    z <- naive_forward(y, node$layers)
    for (j in seq_along(rows)) {
      i <- rows[j]
      e <- sum(node$Q[i, ] * z)
      q <- sum(z * (node$Q %*% z)) - e^2 / node$Q[i, i]
      location <- z[i] - e / node$Q[i, i]
      scale <- sqrt(q / node$Q[i, i] / (n - 1 - p))
      ends <- pt((naive_forward(c(lower[j], upper[j]), node$layers) - location) / scale, n - 1 - p)
      z[i] <- location + scale * qt(ends[1] + runif(1) * diff(ends), n - 1 - p)
    }
    y[rows] <- naive_inverse(z[rows], node$layers)
    now <- height(node, y)
    if (k > burn) {
      k_new <- naive_correlation(model$X, inputs, unlist(node$hyper[model$lengthscales]),
                                 model$kernel, model$product)
      latent <- node$predict(k_new, z)
      draws[[k - burn]] <- c(latent, list(layers = node$layers, x = x))
    }
  }
  draws
}

# Returns the distribution function of Y at `at`, one value per row of the new points, averaged over
# draws of naive_chain().
naive_chain_cdf <- function(draws, model, at) {
  scaled <- (at - model$y_center) / model$y_scale
  df <- length(model$y) - ncol(model$M)
  rowMeans(vapply(draws, function(draw) {
    pt((naive_forward(scaled, draw$layers) - draw$location) / draw$scale, df)
  }, at))
}
