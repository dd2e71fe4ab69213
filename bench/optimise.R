# Bayesian optimisation against other packages: regret on test functions, from the same initial
# designs. See README.md.
#
#   Rscript bench/optimise.R [--full] [--functions=a,b] [--methods="a;b"] [--seeds=1:3] [--report]
#
# Budgets are 20 + 5 d evaluations, of which 5 + 2 d are a Latin hypercube. Quick: 3 repetitions of
# four functions. Full: 20 of all. tgp, which is slow, and `btg()` with one transform are left out
# unless --methods names them. Trials are kept in optimise-trials.csv.gz and not run again: a run
# that was cut short goes on where it stopped. `--report` only reports.

source("bench/common.R")
for (file in c("functions", "methods", "report")) {
  source(file.path("bench/optimise", paste0(file, ".R")))
}

# One search: the true regret after each evaluation, and the seconds of the processor.
trial <- function(method, problem, seed) {
  d <- length(problem$lower)
  budget <- 20L + 5L * d
  set.seed(seed)
  initial <- btg:::maximin_hypercube(5L + 2L * d, d)
  noise <- stats::rnorm(budget, sd = problem$noise)
  seen <- matrix(numeric(), 0L, d)
  values <- numeric()
  # Methods see the unit cube.
  ask <- function(u) {
    u <- pmin(pmax(as.vector(u), 0), 1)
    if (length(values) == budget) stop("The budget is spent.")
    true <- problem$fun(problem$lower + u * (problem$upper - problem$lower))
    seen <<- rbind(seen, u)
    values <<- c(values, true)
    true + noise[length(values)]
  }
  responses <- apply(initial, 1L, ask)
  seconds <- seconds_of(silently(method(ask, initial, responses, budget, problem$noise > 0)))
  best <- cummin(values) - problem$least
  best <- c(best, rep(best[length(best)], budget - length(best)))
  data.frame(evaluation = seq_len(budget), regret = pmax(best, 0),
             seconds = seconds / (budget - nrow(initial)))
}

# In a process of its own, which is stopped after `limit` seconds. NULL if it fails.
guarded_trial <- function(method, problem, seed, limit = 900) {
  job <- parallel::mcparallel(try(trial(method, problem, seed), silent = TRUE))
  result <- parallel::mccollect(job, wait = FALSE, timeout = limit)
  if (is.null(result)) {
    tools::pskill(job$pid, tools::SIGKILL)
    parallel::mccollect(job)
    return("too slow")
  }
  if (is.data.frame(result[[1L]])) result[[1L]] else trimws(format(result[[1L]]))[1L]
}

run_trials <- function(cases, given) {
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    result <- guarded_trial(methods[[case$method]]$run, problems[[case$fun]], case$seed)
    if (!is.data.frame(result)) {
      cat(case$method, "on", case$fun, case$seed, "failed:", result, "\n")
      result <- data.frame(evaluation = NA, regret = NA, seconds = NA)
    }
    result[2:3] <- lapply(result[2:3], signif, 5L)
    add_trial(cbind(case, result, row.names = NULL), given, "optimise")
  }
}

main <- function(given) {
  split_option <- function(x, all, separator = ",") {
    if (is.null(x)) all else strsplit(x, separator)[[1L]]
  }
  usable <- Filter(function(method) length(installed(method$package)) == length(method$package),
                   methods)
  usual <- names(Filter(function(method) !isTRUE(method$on_demand), usable))
  functions <- if (given$full) names(problems)
               else c("branin", "goldstein", "hartmann3", "noisy_branin")
  seeds <- seq_len(if (given$full) 20 else 3)
  if (!is.null(given$seeds)) seeds <- eval(str2lang(given$seeds))
  cases <- expand.grid(method = split_option(given$methods, usual, ";"),
                       fun = split_option(given$functions, functions),
                       seed = seeds, stringsAsFactors = FALSE)
  if (is.null(given$report)) {
    done <- read_trials(given, "optimise")
    known <- paste(cases$method, cases$fun, cases$seed) %in% paste(done$method, done$fun, done$seed)
    run_trials(cases[!known, ], given)
    store_trials(given, "optimise")
  }
  report(read_trials(given, "optimise"), given)
}

run_benchmark(main, c("functions", "methods", "seeds", "report"),
              unique(unlist(lapply(methods, `[[`, "package"))))
