# Requests to an ensemble: the points, the questions, and the shape of the answers.

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

# Each row is a fold by itself.
row_folds <- function(names, naive = FALSE) {
  rows <- make.unique(names)
  new_folds(factor(rows, levels = rows), naive)
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
