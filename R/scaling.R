# Inputs and response on scales of order one, and back.

# One centre and scale a column. The columns of an input share a scale, the root of the sum of
# their variances; without `ard` all inputs do, the root of the mean of those sums.
input_scaling <- function(inputs, input_of_column, ard) {
  center <- apply(inputs, 2L, mean)
  spread <- apply(inputs, 2L, standard_deviation)
  by_input <- vapply(split(spread, input_of_column), root_sum_squares, 0)
  scale <- if (ard) {
    by_input[as.character(input_of_column)]
  } else {
    rep(root_sum_squares(by_input) / sqrt(length(by_input)), ncol(inputs))
  }
  list(center = center, scale = stats::setNames(as.vector(scale), colnames(inputs)))
}

scale_inputs <- function(x, scaling) {
  sweep(sweep(x, 2L, scaling$center, `-`), 2L, scaling$scale, `/`)
}

# A positive response keeps its zero, and is measured in units of its geometric mean.
response_scaling <- function(y, positive) {
  if (positive) {
    check_response_positive(y)
    return(list(center = 0, scale = exp(mean(log(y)))))
  }
  list(center = mean(y), scale = standard_deviation(y))
}

scale_response <- function(y, scaling) (y - scaling$center) / scaling$scale

unscale_response <- function(y, scaling) scaling$center + scaling$scale * y

# Deviations are taken from the mean before they are squared, and squared at order one.
standard_deviation <- function(x) root_sum_squares(x - mean(x)) / sqrt(length(x) - 1)

root_sum_squares <- function(x) {
  largest <- max(abs(x))
  if (largest == 0) 0 else largest * sqrt(sum((x / largest)^2))
}
