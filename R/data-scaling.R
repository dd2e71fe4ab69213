# Scales inputs and response to order one, and back.

# Computes one centre and scale per column, after its warp if it has one (data-warp.R). The columns
# of an input share a scale, the root of the sum of their variances. Without `ard`, all inputs share
# the root of the mean of those sums. A column with `levels` has the scale of their indicators, but
# its codes stay as they are, as do those of a `group`.
input_scaling <- function(inputs, input_of_column, ard, warps = list(),
                          levels = rep(0L, ncol(inputs)), group = rep(FALSE, ncol(inputs))) {
  inputs <- apply_warps(inputs, warps)
  center <- ifelse(levels > 0L, 0, apply(inputs, 2L, mean))
  deviation <- apply(inputs, 2L, standard_deviation)
  deviation[levels > 0L] <- apply(inputs[, levels > 0L, drop = FALSE], 2L, level_deviation)
  by_input <- vapply(split(deviation[!group], input_of_column[!group]), root_sum_squares, 0)
  scale <- if (ard) {
    by_input[as.character(input_of_column)]
  } else {
    rep(root_sum_squares(by_input) / sqrt(length(by_input)), ncol(inputs))
  }
  center[group] <- 0
  scale[group] <- 1
  list(center = stats::setNames(center, colnames(inputs)),
       scale = stats::setNames(as.vector(scale), colnames(inputs)), warp = warps,
       levels = as.vector(levels))
}

# Returns the root of the summed variances of the indicators of all levels.
level_deviation <- function(codes) {
  n <- length(codes)
  share <- tabulate(codes) / n
  sqrt(sum(share * (1 - share)) * n / (n - 1))
}

scale_inputs <- function(x, scaling) {
  check_warped(x, scaling$warp)
  x <- apply_warps(x, scaling$warp)
  n <- nrow(x)
  divisor <- ifelse(scaling$levels > 0L, 1, scaling$scale)
  (x - rep(scaling$center, each = n)) / rep(divisor, each = n)
}

# Describes the columns with levels for the core. In scaled indicators, the squared distance between
# two levels is 2 / scale^2.
scaled_levels <- function(scaling) {
  column <- which(scaling$levels > 0L)
  list(column = column, count = as.integer(scaling$levels[column]),
       squared_distance = 2 / unname(scaling$scale[column])^2)
}

# Replaces the levels in scaled inputs by coordinates with the same distances.
euclidean_inputs <- function(inputs, levels) {
  for (k in rev(seq_along(levels$column))) {
    j <- levels$column[k]
    indicators <- outer(inputs[, j], seq_len(levels$count[k]), `==`)
    inputs <- cbind(inputs[, seq_len(j - 1L), drop = FALSE],
                    indicators * sqrt(levels$squared_distance[k] / 2),
                    inputs[, -seq_len(j), drop = FALSE])
  }
  inputs
}

# For transforms of positive responses, the lower bound (or zero) stays at zero, and the scale is
# the geometric mean of the distances above it. If responses are at the bound, all are first shifted
# up. Predictions stay within the bounds of `support`, from response_support().
response_scaling <- function(y, positive, support = list()) {
  if (!positive) {
    return(c(list(center = mean(y), scale = standard_deviation(y)), support))
  }
  lower <- if (is.null(support$lower)) 0 else support$lower
  offset <- zero_offset(y - lower)
  if (offset > 0) support$lower <- lower
  c(list(center = lower - offset, scale = exp(mean(log(y - lower + offset)))),
    support[intersect(c("lower", "upper", "open"), names(support))])
}

# Scales stated bounds to the ends of a transform's domain.
bounded_scaling <- function(domain, support) {
  scale <- (support$upper - support$lower) / diff(domain)
  list(center = support$lower - domain[1L] * scale, scale = scale, lower = support$lower,
       upper = support$upper)
}

# Returns the offset of a response with zeros: half of its smallest positive value.
zero_offset <- function(y) {
  if (any(y == 0)) max(min(y[y > 0]) / 2, .Machine$double.xmin) else 0
}

scale_response <- function(y, scaling) (y - scaling$center) / scaling$scale

# Unscaling rounds, so values at a scaled bound are set to the exact bound.
unscale_response <- function(y, scaling) {
  response <- scaling$center + scaling$scale * y
  ends <- response_ends(scaling)
  if (!is.null(scaling$lower)) response[which(y == ends$floor)] <- scaling$lower
  if (!is.null(scaling$upper)) response[which(y == ends$ceiling)] <- scaling$upper
  if (is.null(scaling$open)) keep_within(response, scaling) else response
}

# Clamps to the bounds.
keep_within <- function(y, scaling) {
  if (!is.null(scaling$lower)) y[] <- pmax(y, scaling$lower)
  if (!is.null(scaling$upper)) y[] <- pmin(y, scaling$upper)
  y
}

# Returns the scaled bounds. Predictions beyond them move to them, except that a share `open` of the
# mass below the floor stays.
response_ends <- function(scaling) {
  end <- function(bound, none) if (is.null(bound)) none else scale_response(bound, scaling)
  list(floor = end(scaling$lower, -Inf), ceiling = end(scaling$upper, Inf),
       open = if (is.null(scaling$open)) 0 else scaling$open)
}

# Returns the scaling of a response that is in scaled units already, with the same bounds.
scaled_ends <- function(scaling) {
  ends <- response_ends(scaling)
  list(center = 0, scale = 1, lower = if (is.finite(ends$floor)) ends$floor,
       upper = if (is.finite(ends$ceiling)) ends$ceiling, open = scaling$open)
}
