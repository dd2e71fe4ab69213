# One way to ask an ensemble: answer(ensemble, request). The questions that can be asked, the values
# they are asked at and the units of their answers are registered in the core, by questions.hpp.

# `questions` is a named list of matrices of values to ask at: each has a row for each point, or one
# row for all. `options` may have `tolerance`, `bound` and `standard_error`. Instead of predicting at
# `points`, `folds`, by new_folds(), predicts the rows of the data without their fold; `points` then
# name the rows. Answers have slopes along `directions`, a list with an element for each variable,
# NULL where there is no slope. `run` is by new_run().
new_request <- function(points, questions, observation = TRUE, options = list(), folds = NULL,
                        directions = NULL, run = new_run()) {
  list(points = points, questions = questions, observation = observation, options = options,
       folds = folds, directions = directions, run = run)
}

# How to compute. With `cache`, factors stay in memory for the next request.
new_run <- function(threads = 1, cache = TRUE) list(threads = threads, cache = cache)

# `fold` is a factor with a value for each row of the data; `naive` refits without each fold.
new_folds <- function(fold, naive = FALSE) list(fold = fold, naive = naive)

# list(answers, lost_mass, evaluations, folds). `answers` has list(value, standard_error, slopes)
# for each question in the response's units, with a row for each point, NA where a point is not
# complete. `folds` is a data frame of diagnostics, a row for each fold.
answer <- function(ensemble, request) {
  points <- request$points
  scaling <- ensemble$scaling
  request$questions <- scale_questions(request$questions, scaling)
  core <- if (!is.null(request$folds)) {
    with_progress("Leaving out", answer_folds(ensemble, request))
  } else if (are_for_workers(ensemble, points)) {
    answer_on_workers(ensemble, request)
  } else {
    with_progress("Predicting", answer_in_chunks(ensemble, request))
  }
  warn_lost_mass(core$lost_mass, points$names)
  warn_rearranged(core$rearranged, sum(points$complete))
  answers <- Map(function(answer, name) {
    lapply(unscale_answer(answer, registry()$questions[[name]]$units, scaling), pad_left_out, points)
  }, core$answers, names(core$answers))
  list(answers = answers, lost_mass = pad_left_out(core$lost_mass, points),
       evaluations = core$evaluations, folds = core$folds)
}

# Points go to the core in chunks, which bounds the memory it needs.
answer_in_chunks <- function(ensemble, request) {
  points <- request$points
  result <- empty_answers(request)
  chunks <- row_chunks(which(points$complete),
                       length(ensemble$weight) * (1 + length(request$directions)))
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

# Rows of the data without their folds. Cached factors are used, and none are made for it.
answer_folds <- function(ensemble, request) {
  fold <- request$folds$fold
  approximate <- is_approximate_ensemble(ensemble)
  if (approximate) check_fold_sizes(fold)
  check_loocv_memory(length(fold), length(ensemble$weight), request$run$threads, approximate)
  asked <- core_request(ensemble, request, seq_along(fold))
  asked$leave_out <- list(fold = as.integer(fold), observation = request$observation,
                          naive = request$folds$naive, joint = ensemble$joint)
  core <- check_core(core_answer(cached_ensemble(ensemble), asked, core_run(request$run$threads)),
                     request$points$names)
  core$folds <- data.frame(fold = levels(fold), lapply(core$folds, as.vector))
  result <- fill_answers(empty_answers(request), seq_along(fold), core, NULL)
  c(result, core["folds"])
}

# Leaving out a fold takes the covariance of all its rows, exactly.
check_fold_sizes <- function(fold) {
  most <- max(tabulate(fold))
  if (most > most_exact_rows) {
    abort_btg(c("Folds this large cannot be left out of a fit whose covariance is approximated.",
                x = paste0("The largest has ", format(most, big.mark = ","), " rows; ",
                           format(most_exact_rows, big.mark = ","), " are possible."),
                i = "Use more folds, single rows (`folds = NULL`), or `method = \"refit\"`."),
              "folds")
  }
}

# The answers before they are known, and the counts that go with them.
empty_answers <- function(request) {
  points <- request$points
  n <- length(points$complete)
  variables <- names(request$directions)
  columns <- vapply(names(request$questions), function(name) {
    answer_columns(name, request$questions[[name]])
  }, 0)
  check_memory(3 * 8 * n * sum(columns) * (1 + length(variables)), "The answers")
  empty <- function(columns) matrix(NA_real_, n, columns, dimnames = list(points$names, NULL))
  answers <- Map(function(columns, at) {
    c(list(value = empty(columns), standard_error = empty(ncol(at))),
      if (length(variables) > 0L) {
        list(slopes = array(NA_real_, c(n, length(variables), columns),
                            list(points$names, variables, NULL)))
      })
  }, columns, request$questions)
  list(answers = answers, lost_mass = stats::setNames(rep(NA_real_, n), points$names),
       rearranged = 0, evaluations = 0)
}

fill_answers <- function(result, rows, core, directions) {
  along <- names(Filter(Negate(is.null), directions))
  for (name in names(result$answers)) {
    answer <- core$answers[[name]]
    result$answers[[name]]$value[rows, ] <- answer$value
    if (nrow(answer$standard_error) > 0L) {
      result$answers[[name]]$standard_error[rows, ] <- answer$standard_error
    }
    for (j in seq_along(along)) {
      result$answers[[name]]$slopes[rows, along[j], ] <- answer$slopes[[j]]
    }
  }
  result$lost_mass[rows] <- as.vector(core$lost_mass)
  result$rearranged <- result$rearranged + core$rearranged
  result$evaluations <- result$evaluations + core$evaluations
  result
}

# Some rows of a request as the core takes them.
core_request <- function(ensemble, request, rows) {
  directions <- lapply(unname(Filter(Negate(is.null), request$directions)), function(along) {
    lapply(along, function(x) x[rows, , drop = FALSE])
  })
  c(list(questions = question_rows(request$questions, rows),
         options = core_options(ensemble, request$options),
         points = core_points(request$points, rows, request$observation)),
    if (length(directions) > 0L) list(directions = directions))
}

question_rows <- function(questions, rows) {
  lapply(questions, function(at) if (nrow(at) > 1L) at[rows, , drop = FALSE] else at)
}

# How the core is to answer: see new_request().
core_options <- function(ensemble, options) {
  given <- function(name, default) if (is.null(options[[name]])) default else options[[name]]
  variances <- if (isTRUE(options$standard_error)) ensemble$weight_variances else numeric()
  c(list(tolerance = given("tolerance", ensemble$tolerance), bound = given("bound", "auto"),
         weight_variances = variances), response_ends(ensemble$scaling))
}

# How many columns the answer has to a question at `at`.
answer_columns <- function(name, at) {
  question <- registry()$questions[[name]]
  length(question$units) * if (question$asked_at == "nothing") 1 else ncol(at)
}

# At most 2^22 pairs of a row and a node at a time, two doubles each, and at most 2^16 rows.
row_chunks <- function(rows, nodes) {
  size <- min(max(256, 2^22 %/% nodes), 2^16)
  split(rows, (seq_along(rows) - 1L) %/% size)
}

# The log score of the first value that was asked at: the log of the point mass where the response
# has one, at a bound, else of the density.
log_scores <- function(answers) {
  mass <- answers$mass$value[, 1L]
  ifelse(mass > 0, log(mass), answers$log_density$value[, 1L])
}

# The log score of each row of the data without it.
left_out_log_scores <- function(ensemble, points, threads) {
  at <- cbind(ensemble$design$response)
  request <- new_request(points, list(log_density = at, mass = at), folds = row_folds(points$names),
                         run = new_run(threads))
  log_scores(suppressWarnings(answer(ensemble, request), classes = "btg_warning")$answers)
}

# Each row is a fold by itself.
row_folds <- function(names, naive = FALSE) {
  rows <- make.unique(names)
  new_folds(factor(rows, levels = rows), naive)
}

warn_rearranged <- function(rearranged, n) {
  if (rearranged > 0L) {
    warn_btg(c(
      "The signed weights of the quadrature do not make distribution functions.",
      x = paste0("At ", rearranged, " of ", count_noun(n, "point"),
                 " the predictive distribution function was not monotone and was rearranged."),
      i = "Use the default quadrature, or a higher level."
    ), "rearranged")
  }
}

warn_lost_mass <- function(lost_mass, rows) {
  worst <- which.max(lost_mass)
  if (length(worst) > 0L && lost_mass[worst] > 0.01) {
    warn_btg(c(
      "Some predictions lose mass at the edge of the transform's image.",
      x = paste0("Up to ", format(100 * lost_mass[worst], digits = 2), "% of a prediction, ",
                 "in row ", rows[worst], ", lies where the transform has no inverse."),
      i = paste0("Predictions are renormalised. `transform = \"sinharcsinh\"` or \"softplus\" ",
                 "has no such edge; `predict(type = \"lost_mass\")` shows all rows.")
    ), "lost_mass")
  }
}
