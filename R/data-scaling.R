# Inputs and response on scales of order one, and back.

# One centre and scale a column, after its warp if it has one (warp.R). The columns of an input
# share a scale, the root of the sum of their variances; without `ard` all inputs do, the root of
# the mean of those sums.
input_scaling <- function(inputs, input_of_column, ard, warps = list()) {
  inputs <- apply_warps(inputs, warps)
  center <- apply(inputs, 2L, mean)
  spread <- apply(inputs, 2L, standard_deviation)
  by_input <- vapply(split(spread, input_of_column), root_sum_squares, 0)
  scale <- if (ard) {
    by_input[as.character(input_of_column)]
  } else {
    rep(root_sum_squares(by_input) / sqrt(length(by_input)), ncol(inputs))
  }
  list(center = center, scale = stats::setNames(as.vector(scale), colnames(inputs)), warp = warps)
}

scale_inputs <- function(x, scaling) {
  check_warped(x, scaling$warp)
  x <- apply_warps(x, scaling$warp)
  sweep(sweep(x, 2L, scaling$center, `-`), 2L, scaling$scale, `/`)
}

# A response for a transform of positive ones keeps its zero, or its lower bound, and is measured in
# units of the geometric mean of what is above. One that has values at the bound is shifted up
# first. Predictions stay within `support`, list(lower, upper), where there are bounds.
response_scaling <- function(y, positive, support = list()) {
  if (!positive) {
    return(c(list(center = mean(y), scale = standard_deviation(y)), support))
  }
  lower <- if (is.null(support$lower)) 0 else support$lower
  offset <- zero_offset(y - lower)
  if (offset > 0) support$lower <- lower
  c(list(center = lower - offset, scale = exp(mean(log(y - lower + offset)))),
    support[intersect(c("lower", "upper"), names(support))])
}

# What is added to a response with zeros: half of its smallest positive value.
zero_offset <- function(y) {
  if (any(y == 0)) max(min(y[y > 0]) / 2, .Machine$double.xmin) else 0
}

scale_response <- function(y, scaling) (y - scaling$center) / scaling$scale

# What the core says is at a bound is exactly there.
unscale_response <- function(y, scaling) {
  response <- scaling$center + scaling$scale * y
  ends <- response_ends(scaling)
  if (!is.null(scaling$lower)) response[which(y == ends$floor)] <- scaling$lower
  if (!is.null(scaling$upper)) response[which(y == ends$ceiling)] <- scaling$upper
  if (is.null(scaling$open)) keep_within(response, scaling) else response
}

# What is beyond a bound, at the bound.
keep_within <- function(y, scaling) {
  if (!is.null(scaling$lower)) y[] <- pmax(y, scaling$lower)
  if (!is.null(scaling$upper)) y[] <- pmin(y, scaling$upper)
  y
}

# The bounds in scaled units: what is predicted beyond them is predicted there, but for a share
# `open` of what is below the floor.
response_ends <- function(scaling) {
  end <- function(bound, none) if (is.null(bound)) none else scale_response(bound, scaling)
  list(floor = end(scaling$lower, -Inf), ceiling = end(scaling$upper, Inf),
       open = if (is.null(scaling$open)) 0 else scaling$open)
}
