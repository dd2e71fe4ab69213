# Responses known to lie in intervals. `Surv` objects and the argument `censored` both become
# limits: a matrix of a lower and an upper limit per row, equal for exact responses, infinite for
# unknown ends, and NA in both columns for rows without a response.

limit_columns <- c("(lower)", "(upper)")

# Subsets of rows keep the names of columns, by which limits are recognised in a model frame.
is_limits <- function(y) is.matrix(y) && identical(colnames(y), limit_columns)

new_limits <- function(lower, upper) {
  matrix(as.double(c(lower, upper)), ncol = 2L, dimnames = list(NULL, limit_columns))
}

is_surv <- function(y) inherits(y, "Surv")

# Returns the expression of the response for a model frame: one that gives limits if the response is
# a `Surv` object, or if `censored`, an unevaluated argument or NULL, is given.
response_expression <- function(response, censored, data, scope) {
  if (is.null(censored)) {
    y <- tryCatch(eval(response, data, scope), error = function(e) NULL)
    return(if (is_surv(y)) call("(limits)", response) else response)
  }
  call("(limits)", response, censored, deparse1(response))
}

# Advises on functions that state censoring in other packages, of those not found.
explain_censoring <- function(functions) {
  if ("Surv" %in% functions) {
    c(i = "`Surv()` is a function of the package survival: use `library(survival)`.")
  } else if (any(c("Cen", "cens") %in% functions)) {
    c(i = paste0("State censoring by `censored`, as in `btg(y ~ x, data, censored = below)` with ",
                 "TRUE for a row below the limit that `y` holds: see `?\"btg-censored\"`."))
  }
}

limit_scope <- function(scope) list2env(list(`(limits)` = response_limits), parent = scope)

# Returns the limits of the responses `y`, or `y` itself if it is not censored.
response_limits <- function(y, censored = NULL, name = "y") {
  if (is_surv(y)) {
    if (!is.null(censored)) {
      abort_btg(c("Censoring is stated twice.",
                  x = paste0("`", name, "` is a `Surv` object, and `censored` is given."),
                  i = "Use one of them."), "censored")
    }
    return(surv_limits(y))
  }
  if (is.null(censored)) {
    return(y)
  }
  y <- without_unit(plain_vector(y))
  if (is.data.frame(censored) || is.matrix(censored)) {
    return(given_limits(y, censored))
  }
  check_response_type(y, name)
  side <- censored_side(censored, length(y))
  new_limits(ifelse(side == "left", -Inf, y), ifelse(side == "right", Inf, y))
}

# Limits by row: the first column is the lower one. A row without limits is exact.
given_limits <- function(y, censored) {
  columns <- lapply(seq_len(ncol(censored)), function(j) plain_vector(censored[, j]))
  if (length(columns) != 2L || !all(vapply(columns, is.numeric, NA) |
                                      vapply(columns, function(x) all(is.na(x)), NA))) {
    abort_btg(c("Limits in `censored` must be two columns of numbers, lower and upper.",
                x = paste0("It is ", describe_value(censored), "."),
                i = "Use `cbind(lower, upper)`, with NA in both for an exact response."),
              "censored")
  }
  check_censored_length(nrow(censored), length(y))
  lower <- as.double(columns[[1L]])
  upper <- as.double(columns[[2L]])
  exact <- is.na(lower) & is.na(upper)
  if (any(exact)) check_response_type(y)
  limits <- open_limits(lower, upper)
  if (any(exact)) limits[exact, ] <- as.double(y[exact])
  limits
}

# Replaces one unknown end by infinity. Two of them say nothing: the response is missing.
open_limits <- function(lower, upper) {
  lower[is.na(lower)] <- -Inf
  upper[is.na(upper)] <- Inf
  unknown <- lower == -Inf & upper == Inf
  new_limits(ifelse(unknown, NA, lower), ifelse(unknown, NA, upper))
}

# Returns "left", "none" or "right" for each row.
censored_side <- function(censored, n) {
  if (is.factor(censored)) censored <- as.character(censored)
  if (is.logical(censored)) censored <- ifelse(censored, "left", "none")
  sides <- c("left", "none", "right")
  if (!is.character(censored)) {
    abort_argument("censored", paste0(
      "must be TRUE or FALSE for each row (TRUE: below the response given), ",
      list_names(sides, "\""), ", or two columns of limits"
    ), censored)
  }
  other <- setdiff(censored, c(sides, NA))
  if (length(other) > 0L) {
    abort_btg(c("`censored` has values without a meaning.",
                x = paste0("There is ", list_names(other, "\""), "."),
                i = paste0("Use TRUE and FALSE, or ", list_names(sides, "\""), "."),
                i = "If it is the name of a column, write it without quotes."), "censored")
  }
  check_censored_length(length(censored), n)
  rep_len(censored, n)
}

check_censored_length <- function(length, n) {
  if (length != n && length != 1L) {
    abort_btg(c("`censored` must have one value for each row.",
                x = paste0("It has ", length, " for ", count_noun(n, "row"), ".")), "censored")
  }
}

# The columns of a `Surv` object are times and a status: 0 is right-censored (left-censored for
# type "left"), 1 exact, 2 left-censored and 3 an interval.
surv_limits <- function(y) {
  type <- attr(y, "type")
  y <- unclass(y)
  status <- y[, ncol(y)]
  time <- y[, 1L]
  upper <- switch(type,
    right = ifelse(status == 0, Inf, time), left = time,
    interval = ifelse(status == 0, Inf, ifelse(status == 3, y[, 2L], time))
  )
  lower <- switch(type,
    right = time, left = ifelse(status == 0, -Inf, time),
    interval = ifelse(status == 2, -Inf, time)
  )
  if (is.null(upper)) {
    abort_btg(c("This kind of `Surv` object cannot be modelled.",
                x = paste0("Its type is \"", type, "\"."),
                i = paste0("The types \"right\", \"left\", \"interval\" and \"interval2\" can: ",
                           "times of one event, without delayed entry.")), "censored")
  }
  missing <- is.na(lower) | is.na(upper)
  lower[missing] <- upper[missing] <- NA
  new_limits(lower, upper)
}

# Checks limits without missing rows, and returns the placeholders of the response: the finite end,
# or the middle of two.
check_limits <- function(limits, name, rows) {
  check_limit_order(limits, name, rows)
  if (!any(is_bounded(limits))) {
    abort_btg(c("All responses are censored.",
                x = paste0("`", name, "` has neither an exact value nor two finite limits in ",
                           count_noun(nrow(limits), "row"), "."),
                i = "The spread of the response follows from such rows, which are needed."),
              "all_censored")
  }
  limit_middle(limits)
}

# Marks rows whose response is exact or has two finite limits.
is_bounded <- function(limits) unname(is.finite(limits[, 1L]) & is.finite(limits[, 2L]))

check_limit_order <- function(limits, name, rows) {
  reversed <- which(limits[, 1L] > limits[, 2L])
  if (length(reversed) > 0L) {
    abort_btg(c("Lower limits cannot exceed upper limits.",
                x = paste0("`", name, "` has ", count_noun(length(reversed), "interval"),
                           " whose ends are reversed", locate_rows(rows[reversed]), "."),
                i = "Give the lower limit first."), "limits_reversed")
  }
  infinite <- which(limits[, 1L] == Inf | limits[, 2L] == -Inf)
  if (length(infinite) > 0L) {
    abort_btg(c("The response must be finite.",
                x = paste0("`", name, "` is infinite in ", count_noun(length(infinite), "row"),
                           locate_rows(rows[infinite]), ".")), "response_not_finite")
  }
  invisible(limits)
}

# Returns a finite value in each interval: the finite end, or the middle of two.
limit_middle <- function(limits) {
  lower <- limits[, 1L]
  upper <- limits[, 2L]
  unname(ifelse(is.finite(lower) & is.finite(upper), lower + (upper - lower) / 2,
                ifelse(is.finite(lower), lower, upper)))
}

# Returns list(row, lower, upper) of the rows that are not exact, or NULL.
censored_rows <- function(limits) {
  row <- which(are_intervals(limits))
  if (length(row) > 0L) {
    list(row = row, lower = unname(limits[row, 1L]), upper = unname(limits[row, 2L]))
  }
}

# Numbers the rows of a design whose response is exact, as `limits` or `censored` have it.
exact_rows <- function(design) {
  limits <- design$limits
  if (is.null(limits)) setdiff(seq_along(design$response), design$censored$row)
  else which(limits[, 1L] == limits[, 2L])
}

# Replaces the limits of a design by its list of censored rows, and checks that the exact rows can
# carry the trend.
fix_limits <- function(design) {
  censored <- if (!is.null(design$limits)) censored_rows(design$limits)
  design$limits <- NULL
  design["censored"] <- list(censored)
  exact <- length(exact_rows(design))
  if (is.null(censored) || carries_trend(design, exact_rows(design))) {
    return(design)
  }
  if (exact == 0L) {
    return(check_intervals(design))
  }
  abort_too_few(design, exact, c("exact value", "exact values"), "too few exact responses", c(
    i = "The spread of the response follows from exact values.",
    i = "If nearly all rows have two limits, give the others a short interval too."
  ))
}

# Checks that intervals alone can carry the trend, and show how far the response is spread.
check_intervals <- function(design) {
  limits <- limits_of(design)
  bounded <- which(is_bounded(limits))
  if (!carries_trend(design, bounded)) {
    abort_too_few(design, length(bounded),
                  paste(c("interval", "intervals"), "with two finite limits"),
                  "too few intervals with two finite limits", c(
                    i = "Without exact values, the spread of the response follows from these."
                  ))
  }
  if (is_trend_inside(design$trend, limits)) {
    abort_btg(c(
      "The intervals of the response are too wide.",
      x = paste0("`", design$response_name, "` has no exact value, and ",
                 if (ncol(design$trend) == 1L) "one value" else "one trend",
                 " lies within the limits of all rows."),
      i = "Such data do not show how far the response is spread."
    ), "all_censored")
  }
  design
}

abort_too_few <- function(design, count, noun, what, advice) {
  p <- ncol(design$trend)
  abort_btg(c(
    paste0("There are ", what, "."),
    x = paste0("`", design$response_name, "` has ", count_noun(count, noun[1L], noun[2L]),
               "; a trend with ", count_noun(p, "column"), " needs at least ", p + 2L,
               ", at points that tell its columns apart."),
    advice
  ), "too_few_exact")
}

# Returns whether a combination of the trend's columns M lies within the limits of all rows, ends
# included, by projections in turn onto the limits and the columns. The response is not transformed.
is_trend_inside <- function(M, limits) {
  lower <- limits[, 1L]
  upper <- limits[, 2L]
  if (ncol(M) == 1L && is_constant(M)) {
    return(max(lower) <= min(upper))
  }
  known <- limits[is.finite(limits)]
  z <- limit_middle(limits)
  decomposed <- qr(M)
  for (iteration in 1:500) {
    trend <- qr.fitted(decomposed, z)
    z <- pmin(pmax(trend, lower), upper)
  }
  max(abs(trend - z)) < 1e-3 * stats::sd(known)
}

# Marks exact responses as rounded: the response is within `step / 2` of its value, up to the
# `bounds`. A limit at or beyond a bound is infinite, as the latent response may be beyond.
round_responses <- function(design, step, bounds) {
  rounded <- exact_rows(design)
  limits <- limits_of(design)
  limits[rounded, ] <- limits[rounded, ] + rep(c(-step / 2, step / 2), each = length(rounded))
  limits[limits[, 1L] <= bounds[1L], 1L] <- -Inf
  limits[limits[, 2L] >= bounds[2L], 2L] <- Inf
  design$censored <- censored_rows(limits)
  design$censored$rounded <- design$censored$row %in% rounded
  check_intervals(design)
}

# Numbers the rows that are rounded.
rounded_rows <- function(design) design$censored$row[design$censored$rounded %in% TRUE]

# Returns whether `rows` are enough, and different enough, to estimate the trend.
carries_trend <- function(design, rows) {
  M <- design$trend[rows, , drop = FALSE]
  length(rows) >= ncol(M) + 2L && qr(M, tol = 1e-7)$rank == ncol(M)
}

# Returns the limits of all rows of a design or of the design of a fit.
limits_of <- function(design) {
  limits <- new_limits(design$response, design$response)
  at <- design$censored
  if (!is.null(at)) limits[at$row, ] <- c(at$lower, at$upper)
  limits
}

are_intervals <- function(limits) unname(limits[, 1L] < limits[, 2L])

# Returns the censored rows among the selected `rows`, by their new positions.
select_censored <- function(censored, rows, size) {
  if (is.null(censored)) {
    return(NULL)
  }
  kept <- seq_len(size)[rows]
  at <- match(kept, censored$row)
  found <- which(!is.na(at))
  if (length(found) > 0L) {
    kept <- list(row = found, lower = censored$lower[at[found]], upper = censored$upper[at[found]])
    kept$rounded <- censored$rounded[at[found]]
    kept
  }
}

# Selects rows of a design: see select_rows().
select_design <- function(design, rows, size) {
  censored <- select_censored(design$censored, rows, size)
  design <- select_rows(design, rows, size)
  design["censored"] <- list(censored)
  design
}

is_censored <- function(design) seq_along(design$response) %in% design$censored$row

# Returns the numbers that the response is known by: exact values and finite limits.
known_responses <- function(design) {
  known <- design$response
  at <- design$censored
  if (is.null(at)) {
    return(known)
  }
  ends <- c(at$lower, at$upper)
  c(known[-at$row], ends[is.finite(ends)])
}
