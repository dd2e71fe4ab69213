# Formats numbers with the same significant digits in all tables; sums, quantiles and rows.

# Formats each number by itself, as a table can hold "36.72", "0.0210" and "1.35e-07".
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

# Returns a data frame or matrix as a data frame of text. format_log() formats the columns `logs`.
format_table <- function(table, digits, logs = character()) {
  table <- as.data.frame(table)
  for (name in names(Filter(is.numeric, table))) {
    table[[name]] <- if (name %in% logs) format_log(table[[name]])
                     else format_significant(table[[name]], digits)
  }
  table
}

# Log likelihoods, evidences and scores need fixed decimals: differences of order one distinguish
# models, however large the values are.
format_log <- function(x) formatC(x, format = "f", digits = 2L)

# Name the columns of quantiles and of answers at other values, if all rows share one set of them.
percent_names <- function(probs) paste0(vapply(100 * probs[1L, ], format, "", digits = 7), "%")

value_names <- function(at) format(at[1L, ], trim = TRUE, digits = 7)

format_percent <- function(x) paste0(format(100 * x, digits = 2), "%")

# Centring first and scaling by the largest deviation avoid cancellation and overflow.
standard_deviation <- function(x) root_sum_squares(x - mean(x)) / sqrt(length(x) - 1)

root_sum_squares <- function(x) {
  largest <- max(0, abs(x))
  if (largest == 0) 0 else largest * sqrt(sum((x / largest)^2))
}

# Returns the smallest value at which the cumulative weight reaches p.
weighted_quantile <- function(x, weight, p) {
  order <- order(x)
  reached <- cummax(cumsum(weight[order])) # with signed weights the sum may fall
  x[order][pmin(findInterval(p, reached, left.open = TRUE) + 1L, length(x))]
}

# Selects `rows` in each matrix or vector of a list that has `size` rows, and keeps other elements.
select_rows <- function(x, rows, size) {
  lapply(x, function(part) {
    if (is.matrix(part) && nrow(part) == size) part[rows, , drop = FALSE]
    else if (is.null(dim(part)) && length(part) == size) part[rows]
    else part
  })
}

# Selects `count` of n rows by multiples of the golden ratio, to avoid any pattern in their order.
scattered_rows <- function(n, count) {
  sort(utils::head(order((seq_len(n) * (sqrt(5) - 1) / 2) %% 1), count))
}
