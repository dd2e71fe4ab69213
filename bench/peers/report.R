# Tables and the figure of the comparison with other packages, from the trials.

# Means over the splits, one row for each data set and method. A method that failed on a split is
# judged by the others, and the failures are counted.
summarise_sets <- function(trials) {
  groups <- split(trials, list(trials$set, trials$method), drop = TRUE)
  rows <- lapply(groups, function(group) {
    good <- group[!is.na(group$crps), ]
    data.frame(set = group$set[1L], method = group$method[1L], n = good$n[1L], d = good$d[1L],
               splits = nrow(good), failures = nrow(group) - nrow(good),
               as.list(colMeans(good[c("crps", "log_score", "rmse", "covered", "width")])),
               seconds = stats::median(good$seconds, na.rm = TRUE))
  })
  rows <- do.call(rbind, rows)
  rows$skewed <- unname(vapply(data_sets[unique(rows$set)], function(set) {
    is_skewed(set()$data$y)
  }, NA)[rows$set])
  rows
}

# One column for each method, one row for each data set.
spread <- function(rows, what, methods = unique(rows$method)) {
  table <- tapply(rows[[what]], list(rows$set, rows$method), mean)
  table[, intersect(methods, colnames(table)), drop = FALSE]
}

# The data sets and the CRPS of some methods, as the vignette on the evidence shows them.
crps_by_set <- function(rows) {
  crps <- spread(rows, "crps", c("btg", "RobustGaSP", "hetGP", "RobustGaSP, warped, Box-Cox",
                                 "BART", "gam", "wgp boxcox"))
  ours <- rows[rows$method == "btg", ]
  ours <- ours[match(rownames(crps), ours$set), c("set", "n", "d", "splits", "skewed")]
  data.frame(ours, crps, row.names = NULL, check.names = FALSE)
}

# A response that had density zero makes a mean log score -Inf; two of them are alike.
median_difference <- function(x, from) {
  stats::median(ifelse(x == from, 0, x - from))
}

# Whether one is better than the other on most sets, and by more: the signed-rank test of the
# logarithms of ratios, one for each data set.
p_of_ratios <- function(ratio) {
  if (all(ratio == 1)) return(NA_real_)
  suppressWarnings(stats::wilcox.test(log(ratio))$p.value)
}

# Methods that were tried on all of the data sets. CRPS: the geometric mean of ratios to btg, and
# whether they differ over sets; log score: the median difference to it, since a few intervals
# that are far too short spoil a mean; ranks: the smaller the better.
compare_methods <- function(rows) {
  crps <- spread(rows, "crps")
  complete <- colnames(crps)[colSums(is.na(crps)) == 0L]
  crps <- crps[, complete, drop = FALSE]
  log_score <- spread(rows, "log_score", complete)
  mean_rank <- function(table) colMeans(t(apply(table, 1L, rank)))
  table <- data.frame(
    method = complete,
    crps_rank = mean_rank(crps), log_score_rank = mean_rank(-log_score),
    crps = exp(colMeans(log(crps / crps[, "btg"]))),
    p = apply(crps / crps[, "btg"], 2L, p_of_ratios),
    log_score = apply(log_score, 2L, median_difference, from = log_score[, "btg"]),
    won = colSums(crps > crps[, "btg"]),
    covered = colMeans(spread(rows, "covered", complete)),
    time = exp(colMeans(log(spread(rows, "seconds", complete) /
                              spread(rows, "seconds", complete)[, "btg"]))),
    failures = as.vector(tapply(rows$failures, rows$method, sum)[complete]), row.names = NULL
  )
  table[order(table$crps_rank), ]
}

# Splits that a method was tried on which is slow or not for all data, against btg on the same ones.
compare_some <- function(trials, method) {
  ours <- trials[trials$method == "btg", ]
  both <- merge(ours, trials[trials$method == method & !is.na(trials$crps), ],
                by = c("set", "split"), suffixes = c("", "_peer"))
  if (nrow(both) == 0L) return(NULL)
  of_sets <- function(x) as.vector(tapply(x, both$set, mean))
  ratio <- of_sets(both$crps_peer) / of_sets(both$crps)
  data.frame(method = method, sets = length(ratio), trials = nrow(both),
             crps = exp(mean(log(ratio))), p = p_of_ratios(ratio), won = sum(ratio > 1),
             log_score = median_difference(of_sets(both$log_score_peer), of_sets(both$log_score)),
             covered = mean(of_sets(both$covered_peer)),
             time = exp(mean(log(both$seconds_peer / both$seconds))))
}

# Data sets on which another method is more than 2% better than btg, beyond two standard errors
# over splits, the best of them first.
losses <- function(trials, methods) {
  ours <- trials[trials$method == "btg", ]
  rows <- lapply(methods, function(method) {
    both <- merge(ours, trials[trials$method == method & !is.na(trials$crps), ],
                  by = c("set", "split"), suffixes = c("", "_peer"))
    do.call(rbind, lapply(split(both, both$set), function(rows) {
      difference <- rows$crps - rows$crps_peer
      data.frame(set = rows$set[1L], method = method, splits = nrow(rows),
                 crps = mean(rows$crps) / mean(rows$crps_peer),
                 standard_errors = mean(difference) * sqrt(nrow(rows)) / stats::sd(difference))
    }))
  })
  rows <- do.call(rbind, rows)
  rows <- rows[rows$splits > 2L & rows$crps > 1.02 & rows$standard_errors > 2, ]
  rows[order(-rows$crps), ]
}

# What was aimed at, and what was reached.
targets <- function(rows) {
  crps <- spread(rows, "crps")
  skewed <- rownames(crps) %in% rows$set[rows$skewed]
  against <- crps[, "wgp identity"] / crps[, "btg"]
  three <- c("RobustGaSP", "hetGP", "DiceKriging")
  seconds <- spread(rows, "seconds")
  of_three <- function(what) apply(seconds[, three, drop = FALSE], 1L, what)
  baselines <- intersect(paste0(three, ", warped, Box-Cox"), colnames(crps))
  best <- baselines[which.min(colMeans(log(crps[, baselines, drop = FALSE])))]
  log_score <- spread(rows, "log_score")
  comparison <- compare_methods(rows)
  share <- function(x) paste0(sum(x), " of ", length(x))
  first <- function(rank) comparison$method[which.min(comparison[[rank]])]
  data.frame(
    target = c("best mean rank, CRPS", "best mean rank, log score",
               "CRPS better than the plug-in process, skewed sets (80%)",
               "CRPS at most 1% worse than it, other sets (all)",
               "coverage of 95% intervals (0.93 to 0.97)",
               "time, one transform / fastest of three, median (1)",
               "time, auto / median of three, median (1)",
               paste0("CRPS / ", best, " (0.95)"), paste0("p over sets, against ", best),
               paste0("log score less that of ", best, ", median"),
               paste0("sets won against ", best)),
    reached = c(first("crps_rank"), first("log_score_rank"),
                share(against[skewed] > 1), share(against[!skewed] > 1 / 1.01),
                format(mean(rows$covered[rows$method == "btg"]), digits = 3),
                format(stats::median(seconds[, "btg sinharcsinh"] / of_three(min)), digits = 2),
                format(stats::median(seconds[, "btg"] / of_three(stats::median)), digits = 2),
                format(exp(mean(log(crps[, "btg"] / crps[, best]))), digits = 3),
                format(p_of_ratios(crps[, best] / crps[, "btg"]), digits = 2),
                format(median_difference(log_score[, "btg"], log_score[, best]), digits = 2),
                share(crps[, "btg"] < crps[, best]))
  )
}

# The tables as they are read: lines of Markdown.
format_peers <- function(tables) {
  methods <- tables[["peers-methods.csv"]]
  methods$p <- ifelse(is.na(methods$p), "", sprintf("%.0e", methods$p))
  targets <- stats::reshape(tables[["peers-targets.csv"]], idvar = "target", timevar = "sets",
                            direction = "wide")
  names(targets) <- sub("^reached[.]", "", names(targets))
  losses <- tables[["peers-losses.csv"]]
  show <- function(title, table, digits = getOption("digits")) {
    c(paste("##", title), "", knitr::kable(table, "pipe", digits, row.names = FALSE), "")
  }
  digits <- c(crps_rank = 1, log_score_rank = 1, crps = 2, log_score = 2, covered = 3, time = 2)
  of_columns <- function(table) ifelse(is.na(digits[names(table)]), 0, digits[names(table)])
  parts <- split(methods[names(methods) != "sets"], factor(methods$sets, rev(unique(methods$sets))))
  c(unlist(Map(function(title, part) show(title, part, of_columns(part)), names(parts), parts),
           use.names = FALSE),
    show("Targets", targets),
    if (!is.null(tables[["peers-some.csv"]])) {
      show("Methods that are slow or not for all data, on the splits that they were tried on",
           tables[["peers-some.csv"]], 3L)
    },
    show("Lost by more than 2%, beyond two standard errors over splits: the best method of each set",
         losses[!duplicated(losses$set), ], 2L))
}

# CRPS over that of btg, a row for each data set.
draw_comparison <- function(rows, methods) {
  crps <- spread(rows, "crps", methods)
  ratio <- crps / crps[, "btg"]
  ratio <- ratio[order(ratio[, methods[2L]]), , drop = FALSE]
  at <- seq_len(nrow(ratio))
  graphics::par(mar = c(4.5, 7, 1, 1), las = 1)
  graphics::matplot(ratio, at, type = "n", log = "x", yaxt = "n", ylab = "",
                    xlim = c(min(ratio, na.rm = TRUE), min(3, max(ratio, na.rm = TRUE))),
                    xlab = "CRPS / CRPS of btg (right of 1: btg is better)")
  graphics::abline(h = at, col = "grey92")
  graphics::abline(v = 1, col = "grey50")
  graphics::axis(2L, at, paste0(rownames(ratio), ifelse(rownames(ratio) %in% rows$set[rows$skewed],
                                                        " *", "")), tick = FALSE, cex.axis = 0.8)
  shown <- colours[seq_along(methods[-1L])]
  for (i in seq_along(methods[-1L])) {
    graphics::points(pmin(ratio[, methods[i + 1L]], 3), at, pch = 14L + i, col = shown[i])
  }
  graphics::legend("bottomright", methods[-1L], pch = 14L + seq_along(methods[-1L]), col = shown,
                   bg = "white", cex = 0.8)
}

# What the package buys, at a glance: scores, coverage and time of the `methods`, over all sets.
draw_summary <- function(comparison, methods) {
  table <- comparison[match(rev(methods), comparison$method), ]
  at <- seq_len(nrow(table))
  colour <- ifelse(table$method == "btg", colours[["orange"]], colours[["blue"]])
  panel <- function(x, label, limits, target, log = "", names = FALSE) {
    graphics::plot(x, at, log = log, xlim = limits, ylim = range(at) + c(-0.5, 0.5), yaxt = "n",
                   ylab = "", xlab = "", pch = 16, cex = 1.2, col = colour, bty = "n",
                   panel.first = {
                     graphics::abline(h = at, col = "grey92")
                     graphics::abline(v = target, col = "grey50", lty = 2)
                   })
    graphics::title(label, font.main = 1, cex.main = 1.05)
    if (names) graphics::axis(2L, at, table$method, tick = FALSE, line = -0.8)
  }
  graphics::layout(t(1:3), widths = c(1.95, 1, 1))
  graphics::par(las = 1, mgp = c(2, 0.6, 0), cex = 0.9)
  graphics::par(mar = c(2, 13, 2.5, 0.5))
  panel(table$crps, "Error: CRPS / btg", range(1, table$crps), 1, names = TRUE)
  graphics::par(mar = c(2, 1, 2.5, 0.5))
  panel(100 * table$covered, "95% intervals cover, %", range(95.5, 100 * table$covered), 95)
  panel(table$time, "Time / btg", range(1, table$time), 1, "x")
}
