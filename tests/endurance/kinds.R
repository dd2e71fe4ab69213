# A small fit of each kind, and all that is asked of one.

some_data <- function(n, seed = 1) {
  set.seed(seed)
  d <- data.frame(x = stats::runif(n), u = stats::rnorm(n), g = rep_len(c("a", "b", "c"), n))
  d$y <- exp(sin(5 * d$x) + 0.3 * d$u + 0.2 * (d$g == "a") + 0.2 * stats::rnorm(n))
  d$w <- stats::runif(n, 0.5, 2)
  d$below <- d$y < 0.6
  d
}

few <- quad_sobol(nodes = 8, inner = 2)

# Functions of data.
kinds <- list(
  identity = function(d) btg(y ~ x + u, d, transform = "identity", quadrature = few),
  affine = function(d) btg(y ~ x, d, transform = "affine", quadrature = few),
  boxcox = function(d) btg(y ~ x + g, d, transform = "boxcox", kernel = "rbf", quadrature = few),
  yeojohnson = function(d) btg(y ~ x, d, transform = "yeojohnson", quadrature = few, threads = 2),
  arcsinh = function(d) {
    btg(y ~ x, d, transform = "arcsinh", kernel = "matern32",
        quadrature = few)
  },
  sinharcsinh = function(d) {
    btg(y ~ x, d, transform = "sinharcsinh", weights = w,
        quadrature = few)
  },
  softplus = function(d) {
    btg(y ~ x + u, d, transform = "softplus", trend = ~ u,
        kernel = "exponential", quadrature = few)
  },
  composed = function(d) {
    btg(y ~ x, d, transform = c("affine", "sinharcsinh"), product = TRUE,
        kernel = "rational_quadratic", quadrature = few)
  },
  adaptive = function(d) {
    btg(y ~ x, d, transform = "softplus",
        quadrature = quad_adaptive(nodes = 16, effective = 8, most = 32))
  },
  noise = function(d) btg(y ~ x, d, transform = "identity", noise = ~ x, quadrature = few),
  replicates = function(d) {
    btg(y ~ x, rbind(d, d[1:5, ]), transform = "identity",
        quadrature = few)
  },
  average = function(d) btg(y ~ x, d, quadrature = few),
  vecchia = function(d) {
    btg(y ~ x + u, d, transform = "softplus", quadrature = few,
        approx = vecchia(5, 4, 3), threads = 2)
  },
  terms = function(d) {
    btg(y ~ x + additive(x, u) + linear(u) + (u | g), d, transform = "softplus",
        quadrature = few)
  },
  season = function(d) {
    btg(y ~ gp(x) + gp(periodic(x, 0.3), by = g), d, transform = "identity", quadrature = few)
  },
  rotated = function(d) btg(y ~ rotated(x, u), d, transform = "identity", quadrature = few),
  censored = function(d) {
    btg(y ~ x, transform(d, y = pmax(y, 0.6)), censored = below, transform = "softplus",
        quadrature = few)
  },
  zeros = function(d) {
    btg(y ~ x, transform(d, y = pmax(y - 0.6, 0)), transform = "sinharcsinh", lower = 0,
        quadrature = few)
  },
  vecchia_terms = function(d) {
    btg(y ~ x + (1 | g), d, transform = "identity", quadrature = few, approx = vecchia(5, 4, 3))
  },
  wgp = function(d) wgp(y ~ x, d, transform = "boxcox", restarts = 1),
  wgp_vecchia = function(d) {
    wgp(y ~ x, d, transform = "identity", restarts = 1,
        approx = vecchia(5, 4, 3))
  }
)

# Numbers that another session must find as well.
answers_of <- function(fit, new, threads = 1) {
  list(predict(fit, new, type = "quantile", threads = threads),
       predict(fit, new, type = "mean", threads = threads),
       if (is.null(fit$models[[1L]]$problem$approx)) {
         predict(fit, new, type = "slope", threads = threads)
       },
       loocv(fit, threads = threads)$pointwise,
       simulate(fit, 2, seed = 1, newdata = new, threads = threads))
}
