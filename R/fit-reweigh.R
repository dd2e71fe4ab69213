# Adds a few rows without a new integral. The nodes of predictions stay, and each is reweighted by
# the likelihood of the new rows,
#
#   w_i' ~ w_i p(y, y' | eta_i) / p(y | eta_i)
#
# Scalings, warps and hence priors stay those of the fit.

# Limits the rows added since the last integral, as a share of its rows. Scalings, and with them the
# priors, drift as rows are added; no benchmark compares other limits. After one row, predictions
# differed from a new integral by at most 0.95% of a predictive sd (bench/loop.R, 200 rows).
most_new_rows <- 0.05

# Below this share of the effective nodes of the last integral, the posterior has moved away from
# the nodes. It trades accuracy against new integrals; no benchmark compares other values.
least_effective_share <- 0.5

# Returns the fit with the rows of `added`, or NULL if it needs a new integral. `design` is for all.
reweigh_fit <- function(fit, added, design, threads) {
  inputs <- if (can_be_reweighed(fit, added, design)) core_rows(fit, added$data)
  if (is.null(inputs) || !is_scaling_kept(rbind(fit$design$inputs, inputs$inputs), fit, design)) {
    return(NULL)
  }
  # Models of weight zero are dropped, but their effect on the scale of the response stays.
  scaling <- fit$scaling$y
  fit <- keep_models(fit, names(kept_models(fit)))
  fit$scaling$y <- scaling
  for (part in c("inputs", "trend", "noise")) {
    fit$design[[part]] <- rbind(fit$design[[part]], inputs[[part]])
  }
  fit$design$response <- c(fit$design$response, added$response)
  fit$models <- lapply(fit$models, reweigh_model, fit$design, added$response, threads)
  share <- vapply(fit$models, function(model) model$quadrature$reweighted$share, 0)
  if (!isTRUE(min(share) >= least_effective_share)) {
    return(NULL)
  }
  fit[c("row_names", "data", "excluded", "na.action")] <-
    design[c("row_names", "variables", "excluded", "na_action")]
  fit["copies"] <- list(NULL)
  if (is_average(fit)) {
    fit$averaging$log_evidence[] <- vapply(fit$models, function(m) m$quadrature$log_evidence, 0)
    fit$averaging$elpd[] <- NA # it was for the earlier rows
  }
  fit$quadrature <- fit_quadrature(fit)
  fit$quadrature$reweighted <- list(rows = rows_since_integral(fit), share = min(share))
  fit
}

can_be_reweighed <- function(fit, added, design) {
  rows <- nrow(added$data)
  since <- rows_since_integral(fit) + rows
  weights <- unlist(lapply(kept_models(fit), predictive_weights))
  censored <- suppressMessages(censor_at_bounds(design, fit$settings))$censored
  all(
    has_posterior(fit), !is_approximate(fit), is.null(fit$weights), is.null(added$weights),
    is.null(censored),
    length(fit$blueprint$row_dependent) == 0L, min(weights) >= 0,
    since <= most_new_rows * (row_count(fit) + rows - since),
    length(design$row_names) == row_count(fit) + rows,
    identical(design$dropped_inputs, fit$dropped_inputs),
    identical(known_groups(design$blueprint), known_groups(fit$blueprint)),
    identical(response_support(known_responses(design), fit$settings),
              response_support(known_responses(fit$design), fit$settings))
  )
}

# Distances between inputs may change by this factor, on a log scale, before scales and warps are
# computed anew. When far rows reused them, limits were up to 8 predictive sds off.
largest_stretch <- 0.05

# Returns whether scales and warps of all rows would be those of the fit, roughly. Compares the
# distances between quartiles of each input: `inputs` are all rows by the scaling of the fit.
is_scaling_kept <- function(inputs, fit, design) {
  anew <- scale_design(design, fit$settings)$design$inputs
  gaps <- function(x) diff(stats::quantile(x, (0:4) / 4, names = FALSE))
  stretch <- log(apply(anew, 2L, gaps) / apply(inputs, 2L, gaps))
  max(abs(stretch[is.finite(stretch)]), 0) <= largest_stretch
}

rows_since_integral <- function(fit) {
  rows <- fit$models[[1L]]$quadrature$reweighted$rows
  if (is.null(rows)) 0 else rows
}

# Returns inputs, trend and noise of new rows in the units of the fit, or NULL if undefined.
core_rows <- function(fit, data) {
  new <- tryCatch({
    new <- apply_blueprint(fit$blueprint, data)
    new$inputs <- scale_inputs(new$inputs, fit$scaling$x)
    new
  }, btg_error = function(e) NULL)
  if (!is.null(new) && all(new$complete) && all(is.finite(new$inputs))) new
}

reweigh_model <- function(model, design, response, threads) {
  before <- model$posterior
  used <- predictive_weights(model) > 0
  hyper <- before$hyper[used, , drop = FALSE]
  model$problem$response <- c(model$problem$response, scale_response(response, model$scaling))
  built <- build_models(design, list(model))
  core <- evaluate_model(built, hyper, threads = threads)
  model$sites <- built$sites
  model$noise_floor <- built$noise_floor
  weight <- predictive_weights(model)[used]
  log_weight <- log(weight) + as.vector(core$log_marginal) - before$log_marginal[used]
  gain <- log_sum_exp(log_weight)
  now <- exp(log_weight - gain)
  variance <- predictive_nodes(model)$variance * (now / weight)^2
  model$posterior <- list(hyper = hyper, weight = now, variance = variance,
                          log_marginal = as.vector(core$log_marginal),
                          log_prior = before$log_prior[used])
  model$quadrature <- reweighed_quadrature(
    model, 1 / sum(weight^2), gain - length(response) * log(model$scaling$scale), length(response)
  )
  model
}

# `effective` is the previous effective number of nodes, `gain` the increase of the log evidence.
reweighed_quadrature <- function(model, effective, gain, rows) {
  quadrature <- model$quadrature
  since <- quadrature$reweighted
  if (is.null(since)) since <- list(rows = 0, effective = effective)
  now <- 1 / sum(model$posterior$weight^2)
  quadrature$log_evidence <- quadrature$log_evidence + gain
  quadrature$nodes_kept <- quadrature$nodes_predictive <- length(model$posterior$weight)
  quadrature$effective_nodes <- now
  quadrature$likelihoods <- quadrature$likelihoods + length(model$posterior$weight)
  quadrature$reweighted <- list(rows = since$rows + rows, effective = since$effective,
                                share = now / since$effective)
  quadrature
}
