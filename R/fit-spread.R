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

# Returns the values to ask for `cdf` and `mass` at: those of the response, and the tied one.
with_tie <- function(y, tie) if (is.null(tie)) cbind(y) else cbind(y, rep(tie, length(y)))

# Returns PIT values without the rows at the tied value, which are NA: given that a response is
# above (or below) this value, its PIT among such responses is uniform if predictions are
# calibrated. The PIT of a point mass is not, and depends on the size of the mass. `cdf` and `mass`
# are at with_tie().
pit_off_tie <- function(y, tie, cdf, mass) {
  pit <- cdf[, 1L] - mass[, 1L] / 2
  if (is.null(tie)) {
    return(pit)
  }
  pit <- ifelse(y > tie, (pit - cdf[, 2L]) / (1 - cdf[, 2L]), pit / (cdf[, 2L] - mass[, 2L]))
  ifelse(y == tie | !is.finite(pit), NA, pmin(pmax(pit, 0), 1))
}

# Counts the responses at the tied value, and the number that predictions expect with its standard
# deviation.
tied_rows <- function(y, tie, mass) {
  known <- !is.na(mass)
  mass <- mass[known]
  list(value = tie, count = sum(y[known] == tie), rows = sum(known), expected = sum(mass),
       sd = sqrt(sum(mass * (1 - mass))))
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
