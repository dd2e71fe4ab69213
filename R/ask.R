# Questions to the predictive mixtures of a fit, answered by the core in the response's units.

# The models that a fit averages over, those of some weight: of most fits, itself.
members <- function(fit) {
  if (is_average(fit)) fit$models[fit$model_weights > 0] else list(fit)
}

# One number for each node of each member that predictions are from, in that order: `of(model)`
# times a power of the model's weight.
over_members <- function(fit, of, power = 1) {
  if (!is_average(fit)) {
    return(of(fit))
  }
  unlist(Map(function(model, weight) weight^power * of(model),
             members(fit), fit$model_weights[fit$model_weights > 0]), use.names = FALSE)
}

node_weights <- function(fit) over_members(fit, function(model) predictive_nodes(model)$weight)

# What a node adds to the variance of an estimate by importance sampling.
weight_variances <- function(fit) {
  over_members(fit, function(model) {
    heavy_tail_factor(model$quadrature)^2 * predictive_nodes(model)$variance
  }, power = 2)
}

# By importance sampling with weights of tail index k, errors fall as ESS^-1/2 only if k is at most
# 1/2, else as ESS^-(1 - k) (Vehtari et al. 2024): how much larger they are then.
heavy_tail_factor <- function(quadrature) {
  k <- quadrature$k_hat
  if (is.null(k) || is.na(k) || k <= 0.5 || !few_effective(quadrature)) {
    return(1)
  }
  quadrature$effective_nodes^(min(k, 1) - 0.5)
}

# A heavy tail of the weights matters only if it has much of the weight.
few_effective <- function(quadrature) {
  quadrature$effective_nodes < 0.35 * quadrature$nodes_tried
}

# The weights of a single model's nodes in predictions: of all, or of those that stand for all.
predictive_weights <- function(model) {
  posterior <- model$posterior
  if (is.null(posterior$predictive)) posterior$weight else posterior$predictive
}

# The nodes that predictions of a single model are from. If w are the weights of all nodes, the sum
# of w^2 f is the posterior mean of w f, which those that stand for all give as well.
predictive_nodes <- function(model) {
  weight <- predictive_weights(model)
  used <- weight != 0 | is.null(model$posterior$predictive)
  list(hyper = model$posterior$hyper[used, , drop = FALSE], weight = weight[used],
       variance = (weight * model$posterior$weight)[used])
}

# The members as the core takes them. Each has a response scaling of its own; `shift` and `unit`
# say how it follows from that of the fit.
core_members <- function(fit, threads = 1) {
  check_format(fit)
  reference <- fit$scaling$y
  lapply(members(fit), function(model) {
    own <- model$scaling$y
    list(problem = runnable(model$problem, threads), hyper = predictive_nodes(model)$hyper,
         shift = (own$center - reference$center) / reference$scale,
         unit = own$scale / reference$scale)
  })
}

# How questions are asked of the core. The default tolerance follows the mass that was dropped.
ask_options <- function(fit, tolerance = NULL, bound = "auto", standard_error = FALSE) {
  if (is.null(tolerance)) tolerance <- max(1e-4 * fit$quadrature$epsilon, 1e-10)
  list(tolerance = tolerance, bound = bound, floor = response_floor(fit$scaling$y),
       weight_variances = if (standard_error) weight_variances(fit) else numeric())
}

# The rows to predict, in the core's units: list(inputs, trend, complete, names, na.action,
# relative_noise), where the last is 1 over the weights of the rows, of which those of the fit have
# mean 1.
prediction_points <- function(fit, newdata, call, weights = NULL) {
  first <- members(fit)[[1L]]
  if (is.null(newdata)) {
    own <- first$problem$weights
    return(list(inputs = first$problem$inputs, trend = first$problem$trend,
                complete = rep(TRUE, stats::nobs(fit)), names = fit$row_names,
                na.action = fit$na.action,
                relative_noise = if (is.null(own)) rep(1, stats::nobs(fit)) else 1 / own))
  }
  new <- apply_blueprint(fit$blueprint, newdata, call)
  names <- rownames(newdata)
  if (is.null(names)) names <- as.character(seq_along(new$complete))
  new <- leave_out_unwarpable(new, fit$scaling$x$warp, names, call)
  list(inputs = scale_inputs(new$inputs, fit$scaling$x), trend = new$trend,
       complete = new$complete, names = names,
       relative_noise = noise_of_new(fit, weights, length(new$complete), call))
}

# Of `n` new rows: 1, that of a row of mean weight, unless `weights` says otherwise.
noise_of_new <- function(fit, weights, n, call) {
  if (is.null(weights)) {
    return(rep(1, n))
  }
  weights <- check_weights(weights, call = call)
  if (length(weights) == 1L) weights <- rep(weights, n)
  check_weights_length(weights, n, call)
  (if (is.null(fit$weights)) 1 else mean(fit$weights)) / weights
}

# None for the noise-free process.
point_noise <- function(points, rows, observation) observation * points$relative_noise[rows]

# `weights` are those of new rows.
check_new_weights <- function(weights, newdata_missing, call) {
  if (!is.null(weights) && newdata_missing) {
    abort_btg(c("`weights` has no effect here.",
                i = "It goes with `newdata`; the rows of the fit have weights of their own."),
              "argument", call)
  }
}

# Answers `what` at `values`: a row for each point, or one row for all. Of a "quantile", "draw",
# "cdf", "exceedance", "density", "log_density" or "crps" there is one column for each column of
# `values`, of "shortest" two for each level; "moments" (mean and variance) and "mode" are asked at
# nothing. list(value, standard_error, lost_mass), with a row for each point: NA where a point is
# not complete.
ask <- function(fit, points, what, values = matrix(0), observation = TRUE,
                options = ask_options(fit), threads = 1, call = quote(predict())) {
  scaling <- fit$scaling$y
  core <- with_progress("Predicting", ask_core(fit, points, what,
                                               scale_question(values, what, scaling), observation,
                                               options, threads, call))
  warn_lost_mass(core$lost_mass, points$names, call)
  warn_rearranged(core$rearranged, sum(points$complete), call)
  pad <- function(values) pad_left_out(values, points)
  list(value = pad(unscale_answer(core$answer, what, scaling)),
       standard_error = pad(scaling$scale * core$standard_error), lost_mass = pad(core$lost_mass),
       evaluations = core$evaluations)
}

# Points go to the core in blocks, which bounds the memory it needs.
ask_core <- function(fit, points, what, values, observation, options, threads, call) {
  members <- core_members(fit, threads)
  weight <- node_weights(fit)
  columns <- switch(what, moments = 2L, mode = 1L, shortest = 2L * ncol(values), ncol(values))
  check_memory(3 * 8 * length(points$complete) * columns, "The answers", call = call)
  answer <- matrix(NA_real_, length(points$complete), columns, dimnames = list(points$names, NULL))
  result <- list(answer = answer, standard_error = answer[, seq_len(ncol(values)), drop = FALSE],
                 lost_mass = stats::setNames(rep(NA_real_, nrow(answer)), points$names),
                 rearranged = 0, evaluations = 0)
  blocks <- row_blocks(which(points$complete), length(weight))
  for (k in seq_along(blocks)) {
    rows <- blocks[[k]]
    progress_part((k - 1) / length(blocks), k / length(blocks))
    core <- check_core(
      core_predict(members, weight, points$inputs[rows, , drop = FALSE],
                   points$trend[rows, , drop = FALSE], point_noise(points, rows, observation), what,
                   if (nrow(values) > 1L) values[rows, , drop = FALSE] else values, options),
      call, points$names[rows]
    )
    result$answer[rows, ] <- core$answer
    if (length(options$weight_variances) > 0L && what == "quantile") {
      result$standard_error[rows, ] <- core$standard_error
    }
    result$lost_mass[rows] <- core$lost_mass
    result$rearranged <- result$rearranged + core$rearranged
    result$evaluations <- result$evaluations + core$evaluations
  }
  result
}

# Rows that the fit left out for missing values, as its na.action has it.
pad_left_out <- function(values, points) {
  if (is.null(points$na.action)) values else stats::napredict(points$na.action, values)
}

# Values to ask at, in the core's units: responses are scaled, probabilities are not.
scale_question <- function(values, what, scaling) {
  at_response <- what %in% c("cdf", "exceedance", "density", "log_density", "crps")
  if (at_response) scale_response(values, scaling) else values
}

# An answer of the core, in the response's units.
unscale_answer <- function(answer, what, scaling) {
  switch(what,
    quantile = , draw = , shortest = , mode = unscale_response(answer, scaling),
    moments = {
      answer[is.nan(answer)] <- NA
      answer[, 1L] <- unscale_response(answer[, 1L], scaling)
      answer[, 2L] <- scaling$scale^2 * answer[, 2L]
      answer
    },
    density = answer / scaling$scale,
    log_density = answer - log(scaling$scale),
    crps = scaling$scale * answer,
    answer
  )
}

# At most 2^22 pairs of a row and a node at a time, two doubles each, and at most 2^16 rows.
row_blocks <- function(rows, nodes) {
  size <- min(max(256, 2^22 %/% nodes), 2^16)
  split(rows, (seq_along(rows) - 1L) %/% size)
}

warn_rearranged <- function(rearranged, n, call) {
  if (rearranged > 0L) {
    warn_btg(c(
      "The signed weights of the quadrature do not make distribution functions.",
      x = paste0("At ", rearranged, " of ", count_noun(n, "point"),
                 " the predictive distribution function was not monotone and was rearranged."),
      i = "Use the default quadrature, or a higher level."
    ), "rearranged", call)
  }
}

warn_lost_mass <- function(lost_mass, rows, call) {
  worst <- which.max(lost_mass)
  if (length(worst) > 0L && lost_mass[worst] > 0.01) {
    warn_btg(c(
      "Some predictions lose mass at the edge of the transform's image.",
      x = paste0("Up to ", format(100 * lost_mass[worst], digits = 2), "% of a prediction, ",
                 "in row ", rows[worst], ", lies where the transform has no inverse."),
      i = paste0("Predictions are renormalised. `transform = \"sinharcsinh\"` or \"softplus\" ",
                 "has no such edge; `predict(type = \"lost_mass\")` shows all rows.")
    ), "lost_mass", call)
  }
}

# Said where a mean or a variance is asked for and does not exist.
warn_moments <- function(value, points, what, call) {
  missing <- sum(is.na(value[points$complete]))
  if (missing > 0L) {
    warn_btg(c(
      paste0("The ", what, " of some predictions does not exist."),
      x = paste0("At ", missing, " of ", count_noun(sum(points$complete), "point"), " the tails ",
                 "of the predictive distribution are too heavy; there it is NA."),
      i = paste0("Use the median, or a transform with lighter tails, such as \"softplus\": logs ",
                 "of Student's t have no mean.")
    ), "moments", call)
  }
}
