# The paper's figure of a sparse grid against quasi-Monte Carlo: as nodes are added in the order of
# their weights, the mass they have, the error of predictions, and the time these take. README.md.
#
#   Rscript bench/sparsegrid.R [--full]
#
# Writes sparsegrid.csv and sparsegrid.png.

source("bench/common.R")
source("bench/paper/data.R")

counts <- c(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)

# The paper does not give its priors: a box for the kernel, ours for the transform.
fit_camel <- function(train, quadrature) {
  box <- btg_prior(lengthscale = btg_dist("uniform", lower = 0.1, upper = 5),
                   noise = btg_dist("uniform", lower = 0.001, upper = 1))
  btg(y ~ ., train, transform = c("affine", "sinharcsinh"), kernel = "rbf", warp_inputs = FALSE,
      prior = box, quadrature = quadrature, epsilon = 0)
}

rules <- function() {
  list("sparse grid" = quad_smolyak(order = 5), "QMC" = quad_sobol(nodes = 2437, inner = 1),
       "adaptive" = quad_adaptive(keep = Inf))
}

# The fit with its `count` heaviest nodes. Their signed weights may sum to nothing: then NULL.
keep_heaviest <- function(fit, count) {
  posterior <- fit$models[[1L]]$posterior
  heaviest <- utils::head(order(abs(posterior$weight), decreasing = TRUE), count)
  weight <- posterior$weight[heaviest]
  if (sum(weight) <= 0) return(NULL)
  with_nodes(fit, posterior$hyper[heaviest, , drop = FALSE], weight / sum(weight))
}

measure_count <- function(fit, count, test) {
  kept <- keep_heaviest(fit, count)
  if (is.null(kept)) return(c(error = NA, seconds = NA))
  median <- NULL
  seconds <- seconds_of(median <- silently(predict(kept, test)))
  c(error = mean((median - test$y)^2), seconds = seconds)
}

measure_split <- function(split, rule) {
  data <- draw_camel(split, 30L, 100L)
  fit <- tryCatch(silently(fit_camel(data$train, rules()[[rule]])),
                  btg_error_quadrature = function(e) NULL)
  if (is.null(fit)) return(NULL)
  weight <- sort(abs(fit$models[[1L]]$posterior$weight), decreasing = TRUE)
  mass <- cumsum(weight) / sum(weight)
  count <- unique(pmin(counts, length(weight)))
  figures <- vapply(count, function(k) measure_count(fit, k, data$test), c(error = 0, seconds = 0))
  data.frame(rule, split, nodes = count, mass = mass[count], mse = figures["error", ],
             seconds = figures["seconds", ])
}

draw_figure <- function(means) {
  means <- means[means$nodes %in% counts, ]
  graphics::par(mfrow = c(1, 3), mar = c(5, 5, 1, 0.5), mgp = c(3.3, 0.7, 0), las = 1)
  style <- data.frame(colour = colours[c("orange", "blue", "green")], symbol = c(16, 17, 15),
                      row.names = names(rules()))
  for (what in c("mass", "mse", "seconds")) {
    labels <- c(mass = "mass of the nodes", mse = "mean squared error",
                seconds = "seconds for 100 medians")
    graphics::plot(means$nodes, means[[what]], type = "n", log = if (what == "mass") "x" else "xy",
                   xlab = "nodes, in the order of their weights", ylab = labels[[what]])
    for (rule in rownames(style)) {
      own <- means[means$rule == rule, ]
      graphics::lines(own$nodes, own[[what]], type = "b", pch = style[rule, "symbol"],
                      col = style[rule, "colour"])
    }
  }
  graphics::legend("topleft", rownames(style), col = style$colour, pch = style$symbol, lty = 1,
                   bty = "n")
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  splits <- if (given$full) 1:20 else 1:3
  cases <- expand.grid(split = splits, rule = names(rules()), stringsAsFactors = FALSE)
  results <- do.call(rbind, Map(measure_split, cases$split, cases$rule))
  write_rounded(results, given, "sparsegrid.csv", 4L)
  means <- stats::aggregate(cbind(mass, mse, seconds) ~ nodes + rule, results, mean)
  print(means, digits = 3, row.names = FALSE)
  last <- do.call(rbind, lapply(split(results, results[c("rule", "split")]), utils::tail, 1L))
  cat("\nMean squared error from all nodes, mean and median over", length(splits), "designs:\n")
  print(stats::aggregate(mse ~ rule, last, function(x) c(mean = mean(x), median = median(x))),
        digits = 3, row.names = FALSE)
  write_png(function() draw_figure(means), given, "sparsegrid.png", 1200, 420)
}

run_benchmark(main)
