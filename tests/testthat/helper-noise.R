# With varying noise, row i has the noise sigma2 exp(b_i' gamma) / w_i. At each node this is the
# naive model with other weights.

# Returns the model of each node and its mean weight. `B` holds the standardised noise columns, with
# the names of the hyperparameters after "noise."; `...` goes to naive_model().
naive_noise_models <- function(fit, B, ..., weights = rep(1, nrow(B)), nodes = btg::nodes(fit)) {
  lapply(seq_len(nrow(nodes)), function(i) {
    node <- nodes[i, ]
    effective <- naive_noise_weights(B, node, weights / mean(weights))
    node$noise <- node$noise / mean(effective)
    list(model = naive_model(fit, ..., nodes = node, weights = effective), mean = mean(effective))
  })
}

naive_noise_weights <- function(B, node, w) {
  gamma <- unlist(node[paste0("noise.", colnames(B))])
  w / exp(as.vector(B %*% gamma))
}

# Standardises the columns of `new` by the moments of `B`.
standardise_like <- function(B, new = B) {
  scaled <- sweep(sweep(new, 2, colMeans(B)), 2, apply(B, 2, sd), `/`)
  matrix(scaled, nrow(new), dimnames = list(NULL, colnames(B)))
}

# Returns the mixture at one point, like naive_mixture(), from the location and scale of each node.
naive_noise_mixture <- function(models, nodes, location, scale, weight = nodes$weight) {
  model <- models[[1]]$model
  model$nodes <- nodes
  model$nodes$weight <- weight
  naive_mixture(model, location, scale)
}

# Returns locations and scales at new points, one row per point and one column per node.
naive_noise_latent <- function(models, nodes, X, M, B, w = 1, observation = TRUE) {
  each <- lapply(seq_along(models), function(i) {
    effective <- naive_noise_weights(B, nodes[i, ], w)
    naive_latent(models[[i]]$model, X, M, observation, effective / models[[i]]$mean)
  })
  list(location = do.call(cbind, lapply(each, `[[`, "location")),
       scale = do.call(cbind, lapply(each, `[[`, "scale")))
}

# Returns the log density of each row without its fold.
naive_noise_log_scores <- function(models, nodes, y, folds) {
  scores <- numeric(length(y))
  for (rows in split(seq_along(y), folds)) {
    kept <- lapply(models, function(one) oracle_loo_model(one$model, rows))
    change <- vapply(seq_along(kept), function(i) {
      naive_log_marginal(kept[[i]]) - naive_log_marginal(models[[i]]$model)
    }, 0)
    weight <- nodes$weight * exp(change - max(change))
    latent <- lapply(seq_along(kept), function(i) {
      full <- models[[i]]$model
      naive_latent(kept[[i]], full$X[rows, , drop = FALSE], full$M[rows, , drop = FALSE], TRUE,
                   full$w[rows])
    })
    for (k in seq_along(rows)) {
      mixture <- naive_noise_mixture(
        lapply(kept, function(model) list(model = model)), nodes,
        vapply(latent, function(one) one$location[k], 0),
        vapply(latent, function(one) one$scale[k], 0), weight / sum(weight)
      )
      scores[rows[k]] <- log(mixture$density(y[rows[k]]))
    }
  }
  scores
}
