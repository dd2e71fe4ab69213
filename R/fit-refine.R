#' Add nodes to a fit, for better accuracy
#'
#' `refine()` runs the numerical integral of a fit once more with other points, and pools both sets
#' of nodes. Use it when `print()` reports a poor numerical accuracy, or to see whether the answers
#' change.
#'
#' @param fit A fit by [btg()] with one of the rules that draw points: `"adaptive"` (the default),
#'   `"sobol"` or `"monte_carlo"`. To refine a grid, fit again with a higher order.
#' @param threads How many threads to use.
#' @return The fit with the nodes of both runs, each set weighted by its effective number of nodes.
#'   `fit$quadrature$runs` counts the runs, `fit$quadrature$log_evidences` holds the log evidence of
#'   each, and `fit$seconds` is the time of all runs.
#' @seealso [btg-troubleshooting], [quadrature]
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' fit$accuracy
#' refine(fit)$accuracy
#' @export
refine <- function(fit, threads = getOption("btg.threads", 1)) {
  check_fit(fit)
  check_averaged(fit, "To search from more starts, fit again with more `restarts`.")
  check_count(threads)
  started <- proc.time()[["elapsed"]]
  rule <- refinable_rule(fit)
  runs <- fit$quadrature$runs
  # The core's seeds are integers, and runs only need different ones.
  rule$options$seed <- (rule$options$seed + runs) %% .Machine$integer.max
  built <- build_models(fit$design, fit$models)
  refined <- function(model, name) {
    # An expensive search for modes is not repeated.
    known <- if (is_approximate(fit)) known_modes(model)
    core <- integrate_model(built, name, rule, fit$settings$epsilon, new_run(threads), known)
    pool_nodes(model, core, residual_count(fit$design))
  }
  fit$models <- with_progress("Refining", counted = "likelihoods",
                              Map(refined, fit$models, names(fit$models)))
  fit <- represent_nodes(weigh_models(fit, threads, built), threads, built)
  fit$seconds <- fit$seconds + proc.time()[["elapsed"]] - started
  add_checksum(warn_quadrature(fit, built))
}

# Returns the rule of the fit with all its options.
refinable_rule <- function(fit) {
  rule <- if (is_approximate(fit)) large_rule(fit$settings$rule) else fit$settings$rule
  if (!draws_points(rule)) {
    abort_btg(c(paste0("A fit by \"", rule$name, "\" cannot be refined."),
                i = "Fit again with more points or a higher order."), "refine")
  }
  seed <- rule$options$seed
  rule$options$seed <- as.double(if (is.null(seed)) registry()$rules[[rule$name]]$seed else seed)
  rule
}

# Adds the nodes of another run to the model. Each set is weighted by its effective number of nodes.
# `residuals` is n - p: see quadrature_of().
pool_nodes <- function(model, core, residuals) {
  old <- model$posterior
  added <- posterior_nodes(core)
  quadrature <- model$quadrature
  share <- c(quadrature$effective_nodes, core$effective_nodes)
  share <- share / sum(share)
  other <- quadrature_of(core, model, residuals)
  pooled <- function(name) sum(share * c(quadrature[[name]], other[[name]]))
  candidates <- c(share[1L] * candidate_weights(model),
                  share[2L] * if (is.null(added$candidates)) added$weight else added$candidates)
  model$posterior <- list(
    hyper = rbind(old$hyper, added$hyper),
    weight = c(share[1L] * old$weight, share[2L] * added$weight),
    candidates = candidates,
    log_marginal = c(old$log_marginal, added$log_marginal),
    log_prior = c(old$log_prior, added$log_prior)
  )
  counts <- c("likelihoods", "gradients", "nodes_tried", "nodes_failed", "runs")
  for (name in counts) quadrature[[name]] <- quadrature[[name]] + other[[name]]
  evidence <- c(quadrature$log_evidence, other$log_evidence)
  quadrature$log_evidences <- c(if (is.null(quadrature$log_evidences)) evidence[1L]
                                else quadrature$log_evidences, evidence[2L])
  quadrature$log_evidence <- max(evidence) + log(sum(share * exp(evidence - max(evidence))))
  quadrature$log_evidence_error <-
    sqrt(sum((share * c(quadrature$log_evidence_error, other$log_evidence_error))^2))
  for (name in c("k_hat", "error_factor")) {
    quadrature[[name]] <- max(quadrature[[name]], other[[name]])
  }
  quadrature$dropped_mass <- pooled("dropped_mass")
  quadrature$boundary_mass[] <- share[1L] * quadrature$boundary_mass +
    share[2L] * other$boundary_mass
  quadrature$nodes_kept <- max(node_numbers(model))
  quadrature$nodes_predictive <- sum(candidates != 0)
  quadrature$effective_nodes <- effective_nodes(model)
  model$quadrature <- quadrature
  model
}

# Returns the effective number of values of the hyperparameters.
effective_nodes <- function(model) {
  1 / sum(rowsum(model$posterior$weight, node_numbers(model))^2)
}
