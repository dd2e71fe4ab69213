# The start of a search: its space, its initial design, and what was evaluated before.

# As space_of_fit(), without a fit.
space_of_search <- function(lower, upper, integers, levels, call) {
  lower <- c(numeric(), unlist(lower))
  upper <- c(numeric(), unlist(upper))
  check_search_bounds(lower, upper, levels, call)
  upper <- upper[names(lower)]
  whole <- stats::setNames(rep(FALSE, length(lower)), names(lower))
  space <- list(lower = lower, upper = upper, whole = check_integers(integers, whole, call),
                levels = lapply(levels, function(x) if (is.factor(x)) levels(x) else x))
  check_space(space, call)
}

check_search_bounds <- function(lower, upper, levels, call) {
  is_bound <- function(x) is.numeric(x) && all(is.finite(x)) && is_named(x)
  usable <- length(lower) + length(levels) > 0L &&
    (length(lower) == 0L || is_bound(lower) && is_bound(upper) && setequal(names(lower),
                                                                            names(upper)))
  if (!usable) {
    abort_btg(c("`lower` and `upper` must be finite numbers with the names of the arguments.",
                i = "Use, for instance, `lower = c(a = 0, b = -1), upper = c(a = 1, b = 1)`."),
              "space", call)
  }
  if (!is.list(levels) || length(levels) > 0L && !is_named(levels)) {
    abort_argument("levels", "must be a named list", levels, call)
  }
  taken <- intersect(c(names(lower), names(levels)), path_columns)
  if (length(taken) > 0L || anyDuplicated(c(names(lower), names(levels)))) {
    abort_btg(c("Arguments must have different names, other than those of the result.",
                x = if (length(taken) > 0L) paste0("Taken: ", list_names(taken), ".")), "space",
              call)
  }
}

is_named <- function(x) !is.null(names(x)) && all(nzchar(names(x)))

# What a search adds to the arguments.
path_columns <- c("response", "best", "how", "failure")

empty_path <- function(space) {
  path <- space_rows(space, matrix(0, 0L, length(space$lower)), integer())
  path[c("response", "how", "failure")] <- list(numeric(), character(), character())
  path
}

# Evaluations of before, as those of a search.
given_path <- function(data, space, call) {
  if (!is.data.frame(data)) abort_argument("data", "must be a data frame", data, call)
  columns <- c(names(space$lower), names(space$levels))
  missing <- setdiff(c(columns, "response"), names(data))
  if (length(missing) > 0L) {
    abort_btg(c("`data` lacks columns.", x = paste0("Missing: ", list_names(missing), ".")),
              "missing_columns", call)
  }
  data <- as.data.frame(data)
  numeric <- vapply(data[c(names(space$lower), "response")], is.numeric, NA)
  if (!all(numeric)) {
    abort_btg(c("`data` must have numbers for numeric arguments and for the response.",
                x = paste0("Not so: ", list_names(names(numeric)[!numeric]), ".")), "argument",
              call)
  }
  path <- data[columns]
  for (name in names(space$levels)) {
    levels <- space$levels[[name]]
    path[[name]] <- levels[match(as.character(path[[name]]), as.character(levels))]
  }
  if (anyNA(path)) {
    abort_btg(c("`data` must not have missing arguments, or other levels than `levels`.",
                i = "A response may be `NA`: the evaluation failed there."), "argument", call)
  }
  failed <- !is.finite(data$response)
  path$response <- ifelse(failed, NA, as.double(data$response))
  path$how <- if ("how" %in% names(data)) as.character(data$how) else rep("given", nrow(data))
  path$failure <- if ("failure" %in% names(data)) as.character(data$failure)
                  else ifelse(failed, paste("given as", data$response), NA)
  rownames(path) <- NULL
  path
}

# Rows of a Latin hypercube: each number has one value in each of `count` equal parts of its range,
# each level as often as others. Of 200 random ones, that with the largest least distance; rows that
# are not allowed are drawn again, one by one.
initial_design <- function(space, count, allowed, seed, call) {
  with_seed(seed, function() {
    d <- length(space$lower)
    u <- maximin_hypercube(count, d)
    k <- balanced_levels(space, count)
    rows <- space_rows(space, u, k)
    for (attempt in 1:200) {
      bad <- which(!are_allowed(allowed, rows, call))
      if (length(bad) == 0L) break
      rows[bad, ] <- space_rows(space, matrix(stats::runif(length(bad) * d), length(bad), d),
                                sample.int(level_count(space), length(bad), replace = TRUE))
    }
    if (length(bad) > 0L) abort_nowhere(call)
    rows
  }, call)
}

# Numbers of combinations of levels: each level of a factor as often as others, whatever those of
# other factors are.
balanced_levels <- function(space, count) {
  size <- cumprod(c(1, lengths(space$levels)))
  each <- lapply(seq_along(space$levels), function(j) {
    size[j] * (sample(rep_len(seq_along(space$levels[[j]]), count)) - 1)
  })
  1 + Reduce(`+`, each, numeric(count))
}

maximin_hypercube <- function(count, d, tries = 200L) {
  draw <- function() {
    u <- vapply(seq_len(d), function(j) (sample.int(count) - stats::runif(count)) / count,
                numeric(count))
    matrix(u, count, d)
  }
  if (d == 0L || count < 2L) {
    return(draw())
  }
  designs <- lapply(seq_len(tries), function(k) draw())
  designs[[which.max(vapply(designs, function(u) min(stats::dist(u)), 0))]]
}

# Distances between the rows of two matrices, and of each row of `a` to the nearest of `b`.
distances <- function(a, b) {
  squares <- vapply(seq_len(nrow(b)), function(j) rowSums((a - rep(b[j, ], each = nrow(a)))^2),
                    numeric(nrow(a)))
  matrix(sqrt(squares), nrow(a), nrow(b))
}

nearest <- function(a, b) {
  if (nrow(b) == 0L) rep(Inf, nrow(a)) else apply(distances(a, b), 1L, min)
}
