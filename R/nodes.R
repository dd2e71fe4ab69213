#' The nodes of a fit
#'
#' The posterior of the hyperparameters, as the weighted nodes over which predictions average.
#'
#' @param fit A fit by [btg()].
#' @param predictive Whether to return the nodes that predictions are from, with their weights. By
#'   the default rule these are fewer, and stand for all: see [quad_adaptive()].
#' @return A data frame with one row for each node that was kept, in order of decreasing weight:
#'   * `weight`, the posterior weight; the weights sum to 1;
#'   * `log_marginal`, the log marginal likelihood, with the trend and the scale integrated out,
#'     up to a constant that all nodes share;
#'   * `log_prior`, the log prior density, with respect to the logarithms of the positive
#'     hyperparameters (lengthscales, noise, and `b`, `d` or `s` of transforms) and to the others
#'     as they are;
#'   * `lengthscale.<input>`, in the units of the input, or `lengthscale.all` with `ard = FALSE`;
#'     that of an input that was warped, as `print(fit)` says, is in units of the warped input:
#'     see the section on warps in [btg()];
#'   * `noise`, the noise variance relative to that of the process;
#'   * `model`, the name of the model, if the fit averages over several: a hyperparameter that a
#'     model does not have is `NA`;
#'   * `<layer>.<parameter>`, the parameters of the transform, which acts on the scaled response
#'     `(y - center) / scale` with `fit$scaling$y`. Fixed parameters are columns too.
#'
#'   A fit by [wgp()] has one node, its estimate: `weight` is 1 and `log_prior` 0.
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' head(nodes(fit))
#' @export
nodes <- function(fit, predictive = FALSE) {
  call <- quote(nodes())
  check_fit(fit, call)
  check_flag(predictive, call = call)
  if (is_average(fit)) {
    return(average_nodes(fit, predictive))
  }
  hyper <- sweep(fit$posterior$hyper, 2L, hyper_units(fit), `*`)
  colnames(hyper) <- hyper_names(fit)
  nodes <- data.frame(
    weight = if (predictive) predictive_weights(fit) else fit$posterior$weight,
    log_marginal = fit$posterior$log_marginal,
    log_prior = fit$posterior$log_prior,
    hyper,
    check.names = FALSE
  )
  if (predictive) nodes <- nodes[nodes$weight != 0, , drop = FALSE]
  nodes <- nodes[order(nodes$weight, decreasing = TRUE), , drop = FALSE]
  row.names(nodes) <- NULL
  nodes
}

# Those of all models: a hyperparameter that a model does not have is NA there.
average_nodes <- function(fit, predictive) {
  each <- lapply(names(members(fit)), function(name) {
    one <- nodes(fit$models[[name]], predictive)
    one$weight <- fit$model_weights[[name]] * one$weight
    data.frame(model = name, one, check.names = FALSE)
  })
  columns <- unique(unlist(lapply(each, names)))
  each <- lapply(each, function(one) {
    one[setdiff(columns, names(one))] <- NA_real_
    one[columns]
  })
  all <- do.call(rbind, each)
  all <- all[order(all$weight, decreasing = TRUE), , drop = FALSE]
  row.names(all) <- NULL
  all
}

#' The log posterior density of the hyperparameters
#'
#' Evaluates the unnormalised log posterior, the log marginal likelihood plus the log prior, at
#' any values of the hyperparameters. With it, a fit can be checked by a sampler or an optimiser
#' that is not ours.
#'
#' @param fit A fit by [btg()].
#' @param hyper A data frame or a matrix with one row for each point and columns named as in
#'   [nodes()], in the same units. Other columns, such as `weight`, are ignored; columns of fixed
#'   hyperparameters may be left out.
#' @return A numeric vector, one value for each row of `hyper`: the log density up to a constant,
#'   with respect to the logarithms of the positive hyperparameters and to the others as they are.
#'   `-Inf` outside the support of the prior, and where the likelihood cannot be evaluated.
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "softplus")
#' at <- nodes(fit)[1, ]
#' log_posterior(fit, at)
#' at$noise <- 2 * at$noise
#' log_posterior(fit, at)
#' @export
log_posterior <- function(fit, hyper) {
  call <- quote(log_posterior())
  check_fit(fit, call)
  check_averaged(fit, "Use `logLik(fit, hyper = )` for the log likelihood.", call)
  if (is_average(fit)) {
    abort_btg(c("An average of models has no hyperparameters of its own.",
                i = "Use one of its models, such as `log_posterior(fit$models[[1]], hyper)`."),
              "average", call)
  }
  internal <- internal_hyper(fit, hyper, call)
  evaluate_valid(fit, internal, function(valid) {
    core <- check_core(core_evaluate(runnable(fit$problem), valid, FALSE), call)
    # A point outside the prior has no density, whatever its likelihood.
    ifelse(core$log_prior == -Inf, -Inf, core$log_marginal + core$log_prior)
  })
}

# `evaluate`, a function of rows of hyperparameters in the core's units, where they are finite and
# those that must be positive are; -Inf elsewhere. Noise can be fixed at zero.
evaluate_valid <- function(fit, internal, evaluate) {
  result <- rep(-Inf, nrow(internal))
  positive <- vapply(fit$problem$hyperparameters, function(h) {
    h$positive && !is.numeric(h$prior)
  }, NA)
  valid <- rowSums(internal[, positive, drop = FALSE] <= 0) == 0 &
    rowSums(is.infinite(internal)) == 0
  if (any(valid)) result[valid] <- evaluate(internal[valid, , drop = FALSE])
  result
}

# The user's hyperparameters as the core's matrix: all columns, in order, in its units.
internal_hyper <- function(fit, hyper, call) {
  if (!is.data.frame(hyper) && !(is.matrix(hyper) && is.numeric(hyper))) {
    abort_argument("hyper", "must be a data frame or a matrix with named columns", hyper, call)
  }
  names <- hyper_names(fit)
  fixed <- Filter(is.numeric, lapply(fit$problem$hyperparameters, function(h) h$prior))
  missing <- setdiff(names, c(colnames(hyper), names(fixed)))
  if (length(missing) > 0L) {
    abort_btg(c("`hyper` lacks hyperparameters of the fit.",
                x = paste0("Missing: ", list_names(missing), ".")), "hyper", call)
  }
  given <- as.list(as.data.frame(hyper))[intersect(names, colnames(hyper))]
  numeric <- vapply(given, is.numeric, NA)
  if (!all(numeric)) {
    abort_btg(c("`hyper` must be numeric.",
                x = paste0("Not numeric: ", list_names(names(given)[!numeric]), ".")),
              "hyper", call)
  }
  units <- hyper_units(fit)
  internal <- matrix(0, nrow(hyper), length(names), dimnames = list(NULL, names))
  for (name in names) {
    internal[, name] <- if (is.null(given[[name]])) fixed[[name]] else given[[name]] / units[[name]]
  }
  if (anyNA(internal)) {
    abort_btg("`hyper` has missing values.", "hyper", call)
  }
  moved <- vapply(names(fixed), function(name) {
    any(abs(internal[, name] - fixed[[name]]) > 1e-12 * abs(fixed[[name]]))
  }, NA)
  if (any(moved)) {
    abort_btg(c("`hyper` changes hyperparameters that the fit holds fixed.",
                x = paste0("Fixed: ", list_names(names(fixed)[moved]), ".")), "hyper", call)
  }
  internal
}

# For what needs a posterior, which a fit by wgp() does not have.
check_averaged <- function(fit, advice, call) {
  if (inherits(fit, "wgp")) {
    abort_btg(c("A fit by `wgp()` has no posterior: its hyperparameters are estimates.",
                i = advice), "no_posterior", call)
  }
  invisible(fit)
}

check_fit <- function(fit, call) {
  if (!inherits(fit, "btg")) {
    abort_argument("fit", "must be a fit by `btg()`", fit, call)
  }
  invisible(fit)
}
