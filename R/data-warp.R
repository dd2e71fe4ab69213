# Warps skewed inputs by power transforms. Each is chosen from its column alone, stored as a plain
# list and replayed on new data.
#
# A warp is list(name, lambda, center, scale). It acts on u = (x - center) / scale, through
#
#   v = log u                  "boxcox",      of positive columns
#   v = sign(u) log(1 + |u|)   "yeojohnson",  of others
#
# as h(v, lambda) = (exp(lambda v) - 1) / lambda, or v at lambda = 0; below zero, Yeo-Johnson is
# -h(-v, 2 - lambda). For both, the logarithm of the derivative in u is (lambda - 1) v.

# Lambda has two decimals, so print() shows exactly the value in use. Outside of [0, 2] the warped
# column would be bounded on one side.
warp_lambdas <- seq(0, 200) / 100

# Returns a named list with a warp for each column that needs one.
choose_warps <- function(inputs, columns = colnames(inputs)) {
  warps <- lapply(stats::setNames(nm = columns), function(column) choose_warp(inputs[, column]))
  Filter(Negate(is.null), warps)
}

# Names the columns of numbers, without codes of factors, without dates, whose zero is arbitrary,
# and without maps, whose columns belong together.
columns_to_warp <- function(blueprint) {
  dates <- names(blueprint$columns)[blueprint$columns %in% c("Date", "POSIXct")]
  layout <- blueprint$layout
  layout$column[!(layout$variable %in% c(names(blueprint$prototypes), dates, blueprint$maps))]
}

# Returns the warp that makes a skewed column most like a normal sample. Returns NULL for columns
# that need none, or so far from zero that every warp would be nearly linear.
choose_warp <- function(x) {
  if (length(unique(x)) < 6L || !(abs(skewness(x)) > 1)) {
    return(NULL)
  }
  warp <- start_warp(x)
  log_likelihood <- warp_log_likelihood(warp_lambdas, warp_log(x, warp), warp$name)
  best <- which.max(log_likelihood)
  gain <- log_likelihood[best] - log_likelihood[warp_lambdas == 1]
  if (!(is.finite(gain) && gain > 0.1)) {
    return(NULL)
  }
  warp$lambda <- warp_lambdas[best]
  warp
}

# Scaling by the geometric mean makes the warp of a positive column independent of its unit. Other
# columns are centred at their median and scaled by the median nonzero distance to it.
start_warp <- function(x) {
  if (all(x > 0)) {
    return(list(name = "boxcox", lambda = 1, center = 0, scale = exp(mean(log(x)))))
  }
  center <- stats::median(x)
  distance <- abs(x - center)
  list(name = "yeojohnson", lambda = 1, center = center,
       scale = stats::median(distance[distance > 0]))
}

# Returns the profile log likelihood of a normal sample at each of `lambda`, up to a constant; -Inf
# where the warp overflows or leaves no variation.
warp_log_likelihood <- function(lambda, v, name) {
  warped <- warp_powers(v, lambda, name)
  usable <- colSums(!is.finite(warped)) == 0
  result <- rep(-Inf, length(lambda))
  if (!any(usable)) {
    return(result)
  }
  # This repeats standard_deviation() and is_constant() for all columns at once.
  warped <- warped[, usable, drop = FALSE]
  n <- length(v)
  deviation <- warped - rep(colMeans(warped), each = n)
  largest <- column_max(abs(deviation))
  scaled <- deviation / rep(pmax(largest, .Machine$double.xmin), each = n)
  sd <- largest * sqrt(colSums(scaled^2) / (n - 1))
  range <- column_max(warped) + column_max(-warped)
  varies <- range > 4 * .Machine$double.eps * column_max(abs(warped))
  result[usable] <- ifelse(varies, -n * log(sd) + (lambda[usable] - 1) * sum(v), -Inf)
  result
}

column_max <- function(x) x[cbind(max.col(t(x), "first"), seq_len(ncol(x)))]

# Returns warp_power() of `v` in one column per `lambda`.
warp_powers <- function(v, lambda, name) {
  power <- matrix(lambda, length(v), length(lambda), byrow = TRUE)
  sign <- rep(1, length(v))
  if (name == "yeojohnson") {
    sign[v < 0] <- -1
    power[v < 0, ] <- 2 - power[v < 0, ]
  }
  size <- sign * v
  sign * ifelse(power == 0, size, expm1(power * size) / power)
}

# Returns NaN at x < 0, where a Box-Cox warp is not defined.
warp_log <- function(x, warp) {
  u <- (x - warp$center) / warp$scale
  if (warp$name == "yeojohnson") sign(u) * log1p(abs(u)) else log(ifelse(u < 0, NaN, u))
}

warp_power <- function(v, lambda, name) {
  h <- function(v, lambda) if (lambda == 0) v else expm1(lambda * v) / lambda
  if (name == "boxcox") {
    return(h(v, lambda))
  }
  ifelse(v < 0, -h(-v, 2 - lambda), h(v, lambda))
}

warp_values <- function(x, warp) warp_power(warp_log(x, warp), warp$lambda, warp$name)

apply_warps <- function(x, warps) {
  for (column in names(warps)) {
    x[, column] <- warp_values(x[, column], warps[[column]])
  }
  x
}

# Marks values where a warp is not defined, such as negatives under Box-Cox; one column per warp.
outside_warps <- function(x, warps) {
  columns <- names(warps)
  is.finite(x[, columns, drop = FALSE]) & !is.finite(apply_warps(x, warps)[, columns, drop = FALSE])
}

# Marks rows of `new`, list(inputs, trend, complete), as incomplete if they cannot be warped, with a
# warning. `rows` names the rows.
leave_out_unwarpable <- function(new, warps, rows) {
  if (length(warps) == 0L) {
    return(new)
  }
  outside <- outside_warps(new$inputs, warps) & new$complete
  bad <- rowSums(outside) > 0
  if (any(bad)) {
    new$complete[bad] <- FALSE
    new$inputs[bad, ] <- NA
    warn_btg(c(
      paste0("Rows that cannot be predicted are answered by `NA`: ", sum(bad), " of ", length(bad),
             "."),
      describe_outside(outside, warps, rows),
      i = "Fit with `warp_inputs = FALSE` to predict there."
    ), "outside_warp")
  }
  new
}

# Returns an "x" bullet for each column with values outside the domain of its warp.
describe_outside <- function(outside, warps, rows) {
  columns <- colnames(outside)[colSums(outside) > 0]
  text <- vapply(columns, function(column) {
    where <- which(outside[, column])
    paste0("`", column, "` was warped by ", warps[[column]]$name, ", which is not defined for ",
           count_noun(length(where), "value"), locate_rows(rows[where]), ".")
  }, "")
  stats::setNames(text, rep("x", length(text)))
}

# Formats warps for print(), as in "`lifetime` (boxcox, lambda = 0.12)".
format_warps <- function(warps) {
  text <- vapply(names(warps), function(column) {
    warp <- warps[[column]]
    paste0("`", column, "` (", warp$name, ", lambda = ", warp$lambda, ")")
  }, "")
  list_names(text, mark = "")
}

skewness <- function(x) {
  deviation <- x - mean(x)
  mean((deviation / root_sum_squares(deviation))^3) * length(x)^1.5
}

# Aborts if an input is outside the domain of its warp; missing values pass.
check_warped <- function(x, warps, rows = seq_len(nrow(x))) {
  if (length(warps) > 0L) {
    outside <- outside_warps(x, warps)
    if (any(outside)) {
      abort_btg(c("Inputs must be in the domain of their warps.",
                  describe_outside(outside, warps, rows),
                  i = "Fit with `warp_inputs = FALSE` to predict there."), "outside_warp")
    }
  }
  invisible(x)
}
