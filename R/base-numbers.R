# Numbers as text, to the same significant digits in all tables; sums, quantiles and rows.

# Each by itself, so that a table can have large and small ones: "36.72", "0.0210", "1.35e-07".
format_significant <- function(x, digits) {
  text <- vapply(as.double(x), function(one) {
    one <- signif(one, digits)
    if (!is.finite(one) || one == 0) {
      return(format(one))
    }
    order <- floor(log10(abs(one)))
    if (order < -4 || order > 6) {
      return(formatC(one, format = "e", digits = digits - 1L))
    }
    formatC(one, format = "f", digits = max(0, digits - 1L - order))
  }, "")
  stats::setNames(text, names(x))
}

# A data frame or matrix of numbers as a data frame of text; columns of logarithms by format_log().
format_table <- function(table, digits, logs = character()) {
  table <- as.data.frame(table)
  for (name in names(Filter(is.numeric, table))) {
    table[[name]] <- if (name %in% logs) format_log(table[[name]])
                     else format_significant(table[[name]], digits)
  }
  table
}

# Log likelihoods, evidences and scores: differences of one tell models apart, whatever their
# number of digits.
format_log <- function(x) formatC(x, format = "f", digits = 2L)

# Names of the columns of quantiles at a row of `probs`, and of other answers to a row of values.
percent_names <- function(probs) paste0(vapply(100 * probs[1L, ], format, "", digits = 7), "%")

value_names <- function(at) format(at[1L, ], trim = TRUE, digits = 7)

format_percent <- function(x) paste0(format(100 * x, digits = 2), "%")

# Deviations are taken from the mean before they are squared, and squared at order one.
standard_deviation <- function(x) root_sum_squares(x - mean(x)) / sqrt(length(x) - 1)

root_sum_squares <- function(x) {
  largest <- max(abs(x))
  if (largest == 0) 0 else largest * sqrt(sum((x / largest)^2))
}

# The smallest value up to which the weights reach p.
weighted_quantile <- function(x, weight, p) {
  order <- order(x)
  reached <- cummax(cumsum(weight[order])) # signed weights may fall
  x[order][pmin(findInterval(p, reached, left.open = TRUE) + 1L, length(x))]
}

# The rows of a list's matrices and vectors that have one for each of `size` rows.
select_rows <- function(x, rows, size) {
  lapply(x, function(part) {
    if (is.matrix(part) && nrow(part) == size) part[rows, , drop = FALSE]
    else if (is.null(dim(part)) && length(part) == size) part[rows]
    else part
  })
}
