# Warps of skewed inputs: power transforms, each chosen from its column alone, kept as a plain list
# and replayed on new data.
#
# A warp is list(name, lambda, center, scale). It acts on u = (x - center) / scale, through
#
#   v = log u                  "boxcox",      of positive columns
#   v = sign(u) log(1 + |u|)   "yeojohnson",  of others
#
# as h(v, lambda) = (exp(lambda v) - 1) / lambda, or v at lambda = 0; below zero, Yeo-Johnson is
# -h(-v, 2 - lambda). For both, the logarithm of the derivative in u is (lambda - 1) v.

# Lambda has two decimals, so that what print() shows is what was used. Beyond these values the
# warped column would be bounded on one side.
warp_lambdas <- seq(0, 200) / 100

# A named list with a warp for each column that needs one.
choose_warps <- function(inputs, columns = colnames(inputs)) {
  warps <- lapply(stats::setNames(nm = columns), function(column) choose_warp(inputs[, column]))
  Filter(Negate(is.null), warps)
}

# The columns that hold numbers: not codes of a factor, nor dates, whose zero is arbitrary.
columns_to_warp <- function(blueprint) {
  dates <- names(blueprint$columns)[blueprint$columns %in% c("Date", "POSIXct")]
  layout <- blueprint$layout
  layout$column[!(layout$variable %in% c(names(blueprint$prototypes), dates))]
}

# The warp that makes a skewed column most like a normal sample. NULL for columns that need none,
# and for those that no warp improves, being too far from zero: it would be next to a straight line.
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

# In units of its geometric mean, a positive column is warped alike in all units. Others are
# measured from their median, in units of the typical distance to it.
start_warp <- function(x) {
  if (all(x > 0)) {
    return(list(name = "boxcox", lambda = 1, center = 0, scale = exp(mean(log(x)))))
  }
  center <- stats::median(x)
  distance <- abs(x - center)
  list(name = "yeojohnson", lambda = 1, center = center,
       scale = stats::median(distance[distance > 0]))
}

# The profile log likelihood of a normal sample at each of `lambda`, up to a constant; -Inf where
# the warp overflows or leaves no variation.
warp_log_likelihood <- function(lambda, v, name) {
  warped <- warp_powers(v, lambda, name)
  usable <- colSums(!is.finite(warped)) == 0
  result <- rep(-Inf, length(lambda))
  if (!any(usable)) {
    return(result)
  }
  # As standard_deviation() and is_constant() have it, for all columns at once.
  warped <- warped[, usable, drop = FALSE]
  n <- length(v)
  deviation <- warped - rep(colMeans(warped), each = n)
  largest <- column_max(abs(deviation))
  spread <- largest * sqrt(colSums((deviation / rep(pmax(largest, .Machine$double.xmin),
                                                    each = n))^2) / (n - 1))
  range <- column_max(warped) + column_max(-warped)
  varies <- range > 4 * .Machine$double.eps * column_max(abs(warped))
  result[usable] <- ifelse(varies, -n * log(spread) + (lambda[usable] - 1) * sum(v), -Inf)
  result
}

column_max <- function(x) x[cbind(max.col(t(x), "first"), seq_len(ncol(x)))]

# warp_power() of all v, by each of `lambda`: a column each.
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

# NaN where a Box-Cox warp is not defined, at x < 0.
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

# Where a value has no image, such as one below zero under Box-Cox: a matrix, one column a warp.
outside_warps <- function(x, warps) {
  columns <- names(warps)
  is.finite(x[, columns, drop = FALSE]) & !is.finite(apply_warps(x, warps)[, columns, drop = FALSE])
}

# `new` is list(inputs, trend, complete): a row that cannot be warped counts as incomplete, and a
# warning says so. `rows` names the rows.
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

# An "x" bullet for each column with values that its warp does not take.
describe_outside <- function(outside, warps, rows) {
  columns <- colnames(outside)[colSums(outside) > 0]
  text <- vapply(columns, function(column) {
    where <- which(outside[, column])
    paste0("`", column, "` was warped by ", warps[[column]]$name, ", which is not defined for ",
           count_noun(length(where), "value"), locate_rows(rows[where]), ".")
  }, "")
  stats::setNames(text, rep("x", length(text)))
}

# What print() says, as in: `Lifetime` (boxcox, lambda = 0.12) and `x` (yeojohnson, lambda = 1.4)
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

# No input may be where its warp has no value; missing ones are for others to judge.
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
