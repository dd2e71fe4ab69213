# The paper's IntSine: its experiment with the identity under a uniform box and its rules (RMSE
# 0.169 and MAE 0.100 there), and its figure of a Gaussian process beside BTG. See README.md.
#
#   Rscript bench/intsine.R [--full]
#
# Writes intsine.csv and intsine.png.

source("bench/common.R")

# `n` points of a rounded sine on [-pi, pi] with noise, evenly spaced or at random, and 400 even
# ones to predict. The paper does not say whether its 0.05 is a variance: here it is the standard
# deviation.
rounded_sine <- function(seed, n, even, sd = 0.05) {
  set.seed(seed)
  train <- if (even) seq(-pi, pi, length.out = n) else sort(runif(n, -pi, pi))
  test <- seq(-pi, pi, length.out = 400L)
  list(train = data.frame(x = train, y = round(sin(train)) + rnorm(n, sd = sd)),
       test = data.frame(x = test, truth = round(sin(test)),
                         y = round(sin(test)) + rnorm(400L, sd = sd)))
}

# The paper does not give its box either.
box <- function() {
  btg_prior(lengthscale = btg_dist("uniform", lower = 0.05, upper = 2),
            noise = btg_dist("uniform", lower = 0.001, upper = 1))
}

in_box <- function(rule) {
  function(data) {
    btg(y ~ x, data, transform = "identity", kernel = "rbf", prior = box(), quadrature = rule)
  }
}

experiment <- function() {
  list("smolyak, level 6" = in_box(quad_smolyak(order = 6)),
       "sobol, 256 nodes" = in_box(quad_sobol(nodes = 256)),
       "sobol, 4096 nodes" = in_box(quad_sobol(nodes = 4096)))
}

figure <- list(
  "GP" = function(data) wgp(y ~ x, data, kernel = "rbf", warp_inputs = FALSE),
  "BTG-L-SA" = function(data) {
    btg(y ~ x, data, transform = c("affine", "sinharcsinh"), kernel = "rbf", warp_inputs = FALSE)
  },
  "btg(), as it is" = function(data) btg(y ~ x, data)
)

# A sparse grid may sum to a negative evidence.
measure <- function(label, fitter, data, seed) {
  fit <- tryCatch(silently(fitter(data$train)), btg_error_quadrature = function(error) NULL)
  if (is.null(fit)) return(NULL)
  band <- silently(predict(fit, data$test, interval = "credible"))
  error <- band[, "fit"] - data$test$truth
  data.frame(model = label, seed, rmse = sqrt(mean(error^2)), mae = mean(abs(error)),
             coverage = mean(data$test$y >= band[, "lwr"] & data$test$y <= band[, "upr"]),
             width = mean(band[, "upr"] - band[, "lwr"]))
}

measure_all <- function(models, seeds, n, even) {
  do.call(rbind, lapply(seeds, function(seed) {
    data <- rounded_sine(seed, n, even)
    do.call(rbind, Map(measure, names(models), models, list(data), seed))
  }))
}

summarise <- function(results) {
  rows <- lapply(split(results, factor(results$model, unique(results$model))), function(own) {
    data.frame(model = own$model[1L], draws = nrow(own), rmse = mean(own$rmse),
               rmse_sd = sd(own$rmse), mae = mean(own$mae), mae_sd = sd(own$mae),
               coverage = mean(own$coverage), width = mean(own$width))
  })
  do.call(rbind, rows)
}

# Medians and 95% intervals, fitted to one draw.
draw_figure <- function(seed = 1) {
  data <- rounded_sine(seed, 48L, FALSE)
  graphics::par(mfrow = c(1, length(figure)), mar = c(4, 4, 2, 0.5), mgp = c(2.2, 0.7, 0), las = 1)
  for (name in names(figure)) {
    band <- silently(predict(figure[[name]](data$train), data$test, interval = "credible"))
    graphics::plot(data$train, type = "n", ylim = c(-1.6, 1.6), xlab = "x", ylab = "y")
    graphics::title(name, font.main = 1)
    graphics::polygon(c(data$test$x, rev(data$test$x)), c(band[, "lwr"], rev(band[, "upr"])),
                      col = "#56B4E955", border = NA)
    graphics::lines(data$test$x, data$test$truth, col = colours[["grey"]])
    graphics::lines(data$test$x, band[, "fit"], col = colours[["blue"]], lwd = 2)
    graphics::points(data$train, pch = 16, cex = 0.7)
  }
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  seeds <- if (given$full) 1:20 else 1:5
  results <- list("51 even points" = measure_all(experiment(), seeds, 51L, TRUE),
                  "48 random points" = measure_all(figure, seeds, 48L, FALSE))
  for (name in names(results)) {
    cat("\n", name, ":\n", sep = "")
    print(summarise(results[[name]]), digits = 3, row.names = FALSE)
  }
  write_rounded(do.call(rbind, Map(cbind, part = names(results), results)), given, "intsine.csv")
  write_png(draw_figure, given, "intsine.png", 1200, 420)
}

run_benchmark(main)
