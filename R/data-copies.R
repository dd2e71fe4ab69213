# Finds rows that are exact copies in inputs and response, such as rows entered twice or repeated
# runs of a simulator at one point. Noise would have made copies differ, so a likelihood takes them
# as proof that there is none.

# Removes copies from the design, with a message.
drop_copies <- function(design) {
  copies <- if (is.null(design$weights)) find_copies(design) else integer()
  n <- length(design$response)
  if (length(copies) == 0L || n - length(copies) < ncol(design$trend) + 2L) {
    return(design)
  }
  found <- count_noun(length(copies), "row is an exact copy of another",
                      "rows are exact copies of others")
  inform_btg(c(i = paste0(
    found, " in inputs and response", locate_rows(design$row_names[copies]),
    ": left out, as they say nothing of the noise."
  )), "copies")
  design$copies <- design$row_names[copies]
  for (part in c("inputs", "trend", "noise", "variables", "limits")) {
    if (!is.null(design[[part]])) design[[part]] <- design[[part]][-copies, , drop = FALSE]
  }
  for (part in c("response", "row_names")) design[[part]] <- design[[part]][-copies]
  design
}

# Lists the rows left out for missing values and the copies, in the format of na.action().
omit_copies <- function(na_action, copies, rows) {
  if (length(copies) == 0L) {
    return(na_action)
  }
  before <- setdiff(seq_len(length(rows) + length(na_action)), na_action)
  all <- stats::setNames(c(na_action, before[match(copies, rows)]), c(names(na_action), copies))
  structure(sort(all), class = if (is.null(na_action)) "omit" else class(na_action))
}

# Returns the rows to leave out. Rounded responses can agree by chance at equal inputs. Rows count
# as copies only if all rows at equal inputs agree and chance is an implausible explanation. Equal
# limits of censored rows say nothing of the noise: these rows stay.
find_copies <- function(design) {
  exact <- exact_rows(design)
  point <- group_rows(cbind(design$inputs, design$trend, design$noise))[exact]
  response <- design$response[exact]
  copies <- which(duplicated(point))
  if (length(copies) == 0L || anyDuplicated(unique(cbind(point, response))[, 1L])) {
    return(integer())
  }
  if (prod(chance_of_ties(response, copies)) < 1e-3) exact[copies] else integer()
}

# Bounds the chance that each copy agrees with its original despite noise: ten times the chance for
# two unrelated rows, given how the response is rounded and how often it is tied.
chance_of_ties <- function(y, copies) {
  first <- y[-copies]
  m <- length(first)
  counts <- table(match(first, first))
  tied <- sum(counts * (counts - 1)) / (m * (m - 1))
  others <- vapply(y[copies], function(value) sum(first == value) - 1, 0) / max(m - 1, 1)
  pmin(1, 10 * pmax(others, tied, 1 / count_steps(y)))
}

# Counts the steps of rounding in the range of `y`. A step is the smallest distance between two
# values, or a fraction of it, such that all distances are multiples. Returns Inf if none is found.
count_steps <- function(y) {
  distances <- diff(sort(unique(y)))
  for (parts in seq_len(50L)) {
    steps <- distances * parts / min(distances)
    if (all(abs(steps - round(steps)) < 1e-4)) {
      return(sum(round(steps)))
    }
  }
  Inf
}

# Numbers the rows of a matrix; exactly equal rows share a number.
group_rows <- function(x) {
  group <- rep(1L, nrow(x))
  for (j in seq_len(ncol(x))) {
    value <- match(x[, j], x[, j])
    pair <- group * (nrow(x) + 1) + value
    group <- match(pair, pair)
    if (!anyDuplicated(group)) break
  }
  group
}
