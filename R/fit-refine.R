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
  rule <- refinable_rule(fit, call)
  runs <- fit$quadrature$runs
  # The core's seeds are integers; they are only told apart.
  rule$options$seed <- (rule$options$seed + runs) %% .Machine$integer.max
  refined <- function(model) {
    # Where that was much work, modes are not looked for again.
    known <- if (is_approximate(fit)) known_modes(model)
    core <- integrate_model(model$problem, fit$design,
                            budgeted_rule(rule, fit$design, model$problem), fit$settings$epsilon,
                            list(threads = threads), known, call)
    pool_nodes(model, core, nrow(fit$design$trend) - ncol(fit$design$trend))
  }
  fit$models <- with_progress("Refining", counted = "likelihoods", lapply(fit$models, refined))
  fit <- weigh_models(fit, threads)
  fit$seconds <- fit$seconds + proc.time()[["elapsed"]] - started
  warn_quadrature(seal_fit(fit), call)
}

# The rule of the fit with all its options.
refinable_rule <- function(fit, call) {
  rule <- if (is_approximate(fit)) large_rule(fit$settings$rule) else fit$settings$rule
  defaults <- registry()$rules[[rule$name]]
  if (!"seed" %in% names(defaults)) {
    abort_btg(c(paste0("A fit by \"", rule$name, "\" cannot be refined."),
                i = "Fit again with more points or a higher level."), "refine", call)
  }
  seed <- rule$options$seed
  rule$options$seed <- as.double(if (is.null(seed)) defaults$seed else seed)
  rule
}

# The model with the nodes of another run added, each set weighted by its effective number.
# `residuals` is n - p: see quadrature_of().
pool_nodes <- function(model, core, residuals) {
  old <- model$posterior
  added <- posterior_nodes(core)
  quadrature <- model$quadrature
  share <- c(quadrature$effective_nodes, 1 / sum(added$weight^2))
  share <- share / sum(share)
  other <- quadrature_of(core, model, residuals)
  pooled <- function(name) sum(share * c(quadrature[[name]], other[[name]]))
  predictive <- c(share[1L] * predictive_weights(model),
                  share[2L] * if (is.null(added$predictive)) added$weight else added$predictive)
  model$posterior <- list(
    hyper = rbind(old$hyper, added$hyper),
    weight = c(share[1L] * old$weight, share[2L] * added$weight),
    predictive = predictive,
    log_marginal = c(old$log_marginal, added$log_marginal),
    log_prior = c(old$log_prior, added$log_prior)
  )
  counts <- c("likelihoods", "gradients", "nodes_tried", "nodes_failed", "nodes_jittered", "runs")
  for (name in counts) quadrature[[name]] <- quadrature[[name]] + other[[name]]
  evidence <- c(quadrature$log_evidence, other$log_evidence)
  quadrature$log_evidences <- c(if (is.null(quadrature$log_evidences)) evidence[1L]
                                else quadrature$log_evidences, evidence[2L])
  quadrature$log_evidence <- max(evidence) + log(sum(share * exp(evidence - max(evidence))))
  quadrature$log_evidence_error <-
    sqrt(sum((share * c(quadrature$log_evidence_error, other$log_evidence_error))^2))
  quadrature$k_hat <- max(quadrature$k_hat, other$k_hat)
  quadrature$largest_jitter <- max(quadrature$largest_jitter, other$largest_jitter)
  quadrature$dropped_mass <- pooled("dropped_mass")
  quadrature$boundary_mass[] <- share[1L] * quadrature$boundary_mass +
    share[2L] * other$boundary_mass
  quadrature$nodes_kept <- length(model$posterior$weight)
  quadrature$nodes_predictive <- sum(predictive != 0)
  quadrature$effective_nodes <- 1 / sum(model$posterior$weight^2)
  model$quadrature <- quadrature
  model
}
