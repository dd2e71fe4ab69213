# Returns twelve rows with a variable of every kind.
mixed_data <- function() {
  n <- 12L
  data.frame(
    y = c(3.1, 2.4, 5.9, 4.4, 8.2, 7.7, 1.5, 9.9, 6.3, 2.8, 4.9, 5.2),
    x = c(0.3, 1.7, 2.2, 2.9, 3.4, 4.8, 5.1, 6.6, 7.0, 8.3, 9.1, 9.8),
    k = rep(c(2L, 5L, 7L), each = 4L),
    yes = rep(c(TRUE, FALSE, FALSE), 4L),
    two = factor(rep(c("low", "high"), 6L), levels = c("low", "high")),
    three = factor(rep(c("a", "b", "c"), 4L)),
    text = rep(c("p", "q", "r", "s"), 3L),
    grade = factor(rep(c("poor", "fair", "good"), each = 4L), c("poor", "fair", "good"),
                   ordered = TRUE),
    day = as.Date("2024-01-01") + seq_len(n),
    time = as.POSIXct("2024-01-01", tz = "UTC") + 60 * seq_len(n),
    one = 1
  )
}

# Builds the design as btg() does, with `subset` and `na.action` unevaluated.
design_of <- function(formula, data = NULL, subset, na.action, trend = ~ 1) {
  design_from_formula(formula, data, trend, frame_arguments(match.call()), parent.frame())
}
