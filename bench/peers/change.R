# btg by itself on one split of each data set, beside its stored trials of an earlier version on the
# same rows: did a change of the package change its scores?

# Prints the table, and writes it with the commit to peers-change.csv.
report_change <- function(given) {
  before <- latest(read_trials(list(out = "bench/results"), "peers"))
  before <- before[before$method == "btg" & before$split == 1L & !is.na(before$crps), ]
  sets <- intersect(if (is.null(given$sets)) names(data_sets) else strsplit(given$sets, ",")[[1L]],
                    before$set)
  # The last commit that changed the package.
  commit <- system2("git", c("log", "-1", "--format=%h", "--", "R", "src"), stdout = TRUE)
  rows <- lapply(sets, function(name) {
    now <- guarded_trial(methods[["btg"]], data_sets[[name]](), 1L, limit = 300)
    if (!is.data.frame(now)) {
      cat("Failed: ", name, ": ", now, "\n", sep = "")
      return(NULL)
    }
    old <- before[before$set == name, ]
    data.frame(set = name, n = now$n, d = now$d, crps_before = old$crps, crps = now$crps,
               ratio = now$crps / old$crps, log_score_gain = now$log_score - old$log_score,
               covered_before = old$covered, covered = now$covered,
               seconds_before = old$seconds, seconds = now$seconds,
               commit = commit)
  })
  table <- do.call(rbind, rows)
  print(table[order(table$ratio), ], row.names = FALSE, digits = 3)
  cat("\nCRPS now / before: geometric mean ", signif(exp(mean(log(table$ratio))), 4), ", worst ",
      signif(max(table$ratio), 4), " (", table$set[which.max(table$ratio)], "); log score ",
      signif(mean(table$log_score_gain), 2), " higher in the mean; coverage ",
      signif(mean(table$covered_before), 4), " before, ", signif(mean(table$covered), 4),
      " now; ", length(setdiff(sets, table$set)), " failed\n", sep = "")
  write_rounded(table, given, "peers-change.csv")
}
