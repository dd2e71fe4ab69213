# Combines models that predict positive values only with models that allow negative ones.

# Returns the response's scaling of an average: that of the first model for a positive response,
# which keeps zero exact, else of the first model. All models have the same bounds.
shared_response_scaling <- function(models) models[[which.max(are_positive(models))]]$scaling

are_positive <- function(models) vapply(models, function(model) model$transform$positive, NA)

# If the response is only assumed to be positive, models that allow negative values get a weight of
# at least `open_share`.
keep_open_model <- function(weights, models, elpd) {
  open <- !are_positive(models)
  assumed <- !is.null(models[[1L]]$scaling$open)
  if (all(open) || !any(open) || !assumed || sum(weights[open]) >= open_share * sum(weights)) {
    return(weights)
  }
  weights[open] <- 0
  weights <- weights / sum(weights) * (1 - open_share)
  best <- which(open)[which.max(elpd[open])]
  weights[best] <- open_share
  weights
}
