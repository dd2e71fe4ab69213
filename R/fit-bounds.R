# Responses at a bound are censored there: the latent response is at the bound or beyond, and
# predictions have a point mass at the bound.

# The likelihood of censored rows is the probability of a box of so many dimensions.
most_censored_rows <- 500L

# Returns the design in which responses at a bound are censored there, with a message. Limits at or
# beyond a bound become infinite. `approx` is the approximation of the covariance, or NULL.
censor_at_bounds <- function(design, settings, approx = NULL) {
  named <- !identical(settings$transform, "auto")
  transform <- if (named) transform_spec(settings$transform, design$trend_has_constant)
  bounds <- latent_bounds(design, settings, transform)
  if (!is.null(settings$rounding)) {
    check_can_be_rounded(design, settings, approx)
    return(round_responses(open_beyond(design, bounds), settings$rounding, bounds))
  }
  exact <- exact_rows(design)
  # Transforms of positive or bounded responses have no latent value below a bound.
  at_lower <- if (named && (transform$positive || transform$bounded)) integer()
              else exact[design$response[exact] <= bounds[1L]]
  at_upper <- if (named && transform$bounded) integer()
              else exact[design$response[exact] >= bounds[2L]]
  at <- c(at_lower, at_upper)
  if (length(exact) == length(design$response)) inform_limit(design, bounds)
  design <- open_beyond(design, bounds)
  if (length(at) > 0L) {
    reason <- reason_not_censored(design, setdiff(exact, at), settings, approx)
    inform_censored_at(design, bounds, at, reason, is.null(settings$lower))
    if (is.null(reason)) {
      limits <- limits_of(design)
      limits[at_lower, 1L] <- -Inf
      limits[at_upper, 2L] <- Inf
      design$censored <- censored_rows(limits)
    }
  }
  check_can_be_censored(design, settings, approx)
}

# Informs about a value that many rows share at an end of the data: probably a detection limit.
inform_limit <- function(design, bounds) {
  tie <- tied_value(design$response)
  end <- if (!is.null(tie) && !tie %in% c(0, bounds)) end_of(tie, design$response)
  if (is.null(end)) {
    return(invisible())
  }
  name <- design$response_name
  sign <- if (end == "lowest") " <= " else " >= "
  marks <- paste0(name, sign, format(tie, digits = 15))
  if (end == "highest") marks <- paste0("ifelse(", marks, ", \"right\", \"none\")")
  inform_btg(c(i = paste0(
    "`", name, "` is ", format(tie), ", its ", end, " value, in ", sum(design$response == tie),
    " of ", count_noun(length(design$response), "row"), ". If these are responses beyond a ",
    "detection limit, give the limit as their value and state `censored = ", marks,
    "`: see `?\"btg-censored\"`."
  )), "limit")
}

# Returns the bounds beyond which responses cannot be observed, stated, inferred or those of the
# transform.
latent_bounds <- function(design, settings, transform) {
  support <- response_support(known_responses(design), settings)
  if (is.null(support$lower) && is.null(settings$lower) && isTRUE(transform$positive)) {
    support$lower <- 0
  }
  c(if (is.null(support$lower)) -Inf else support$lower,
    if (is.null(support$upper)) Inf else support$upper)
}

# Makes limits of censored rows infinite if they are at or beyond a bound.
open_beyond <- function(design, bounds) {
  at <- design$censored
  if (is.null(at)) {
    return(design)
  }
  at$lower[at$lower <= bounds[1L]] <- -Inf
  at$upper[at$upper >= bounds[2L]] <- Inf
  design$censored <- at
  middle <- limit_middle(new_limits(at$lower, at$upper))
  placed <- is.finite(middle)
  design$response[at$row[placed]] <- middle[placed]
  design
}

# Returns why rows at a bound cannot be censored, or NULL. `left` are the rows that stay exact.
reason_not_censored <- function(design, left, settings, approx) {
  count <- length(design$response) - length(left)
  if (!is.null(approx)) {
    "the covariance is approximated"
  } else if (identical(settings$method, "ML")) {
    "`method = \"ML\"` needs exact responses"
  } else if (count > most_censored_rows) {
    paste0("at most ", most_censored_rows, " rows can be censored")
  } else if (!carries_trend(design, left)) {
    "too few other responses are left"
  }
}

# `inferred` is TRUE if the lower bound was not stated.
inform_censored_at <- function(design, bounds, at, reason, inferred) {
  y <- design$response
  ends <- bounds[c(any(y[at] <= bounds[1L]), any(y[at] >= bounds[2L]))]
  where <- if (identical(ends, 0)) "zero" else paste("at", paste(format(ends), collapse = " or "))
  name <- paste0("`", design$response_name, "`")
  inform_btg(c(i = paste0(
    name, " is ", where, " in ", length(at), " of ", count_noun(length(y), "row"), " and never ",
    if (length(ends) == 2L) "beyond" else if (ends == bounds[1L]) "below" else "above", ". ",
    if (is.null(reason)) {
      paste0("These rows are taken as censored there, and predictions have a point mass. ",
             "If they have a cause of their own, such as \"none found\", model it apart: see ",
             "`?\"btg-censored\"`.",
             if (inferred && bounds[1L] %in% ends) " If it can be negative, state `lower = -Inf`.")
    } else {
      paste0("They count as exact, because ", reason, ": the predicted probability of this value ",
             "is not calibrated.")
    }
  )), "at_bound")
}

check_can_be_rounded <- function(design, settings, approx) {
  count <- length(design$response)
  reason <- if (identical(settings$method, "ML")) {
    "`method = \"ML\"` needs exact responses"
  } else if (!is.null(approx)) {
    "the covariance is approximated"
  } else if (count > most_censored_rows) {
    paste0("at most ", most_censored_rows, " rows can be censored or rounded")
  }
  if (!is.null(reason)) {
    abort_btg(c("`rounding` is not possible here.",
                x = paste0("There are ", count_noun(count, "row"), ", and ", reason, "."),
                i = "Leave it out: it matters only if the step is larger than the noise."),
              "rounding")
  }
  invisible(design)
}

check_can_be_censored <- function(design, settings, approx) {
  count <- length(design$censored$row)
  if (count > 0L && identical(settings$method, "ML")) {
    abort_btg(c("The profile likelihood needs exact responses.",
                x = paste0(count_noun(count, "row is", "rows are"), " censored."),
                i = "Use `method = \"REML\"`."), "censored")
  }
  if (count > 0L && !is.null(approx)) {
    abort_btg(c("Censored responses need the exact covariance.",
                x = paste0("There are ", count_noun(count, "censored row"), "."),
                i = "Use `approx = \"exact\"`, or fewer rows."), "censored")
  }
  if (count > most_censored_rows) {
    abort_btg(c("There are too many censored responses.",
                x = paste0(count, " rows are censored; at most ", most_censored_rows,
                           " are possible."),
                i = "Fit to some of the rows, by `subset`."), "censored")
  }
  invisible(design)
}
