# Computes the naive likelihoods of wgp() for the response in its own units.

# Returns the log density of N(mean, covariance) at z.
naive_dmvnorm <- function(z, mean, covariance) {
  root <- chol(covariance)
  -sum(backsolve(root, z - mean, transpose = TRUE)^2) / 2 - sum(log(diag(root))) -
    length(z) / 2 * log(2 * pi)
}

naive_log_likelihood <- function(model, method, nodes = model$solved) {
  n <- nrow(model$M)
  p <- ncol(model$M)
  vapply(nodes, function(node) {
    log_jacobian <- node$log_jacobian - n * log(model$y_scale)
    if (method == "ML") {
      return(naive_dmvnorm(node$residual, 0, node$q / n * node$K) + log_jacobian)
    }
    lgamma((n - p) / 2) - (n - p) / 2 * log(pi * node$q) - naive_log_det(node$K) / 2 -
      naive_log_det(node$A) / 2 + (n - p) / n * log_jacobian
  }, 0)
}

# Coordinates are the logarithms of hyperparameters, except for these real ones.
real_parameters <- c("sinharcsinh.a", "boxcox.lambda", "yeojohnson.lambda", "arcsinh.c", "affine.a")

to_coordinates <- function(hyper) {
  positive <- !names(hyper) %in% real_parameters
  hyper[positive] <- log(hyper[positive])
  unlist(hyper)
}

from_coordinates <- function(x) {
  positive <- !names(x) %in% real_parameters
  x[positive] <- exp(x[positive])
  as.data.frame(as.list(x))
}

# Returns a fit by wgp() to oracle_data(), its naive model, and the log likelihood as a function of
# the coordinates of all hyperparameters.
wgp_case <- function(transform, method, kernel = "matern52", product = FALSE, trend = ~ 1,
                     ard = TRUE, ...) {
  d <- oracle_data()
  fit <- wgp(y ~ x + w, d, transform = transform, kernel = kernel, product = product,
             trend = trend, ard = ard, method = method, ...)
  model <- naive_model(fit, d[c("x", "w")], model.matrix(trend, d), d$y, transform, kernel,
                       product, ard)
  new <- rbind(data.frame(x = c(3.3, 12), w = c(5700, 5100)), d[5, c("x", "w")])
  list(fit = fit, model = model, data = d, method = method, new = new,
       new_trend = model.matrix(trend, new),
       estimate = to_coordinates(nodes(fit)[-(1:3)]),
       log_likelihood = function(x) {
         naive_log_likelihood(model, method, naive_nodes(model, from_coordinates(x)))
       })
}

# The cases cover every transform, kernel, trend and method, though not every combination.
wgp_cases <- function() {
  list(
    list("identity", "REML"),
    list("identity", "ML", kernel = "rbf", trend = ~ x),
    list("sinharcsinh", "ML", product = TRUE),
    list("boxcox", "REML", kernel = "matern32", trend = ~ x + w),
    list("boxcox", "ML", kernel = "exponential", ard = FALSE),
    list(c("affine", "sinharcsinh"), "REML", kernel = "rbf", product = TRUE),
    list("arcsinh", "ML"),
    list("softplus", "REML", trend = ~ w - 1),
    list("yeojohnson", "ML", kernel = "matern32", product = TRUE),
    list("identity", "REML", kernel = "rational_quadratic"),
    list("softplus", "ML", kernel = "rational_quadratic", product = TRUE)
  )
}
