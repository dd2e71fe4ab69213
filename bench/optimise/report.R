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
  writeLines(format_searches(runs, table, summary), file.path(given$out, "optimise.md"))
}

# The tables as they are read: lines of Markdown.
format_searches <- function(runs, medians, summary) {
  repeated <- range(table(runs$fun, runs$method))
  numbers <- vapply(medians, is.numeric, NA)
  medians[numbers] <- lapply(medians[numbers], formatC, digits = 2, format = "g")
  medians <- medians[match(summary$method, medians$method), ]
  wins <- stats::aggregate(final ~ fun + seed, runs, min)
  names(wins)[3L] <- "least"
  won <- merge(runs, wins)
  won <- tapply(!is.na(won$final) & won$final <= won$least, list(won$method, won$fun), mean)
  won <- won[summary$method, ]
  c("# Bayesian optimisation", "",
    "Made by `bench/optimise.R`; `bench/README.md` says how it is measured.",
    paste0("Repetitions of each function: ", paste(unique(repeated), collapse = " to "), "."), "",
    "## Median final regret", "", knitr::kable(medians, "pipe", align = "r", row.names = FALSE), "",
    "## Share of searches that end with the smallest regret of all", "",
    knitr::kable(won, "pipe", 2L), "",
    "## Mean ranks of the regret, at the end and along the way, and seconds a suggestion", "",
    knitr::kable(summary, "pipe", 2L, row.names = FALSE))
}
