# Numbers as text, in all tables to the same significant digits.

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

format_percent <- function(x) paste0(format(100 * x, digits = 2), "%")
