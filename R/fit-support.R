# Handles averages for a response that is positive in the data but not declared to be: all models
# predict positive values, except for a small share.

# This share of the probability mass below zero stays there. It is also the least weight of models
# that allow negative values. It is at most 1%, so that intervals of 99% and less begin below zero
# only if the median is at zero, and above 0, so that a negative response has a finite log score.
open_share <- 0.01

# Returns the response's scaling of an average: that of the first model for a positive response,
# which keeps zero exact, else of the first model. If both kinds occur, predictions stop at zero.
shared_response_scaling <- function(models) {
  positive <- are_positive(models)
  scaling <- models[[which.max(positive)]]$scaling
  if (any(positive) && !all(positive) && is.null(scaling$lower)) {
    scaling$lower <- 0
    scaling$open <- open_share
  }
  scaling
}

are_positive <- function(models) vapply(models, function(model) model$transform$positive, NA)

# Gives models that allow negative values a minimum weight, unless a bound or zeros exclude them.
keep_open_model <- function(weights, models, elpd) {
  open <- !are_positive(models)
  stated <- !is.null(models[[1L]]$scaling$lower)
  if (all(open) || !any(open) || stated || sum(weights[open]) >= open_share * sum(weights)) {
    return(weights)
  }
  weights[open] <- 0
  weights <- weights / sum(weights) * (1 - open_share)
  best <- which(open)[which.max(elpd[open])]
  weights[best] <- open_share
  weights
}
