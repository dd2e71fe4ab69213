# The figure: after the paper's, sparse grid against quasi-Monte Carlo.

rule_style <- function(rules) {
  symbols <- c(16, 17, 15, 18, 4, 2, 5, 8)
  data.frame(colour = rep_len(colours, length(rules)), symbol = rep_len(symbols, length(rules)),
             row.names = rules)
}

# For each problem: mass of the largest weights, error against work, error against time.
draw_figure <- function(problems, results) {
  rules <- unique(results$rule)
  style <- rule_style(rules)
  graphics::layout(rbind(1, matrix(1 + seq_len(3 * length(problems)), ncol = 3, byrow = TRUE)),
                   heights = c(0.35, rep(1, length(problems))))
  graphics::par(mar = c(0, 0, 0, 0), cex = 0.75)
  graphics::plot.new()
  graphics::legend("center", c(rules, "default rule, each seed", "target and budget"),
                   col = c(style$colour, style$colour[1L], "grey40"),
                   pch = c(style$symbol, 1, NA), lty = c(rep(1, length(rules)), NA, 2),
                   ncol = 5, bty = "n")
  graphics::par(mar = c(3.6, 4.2, 2, 0.8), mgp = c(2.5, 0.7, 0))
  for (problem in problems) {
    rows <- results[results$problem == problem$name & results$status == "ok", ]
    draw_masses(problem, rows, style)
    draw_errors(problem, rows, style, "equivalents", "likelihoods, a gradient counted as 3")
    draw_errors(problem, rows, style, "seconds", "seconds of a fit")
  }
}

# Of the size closest to 500 nodes; of signed weights, the absolute values.
draw_masses <- function(problem, rows, style) {
  graphics::plot.default(c(1, 2000), c(0, 1), type = "n", log = "x", las = 1,
                         xlab = "k", ylab = "mass of the k largest weights",
                         main = paste0(problem$name, ": ", length(problem$free),
                                       " hyperparameters"), cex.main = 1)
  for (rule in row.names(style)) {
    own <- rows[rows$rule == rule, ]
    if (nrow(own) == 0L) next
    weight <- own$weights[[which.min(abs(log(own$nodes_tried / 500)))]]
    mass <- cumsum(weight) / sum(weight)
    graphics::lines(seq_along(mass), mass, col = style[rule, "colour"], lwd = 2)
    at <- ceiling(length(mass) * c(0.1, 1))
    graphics::points(at, mass[at], pch = style[rule, "symbol"], col = style[rule, "colour"])
  }
}

family_of <- function(options) {
  ifelse(grepl("family", options), sub(".*family = ([0-9]+).*", "\\1", options), "")
}

draw_errors <- function(problem, rows, style, x, label) {
  shown <- rows[is.finite(rows$endpoint_mean), ]
  shown$endpoint_mean <- pmin(pmax(shown$endpoint_mean, 0.01), 1000)
  shown[[x]] <- pmax(shown[[x]], 0.001)
  graphics::plot.default(shown[[x]], shown$endpoint_mean, type = "n", log = "xy", yaxt = "n",
                         ylim = c(0.01, 1000), xlab = label, ylab = "mean endpoint error, % of sd")
  graphics::axis(2, 10^(-2:3), c("0.01", "0.1", "1", "10", "100", "1000"), las = 1)
  graphics::abline(h = target_error(length(problem$free)), lty = 2, col = "grey40")
  if (x == "equivalents") graphics::abline(v = budget, lty = 2, col = "grey40")
  for (rule in row.names(style)) {
    own <- shown[shown$rule == rule, ]
    sweep <- own[!own$default, ]
    # One line for each family; seeds are averaged.
    for (part in split(sweep, family_of(sweep$options))) {
      line <- stats::aggregate(part[c(x, "endpoint_mean")], part["options"], mean)
      line <- line[order(line[[x]]), ]
      graphics::lines(line[[x]], line$endpoint_mean, type = "b", col = style[rule, "colour"],
                      pch = style[rule, "symbol"])
    }
    graphics::points(own[[x]][own$default], own$endpoint_mean[own$default], pch = 1, cex = 1.6,
                     lwd = 2, col = style[rule, "colour"])
  }
}
