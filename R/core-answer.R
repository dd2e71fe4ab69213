# Questions to the predictive mixtures of a fit, answered by the core in the response's units. What
# can be asked, at what, and the units of the answers are registered in the core, by the header
# questions.hpp of src/btg/predictive.

# The fit as the core takes it. Each model has a response scaling of its own; `shift` and `unit` say
# how it follows from that of the fit.
core_ensemble <- function(fit) {
  reference <- fit$scaling$y
  members <- lapply(unname(kept_models(fit)), function(model) {
    own <- model$scaling
    list(model = model$problem, hyper = predictive_nodes(model)$hyper,
         shift = (own$center - reference$center) / reference$scale,
         unit = own$scale / reference$scale)
  })
  list(design = fit$design, members = members, weight = node_weights(fit))
}

# What a node adds to the variance of an estimate by importance sampling.
weight_variances <- function(fit) {
  over_models(fit, function(model) {
    heavy_tail_factor(model$quadrature)^2 * predictive_nodes(model)$variance
  }, power = 2)
}

# How questions are answered. The default tolerance follows the mass that was dropped.
answer_options <- function(fit, tolerance = NULL, bound = "auto", standard_error = FALSE) {
  if (is.null(tolerance)) tolerance <- max(1e-4 * fit$settings$epsilon, 1e-10)
  c(list(tolerance = tolerance, bound = bound,
         weight_variances = if (standard_error) weight_variances(fit) else numeric()),
    response_ends(fit$scaling$y))
}

# Answers `questions`, a list of matrices of values to ask at, named as the core has them: each with
# a row for each point, or one row for all. list(answers, lost_mass, evaluations), where `answers`
# has list(value, standard_error) for each question, with a row for each point: NA where a point is
# not complete. With `keep`, factors are left for the next questions.
answer_questions <- function(fit, points, questions, observation = TRUE,
                             options = answer_options(fit), threads = 1, call = quote(predict()),
                             keep = TRUE) {
  scaling <- fit$scaling$y
  scaled <- scale_questions(questions, scaling)
  core <- if (are_divisible(fit, sum(points$complete))) {
    answer_on_workers(answer_in_blocks, fit, points, scaled, observation, options, threads, call)
  } else {
    with_progress("Predicting", answer_in_blocks(fit, points, scaled, observation, options, threads,
                                                 call, keep))
  }
  warn_lost_mass(core$lost_mass, points$names, call)
  warn_rearranged(core$rearranged, sum(points$complete), call)
  pad <- function(values) pad_left_out(values, points)
  answers <- unscale_answers(core$answers, scaling)
  list(answers = lapply(answers, function(answer) lapply(answer, pad)),
       lost_mass = pad(core$lost_mass), evaluations = core$evaluations)
}

# Points go to the core in blocks, which bounds the memory it needs.
answer_in_blocks <- function(fit, points, questions, observation, options, threads, call,
                             keep = TRUE) {
  ensemble <- core_ensemble(fit)
  n <- length(points$complete)
  columns <- vapply(names(questions), function(name) answer_columns(name, questions[[name]]), 0)
  check_memory(3 * 8 * n * sum(columns), "The answers", call = call)
  empty <- function(columns) matrix(NA_real_, n, columns, dimnames = list(points$names, NULL))
  result <- list(
    answers = Map(function(columns, at) {
      list(value = empty(columns), standard_error = empty(ncol(at)))
    }, columns, questions),
    lost_mass = stats::setNames(rep(NA_real_, n), points$names), rearranged = 0, evaluations = 0
  )
  blocks <- row_blocks(which(points$complete), length(ensemble$weight))
  progress_part(0, 0.5)
  kept <- list(ensemble = ensemble)
  if (keep && length(blocks) > 0L) kept <- kept_ensemble(ensemble, threads, call)
  begin <- if (isTRUE(kept$prepared)) 0.5 else 0
  for (k in seq_along(blocks)) {
    rows <- blocks[[k]]
    progress_part(begin + (1 - begin) * (k - 1) / length(blocks),
                  begin + (1 - begin) * k / length(blocks))
    asked <- lapply(questions, function(at) if (nrow(at) > 1L) at[rows, , drop = FALSE] else at)
    core <- check_core(core_predict(kept$ensemble, core_points(points, rows, observation), asked,
                                    options, core_run(threads)), call, points$names[rows])
    for (name in names(questions)) {
      answer <- core$answers[[name]]
      result$answers[[name]]$value[rows, ] <- answer$value
      if (nrow(answer$standard_error) > 0L) {
        result$answers[[name]]$standard_error[rows, ] <- answer$standard_error
      }
    }
    result$lost_mass[rows] <- core$lost_mass
    result$rearranged <- result$rearranged + core$rearranged
    result$evaluations <- result$evaluations + core$evaluations
  }
  result
}

# How many columns the answer has to a question at `at`.
answer_columns <- function(name, at) {
  question <- registry()$questions[[name]]
  length(question$units) * if (question$asked_at == "nothing") 1 else ncol(at)
}

# Rows that the fit left out for missing values, as its na.action has it.
pad_left_out <- function(values, points) {
  if (is.null(points$na.action)) values else stats::napredict(points$na.action, values)
}

# Values to ask at, in the core's units: responses are scaled, probabilities are not.
scale_questions <- function(questions, scaling) {
  Map(function(at, name) {
    asked_at <- registry()$questions[[name]]$asked_at
    if (asked_at == "response") scale_response(at, scaling) else at
  }, questions, names(questions))
}

# Answers of the core, in the response's units.
unscale_answers <- function(answers, scaling) {
  Map(function(answer, name) {
    units <- registry()$questions[[name]]$units
    list(value = unscale_columns(answer$value, units, scaling),
         standard_error = scaling$scale * answer$standard_error)
  }, answers, names(answers))
}

# `units` are those of the first columns, and again of the next.
unscale_columns <- function(values, units, scaling) {
  for (j in seq_len(ncol(values))) {
    unit <- units[(j - 1L) %% length(units) + 1L]
    values[, j] <- unscale_value(values[, j], unit, scaling)
  }
  values[is.nan(values)] <- NA
  values
}

unscale_value <- function(value, unit, scaling) {
  switch(unit,
    response = unscale_response(value, scaling),
    length = scaling$scale * value,
    variance = scaling$scale^2 * value,
    density = value / scaling$scale,
    log_density = value - log(scaling$scale),
    value
  )
}

# The log score of the first value that was asked at: where the response has a point mass, at a
# bound, its logarithm, else that of the density.
log_scores <- function(answers) {
  mass <- answers$mass$value[, 1L]
  ifelse(mass > 0, log(mass), answers$log_density$value[, 1L])
}

# At most 2^22 pairs of a row and a node at a time, two doubles each, and at most 2^16 rows.
row_blocks <- function(rows, nodes) {
  size <- min(max(256, 2^22 %/% nodes), 2^16)
  split(rows, (seq_along(rows) - 1L) %/% size)
}

warn_rearranged <- function(rearranged, n, call) {
  if (rearranged > 0L) {
    warn_btg(c(
      "The signed weights of the quadrature do not make distribution functions.",
      x = paste0("At ", rearranged, " of ", count_noun(n, "point"),
                 " the predictive distribution function was not monotone and was rearranged."),
      i = "Use the default quadrature, or a higher level."
    ), "rearranged", call)
  }
}

warn_lost_mass <- function(lost_mass, rows, call) {
  worst <- which.max(lost_mass)
  if (length(worst) > 0L && lost_mass[worst] > 0.01) {
    warn_btg(c(
      "Some predictions lose mass at the edge of the transform's image.",
      x = paste0("Up to ", format(100 * lost_mass[worst], digits = 2), "% of a prediction, ",
                 "in row ", rows[worst], ", lies where the transform has no inverse."),
      i = paste0("Predictions are renormalised. `transform = \"sinharcsinh\"` or \"softplus\" ",
                 "has no such edge; `predict(type = \"lost_mass\")` shows all rows.")
    ), "lost_mass", call)
  }
}

# Said where a mean or a variance is asked for and does not exist.
warn_moments <- function(value, points, what, call) {
  missing <- sum(is.na(value[points$complete]))
  if (missing > 0L) {
    warn_btg(c(
      paste0("The ", what, " of some predictions does not exist."),
      x = paste0("At ", missing, " of ", count_noun(sum(points$complete), "point"), " the tails ",
                 "of the predictive distribution are too heavy; there it is NA."),
      i = paste0("Use the median, or a transform with lighter tails, such as \"softplus\": logs ",
                 "of Student's t have no mean.")
    ), "moments", call)
  }
}
