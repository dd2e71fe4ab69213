# Held-out scores and times of btg against other packages, on data sets of CRAN. See README.md.
#
#   Rscript bench/peers.R [--full] [--sets=a,b] [--methods="a;b"] [--splits=1:10] [--report]
#   Rscript bench/peers.R --change [--full] [--sets=a,b]
#
# Quick: two splits of six data sets, without slow methods. Trials are kept in peers-trials.csv.gz
# and not run again for the same version of a package: a run that was cut short goes on where it
# stopped. `--report` only reports. `--change` runs btg alone on one split of every set, and
# compares its scores with those of its stored trials of an earlier version: peers-change.csv.

source("bench/common.R")
for (file in c("data", "predictive", "methods", "report", "change")) {
  source(file.path("bench/peers", paste0(file, ".R")))
}
data_sets <- c(working, held_out)

# One fit and 500 predictions with intervals, timed. The rows to predict are repeated until there
# are 500, and count once.
trial <- function(method, set, split) {
  rows <- split_rows(set, split)
  new <- rep_len(rows$test, 500L)
  problem <- new_problem(set$data[c(rows$train, new), ], set$train)
  set.seed(split)
  time <- system.time(predictive <- method$run(problem), gcFirst = FALSE)
  y <- set$data$y[rows$test]
  scores <- utils::head(predictive(set$data$y[new]), length(y))
  data.frame(
    n = set$train, d = ncol(set$data) - 1L, crps = mean(scores$crps),
    log_score = mean(scores$log_score), rmse = sqrt(mean((y - scores$median)^2)),
    covered = mean(y >= scores$lower & y <= scores$upper),
    width = mean(scores$upper - scores$lower), seconds = time[["user.self"]] + time[["sys.self"]]
  )
}

# In a process of its own, which is stopped after some time. An error is a message.
guarded_trial <- function(method, set, split, limit = if (method$slow) 300 else 60) {
  job <- parallel::mcparallel(try(silently(trial(method, set, split)), silent = TRUE))
  result <- parallel::mccollect(job, wait = FALSE, timeout = limit)
  if (is.null(result)) {
    tools::pskill(job$pid, tools::SIGKILL)
    parallel::mccollect(job)
    return(paste("more than", limit, "seconds"))
  }
  result <- result[[1L]]
  if (is.data.frame(result)) result else paste(trimws(format(result)), collapse = " ")
}

failed_trial <- function(message) {
  data.frame(n = NA, d = NA, crps = NA, log_score = NA, rmse = NA, covered = NA, width = NA,
             seconds = NA, failure = substr(gsub("[\n\"]", " ", message), 1L, 120L))
}

run_trials <- function(cases, given) {
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    set <- data_sets[[case$set]]()
    if (!methods[[case$method]]$for_set(set)) next
    result <- guarded_trial(methods[[case$method]], set, case$split)
    result <- if (is.data.frame(result)) cbind(result, failure = "") else failed_trial(result)
    result$version <- version_of(methods[[case$method]]$package)
    numbers <- vapply(result, is.numeric, NA)
    result[numbers] <- lapply(result[numbers], signif, 6L)
    add_trial(cbind(case, result), given, "peers")
  }
}

# What is installed of a package; of this one, which changes more often than its version does, the
# code: what was measured with another is measured again.
version_of <- function(package) {
  if (package != "btg") return(format(utils::packageVersion(package)))
  files <- c("R/btg.rdb", paste0("libs/btg", .Platform$dynlib.ext))
  files <- file.path(system.file(package = "btg"), files)
  paste(substr(tools::md5sum(files), 1L, 7L), collapse = "-")
}

# The trials of the latest versions: what is added later counts.
latest <- function(trials) {
  key <- paste(trials$set, trials$split, trials$method, sep = "|")
  trials[!duplicated(key, fromLast = TRUE), ]
}

# The splits come one after the other, so that all data sets have as many if it is cut short.
planned <- function(given, done) {
  pick <- function(chosen, all, separator) {
    if (is.null(chosen)) all else strsplit(chosen, separator)[[1L]]
  }
  quick <- names(methods)[!vapply(methods, function(method) method$slow, NA)]
  available <- vapply(methods, function(method) {
    requireNamespace(method$package, quietly = TRUE)
  }, NA)
  sets <- pick(given$sets, if (given$full) names(data_sets) else quick_sets, ",")
  chosen <- intersect(pick(given$methods, quick, ";"), names(methods)[available])
  splits <- if (is.null(given$splits)) if (given$full) 1:3 else 1:2 else parse_range(given$splits)
  cases <- expand.grid(method = chosen, set = sets, split = splits, stringsAsFactors = FALSE)
  versions <- vapply(methods[chosen], function(method) version_of(method$package), "")
  key <- function(x, version) paste(x$set, x$split, x$method, version, sep = "|")
  cases[!key(cases, versions[cases$method]) %in% key(done, done$version), ]
}

quick_sets <- c("ethanol", "gagurine", "cpus", "ozone", "camel", "columbus")

parse_range <- function(range) {
  ends <- as.integer(strsplit(range, ":")[[1L]])
  seq(ends[1L], ends[length(ends)])
}

report <- function(trials, given) {
  rows <- summarise_sets(trials)
  everywhere <- compare_methods(rows)
  some <- setdiff(intersect(names(methods), rows$method), everywhere$method)
  parts <- list("worked with" = names(working), "held out" = names(held_out))
  parts <- lapply(parts, function(sets) rows[rows$set %in% sets, ])
  parts <- Filter(function(part) nrow(part) > 0L, parts)
  if (length(parts) > 1L) parts$`in all` <- rows
  tables <- list(
    "peers-methods.csv" = by_part(parts, compare_methods),
    "peers-targets.csv" = by_part(parts, targets),
    "peers-some.csv" = do.call(rbind, lapply(some, compare_some, trials = trials)),
    "peers-losses.csv" = losses(trials, setdiff(unique(trials$method), c("btg", "btg sinharcsinh")))
  )
  for (file in names(tables)) {
    if (is.null(tables[[file]])) next
    cat("\n", file, "\n", sep = "")
    print(tables[[file]], row.names = FALSE, digits = 3, right = FALSE)
    write_rounded(tables[[file]], given, file, 4L)
  }
  head <- c("# Against other packages", "",
            "Made by `bench/peers.R`; `bench/README.md` says how it is measured.", "")
  writeLines(c(head, format_peers(tables)), file.path(given$out, "peers.md"))
  write_rounded(rows, given, "peers.csv")
  write_rounded(crps_by_set(rows), given, "peers-sets.csv")
  shown <- c("btg", "wgp identity", "RobustGaSP", "hetGP", "DiceKriging, warped, Box-Cox",
             "RobustGaSP, warped, Box-Cox")
  write_png(function() draw_comparison(rows, shown), given, "peers.png", 1100, 1100)
  glance <- intersect(c("btg", "RobustGaSP, warped, Box-Cox", "RobustGaSP", "hetGP", "DiceKriging",
                        "rlibkriging", "GPBoost", "laGP", "gam", "gam, scat", "quantile forest",
                        "BART"), everywhere$method)
  write_png(function() draw_summary(everywhere, glance), given, "peers-summary.png",
            1300, 480, 130)
}

# One table below the other, with a column that says which data sets it is about.
by_part <- function(parts, tabulate) {
  tables <- Map(function(name, rows) {
    cbind(sets = paste(length(unique(rows$set)), name), tabulate(rows))
  }, names(parts), parts)
  do.call(rbind, unname(tables))
}

main <- function(given) {
  if (!is.null(given$change)) return(report_change(given))
  none <- data.frame(method = character(), set = character(), split = integer(),
                     version = character())
  if (is.null(given$report)) {
    done <- read_trials(given, "peers")
    run_trials(planned(given, if (is.null(done)) none else done), given)
    store_trials(given, "peers")
  }
  report(latest(read_trials(given, "peers")), given)
}

run_benchmark(main, c("sets", "methods", "splits", "report", "change"),
              setdiff(vapply(methods, function(method) method$package, ""), "btg"))
