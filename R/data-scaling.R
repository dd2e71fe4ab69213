# Inputs and response on scales of order one, and back.

# What a fit's design asks for: list(x, y), the scaling of the inputs and of the response.
choose_scaling <- function(design, positive_response, ard, warp_inputs, call = quote(btg())) {
  if (positive_response) {
    check_response_nonnegative(design$response, design$response_name, design$row_names, call)
    inform_zero_response(design$response, design$response_name, call)
  }
  # One lengthscale for all inputs is in the units they share, so these must stay as they are.
  warps <- if (warp_inputs && ard) {
    choose_warps(design$inputs, columns_to_warp(design$blueprint))
  }
  list(
    x = input_scaling(design$inputs, design$input_of_column, ard, as.list(warps)),
    y = response_scaling(design$response, positive_response)
  )
}

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

# Deviations are taken from the mean before they are squared, and squared at order one.
standard_deviation <- function(x) root_sum_squares(x - mean(x)) / sqrt(length(x) - 1)

root_sum_squares <- function(x) {
  largest <- max(abs(x))
  if (largest == 0) 0 else largest * sqrt(sum((x / largest)^2))
}
