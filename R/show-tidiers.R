#' Turn fits into tidy data frames
#'
#' `tidy()` lists parameters, `glance()` describes the fit in one row, and `augment()` adds
#' predictions to data. These are the generics of the package generics, which broom and tidymodels
#' also use.
#'
#' @param x A fit by [btg()] or [wgp()], or a result of [loocv()].
#' @param effects What `tidy()` lists, one or several of `"hyperparameters"`; `"trend"`, the
#'   coefficients of [coef()][coef.btg]; and `"ran_vals"`, the effects of groups by
#'   [group_effects()].
#' @param conf.int `TRUE` to add intervals.
#' @param conf.level The probability of intervals.
#' @param data,newdata The rows to predict, as a data frame. The two mean the same. The default is
#'   the data of the fit. With `na.action = na.exclude`, this includes rows that were left out for
#'   missing values, whose predictions are `NA`, as in [fitted()][fitted.btg]. An `sf` of points
#'   stays one.
#' @param interval Which interval: as in [predict.btg()].
#' @param observation `TRUE` to predict new observations, `FALSE` the noise-free process.
#' @param type,probs,at More to predict: one or several types of [predict.btg()], with `probs` for
#'   quantiles and `at` for types that take values of the response.
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used: an unknown argument is an error.
#' @return A tibble, if the package tibble is installed, and otherwise a data frame.
#'
#'   `tidy()` has a row for each parameter: the `effect` it belongs to; the `model`, in averages;
#'   its name, `term`; its posterior median, `estimate`; `std.error`; and the ends of its
#'   equal-tailed interval, `conf.low` and `conf.high`. The `std.error` of a coefficient is its
#'   posterior standard deviation. That of a hyperparameter, whose posterior can have heavy tails,
#'   is half the width of the interval of probability 68.3%, which is the same for a normal
#'   distribution. Effects of groups have the columns of broom.mixed: `group` is the grouping
#'   factor, `level` the group, and `estimate` the posterior mean. For a fit by [wgp()], estimates
#'   and intervals are those of [confint.wgp()], and only coefficients have a `std.error`. For a
#'   result of [loocv()], `tidy()` returns its `estimates`.
#'
#'   `glance()` has one row: `nobs`; `logLik`, the log evidence, and its standard error
#'   `logLik.error`; `models`, the number of models with weight; `nodes` and `effective.nodes`;
#'   `k.hat` (see [summary.btg()]), the largest of the models; and `seconds`. For a fit by [wgp()]:
#'   `nobs`, `logLik`, `df`, `AIC`, `BIC`, `method`, `converged` and `seconds`.
#'
#'   `augment()` has the rows to predict with columns `.fitted`, the median; `.lower` and `.upper`,
#'   the ends of the interval, unless `interval = "none"`; and `.resid`, the response minus the
#'   median, if the response is there. Columns of further types have the names that [predict.btg()]
#'   gives them, after a dot, such as `.exceedance_50`.
#' @seealso [summary.btg()], [nodes()], [predict.btg()]
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' library(generics, include.only = c("tidy", "glance", "augment"))
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' tidy(fit)
#' glance(fit)
#' head(augment(fit))
#' augment(fit, newdata = data.frame(speed = c(5, 15, 25)), type = "exceedance", at = c(20, 50))
#'
#' # Points of the package sf stay points
#' if (requireNamespace("sf", quietly = TRUE)) {
#'   some <- sf::st_as_sf(quakes[seq(1, 1000, by = 25), ], coords = c("long", "lat"))
#'   fit <- btg(depth ~ X + Y, data = some, transform = "identity")
#'   augment(fit, newdata = some[1:3, "mag"])
#' }
#' @name tidy.btg
NULL

#' @rdname tidy.btg
#' @exportS3Method generics::tidy
tidy.btg <- function(x, effects = "hyperparameters", conf.int = TRUE, conf.level = 0.95,
                     threads = getOption("btg.threads", 1), ...) {
  check_fit(x)
  check_dots(..., valid = names(formals(tidy.btg)))
  check_tidy(effects, conf.int, conf.level)
  p <- c(0.5, (1 - conf.level) / 2, (1 + conf.level) / 2)
  rows <- lapply(effects, switch,
                 hyperparameters = tidy_hyperparameters(x, p),
                 trend = tidy_trend(x, p, threads),
                 ran_vals = tidy_groups(x, conf.level, threads))
  as_tidy(finish_tidy(rows, conf.int, is_average(x)))
}

#' @rdname tidy.btg
#' @exportS3Method generics::tidy
tidy.wgp <- function(x, effects = "hyperparameters", conf.int = TRUE, conf.level = 0.95, ...) {
  check_fit(x)
  check_dots(..., valid = names(formals(tidy.wgp)))
  check_tidy(effects, conf.int, conf.level)
  intervals <- stats::confint(x, level = conf.level)
  estimated <- estimate_trend(x)
  beta <- estimated$coefficients
  trend <- data.frame(effect = "trend", model = "", term = names(beta), estimate = beta,
                      std.error = estimated$errors)
  free <- row.names(x$bounds)
  hyper <- data.frame(effect = rep("hyperparameters", length(free)), model = rep("", length(free)),
                      term = free, estimate = as.numeric(nodes(x)[1L, free]),
                      std.error = rep(NA_real_, length(free)))
  rows <- rbind(trend, hyper)
  ends <- intervals[rows$term, , drop = FALSE]
  rows <- data.frame(rows, conf.low = ends[, 1L], conf.high = ends[, 2L])
  rows <- lapply(effects, function(effect) {
    if (effect == "ran_vals") tidy_groups(x, conf.level, 1) else rows[rows$effect == effect, ]
  })
  as_tidy(finish_tidy(rows, conf.int, FALSE))
}

#' @rdname tidy.btg
#' @exportS3Method generics::tidy
tidy.btg_loocv <- function(x, ...) { # nolint: object_name_linter. The generic's name and a class.
  check_loocv(x)
  check_dots(...)
  as_tidy(data.frame(term = row.names(x$estimates), estimate = x$estimates$estimate,
                     std.error = x$estimates$se))
}

check_tidy <- function(effects, conf.int, conf.level) {
  known <- c("hyperparameters", "trend", "ran_vals")
  if (!is.character(effects) || length(effects) == 0L || !all(effects %in% known)) {
    abort_argument("effects", paste("must be any of", list_names(known, "\"")), effects)
  }
  check_flag(conf.int)
  check_level(conf.level)
}

# Both tables hold the quantiles at `p`: the median and the ends of the interval.
tidy_hyperparameters <- function(fit, p) {
  models <- kept_models(fit)
  each <- Map(function(model, name) {
    nodes <- model_nodes(model)
    names <- free_names(model$problem)
    central <- node_quantiles(nodes, names, stats::pnorm(c(-1, 1)))
    sds <- (central[, 2L] - central[, 1L]) / 2
    tidy_table(rep("hyperparameters", length(names)), rep(name, length(names)), names,
               node_quantiles(nodes, names, p), sds)
  }, models, names(models))
  do.call(rbind, each)
}

tidy_trend <- function(fit, p, threads) {
  posterior <- trend_posterior(fit, threads)
  quantiles <- trend_quantiles(posterior, p)
  tidy_table("trend", NA_character_, rownames(quantiles), quantiles,
             posterior$unit * sqrt(diag(trend_covariance(posterior))))
}

tidy_table <- function(effect, model, term, quantiles, sds) {
  data.frame(effect = effect, model = model, term = term, estimate = quantiles[, 1L],
             std.error = sds, conf.low = quantiles[, 2L], conf.high = quantiles[, 3L])
}

tidy_groups <- function(fit, level, threads) {
  found <- group_effects(fit, level, threads)
  terms <- fit_terms(fit)[found$term]
  label <- function(of) vapply(terms, of, "", USE.NAMES = FALSE)
  data.frame(effect = "ran_vals", model = NA_character_,
             group = label(function(term) group_label(term$by)), level = found$group,
             term = label(effect_name), estimate = found$effect, std.error = found$sd,
             conf.low = found$lwr, conf.high = found$upr)
}

# Joins tables of effects. Only those of groups have the columns `group` and `level`.
finish_tidy <- function(tables, conf.int, with_model) {
  columns <- Reduce(function(a, b) if (length(a) > length(b)) a else b, lapply(tables, names))
  rows <- do.call(rbind, lapply(tables, function(table) {
    table[setdiff(columns, names(table))] <- rep(NA_character_, nrow(table))
    table[columns]
  }))
  row.names(rows) <- NULL
  rows[setdiff(names(rows), c(if (!with_model) "model", if (!conf.int) c("conf.low", "conf.high")))]
}

as_tidy <- function(x) {
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(x) else x
}

#' @rdname tidy.btg
#' @exportS3Method generics::glance
glance.btg <- function(x, ...) {
  check_fit(x)
  check_dots(...)
  each <- lapply(kept_models(x), function(model) model$quadrature)
  error <- if (is_average(x)) NA_real_ else x$quadrature$log_evidence_error
  k_hat <- vapply(each, function(one) one$k_hat, 0)
  as_tidy(data.frame(
    nobs = row_count(x), logLik = x$quadrature$log_evidence, logLik.error = error,
    models = length(each), nodes = length(posterior_weights(x)),
    effective.nodes = x$quadrature$effective_nodes,
    k.hat = if (all(is.na(k_hat))) NA_real_ else max(k_hat, na.rm = TRUE), seconds = x$seconds
  ))
}

#' @rdname tidy.btg
#' @exportS3Method generics::glance
glance.wgp <- function(x, ...) {
  check_fit(x)
  check_dots(...)
  log_likelihood <- stats::logLik(x)
  as_tidy(data.frame(
    nobs = row_count(x), logLik = as.vector(log_likelihood), df = attr(log_likelihood, "df"),
    AIC = stats::AIC(log_likelihood), BIC = stats::BIC(log_likelihood), method = x$settings$method,
    converged = x$optimisation$converged[1L], seconds = x$seconds
  ))
}

#' @rdname tidy.btg
#' @exportS3Method generics::augment
augment.btg <- function(x, data = NULL, newdata = NULL,
                        interval = c("credible", "confidence", "prediction", "hdi", "none"),
                        conf.level = 0.95, observation = TRUE, type = "response",
                        probs = c(0.025, 0.5, 0.975), at = NULL,
                        threads = getOption("btg.threads", 1), ...) {
  check_fit(x)
  check_dots(..., valid = names(formals(augment.btg)))
  interval <- check_choice(interval, eval(formals(augment.btg)$interval), "interval")
  check_level(conf.level)
  new <- if (!is.null(newdata)) newdata else data
  if (!is.null(new) && !is.data.frame(new)) {
    abort_argument("newdata", "must be a data frame", new)
  }
  rows <- if (is.null(new)) original_data(x) else new
  arguments <- list(x, threads = threads, type = unique(c("response", type)), at = at)
  if (!missing(probs)) arguments$probs <- probs
  # Intervals for "confidence" and "prediction" imply `observation`.
  own <- interval %in% c("confidence", "prediction")
  if (!own || !missing(observation)) arguments$observation <- observation
  if (!is.null(new)) arguments$newdata <- new
  if (interval != "none") arguments[c("interval", "level")] <- list(interval, conf.level)
  predicted <- do.call(predict, arguments)
  if (is.null(dim(predicted))) predicted <- cbind(fit = predicted)
  predicted <- as.data.frame(predicted)
  rows <- if (inherits(rows, "sf")) rows else as_tidy(rows)
  named <- c(fit = ".fitted", response = ".fitted", lwr = ".lower", upr = ".upper")
  for (column in names(predicted)) {
    own <- if (column %in% names(named)) named[[column]] else paste0(".", column)
    rows[[own]] <- predicted[[column]]
  }
  response <- response_in(x, rows)
  if (!is.null(response)) {
    response <- response_in_unit(response, x$blueprint, x$response_name)
    rows$.resid <- response - rows$.fitted
    rows$.resid[is_censored_in(x, new)] <- NA
  }
  rows
}

# Marks censored rows of new data, or of the fit. If new data lack their limits, all may be
# censored.
is_censored_in <- function(fit, new) {
  if (!is_censored_fit(fit)) {
    return(FALSE)
  }
  if (is.null(new)) {
    return(stats::naresid(fit$na.action, are_intervals(reported_limits(fit))) %in% TRUE)
  }
  tryCatch(are_intervals(observed_limits(fit, new, NULL, NULL, baseenv())) %in% TRUE,
           btg_error = function(e) TRUE)
}

# Returns the response and the variables of the fit in their original form, with the rows left out
# if na.action = na.exclude.
original_data <- function(fit) {
  response <- stats::setNames(list(fit_response(fit)), deparse1(fit$formula[[2L]]))
  rows <- structure(c(response, fit$data), class = "data.frame",
                    row.names = make.unique(fit$row_names))
  if (is.null(fit$excluded)) {
    return(rows)
  }
  all <- rbind(rows, fit$excluded)
  place <- integer(nrow(all))
  place[fit$na.action] <- nrow(rows) + seq_along(fit$na.action)
  place[-fit$na.action] <- seq_len(nrow(rows))
  all[place, , drop = FALSE]
}

# Returns the response in `rows`, from the column of its name or by evaluating the left-hand side,
# or NULL if it is not there.
response_in <- function(fit, rows) {
  response <- fit$formula[[2L]]
  if (deparse1(response) %in% names(rows)) {
    return(rows[[deparse1(response)]])
  }
  if (!all(all.vars(response) %in% names(rows))) {
    return(NULL)
  }
  value <- tryCatch(eval(response, rows, fit$blueprint$environment), error = function(e) NULL)
  if (is.numeric(value) && length(value) == nrow(rows)) value
}
