# Several models of a response that is positive in its data, but was not said to be: all predict it
# to be positive, but for a small share.

# Of what models put below zero, the share that stays there, and the least weight of models that
# put something there. No more than 1%, so that intervals of 99% and less begin below zero only
# where the median is at zero.
open_share <- 0.01

# The response's scaling of an average: that of its first model, or of the first for a positive
# response, which keeps the zero, near which differences would be lost otherwise. Then predictions
# of all stop there.
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

# The weights of models, of which those that can go below zero have some, if it is not stated or
# shown by zeros that the response does not.
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
