# answer() is the only way to query an ensemble. The core registers the questions, the values they
# take and the units of their answers in questions.hpp.

# Returns list(answers, lost_mass, evaluations, folds). `answers` holds list(value, standard_error,
# slopes) for each question in the response's units, one row per point, NA at incomplete points.
# `folds` is a data frame of diagnostics with one row per fold.
answer <- function(ensemble, request) {
  points <- request$points
  scaling <- ensemble$scaling
  request$questions <- scale_questions(request$questions, scaling)
  core <- if (!is.null(request$folds)) {
    with_progress("Leaving out", answer_folds(ensemble, request))
  } else if (are_for_workers(ensemble, points) && is.null(request$spread)) {
    answer_on_workers(ensemble, request)
  } else {
    with_progress("Predicting", answer_in_chunks(ensemble, request))
  }
  warn_lost_mass(core$lost_mass, points$names)
  warn_rearranged(core$rearranged, sum(points$complete))
  answers <- core$answers
  for (name in names(answers)) {
    answer <- unscale_answer(answers[[name]], registry()$questions[[name]]$units, scaling)
    answers[[name]] <- lapply(answer, pad_left_out, points)
  }
  list(answers = answers, lost_mass = pad_left_out(core$lost_mass, points),
       evaluations = core$evaluations, folds = core$folds)
}

# Sends points to the core in chunks, which bounds the memory.
answer_in_chunks <- function(ensemble, request) {
  points <- request$points
  result <- empty_answers(request)
  chunks <- row_chunks(which(points$complete),
                       length(ensemble$weight) * (1 + length(request$directions)) *
                         max(1L, length(request$spread$weights)))
  if (length(chunks) == 0L) {
    return(result)
  }
  progress_part(0, 0.5)
  opened <- open_ensemble(ensemble, request$run)
  begin <- if (opened$prepared) 0.5 else 0
  for (k in seq_along(chunks)) {
    progress_part(begin + (1 - begin) * (k - 1) / length(chunks),
                  begin + (1 - begin) * k / length(chunks))
    rows <- chunks[[k]]
    core <- check_core(core_answer(opened$ensemble, core_request(ensemble, request, rows),
                                   core_run(request$run$threads)), points$names[rows])
    result <- fill_answers(result, rows, core, request$directions)
  }
  result
}

# Returns whether there are workers, and enough points to repay the factors that each must compute.
are_for_workers <- function(ensemble, points) {
  is_approximate_ensemble(ensemble) && has_workers() &&
    sum(points$complete) >= max(2000, nrow(ensemble$design$inputs) / 10)
}

# Divides the points among the workers, which run answer_in_chunks().
answer_on_workers <- function(ensemble, request) {
  parts <- lapply(worker_parts(length(request$points$complete)), function(rows) {
    part <- request
    part$points <- select_points(request$points, rows)
    part$questions <- question_rows(request$questions, rows)
    part
  })
  ensemble["built"] <- list(NULL)
  for (k in seq_along(ensemble$members)) ensemble$members[[k]]$model <- k
  found <- on_workers(parts, answer_in_chunks, sender(ensemble))
  joined <- empty_answers(request)
  before <- 0L
  for (one in found) {
    rows <- before + seq_along(one$lost_mass)
    joined <- fill_answers(joined, rows, one, NULL)
    before <- before + length(rows)
  }
  joined
}

# Predicts rows of the data without their folds. It uses cached factors but does not create any.
answer_folds <- function(ensemble, request) {
  fold <- request$folds$fold
  approximate <- is_approximate_ensemble(ensemble)
  if (approximate) check_fold_sizes(fold)
  check_loocv_memory(length(fold), length(ensemble$weight), request$run$threads, approximate)
  core <- core_request(ensemble, request, seq_along(fold))
  core$leave_out <- list(fold = as.integer(fold), observation = request$observation,
                         naive = request$folds$naive, joint = ensemble$joint)
  opened <- if (request$run$cache) cached_ensemble(ensemble) else core_members(ensemble)
  core <- check_core(core_answer(opened, core, core_run(request$run$threads)),
                     request$points$names)
  core$folds <- data.frame(fold = levels(fold), lapply(core$folds, as.vector))
  result <- fill_answers(empty_answers(request), seq_along(fold), core, NULL)
  c(result, core["folds"])
}

# Leaving out a fold needs the exact covariance of all its rows.
most_rows_of_fold <- 2000L

check_fold_sizes <- function(fold) {
  most <- max(tabulate(fold))
  if (most > most_rows_of_fold) {
    abort_btg(c("Folds this large cannot be left out of a fit whose covariance is approximated.",
                x = paste0("The largest has ", format(most, big.mark = ","), " rows; ",
                           format(most_rows_of_fold, big.mark = ","), " are possible."),
                i = "Use more folds, single rows (`folds = NULL`), or `method = \"refit\"`."),
              "folds")
  }
}

# Returns the log score of each row of the data, predicted without it.
left_out_log_scores <- function(ensemble, points, threads) {
  limits <- limits_of(ensemble$design)
  y <- ensemble$design$response
  questions <- ask_intervals(list(log_density = cbind(y)), limits, y)
  request <- new_request(points, questions, folds = row_folds(points$names),
                         run = new_run(threads, cache = FALSE))
  answers <- suppressWarnings(answer(ensemble, request), classes = "btg_warning")$answers
  interval_scores(answers$log_density$value[, 1L],
                  interval_probabilities(answers, limits)$inside, limits)
}

warn_rearranged <- function(rearranged, n) {
  if (rearranged > 0L) {
    warn_btg(c(
      "This quadrature rule gives some predictions that are not distributions.",
      x = paste0("At ", rearranged, " of ", count_noun(n, "point"),
                 " the distribution function was not increasing; it was rearranged."),
      i = "Use the default quadrature, or a higher order."
    ), "rearranged")
  }
}

warn_lost_mass <- function(lost_mass, rows) {
  worst <- which.max(lost_mass)
  if (length(worst) > 0L && lost_mass[worst] > 0.01) {
    warn_btg(c(
      "Some predictions are cut off, because the transform has no inverse there.",
      x = paste0("Up to ", format(100 * lost_mass[worst], digits = 2), "% of a prediction, ",
                 "in row ", rows[worst], ", is cut off."),
      i = paste0("The rest is scaled up. `transform = \"sinharcsinh\"` and \"softplus\" cut ",
                 "nothing off; `predict(type = \"lost_mass\")` shows all rows.")
    ), "lost_mass")
  }
}

# Warns if a requested mean or variance does not exist.
warn_moments <- function(value, points, what) {
  missing <- sum(is.na(value[points$complete]))
  if (missing > 0L) {
    warn_btg(c(
      paste0("The ", what, " of some predictions does not exist."),
      x = paste0("At ", missing, " of ", count_noun(sum(points$complete), "point"), " the tails ",
                 "of the predictive distribution are too heavy; there it is NA."),
      i = paste0("Use the median, or a transform with lighter tails, such as \"softplus\": logs ",
                 "of Student's t have no mean.")
    ), "moments")
  }
}

# Warns about folds that the other rows cannot predict.
warn_not_predicted <- function(diagnostics) {
  bad <- diagnostics[diagnostics$status != "predicted", ]
  if (nrow(bad) > 0L) {
    warn_btg(c(
      paste0(count_noun(nrow(bad), "fold"), " of ", nrow(diagnostics), " cannot be predicted from ",
             "the other rows."),
      x = paste0("Fold ", bad$fold[1L], ": ", bad$status[1L], "."),
      i = "The scores are those of the other rows. Try a simpler trend or smaller folds."
    ), "not_predicted")
  }
}
