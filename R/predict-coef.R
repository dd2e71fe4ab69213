#' Coefficients of the trend, and intervals of all parameters
#'
#' `coef()` and `vcov()` return the posterior means of the coefficients of the trend and their
#' covariance, `confint()` returns credible intervals of the coefficients and of the
#' hyperparameters, and `sigma()` returns the standard deviation of the noise. For fits by [wgp()]
#' see [confint.wgp()].
#'
#' @section The scale of the coefficients:
#' Coefficients belong to the transformed response \eqn{g(y)}, and each node of the fit has its own
#' transform. To make them comparable, \eqn{g(y)} of each node is shifted and stretched to the mean
#' and the standard deviation of the response at the data. Coefficients are then roughly in units of
#' the response, and exactly so with `transform = "identity"`. If the trend has no constant, \eqn{g}
#' cannot be shifted: it is \eqn{g((y - center) / scale)} with `fit$scaling$y`, times a factor.
#'
#' To see what a variable does to the response itself, compare predictions or use [plot.btg()]. The
#' Gaussian process explains part of every effect, so a coefficient only describes what remains at
#' distances beyond the lengthscales.
#'
#' @param object A fit by [btg()].
#' @param parm Names or numbers of the rows to return; all by default.
#' @param level The probability of the intervals.
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used.
#' @return `coef()` and `vcov()` average over the nodes of all models. Given a node, coefficients
#'   have a multivariate t distribution.
#'
#'   `confint()` returns a matrix with one row for each coefficient and each free hyperparameter,
#'   and columns for the ends of equal-tailed intervals. Intervals of hyperparameters are in the
#'   units of [nodes()], and are quantiles of the weighted nodes: the fewer the nodes, the coarser
#'   they are. In an average of models, they are for the models that have the hyperparameter.
#'
#'   `sigma()` returns the posterior median of the standard deviation of the noise. If the noise
#'   varies, it is that at the mean of the columns of its model. On the scale of the response, noise
#'   has a single standard deviation only without a transform; see
#'   `predict(interval = "prediction")`.
#' @seealso [summary.btg()], [nodes()], [predict.btg()]
#' @examples
#' fit <- btg(dist ~ speed, data = cars, trend = ~ speed, transform = "sinharcsinh")
#' coef(fit)
#' sqrt(diag(vcov(fit)))
#' confint(fit)
#' confint(fit, "speed", level = 0.5)
#' @name coef.btg
NULL

#' @rdname coef.btg
#' @export
coef.btg <- function(object, threads = getOption("btg.threads", 1), ...) {
  check_fit(object)
  posterior <- trend_posterior(object, threads)
  colSums(posterior$weight * posterior$location)
}

#' @rdname coef.btg
#' @export
vcov.btg <- function(object, threads = getOption("btg.threads", 1), ...) {
  check_fit(object)
  posterior <- trend_posterior(object, threads)
  posterior$unit^2 * trend_covariance(posterior)
}

# Returns the covariance of the coefficients in units of `posterior$unit`, whose square can be
# beyond the range of numbers.
trend_covariance <- function(posterior) {
  names <- colnames(posterior$location)
  within <- colSums(posterior$weight * posterior$squared_scale) * variance_factor(posterior$df)
  mean <- colSums(posterior$weight * posterior$location)
  deviation <- sweep(posterior$location, 2L, mean) / posterior$unit
  between <- crossprod(deviation, posterior$weight * deviation)
  matrix(within, length(names), dimnames = list(names, names)) + between
}

#' @rdname coef.btg
#' @export
confint.btg <- function(object, parm, level = 0.95, threads = getOption("btg.threads", 1), ...) {
  check_fit(object)
  check_dots(..., valid = c("parm", "level", "threads"))
  check_level(level)
  p <- c((1 - level) / 2, (1 + level) / 2)
  intervals <- rbind(trend_quantiles(trend_posterior(object, threads), p),
                     hyper_quantiles(object, p))
  colnames(intervals) <- interval_names(p)
  choose_parameters(intervals, parm)
}

#' @rdname coef.btg
#' @export
sigma.btg <- function(object, ...) {
  check_fit(object)
  check_dots(...)
  each <- lapply(kept_models(object), function(model) {
    hyper <- predictive_nodes(model)$hyper
    core <- node_trends(model, object$design)
    noise <- hyper[, match("noise", hyper_names(model))] + model$noise_floor
    shared_units(model, hyper = hyper)$scale * sqrt(as.vector(core$variance) * noise)
  })
  weight <- pmax(node_weights(object), 0)
  weighted_quantile(unlist(each, use.names = FALSE), weight / sum(weight), 0.5)
}

interval_names <- function(p) paste0(vapply(100 * p, format, "", digits = 3), "%")

# Selects rows of a matrix of intervals by the `parm` of confint().
choose_parameters <- function(intervals, parm) {
  if (missing(parm)) {
    return(intervals)
  }
  known <- if (is.character(parm)) rownames(intervals) else seq_len(nrow(intervals))
  if (!all(parm %in% known)) {
    abort_btg(c("`parm` must name parameters of the fit.",
                x = paste0("Unknown: ", list_names(setdiff(parm, known)), "."),
                i = paste0("It has ", list_names(rownames(intervals), most = Inf), ".")),
              "argument")
  }
  intervals[parm, , drop = FALSE]
}

# Returns the posterior of the coefficients, a mixture of multivariate t distributions over the
# nodes of predictions, on the scale that nodes share (predict-transformed.R). It holds `weight`,
# `df`, and one row per node of `location` and `squared_scale`, the matrix by columns, which is in
# units of `unit`.
trend_posterior <- function(fit, threads) {
  check_count(threads)
  M <- fit$design$trend
  shift <- spans_constant(M)
  constant <- if (shift) qr.solve(M, rep(1, nrow(M))) else 0
  each <- lapply(kept_models(fit), function(model) {
    hyper <- predictive_nodes(model)$hyper
    core <- node_trends(model, fit$design, threads = threads)
    units <- shared_units(model, shift, hyper)
    list(location = units$scale * core$coefficients + units$location %o% constant,
         scale = units$scale, covariance = core$covariance)
  })
  stack <- function(part) do.call(rbind, lapply(each, function(one) one[[part]]))
  location <- matrix(stack("location"), ncol = ncol(M), dimnames = list(NULL, colnames(M)))
  scale <- unlist(lapply(each, `[[`, "scale"))
  unit <- max(abs(scale))
  list(location = location, squared_scale = (scale / unit)^2 * stack("covariance"), unit = unit,
       weight = node_weights(fit), df = degrees_of_freedom(fit$models[[1L]]$problem, fit$design))
}

# Returns the variance of a t distribution with scale 1.
variance_factor <- function(df) {
  if (is.infinite(df)) 1 else if (df > 2) df / (df - 2) else Inf
}

# Returns quantiles of the coefficients, one row per coefficient and one column per probability.
trend_quantiles <- function(posterior, p) {
  size <- ncol(posterior$location)
  variances <- posterior$squared_scale[, seq(1L, size^2, by = size + 1L), drop = FALSE]
  t_mixture_quantiles(posterior$weight, posterior$df, posterior$location,
                      posterior$unit * sqrt(variances), p)
}

# Returns quantiles of mixtures of t, one row per column of `location` and `scale`, which have one
# row per node. The core computes them like quantiles of predictions without a transform.
t_mixture_quantiles <- function(weight, df, location, scale, p) {
  nodes <- list(list(transform = "identity", lambda = matrix(0, 0L, length(weight)), shift = 0,
                     scale = 1))
  options <- c(list(tolerance = 1e-10, bound = "auto", weight_variances = numeric()),
               response_ends(list()))
  core <- check_core(core_mixture(df, nodes, weight, location, scale, list(quantile = rbind(p)),
                                  options))
  matrix(core$answers$quantile$value, ncol(location), dimnames = list(colnames(location), NULL))
}

# Returns the same table for the hyperparameters in the user's units.
hyper_quantiles <- function(fit, p) {
  node_quantiles(nodes(fit), free_hyperparameters(fit), p)
}

# Returns one row per hyperparameter. Nodes of models without it are left out.
node_quantiles <- function(nodes, names, p) {
  quantiles <- vapply(names, function(name) {
    known <- !is.na(nodes[[name]])
    weight <- nodes$weight[known]
    weighted_quantile(nodes[[name]][known], weight / sum(weight), p)
  }, p)
  matrix(quantiles, length(names), length(p), byrow = TRUE, dimnames = list(names, NULL))
}
