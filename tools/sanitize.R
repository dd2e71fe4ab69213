# A small problem for tools/sanitize to run in valgrind, where all takes fifty times as long.

library(btg)
options(btg.warn_quadrature = FALSE)

x <- seq(0, 1, length.out = 20)
d <- data.frame(x, group = rep(c("a", "b"), 10), y = exp(sin(5 * x) + 0.1 * cos(40 * x)))
d <- rbind(d, d[1:2, ]) # replicates
new <- data.frame(x = c(0.33, 1.5), group = "a")
few <- quad_sobol(nodes = 8)

ask_everything <- function(fit) {
  predict(fit, new, interval = "credible")
  predict(fit, new, type = "density", at = 1)
  loocv(fit)
  loocv(fit, folds = 3)
  invisible(simulate(fit, 2, newdata = new, threads = 2))
}

for (algebra in c("blas", "builtin")) {
  options(btg.linear_algebra = algebra)
  ask_everything(btg(y ~ x + group, d, transform = "softplus", quadrature = few, threads = 2))
}
ask_everything(btg(y ~ x, d, transform = "sinharcsinh", weights = seq_along(y),
                   quadrature = quad_adaptive(nodes = 32, effective = 8, most = 64)))
ask_everything(btg(y ~ x, d, transform = "identity", kernel = "rational_quadratic", noise = ~ x,
                   quadrature = few))
ask_everything(wgp(y ~ x, d, transform = "boxcox", restarts = 1))
cat("done\n")
