# What must hold of any fit. Each check returns a description of what does not, or nothing.

probabilities <- c(0.001, 0.025, 0.25, 0.5, 0.75, 0.975, 0.999)

complain <- function(holds, what) if (!isTRUE(holds)) what

# Quantiles: numbers, in order, inside the support.
check_quantiles <- function(q, fit) {
  bounds <- fit$scaling$y[c("lower", "upper")]
  lower <- if (is.null(bounds$lower) || !is.null(fit$scaling$y$open)) -Inf else bounds$lower
  upper <- if (is.null(bounds$upper)) Inf else bounds$upper
  c(complain(!anyNA(q), "a quantile is NA or NaN"),
    complain(!any(apply(q, 1L, is.unsorted)), "quantiles are not in order"),
    complain(all(q >= lower & q <= upper), "a quantile is outside of the support"))
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
  # Where it changes much from point to point, the grid is too coarse to tell.
  seen <- sum(steps * abs(diff(density))) / 2 < 0.02
  cdf <- as.vector(predict(fit, first, type = "cdf", at = rbind(ends)))
  seen <- seen && all(abs(cdf - c(0.025, 0.975)) < 1e-3) # not at an end of the support
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
    complain(all(pointwise$crps[done] >= 0, na.rm = TRUE), "a CRPS is negative"))
}

# Draws, joint and row by row: as many below each quantile as it says, the same by the same seed.
check_draws <- function(fit, new, q) {
  if (any(nodes(fit, predictive = TRUE)$weight < 0)) {
    return(NULL) # there is nothing to draw from
  }
  unlist(lapply(c(TRUE, FALSE), function(joint) {
    draws <- unless_refused(simulate(fit, 200, seed = 1, newdata = new, joint = joint))
    if (is.null(draws)) {
      return(NULL) # far from the data a trend makes covariances singular to rounding
    }
    draws <- as.matrix(draws)
    again <- as.matrix(simulate(fit, 200, seed = 1, newdata = new, joint = joint, threads = 2))
    # At an end of the support there may be more; narrow predictions differ by rounding.
    told <- is.finite(q) & q > apply(q, 1L, min) & q < apply(q, 1L, max) & is_wide(q)
    for (k in seq_along(probabilities)) told[, k] <- told[, k] & rowSums(draws == q[, k]) == 0
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

# A fit that was saved is the fit.
check_saved <- function(fit, new) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  again <- readRDS(file)
  ask <- function(fit) predict(fit, new, interval = "credible")
  c(complain(identical(ask(again), ask(fit)), "a saved fit predicts otherwise"),
    complain(identical(loocv(again)$pointwise, loocv(fit)$pointwise),
             "a saved fit leaves rows out otherwise"))
}

# Where the numbers of a list are: the indices that lead to each vector of them.
number_paths <- function(x, path = integer()) {
  if (is.numeric(x)) {
    return(if (length(x) > 0L) list(path))
  }
  if (!is.list(x)) {
    return(NULL)
  }
  x <- unclass(x)
  do.call(c, lapply(seq_along(x), function(i) number_paths(x[[i]], c(path, i))))
}

# One number of a vector, changed as little as can be.
change_one <- function(x) {
  i <- sample.int(length(x), 1L)
  value <- as.numeric(x[i])
  changed <- if (is.integer(x)) value + 1 else value * (1 + 2 * .Machine$double.eps)
  x[i] <- if (is.finite(value) && changed != value) changed else if (is.na(value)) 1 else 0.5
  x
}

# A fit with one changed number is refused. The format has an error of its own, and the call and
# the time are not part of the fit.
check_changed <- function(fit, problem) {
  set.seed(problem$seed)
  plain <- unclass(fit)
  free <- match(c("call", "format", "seconds", "checksum"), names(plain))
  paths <- Filter(function(path) !path[1L] %in% free, number_paths(plain))
  unlist(lapply(paths[sample.int(length(paths), min(5L, length(paths)))], function(path) {
    changed <- plain
    changed[[path]] <- change_one(unclass(plain[[path]]))
    class(changed) <- class(fit)
    refused <- tryCatch({
      predict(changed, problem$new)
      FALSE
    }, btg_error_damaged = function(e) TRUE, error = function(e) FALSE)
    complain(refused, paste("a fit with another number in", names(plain)[path[1L]],
                            "is not refused as damaged"))
  }))
}

# The models of a fit, each a fit by itself.
single_models <- function(fit) {
  lapply(stats::setNames(nm = names(fit$models)), function(name) select_models(fit, name))
}

# The smallest and the largest noise that a row has at each of the nodes of a fit of one model.
noise_range <- function(single, nodes) {
  design <- single$design
  used <- single$models[[1L]]$problem$noise_columns
  log_noise <- matrix(0, nrow(design$inputs), nrow(nodes))
  if (length(used) > 0L) {
    gamma <- as.matrix(nodes[paste0("noise.", colnames(design$noise)[used])])
    log_noise <- design$noise[, used, drop = FALSE] %*% t(gamma)
  }
  if (!is.null(design$weights)) log_noise <- log_noise - log(design$weights)
  nodes$noise * exp(t(apply(log_noise, 2L, range)))
}

# Some of the nodes, where the log posterior can be compared: with hardly any noise, or far more in
# some rows than in others, the likelihood is ill-conditioned, and rounding shows.
some_nodes <- function(single) {
  few <- nodes(single)
  noise <- noise_range(single, few)
  few <- utils::head(few[noise[, 1L] > 1e-5 & noise[, 2L] < 1e8, ], 5L)
  few[is.finite(log_posterior(single, few)), ]
}

# By how much log posteriors at the nodes of `single` differ between it and `other`, apart from a
# constant, relative to their range. `translate` makes them the nodes of `other`.
posterior_gap <- function(single, other, translate = identity) {
  few <- some_nodes(single)
  if (nrow(few) < 2L) {
    return(0)
  }
  base <- log_posterior(single, few)
  diff(range(log_posterior(other, translate(few)) - base)) / max(1, diff(range(base)))
}

# Whether more than a few nodes carry the integral; else there is a warning.
is_integrated <- function(fit) isTRUE(fit$quadrature$effective_nodes >= 10)

# `other` tells the same problem, so log posteriors are the same at the same nodes, but for a
# constant (the Jacobian). That the searches of wgp() end at the same point is too much to ask.
check_same_posterior <- function(fit, other, what, translate = identity) {
  if (inherits(fit, "wgp")) {
    return(NULL)
  }
  # Which models have a noise that varies was decided by a test, and other data are others; and
  # which have weight, by integrals.
  shared <- intersect(names(fit$models), names(other$models))
  if (fit$settings$auto_noise) shared <- grep("varying noise", shared, value = TRUE, invert = TRUE)
  gaps <- mapply(posterior_gap, single_models(fit)[shared], single_models(other)[shared],
                 MoreArgs = list(translate = translate))
  chosen <- fit$settings$auto_noise || !(is_integrated(fit) && is_integrated(other))
  c(complain(chosen || identical(names(fit$models), names(other$models)),
             paste0(what, ": other models")),
    complain(max(gaps) < posterior_error(fit),
             paste0(what, ": log posterior differs by ", signif(max(gaps), 2))))
}

# Without exact rows, likelihoods are estimates that depend a little on the order of the rows.
posterior_error <- function(fit) {
  if (length(btg:::exact_rows(fit$design)) == 0L) 0.1 else 1e-5
}

# NULL where a rule with signed weights, or the arithmetic, fails for a fit that is nearly the same.
unless_refused <- function(fit) {
  tryCatch(fit, btg_error_quadrature = function(e) NULL, btg_error_numerical = function(e) NULL)
}

# Cached factors change no bit of predictions, and nothing but rounding of left-out ones.
check_cached <- function(fit, new) {
  ends <- function(cache) {
    before <- options(btg.cache = cache)
    on.exit(options(before))
    predict(fit, new, interval = "prediction")
  }
  scores <- function() suppressWarnings(loocv(fit)$pointwise$log_score)
  alone <- ends(0)
  alone_scores <- scores()
  c(complain(identical(ends(1e8), alone) && identical(ends(1e8), alone),
             "cached factors change predictions"),
    complain(isTRUE(all.equal(scores(), alone_scores, tolerance = 1e-10)),
             "cached factors change left-out predictions"))
}

# The value of a new measurement has the right sign, and agrees with the distribution function.
check_acquired <- function(fit, new) {
  smallest <- min(btg:::fit_response(fit))
  of <- function(criterion, ...) {
    target <- if (criterion %in% c("ei", "pi") && !is.null(fit$design$censored)) smallest
    unname(suppressWarnings(do.call(acquire, c(list(fit, new, criterion, ...), target = target))))
  }
  below <- predict(fit, new, type = "cdf", at = smallest, observation = FALSE)
  improvement <- of("ei")
  # Weights of both signs leave a rest of rounding.
  least <- if (any(nodes(fit, predictive = TRUE)$weight < 0)) -1e-12 * fit$scaling$y$scale else 0
  c(complain(all(is.na(improvement) | improvement >= least),
             "an expected improvement is negative"),
    complain(max(abs(of("pi") - as.vector(below)), na.rm = TRUE) < 1e-8,
             "the probability of improvement is not that of the distribution function"),
    complain(all(of("spread") >= 0, na.rm = TRUE), "a spread is negative"),
    complain(all(of("contour", threshold = stats::median(btg:::fit_response(fit))) <= 0.5,
                 na.rm = TRUE), "a misclassification is likelier than not"))
}

# Rows added to a fit of the others make the same model as a fit of all.
check_added <- function(problem, fit, refit) {
  n <- nrow(problem$data)
  later <- seq_len(n) > n - problem$added
  earlier <- tryCatch(refit(problem, problem$data[!later, ], problem$weights[!later]),
                      btg_error = function(e) NULL)
  # Too few of them for a fit; or rows that were copies of others, which the fit does not remember,
  # until a response of the later rows showed that they are not.
  if (is.null(earlier) || (!is.null(earlier$copies) && is.null(fit$copies))) {
    return(NULL)
  }
  more <- unless_refused(do.call(update, list(earlier, newdata = problem$data[later, ],
                                              weights = problem$weights[later],
                                              refit = TRUE)))
  if (is.null(more)) {
    return(NULL)
  }
  # Copies of rows are left out, whenever they come.
  whole <- stats::nobs(fit) == n
  c(complain(stats::nobs(more) == stats::nobs(fit), "rows added are not all there"),
    complain(!whole || identical(more$added_rows, problem$added), "rows added are not counted"),
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
    pattern <- paste0("(^|[.])lengthscale[.](", paste(names(data)[numeric], collapse = "|"), ")$")
    known <- grep(pattern, names(few))
    few[known] <- lapply(few[known], `*`, 8)
    few
  }
  other_units <- data
  other_units$y <- 0.25 * data$y
  compare <- function(what, data, weights = problem$weights, translate = identity, unit = 1,
                      limits = problem$limits) {
    problem[c("lower", "upper")] <- lapply(problem[c("lower", "upper")], function(bound) {
      if (!is.null(bound)) unit * bound
    })
    other <- unless_refused(refit(problem, data, weights, if (!is.null(limits)) unit * limits))
    if (!is.null(other)) check_same_posterior(fit, other, what, translate)
  }
  if (inherits(fit, "wgp")) {
    return(NULL)
  }
  c(compare("rows reversed", data[backwards, ], problem$weights[backwards],
            limits = problem$limits[backwards, , drop = FALSE]),
    compare("inputs reversed", data[c(rev(which(inputs)), which(!inputs))]),
    if (problem$ard && !problem$warp && !has_maps(problem$terms)) {
      compare("inputs in other units", scaled, translate = scale_lengths)
    },
    # Geometric means round, and responses that hardly differ show it.
    if (stats::sd(data$y) > 1e-6 * max(abs(data$y))) {
      compare("response in other units", other_units, unit = 0.25)
    },
    if (!is.null(problem$weights)) compare("weights in other units", data, 4 * problem$weights))
}
