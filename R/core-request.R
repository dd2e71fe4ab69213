# A request to an ensemble holds the points, the questions and the options of the answers.

# `questions` is a named list of matrices of values, with one row per point or one row for all.
# `options` may hold `tolerance`, `bound` and `standard_error`. With `folds`, from new_folds(), the
# rows of the data are predicted without their fold, and `points` names the rows. Answers have
# slopes along `directions`, a list with one element per variable, NULL where there is no slope.
# `run` comes from new_run().
new_request <- function(points, questions, observation = TRUE, options = list(), folds = NULL,
                        directions = NULL, run = new_run()) {
  list(points = points, questions = questions, observation = observation, options = options,
       folds = folds, directions = directions, run = run)
}

# With `cache`, factors stay in memory for the next request.
new_run <- function(threads = 1, cache = TRUE) list(threads = threads, cache = cache)

# `fold` is a factor with one value per row of the data; `naive` refits without each fold.
new_folds <- function(fold, naive = FALSE) list(fold = fold, naive = naive)

# Makes each row a fold by itself.
row_folds <- function(names, naive = FALSE) {
  rows <- make.unique(names)
  new_folds(factor(rows, levels = rows), naive)
}

# Allocates the answers and the counts that belong to them.
empty_answers <- function(request) {
  points <- request$points
  n <- length(points$complete)
  variables <- names(request$directions)
  columns <- vapply(names(request$questions), function(name) {
    answer_columns(name, request$questions[[name]])
  }, 0)
  check_memory(3 * 8 * n * sum(columns) * (1 + length(variables)), "The answers")
  empty <- function(columns) matrix(NA_real_, n, columns, dimnames = list(points$names, NULL))
  answers <- lapply(stats::setNames(names(columns), names(columns)), function(name) {
    answer <- list(value = empty(columns[[name]]),
                   standard_error = empty(ncol(request$questions[[name]])))
    if (length(variables) > 0L) {
      answer$slopes <- array(NA_real_, c(n, length(variables), columns[[name]]),
                             list(points$names, variables, NULL))
    }
    answer
  })
  list(answers = answers, lost_mass = stats::setNames(rep(NA_real_, n), points$names),
       rearranged = 0, evaluations = 0)
}

fill_answers <- function(result, rows, core, directions) {
  along <- names(directions)[!vapply(directions, is.null, NA)]
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

# Selects rows of a request for the core.
core_request <- function(ensemble, request, rows) {
  used <- !vapply(request$directions, is.null, NA)
  directions <- lapply(unname(request$directions[used]), function(along) {
    lapply(along, function(x) x[rows, , drop = FALSE])
  })
  c(list(questions = question_rows(request$questions, rows),
         options = core_options(ensemble, request$options),
         points = requested_points(request, rows)),
    if (!is.null(request$spread)) list(group_weights = request$spread$weights),
    if (length(directions) > 0L) list(directions = directions))
}

# Selects the points of some rows: one each, or with `spread`, list(points, weights), a group of
# points each, which stand together and have the same weights in all groups.
requested_points <- function(request, rows) {
  spread <- request$spread
  if (is.null(spread)) {
    return(core_points(request$points, rows, request$observation))
  }
  size <- length(spread$weights)
  all <- as.vector(outer(seq_len(size), (rows - 1L) * size, `+`))
  core_points(spread$points, all, request$observation)
}

question_rows <- function(questions, rows) {
  lapply(questions, function(at) if (nrow(at) > 1L) at[rows, , drop = FALSE] else at)
}

# Returns the core's options of a request: see new_request().
core_options <- function(ensemble, options) {
  given <- function(name, default) if (is.null(options[[name]])) default else options[[name]]
  variances <- if (isTRUE(options$standard_error)) ensemble$weight_variances else numeric()
  c(list(tolerance = given("tolerance", ensemble$tolerance), bound = given("bound", "auto"),
         weight_variances = variances), response_ends(ensemble$scaling))
}

# Counts the columns of the answer to a question at `at`.
answer_columns <- function(name, at) {
  question <- registry()$questions[[name]]
  length(question$units) * if (question$asked_at == "nothing") 1 else ncol(at)
}

# Limits a chunk to 2^22 pairs of a row and a node, of three doubles each, and to 2^16 rows.
row_chunks <- function(rows, nodes) {
  size <- min(max(256, 2^22 %/% nodes), 2^16)
  if (length(rows) <= size) {
    return(if (length(rows) > 0L) list(rows) else list())
  }
  split(rows, (seq_along(rows) - 1L) %/% size)
}
