# What is printed.

show_references <- function(references) {
  checks <- do.call(rbind, lapply(references, function(reference) reference$checks))
  cat("\nReferences. Differences from the one chosen (*), and each method's own standard error,\n",
      "in percent of the predictive sd:\n", sep = "")
  checks$r_hat <- ifelse(is.na(checks$r_hat), "", format(round(checks$r_hat, 3L)))
  print(format_figures(checks), row.names = FALSE)
}

format_figures <- function(x, digits = 2L) {
  numbers <- vapply(x, is.numeric, NA)
  x[numbers] <- lapply(x[numbers], function(column) {
    ifelse(is.na(column), "", format(signif(column, digits), trim = TRUE, scientific = FALSE,
                                     drop0trailing = TRUE))
  })
  x
}

# The default rule, a row for each problem: means over the `seeds` of trials that did not fail. The
# vignettes and tools/evidence.R use them.
average_default <- function(results) {
  good <- results[results$default & results$status == "ok", ]
  rows <- lapply(split(good, factor(good$problem, unique(good$problem))), function(rows) {
    means <- colMeans(rows[c("endpoint_mean", "median_mean", "covered", "equivalents")])
    data.frame(problem = rows$problem[1L], dimension = rows$dimension[1L], seeds = nrow(rows),
               as.list(means))
  })
  do.call(rbind, unname(rows))
}

# The default rule, a row for each problem, averaged over seeds; `missed` lists the targets
# it does not meet.
summarise_default <- function(results) {
  default <- results[results$default, ]
  rows <- lapply(split(default, factor(default$problem, unique(default$problem))), function(rows) {
    target <- target_error(rows$dimension[1L])
    # A fit that failed has missed everything.
    worst <- function(x) if (anyNA(x)) Inf else max(x)
    average <- function(x) if (anyNA(x)) Inf else mean(x)
    missed <- c(
      endpoints = average(rows$endpoint_mean) > target,
      medians = average(rows$median_mean) > target / 2,
      coverage = mean(replace(rows$covered, is.na(rows$covered), 0)) < 0.95
    )
    data.frame(
      problem = rows$problem[1L], d = rows$dimension[1L], target,
      endpoints = average(rows$endpoint_mean), worst_seed = worst(rows$endpoint_mean),
      worst_point = worst(rows$endpoint_max), medians = average(rows$median_mean),
      covered = mean(rows$covered), equivalents = worst(rows$equivalents),
      k_hat = worst(rows$k_hat), effective = mean(rows$effective_nodes),
      seconds = mean(rows$seconds), warned = sum(nzchar(rows$warnings)),
      missed = if (any(missed)) toString(names(missed)[missed]) else "-"
    )
  })
  do.call(rbind, rows)
}

# Of each rule the largest size within the budget: mean endpoint error, or what happened.
summarise_rules <- function(results) {
  cell <- function(rows) {
    if (any(rows$default)) rows <- rows[rows$default, ]
    within <- rows[rows$status != "too large" &
                     (is.na(rows$equivalents) | rows$equivalents <= 1.1 * budget), ]
    if (nrow(within) == 0L) return("too large")
    ok <- within[within$status == "ok", ]
    failed <- sum(within$status == "failed")
    if (nrow(ok) == 0L) return("failed")
    largest <- ok[ok$equivalents >= 0.8 * max(ok$equivalents), ]
    figure <- signif(mean(largest$endpoint_mean), 2)
    if (failed > 0L) paste0(figure, " (", failed, " failed)") else paste(figure)
  }
  family <- family_of(results$options)
  rule <- ifelse(nzchar(family), paste0(results$rule, ", ", family), results$rule)
  keys <- list(factor(rule, unique(rule)),
               factor(results$problem, unique(results$problem)))
  table <- tapply(seq_len(nrow(results)), keys, function(i) cell(results[i, ]))
  colnames(table) <- abbreviate(colnames(table), 14L)
  table
}
