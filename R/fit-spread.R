# Tests whether the spread of left-out residuals depends on a variable.

# Tests for each of `variables`, a list of vectors, whether the sizes of the residuals follow a
# smooth curve of it or differ between its levels. Residuals are normal scores of PIT values. Square
# roots of their sizes are close to normal and enter an analysis of variance. Returns a data frame
# of `variable`, `p`, and `adjusted` by Holm's method; p is NA with too few rows.
spread_tests <- function(pit, variables) {
  size <- sqrt(abs(stats::qnorm(pmin(pmax(pit, 1e-9), 1 - 1e-9))))
  p <- vapply(variables, function(x) {
    # A fitted median may be infinite.
    known <- !is.na(size) & (if (is.numeric(x)) is.finite(x) else !is.na(x))
    spread_p_value(size[known], spread_basis(x[known]))
  }, 0)
  data.frame(variable = as.character(names(variables)), p = as.vector(p),
             adjusted = stats::p.adjust(as.vector(p), "holm"))
}

spread_level <- 0.05

# Returns the variables with a significant test, smallest p-value first.
spread_found <- function(tests) {
  found <- tests[which(tests$adjusted < spread_level), ]
  found$variable[order(found$p)]
}

# Returns a natural spline of three degrees of freedom, a line if there are few values, or
# indicators; NULL if there is only one value.
spread_basis <- function(x) {
  values <- length(unique(x))
  if (values < 2L) {
    return(NULL)
  }
  if (!is.numeric(x) && !has_range(x)) {
    return(stats::model.matrix(~ x, list(x = as.factor(x)))[, -1L, drop = FALSE])
  }
  x <- as.numeric(x) / max(abs(as.numeric(x)))
  x <- (x - mean(x)) / max(abs(x - mean(x)))
  # The knots of a spline must differ, however many values there are.
  knots <- stats::quantile(x, c(0, 1, 2, 3) / 3, names = FALSE)
  if (values >= smooth_values && min(diff(knots)) > 1e-6) splines::ns(x, df = 3) else cbind(x)
}

# A variable needs this number of distinct values for a curve.
smooth_values <- 10L

spread_p_value <- function(size, basis) {
  if (is.null(basis) || length(size) < 10L + 2L * ncol(basis)) {
    return(NA_real_)
  }
  fit <- stats::lm.fit(cbind(1, basis), size)
  residual <- sum(fit$residuals^2)
  explained <- sum((size - mean(size))^2) - residual
  freedom <- c(fit$rank - 1L, fit$df.residual)
  if (freedom[1L] == 0L || residual <= 0) {
    return(NA_real_)
  }
  stats::pf(explained / freedom[1L] / (residual / freedom[2L]), freedom[1L], freedom[2L],
            lower.tail = FALSE)
}

# Returns the variables to test: the vectors of the data.
spread_variables <- function(data) {
  Filter(function(x) is.null(dim(x)) && !is.list(x), as.list(data))
}

# Tests the left-out predictions of a fit to `data`, beginning with the fitted medians.
spread_of_residuals <- function(pit, median, data) {
  spread_tests(pit, c(list("(fitted)" = median), spread_variables(data)))
}

# Returns the value that stands out by its ties, such as zero, or NULL: at least a tenth of the
# responses have it, and three times as many as have any other. Rounded responses have many ties,
# but none that stands out.
tied_value <- function(y) {
  values <- unique(y)
  counts <- sort(tabulate(match(y, values)), decreasing = TRUE)
  most <- values[which.max(tabulate(match(y, values)))]
  if (counts[1L] >= max(5, 0.1 * length(y), 3 * c(counts, 0)[2L])) most
}

# Returns the questions whose answers response_places() takes: at the tied value, if there is one,
# and at the ends of the limits.
place_questions <- function(fit) {
  tie <- tied_value(exact_response(fit))
  at <- if (!is.null(tie)) cbind(rep(tie, row_count(fit)))
  ask_intervals(list(cdf = at, mass = at), reported_limits(fit), fit_response(fit))
}

# Returns where responses lie in predictions: the `pit`, in the middle of intervals and masses, the
# probability `mass` of the interval or value, the log score, `spread_pit` to test the spread by,
# and tied_rows().
response_places <- function(answers, fit) {
  limits <- reported_limits(fit)
  y <- fit_response(fit)
  at <- interval_probabilities(answers, limits)
  censored <- are_intervals(limits)
  tie <- tied_value(y[!censored])
  pit <- even_pit(at$below, at$inside, censored)
  tie_mass <- answers$mass$value[, 1L]
  list(pit = at$below + at$inside / 2, mass = at$inside,
       spread_pit = pit_off_tie(y, tie, pit, answers$cdf$value[, 1L], tie_mass),
       tied = if (!is.null(tie)) tied_rows(y[!censored], tie, tie_mass[!censored]))
}

# Returns PIT values without the rows at the tied value, which are NA: given that a response is
# above (or below) this value, its PIT among such responses is uniform if predictions are
# calibrated. The PIT of a point mass is not, and depends on the size of the mass. `tie_cdf` and
# `tie_mass` are the distribution function and the mass at the tied value.
pit_off_tie <- function(y, tie, pit, tie_cdf, tie_mass) {
  if (is.null(tie)) {
    return(pit)
  }
  off <- ifelse(y > tie, (pit - tie_cdf) / (1 - tie_cdf), pit / (tie_cdf - tie_mass))
  ifelse(y == tie | !is.finite(off), NA, pmin(pmax(off, 0), 1))
}

# Places the PIT of each censored response in its interval. Over many rows the places are even, by
# the golden ratio, so that the PIT is uniform if predictions are calibrated. The middles are not.
even_pit <- function(below, inside, censored) {
  at <- ifelse(censored, (seq_along(below) * (sqrt(5) - 1) / 2) %% 1, 0.5)
  below + at * inside
}

# Counts the responses at the tied value, and the number that predictions expect with its standard
# deviation.
tied_rows <- function(y, tie, mass) {
  known <- !is.na(mass)
  mass <- mass[known]
  list(value = tie, end = if (tie != 0) end_of(tie, y), count = sum(y[known] == tie),
       rows = sum(known), expected = sum(mass), sd = sqrt(sum(mass * (1 - mass))))
}

# Returns which end of the data a value is, or NULL.
end_of <- function(value, y) {
  if (value == min(y)) "lowest" else if (value == max(y)) "highest"
}

# Returns whether predictions and responses disagree on the tied value. The remaining residuals then
# say little about the noise.
is_tie_unexpected <- function(tied) {
  !is.null(tied) && abs(tied$count - tied$expected) > 3 * max(tied$sd, 1)
}

# Returns lines of advice about a spread that depends on variables.
spread_advice <- function(spread, variables) {
  found <- spread_found(spread)
  if (length(found) == 0L) {
    return(NULL)
  }
  p <- spread$p[match(found, spread$variable)]
  named <- ifelse(found == "(fitted)", "the fitted values", paste0("`", found, "`"))
  own <- setdiff(found, "(fitted)")
  c(
    paste0("The spread of left-out residuals depends on ",
           list_names(paste0(named, " (p = ", format(p, digits = 1, trim = TRUE), ")"), ""), "."),
    if (length(own) > 0L) {
      terms <- vapply(utils::head(own, 2L), function(name) {
        if (is_smooth_variable(variables[[name]])) paste0("splines::ns(", name, ", 3)") else name
      }, "")
      paste0("Model it by `noise = ~ ", paste(terms, collapse = " + "), "`, or `noise = \"auto\"`.")
    } else {
      "Another transform may suit the response better."
    }
  )
}

# Returns whether the noise is modelled as a curve of the variable.
is_smooth_variable <- function(x) has_range(x) && length(unique(x)) >= smooth_values
