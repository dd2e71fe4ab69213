# The maximum of a likelihood over the free hyperparameters of a problem: bounds from the data, a
# space-filling design screened by the likelihood, and L-BFGS-B from the best of its points. No
# random numbers.
#
# Searches are in coordinates: logarithms of the positive hyperparameters, others as they are. The
# priors of the problem are not in the likelihood: they say which hyperparameters are free, where
# starts are looked for, and how far parameters of transforms may go.

# list(space, searches): where was searched, and what each search found (search_from()).
# `run$warm_starts`, rows of all hyperparameters in the core's units, are searched from first, and
# if that succeeds from nowhere else.
maximise_likelihood <- function(problem, design, restarts, run, call) {
  space <- search_space(problem, design)
  evaluate <- function(hyper) {
    check_core(core_likelihood(design, problem, hyper, core_run()), call)
  }
  if (length(space$lower) == 0L) {
    at <- evaluate(natural_hyper(space, numeric()))
    check_evaluated(is.finite(at$log_likelihood), call)
    searches <- list(list(x = numeric(), log_likelihood = at$log_likelihood, gradient = 0,
                          converged = TRUE, message = "nothing to optimise", evaluations = 1L))
  } else {
    search_all <- function(starts) {
      lapply(seq_len(nrow(starts)), function(i) {
        search_from(starts[i, ], likelihood_at(evaluate, space), space)
      })
    }
    searches <- search_all(bounded_starts(run$warm_starts, space))
    if (!any(vapply(searches, function(search) search$converged, NA))) {
      starts <- screened_starts(problem, design, space, restarts, run$threads, call)
      searches <- c(searches, search_all(starts))
      searches <- c(searches, search_all(other_noise_starts(searches, space)))
    }
  }
  list(space = space, searches = searches)
}

# Where there is little noise the likelihood has ridges, and a search that comes early to one with
# more of it, or with less, stays there: the best is taken up again with noise of other sizes.
other_noise_starts <- function(searches, space) {
  noise <- match("noise", names(space$values)[space$free])
  best <- searches[[which.max(vapply(searches, function(search) search$log_likelihood, 0))]]$x
  other <- log(c(1e-3, 1e-4, 1e-6))
  other <- other[other > space$lower[noise] & other < space$upper[noise]]
  if (is.na(noise) || best[noise] > log(0.1) || length(other) == 0L) {
    return(matrix(0, 0L, length(space$free)))
  }
  starts <- matrix(best, length(other), length(best), byrow = TRUE)
  starts[, noise] <- other
  starts
}

# Which hyperparameters are free, the values of the others, and the bounds of the free ones in
# their coordinates.
search_space <- function(problem, design) {
  hyperparameters <- problem$hyperparameters
  values <- vapply(hyperparameters, function(h) if (is_fixed(h)) h$prior else NA_real_, 0)
  free <- which(is.na(values))
  positive <- vapply(hyperparameters[free], function(h) h$positive, NA)
  bounds <- vapply(free, function(j) hyper_bounds(hyperparameters[[j]], j, design), numeric(2L))
  bounds <- matrix(bounds, 2L, dimnames = list(NULL, names(free)))
  bounds[, positive] <- log(bounds[, positive])
  list(values = values, free = free, positive = positive, lower = bounds[1L, ],
       upper = bounds[2L, ])
}

# Bounds of the j-th hyperparameter, in the core's units. Beyond those of a lengthscale, its input
# is all noise or has no effect that the data could show; beyond those of the noise there is none,
# or nothing else. Those of other parameters are 6 standard deviations of their default prior away,
# or where that ends.
hyper_bounds <- function(hyper, j, design) {
  if (hyper$role == "lengthscale") {
    own <- design$lengthscale_of_column == j
    return(lengthscale_bounds(design$inputs[, own, drop = FALSE]))
  }
  if (hyper$name == "noise") {
    return(c(1e-8, 1e2))
  }
  support <- prior_support(hyper$prior)
  wide <- dist_quantile(hyper$prior, stats::pnorm(c(-6, 6)))
  # A positive parameter has no coordinate at 0.
  ends <- is.finite(support) & !(hyper$positive & support == 0)
  ifelse(ends, support, wide)
}

# From a tenth of the typical distance between neighbours to 1000 times the range. An input without
# effect needs that much to be out of sight where there is little noise.
lengthscale_bounds <- function(columns) {
  ranges <- apply(columns, 2L, function(x) diff(range(x)))
  gaps <- apply(columns, 2L, function(x) stats::median(diff(sort(unique(x)))))
  c(min(pmax(gaps, 1e-4 * ranges)) / 10, 1000 * root_sum_squares(ranges))
}

# The core's vector of all hyperparameters.
natural_hyper <- function(space, x) {
  hyper <- space$values
  hyper[space$free] <- ifelse(space$positive, exp(x), x)
  hyper
}

# The coordinates of the free ones among all hyperparameters.
coordinates <- function(space, hyper) {
  free <- hyper[space$free]
  free[space$positive] <- log(free[space$positive])
  free
}

# Starts: the centre of the default priors, a Sobol sequence in the middle 90% of them, and points
# with short lengthscales or next to no noise, of which the `restarts` points of largest likelihood
# are kept, in that order. A matrix, one row each.
screened_starts <- function(problem, design, space, restarts, threads, call) {
  k <- length(space$free)
  count <- max(4L * restarts, 20L + 10L * k)
  points <- 0.05 + 0.9 * rbind(rep(0.5, k), check_core(core_design(k, count), call)$points)
  points <- rbind(points, far_starts(problem$hyperparameters[space$free]))
  priors <- lapply(problem$hyperparameters[space$free], function(h) h$prior)
  for (j in seq_len(k)) {
    value <- dist_quantile(priors[[j]], points[, j])
    coordinate <- if (space$positive[j]) log(value) else value
    points[, j] <- pmin(pmax(coordinate, space$lower[j]), space$upper[j])
  }
  hyper <- t(apply(points, 1L, natural_hyper, space = space))
  core <- check_core(core_evaluate(design, problem, hyper, FALSE, core_run(threads)), call)
  check_evaluated(is.finite(core$log_marginal), call)
  best <- order(core$log_marginal, decreasing = TRUE)
  best <- best[is.finite(core$log_marginal[best])]
  points[best[seq_len(min(restarts, length(best)))], , drop = FALSE]
}

# As probabilities under the priors.
far_starts <- function(hyperparameters) {
  role <- vapply(hyperparameters, function(h) h$role, "")
  far <- rbind(expand.grid(lengthscale = c(-2.5, -3.2), noise = c(-1.5, 0)),
               expand.grid(lengthscale = -1:1, noise = -2.5))
  points <- matrix(0, nrow(far), length(role))
  points[, role == "lengthscale"] <- far$lengthscale
  points[, names(hyperparameters) == "noise"] <- far$noise
  stats::pnorm(points)
}

# The coordinates of rows of hyperparameters, one row each; none if these are of another problem.
bounded_starts <- function(hyper, space) {
  if (is.null(hyper) || ncol(hyper) != length(space$values)) {
    return(matrix(0, 0L, length(space$free)))
  }
  bounded <- lapply(seq_len(nrow(hyper)), function(i) {
    pmin(pmax(coordinates(space, hyper[i, ]), space$lower), space$upper)
  })
  do.call(rbind, bounded)
}

check_evaluated <- function(evaluated, call) {
  if (!any(evaluated)) {
    abort_btg(paste0("The likelihood could not be evaluated at any of ",
                     count_noun(length(evaluated), "start"), "."), "numerical", call)
  }
}

# Minus the log likelihood and its gradient, as optim() asks for them: one after the other at the
# same point, which takes one evaluation. Where there is no likelihood, as when a transform
# overflows, the search is told of a value worse than all it has seen, and turns back.
likelihood_at <- function(likelihood, space) {
  last <- list()
  worst <- 0
  evaluations <- 0L
  evaluate <- function(x) {
    if (!identical(x, last$x)) {
      core <- likelihood(natural_hyper(space, x))
      evaluations <<- evaluations + 1L
      count_progress()
      value <- -core$log_likelihood
      if (is.finite(value)) worst <<- max(worst, value) else value <- worst + 100
      last <<- list(x = x, value = value, gradient = -core$gradient[space$free],
                    failed = !is.finite(core$log_likelihood))
    }
    last
  }
  list(evaluate = evaluate, evaluations = function() evaluations)
}

# One search. It has converged when no free coordinate has a slope of more than 0.01: what optim()
# says of itself is kept as its message. A search that stops before gets a second and a third go,
# with the curvature forgotten.
search_from <- function(start, likelihood, space) {
  x <- start
  for (attempt in 1:3) {
    found <- tryCatch(
      stats::optim(x, function(x) likelihood$evaluate(x)$value,
                   function(x) likelihood$evaluate(x)$gradient, method = "L-BFGS-B",
                   lower = space$lower, upper = space$upper,
                   control = list(lmm = 20L, factr = 1e6, maxit = 500L)),
      error = function(e) {
        if (inherits(e, "btg_error")) rlang::cnd_signal(e)
        list(par = x, message = conditionMessage(e))
      }
    )
    x <- found$par
    at <- likelihood$evaluate(x)
    slope <- max(abs(projected_gradient(x, at$gradient, space)))
    if (at$failed || slope <= 1e-3) break
  }
  list(x = x, log_likelihood = if (at$failed) -Inf else -at$value, gradient = slope,
       converged = !at$failed && slope <= 0.01, message = found$message,
       evaluations = likelihood$evaluations())
}

# The gradient of what is minimised, without what pushes against a bound.
projected_gradient <- function(x, gradient, space) {
  stuck <- (at_lower(x, space) & gradient > 0) | (at_upper(x, space) & gradient < 0)
  ifelse(stuck, 0, gradient)
}

at_lower <- function(x, space) x - space$lower < 1e-6
at_upper <- function(x, space) space$upper - x < 1e-6
