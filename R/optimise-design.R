# The start of a search: its space, its initial design, and what was evaluated before.

# As space_of_fit(), without a fit.
space_of_search <- function(lower, upper, integers, levels) {
  lower <- c(numeric(), unlist(lower))
  upper <- c(numeric(), unlist(upper))
  check_search_bounds(lower, upper, levels)
  upper <- upper[names(lower)]
  whole <- stats::setNames(rep(FALSE, length(lower)), names(lower))
  space <- list(lower = lower, upper = upper, whole = check_integers(integers, whole),
                levels = lapply(levels, function(x) if (is.factor(x)) levels(x) else x))
  check_space(space)
}

check_search_bounds <- function(lower, upper, levels) {
  is_bound <- function(x) is.numeric(x) && all(is.finite(x)) && is_named(x)
  usable <- length(lower) + length(levels) > 0L &&
    (length(lower) == 0L || is_bound(lower) && is_bound(upper) && setequal(names(lower),
                                                                            names(upper)))
  if (!usable) {
    abort_btg(c("`lower` and `upper` must be finite numbers with the names of the arguments.",
                i = "Use, for instance, `lower = c(a = 0, b = -1), upper = c(a = 1, b = 1)`."),
              "space")
  }
  if (!is.list(levels) || length(levels) > 0L && !is_named(levels)) {
    abort_argument("levels", "must be a named list", levels)
  }
  taken <- intersect(c(names(lower), names(levels)), path_columns)
  if (length(taken) > 0L || anyDuplicated(c(names(lower), names(levels)))) {
    abort_btg(c("Arguments must have different names, other than those of the result.",
                x = if (length(taken) > 0L) paste0("Taken: ", list_names(taken), ".")), "space")
  }
}

# What a search adds to the arguments.
path_columns <- c("response", "feasible", "best", "how", "failure")

empty_path <- function(space, constraints = character()) {
  path <- space_rows(space, matrix(0, 0L, length(space$lower)), integer())
  path[c("response", constraints)] <- rep(list(numeric()), 1L + length(constraints))
  path[c("how", "failure")] <- list(character(), character())
  path
}

# Evaluations of before, as those of a search.
given_path <- function(data, space, constraints = character()) {
  if (!is.data.frame(data)) abort_argument("data", "must be a data frame", data)
  columns <- c(names(space$lower), names(space$levels))
  missing <- setdiff(c(columns, "response", constraints), names(data))
  if (length(missing) > 0L) {
    abort_btg(c("`data` lacks columns.", x = paste0("Missing: ", list_names(missing), ".")),
              "missing_columns")
  }
  data <- as.data.frame(data)
  numeric <- vapply(data[c(names(space$lower), "response", constraints)], is.numeric, NA)
  if (!all(numeric)) {
    abort_btg(c("`data` must have numbers for numeric arguments and for the response.",
                x = paste0("Not so: ", list_names(names(numeric)[!numeric]), ".")), "argument")
  }
  path <- data[columns]
  for (name in names(space$levels)) {
    levels <- space$levels[[name]]
    path[[name]] <- levels[match(as.character(path[[name]]), as.character(levels))]
  }
  if (anyNA(path)) {
    abort_btg(c("`data` must not have missing arguments, or other levels than `levels`.",
                i = "A response may be `NA`: the evaluation failed there."), "argument")
  }
  values <- lapply(data[c("response", constraints)], function(x) ifelse(is.finite(x), x, NA))
  failed <- Reduce(`|`, lapply(values, is.na))
  values$response[failed] <- NA
  path[names(values)] <- lapply(values, as.double)
  path$how <- if ("how" %in% names(data)) as.character(data$how) else rep("given", nrow(data))
  path$failure <- if ("failure" %in% names(data)) as.character(data$failure)
                  else ifelse(failed, paste("given as", data$response), NA)
  rownames(path) <- NULL
  path
}

# Rows of a Latin hypercube: each number has one value in each of `count` equal parts of its range,
# each level as often as others. Of 200 random ones, that with the largest least distance. In place
# of rows that are not allowed, and of copies of others, rows are drawn at random. Where a space of
# whole numbers is too small, copies stay.
initial_design <- function(space, count, allowed, seed, attempts = 100L) {
  with_seed(seed, function() {
    d <- length(space$lower)
    rows <- space_rows(space, maximin_hypercube(count, d), balanced_levels(space, count))
    usable <- are_allowed(allowed, rows)
    for (attempt in seq_len(attempts)) {
      open <- which(!usable | duplicated(rows))
      if (length(open) == 0L) break
      drawn <- max(length(open), if (is.null(allowed)) 1L else 1000L)
      new <- space_rows(space, matrix(stats::runif(drawn * d), drawn, d),
                        sample.int(level_count(space), drawn, replace = TRUE))
      new <- new[are_allowed(allowed, new), , drop = FALSE]
      open <- utils::head(open[order(usable[open])], nrow(new))
      rows[open, ] <- new[seq_along(open), , drop = FALSE]
      usable[open] <- TRUE
    }
    if (!all(usable)) abort_not_allowed()
    rows
  })
}

abort_not_allowed <- function() {
  abort_btg(c("No rows were found that `allowed` lets through.",
              i = "Narrow `lower` and `upper`, or give allowed rows in `data`."), "nowhere")
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
