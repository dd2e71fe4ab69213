# Selects the nodes that predictions use. An integral has hundreds of nodes; the rule itself
# represents them by fewer, the candidates. The core then finds the few candidates that predict like
# all of them (src/btg/ensemble/representatives.hpp).

# Fewer candidates are all used.
least_candidates <- 12L

# Numbers of probes: points between rows and points like new rows, to predict observations; the
# same, to predict the process; and points beyond the data, or in new groups, to predict the
# process. Half of each are matched and the others check. With 24 matched probes in all, ends of
# intervals elsewhere moved two to five times as far as at these (five problems, 150 to 400 rows, 2
# to 6 inputs). Without points like new rows, ends at new rows moved by 1.5 times their standard
# error (13 inputs, 80 rows); with them, by 0.4 of it.
probe_counts <- c(between = 32L, mixed = 32L, process = 16L, mixed_process = 16L, beyond = 16L)

# Numbers of btg::Probe in src/btg/ensemble/representatives.hpp.
probe_uses <- list(0:1, 0:1, 2:3, 2:3, 2:3)

# Left-out predictions are matched for at most this number of rows.
most_matched_rows <- 40L

# Returns the fit with the nodes to predict from, and `quadrature$representation`: the change of the
# ends of intervals that they cause, in predictive standard deviations, and the mean standard error
# of the ends with it. `built` holds the models, if they were built before.
represent_nodes <- function(fit, threads = 1, built = NULL) {
  if (!can_be_represented(fit)) {
    return(fit)
  }
  fit$models <- lapply(fit$models, with_candidates)
  ensemble <- with_built_models(ensemble_of(fit, built))
  if (length(ensemble$weight) >= least_candidates && min(ensemble$weight) > 0) {
    found <- check_core(core_represent(core_members(ensemble), core_plan(fit, ensemble, threads),
                                       core_run(threads)))
    if (found$reduced) fit <- with_representatives(fit, found$weight, found$variance)
    fit$quadrature <- fit_quadrature(fit)
    fit$quadrature$representation <- found[c("error", "change", "process_change", "score_change")]
  }
  fit
}

# Rules with random points have standard errors to compare with. A chosen `keep` is a number of
# nodes. Few nodes do not represent latent responses of censored rows: with 28 of 1000 nodes for 12
# such rows, quantiles beyond the data were 0.2 standard deviations off, with all of them 0.02.
can_be_represented <- function(fit) {
  has_posterior(fit) && is.null(fit$design$censored) && is_budgeted(fit$settings$rule) &&
    is.null(keep_option(fit)) && has_standard_errors(fit)
}

keep_option <- function(fit) chosen_options(fit$settings$rule)$keep

# Returns the fit with all candidates to predict from. Few nodes that predict like all of them
# together need not do so for some of the covariance terms: the other nodes can divide the same sum
# among the terms differently.
with_all_candidates <- function(fit) {
  fit$models <- lapply(fit$models, function(model) {
    model$posterior["predictive"] <- list(NULL)
    model$posterior["variance"] <- list(NULL)
    model
  })
  fit
}

with_candidates <- function(model) {
  model$posterior$candidates <- candidate_weights(model)
  model$posterior[c("predictive", "variance")] <- NULL
  model$quadrature$nodes_predictive <- sum(candidate_weights(model) != 0)
  model
}

# Sets the weights of the nodes to predict from, and the variances of these weights. Both are those
# of an ensemble of all candidates of the models in use.
with_representatives <- function(fit, weight, variance) {
  used <- names(kept_models(fit))
  candidates <- lapply(fit$models[used], function(model) which(candidate_weights(model) != 0))
  model_of_node <- rep(used, lengths(candidates))
  for (name in used) {
    model <- fit$models[[name]]
    scatter <- function(values) {
      replace(numeric(length(model$posterior$weight)), candidates[[name]],
              values[model_of_node == name])
    }
    share <- fit$model_weights[[name]]
    model$posterior$predictive <- scatter(weight) / share
    model$posterior$variance <- scatter(variance) / (share * error_factor(model))^2
    model$quadrature$nodes_predictive <- sum(model$posterior$predictive != 0)
    fit$models[[name]] <- model
  }
  fit
}

# Returns the points and rows whose predictions are to stay, for core_represent(). The uncertainty
# of the process varies more between nodes than that of observations.
core_plan <- function(fit, ensemble, threads) {
  process <- points_between(fit, probe_counts[["process"]])
  process$relative_noise[] <- 0
  beyond <- points_beyond(fit, probe_counts[["beyond"]])
  probes <- list(points_between(fit, probe_counts[["between"]]),
                 points_of_mixed_rows(fit, probe_counts[["mixed"]], 1), process,
                 points_of_mixed_rows(fit, probe_counts[["mixed_process"]], 0),
                 beyond$points)
  points <- lapply(stats::setNames(nm = core_parts), function(part) {
    parts <- lapply(probes, `[[`, part)
    if (is.matrix(parts[[1L]])) do.call(rbind, parts) else unlist(parts)
  })
  counts <- vapply(probes, function(points) length(points$complete), 0L)
  list(points = points, uses = unlist(Map(rep_len, probe_uses, counts)),
       importance = c(rep(1, sum(counts) - length(beyond$step)), 1 / beyond$step^2),
       rows = matched_rows(fit, ensemble, threads), joint = ensemble$joint,
       options = core_options(ensemble, list(standard_error = TRUE)))
}

core_parts <- c("inputs", "trend", "noise", "relative_noise")

# Returns points like new rows: each input is from another row, moved halfway to its next value, or
# as far beyond the ends. The columns of a map stay together.
points_of_mixed_rows <- function(fit, count, noise) {
  points <- fit_points(fit)
  n <- row_count(fit)
  # Multiples of irrational numbers are evenly spread.
  row_of <- function(j) 1L + floor(n * ((seq_len(count) * sqrt(j^2 + 1)) %% 1))
  inputs <- points$inputs[row_of(1L), , drop = FALSE]
  input <- match(fit$blueprint$layout$input, unique(fit$blueprint$layout$input))
  whole <- c(input[duplicated(input)], input[c(fit$design$levels$column, coded_groups(fit$design))])
  for (j in seq_len(ncol(inputs))) {
    rows <- row_of(input[j])
    inputs[, j] <- if (input[j] %in% whole) points$inputs[rows, j]
                   else values_between(points$inputs[, j], rows)
  }
  first <- row_of(1L)
  new_points(inputs, points$trend[first, , drop = FALSE], points$noise[first, , drop = FALSE],
             rep(noise, count), rep(TRUE, count), points$names[first])
}

# Moves the values of some rows halfway to the next value, up and down in turn. Inputs of few values
# stay as they are.
values_between <- function(x, rows) {
  known <- sort(unique(x))
  m <- length(known)
  if (m <= length(x) / 2 || m < 2L) {
    return(x[rows])
  }
  gap <- diff(known)
  k <- match(x[rows], known)
  up <- seq_along(rows) %% 2L == 0L
  x[rows] + ifelse(up, gap[pmin(k, m - 1L)], -gap[pmax(k - 1L, 1L)]) / 2
}

# Multiples of the distance of rows from the mean. At the largest, most processes hardly depend on
# the data.
steps_beyond <- c(1, 1.5, 3, 10)

# Returns list(points, step): rows that are moved away from the mean of the inputs, and how far. If
# the fit has groups, they are in new ones. Levels stay as they are. Farther points are less
# important: otherwise they would decide how many nodes are needed.
points_beyond <- function(fit, count) {
  rows <- scattered_rows(row_count(fit), count)
  points <- select_points(fit_points(fit), rows)
  points$relative_noise[] <- 0
  groups <- coded_groups(fit$design)
  coded <- c(fit$design$levels$column, groups)
  # A step of 1 leaves rows in place, which only differ from those of the data in their group.
  steps <- if (length(groups) > 0L) steps_beyond else steps_beyond[-1L]
  step <- rep_len(rep(steps, each = 2L), length(rows))
  free <- setdiff(seq_len(ncol(points$inputs)), coded)
  points$inputs[, free] <- step * points$inputs[, free]
  for (column in groups) points$inputs[, column] <- max(fit$design$inputs[, column]) + 1
  list(points = points, step = step)
}

# Returns the exact rows whose left-out predictions are matched: half of them those that change the
# weights of some nodes most when left out, the others evenly spread. One row of many changes
# little, so fits with an approximate covariance match none.
matched_rows <- function(fit, ensemble, threads) {
  if (is_approximate(fit)) {
    return(integer())
  }
  exact <- exact_rows(fit$design)
  n <- length(exact)
  if (n <= most_matched_rows) {
    return(exact)
  }
  request <- new_request(fit_points(fit), list(cdf = cbind(fit_response(fit))),
                         folds = row_folds(fit$row_names), run = new_run(threads, cache = FALSE))
  few <- suppressWarnings(answer(thin_ensemble(ensemble, 8L), request), classes = "btg_warning")
  half <- most_matched_rows %/% 2L
  distance <- few$folds$distance[exact]
  influential <- utils::head(exact[order(distance, decreasing = TRUE)], half)
  union(influential, exact[round(seq(1, n, length.out = half))])
}
