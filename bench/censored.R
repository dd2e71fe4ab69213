# Do censored responses, zeros, percentages and rounding pay? Compares `btg()` with what was done
# before, and with parametric and additive models. See README.md.
#
#   Rscript bench/censored.R [--full] [--data=DIR] [--seeds=N]
#
# Writes censored.csv, a row for each trial and method. A trial splits a set into two halves, of at
# most 200 rows. In sets of "limits" the responses of the first half below a limit that varies by row
# are reported as the limit; scores are those of true values in the second half. Sets of "detects"
# were reported with limits, and intervals of the second half are scored. Sets of "zeros" and
# "percentages" are as they are; in sets of "rounded", the first half is rounded to `step`, and true
# values of the second half are scored. `crps` and `log_score` are of the second half, `relative` is
# the CRPS relative to that of the method "limit" or "exact"; `zeros` and `expected` are shares of
# zeros, observed and predicted. All parametric models are linear in the inputs. In the log score, a
# response at a bound counts with its probability, at least 1e-6, and others with their density.
# A run that was cut short goes on where it stopped: trials are in censored-trials.csv until then.

source("bench/common.R")
source("bench/censored/sets.R")
source("bench/censored/methods.R")

# Twice the mean pinball loss over the probabilities is the CRPS, up to their spacing.
crps_of <- function(y, quantiles) {
  error <- y - quantiles
  2 * rowMeans(error * (rep(probs, each = length(y)) - (error < 0)))
}

# At a bound, or for a censored row, the log of the probability up to or from there.
log_score_of <- function(new, found, bounds) {
  below <- new$below | new$y <= bounds[1L]
  above <- new$y >= bounds[2L]
  cdf <- found$cdf(new$y)
  less <- found$cdf(new$y - 1e-6 * (1 + abs(new$y)))
  score <- log(pmax(found$density(new$y), 1e-6))
  score[below] <- log(pmax(cdf[below], 1e-6))
  score[above] <- log(pmax(1 - less[above], 1e-6))
  mean(score)
}

halves <- function(data) {
  half <- sample(nrow(data), ceiling(nrow(data) / 2))
  others <- setdiff(seq_len(nrow(data)), half)
  list(train = data[utils::head(half, 200L), ], new = data[utils::head(others, 200L), ])
}

# Limits are random around the 40% quantile, and known before the response is.
report <- function(train) {
  limit <- stats::quantile(train$y, stats::runif(nrow(train), 0.2, 0.6))
  train$below <- train$y < limit
  train$y <- pmax(train$y, limit)
  train
}

run_trial <- function(name, kind, seed, folder) {
  set.seed(seed)
  data <- kind$sets[[name]](folder)
  if (is.null(data)) return(NULL)
  step <- attr(data, "step")
  parts <- halves(data)
  train <- parts$train
  new <- parts$new
  if (is.null(new$below)) {
    train$below <- train$y <= kind$bounds[1L]
    new$below <- FALSE
  }
  if (isTRUE(kind$limits)) train <- report(train)
  if (!is.null(step)) train$y <- step * round(train$y / step)
  rows <- lapply(names(kind$methods), function(method) {
    row <- data.frame(kind = kind$name, set = name, seed, method, rows = nrow(train),
                      below = mean(train$below), crps = NA, log_score = NA,
                      zeros = mean(new$y <= kind$bounds[1L]), expected = NA, seconds = NA)
    row$seconds <- seconds_of(found <- tryCatch(
      silently(kind$methods[[method]](train, new, kind$bounds, step)), error = function(e) NULL
    ))
    if (is.null(found)) return(row)
    exact <- !new$below
    row$crps <- mean(crps_of(new$y[exact], found$quantiles[exact, , drop = FALSE]))
    row$log_score <- log_score_of(new, found, kind$bounds)
    if (is.finite(kind$bounds[1L])) row$expected <- mean(found$cdf(rep(kind$bounds[1L], nrow(new))))
    row
  })
  table <- do.call(rbind, rows)
  table$relative <- table$crps / table$crps[table$method %in% c("limit", "exact")]
  print(table, digits = 3, row.names = FALSE)
  table
}

show <- function(table, column) {
  print(round(with(table, tapply(table[[column]], list(paste(kind, set), method), mean,
                                 na.rm = TRUE)), 3))
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  seeds <- if (is.null(given$seeds)) 1L else seq_len(as.integer(given$seeds))
  before <- read_trials(given, "censored")
  for (kind in kinds) {
    chosen <- if (given$full) names(kind$sets) else utils::head(names(kind$sets), 1L)
    for (name in chosen) {
      for (seed in seeds) {
        if (any(before$set == name & before$seed == seed)) next
        trial <- run_trial(name, kind, seed, given$data)
        if (!is.null(trial)) add_trial(trial, given, "censored")
      }
    }
  }
  table <- read_trials(given, "censored")
  for (column in c("relative", "log_score", "expected")) {
    cat("\nMean ", column, ":\n", sep = "")
    show(table, column)
  }
  write_rounded(table, given, "censored.csv", 4L)
}

run_benchmark(main, known = "seeds", packages = c("survival", "mgcv"))
