# The naive model: its formulas as they read, with solve() and determinant(), one node at a time.
# It shares no code with the package. Of a fit it uses nodes(fit) and fit$scaling$y; all else it
# is told: raw inputs, trend, response, and the names of the kernel and the transforms.

naive_kernels <- list(
  rbf = function(r) exp(-r^2 / 2),
  matern52 = function(r) (1 + sqrt(5) * r + 5 * r^2 / 3) * exp(-sqrt(5) * r),
  matern32 = function(r) (1 + sqrt(3) * r) * exp(-sqrt(3) * r),
  exponential = function(r) exp(-r)
)

# Correlations of the rows of A with those of B; one lengthscale a column.
naive_correlation <- function(A, B, lengthscale, kernel, product) {
  k <- naive_kernels[[kernel]]
  r <- lapply(seq_len(ncol(A)), function(j) abs(outer(A[, j], B[, j], `-`)) / lengthscale[j])
  if (product) {
    return(Reduce(`*`, lapply(r, k)))
  }
  k(sqrt(Reduce(`+`, lapply(r, function(r) r^2))))
}

# (y^lambda - 1) / lambda, and its limit when every lambda is 0.
naive_power <- function(log_y, lambda) {
  if (all(lambda == 0)) log_y else (exp(lambda * log_y) - 1) / lambda
}

naive_unpower <- function(z, lambda) {
  if (all(lambda == 0)) exp(z) else (1 + lambda * z)^(1 / lambda)
}

# Each a list of functions of a value and the layer's parameters `p`.
naive_transforms <- list(
  identity = list(
    forward = function(y, p) y,
    inverse = function(z, p) z,
    log_derivative = function(y, p) 0 * y
  ),
  affine = list(
    forward = function(y, p) p$a + p$b * y,
    inverse = function(z, p) (z - p$a) / p$b,
    log_derivative = function(y, p) log(p$b) + 0 * y
  ),
  arcsinh = list(
    forward = function(y, p) asinh((y - p$c) / p$d),
    inverse = function(z, p) p$c + p$d * sinh(z),
    log_derivative = function(y, p) -log(p$d) - log(1 + ((y - p$c) / p$d)^2) / 2
  ),
  sinharcsinh = list(
    forward = function(y, p) sinh(p$b * asinh(y) - p$a),
    inverse = function(z, p) sinh((asinh(z) + p$a) / p$b),
    log_derivative = function(y, p) log(p$b * cosh(p$b * asinh(y) - p$a)) - log(1 + y^2) / 2
  ),
  boxcox = list(
    forward = function(y, p) naive_power(log(y), p$lambda),
    inverse = function(z, p) naive_unpower(z, p$lambda),
    log_derivative = function(y, p) (p$lambda - 1) * log(y)
  ),
  softplus = list(
    forward = function(y, p) y / p$s + log(-expm1(-y / p$s)),
    inverse = function(z, p) p$s * log(1 + exp(z)),
    log_derivative = function(y, p) -log(p$s) - log(-expm1(-y / p$s))
  ),
  yeojohnson = list(
    forward = function(y, p) {
      power <- naive_yeojohnson_power(y, p)
      sign(y) * naive_power(log(1 + abs(y)), power)
    },
    inverse = function(z, p) {
      power <- naive_yeojohnson_power(z, p)
      sign(z) * (naive_unpower(abs(z), power) - 1)
    },
    log_derivative = function(y, p) (p$lambda - 1) * sign(y) * log(1 + abs(y))
  )
)

# lambda where y (or g(y), which has its sign) is positive, 2 - lambda where it is negative.
naive_yeojohnson_power <- function(y, p) 1 + sign(y) * (p$lambda - 1)

# The layers of a transform with their parameters from `hyper`, a data frame of one or more nodes:
# a second layer of a kind is called, say, `affine2`.
naive_layers <- function(transform, hyper) {
  occurrence <- ave(seq_along(transform), transform, FUN = seq_along)
  labels <- paste0(transform, ifelse(occurrence > 1, occurrence, ""))
  lapply(seq_along(transform), function(i) {
    prefix <- paste0(labels[i], ".")
    mine <- names(hyper)[startsWith(names(hyper), prefix)]
    list(g = naive_transforms[[transform[i]]],
         p = setNames(as.list(hyper[mine]), substring(mine, nchar(prefix) + 1)))
  })
}

naive_forward <- function(y, layers) {
  for (layer in layers) y <- layer$g$forward(y, layer$p)
  y
}

naive_inverse <- function(z, layers) {
  for (layer in rev(layers)) z <- layer$g$inverse(z, layer$p)
  z
}

naive_log_derivative <- function(y, layers) {
  total <- 0
  for (layer in layers) {
    total <- total + layer$g$log_derivative(y, layer$p)
    y <- layer$g$forward(y, layer$p)
  }
  total
}

# The support of the scaled response: only a first layer may bound it here.
naive_domain <- function(transform) {
  c(if (transform[1] %in% c("boxcox", "softplus")) 0 else -Inf, Inf)
}

# `X` and `M` are matrices in user units. A column of X belongs to the lengthscale of its name,
# so that the columns of a factor share a name; or all to one, with ard = FALSE. `w` are weights,
# relative to their mean.
naive_model <- function(fit, X, M, y, transform, kernel = "matern52", product = FALSE,
                        ard = TRUE, nodes = btg::nodes(fit), weights = rep(1, length(y))) {
  X <- as.matrix(X)
  model <- list(
    X = X, M = M, y = (y - fit$scaling$y$center) / fit$scaling$y$scale,
    y_center = fit$scaling$y$center, y_scale = fit$scaling$y$scale,
    lengthscales = paste0("lengthscale.", if (ard) colnames(X) else rep("all", ncol(X))),
    transform = transform, kernel = kernel, product = product, nodes = nodes,
    w = weights / mean(weights)
  )
  model$solved <- naive_nodes(model, model$nodes)
  model
}

# One node: K, the trend's coefficients and the residuals. `hyper` is a row of nodes().
naive_node <- function(model, hyper) {
  lengthscale <- unlist(hyper[model$lengthscales])
  R <- naive_correlation(model$X, model$X, lengthscale, model$kernel, model$product)
  K <- R + hyper$noise * diag(1 / model$w)
  layers <- naive_layers(model$transform, hyper)
  z <- naive_forward(model$y, layers)
  M <- model$M
  A <- t(M) %*% solve(K, M)
  beta <- solve(A, t(M) %*% solve(K, z))
  residual <- z - M %*% beta
  list(K = K, A = A, beta = beta, residual = residual, lengthscale = lengthscale,
       noise = hyper$noise, q = sum(residual * solve(K, residual)),
       log_jacobian = sum(naive_log_derivative(model$y, layers)))
}

naive_nodes <- function(model, hyper) {
  lapply(seq_len(nrow(hyper)), function(i) naive_node(model, as.list(hyper[i, ])))
}

naive_log_det <- function(A) as.vector(determinant(A)$modulus)

naive_log_marginal <- function(model, nodes = model$solved) {
  n <- nrow(model$M)
  p <- ncol(model$M)
  vapply(nodes, function(node) {
    -naive_log_det(node$K) / 2 - naive_log_det(node$A) / 2 - (n - p) / 2 * log(node$q) +
      (1 - p / n) * node$log_jacobian
  }, 0)
}

# Location and scale of g(Y): matrices with a row for each row of X and M, a column for each node.
# `w` are the weights of the rows, relative to the mean weight of the fit.
naive_latent <- function(model, X, M, observation = TRUE, w = 1) {
  df <- nrow(model$M) - ncol(model$M)
  each <- lapply(model$solved, function(node) {
    k <- naive_correlation(model$X, X, node$lengthscale, model$kernel, model$product)
    solved <- solve(node$K, k)
    u <- t(M) - t(model$M) %*% solved
    c0 <- if (observation) 1 + node$noise / w else 1
    C <- c0 - colSums(k * solved) + colSums(u * solve(node$A, u))
    list(location = as.vector(t(solved) %*% node$residual + M %*% node$beta),
         scale = sqrt(node$q * C / df))
  })
  list(location = do.call(cbind, lapply(each, `[[`, "location")),
       scale = do.call(cbind, lapply(each, `[[`, "scale")))
}

# The mixture at one point, given the location and scale of each node: functions `cdf`, `density`
# and `quantile` of one value in user units, and `lost`, the mass that truncation removes.
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

# "cdf", "density" or "quantile" at `values`: a matrix with a row for each row of X and M.
naive_predict <- function(model, X, M, what, values, observation = TRUE) {
  mixtures <- naive_mixtures(model, X, M, observation)
  do.call(rbind, lapply(mixtures, function(mixture) vapply(values, mixture[[what]], 0)))
}

# E max(Y, floor)^k, k = 1 or 2, of one mixture: node by node as integrals over the t distribution.
naive_moment <- function(model, location, scale, k, floor = -Inf) {
  df <- nrow(model$M) - ncol(model$M)
  each <- vapply(seq_along(location), function(i) {
    layers <- naive_layers(model$transform, model$nodes[i, ])
    ends <- (naive_forward(naive_domain(model$transform), layers) - location[i]) / scale[i]
    value <- function(t) {
      y <- model$y_center + model$y_scale * naive_inverse(location[i] + scale[i] * t, layers)
      value <- pmax(y, floor)^k * dt(t, df)
      ifelse(is.finite(value), value, 0) # infinity times next to nothing
    }
    # Over v with t = sinh(v), in which tails fall off exponentially.
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

# The continuous ranked probability score of `y` for max(Y, floor), tails of 1e-6 left out.
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

# The covariance matrix of g(Y) at several points, given one node.
naive_joint_covariance <- function(model, node, X, M, observation = TRUE, w = rep(1, nrow(X))) {
  df <- nrow(model$M) - ncol(model$M)
  k <- naive_correlation(model$X, X, node$lengthscale, model$kernel, model$product)
  u <- t(M) - t(model$M) %*% solve(node$K, k)
  C <- naive_correlation(X, X, node$lengthscale, model$kernel, model$product) -
    t(k) %*% solve(node$K, k) + t(u) %*% solve(node$A, u)
  if (observation) C <- C + diag(node$noise / w, nrow(X))
  node$q / (df - 2) * C
}

# The model of all rows but `out`, at the same nodes: each node's weight is what Bayes' theorem
# makes of it without those rows. NULL where the rows left do not determine the trend.
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

# Rows by fold: `folds` a number or name for each row, by default all different.
oracle_loo_rows <- function(model, folds = seq_along(model$y)) {
  split(seq_along(model$y), factor(folds, unique(folds)))
}

# The t distributions of g(Y) without the fold: `location` and `scale` with a row for each row of
# the data and a column for each node, `weight` and `df` alike, NA where there is no prediction.
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

# The predictive mixture of each row without its fold: functions as of naive_mixture(), in the
# order of the rows; NULL where there is no prediction.
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

# Pointwise, in user units: the median, the ends of the interval, the log density of y, the
# probability below y, and the crps by numerical integration.
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

# crps = int F(t)^2 dt below y + int (1 - F(t))^2 dt above it, piece by piece between quantiles.
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

# The default log densities, of the logarithms of positive parameters and of others as they are.
naive_priors <- list(
  # The ratio noise to 1 + noise is Beta(1/4, 1/2).
  noise = function(v) -lbeta(1 / 4, 1 / 2) + log(v) / 4 - 3 / 4 * log(1 + v),
  affine.a = function(a) dnorm(a, log = TRUE),
  affine.b = function(b) ifelse(b <= 10, dnorm(log(b), log = TRUE) - log(pnorm(log(10))), -Inf),
  arcsinh.c = function(c) dnorm(c, log = TRUE),
  arcsinh.d = function(d) {
    ifelse(d >= 0.1, dnorm(log(d), log = TRUE) - log(1 - pnorm(log(0.1))), -Inf)
  },
  sinharcsinh.a = function(a) dnorm(a, 0, 0.5, log = TRUE),
  sinharcsinh.b = function(b) dnorm(log(b), 0, 0.5, log = TRUE),
  boxcox.lambda = function(lambda) dunif(lambda, 0, 3, log = TRUE),
  softplus.s = function(s) dnorm(log(s), 0, 1.5, log = TRUE),
  yeojohnson.lambda = function(lambda) {
    inside <- log(pnorm(2, 1, 0.5) - pnorm(0, 1, 0.5))
    ifelse(lambda >= 0 & lambda <= 2, dnorm(lambda, 1, 0.5, log = TRUE) - inside, -Inf)
  }
)

# `units` are the standard deviations of the inputs, named by lengthscale; those in `fixed` have no
# prior.
naive_log_prior <- function(hyper, units, fixed = character()) {
  lengthscale_prior <- function(unit) {
    function(v) dnorm(log(v / unit), 1 + log(length(units)) / 2, 1.25, log = TRUE)
  }
  priors <- c(lapply(units, lengthscale_prior), naive_priors)
  free <- setdiff(names(hyper), c("weight", "log_marginal", "log_prior", fixed))
  Reduce(`+`, lapply(free, function(name) {
    first_of_its_kind <- sub("2.", ".", name, fixed = TRUE)
    priors[[first_of_its_kind]](hyper[[name]])
  }))
}

# Fourteen rows of a skewed positive response, with inputs in very different units.
oracle_data <- function(n = 14) {
  i <- seq_len(n)
  x <- 10 * ((0.618 * i) %% 1)
  w <- 5000 + 1000 * ((0.414 * i) %% 1)
  noise <- sin(37 * i^2)
  data.frame(x = x, w = w, y = exp(0.7 * sin(x / 2) + (w - 5500) / 1000 + 0.4 * noise))
}

input_sds <- function(data) c(lengthscale.x = sd(data$x), lengthscale.w = sd(data$w))

# Every kernel, radial and as a product, with both trends and each of `transforms` in turn.
oracle_cases <- function(transforms) {
  grid <- expand.grid(transform = seq_along(transforms), trend = c("~ 1", "~ x"),
                      product = c(FALSE, TRUE), kernel = names(naive_kernels),
                      stringsAsFactors = FALSE)
  lapply(seq_len(nrow(grid)), function(i) {
    list(transform = transforms[[grid$transform[i]]], trend = as.formula(grid$trend[i]),
         product = grid$product[i], kernel = grid$kernel[i])
  })
}

few_nodes <- function(nodes = 48) quad_sobol(nodes = nodes)

# A fit to oracle_data(), its naive model, and three points to predict at, one of them in the data.
oracle_case <- function(transform, kernel = "matern52", product = FALSE, trend = ~ 1, ard = TRUE,
                        ...) {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, transform = transform, kernel = kernel, product = product,
             trend = trend, ard = ard, quadrature = few_nodes(), ...)
  model <- naive_model(fit, d[c("x", "w")], model.matrix(trend, d), d$y, transform, kernel,
                       product, ard)
  new <- rbind(data.frame(x = c(3.3, 12), w = c(5700, 5100)), d[5, c("x", "w")])
  list(fit = fit, model = model, data = d, new = new, new_trend = model.matrix(trend, new))
}

# The same with a factor of three levels, whose indicators share a lengthscale, and text of two.
factor_case <- function(transform = "softplus") {
  d <- oracle_data()
  d$three <- factor(rep(c("a", "b", "c"), length.out = 14))
  d$two <- rep(c("yes", "no", "no", "yes"), length.out = 14)
  inputs <- function(d) {
    cbind(x = d$x, three = d$three == "a", three = d$three == "b", three = d$three == "c",
          two = d$two == "yes")
  }
  fit <- btg(y ~ x + three + two, d, transform = transform, quadrature = few_nodes())
  new <- data.frame(x = c(2, 8), three = c("c", "a"), two = c("no", "yes"))
  list(fit = fit, model = naive_model(fit, inputs(d), cbind(rep(1, 14)), d$y, transform),
       data = d, inputs = inputs(d), new = new, new_inputs = inputs(new),
       new_trend = cbind(c(1, 1)))
}

# Every element within `tolerance` of what is expected, relative to it (and to `floor` near zero).
expect_close <- function(object, expected, tolerance = 1e-8, floor = 1e-10) {
  label <- paste(deparse(substitute(object)), collapse = " ")
  object <- unname(as.vector(as.matrix(object)))
  expected <- unname(as.vector(as.matrix(expected)))
  sizes <- length(object) == length(expected) && length(object) > 0
  error <- if (sizes) abs(object - expected) / pmax(abs(expected), floor) else Inf
  error[object == expected] <- 0
  expect(isTRUE(max(error) <= tolerance), sprintf(
    "%s is off by a relative %.2g (more than %.2g), first %s instead of %s.", label, max(error),
    tolerance, format(object[which.max(error)], digits = 15),
    format(expected[which.max(error)], digits = 15)
  ))
  invisible(object)
}

quiet_predict <- function(...) {
  suppressWarnings(predict(...), classes = "btg_warning_lost_mass")
}

# A case with one node: no error from the quadrature, and often a closed form.
one_node_case <- function(transform = "identity", fixed = NULL, noise = 0.3, ...) {
  hyper <- c(lengthscale.x = 2, lengthscale.w = 800, noise = noise, fixed)
  oracle_case(transform, prior = btg_prior(fixed = hyper), ...)
}

# The naive distribution function at the quantiles, and both functions at a few values.
expect_naive_predictions <- function(case, observation = TRUE, at = c(0.3, 1, 2.5),
                                     probs = c(0.01, 0.5, 0.975)) {
  ask <- function(...) quiet_predict(case$fit, case$new, observation = observation, ...)
  inputs <- if (is.null(case$new_inputs)) case$new else case$new_inputs
  mixtures <- naive_mixtures(case$model, inputs, case$new_trend, observation)
  naive <- function(what, values) {
    t(vapply(mixtures, function(mixture) vapply(values, mixture[[what]], 0), values))
  }
  expect_close(ask(type = "cdf", at = at), naive("cdf", at))
  expect_close(ask(type = "density", at = at), naive("density", at))
  found <- ask(type = "quantile", probs = probs)
  reached <- t(mapply(function(mixture, i) vapply(found[i, ], mixture$cdf, 0),
                      mixtures, seq_along(mixtures)))
  expect_close(reached, rep(probs, each = nrow(case$new)))
}
