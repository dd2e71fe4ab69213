# What must hold of any fit. Each check returns a description of what does not, or nothing.

probabilities <- c(0.001, 0.025, 0.25, 0.5, 0.75, 0.975, 0.999)

complain <- function(holds, what) if (!isTRUE(holds)) what

# Quantiles: numbers, in order, inside the support.
check_quantiles <- function(q, fit) {
  lower <- btg:::response_floor(fit$scaling$y) * fit$scaling$y$scale + fit$scaling$y$center
  c(complain(!anyNA(q), "a quantile is NA or NaN"),
    complain(!any(apply(q, 1L, is.unsorted)), "quantiles are not in order"),
    complain(all(q >= lower - 1e-12 * abs(lower)), "a quantile is below the support"))
}

# Some predictions overflow, and exact fits are narrower than doubles are apart.
is_wide <- function(q) {
  apply(q, 1L, function(row) all(is.finite(row)) && diff(range(row)) > 1e-9 * max(abs(row)))
}

# The cdf: of the quantiles what they were asked for, between 0 and 1, and monotone. A part of a
# mixture may be narrower than doubles are apart, and the cdf rise by its weight at one of them: so
# it is looked at a little below and above.
check_cdf <- function(fit, new, q) {
  wide <- is_wide(q)
  if (!any(wide)) {
    return(NULL)
  }
  new <- new[wide, , drop = FALSE]
  q <- q[wide, , drop = FALSE]
  little <- 1e-12 * (abs(q) + abs(fit$scaling$y$center) + fit$scaling$y$scale)
  below <- predict(fit, new, type = "cdf", at = q - little)
  above <- predict(fit, new, type = "cdf", at = q + little)
  inside <- q > apply(q, 1L, min)
  wanted <- matrix(probabilities, nrow(q), ncol(q), byrow = TRUE)
  grid <- rbind(apply(q, 1L, function(row) {
    ends <- range(row)
    seq(ends[1L] - diff(ends), ends[2L] + diff(ends), length.out = 30L)
  }))
  along <- predict(fit, new, type = "cdf", at = t(grid))
  gap <- max(0, pmax(below - wanted, wanted - above)[inside])
  c(complain(gap < 1e-4, paste("cdf of quantiles off by", signif(gap, 2))),
    complain(all(along >= 0 & along <= 1), "a cdf leaves [0, 1]"),
    complain(all(apply(along, 1L, diff) >= -1e-9), "a cdf falls"))
}

# The density is not negative and integrates to the difference of the cdf.
check_density <- function(fit, new, q) {
  first <- new[1L, , drop = FALSE]
  ends <- q[1L, c(2L, 6L)]
  if (!all(is.finite(ends)) || !(diff(ends) > 1e-9 * max(abs(ends)))) {
    return(NULL)
  }
  between <- predict(fit, first, type = "quantile", probs = seq(0.026, 0.974, length.out = 300L))
  at <- sort(unique(c(seq(ends[1L], ends[2L], length.out = 1001L), between)))
  density <- as.vector(predict(fit, first, type = "density", at = rbind(at)))
  steps <- diff(at)
  area <- sum(steps * (utils::head(density, -1L) + utils::tail(density, -1L)) / 2)
  # A spike between two points is not seen: then the grid is too coarse to tell.
  seen <- max(utils::head(density, -1L) * steps, utils::tail(density, -1L) * steps) < 0.02
  cdf <- as.vector(predict(fit, first, type = "cdf", at = rbind(ends)))
  seen <- seen && abs(cdf[1L] - 0.025) < 1e-3 # not at an end of the support
  mass <- diff(cdf)
  c(complain(all(density >= 0), "a density is negative"),
    if (seen) complain(abs(area - mass) < 0.03,
                       paste("density integrates to", signif(area, 3), "not", signif(mass, 3))))
}

check_nodes <- function(fit) {
  weight <- nodes(fit)$weight
  predictive <- nodes(fit, predictive = TRUE)$weight
  c(complain(all(is.finite(weight)), "a weight is not finite"),
    complain(abs(sum(weight) - 1) < 1e-9, "weights do not sum to 1"),
    complain(abs(sum(predictive) - 1) < 1e-9, "predictive weights do not sum to 1"))
}

check_loocv <- function(fit) {
  loo <- loocv(fit)
  pointwise <- loo$pointwise
  done <- !is.na(pointwise$log_score)
  c(complain(!any(is.nan(unlist(pointwise[c("median", "lwr", "upr", "pit")][done, ]))),
             "a left-out prediction is NaN"),
    complain(all(pointwise$pit[done] >= 0 & pointwise$pit[done] <= 1), "a PIT leaves [0, 1]"),
    complain(all(pointwise$lwr[done] <= pointwise$upr[done]), "a left-out interval is reversed"),
    complain(all(pointwise$crps[done] >= 0), "a CRPS is negative"))
}

# Draws, joint and row by row: as many below each quantile as it says, the same by the same seed.
check_draws <- function(fit, new, q) {
  if (any(nodes(fit, predictive = TRUE)$weight < 0)) {
    return(NULL) # there is nothing to draw from
  }
  unlist(lapply(c(TRUE, FALSE), function(joint) {
    draws <- as.matrix(simulate(fit, 200, seed = 1, newdata = new, joint = joint))
    again <- as.matrix(simulate(fit, 200, seed = 1, newdata = new, joint = joint, threads = 2))
    # At an end of the support there may be more; narrow predictions differ by rounding.
    told <- is.finite(q) & q > apply(q, 1L, min) & is_wide(q)
    below <- vapply(seq_along(probabilities), function(k) rowSums(draws <= q[, k]),
                    numeric(nrow(q)))
    tail <- stats::pbinom(below, 200, rep(probabilities, each = nrow(q)))
    before <- stats::pbinom(below - 1, 200, rep(probabilities, each = nrow(q)))
    likely <- tail > 1e-8 & before < 1 - 1e-8
    kind <- if (joint) "joint" else "single"
    c(complain(!anyNA(draws), paste("a", kind, "draw is NA or NaN")),
      complain(identical(draws, again), paste(kind, "draws depend on the threads")),
      complain(all(likely[told]), paste(kind, "draws are not of the predictive distribution")))
  }))
}

# The models of a fit that have nodes, each a fit by itself.
single_models <- function(fit) if (btg:::is_average(fit)) fit$models else list(fit)

# Some of the nodes, where the log posterior can be compared: with hardly any noise the likelihood
# is ill-conditioned, and rounding shows.
some_nodes <- function(model) {
  few <- nodes(model)
  heaviest <- if (is.null(model$weights)) 1 else max(model$weights) / mean(model$weights)
  few <- utils::head(few[few$noise / heaviest > 1e-5, ], 5L)
  few[is.finite(log_posterior(model, few)), ]
}

# By how much log posteriors at the nodes of `model` differ between it and `other`, apart from a
# constant, relative to their range. `translate` makes them the nodes of `other`.
posterior_gap <- function(model, other, translate = identity) {
  few <- some_nodes(model)
  if (nrow(few) < 2L) {
    return(0)
  }
  base <- log_posterior(model, few)
  diff(range(log_posterior(other, translate(few)) - base)) / max(1, diff(range(base)))
}

# `other` tells the same problem, so log posteriors are the same at the same nodes, but for a
# constant (the Jacobian). That the searches of wgp() end at the same point is too much to ask.
check_same_posterior <- function(fit, other, what, translate = identity) {
  if (inherits(fit, "wgp")) {
    return(NULL)
  }
  gaps <- mapply(posterior_gap, single_models(fit), single_models(other),
                 MoreArgs = list(translate = translate))
  complain(max(gaps) < 1e-5, paste0(what, ": log posterior differs by ", signif(max(gaps), 2)))
}

# Rows added to a fit of the others make the same model as a fit of all.
check_added <- function(problem, fit, refit) {
  n <- nrow(problem$data)
  later <- seq_len(n) > n - problem$added
  earlier <- tryCatch(refit(problem, problem$data[!later, ], problem$weights[!later]),
                      btg_error = function(e) NULL)
  if (is.null(earlier)) {
    return(NULL) # too few of them for a fit
  }
  more <- do.call(update, list(earlier, newdata = problem$data[later, ],
                               weights = problem$weights[later]))
  c(complain(stats::nobs(more) == n, "rows added are not all there"),
    complain(identical(more$added_rows, problem$added), "rows added are not counted"),
    complain(identical(more$dropped_inputs, fit$dropped_inputs),
             "other inputs are dropped after rows were added"),
    check_same_posterior(fit, more, "rows added"))
}

# The problem told otherwise: rows shuffled, inputs shuffled, the response, the numeric inputs and
# the weights in other units.
check_retold <- function(problem, fit, refit) {
  data <- problem$data
  inputs <- names(data) != "y"
  numeric <- vapply(data, is.numeric, NA) & inputs
  backwards <- rev(seq_len(nrow(data)))
  scaled <- data
  scaled[numeric] <- lapply(data[numeric], `*`, 8) # a power of two: no rounding
  scale_lengths <- function(few) {
    known <- intersect(paste0("lengthscale.", names(data)[numeric]), names(few))
    few[known] <- lapply(few[known], `*`, 8)
    few
  }
  other_units <- data
  other_units$y <- 0.25 * data$y
  compare <- function(what, data, weights = problem$weights, translate = identity) {
    check_same_posterior(fit, refit(problem, data, weights), what, translate)
  }
  if (inherits(fit, "wgp")) {
    return(NULL)
  }
  c(compare("rows reversed", data[backwards, ], problem$weights[backwards]),
    compare("inputs reversed", data[c(rev(which(inputs)), which(!inputs))]),
    if (problem$ard && !problem$warp) {
      compare("inputs in other units", scaled, translate = scale_lengths)
    },
    compare("response in other units", other_units),
    if (!is.null(problem$weights)) compare("weights in other units", data, 4 * problem$weights))
}
