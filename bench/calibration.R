# Are the probabilities right? Data sets simulated from the model, and from others: README.md.
#
#   Rscript bench/calibration.R [--full]
#
# Writes calibration.csv and calibration.png.

source("bench/common.R")

transforms <- list("identity", "boxcox", "yeojohnson", "arcsinh", "sinharcsinh", "softplus",
                   c("softplus", "sinharcsinh"))

# Inverses of g, of its parameters as nodes() names them.
inverses <- list(
  identity = function(z, p) z,
  # NaN beyond the image: such data sets are drawn again.
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

# The default priors, drawn from: one input of standard deviation 1.
draw_hyper <- function() {
  share <- stats::rbeta(1, 0.25, 0.5)
  list(lengthscale.x = stats::rlnorm(1, 1, 1.25), noise = share / (1 - share),
       boxcox.lambda = stats::runif(1, 0, 3),
       yeojohnson.lambda = btg:::dist_quantile(
         btg::btg_dist("normal", mean = 1, sd = 0.5, lower = 0, upper = 2), stats::runif(1)
       ),
       arcsinh.c = stats::rnorm(1), arcsinh.d = max(stats::rlnorm(1), 0.1),
       sinharcsinh.a = stats::rnorm(1, sd = 0.5), sinharcsinh.b = stats::rlnorm(1, 0, 0.5),
       softplus.s = stats::rlnorm(1, 0, 1.5))
}

matern52 <- function(distance) {
  r <- sqrt(5) * distance
  (1 + r + r^2 / 3) * exp(-r)
}

# n rows to fit and one to predict. The response is as the prior of the transform has it: near 0
# and of standard deviation 1, or around 1 if positive.
simulate_model <- function(transform, n = 30L) {
  repeat {
    hyper <- draw_hyper()
    x <- stats::rnorm(n + 1L)
    x <- (x - mean(x[-1L])) / stats::sd(x[-1L])
    K <- matern52(abs(outer(x, x, "-")) / hyper$lengthscale.x) + diag(hyper$noise + 1e-10, n + 1L)
    z <- as.vector(t(chol(K)) %*% stats::rnorm(n + 1L)) / sqrt(1 + hyper$noise)
    y <- invert(z, transform, hyper)
    if (all(is.finite(y)) && max(abs(y)) < 1e6 && length(unique(y)) > n / 2) break
  }
  list(data = data.frame(x, y)[-1L, ], new = data.frame(x, y)[1L, ], hyper = hyper)
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
  list(data = data.frame(x, y)[-1L, ], new = data.frame(x, y)[1L, ])
}

# The probability transform of the new response, and the posterior ranks of the hyperparameters.
measure <- function(case, transform) {
  fit <- suppressWarnings(suppressMessages(
    btg::btg(y ~ x, case$data, transform = transform, warp_inputs = FALSE)
  ))
  pit <- suppressWarnings(predict(fit, case$new, type = "cdf", at = case$new$y))
  ranks <- c(lengthscale = NA, noise = NA)
  if (!is.null(case$hyper)) {
    nodes <- btg::nodes(fit)
    ranks[] <- c(sum(nodes$weight[nodes$lengthscale.x <= case$hyper$lengthscale.x]),
                 sum(nodes$weight[nodes$noise <= case$hyper$noise]))
  }
  c(pit = as.vector(pit), ranks)
}

run <- function(count, simulate, transform) {
  t(vapply(seq_len(count), function(seed) {
    set.seed(seed)
    measure(simulate(), transform)
  }, c(pit = 0, lengthscale = 0, noise = 0)))
}

coverage <- function(pit, level) mean(abs(pit - 0.5) <= level / 2)

# The p-value of uniformity, from ten bins.
uniform_p <- function(x) {
  x <- x[!is.na(x)]
  if (length(x) == 0L) return(NA_real_)
  stats::chisq.test(table(cut(x, seq(0, 1, 0.1), include.lowest = TRUE)))$p.value
}

summarise <- function(name, from, values) {
  data.frame(model = name, from = from, data_sets = nrow(values),
             cover_50 = coverage(values[, "pit"], 0.5), cover_80 = coverage(values[, "pit"], 0.8),
             cover_95 = coverage(values[, "pit"], 0.95), p_pit = uniform_p(values[, "pit"]),
             p_lengthscale = uniform_p(values[, "lengthscale"]),
             p_noise = uniform_p(values[, "noise"]))
}

draw_figure <- function(all) {
  graphics::par(mfrow = c(3, 4), mar = c(3, 3, 2, 0.5), mgp = c(1.8, 0.6, 0))
  for (name in names(all)) {
    graphics::hist(all[[name]][, "pit"], seq(0, 1, 0.1), col = "#9ECAE1", border = "white",
                   main = name, xlab = "probability transform", ylab = "", font.main = 1)
    graphics::abline(h = nrow(all[[name]]) / 10, lty = 2, col = "#C44E00")
  }
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  count <- if (given$full) 500L else 150L
  all <- list()
  rows <- list()
  add <- function(name, from, transform, simulate) {
    values <- run(count, simulate, transform)
    label <- if (from == "model") name else paste0(from, ", ", name)
    all[[label]] <<- values
    rows[[label]] <<- summarise(name, from, values)
    print(rows[[label]], row.names = FALSE, digits = 3)
  }
  for (transform in transforms) {
    add(paste(transform, collapse = " + "), "model", transform,
        function() simulate_model(transform))
  }
  for (kind in c("t noise", "growing noise", "step", "counts")) {
    add("auto", kind, "auto", function() simulate_other(kind))
  }
  write_rounded(do.call(rbind, rows), given, "calibration.csv", 4L)
  write_png(function() draw_figure(all), given, "calibration.png", 1200, 900, 130)
}

run_benchmark(main)
