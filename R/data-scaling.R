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

# A positive response keeps its zero, and is measured in units of its geometric mean. One that has
# zeros is shifted up first, and its predictions stay at or above `lower`.
response_scaling <- function(y, positive) {
  if (!positive) {
    return(list(center = mean(y), scale = standard_deviation(y)))
  }
  offset <- zero_offset(y)
  scaling <- list(center = -offset, scale = exp(mean(log(y + offset))))
  if (offset > 0) c(scaling, lower = 0) else scaling
}

# What is added to a response with zeros: half of its smallest positive value.
zero_offset <- function(y) {
  if (any(y == 0)) max(min(y[y > 0]) / 2, .Machine$double.xmin) else 0
}

# The predicted response is the larger of `lower`, if there is one, and of what the model says.
scale_response <- function(y, scaling) (y - scaling$center) / scaling$scale

unscale_response <- function(y, scaling) {
  response <- scaling$center + scaling$scale * y
  if (is.null(scaling$lower)) response else pmax(response, scaling$lower)
}

# `lower` in scaled units: what is predicted below it is predicted there.
response_floor <- function(scaling) {
  if (is.null(scaling$lower)) -Inf else (scaling$lower - scaling$center) / scaling$scale
}
