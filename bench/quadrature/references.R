# What the rules are compared with: list(quantile, error, ...) at the new points of a problem.

# What the answers depend on: the posterior and the new points, at a few hyperparameters.
fingerprint <- function(problem) {
  fit <- problem$fit
  model <- fit$models[[1L]]
  at <- btg::nodes(fit)[rep(1L, 3L), names(model$units)]
  positive <- vapply(model$problem$hyperparameters, function(h) h$positive, NA)
  at[, positive] <- rep(c(0.5, 1, 2), sum(positive)) * rep(model$units[positive], each = 3L)
  at[, !positive] <- rep(c(0.1, 0.2, 0.3), sum(!positive))
  fixed <- setdiff(names(at), problem$free)
  at[fixed] <- btg::nodes(fit)[1L, fixed]
  answers <- predict(with_draws(fit, at), problem$new)
  signif(c(btg::log_posterior(fit, at), unname(answers)), 7)
}

# A fit whose nodes are these, in the units of nodes(), with equal weights.
with_draws <- function(fit, hyper) {
  units <- fit$models[[1L]]$units
  with_nodes(fit, unname(sweep(as.matrix(hyper)[, names(units)], 2L, units, `/`)),
             rep(1 / nrow(hyper), nrow(hyper)))
}

# Importance sampling by the default rule with many nodes; the spread over seeds is its error.
importance_reference <- function(problem, set) {
  runs <- lapply(set$reference_seeds, function(seed) {
    options <- list(nodes = set$reference_nodes, most = 3 * set$reference_nodes, seed = seed)
    fit <- suppressWarnings(fit_problem(problem, make_rule("adaptive", options), 1e-5))
    list(quantile = ask(fit, problem$new)$quantile, quadrature = fit$quadrature)
  })
  quantiles <- simplify2array(lapply(runs, function(run) run$quantile))
  value <- function(what) vapply(runs, function(run) run$quadrature[[what]], 0)
  diagnostics <- lapply(runs, function(run) unlist(run$quadrature$diagnostics))
  list(
    quantile = apply(quantiles, 1:2, mean),
    error = apply(quantiles, 1:2, sd) / sqrt(length(runs)),
    points = sum(value("likelihoods")),
    effective = sum(value("effective_nodes")),
    k_hat = max(vapply(diagnostics, function(d) unname(d["k_hat"]), 0)),
    log_evidence = mean(value("log_evidence")),
    log_evidence_error = sd(value("log_evidence")) / sqrt(length(runs))
  )
}

# Long chains from dispersed starts: half of them draws of the prior, half of a Sobol fit.
mcmc_reference <- function(problem, set) {
  set.seed(1)
  view <- coordinates_of(problem)
  sobol <- suppressWarnings(fit_problem(problem, btg::quad_sobol(2^14), 0))
  found <- btg::nodes(sobol)
  start <- found[sample(nrow(found), max(2 * set$chains, 10 * view$d), TRUE,
                        (found$weight + 1 / nrow(found)) / 2), ]
  steps <- set$steps(view$d, nrow(problem$data))
  draws <- run_chains(view$log_density, view$force, view$to(start), set$chains, steps)

  # The spread over groups of chains is the error.
  groups <- split(seq_len(set$chains), seq_len(set$chains) %% 8L)
  every <- max(1L, steps * set$chains %/% 16000L)
  answers <- lapply(groups, function(group) {
    state <- matrix(draws[seq(1L, steps, by = every), group, ], ncol = view$d)
    predict(with_draws(problem$fit, view$from(state)), problem$new, type = "quantile",
            probs = probs)
  })
  quantiles <- unname(simplify2array(answers))
  list(
    quantile = apply(quantiles, 1:2, mean),
    error = apply(quantiles, 1:2, sd) / sqrt(length(groups)),
    points = set$chains * steps,
    r_hat = max(vapply(seq_len(view$d), function(j) r_hat(draws[, , j]), 0))
  )
}

# The posterior in the coordinates of log_posterior(): list(d, to, from, log_density, force),
# where `from` gives a matrix with columns as nodes() has, and `to` takes nodes.
coordinates_of <- function(problem) {
  fit <- problem$fit
  free <- problem$free
  model <- fit$models[[1L]]
  units <- model$units
  all <- names(units)
  specs <- model$problem$hyperparameters[free]
  positive <- vapply(specs, function(h) h$positive, NA)
  fixed <- unlist(btg::nodes(fit)[1L, all])
  from <- function(state) {
    value <- matrix(fixed, nrow(state), length(all), byrow = TRUE, dimnames = list(NULL, all))
    # Far out, where chains may try to go, a logarithm has no exponential.
    value[, free[positive]] <- exp(pmin(pmax(state[, positive], -600), 600))
    value[, free[!positive]] <- state[, !positive]
    value
  }
  to <- function(hyper) {
    state <- as.matrix(hyper[free])
    state[, positive] <- log(state[, positive])
    unname(state)
  }
  log_density <- function(state) btg::log_posterior(fit, from(state))
  # The gradient; that of the prior by differences, for all with the same prior at once.
  alike <- split(free, vapply(specs, function(spec) {
    deparse1(spec[c("positive", "prior", "in_common")])
  }, ""))
  built <- btg:::build_models(fit$design, list(model))
  force <- function(state) {
    hyper <- sweep(from(state), 2L, units, `/`)
    gradient <- btg:::evaluate_model(built, unname(hyper), gradient = TRUE)$gradient
    colnames(gradient) <- all
    for (names in alike) {
      spec <- specs[[names[1L]]]
      slope <- if (isTRUE(spec$in_common)) {
        common_slope(model$problem$common, hyper[, names, drop = FALSE])
      } else {
        prior_slope(spec, hyper[, names])
      }
      gradient[, names] <- gradient[, names] + slope
    }
    gradient <- gradient[, free, drop = FALSE]
    replace(gradient, !is.finite(gradient), 0)
  }
  list(d = length(free), to = to, from = from, log_density = log_density, force = force)
}

# The slope of the log prior in the coordinate.
prior_slope <- function(spec, value, step = 1e-4) {
  log_prior <- function(move) {
    moved <- if (spec$positive) value * exp(move) else value + move
    log(btg:::dist_density(spec$prior, moved)) + (if (spec$positive) move else 0)
  }
  (log_prior(step) - log_prior(-step)) / (2 * step)
}

# Of lengthscales whose logarithms are N(level, spread^2), the level N(centre, width^2): given the
# spread, they are normal with the covariance spread^2 I + width^2 1 1'. Over a grid of the spread.
common_slope <- function(common, value) {
  d <- ncol(value)
  away <- log(value) - common$centre
  spread <- common$spread
  if (inherits(spread, "btg_dist")) spread <- btg:::dist_quantile(spread, stats::ppoints(50L))
  total <- rowSums(away)
  of_spread <- lapply(spread^2, function(v) {
    shared <- common$width^2 / (v * (v + d * common$width^2))
    list(log_density = -((d - 1) * log(v) + log(v + d * common$width^2)) / 2 -
           (rowSums(away^2) / v - shared * total^2) / 2,
         slope = -away / v + shared * total)
  })
  log_density <- do.call(cbind, lapply(of_spread, function(x) x$log_density))
  weight <- exp(log_density - apply(log_density, 1L, max))
  weight <- weight / rowSums(weight)
  Reduce(`+`, Map(function(x, k) x$slope * weight[, k], of_spread, seq_along(of_spread)))
}

describe_check <- function(problem, method, check, reference) {
  own <- 100 * check$error / predictive_sd(reference)
  difference <- compare(check$quantile, reference)
  data.frame(problem = problem$name, method, points = check$points,
             endpoint_mean = difference[["endpoint_mean"]],
             endpoint_error = mean(own[, -2L]),
             median_mean = difference[["median_mean"]], median_error = mean(own[, 2L]),
             effective = or_na(check$effective), k_hat = or_na(check$k_hat),
             r_hat = or_na(check$r_hat))
}

# The most precise of the methods whose own diagnostics are good.
make_reference <- function(problem, set) {
  message("Reference of ", problem$name)
  methods <- list(importance = importance_reference(problem, set))
  # Nothing adaptive: many points of the prior, where they can be many enough.
  if (length(problem$free) <= 4L) methods$prior <- prior_reference(problem)
  if (set$full) methods$mcmc <- mcmc_reference(problem, set)
  own <- vapply(methods, function(m) mean(100 * m$error[, -2L] / predictive_sd(m$quantile)), 0)
  good <- vapply(methods, function(m) isTRUE(m$k_hat < 0.7) || isTRUE(m$r_hat < 1.02), NA)
  best <- names(which.min(if (any(good)) own[good] else own))
  chosen <- methods[[best]]
  checks <- Map(describe_check, list(problem), names(methods), methods, list(chosen$quantile))
  checks <- do.call(rbind, checks)
  checks$chosen <- ifelse(checks$method == best, "*", "")
  list(fingerprint = fingerprint(problem), full = set$full, method = best,
       quantile = chosen$quantile, error = chosen$error,
       log_evidence = methods$importance$log_evidence, checks = checks)
}

prior_reference <- function(problem) {
  fit <- suppressWarnings(fit_problem(problem, btg::quad_sobol(2^16, inner = 1), 1e-6))
  answer <- ask(fit, problem$new)
  list(quantile = answer$quantile, error = answer$error, points = 2^16,
       effective = fit$quadrature$effective_nodes)
}

# From the cache, unless the posterior is another one or a better reference is wanted. Another
# process may have written to the cache meanwhile.
find_references <- function(problems, set, file, fresh) {
  read_kept <- function() if (file.exists(file)) readRDS(file) else list()
  lapply(problems, function(problem) {
    old <- if (!fresh) read_kept()[[problem$name]]
    same <- !is.null(old) && isTRUE(all.equal(old$fingerprint, fingerprint(problem), 1e-5))
    if (same && (old$full || !set$full)) return(old)
    made <- make_reference(problem, set)
    kept <- read_kept()
    kept[[problem$name]] <- made
    saveRDS(kept, file)
    made
  })
}
