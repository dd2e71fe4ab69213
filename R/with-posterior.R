#' Draws of the hyperparameters
#'
#' `as_draws_df()` turns the nodes of a fit by [btg()] into draws for the package posterior, and
#' through it for bayesplot, ggdist and others. `as.matrix()` returns them as a matrix.
#'
#' @param x A fit by [btg()].
#' @param ndraws How many draws.
#' @param ... Not used: an unknown argument is an error.
#' @return `as.matrix()` has a row for each draw and a column for each free hyperparameter, in the
#'   units of [nodes()]. The others return a `draws_df` with such columns. In an average, a column
#'   `model` is the number of the model in `fit$models`, and hyperparameters that a model lacks are
#'   `NA`.
#'
#' @details Nothing is random: each node is repeated `ndraws` times its weight, rounded up or down,
#'   and the same call returns the same draws. Every stretch of them is representative, but they are
#'   not a Markov chain, so diagnostics of chains, such as `rhat`, do not measure their accuracy.
#'   `summarise_draws()` leaves those out and shows `ess`, the effective number of nodes of the fit:
#'   see [summary.btg()].
#' @seealso [nodes()], [tidy.btg()]
#' @examplesIf requireNamespace("posterior", quietly = TRUE)
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' draws <- posterior::as_draws_df(fit)
#' draws
#' posterior::summarise_draws(draws, "median", "mad")
#' @exportS3Method posterior::as_draws_df
as_draws_df.btg <- function(x, ndraws = 4000, ...) { # nolint: object_name_linter. A generic's name.
  check_fit(x)
  check_dots(..., valid = "ndraws")
  draws <- posterior::as_draws_df(as.list(draws_of_fit(x, ndraws)))
  structure(draws, effective_nodes = x$quadrature$effective_nodes,
            class = c("btg_draws", class(draws)))
}

#' @rdname as_draws_df.btg
#' @export
as.matrix.btg <- function(x, ndraws = 4000, ...) {
  check_fit(x)
  check_dots(..., valid = "ndraws")
  as.matrix(draws_of_fit(x, ndraws))
}

# The default measures of posterior::summarise_draws() are for chains.
#' @exportS3Method posterior::summarise_draws
summarise_draws.btg_draws <- function(.x, ...) { # nolint: object_name_linter. A generic's name.
  effective <- attr(.x, "effective_nodes")
  class(.x) <- setdiff(class(.x), "btg_draws")
  if (...length() > 0L) {
    return(posterior::summarise_draws(.x, ...))
  }
  table <- posterior::summarise_draws(.x, "mean", "median", "sd", "mad", "quantile2")
  if (!is.null(effective)) table$ess <- effective
  table
}

#' @rdname as_draws_df.btg
#' @exportS3Method posterior::as_draws
as_draws.btg <- function(x, ...) as_draws_df.btg(x, ...) # nolint: object_name_linter. As above.

# Returns a data frame with one row per draw.
draws_of_fit <- function(fit, ndraws) {
  check_averaged(fit, "`nodes()` has the estimates.")
  check_count(ndraws)
  nodes <- nodes(fit)
  if (any(nodes$weight < 0)) {
    abort_btg(c("Nodes with negative weights cannot be drawn.",
                i = "Use the default quadrature, whose weights are positive."), "quadrature")
  }
  draws <- nodes[free_hyperparameters(fit)]
  if (is_average(fit)) draws$model <- match(nodes$model, names(fit$models))
  draws <- draws[resample_systematically(nodes$weight, ndraws), , drop = FALSE]
  row.names(draws) <- NULL
  draws
}

# Samples indices in proportion to `weights`. Ordering by multiples of the golden ratio distributes
# the copies of every index evenly.
resample_systematically <- function(weights, count) {
  at <- (seq_len(count) - 0.5) / count
  reached <- cumsum(weights) / sum(weights)
  drawn <- pmin(findInterval(at, reached) + 1L, length(weights))
  drawn[order((seq_len(count) * (sqrt(5) - 1) / 2) %% 1)]
}
