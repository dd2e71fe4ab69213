# Estimates the duration of a fit, and shows it before the start if it exceeds a minute.
#
# Likelihoods dominate the cost. One is timed with part of the rows. Its cost grows with the cube of
# the number of rows, or linearly if the covariance is approximated. The number of likelihoods
# depends on the posterior, so the estimate is rough.

# Smaller fits take less than a minute and are not timed: one model takes 2.4 s (bench/scaling.R).
least_rows_to_measure <- 500L

# The timed rows are a compromise: fewer cost less time, more extrapolate better.
benchmark_rows <- c(exact = 800L, approximate = 4000L)

# Returns the estimate in seconds, after a message if it is long, or NULL if nothing was timed.
announce_duration <- function(candidates, design, scaled, settings, run, approx) {
  if (nrow(design$inputs) < least_rows_to_measure) {
    return(NULL)
  }
  seconds <- estimate_seconds(candidates, design, scaled, settings, run, approx)
  inform_duration(seconds, nrow(design$inputs), length(candidates), approx)
  seconds
}

inform_duration <- function(seconds, n, models, approx) {
  if (is.null(seconds) || seconds < 60) {
    return(invisible())
  }
  inform_btg(c(
    i = paste0("This will take about ", format_duration(seconds), ", by a rough estimate: ",
               format(n, big.mark = ","), " rows",
               if (models > 1L) paste0(", ", count_noun(models, "model")), "."),
    i = if (is.null(approx)) {
      "`approx = vecchia()` is faster with many rows; so are fewer rows (`subset`), or their means."
    } else {
      "Fewer `neighbours` or `inducing` functions are faster (`?vecchia`), and so are fewer rows."
    },
    if (models > 1L) c(i = "One `transform` by name, instead of \"auto\", is one model to fit.")
  ), "duration")
}

estimate_seconds <- function(candidates, design, scaled, settings, run, approx) {
  n <- nrow(design$inputs)
  models <- length(candidates)
  if (is_nothing_unknown(candidates[[1L]], design, scaled, settings)) {
    return(models * likelihood_seconds(candidates[[1L]], design, scaled, settings, approx))
  }
  if (is.null(approx)) {
    # With many models, the modes of all are searched for, but few are integrated.
    work <- min(models, 3) * expected_work(settings, "full") + 75 * models
    one <- likelihood_seconds(candidates[[1L]], design, scaled, settings, NULL)
  } else {
    # The first fit uses some of the rows, and few models are fitted to all of them.
    pilot <- likelihood_seconds(candidates[[1L]], design, scaled, settings, NULL,
                                pilot_rows[["several"]])
    work <- min(models, 2) * expected_work(settings, "large")
    one <- likelihood_seconds(candidates[[1L]], design, scaled, settings, approx)
    return((min(models, 4) * expected_work(settings, "pilot") * pilot + work * one) / run$threads)
  }
  work * one / run$threads
}

# Returns the likelihoods per model, as counted on test problems; a gradient counts as three. The
# default rule took 726 to 2164 likelihoods in bench/scaling.R, and about 90 in bench/large.R.
expected_work <- function(settings, stage) {
  if (!is.null(settings$restarts)) {
    return(90 * settings$restarts)
  }
  options <- settings$rule$options
  if (!is_budgeted(settings$rule)) {
    return(if (is.null(options$nodes)) 500 else options$nodes)
  }
  options <- chosen_options(settings$rule)
  usual <- c(full = 1000, pilot = 400, large = 100)[[stage]]
  most <- if (stage == "full" && !is.null(options$most)) options$most else Inf
  nodes <- if (stage == "full" && !is.null(options$nodes)) options$nodes else 0
  min(most, max(usual, nodes))
}

# Returns whether a model has one node, because all of its hyperparameters are fixed.
is_nothing_unknown <- function(candidate, design, scaled, settings) {
  problem <- timed_problem(candidate, design, scaled, settings)
  all(vapply(problem$hyperparameters, is_fixed, NA))
}

# Messages and warnings about the data come with the fit itself.
timed_problem <- function(candidate, design, scaled, settings) {
  suppressMessages(suppressWarnings(
    specify_model(candidate, design, scaled$scaling$scale, settings)
  ))$problem
}

# Extrapolates the time of one likelihood with `rows` rows from part of them.
likelihood_seconds <- function(candidate, design, scaled, settings, approx,
                               rows = nrow(design$inputs)) {
  n <- nrow(design$inputs)
  part_rows <- min(rows, benchmark_rows[[if (is.null(approx)) "exact" else "approximate"]])
  chosen <- scattered_rows(n, part_rows)
  problem <- timed_problem(candidate, design, scaled, settings)
  problem$response <- problem$response[chosen]
  problem$censored <- NULL # the cube of the rows dominates
  hyper <- rbind(vapply(problem$hyperparameters, typical_hyper, 0))
  if (!is.null(approx)) problem$approx <- approx_at(approx, problem, hyper[1L, ])
  built <- build_models(select_design(scaled$design, chosen, n), list(list(problem = problem)))
  started <- proc.time()[["elapsed"]]
  repeats <- 0
  while (repeats < 10 && (repeats == 0 || proc.time()[["elapsed"]] - started < 0.05)) {
    core_evaluate(built, 1L, hyper, FALSE, list(linear_algebra = linear_algebra(), threads = 1L))
    repeats <- repeats + 1
  }
  seconds <- (proc.time()[["elapsed"]] - started) / repeats
  seconds * (rows / part_rows)^(if (is.null(approx)) 3 else 1)
}

# Returns the median of the prior, or the value of a fixed hyperparameter.
typical_hyper <- function(hyper) {
  if (is_fixed(hyper)) hyper$prior else dist_quantile(hyper$prior, 0.5)
}
