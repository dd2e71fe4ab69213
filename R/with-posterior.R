#' Draws of the hyperparameters
#'
#' The nodes of a fit by [btg()] as draws for the package posterior, and through it for bayesplot,
#' ggdist and others: as many copies of each node as its weight says.
#'
#' @param x A fit by [btg()].
#' @param ndraws How many draws.
#' @param ... Not used: an argument that is not known is an error.
#' @return A `draws_df` with a column for each free hyperparameter, in the units of [nodes()]. Of an
#'   average of models, it also has `model`, the number of the model in `fit$models`; what a model
#'   does not have is `NA`.
#'
#' @details Nothing is random: nodes are resampled systematically, so that each is there `ndraws`
#'   times its weight, rounded up or down, and the same call gives the same draws. They are in an
#'   order in which every stretch of them is representative, but they are no Markov chain, and
#'   diagnostics of chains, such as `rhat`, say nothing of their accuracy: see [summary.btg()] for
#'   what does.
#' @examplesIf requireNamespace("posterior", quietly = TRUE)
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' draws <- posterior::as_draws_df(fit)
#' draws
#' posterior::summarise_draws(draws, "median", "mad")
#' @exportS3Method posterior::as_draws_df
as_draws_df.btg <- function(x, ndraws = 4000, ...) { # nolint: object_name_linter. A generic's name.
  call <- quote(as_draws_df())
  check_fit(x, call)
  check_dots(..., valid = "ndraws", call = call)
  check_averaged(x, "`nodes()` has the estimates.", call)
  check_count(ndraws, call = call)
  nodes <- nodes(x)
  if (any(nodes$weight < 0)) {
    abort_btg(c("Nodes with negative weights cannot be drawn.",
                i = "Use the default quadrature, whose weights are positive."), "quadrature", call)
  }
  draws <- nodes[free_hyperparameters(x)]
  if (is_average(x)) draws$model <- match(nodes$model, names(x$models))
  drawn <- resample_systematically(nodes$weight, ndraws)
  posterior::as_draws_df(as.list(draws[drawn, , drop = FALSE]))
}

#' @rdname as_draws_df.btg
#' @exportS3Method posterior::as_draws
as_draws.btg <- function(x, ...) as_draws_df.btg(x, ...) # nolint: object_name_linter. As above.

# Indices of `weights`, each as often as its share of `count`. Multiples of the golden ratio order
# them, which spreads the copies of every index evenly.
resample_systematically <- function(weights, count) {
  at <- (seq_len(count) - 0.5) / count
  reached <- cumsum(weights) / sum(weights)
  drawn <- pmin(findInterval(at, reached) + 1L, length(weights))
  drawn[order((seq_len(count) * (sqrt(5) - 1) / 2) %% 1)]
}
