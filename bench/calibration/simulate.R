# Data sets drawn from the model, with hyperparameters from their default priors, and from others:
# list(data, new, hyper, arguments), where `hyper` has names as nodes() has, and `arguments` are
# those of btg() that the model needs.

# Inverses of g, of its parameters as nodes() names them.
inverses <- list(
  identity = function(z, p) z,
  boxcox = function(z, p) (p[["boxcox.lambda"]] * z + 1)^(1 / p[["boxcox.lambda"]]),
  yeojohnson = function(z, p) {
    lambda <- p[["yeojohnson.lambda"]]
    ifelse(z >= 0, (pmax(z, 0) * lambda + 1)^(1 / lambda) - 1,
           1 - (1 - (2 - lambda) * pmin(z, 0))^(1 / (2 - lambda)))
  },
  arcsinh = function(z, p) p[["arcsinh.c"]] + p[["arcsinh.d"]] * sinh(z),
  sinharcsinh = function(z, p) sinh((asinh(z) + p[["sinharcsinh.a"]]) / p[["sinharcsinh.b"]]),
  softplus = function(z, p) p[["softplus.s"]] * log1p(exp(z))
)

invert <- function(z, transform, hyper) {
  for (layer in rev(transform)) z <- inverses[[layer]](z, hyper)
  z
}

correlations <- list(
  matern52 = function(r) (1 + sqrt(5) * r + 5 * r^2 / 3) * exp(-sqrt(5) * r),
  exponential = function(r) exp(-r),
  rbf = function(r) exp(-r^2 / 2)
)

# Of inputs of standard deviation 1. Two or more have a common level.
draw_lengthscales <- function(names) {
  d <- length(names)
  value <- if (d == 1L) {
    stats::rlnorm(1, 1, 1.25)
  } else {
    level <- stats::rnorm(1, 1 + log(d) / 2)
    exp(level + stats::runif(1, 0.3, 1.5) * stats::rnorm(d))
  }
  stats::setNames(as.list(value), paste0("lengthscale.", names))
}

draw_hyper <- function(inputs) {
  share <- stats::rbeta(1, 0.25, 0.5)
  c(draw_lengthscales(inputs),
    list(noise = share / (1 - share), boxcox.lambda = stats::runif(1, 0, 3),
         yeojohnson.lambda = btg:::dist_quantile(
           btg::btg_dist("normal", mean = 1, sd = 0.5, lower = 0, upper = 2), stats::runif(1)
         ),
         arcsinh.c = stats::rnorm(1), arcsinh.d = max(stats::rlnorm(1), 0.1),
         sinharcsinh.a = stats::rnorm(1, sd = 0.5), sinharcsinh.b = stats::rlnorm(1, 0, 0.5),
         softplus.s = stats::rlnorm(1, 0, 1.5)))
}

# Rows of n + 1 inputs, of which the first is to be predicted and the others have mean 0 and
# standard deviation 1; `each` of them are at the same point.
draw_inputs <- function(names, n, each = 1L) {
  x <- matrix(stats::rnorm((n / each + 1) * length(names)), ncol = length(names),
              dimnames = list(NULL, names))
  x <- x[c(1L, rep(seq_len(n / each) + 1L, each = each)), , drop = FALSE]
  fitted <- x[-1L, , drop = FALSE]
  sweep(sweep(x, 2L, colMeans(fitted)), 2L, apply(fitted, 2L, stats::sd), "/")
}

# n rows to fit and one to predict. The response is as the prior of the transform has it: near 0
# and of standard deviation 1, or around 1 if positive. The noise variance may be divided by
# known weights, or follow the first input.
simulate_model <- function(transform, n = 30L, inputs = "x", kernel = "matern52", each = 1L,
                           weighted = FALSE, varying = FALSE, arguments = list()) {
  repeat {
    hyper <- draw_hyper(inputs)
    x <- draw_inputs(inputs, n, each)
    weight <- c(1, if (weighted) stats::rexp(n) + 0.1 else rep(1, n))
    if (varying) hyper[[paste0("noise.", inputs[1L])]] <- effect <- stats::rnorm(1)
    noise <- hyper$noise / weight * (if (varying) exp(effect * x[, 1L]) else 1)
    scale <- unlist(hyper[paste0("lengthscale.", inputs)])
    K <- correlations[[kernel]](as.matrix(stats::dist(sweep(x, 2L, scale, "/"))))
    z <- t(chol(K + diag(noise + 1e-10))) %*% stats::rnorm(n + 1L) / sqrt(1 + hyper$noise)
    y <- invert(as.vector(z), transform, hyper)
    # NaN beyond the image of a transform.
    if (all(is.finite(y)) && max(abs(y)) < 1e6 && length(unique(y)) > n / 2) break
  }
  all <- data.frame(x, y)
  if (weighted) arguments$weights <- weight[-1L]
  if (varying) arguments$noise <- stats::reformulate(inputs[1L])
  # With a given transform the model is known, else looked for.
  if (is.null(arguments$transform)) arguments <- c(list(transform = transform), arguments)
  list(data = all[-1L, ], new = all[1L, ], hyper = hyper, arguments = arguments)
}

# What the model is not: noise with heavy tails, noise that grows with the input, a step.
simulate_other <- function(kind, n = 30L) {
  x <- stats::runif(n + 1L)
  y <- switch(kind,
    "t noise" = sin(6 * x) + 0.2 * stats::rt(n + 1L, 3),
    "growing noise" = sin(6 * x) + 0.6 * x * stats::rnorm(n + 1L),
    "step" = (x > 0.5) + 0.1 * stats::rnorm(n + 1L),
    "counts" = stats::rpois(n + 1L, exp(1 + sin(6 * x)))
  )
  list(data = data.frame(x, y)[-1L, ], new = data.frame(x, y)[1L, ],
       arguments = list(transform = "auto"))
}
