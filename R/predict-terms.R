# Predicts single covariance terms, on the transformed scale that nodes share
# (predict-transformed.R).

# Returns what term_laws() needs.
open_terms <- function(fit, threads) {
  fit <- with_all_candidates(fit)
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

# Returns the posterior mean and standard deviation at each point. Centring first and scaling by the
# largest value avoid cancellation, where the mean is far from zero, and overflow.
term_moments <- function(opened, law) {
  weight <- opened$weight
  mean <- colSums(weight * law$location)
  deviation <- sweep(law$location, 2L, mean)
  unit <- max(abs(deviation), law$scale, .Machine$double.xmin)
  variance <- colSums(weight * (variance_factor(opened$df) * (law$scale / unit)^2 +
                                  (deviation / unit)^2))
  list(mean = mean, sd = unit * sqrt(pmax(variance, 0)))
}

# The data cannot tell the level of a process over all groups from that of the trend.
is_centred <- function(term) term$base == "stationary" && !isTRUE(term$group > 0L)

# The levels of processes are their means over at most this number of rows of the fit.
most_level_rows <- 100L
rows_with_level <- 200L

# Returns the law of a term, and if it is centred that of the term less its level.
centred_laws <- function(opened, fit, points, term) {
  if (!is_centred(term)) {
    return(term_laws(opened, points, term$name))
  }
  base <- select_points(fit_points(fit), scattered_rows(row_count(fit), most_level_rows))
  rows <- seq_along(points$complete)
  parts <- split(rows, (rows - 1L) %/% rows_with_level)
  laws <- lapply(parts, function(part) {
    all <- join_points(base, select_points(points, part))
    all$trend[] <- 0
    law <- law_without_level(opened, all, term$name, seq_along(base$complete))
    lapply(law, function(x) x[, -seq_along(base$complete), drop = FALSE])
  })
  join <- function(name) {
    do.call(cbind, c(list(matrix(0, length(opened$weight), 0L)), lapply(unname(laws), `[[`, name)))
  }
  list(location = join("location"), scale = join("scale"))
}

join_points <- function(a, b) {
  both <- function(part) rbind(a[[part]], b[[part]])
  new_points(both("inputs"), both("trend"), both("noise"),
             c(a$relative_noise, b$relative_noise), c(a$complete, b$complete), c(a$names, b$names))
}

# Returns the law of a term at `points` less its mean over those numbered `base`.
law_without_level <- function(opened, points, term, base) {
  combinations <- diag(length(points$complete))
  combinations[, base] <- combinations[, base] - 1 / length(base)
  law_of_combinations(opened, points, term, combinations)
}

# Returns the law of linear combinations, one per row of `combinations`, of the terms and the trend
# at `points`. For one node, draws with unit vectors as their normals are the columns of a factor of
# the correlation of the points.
law_of_combinations <- function(opened, points, terms, combinations) {
  law <- term_laws(opened, points, terms, trend = TRUE)
  n <- length(points$complete)
  at <- core_points(with_terms(points, terms), seq_len(n), FALSE)
  scale <- lapply(seq_along(opened$weight), function(node) {
    plan <- list(node = rep(node, n), normals = diag(n), chi_square = rep(1, n),
                 known = matrix(0, 0L, n), noise = matrix(0, 0L, 0L))
    drawn <- check_core(core_draw(opened$ensemble, at, plan, core_run(opened$threads)))
    sqrt(rowSums((combinations %*% (law$scale[node, ] * drawn$deviations))^2))
  })
  list(location = tcrossprod(law$location, combinations), scale = do.call(rbind, scale))
}

# Answers predict(type = "terms"). A constant trend is an attribute, as in stats::predict.lm(); any
# other is a column. Both have the levels of the processes.
predicted_terms <- function(fit, points, se.fit, threads) {
  known <- fit_terms(fit)
  terms <- if (is.null(fit$chosen_terms)) names(known) else fit$chosen_terms
  rows <- which(points$complete)
  complete <- select_points(points, rows)
  opened <- open_terms(fit, threads)
  found <- lapply(known[terms], function(term) {
    term_moments(opened, centred_laws(opened, fit, complete, term))
  })
  levels <- terms[vapply(known[terms], is_centred, NA)]
  trend <- term_moments(opened, trend_law(opened, fit, complete, levels))
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

# Returns the law of the trend with the levels of the named terms. Points are rows of the fit,
# without their trend, and copies of the first that have a trend of 1 in one column each: the
# coefficient of the column is the difference of such a copy and the first row.
trend_law <- function(opened, fit, points, terms) {
  if (length(terms) == 0L) {
    return(term_laws(opened, points, character(), trend = TRUE))
  }
  base <- select_points(fit_points(fit), scattered_rows(row_count(fit), most_level_rows))
  base$trend[] <- 0
  n <- length(base$complete)
  p <- ncol(base$trend)
  all <- join_points(base, select_points(base, rep(1L, p)))
  all$trend[n + seq_len(p), ] <- diag(p)
  M <- points$trend
  combinations <- cbind(matrix(1 / n, nrow(M), n), M)
  combinations[, 1L] <- combinations[, 1L] - rowSums(M)
  # Each point has the shift of the shared scale, and their weights need not sum to 1.
  law <- law_of_combinations(opened, all, terms, combinations)
  law$location <- law$location + outer(opened$location, 1 - rowSums(combinations))
  law
}

#' Effects of groups
#'
#' `group_effects()` returns the effects of the groups in `(1 | group)` and `(x | group)`, also
#' known as random effects, with their uncertainty. `ranef()` returns them in the form of nlme and
#' lme4.
#'
#' Effects are on the transformed scale of [coef.btg()]: in units of the response with
#' `transform = "identity"`, and roughly so otherwise. For effects on the response itself, compare
#' predictions for two groups, or with and without the term by `exclude` in [predict.btg()].
#'
#' Slopes are per unit of the variable, or of the warped variable if [btg()] warps it. They turn at
#' the mean of the variable, which is where the effects of `(1 | group)` are measured.
#'
#' @param fit,object A fit by [btg()] or [wgp()].
#' @param level The probability of the intervals.
#' @param threads How many threads to use.
#' @param ... Not used.
#' @return `group_effects()` returns a data frame with one row for each term and group: `term`,
#'   `group`, the posterior mean `effect`, its standard deviation `sd`, and the ends `lwr` and `upr`
#'   of an equal-tailed interval.
#'
#'   `ranef()` returns a list with one data frame for each grouping factor, whose rows are the
#'   groups and whose columns are the effects.
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

# Names an effect of groups as lme4 does.
effect_name <- function(term) if (term$base == "constant") "(Intercept)" else term$variables

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
    names(columns) <- vapply(terms[own], effect_name, "")
    data.frame(columns, row.names = effects$group[effects$term == own[1L]], check.names = FALSE)
  })
}
