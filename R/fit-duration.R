# How long a fit will take: said before it starts, if that is more than a minute.
#
# The cost of a fit is that of its likelihoods. One is measured, with part of the rows, and grows
# with the cube of their number, or with the number itself where the covariance is approximated. How
# many there will be depends on the posterior: the estimate is a rough one.

# Below so many rows no default fit takes a minute, and nothing is measured.
least_rows_to_measure <- 500L

# Rows that are measured: few enough to take no time, many enough to tell.
measured_rows <- c(exact = 800L, approximate = 4000L)

# The estimate in seconds, after a message if it is long; NULL if nothing was measured. `call` is
# that of btg() or wgp().
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
  if (is.null(approx)) {
    # Of many models, the modes of all are looked for.
    work <- min(models, 3) * expected_work(settings, "full") + 75 * models
    one <- likelihood_seconds(candidates[[1L]], design, scaled, settings, NULL)
  } else {
    # The first fit is to some of the rows, and few of the models are fitted to all.
    pilot <- likelihood_seconds(candidates[[1L]], design, scaled, settings, NULL,
                                pilot_rows[["several"]])
    work <- min(models, 2) * expected_work(settings, "large")
    one <- likelihood_seconds(candidates[[1L]], design, scaled, settings, approx)
    return((min(models, 4) * expected_work(settings, "pilot") * pilot + work * one) / run$threads)
  }
  work * one / run$threads
}

# How many likelihoods a model takes, where a gradient counts as three: measured on the test
# problems, for the default rule and for searches of the maximum.
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

# The time of one likelihood with `rows` of all rows, by that of one with part of them.
likelihood_seconds <- function(candidate, design, scaled, settings, approx,
                               rows = nrow(design$inputs)) {
  n <- nrow(design$inputs)
  part_rows <- min(rows, measured_rows[[if (is.null(approx)) "exact" else "approximate"]])
  chosen <- scattered_rows(n, part_rows)
  # No message or warning of the data is to be said here.
  model <- suppressMessages(suppressWarnings(
    specify_model(candidate, design, scaled$units, settings)
  ))
  problem <- model$problem
  problem$response <- problem$response[chosen]
  hyper <- rbind(vapply(problem$hyperparameters, typical_hyper, 0))
  if (!is.null(approx)) {
    approx <- unclass(approx)
    approx$lengthscales <- unname(hyper[1L, hyper_roles(problem) == "lengthscale"])
    problem$approx <- approx
  }
  built <- build_models(select_rows(scaled$design, chosen, n), list(list(problem = problem)))
  started <- proc.time()[["elapsed"]]
  repeats <- 0
  while (repeats < 10 && (repeats == 0 || proc.time()[["elapsed"]] - started < 0.05)) {
    core_evaluate(built, 1L, hyper, FALSE, list(linear_algebra = linear_algebra(), threads = 1L))
    repeats <- repeats + 1
  }
  seconds <- (proc.time()[["elapsed"]] - started) / repeats
  seconds * (rows / part_rows)^(if (is.null(approx)) 3 else 1)
}

# The median of the prior, or where a hyperparameter is fixed.
typical_hyper <- function(hyper) {
  if (is_fixed(hyper)) hyper$prior else dist_quantile(hyper$prior, 0.5)
}
