# The figure: how far the default rule is from its target on each problem, and how far all rules are
# with as much work.

draw_figure <- function(results) {
  graphics::layout(t(1:2), widths = c(1.15, 1))
  draw_default(summarise_default(results))
  draw_rules(results)
}

draw_default <- function(table) {
  at <- rev(seq_len(nrow(table)))
  shown <- pmax(table$endpoints, 0.05)
  graphics::par(mar = c(4, 15, 2.5, 1), mgp = c(2.4, 0.7, 0), las = 1)
  graphics::plot.default(shown, at, log = "x", pch = 19, yaxt = "n", ylab = "",
                         xlim = range(0.05, 10, shown, table$worst_seed),
                         col = colours[ifelse(table$endpoints > table$target, "orange", "blue")],
                         xlab = "error of ends, % of a predictive sd",
                         main = "the default rule", xaxt = "n")
  graphics::axis(1, c(0.1, 0.3, 1, 3, 10))
  graphics::segments(shown, at, table$worst_seed, at, col = colours[["grey"]])
  graphics::points(table$target, at, pch = "|")
  graphics::axis(2, at, table$problem, tick = FALSE, cex.axis = 0.8)
}

# Of each rule with its default family, the largest size within the budget: one point a problem, and
# their median.
draw_rules <- function(results) {
  within <- results[results$status == "ok" & is.finite(results$endpoint_mean) &
                      (results$default | results$equivalents <= 1.1 * budget), ]
  rules <- unique(results$rule)
  default <- unique(results$rule[results$default])
  within <- within[within$default | within$rule != default, ]
  usual <- vapply(btg:::registry()$rules, function(options) c(options$family, "")[1L], "")
  family <- family_of(within$options)
  within <- within[family == "" | family == usual[within$rule], ]
  ratio <- lapply(rules, function(rule) {
    own <- within[within$rule == rule, ]
    vapply(split(own, own$problem), function(rows) {
      largest <- rows[rows$default | rows$equivalents >= 0.8 * max(rows$equivalents), ]
      mean(largest$endpoint_mean) / target_error(rows$dimension[1L])
    }, 0)
  })
  at <- rev(seq_along(rules))
  all <- pmin(pmax(unlist(ratio), 0.05), 1000)
  y <- rep(at, lengths(ratio))
  graphics::par(mar = c(4, 8, 2.5, 1))
  graphics::plot.default(all, y + (0.618 * seq_along(y)) %% 0.3 - 0.15, log = "x", pch = 1,
                         col = colours[["blue"]], xaxt = "n", yaxt = "n", ylab = "",
                         xlab = "error / target",
                         main = "all rules, one point a problem")
  graphics::axis(1, 10^(-1:3), c("0.1", "1", "10", "100", "1000"))
  counts <- paste0(gsub("_", " ", rules), ", ", lengths(ratio))
  graphics::axis(2, at, counts, tick = FALSE, cex.axis = 0.8)
  graphics::abline(v = 1, lty = 2)
  graphics::points(vapply(ratio, stats::median, 0), at, pch = 19, cex = 1.4,
                   col = colours[["orange"]])
}

family_of <- function(options) {
  ifelse(grepl("family", options), sub(".*family = ([a-z_]+).*", "\\1", options), "")
}
