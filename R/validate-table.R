# The table of scores that loocv() and predictive_scores() share.

# Returns the scores of responses between `limits`, which are equal for exact ones. `y` stands for
# the responses, and `has_value` marks rows where it was reported: exact or rounded ones.
score_table <- function(answers, limits, y, has_value) {
  censored <- are_intervals(limits)
  quantiles <- answers$quantile$value
  at <- interval_probabilities(answers, limits)
  table <- data.frame(
    y = as.vector(y), median = quantiles[, 1L], lwr = quantiles[, 2L], upr = quantiles[, 3L],
    log_score = interval_scores(answers$log_density$value[, 1L], at$inside, limits),
    crps = ifelse(has_value, answers$crps$value[, 1L], NA), pit = at$below + at$inside / 2,
    mass = at$inside, row.names = NULL
  )
  if (any(censored)) table[c("lower", "upper")] <- list(limits[, 1L], limits[, 2L])
  table
}

# Returns the limits of responses in a table of scores.
limits_of_scores <- function(scores) {
  if (is.null(scores$lower)) new_limits(scores$y, scores$y)
  else new_limits(scores$lower, scores$upper)
}

# Returns the PIT values of a table of scores, evenly placed in the intervals of censored responses.
pit_in_intervals <- function(scores) {
  censored <- are_intervals(limits_of_scores(scores))
  even_pit(scores$pit - scores$mass / 2, scores$mass, censored)
}

# A censored response has no residual, and no CRPS.
observed_residuals <- function(scores) ifelse(is.na(scores$crps), NA, scores$y - scores$median)
