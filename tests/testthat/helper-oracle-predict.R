# Computes predictions of the naive model (helper-oracle.R): its mixtures, their moments and scores.

# Returns the mixture at one point from the location and scale of each node: `cdf`, `density` and
# `quantile` of one value in the user's units, and `lost`, the mass that truncation removes.
naive_mixture <- function(model, location, scale) {
  df <- nrow(model$M) - ncol(model$M)
  w <- model$nodes$weight
  layers <- naive_layers(model$transform, model$nodes)
  standardise <- function(z) (z - location) / scale
  scaled <- function(y) (y - model$y_center) / model$y_scale

  domain <- naive_domain(model$transform)
  below <- pt(standardise(naive_forward(domain[1], layers)), df)
  inside <- pt(standardise(naive_forward(domain[2], layers)), df) - below
  cdf <- function(y) {
    if (scaled(y) <= domain[1]) {
      return(0)
    }
    sum(w * (pt(standardise(naive_forward(scaled(y), layers)), df) - below) / inside)
  }
  density <- function(y) {
    if (scaled(y) <= domain[1]) {
      return(0)
    }
    slope <- exp(naive_log_derivative(scaled(y), layers)) / model$y_scale
    sum(w * dt(standardise(naive_forward(scaled(y), layers)), df) / scale * slope / inside)
  }
  quantile <- function(p) {
    z <- location + scale * qt(below + p * inside, df)
    each <- model$y_center + model$y_scale * naive_inverse(z, layers)
    naive_root(function(y) cdf(y) - p, range(each))
  }
  list(cdf = cdf, density = density, quantile = quantile, lost = 1 - sum(w * inside))
}

naive_root <- function(f, bracket) {
  width <- max(diff(bracket), 1e-9 * max(abs(bracket)))
  wider <- bracket + c(-1e-3, 1e-3) * width
  uniroot(f, wider, tol = 1e-14 * max(abs(wider)), maxiter = 1e4)$root
}

naive_mixtures <- function(model, X, M, observation = TRUE, w = 1) {
  latent <- naive_latent(model, as.matrix(X), M, observation, w)
  lapply(seq_len(nrow(X)), function(i) {
    naive_mixture(model, latent$location[i, ], latent$scale[i, ])
  })
}

# Returns "cdf", "density" or "quantile" at `values`, one row per row of X and M.
naive_predict <- function(model, X, M, what, values, observation = TRUE) {
  mixtures <- naive_mixtures(model, X, M, observation)
  do.call(rbind, lapply(mixtures, function(mixture) vapply(values, mixture[[what]], 0)))
}

# Returns E max(Y, floor)^k, k = 1 or 2, of one mixture, by integrals over the t of each node.
naive_moment <- function(model, location, scale, k, floor = -Inf) {
  df <- nrow(model$M) - ncol(model$M)
  each <- vapply(seq_along(location), function(i) {
    layers <- naive_layers(model$transform, model$nodes[i, ])
    ends <- (naive_forward(naive_domain(model$transform), layers) - location[i]) / scale[i]
    value <- function(t) {
      y <- model$y_center + model$y_scale * naive_inverse(location[i] + scale[i] * t, layers)
      value <- pmax(y, floor)^k * dt(t, df)
      ifelse(is.finite(value), value, 0) # infinity times almost zero
    }
    # The integral is over v with t = sinh(v), where tails decay exponentially.
    knots <- c(-60, -10, -3, -1, 0, 1, 3, 10, 60)
    knots <- sort(c(pmin(pmax(asinh(ends), -60), 60),
                    knots[knots > asinh(ends[1]) & knots < asinh(ends[2])]))
    area <- function(from, to) {
      if (from == to) {
        return(0)
      }
      integrate(function(v) value(sinh(v)) * cosh(v), from, to, rel.tol = 1e-8,
                subdivisions = 1000, stop.on.error = FALSE)$value
    }
    sum(mapply(area, head(knots, -1), tail(knots, -1))) / diff(pt(ends, df))
  }, 0)
  sum(model$nodes$weight * each)
}

naive_mean_variance <- function(case, observation = TRUE, floor = -Inf) {
  latent <- naive_latent(case$model, as.matrix(case$new), case$new_trend, observation)
  moment <- function(k) {
    vapply(seq_len(nrow(case$new)), function(i) {
      naive_moment(case$model, latent$location[i, ], latent$scale[i, ], k, floor)
    }, 0)
  }
  list(mean = moment(1), variance = moment(2) - moment(1)^2)
}

# Returns the continuous ranked probability score of `y` for max(Y, floor), without tails of 1e-6.
naive_crps <- function(mixture, y, floor = -Inf) {
  knots <- vapply(c(1e-6, 1e-4, 0.01, 0.2, 0.5, 0.8, 0.99, 1 - 1e-4, 1 - 1e-6), mixture$quantile, 0)
  knots <- asinh(sort(c(pmax(knots, floor), y)))
  square <- function(v) {
    cdf <- vapply(sinh(v), mixture$cdf, 0)
    ifelse(v < asinh(y), cdf, 1 - cdf)^2 * cosh(v)
  }
  sum(vapply(seq_along(knots)[-1L], function(i) {
    if (knots[i - 1] == knots[i]) {
      return(0)
    }
    integrate(square, knots[i - 1], knots[i], rel.tol = 1e-7, abs.tol = 1e-8,
              subdivisions = 200, stop.on.error = FALSE)$value
  }, 0))
}

# Returns the covariance matrix of g(Y) at several points for one node.
naive_joint_covariance <- function(model, node, X, M, observation = TRUE, w = rep(1, nrow(X))) {
  df <- nrow(model$M) - ncol(model$M)
  correlation <- function(A, B) naive_prior(model, node$hyper, A, B)
  k <- correlation(model$X, X)
  u <- t(M) - t(model$M) %*% solve(node$K, k)
  C <- correlation(X, X) - t(k) %*% solve(node$K, k) + t(u) %*% solve(node$A, u)
  if (observation) C <- C + diag(node$noise / w, nrow(X))
  node$q / (df - 2) * C
}
