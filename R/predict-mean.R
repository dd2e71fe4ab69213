# Asks for intervals and the standard deviation of the conditional mean, the mean of observations
# given the process.

mean_questions <- function(interval, ends, level) {
  switch(interval, credible = list(conditional_mean = ends),
         hdi = list(conditional_mean_shortest = matrix(level)))
}

check_left_out_mean <- function(left_out, about_mean) {
  if (left_out && about_mean) {
    abort_btg(c("`left_out = TRUE` has no interval of the conditional mean.",
                i = "`interval = \"prediction\"` is of the observation left out."), "argument")
  }
}

# Returns the posterior standard deviation of the noise-free process, or of the conditional mean of
# observations for the type "mean". It is NA where it does not exist.
process_deviation <- function(fit, request, type) {
  of_mean <- type == "mean" && request$observation
  question <- if (of_mean) "conditional_mean_variance" else "moments"
  request$questions <- stats::setNames(list(matrix(0)), question)
  request$observation <- of_mean
  # Squares of tiny or huge responses would under- or overflow: the variance is asked for in scaled
  # units.
  ensemble <- ensemble_of(fit)
  scale <- ensemble$scaling$scale
  ensemble$scaling <- scaled_ends(ensemble$scaling)
  # The prediction itself has already raised these warnings.
  core <- suppressWarnings(answer(ensemble, request),
                           classes = paste0("btg_warning_", c("lost_mass", "rearranged")))
  variances <- core$answers[[question]]$value
  deviation <- scale * sqrt(variances[, ncol(variances)])
  warn_moments(deviation, request$points, "standard deviation")
  deviation
}
