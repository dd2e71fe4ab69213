# Predicts single covariance terms, on the transformed scale that nodes share (predict-transformed.R).

# Returns what term_laws() needs. Nodes that predict like all nodes together need not do so term by
# term, so that all candidates are used.
open_terms <- function(fit, threads) {
  fit$models <- lapply(fit$models, function(model) {
    model$posterior["predictive"] <- list(NULL)
    model$posterior["variance"] <- list(NULL)
    model
  })
  ensemble <- fit_ensemble(fit)
  units <- Map(function(model, member) shared_units(model, hyper = member$hyper),
               unname(ensemble$models), ensemble$members)
  part <- function(name) unlist(lapply(units, `[[`, name))
  list(ensemble = open_ensemble(ensemble, new_run(threads))$ensemble, weight = ensemble$weight,
       df = degrees_of_freedom(ensemble$models[[1L]]$problem, ensemble$design),
       location = part("location"), scale = part("scale"), threads = threads)
}

# Returns the location and scale of the t distributions of the named terms, without the trend, or
# of the trend alone: nodes x points.
term_laws <- function(opened, points, terms, trend = FALSE) {
  points <- with_terms(points, terms)
  if (!trend) points$trend[] <- 0
  latent <- check_core(core_latent(opened$ensemble,
                                   core_points(points, seq_along(points$complete), FALSE),
                                   core_run(opened$threads)))
  list(location = opened$scale * latent$location + if (trend) opened$location else 0,
       scale = opened$scale * latent$scale)
}

# Returns the posterior mean and standard deviation at each point.
term_moments <- function(opened, law) {
  weight <- opened$weight
  inflated <- if (is.infinite(opened$df)) 1 else opened$df / (opened$df - 2)
  mean <- colSums(weight * law$location)
  second <- colSums(weight * (inflated * law$scale^2 + law$location^2))
  list(mean = mean, sd = sqrt(pmax(second - mean^2, 0)))
}

# Answers predict(type = "terms"). A constant trend is an attribute, as in stats::predict.lm(); any
# other is a column.
predicted_terms <- function(fit, points, terms, se.fit, threads) {
  if (is.null(terms)) terms <- names(fit_terms(fit))
  rows <- which(points$complete)
  complete <- select_points(points, rows)
  opened <- open_terms(fit, threads)
  found <- lapply(stats::setNames(nm = terms), function(term) {
    term_moments(opened, term_laws(opened, complete, term))
  })
  trend <- term_moments(opened, term_laws(opened, complete, character(), trend = TRUE))
  constant <- identical(colnames(fit$design$trend), "(Intercept)")
  if (!constant) found$trend <- trend
  part <- function(name) {
    values <- matrix(NA_real_, length(points$complete), length(found),
                     dimnames = list(points$names, names(found)))
    for (term in names(found)) values[rows, term] <- found[[term]][[name]]
    pad_left_out(values, points)
  }
  mean <- part("mean")
  if (constant) attr(mean, "constant") <- c(trend$mean, NA)[1L]
  if (se.fit) list(fit = mean, se.fit = part("sd")) else mean
}

#' Effects of groups
#'
#' Returns the effects of the groups that a formula lists as `(1 | group)` or `(x | group)`, known
#' as random effects, with their uncertainty: averages over all nodes of the fit.
#'
#' Effects are on the transformed scale, as the coefficients of [coef.btg()] are: with
#' `transform = "identity"` in units of the response, otherwise roughly so. For effects on the
#' response compare predictions for two groups, or with `exclude` in [predict.btg()] for none.
#' Slopes are those by the variable in its own units, or of the warped variable if [btg()] warps
#' it. They turn at the mean of the variable, where effects of `(1 | group)` are measured.
#'
#' @param fit,object A fit by [btg()] or [wgp()].
#' @param level The probability of the intervals.
#' @param threads How many threads to use.
#' @param ... Not used.
#' @return `group_effects()`: a data frame with one row for each term and group: `term`, `group`,
#'   the posterior mean `effect`, its standard deviation `sd`, and the ends `lwr` and `upr` of an
#'   equal-tailed interval.
#'
#'   `ranef()`, the generic of nlme and lme4: a list with one data frame for each grouping factor, its
#'   rows the groups and its columns the effects.
#' @seealso [btg-terms], [variance_shares()]
#' @examples
#' d <- transform(ChickWeight, Chick = as.character(Chick))
#' d <- d[d$Time %in% c(0, 10, 20), ]
#' fit <- btg(weight ~ Time + (1 | Chick), d, transform = "softplus")
#' head(group_effects(fit))
#' @export
group_effects <- function(fit, level = 0.95, threads = getOption("btg.threads", 1)) {
  check_fit(fit)
  check_level(level)
  check_count(threads)
  terms <- Filter(is_group_effect, fit_terms(fit))
  if (length(terms) == 0L) {
    abort_btg(c("The fit has no effects of groups.",
                i = "Add them to the formula, as in `y ~ x + (1 | group)`."), "term")
  }
  opened <- open_terms(fit, threads)
  each <- lapply(unname(terms), function(term) {
    at <- group_points(fit, term)
    law <- term_laws(opened, at$points, term$name)
    moments <- term_moments(opened, law)
    ends <- t_mixture_quantiles(opened$weight, opened$df, law$location, law$scale,
                                c((1 - level) / 2, (1 + level) / 2))
    data.frame(term = term$name, group = at$points$names, effect = moments$mean / at$unit,
               sd = moments$sd / at$unit, lwr = ends[, 1L] / at$unit, upr = ends[, 2L] / at$unit)
  })
  do.call(rbind, each)
}

is_group_effect <- function(term) {
  isTRUE(term$group > 0L) &&
    (term$base == "constant" || term$base == "linear" && length(term$columns) == 1L)
}

# Returns a point for each group, where a slope has its effect at one scaled unit of the variable,
# and the size of this `unit`.
group_points <- function(fit, term) {
  groups <- levels(fit$blueprint$prototypes[[term$by]])
  n <- length(groups)
  inputs <- fit$design$inputs[rep(1L, n), , drop = FALSE]
  inputs[, term$group] <- seq_len(n)
  inputs[, term$columns] <- 1
  repeated <- function(x) if (!is.null(x)) x[rep(1L, n), , drop = FALSE]
  list(points = new_points(inputs, repeated(fit$design$trend), repeated(fit$design$noise),
                           rep(0, n), rep(TRUE, n), groups),
       unit = if (term$base == "linear") fit$scaling$x$scale[[term$columns]] else 1)
}

#' @rdname group_effects
#' @exportS3Method nlme::ranef
ranef.btg <- function(object, ...) {
  check_dots(...)
  effects <- group_effects(object)
  terms <- fit_terms(object)[unique(effects$term)]
  groups <- vapply(terms, function(term) group_label(term$by), "")
  lapply(split(names(terms), factor(groups, unique(groups))), function(own) {
    columns <- lapply(own, function(name) effects$effect[effects$term == name])
    names(columns) <- vapply(terms[own], function(term) {
      if (term$base == "constant") "(Intercept)" else term$variables
    }, "")
    data.frame(columns, row.names = effects$group[effects$term == own[1L]], check.names = FALSE)
  })
}
