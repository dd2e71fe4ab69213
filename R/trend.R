#' The trend's coefficients and the intervals of all parameters
#'
#' The posterior of the coefficients of the trend, and of the hyperparameters, of a fit by [btg()].
#' For a fit by [wgp()] see [confint.wgp()].
#'
#' @section The scale of the coefficients:
#' They are coefficients of the transformed response, \eqn{g(y)} in [btg()], which differs from node
#' to node. As a transform followed by a shift and a factor is the same model, each node's is
#' shifted and multiplied so that its values at the data have the mean and the standard deviation
#' of the response. Coefficients are then roughly in units of the response; without a transform
#' (`transform = "identity"`) they are exactly that. A trend without a constant cannot be shifted:
#' there, \eqn{g((y - center) / scale)}, with `fit$scaling$y`, is only multiplied.
#'
#' To say what a variable does to the response itself, compare predictions: see [plot.btg()].
#' The Gaussian process takes part of every effect, so that a coefficient is what is left of it
#' beyond the range of the lengthscales.
#'
#' @param object A fit by [btg()].
#' @param parm Names or numbers of the rows to return; all by default.
#' @param level The probability of the intervals.
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used.
#' @return `coef()` gives the posterior means of the coefficients, and `vcov()` their posterior
#'   covariance: averages over the nodes of all models that predictions use, given each of which
#'   coefficients have a multivariate t distribution.
#'
#'   `confint()` is a matrix with a row for each coefficient and each free hyperparameter, and
#'   columns for the ends of the equal-tailed credible intervals. Intervals of hyperparameters are
#'   in the units of [nodes()]; if the fit averages over models, they are of the models that have
#'   the hyperparameter. They are quantiles of the weighted nodes, and as coarse as these are few.
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
coef.btg <- function(object, threads = 1, ...) {
  posterior <- trend_posterior(object, threads, quote(coef()))
  colSums(posterior$weight * posterior$location)
}

#' @rdname coef.btg
#' @export
vcov.btg <- function(object, threads = 1, ...) {
  posterior <- trend_posterior(object, threads, quote(vcov()))
  names <- colnames(posterior$location)
  df <- posterior$df
  within <- colSums(posterior$weight * posterior$squared_scale) * if (df > 2) df / (df - 2) else Inf
  deviation <- sweep(posterior$location, 2L, colSums(posterior$weight * posterior$location))
  between <- crossprod(deviation, posterior$weight * deviation)
  matrix(within, length(names), dimnames = list(names, names)) + between
}

#' @rdname coef.btg
#' @export
confint.btg <- function(object, parm, level = 0.95, threads = 1, ...) {
  call <- quote(confint())
  check_dots(..., valid = c("parm", "level", "threads"), call = call)
  check_level(level, call = call)
  p <- c((1 - level) / 2, (1 + level) / 2)
  intervals <- rbind(trend_quantiles(trend_posterior(object, threads, call), p),
                     hyper_quantiles(object, p))
  colnames(intervals) <- interval_names(p)
  choose_parameters(intervals, parm, call)
}

interval_names <- function(p) paste0(vapply(100 * p, format, "", digits = 3), "%")

# Rows of a matrix of intervals, as confint() takes them.
choose_parameters <- function(intervals, parm, call) {
  if (missing(parm)) {
    return(intervals)
  }
  known <- if (is.character(parm)) rownames(intervals) else seq_len(nrow(intervals))
  if (!all(parm %in% known)) {
    abort_btg(c("`parm` must name parameters of the fit.",
                x = paste0("Unknown: ", list_names(setdiff(parm, known)), "."),
                i = paste0("It has ", list_names(rownames(intervals), most = Inf), ".")),
              "argument", call)
  }
  intervals[parm, , drop = FALSE]
}

# A mixture of multivariate t distributions of the coefficients, on the scale that nodes share
# (transformed.R), over the nodes that predictions use: `weight` and `df`, and a row a node of
# `location` and of `squared_scale`, the matrix by columns.
trend_posterior <- function(fit, threads, call) {
  check_count(threads, call = call)
  first <- members(fit)[[1L]]$problem
  shift <- spans_constant(first$trend)
  constant <- if (shift) qr.solve(first$trend, rep(1, nrow(first$trend))) else 0
  each <- lapply(members(fit), function(model) {
    hyper <- predictive_nodes(model)$hyper
    core <- check_core(core_trend(runnable(model$problem, threads), hyper), call)
    units <- shared_units(model, shift, hyper)
    list(location = units$scale * core$coefficients + units$location %o% constant,
         squared_scale = units$scale^2 * core$covariance)
  })
  stack <- function(part) do.call(rbind, lapply(each, function(one) one[[part]]))
  location <- matrix(stack("location"), ncol = ncol(first$trend),
                     dimnames = list(NULL, colnames(first$trend)))
  list(location = location, squared_scale = stack("squared_scale"), weight = node_weights(fit),
       df = degrees_of_freedom(first))
}

# A row for each coefficient, a column for each probability.
trend_quantiles <- function(posterior, p) {
  size <- ncol(posterior$location)
  variances <- posterior$squared_scale[, seq(1L, size^2, by = size + 1L), drop = FALSE]
  quantiles <- vapply(seq_len(size), function(j) {
    vapply(p, t_mixture_quantile, 0, location = posterior$location[, j],
           scale = sqrt(variances[, j]), weight = posterior$weight, df = posterior$df)
  }, p)
  matrix(quantiles, size, byrow = TRUE, dimnames = list(colnames(posterior$location), NULL))
}

# With signed weights the bracket is that of the positive ones, p moved by the mass of the others.
t_mixture_quantile <- function(p, location, scale, weight, df) {
  negative <- -sum(pmin(weight, 0))
  ends <- location + outer(scale, stats::qt(c(p, p + negative) / (1 + negative), df))
  ends <- range(ends[weight > 0, ])
  if (ends[2L] - ends[1L] <= 1e-12 * max(abs(ends))) {
    return(mean(ends))
  }
  excess <- function(x) sum(weight * stats::pt((x - location) / scale, df)) - p
  ends <- ends + c(-1e-6, 1e-6) * diff(ends)
  stats::uniroot(excess, ends, tol = 1e-10 * diff(ends), maxiter = 1000)$root
}

# Names of the hyperparameters that a member of the fit does not hold fixed.
free_hyperparameters <- function(fit) {
  unique(unlist(lapply(members(fit), function(model) {
    names(Filter(function(h) !is.numeric(h$prior), model$problem$hyperparameters))
  })))
}

# As trend_quantiles(), of the hyperparameters in the user's units.
hyper_quantiles <- function(fit, p) {
  nodes <- nodes(fit)
  names <- free_hyperparameters(fit)
  quantiles <- vapply(names, function(name) {
    known <- !is.na(nodes[[name]])
    weight <- nodes$weight[known]
    weighted_quantile(nodes[[name]][known], weight / sum(weight), p)
  }, p)
  matrix(quantiles, length(names), length(p), byrow = TRUE, dimnames = list(names, NULL))
}
