#' Summarise a fit
#'
#' `summary()` shows the posterior of each hyperparameter beside the span of the data, how much each
#' input matters, the coefficients of the trend, and how accurate the numerical integral is.
#'
#' @param object A fit by [btg()].
#' @param models For an average of models, the models to print: `"main"` for the one of largest
#'   weight, `"all"` for each. The result holds all of them either way.
#' @param ... Not used.
#' @return A list of class `summary.btg`. For one model it has the components
#'   * `header`: lines that describe the model;
#'   * `hyperparameters`: a data frame with the posterior `mean`, `sd` and the 2.5%, 50% and 97.5%
#'     quantiles of each free hyperparameter, in the units of [nodes()]; `sd` and limits are `NA` if
#'     there is only one node;
#'   * `fixed`: the values of the other hyperparameters;
#'   * `importance`: for each input, the share of the variance of the predicted median over the
#'     range of the data that is due to it and its interactions: see [sensitivity()];
#'   * `noise_effects`, if the noise varies: the factor by which its standard deviation changes per
#'     standard deviation of each column of its model, as medians and 95% intervals;
#'   * `noise_floor`: the least `noise` of the model (see [btg_prior()]), and the posterior `share`
#'     of nodes whose own noise is below it;
#'   * `warped`: the names of lengthscales in units of a warped input (see [btg-inputs]), which
#'     `print()` marks;
#'   * `display_units`, for inputs that are times: the `unit` in which `print()` shows the
#'     lengthscale, and how many units of [nodes()] it is (`per`);
#'   * `anisotropy`: the directions of [rotated()] inputs, as [anisotropy()] returns them;
#'   * `scaling`: the name of the `response`, the `center` and `scale` by which it was scaled, and
#'     `lower`, below which no prediction goes, if there is such a limit;
#'   * `standard_error`: the standard errors, from the quadrature, of medians and of ends of 95%
#'     intervals at up to 20 points between rows of the data, as shares of the predictive standard
#'     deviation: the `mean` and the `max` of each;
#'   * `approximation`, if the covariance is approximated: the errors that [vecchia()] describes;
#'   * `quadrature`: see below.
#'
#'   For an average of models, it has instead `models`, a data frame with the `weight`, the
#'   `log_evidence` and the left-out `elpd` of each model; `averaging`, how the weights were found;
#'   `measures`, a note if responses are at a bound (then `elpd` counts probabilities and
#'   `log_evidence` densities, so the two need not agree); `summaries`, a list with the components
#'   above for each model that has weight; and `quadrature`, with the counts of all models together
#'   and the `log_evidence` of the average, in which models have the same prior probability.
#'
#' @section Quadrature:
#' The component `quadrature`, which is also `fit$quadrature`, holds
#'   * `rule` and `epsilon`, as asked for;
#'   * `log_evidence`, the log marginal likelihood of the model up to a constant that depends on the
#'     trend, and its standard error `log_evidence_error`;
#'   * `k_hat`, the shape of the tail of the importance weights; above 0.7 it is a sign of trouble;
#'   * `effective_nodes`, one over the sum of the squared weights;
#'   * `likelihoods` and `gradients`, how many were evaluated;
#'   * `nodes_tried`, `nodes_kept`, `nodes_predictive` (used to predict) and `nodes_failed`;
#'   * `dropped_mass`, the posterior mass of nodes that were not kept. With all nodes, the quantile
#'     at `p` would lie between the quantiles at `p - dropped_mass` and `p + dropped_mass`;
#'   * `negative_mass`, the sum of the negative weights of rules with signed weights;
#'   * `boundary_mass`, for each hyperparameter the posterior mass in the outermost 1% of its prior
#'     at either end. If it is large, the prior decides;
#'   * `modes`, a data frame with the hyperparameters, the log posterior and the share of the `mass`
#'     (by Laplace's approximation) of each mode. `mode_points` are their coordinates in the search,
#'     where priors are standard normal, and `mode_precisions` are minus the Hessians there;
#'   * `diagnostics`, numbers that the rule reports, such as its `work` in likelihoods;
#'   * after [refine()], `runs` and `log_evidences`, the number of runs and the result of each.
#'
#' @seealso [nodes()], [sensitivity()], [tidy.btg()] for a data frame, [btg-troubleshooting]
#' @examples
#' fit <- btg(Ozone ~ Temp + Wind, airquality, transform = "softplus")
#' summary(fit)
#' @export
summary.btg <- function(object, models = c("main", "all"), ...) {
  check_fit(object)
  check_dots(..., valid = "models")
  models <- check_choice(models, c("main", "all"), "models")
  summaries <- lapply(kept_models(object), summarise_model, fit = object)
  of_models <- if (is_average(object)) {
    list(models = model_table(object), averaging = object$averaging$method,
         measures = format_measures(object), summaries = summaries, shown = models)
  } else {
    summaries[[1L]]
  }
  structure(
    c(list(header = format_header(object)), of_models,
      list(trend = summarise_trend(object), importance = median_importance(object),
           shares = if (has_special_terms(object)) variance_shares(object),
           anisotropy = anisotropy_table(object),
           standard_error = quadrature_error(object), approximation = object$approximation),
      if (is_average(object)) list(quadrature = object$quadrature)),
    class = "summary.btg"
  )
}

summarise_model <- function(model, fit) {
  nodes <- model_nodes(model)
  free <- free_names(model$problem)
  fixed <- setdiff(hyper_names(model), free)
  rows <- lapply(free, function(name) summarise_weighted(nodes[[name]], nodes$weight))
  medians <- vapply(hyper_names(model), function(name) {
    weighted_quantile(nodes[[name]], nodes$weight, 0.5)
  }, 0)
  list(
    words = model_words(model),
    hyperparameters = as.data.frame(do.call(rbind, stats::setNames(rows, free))),
    fixed = unlist(nodes[1L, fixed, drop = FALSE]),
    span = data_spans(fit),
    display_units = display_units(fit, medians),
    noise_floor = c(noise = model$noise_floor,
                    share = sum(nodes$weight[nodes$noise < model$noise_floor])),
    noise_effects = noise_factors(nodes, colnames(fit$design$noise)[model$problem$noise_columns]),
    warped = warped_lengthscales(fit),
    scaling = summarise_scaling(fit, model),
    quadrature = c(fit$quadrature[c("rule", "epsilon")], model$quadrature)
  )
}

# Returns the range of each numeric input, in the units of its lengthscale and named by it.
data_spans <- function(fit) {
  layout <- fit$blueprint$layout
  units <- fit$lengthscale_units
  vapply(stats::setNames(nm = names(units)), function(name) {
    column <- which(layout$input == sub("lengthscale.", "", name, fixed = TRUE))
    if (length(column) != 1L || column %in% fit$design$levels$column) {
      return(NA_real_)
    }
    diff(range(fit$design$inputs[, column])) * units[[name]]
  }, 0)
}

# Returns means and 95% intervals of the trend's coefficients, or NULL if it is a constant.
summarise_trend <- function(fit) {
  names <- colnames(fit$design$trend)
  if (!identical(names, "(Intercept)")) {
    cbind(mean = stats::coef(fit), stats::confint(fit, names))
  }
}

summarise_scaling <- function(fit, model) c(list(response = fit$response_name), model$scaling)

# Returns the factors by which the standard deviation of the noise changes per standard deviation of
# each column of its model: a matrix of medians and 95% intervals, or NULL.
noise_factors <- function(nodes, columns) {
  if (length(columns) > 0L) {
    factors <- exp(node_quantiles(nodes, paste0("noise.", columns), c(0.5, 0.025, 0.975)) / 2)
    dimnames(factors) <- list(columns, c("50%", "2.5%", "97.5%"))
    factors
  }
}

# A single node shows no spread.
summarise_weighted <- function(x, weight) {
  if (length(x) == 1L) {
    return(c(mean = x, sd = NA, "2.5%" = NA, "50%" = x, "97.5%" = NA))
  }
  mean <- sum(weight * x)
  quantiles <- weighted_quantile(x, weight, c(0.025, 0.5, 0.975))
  variance <- sum(weight * (x - mean)^2) # may be negative, by signed weights
  c(mean = mean, sd = if (variance >= 0) sqrt(variance) else NA,
    "2.5%" = quantiles[1L], "50%" = quantiles[2L], "97.5%" = quantiles[3L])
}
