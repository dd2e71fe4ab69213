# Scores of responses known to lie in intervals. The probability of [a, b] is
#
#   P(a <= Y <= b) = F(b) - F(a) + P(Y = a)
#
# which for an exact response, a = b, is its point mass. In the upper half, the difference of
# survival functions does not cancel.

# Returns `questions` with those for the ends of `limits` (data-censored.R) in the last columns of
# each. Infinite ends are asked at `y`. Exact responses need one column, as their ends are equal.
ask_intervals <- function(questions, limits, y) {
  if (!any(are_intervals(limits))) {
    for (name in c("cdf", "mass")) questions[[name]] <- cbind(questions[[name]], as.vector(y))
    return(questions)
  }
  ends <- unname(ifelse(is.finite(limits), limits, y))
  for (name in c("cdf", "exceedance", "mass")) questions[[name]] <- cbind(questions[[name]], ends)
  questions
}

# Returns list(below, inside): the probabilities of responses below each interval, and inside.
interval_probabilities <- function(answers, limits) {
  if (!any(are_intervals(limits))) {
    mass <- last_columns(answers$mass, 1L)[, 1L]
    return(list(below = last_columns(answers$cdf, 1L)[, 1L] - mass, inside = mass))
  }
  cdf <- last_columns(answers$cdf, 2L)
  survival <- last_columns(answers$exceedance, 2L)
  mass <- last_columns(answers$mass, 2L)[, 1L]
  open <- is.infinite(limits)
  cdf[open[, 1L], 1L] <- survival[open[, 2L], 2L] <- mass[open[, 1L]] <- 0
  cdf[open[, 2L], 2L] <- survival[open[, 1L], 1L] <- 1
  inside <- mass + ifelse(cdf[, 1L] > 0.5, survival[, 1L] - survival[, 2L], cdf[, 2L] - cdf[, 1L])
  list(below = pmax(cdf[, 1L] - mass, 0), inside = pmin(pmax(inside, 0), 1))
}

last_columns <- function(answer, count) {
  columns <- ncol(answer$value)
  answer$value[, seq(columns - count + 1L, columns), drop = FALSE]
}

# Returns the log score of each response: the log of the probability of its interval or point mass,
# or else of the density.
interval_scores <- function(log_density, inside, limits) {
  ifelse(are_intervals(limits) | inside > 0, log(inside), log_density)
}
