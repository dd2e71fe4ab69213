# Do additive and linear candidates pay in the default, and curves by group? See README.md.
#
#   Rscript bench/terms.R [--part=linear|gate|factors] [--full] [--splits=2] [--only=name,name]
#
# Writes terms-PART.csv, one row for each data set, split and choice. Quick runs have three data
# sets of each part and one split, full ones all and two. A full run that was cut short goes on
# where it stopped.

source("bench/common.R")
source("bench/terms/data.R")
source("bench/terms/factors.R")

# Fits beside each other to the same rows, scored on at most 100 others.
measure_split <- function(name, problem, seed, fits_of) {
  set.seed(seed)
  shuffled <- sample.int(nrow(problem$data))
  train <- problem$data[shuffled[seq_len(problem$train)], ]
  test <- problem$data[utils::head(shuffled[-seq_len(problem$train)], 100L), ]
  fits <- silently(fits_of(problem, train))
  rows <- lapply(names(fits), function(choice) {
    fit <- fits[[choice]]$fit
    scores <- silently(predictive_scores(fit, test))
    data.frame(problem = name, seed, choice, n = nrow(train), tests = nrow(test),
               crps = mean(scores$crps), log_score = mean(scores$log_score),
               coverage = mean(scores$y >= scores$lwr & scores$y <= scores$upr),
               seconds = fits[[choice]]$seconds, extra = extra_weight(fit))
  })
  do.call(rbind, rows)
}

timed <- function(code) {
  fit <- NULL
  seconds <- seconds_of(fit <- code)
  list(fit = fit, seconds = seconds)
}

# The weight of models with more than the main process, NA if none was screened.
extra_weight <- function(fit) {
  more <- vapply(fit$models, function(model) length(model$terms) > 1L, NA)
  screened <- any(grepl("additive", fit$screened$model))
  if (any(more) || screened) sum(fit$model_weights[more]) else NA
}

# The default, the same with a linear term in every model, and an average of both by stacking, as if
# linear models were further candidates.
with_linear <- function(problem, train) {
  default <- timed(btg(problem$formula, train))
  inputs <- Filter(function(name) is.numeric(train[[name]]), all.vars(problem$formula)[-1L])
  linear <- stats::as.formula(paste(deparse1(problem$formula), "+ linear(",
                                    paste(inputs, collapse = ", "), ")"))
  linear <- timed(btg(linear, train))
  both <- timed(join_fits(default$fit, linear$fit))
  both$seconds <- both$seconds + default$seconds + linear$seconds
  list(default = default, linear = linear, both = both)
}

join_fits <- function(a, b) {
  names(b$models) <- paste0(names(b$models), ", linear")
  a$models <- c(a$models, b$models)
  btg:::add_checksum(btg:::weigh_models(a))
}

# The default, and that without an additive candidate.
with_gate <- function(problem, train) {
  list(default = timed(btg(problem$formula, train)),
       without = timed(btg(problem$formula, train, additive = FALSE)))
}

parts <- list(
  linear = list(problems = linear_problems, fits = with_linear, against = "default"),
  gate = list(problems = gate_problems, fits = with_gate, against = "without"),
  factors = list(problems = factor_problems, fits = with_curves, against = "plain")
)

# Ratios to the choice `against`, in the geometric mean over data sets and splits.
compare_choices <- function(results, against) {
  base <- results[results$choice == against, ]
  do.call(rbind, lapply(setdiff(unique(results$choice), against), function(choice) {
    mine <- results[results$choice == choice, ]
    at <- match(paste(mine$problem, mine$seed), paste(base$problem, base$seed))
    ratio <- mine$crps / base$crps[at]
    by_set <- tapply(log(ratio), mine$problem, mean)
    data.frame(choice, sets = length(by_set), crps = exp(mean(by_set)),
               se = stats::sd(by_set) / sqrt(length(by_set)), best = exp(min(by_set)),
               worst = exp(max(by_set)), log_score = mean(mine$log_score - base$log_score[at]),
               coverage = mean(mine$coverage), seconds = sum(mine$seconds) / sum(base$seconds))
  }))
}

measure_part <- function(name, given) {
  part <- parts[[name]]
  problems <- Filter(Negate(is.null), part$problems())
  if (!is.null(given$only)) problems <- problems[strsplit(given$only, ",")[[1L]]]
  else if (!given$full) problems <- utils::tail(problems, 3L)
  splits <- if (!is.null(given$splits)) as.integer(given$splits) else if (given$full) 2L else 1L
  file <- paste0("terms-", name, ".csv")
  stored <- file.path(given$out, file)
  results <- if (given$full && file.exists(stored)) utils::read.csv(stored)
  for (seed in seq_len(splits)) {
    for (problem in names(problems)) {
      if (any(results$problem == problem & results$seed == seed)) next
      results <- rbind(results, measure_split(problem, problems[[problem]], seed, part$fits))
      write_rounded(results, given, file, 4L)
    }
  }
  cat("\n", name, ", against ", part$against, "\n", sep = "")
  print(results, digits = 3, row.names = FALSE)
  print(compare_choices(results, part$against), digits = 3, row.names = FALSE)
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  for (name in if (is.null(given$part)) names(parts) else given$part) measure_part(name, given)
}

run_benchmark(main, c("part", "splits", "only"))
