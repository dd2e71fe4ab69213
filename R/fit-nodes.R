#' List the nodes of a fit
#'
#' `nodes()` returns the posterior of the hyperparameters as a data frame: the weighted settings,
#' called nodes, over which predictions average.
#'
#' @param fit A fit by [btg()] or [wgp()].
#' @param predictive `TRUE` for the nodes that predictions use, with their weights. By default there
#'   are fewer of these: see [quad_adaptive()].
#' @return A data frame with one row for each node, in order of decreasing weight:
#'   * `weight`, the posterior weight; weights sum to 1;
#'   * `log_marginal`, the log marginal likelihood, with the trend and the scale integrated out, up
#'     to a constant that all nodes share;
#'   * `log_prior`, the log prior density, with respect to the logarithms of the positive
#'     hyperparameters (lengthscales, noise, and `b`, `d` or `s` of transforms) and to the others as
#'     they are;
#'   * `lengthscale.<input>`, in the units of the input, or `lengthscale.all` with `ard = FALSE`.
#'     For dates the unit is days, and for date-times seconds. For an input that was warped (see
#'     [btg-inputs]) it is that of the warped input;
#'   * `noise`, the noise variance relative to that of the process;
#'   * `<layer>.<parameter>`, the parameters of the transform, which acts on the scaled response
#'     `(y - center) / scale` with `fit$scaling$y`;
#'   * `model`, the name of the model, if the fit averages over several. Hyperparameters that a
#'     model lacks are `NA`.
#'
#'   Fixed parameters are columns too. A fit by [wgp()] has one node, its estimate, with `weight` 1
#'   and `log_prior` 0.
#' @seealso [summary.btg()] for intervals, [log_posterior()] for the density, [select_models()]
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' head(nodes(fit))
#' @export
nodes <- function(fit, predictive = FALSE) {
  check_fit(fit)
  check_flag(predictive)
  each <- Map(function(model, weight, name) {
    one <- model_nodes(model, predictive)
    one$weight <- weight * one$weight
    if (is_average(fit)) data.frame(model = name, one, check.names = FALSE) else one
  }, kept_models(fit), fit$model_weights[fit$model_weights > 0], names(kept_models(fit)))
  columns <- unique(unlist(lapply(each, names)))
  each <- lapply(each, function(one) {
    one[setdiff(columns, names(one))] <- NA_real_
    one[columns]
  })
  all <- do.call(rbind, unname(each))
  all <- all[order(all$weight, decreasing = TRUE), , drop = FALSE]
  row.names(all) <- NULL
  all
}

# Returns the nodes of one model in the user's units, one row per value of the hyperparameters.
model_nodes <- function(model, predictive = FALSE) {
  numbers <- node_numbers(model)
  first <- !duplicated(numbers)
  hyper <- model$posterior$hyper[first, seq_along(model$units), drop = FALSE]
  hyper <- sweep(hyper, 2L, model$units, `*`)
  colnames(hyper) <- hyper_names(model)
  weight <- if (predictive) predictive_weights(model) else model$posterior$weight
  nodes <- data.frame(
    weight = sum_by_node(weight, numbers)[first],
    log_marginal = model$posterior$log_marginal[first],
    log_prior = model$posterior$log_prior[first],
    hyper,
    check.names = FALSE
  )
  if (predictive) nodes[nodes$weight != 0, , drop = FALSE] else nodes
}

#' Log posterior density of the hyperparameters
#'
#' `log_posterior()` evaluates the unnormalised log posterior, which is the log marginal likelihood
#' plus the log prior, at any values of the hyperparameters. With it you can check a fit by a
#' sampler or an optimiser of your own.
#'
#' @param fit A fit by [btg()] of one model: see [select_models()] for those of an average.
#' @param hyper A data frame or a matrix with one row for each point and columns named as in
#'   [nodes()], in the same units. Other columns, such as `weight`, are ignored, and columns of
#'   fixed hyperparameters may be left out.
#' @return A numeric vector with one value for each row of `hyper`: the log density up to a
#'   constant, with respect to the logarithms of the positive hyperparameters and to the others as
#'   they are. It is `-Inf` outside the support of the prior, and where the likelihood cannot be
#'   evaluated.
#' @seealso [nodes()], [logLik.wgp()]
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "softplus")
#' at <- nodes(fit)[1, ]
#' log_posterior(fit, at)
#' at$noise <- 2 * at$noise
#' log_posterior(fit, at)
#' @export
log_posterior <- function(fit, hyper) {
  check_fit(fit)
  check_averaged(fit, "Use `logLik(fit, hyper = )` for the log likelihood.")
  if (is_average(fit)) {
    abort_btg(c("An average of models has no hyperparameters of its own.",
                i = paste0("Use one of its models: `select_models(fit, \"", names(fit$models)[1L],
                           "\")`.")),
              "average")
  }
  model_log_posterior(fit$models[[1L]], fit$design, hyper)
}

model_log_posterior <- function(model, design, hyper) {
  internal <- internal_hyper(model, hyper)
  evaluate_valid(model, internal, function(valid) {
    core <- evaluate_model(build_models(design, list(model)), valid)
    # A point outside the prior has no density, whatever its likelihood.
    ifelse(core$log_prior == -Inf, -Inf, core$log_marginal + core$log_prior)
  })
}

# Applies `evaluate` to rows of finite hyperparameters in the core's units whose positive ones are
# positive. Other rows give -Inf. Noise fixed at zero is valid.
evaluate_valid <- function(model, internal, evaluate) {
  result <- rep(-Inf, nrow(internal))
  positive <- vapply(model$problem$hyperparameters, function(h) h$positive && !is_fixed(h), NA)
  valid <- rowSums(internal[, positive, drop = FALSE] <= 0) == 0 &
    rowSums(is.infinite(internal)) == 0
  if (any(valid)) result[valid] <- evaluate(internal[valid, , drop = FALSE])
  result
}

# Returns the user's hyperparameters as the core's matrix: all columns, in order, in its units.
internal_hyper <- function(model, hyper) {
  if (!is.data.frame(hyper) && !(is.matrix(hyper) && is.numeric(hyper))) {
    abort_argument("hyper", "must be a data frame or a matrix with named columns", hyper)
  }
  names <- hyper_names(model)
  fixed <- lapply(Filter(is_fixed, model$problem$hyperparameters), function(h) h$prior)
  missing <- setdiff(names, c(colnames(hyper), names(fixed)))
  if (length(missing) > 0L) {
    abort_btg(c("`hyper` lacks hyperparameters of the fit.",
                x = paste0("Missing: ", list_names(missing), ".")), "hyper")
  }
  given <- as.list(as.data.frame(hyper))[intersect(names, colnames(hyper))]
  numeric <- vapply(given, is.numeric, NA)
  if (!all(numeric)) {
    abort_btg(c("`hyper` must be numeric.",
                x = paste0("Not numeric: ", list_names(names(given)[!numeric]), ".")),
              "hyper")
  }
  units <- model$units
  internal <- matrix(0, nrow(hyper), length(names), dimnames = list(NULL, names))
  for (name in names) {
    internal[, name] <- if (is.null(given[[name]])) fixed[[name]] else given[[name]] / units[[name]]
  }
  if (anyNA(internal)) {
    abort_btg("`hyper` has missing values.", "hyper")
  }
  moved <- vapply(names(fixed), function(name) {
    any(abs(internal[, name] - fixed[[name]]) > 1e-12 * abs(fixed[[name]]))
  }, NA)
  if (any(moved)) {
    abort_btg(c("`hyper` changes hyperparameters that the fit holds fixed.",
                x = paste0("Fixed: ", list_names(names(fixed)[moved]), ".")), "hyper")
  }
  internal
}
