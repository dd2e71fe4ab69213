# Tables of regrets: final ones, ranks, and times.

# Ranks among the methods of each function and seed, averaged; a search that failed is last.
mean_ranks <- function(table, value) {
  cells <- split(table, list(table$fun, table$seed), drop = TRUE)
  ranks <- do.call(rbind, lapply(cells, function(cell) {
    x <- ifelse(is.na(cell[[value]]), Inf, cell[[value]])
    data.frame(method = cell$method, rank = rank(x))
  }))
  tapply(ranks$rank, ranks$method, mean)
}

report <- function(trials, given) {
  keys <- paste(trials$method, trials$fun, trials$seed)
  runs <- do.call(rbind, lapply(split(trials, keys), function(run) {
    data.frame(run[1L, c("method", "fun", "seed", "seconds")],
               final = run$regret[nrow(run)],
               along = mean(log10(run$regret + 1e-6)))
  }))
  medians <- stats::aggregate(final ~ fun + method, runs, stats::median)
  table <- stats::reshape(medians, idvar = "method", timevar = "fun", direction = "wide")
  names(table) <- sub("^final[.]", "", names(table))
  cat("\nMedian final regret\n")
  print(format(table, digits = 3), row.names = FALSE)
  summary <- data.frame(rank_final = mean_ranks(runs, "final"),
                        rank_along = mean_ranks(runs, "along"),
                        seconds = tapply(runs$seconds, runs$method, stats::median, na.rm = TRUE))
  summary <- data.frame(method = rownames(summary), summary, row.names = NULL)
  summary <- summary[order(summary$rank_final), ]
  cat("\nMean ranks of the final regret and of that along the way (the mean of its logarithm), and",
      "seconds a suggestion\n")
  print(format(summary, digits = 3), row.names = FALSE)
  write_rounded(table, given, "optimise.csv")
  write_rounded(summary, given, "optimise-ranks.csv")
}
