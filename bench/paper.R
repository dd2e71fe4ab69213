# The paper's table of regression results: five data sets, twelve models, many splits. README.md.
#
#   Rscript bench/paper.R --data=DIR [--full] [--cores=2] [--splits=1:20] [--problems=Camel]
#   Rscript bench/paper.R --report [--full]
#
# Writes paper.csv.gz, a row for each split and model, after every split; paper-summary.csv, what it
# says over splits, beside the paper's figures; paper.md, the tables; and paper.png. `--report` only
# reads the first and writes the others. With --problems, other problems keep what was measured
# before. DIR has the real data: abalone.csv, winequality-red.csv and creep.csv, with a header, the
# response in the last column.

source("bench/common.R")
source("bench/paper/data.R")
source("bench/paper/models.R")

# One row. Errors are from the expectation where it is known, all other scores from responses.
measure <- function(problem, split, model, scorer, data) {
  found <- NULL
  seconds <- seconds_of(found <- tryCatch(silently(scorer(data$train, data$test)),
                                          error = function(e) conditionMessage(e)))
  row <- data.frame(problem, split, model, rmse = NA, rmse_new = NA, mae = NA, crps = NA,
                    log_score = NA, coverage = NA, width = NA, seconds, error = "")
  if (is.character(found)) return(replace(row, "error", gsub("\\s+", " ", found)))
  truth <- if (is.null(data$test$truth)) found$y else data$test$truth
  squared <- (found$median - truth)^2
  row$rmse <- sqrt(mean(squared))
  # Rows that are also among those fitted to, as happens in Wine, are predicted too well.
  row$rmse_new <- sqrt(mean(squared[!is_copy(data)]))
  row$mae <- mean(abs(found$median - truth))
  row$crps <- mean(found$crps)
  row$log_score <- mean(found$log_score)
  row$coverage <- mean(found$y >= found$lwr & found$y <= found$upr)
  row$width <- mean(found$upr - found$lwr)
  row
}

is_copy <- function(data) {
  key <- function(rows) do.call(paste, rows[names(data$train)])
  key(data$test) %in% key(data$train)
}

measure_split <- function(problem, split, draw) {
  data <- draw(split)
  models <- list_models(problem)
  do.call(rbind, Map(measure, problem, split, names(models), models, list(data)))
}

measure_all <- function(problems, splits, cores, given) {
  results <- kept_results(problems, given)
  for (split in splits) {
    parts <- parallel::mcmapply(measure_split, names(problems), split, problems, SIMPLIFY = FALSE,
                                mc.cores = cores, mc.preschedule = FALSE)
    results <- rbind(results, do.call(rbind, parts))
    write_rounded(results, given, "paper.csv.gz")
    message("Split ", split, " of ", max(splits))
  }
  row.names(results) <- NULL
  results
}

# With a selection of problems, the stored rows of the others.
kept_results <- function(problems, given) {
  if (is.null(given$problems)) return(NULL)
  stored <- utils::read.csv("bench/results/paper.csv.gz")
  stored$error[is.na(stored$error)] <- ""
  stored[!stored$problem %in% names(problems), ]
}

# Mean and standard deviation over splits, beside the paper's figures. Of the CRPS median and
# median absolute deviation: where the tail of a predictive distribution is that of an exponential
# of a t, as with Box-Cox at lambda = 0, its expectation is infinite.
summarise <- function(results) {
  published <- utils::read.csv("bench/paper/published.csv")
  cases <- unique(results[c("problem", "model")])
  rows <- Map(function(problem, model) {
    own <- results[results$problem == problem & results$model == model, ]
    good <- own[own$error == "", ]
    figures <- lapply(good[c("rmse", "mae", "crps", "log_score", "coverage", "width", "seconds",
                             "rmse_new")], function(x) c(mean(x), stats::sd(x)))
    figures$crps <- c(stats::median(good$crps), stats::mad(good$crps))
    spread <- c("rmse", "mae", "crps", "log_score")
    given <- published[match(model, published$model), paste0(problem, c(".rmse", ".mae"))]
    data.frame(problem, model, splits = nrow(own), failed = nrow(own) - nrow(good),
               lapply(figures, `[`, 1L),
               stats::setNames(lapply(figures[spread], `[`, 2L), paste0(spread, "_sd")),
               rmse_paper = given[[1L]], mae_paper = given[[2L]])
  }, cases$problem, cases$model)
  rows <- do.call(rbind, rows)
  row.names(rows) <- NULL
  rows
}

show_summary <- function(table) {
  for (problem in unique(table$problem)) {
    own <- table[table$problem == problem, ]
    cat("\n", problem, ", ", own$splits[1L], " splits:\n", sep = "")
    with_sd <- function(what, digits = 3L) {
      paste0(signif(own[[what]], digits), " (", signif(own[[paste0(what, "_sd")]], 2L), ")")
    }
    blank <- function(x) ifelse(is.na(x), "", format(x))
    print(data.frame(model = own$model, rmse = with_sd("rmse"), paper = blank(own$rmse_paper),
                     mae = with_sd("mae"), paper = blank(own$mae_paper), crps = with_sd("crps"),
                     log_score = with_sd("log_score"), coverage = round(own$coverage, 3L),
                     width = signif(own$width, 3L), seconds = round(own$seconds, 2L),
                     failed = own$failed, check.names = FALSE), row.names = FALSE)
  }
}

# In how many of the splits and transforms BTG is better than the model by maximum likelihood.
compare_pairs <- function(results) {
  by_mle <- grepl("GP", results$model)
  pair <- sub("^GP$", "I", sub("^(BTG|C?WGP)-", "", results$model))
  key <- paste(results$problem, results$split, pair)
  averaged <- results[grepl("^BTG", results$model), ]
  other <- results[by_mle, ][match(key[grepl("^BTG", results$model)], key[by_mle]), ]
  better <- data.frame(rmse = averaged$rmse < other$rmse, mae = averaged$mae < other$mae,
                       crps = averaged$crps < other$crps,
                       log_score = averaged$log_score > other$log_score)
  problem <- factor(averaged$problem, unique(averaged$problem))
  stats::aggregate(better, list(problem = problem), mean, na.rm = TRUE)
}

# The tables of README.md, a model a row and a problem a column, as Markdown.
format_tables <- function(table, pairs) {
  plain <- function(x, digits = 3L) {
    sub("\\.$", "", formatC(signif(x, digits), digits = digits, format = "fg", flag = "#"))
  }
  cells <- list(
    "RMSE, mean (standard deviation over splits) / the paper's" = with(table, paste0(
      plain(rmse), " (", plain(rmse_sd, 2L), ")",
      ifelse(is.na(rmse_paper), "", paste(" /", rmse_paper))
    )),
    "MAE, as RMSE" = with(table, paste0(
      plain(mae), " (", plain(mae_sd, 2L), ")",
      ifelse(is.na(mae_paper), "", paste(" /", mae_paper))
    )),
    "CRPS (median over splits) and coverage of 95% intervals (mean over splits)" =
      with(table, paste0(plain(crps), ", ", round(100 * coverage), "%")),
    "Log score (mean; larger is better)" = sprintf("%.2f", table$log_score)
  )
  tables <- Map(function(title, cell) {
    wide <- tapply(cell, list(factor(table$model, unique(table$model)),
                              factor(table$problem, unique(table$problem))), identity)
    wide[is.na(wide)] <- ""
    c(paste0("## ", title), "", knitr::kable(wide, "pipe", align = "r"), "")
  }, names(cells), cells)
  shares <- knitr::kable(pairs, "pipe", digits = 2L)
  c(unlist(tables, use.names = FALSE),
    "## Share of splits and transforms where BTG is better than (C)WGP", "", shares)
}

# Of each problem RMSE, ours with one standard deviation over splits beside the paper's, and CRPS.
draw_figure <- function(table) {
  problems <- unique(table$problem)
  models <- setdiff(unique(table$model), "least squares, log lifetime")
  graphics::par(mfcol = c(2, length(problems)), oma = c(1, 6.5, 0, 0), mar = c(4, 0.8, 2, 0.3),
                mgp = c(2.2, 0.7, 0), las = 1)
  for (problem in problems) {
    own <- table[table$problem == problem, ]
    own <- own[match(models, own$model), ]
    for (what in c("rmse", "crps")) {
      spread <- own[[paste0(what, "_sd")]]
      published <- if (what == "rmse") own$rmse_paper else NA
      draw_panel(own[[what]], spread, published, toupper(what), models, problem == problems[1L])
      if (what == "rmse") graphics::title(problem, font.main = 1)
    }
  }
  graphics::mtext("Dots: means; lines: one sd over splits (CRPS: median, mad). Triangles: paper.",
                  side = 1, line = -0.2, outer = TRUE, cex = 0.7)
}

draw_panel <- function(value, spread, published, label, models, named) {
  at <- rev(seq_along(models))
  colour <- ifelse(grepl("^BTG|^btg", models), colours[["blue"]],
                   ifelse(grepl("GP", models), colours[["orange"]], colours[["grey"]]))
  # Constants are off the scale where all others predict nearly without error.
  shown <- is.finite(value) & value < 100 * stats::median(value, na.rm = TRUE)
  value[!shown] <- NA
  low <- pmax(value - spread, value / 2)
  limits <- range(value, low, value + spread, published, na.rm = TRUE)
  graphics::plot(value, at, log = "x", xlim = limits, yaxt = "n", xlab = label, ylab = "",
                 type = "n")
  graphics::abline(h = at, col = "grey92")
  graphics::segments(low, at, value + spread, at, col = colour)
  graphics::points(value, at, pch = 16, col = colour)
  if (!all(is.na(published))) graphics::points(published, at, pch = 2, cex = 0.9)
  if (named) graphics::axis(2, at, models, tick = FALSE)
}

measure_given <- function(given) {
  options(btg.warn_quadrature = FALSE)
  cores <- if (is.null(given$cores)) 1L else as.integer(given$cores)
  splits <- if (given$full) 1:20 else 1:3
  if (!is.null(given$splits)) {
    ends <- as.integer(strsplit(given$splits, ":")[[1L]])
    splits <- seq(ends[1L], ends[length(ends)])
  }
  problems <- paper_problems(given$data)
  if (!is.null(given$problems)) problems <- problems[strsplit(given$problems, ",")[[1L]]]
  measure_all(problems, splits, cores, given)
}

main <- function(given) {
  if (is.null(given$report)) {
    results <- measure_given(given)
  } else {
    results <- utils::read.csv(file.path(given$out, "paper.csv.gz"))
    results$error[is.na(results$error)] <- ""
  }
  order_of <- c("IntSine", "Camel", "Abalone", "Wine", "Creep")
  results <- results[order(match(results$problem, order_of)), ]
  for (error in unique(results$error[results$error != ""])) cat("Failed:", error, "\n")
  table <- summarise(results)
  show_summary(table)
  cat("\nShare of splits and transforms where BTG is better than (C)WGP:\n")
  pairs <- compare_pairs(results)
  print(pairs, digits = 2, row.names = FALSE)
  head <- c(paste0("# The paper's table, ", max(table$splits), " splits"), "",
            "Made by `bench/paper.R`; `bench/README.md` says how it is measured.", "")
  writeLines(c(head, format_tables(table, pairs)), file.path(given$out, "paper.md"))
  write_rounded(table, given, "paper-summary.csv", 4L)
  write_png(function() draw_figure(table), given, "paper.png", 1500, 900, 110)
}

run_benchmark(main, c("cores", "splits", "report", "problems"), "AppliedPredictiveModeling")
