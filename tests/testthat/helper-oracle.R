# The naive model evaluates its formulas literally, with solve() and determinant(), one node at a
# time. It shares no code with the package. From a fit it uses only nodes(fit) and fit$scaling$y.
# Tests pass the raw inputs, trend and response, and the names of the kernel and the transforms.

# Each kernel is a function of a distance and the kernel's own parameters `p`.
naive_kernels <- list(
  rbf = function(r, p) exp(-r^2 / 2),
  matern52 = function(r, p) (1 + sqrt(5) * r + 5 * r^2 / 3) * exp(-sqrt(5) * r),
  matern32 = function(r, p) (1 + sqrt(3) * r) * exp(-sqrt(3) * r),
  exponential = function(r, p) exp(-r),
  rational_quadratic = function(r, p) exp(-p$alpha * log1p(r^2 / (2 * p$alpha)))
)

# Returns correlations of the rows of A with those of B, with one lengthscale per column. `own`
# holds the kernel's own parameters. In a product, columns of one name, such as the indicators of a
# factor, make one factor.
naive_correlation <- function(A, B, lengthscale, kernel, product, own = list()) {
  k <- function(r) naive_kernels[[kernel]](r, own)
  r <- lapply(seq_len(ncol(A)), function(j) abs(outer(A[, j], B[, j], `-`)) / lengthscale[j])
  radial <- function(r) k(sqrt(Reduce(`+`, lapply(r, function(r) r^2))))
  if (!product) {
    return(radial(r))
  }
  input <- if (is.null(colnames(A))) seq_along(r) else colnames(A)
  Reduce(`*`, lapply(split(r, factor(input, unique(input))), radial))
}

# Returns (y^lambda - 1) / lambda, or its limit if every lambda is 0.
naive_power <- function(log_y, lambda) {
  if (all(lambda == 0)) log_y else (exp(lambda * log_y) - 1) / lambda
}

naive_unpower <- function(z, lambda) {
  if (all(lambda == 0)) exp(z) else (1 + lambda * z)^(1 / lambda)
}

# Each layer is a list of functions of a value and the layer's parameters `p`.
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
  ),
  logit = list(
    forward = function(y, p) qlogis(y),
    inverse = function(z, p) plogis(z),
    log_derivative = function(y, p) -dlogis(qlogis(y), log = TRUE)
  )
)

# Returns lambda where y (or g(y), which has its sign) is positive, 2 - lambda where it is negative.
naive_yeojohnson_power <- function(y, p) 1 + sign(y) * (p$lambda - 1)

# Returns the layers of a transform with their parameters from `hyper`, a data frame of nodes. A
# second layer of a kind is called, say, `affine2`.
naive_layers <- function(transform, hyper) {
  occurrence <- ave(seq_along(transform), transform, FUN = seq_along)
  labels <- paste0(transform, ifelse(occurrence > 1, occurrence, ""))
  lapply(seq_along(transform), function(i) {
    list(g = naive_transforms[[transform[i]]], p = naive_own(hyper, labels[i]))
  })
}

# Returns the parameters of a kernel or layer as a list, without its name.
naive_own <- function(hyper, label) {
  prefix <- paste0(label, ".")
  mine <- names(hyper)[startsWith(names(hyper), prefix)]
  setNames(as.list(hyper[mine]), substring(mine, nchar(prefix) + 1))
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

# Returns the support of the scaled response; here only a first layer bounds it.
naive_domain <- function(transform) {
  c(if (transform[1] %in% c("boxcox", "softplus", "logit")) 0 else -Inf,
    if (transform[1] == "logit") 1 else Inf)
}

# `X` and `M` are matrices in the user's units. Columns of X with the same name share a lengthscale,
# as for a factor; with ard = FALSE all do. `w` are weights relative to their mean. `terms` are as
# in helper-oracle-terms.R.
naive_model <- function(fit, X, M, y, transform, kernel = "matern52", product = FALSE,
                        ard = TRUE, nodes = btg::nodes(fit), weights = rep(1, length(y)),
                        terms = NULL) {
  X <- as.matrix(X)
  model <- list(
    X = X, M = M, y = (y - fit$scaling$y$center) / fit$scaling$y$scale,
    y_center = fit$scaling$y$center, y_scale = fit$scaling$y$scale,
    lengthscales = paste0("lengthscale.", if (ard) colnames(X) else rep("all", ncol(X))),
    transform = transform, kernel = kernel, product = product, nodes = nodes,
    w = weights / mean(weights), terms = terms,
    mean = apply(X, 2, mean), sd = apply(X, 2, sd)
  )
  model$floor <- naive_noise_floor(cbind(X, M), model$w) * naive_largest_variance(model)
  model$solved <- naive_nodes(model, model$nodes)
  model
}

# Returns the documented least noise of rows with these columns.
naive_noise_floor <- function(columns, w) {
  site <- apply(columns, 1, paste, collapse = " ")
  100 * .Machine$double.eps * length(unique(site)) * max(1, tapply(w, site, sum))
}

# Returns the prior covariance of the process at the rows of A and B, for one node.
naive_prior <- function(model, hyper, A, B) {
  if (!is.null(model$terms)) {
    return(naive_sum_of_terms(model, hyper, A, B))
  }
  naive_correlation(A, B, unlist(hyper[model$lengthscales]), model$kernel, model$product,
                    naive_own(hyper, model$kernel))
}

# Returns K, the trend's coefficients and the residuals at one node, a row of nodes().
naive_node <- function(model, hyper) {
  R <- naive_prior(model, hyper, model$X, model$X)
  noise <- hyper$noise + model$floor
  K <- R + noise * diag(1 / model$w)
  layers <- naive_layers(model$transform, hyper)
  z <- naive_forward(model$y, layers)
  M <- model$M
  A <- t(M) %*% solve(K, M)
  beta <- solve(A, t(M) %*% solve(K, z))
  residual <- z - M %*% beta
  list(K = K, A = A, beta = beta, residual = residual, hyper = hyper, noise = noise,
       q = sum(residual * solve(K, residual)),
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

# Returns location and scale of g(Y), with one row per row of X and M and one column per node. `w`
# are the weights of the rows relative to the mean weight of the fit. `include` are the names of the
# terms to predict, all by default.
naive_latent <- function(model, X, M, observation = TRUE, w = 1, include = NULL) {
  df <- nrow(model$M) - ncol(model$M)
  each <- lapply(model$solved, function(node) {
    asked <- model
    asked$include <- include
    k <- naive_prior(asked, node$hyper, model$X, X)
    solved <- solve(node$K, k)
    u <- t(M) - t(model$M) %*% solved
    c0 <- diag(naive_prior(asked, node$hyper, X, X)) + if (observation) node$noise / w else 0
    C <- c0 - colSums(k * solved) + colSums(u * solve(node$A, u))
    list(location = as.vector(t(solved) %*% node$residual + M %*% node$beta),
         scale = sqrt(node$q * C / df))
  })
  list(location = do.call(cbind, lapply(each, `[[`, "location")),
       scale = do.call(cbind, lapply(each, `[[`, "scale")))
}

# Default log prior densities are for logarithms of positive parameters, and for others unchanged.
naive_priors <- list(
  # The ratio of noise to 1 + noise is Beta(1/4, 1/2).
  noise = function(v) -lbeta(1 / 4, 1 / 2) + log(v) / 4 - 3 / 4 * log(1 + v),
  rational_quadratic.alpha = function(alpha) dnorm(log(alpha), 0.5, log = TRUE),
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

# `units` are the standard deviations of the inputs, named by lengthscale. Hyperparameters in
# `fixed` have no prior.
naive_log_prior <- function(hyper, units, fixed = character()) {
  free <- setdiff(names(hyper), c("weight", "log_marginal", "log_prior", fixed))
  lengthscales <- intersect(names(units), free)
  x <- log(sweep(as.matrix(hyper[lengthscales]), 2, units[lengthscales], "/"))
  of_lengthscales <- if (length(units) > 1L) {
    apply(x, 1L, naive_common_prior, centre = 1 + log(length(units)) / 2)
  } else {
    rowSums(dnorm(x, 1, 1.25, log = TRUE))
  }
  Reduce(`+`, lapply(setdiff(free, lengthscales), function(name) {
    first_of_its_kind <- sub("2.", ".", name, fixed = TRUE)
    naive_priors[[first_of_its_kind]](hyper[[name]])
  }), unname(of_lengthscales))
}

# Nodes are drawn from a normal distribution with the moments of the prior of the lengthscales. This
# returns the log ratio of the prior to it at each node.
naive_excess <- function(hyper, units, fixed = character()) {
  lengthscales <- setdiff(intersect(names(units), names(hyper)), fixed)
  if (length(units) < 2L || length(lengthscales) == 0L) {
    return(numeric(nrow(hyper)))
  }
  centre <- 1 + log(length(units)) / 2
  mean_square <- (1.5^3 - 0.3^3) / (3 * 1.2)
  covariance <- diag(mean_square, length(lengthscales)) + 1
  x <- log(sweep(as.matrix(hyper[lengthscales]), 2, units[lengthscales], "/"))
  normal <- apply(x, 1L, function(x) {
    -0.5 * sum((x - centre) * solve(covariance, x - centre)) -
      0.5 * log(det(2 * pi * covariance))
  })
  unname(apply(x, 1L, naive_common_prior, centre = centre) - normal)
}

# Returns the log prior of log lengthscales x with a common centre m ~ N(centre, width^2) and an sd
# s of density `spread` between `ends`: normal densities given s, and a Gauss rule over s.
naive_common_prior <- function(x, centre, width = 1, spread = function(s) 1 / 1.2,
                              ends = c(0.3, 1.5)) {
  rule <- naive_gauss_legendre(60L, ends)
  given_spread <- vapply(rule$node, function(s) {
    covariance <- diag(s^2, length(x)) + width^2
    exp(-0.5 * sum((x - centre) * solve(covariance, x - centre))) / sqrt(det(2 * pi * covariance))
  }, 0)
  log(sum(rule$weight * given_spread * spread(rule$node)))
}

# Uses the eigenvalues of the Jacobi matrix (Golub and Welsch 1969).
naive_gauss_legendre <- function(n, ends) {
  k <- seq_len(n - 1L)
  jacobi <- matrix(0, n, n)
  jacobi[cbind(k, k + 1L)] <- jacobi[cbind(k + 1L, k)] <- k / sqrt(4 * k^2 - 1)
  eigen <- eigen(jacobi, symmetric = TRUE)
  list(node = mean(ends) + diff(ends) / 2 * eigen$values,
       weight = diff(ends) * eigen$vectors[1L, ]^2)
}
