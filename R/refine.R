#' Add nodes to a fit
#'
#' Runs the quadrature of a fit once more, with other points, and pools the two sets of nodes. A
#' fit whose diagnostics are poor gets better, and two fits that agree are worth more trust than
#' one.
#'
#' @param fit A fit by [btg()] with one of the rules that draw points: `"adaptive"`, `"sobol"` or
#'   `"monte_carlo"`. Grids are refined by a fit with a higher level.
#' @param threads How many threads to use.
#' @return The fit with the nodes of both runs, each set weighted by its effective number.
#'   `fit$quadrature$runs` counts the runs, `fit$quadrature$log_evidences` has the log evidence of
#'   each, and `fit$seconds` is what all of them took.
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' refine(fit)
#' @export
refine <- function(fit, threads = 1) {
  call <- quote(refine())
  check_fit(fit, call)
  check_averaged(fit, "To search from more starts, fit again with more `restarts`.", call)
  check_count(threads, call = call)
  started <- proc.time()[["elapsed"]]
  refined <- if (is_average(fit)) refine_average(fit, threads) else refine_model(fit, threads, call)
  refined$seconds <- fit$seconds + proc.time()[["elapsed"]] - started
  refined
}

refine_average <- function(fit, threads) {
  models <- lapply(fit$models, refine, threads = threads)
  refined <- new_average(models, fit$averaging$method, threads, fit$call, fit$seconds)
  refined[c("settings", "added_rows")] <- fit[c("settings", "added_rows")]
  refined
}

refine_model <- function(fit, threads, call) {
  check_format(fit, call)
  old <- fit$quadrature
  defaults <- as.list(registry()$rules[[old$rule$name]])
  if (!"seed" %in% names(defaults)) {
    abort_btg(c(paste0("A fit by \"", old$rule$name, "\" cannot be refined."),
                i = "Fit again with more points or a higher level."), "refine", call)
  }
  runs <- if (is.null(old$runs)) 1L else old$runs
  options <- utils::modifyList(defaults, old$rule$options)
  options$seed <- options$seed + runs
  core <- with_progress("Refining", counted = "likelihoods", check_core(
    core_fit(runnable(fit$problem, threads), old$rule$name, options, old$epsilon,
             usable_starts(NULL, fit$problem)), call
  ))
  pool_nodes(fit, core, runs)
}

# The fit with the nodes of another run added.
pool_nodes <- function(fit, core, runs) {
  weight <- as.vector(core$weight)
  effective <- c(fit$quadrature$effective_nodes, 1 / sum(weight^2))
  share <- effective / sum(effective)
  old <- fit$posterior
  added <- if (length(core$predictive) > 0L) as.vector(core$predictive) else weight
  fit$posterior <- list(
    hyper = rbind(old$hyper, core$hyper),
    weight = c(share[1L] * old$weight, share[2L] * weight),
    predictive = c(share[1L] * predictive_weights(fit), share[2L] * added),
    log_marginal = c(old$log_marginal, as.vector(core$log_marginal)),
    log_prior = c(old$log_prior, as.vector(core$log_prior))
  )
  scale <- (stats::nobs(fit) - ncol(fit$problem$trend)) * log(fit$scaling$y$scale)
  quadrature <- fit$quadrature
  counts <- c("likelihoods", "gradients", "nodes_tried", "nodes_failed", "nodes_jittered")
  for (name in counts) quadrature[[name]] <- quadrature[[name]] + core[[name]]
  evidence <- c(quadrature$log_evidence, core$log_evidence - scale)
  quadrature$log_evidences <- c(if (is.null(quadrature$log_evidences)) evidence[1L]
                                else quadrature$log_evidences, evidence[2L])
  quadrature$log_evidence <- max(evidence) + log(sum(share * exp(evidence - max(evidence))))
  quadrature$log_evidence_error <- sqrt(sum(
    (share * c(quadrature$log_evidence_error, diagnostic(core, "log_evidence_error")))^2
  ))
  quadrature$k_hat <- max(quadrature$k_hat, diagnostic(core, "k_hat"))
  quadrature$largest_jitter <- max(quadrature$largest_jitter, core$largest_jitter)
  quadrature$dropped_mass <- sum(share * c(quadrature$dropped_mass, core$dropped_mass))
  quadrature$boundary_mass[] <- share[1L] * quadrature$boundary_mass +
    share[2L] * as.vector(core$boundary_mass)
  quadrature$nodes_kept <- length(fit$posterior$weight)
  quadrature$nodes_predictive <- sum(fit$posterior$predictive != 0)
  quadrature$effective_nodes <- 1 / sum(fit$posterior$weight^2)
  quadrature$runs <- runs + 1L
  fit$quadrature <- quadrature
  fit
}
