#' Check predictions by leave-one-out cross-validation
#'
#' `loocv()` predicts every row from all other rows, and scores these predictions: are intervals
#' honest, and how large are errors? Nothing is fitted again, so it takes less time than the fit.
#' Groups of rows can be left out together.
#'
#' @param fit A fit by [btg()] or [wgp()].
#' @param folds What to leave out together:
#'   * `NULL`, the default: each row by itself;
#'   * a factor or vector with one value for each row: the rows of each value, such as a site or a
#'     spatial block. Rows that the fit dropped for missing values may have a value too;
#'   * a number `k`: `k` folds of every `k`-th row. If neighbouring rows are alike, shuffle the data
#'     before the fit.
#' @param level The probability of the intervals.
#' @param method `"fast"`, the default; `"refit"`, which fits again without each fold; or `"naive"`,
#'   which gets the results of `"fast"` by refitting at every node, to check them. See *What is
#'   exact*.
#' @param observation `TRUE` to predict observations, with their noise; `FALSE` to predict the
#'   noise-free process, which is scored against the noisy observations all the same.
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `btg_loocv`, with methods for `print()`, `summary()`, `plot()` and
#'   `as.data.frame()`. It is a list with
#'   * `pointwise`: a data frame with one row for each row of the fit: the response `y`, its
#'     prediction from the others (`median`, `lwr`, `upr`), `residual` (`y - median`), `log_score`
#'     (the log predictive density), `crps` (the continuous ranked probability score, in units of
#'     `y`), `pit` (the predicted probability of less than `y`), `mass` (see *Point masses*), and
#'     `fold`. If responses are censored, also their limits `lower` and `upper`: see [btg-censored];
#'   * `estimates`: a data frame with the `estimate` and the standard error `se` of `elpd` (the sum
#'     of log scores), `rmse`, `mae` (of medians), `crps`, and `coverage_50`, `coverage_80` and
#'     `coverage_95`, the share of responses inside intervals of that probability;
#'   * `diagnostics`: a data frame with one row for each fold: `effective_nodes`, how many nodes
#'     count without it; `distance`, how far the posterior moves without it (0: not at all, 1: to
#'     other nodes); `k_hat`, the Pareto shape of the ratios by which weights change (above 0.7, few
#'     nodes decide; `NA` if there are too few to tell); `moved`, `TRUE` if nodes are too few
#'     without the fold; and `status`: `"predicted"`, or why the fold could not be;
#'   * `spread`: for the fitted medians and each variable, the `p` value of a test of whether the
#'     spread of left-out residuals depends on it, also `adjusted` for their number: see
#'     [summary.btg_loocv()]; `variables`: the data behind the test;
#'   * `tied`, if a tenth of the responses share a value, such as zero: the `value`, the `count` of
#'     responses at it among the `rows` predicted, and the number that predictions `expected`, with
#'     its standard deviation `sd`;
#'   * `level`, `method`, `observation`: as given; `one_by_one`: `TRUE` without `folds`; `response`:
#'     its name; `seconds`: the time taken; `frozen`: `TRUE` for fits by [wgp()], whose
#'     hyperparameters stay.
#'
#' @section What is exact:
#' At every node, the prediction without a row and the weight that the node would have without it
#' follow exactly from the fit. `method = "naive"` gets the same numbers by refitting at every node.
#'
#' The nodes themselves stay where all rows put them. If a single row moves the posterior far, few
#' nodes are left to predict it, and its scores are rough: `moved` in `diagnostics` marks such rows,
#' and `print()` names them. They are influential and often outliers, so look at them first. More
#' nodes by [refine()] seldom help, because they are placed by all rows. For accurate scores, fit
#' without the row, by `subset`, and use [predictive_scores()].
#'
#' With `method = "refit"`, each fold has nodes of its own, and only the scales and warps of the
#' data stay. Each fold takes as long as a fit, so use few folds. They run on the workers of a
#' [future::plan()], if the package future.apply is installed. `distance` and `k_hat` are then `NA`.
#'
#' A fit by [wgp()] has one node, whose hyperparameters were estimated from all rows, including the
#' row to predict. Its scores are therefore too good, mostly with many hyperparameters and few rows.
#'
#' In an average of models by stacking, the weights of models are those of all rows. With
#' `averaging = "posterior"`, they are left-out weights too.
#'
#' A row that alone determines a coefficient of the trend cannot be predicted from the others. Its
#' prediction is `NA`, `status` gives the reason, and estimates are for the other rows, with a
#' warning.
#'
#' @section Point masses:
#' Where predictions stop at a bound (see [btg-bounds]), they have a point mass there. For a
#' response at the bound, `mass` is \eqn{P(Y = y)}, `log_score` is its logarithm, and `pit` is the
#' distribution function less half of the mass. For all other responses `mass` is 0. Log scores of
#' fits with different bounds cannot be compared; compare them by the CRPS.
#'
#' @seealso [summary.btg_loocv()] for the rows that are predicted worst, [plot.btg_loocv()],
#'   [compare_fits()] to compare models, [rolling_origin()] for forecasts, [predictive_scores()] for
#'   new data.
#'
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "softplus")
#' cv <- loocv(fit)
#' cv
#' plot(cv)
#'
#' # Spatial blocks: earthquakes near each other are left out together. Depths are predicted worse
#' # from other blocks than from neighbours.
#' some <- quakes[seq(1, 1000, by = 20), ]
#' fit <- btg(depth ~ sphere(long, lat), data = some, transform = "identity")
#' loocv(fit)
#' block <- interaction(cut(some$lat, 3), cut(some$long, 2), drop = TRUE)
#' loocv(fit, folds = block)
#' @export
loocv <- function(fit, ...) {
  UseMethod("loocv")
}

#' @rdname loocv
#' @export
loocv.default <- function(fit, ...) check_fit(fit)

#' @rdname loocv
#' @export
loocv.btg <- function(fit, folds = NULL, method = c("fast", "naive", "refit"), level = 0.95,
                      observation = TRUE, threads = getOption("btg.threads", 1), ...) {
  check_fit(fit)
  check_dots(..., valid = names(formals(loocv.btg)))
  method <- check_choice(method, c("fast", "naive", "refit"), "method")
  if (method == "naive" && is_approximate(fit)) {
    abort_btg(c("`method = \"naive\"` refits with the exact covariance, not held here.",
                i = "Use the default, or `method = \"refit\"`."), "argument")
  }
  check_level(level)
  check_flag(observation)
  check_count(threads)
  started <- proc.time()[["elapsed"]]
  fold <- check_folds(folds, fit)
  probs <- rbind(c(0.5, (1 - level) / 2, (1 + level) / 2))
  at <- cbind(fit_response(fit))
  questions <- c(list(quantile = probs, log_density = at, crps = at), place_questions(fit))
  request <- new_request(fit_points(fit), questions, observation,
                         folds = new_folds(fold, naive = method == "naive"),
                         run = new_run(threads))
  core <- if (method == "refit") answer_by_refits(fit, request)
          else answer(ensemble_of(fit), request)
  places <- response_places(core$answers, fit)
  limits <- reported_limits(fit)
  scores <- score_table(core$answers, limits, fit_response(fit),
                        !are_intervals(stated_limits(fit)))
  pointwise <- data.frame(
    scores[c("y", "median", "lwr", "upr")], residual = observed_residuals(scores),
    scores[c("log_score", "crps", "pit", "mass")], fold = levels(fold)[fold],
    scores[intersect(c("lower", "upper"), names(scores))], row.names = make.unique(fit$row_names)
  )
  diagnostics <- core$folds[c("fold", "effective_nodes", "distance", "k_hat")]
  diagnostics$moved <- moved_far(core$folds, nodes_represented(fit))
  diagnostics$status <- core$folds$status
  warn_not_predicted(diagnostics)
  result <- structure(
    list(pointwise = pointwise, estimates = cv_estimates(pointwise), diagnostics = diagnostics,
         level = level, method = method, observation = observation, one_by_one = is.null(folds),
         response = fit$response_name, variables = fit$data,
         spread = spread_of_residuals(places$spread_pit, pointwise$median,
                                      varying_in_folds(fit$data, fold)),
         tied = places$tied,
         seconds = proc.time()[["elapsed"]] - started),
    class = "btg_loocv"
  )
  add_loocv_checksum(result)
}

# Returns the variables of the data that vary within folds. The residuals of a fold share an error,
# so a variable with one value per fold, such as the group that is left out, always seems to matter.
varying_in_folds <- function(data, fold) {
  if (nlevels(fold) == length(fold)) {
    return(data)
  }
  Filter(function(x) nrow(unique(data.frame(x, fold))) > nlevels(fold), spread_variables(data))
}

loocv_components <- c("pointwise", "estimates", "diagnostics", "level", "method", "observation",
                      "one_by_one", "response", "variables", "spread", "tied", "frozen")

add_loocv_checksum <- function(cv) {
  cv$checksum <- checksum_of(cv, loocv_components)
  cv
}

# Checks that a result, perhaps read from a file, is unchanged since loocv() returned it.
check_loocv <- function(cv) check_checksum(cv, loocv_components, "result of `loocv()`")

# The only node keeps its weight of 1, so scores use hyperparameters estimated from all rows.
#' @rdname loocv
#' @export
loocv.wgp <- function(fit, ...) {
  result <- NextMethod()
  result$frozen <- result$method != "refit"
  add_loocv_checksum(result)
}

# Returns sums and means over the predicted rows, with standard errors from their variation.
# Censored rows have no residual and no CRPS, which are NA.
cv_estimates <- function(pointwise) {
  x <- pointwise[!is.na(pointwise$log_score), ]
  n <- nrow(x)
  # Scaling by a power of two is exact and avoids overflow.
  mean_of <- function(values) {
    values <- values[!is.na(values)]
    unit <- power_of_two(values)
    unit * c(estimate = mean(values / unit), se = stats::sd(values / unit) / sqrt(length(values)))
  }
  covered <- function(level) is_covered(x, level)
  unit <- power_of_two(x$residual)
  mse <- mean_of((x$residual / unit)^2)
  rows <- rbind(
    elpd = n * mean_of(x$log_score),
    rmse = unit * c(sqrt(mse[[1L]]), mse[[2L]] / (2 * sqrt(mse[[1L]]))), # delta method
    mae = mean_of(abs(x$residual)),
    crps = mean_of(x$crps),
    coverage_50 = mean_of(covered(0.5)), coverage_80 = mean_of(covered(0.8)),
    coverage_95 = mean_of(covered(0.95))
  )
  as.data.frame(rows)
}

# Returns the power of two of the largest value, or 1.
power_of_two <- function(values) {
  largest <- max(0, abs(values), na.rm = TRUE)
  if (largest > 0 && is.finite(largest)) 2^floor(log2(largest)) else 1
}

# Returns whether the equal-tailed interval covers the response. At a point mass the distribution
# function steps from half of the mass below `pit` to half of it above. A censored response is
# covered with the probability that it has within its limits: a number from 0 to 1.
is_covered <- function(pointwise, level) {
  distance <- abs(pointwise$pit - 0.5)
  covered <- as.numeric(distance <= level / 2 + pointwise$mass / 2)
  censored <- which(pointwise$lower < pointwise$upper & pointwise$mass > 0)
  half <- pointwise$mass[censored] / 2
  from <- pmax(pointwise$pit[censored] - half, 0.5 - level / 2)
  to <- pmin(pointwise$pit[censored] + half, 0.5 + level / 2)
  covered[censored] <- pmax(to - from, 0) / (2 * half)
  covered
}

# Marks folds whose left-out posterior moved to a region with too few nodes. In a fit of one or few
# nodes the distance stays small. A node that predictions use counts as the number of nodes that it
# represents. If such nodes are too few to estimate k-hat, a large distance decides.
moved_far <- function(diagnostics, represented = 1) {
  few <- represented * diagnostics$effective_nodes < 10 & diagnostics$distance > 0.25
  heavy <- diagnostics$distance > 0.5 &
    (if (represented > 1) !(diagnostics$k_hat <= 0.7) %in% TRUE
     else (diagnostics$k_hat > 0.7) %in% TRUE)
  diagnostics$status == "predicted" & (few | heavy) %in% TRUE
}

# Answers like answer() for folds, by refitting without each of them.
answer_by_refits <- function(fit, request) {
  fold <- request$folds$fold
  folds <- with_progress("Refitting", counted = "likelihoods", {
    show_once(lapply_futures(seq_len(nlevels(fold)), function(k) {
      progress_note(paste0(" without fold ", k, " of ", nlevels(fold)))
      refit_without(fit, request, which(as.integer(fold) == k))
    }))
  })
  rows <- order(unlist(split(seq_along(fold), fold), use.names = FALSE))
  stacked <- function(name) {
    values <- do.call(rbind, lapply(folds, function(one) one$answers[[name]]$value))
    list(value = unname(values[rows, , drop = FALSE]))
  }
  list(answers = sapply(names(request$questions), stacked, simplify = FALSE),
       folds = data.frame(fold = levels(fold),
                          effective_nodes = vapply(folds, function(one) one$effective_nodes, 0),
                          distance = NA_real_, k_hat = NA_real_,
                          status = vapply(folds, function(one) one$status, "")))
}

# Returns the answers of one fold and its status.
refit_without <- function(fit, request, rows) {
  trend <- request$points$trend[-rows, , drop = FALSE]
  status <- if (nrow(trend) <= ncol(trend)) 2L else if (qr(trend)$rank < ncol(trend)) 3L else 1L
  status <- registry()$fold_statuses[status]
  if (status != registry()$fold_statuses[1L]) {
    unknown <- lapply(request$questions, function(at) {
      list(value = matrix(NA_real_, length(rows), ncol(at)))
    })
    return(list(answers = unknown, effective_nodes = NA_real_, status = status))
  }
  refit <- refit_rows(fit, -rows, request$run$threads)
  request$points <- select_points(request$points, rows)
  request$questions <- question_rows(request$questions, rows)
  request["folds"] <- list(NULL)
  list(answers = answer(ensemble_of(refit), request)$answers,
       effective_nodes = 1 / sum(node_weights(refit)^2), status = status)
}
