#' Leave-one-out cross-validation, exactly
#'
#' Predicts every row from all others and scores the predictions. Nothing is refitted: for each
#' node of the fit the prediction without a row follows from that with it, exactly, and so does the
#' weight that the node would have without the row. All rows together take less time than the fit
#' did. Groups of rows can be left out together.
#'
#' @param fit A fit by [btg()] or [wgp()].
#' @param folds What to leave out together: `NULL` for each row by itself; a number `k` for `k`
#'   folds of every `k`-th row (rows 1, `k + 1`, ... are the first; nothing is drawn at random:
#'   shuffle the data before the fit if their order matters); or a factor, or any vector with one
#'   value for each row, whose values are the groups: see the example with spatial blocks. Rows
#'   that the fit left out for missing values may have a value too.
#' @param method `"fast"`, or `"naive"`, which refits at every node without every fold, to check the
#'   fast one: the same numbers, in time that grows with another power of the number of rows; or
#'   `"refit"`, which fits again without each fold, with nodes of its own: see below.
#' @param level The probability of the intervals.
#' @param observation `TRUE` to predict observations, with their noise; `FALSE` to predict the
#'   noise-free process, which is scored against noisy observations all the same.
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used: an argument that is not known is an error.
#'
#' @return An object of class `btg_loocv`, a list with components
#'   * `pointwise`: a data frame with one row for each row of the fit: `y`, the prediction without
#'     it (`median`, `lwr`, `upr`), `residual` (`y - median`), `log_score` (the log predictive
#'     density), `crps` (the continuous ranked probability score, in units of `y`), `pit` (the
#'     predictive distribution function at `y`), `mass` (see the section on point masses), `fold`,
#'     and, if responses are censored, their limits `lower` and `upper`: see [btg-censored];
#'   * `estimates`: a data frame with the `estimate` and its standard error `se` of `elpd` (the sum
#'     of log scores), `rmse`, `mae` (of medians), `crps`, and `coverage_50`, `coverage_80`,
#'     `coverage_95`, the share of responses inside intervals of that probability;
#'   * `diagnostics`: a data frame with one row for each fold: `effective_nodes` without it,
#'     `distance`, how far the posterior of the nodes moves (0: not at all, 1: to other nodes),
#'     `k_hat`, the Pareto shape of the ratios by which the weights change (above 0.7: few nodes
#'     decide; `NA` if there are too few to tell), `moved`, `TRUE` where these say that the nodes
#'     are too few for what is left, and `status`: `"predicted"`, or why it could not be;
#'   * `spread`: a data frame with the `p` value of a test, for the fitted medians and for each
#'     variable, of whether the spread of left-out residuals depends on it, and `adjusted` for their
#'     number: see [summary.btg_loocv()]; `variables`: the data behind it;
#'   * `tied`, if a tenth of the responses share a value, such as zero, and no other value is as
#'     frequent: a list with the `value`, the `count` of responses at it among the `rows` predicted,
#'     and the number that predictions `expected`, with its standard deviation `sd`;
#'   * `level`, `method` and `observation`, as given; `one_by_one`, `TRUE` unless there were
#'     `folds`; `response`, the name of it; `seconds`, what it took; and for a fit by [wgp()]
#'     `frozen`, `TRUE`: its hyperparameters stay.
#'
#' @section What is exact:
#' Given the nodes, everything is: the same numbers as refitting without each row (`method =
#' "naive"`). The nodes themselves stay where the full data put them. Where a row moves the
#' posterior far, few of them are left to predict it, and its scores are less accurate: `moved` in
#' `diagnostics` marks such rows, and `print()` names them. They are influential, and often
#' outliers, so look at them first. More nodes by [refine()] seldom help, because they are placed by
#' all rows.
#' For accurate scores, fit without the row, by `subset`, and use [predictive_scores()]; or use
#' `method = "refit"` with few folds.
#'
#' With `method = "refit"` nothing stays but the scales and warps of the data: each fold takes as
#' long as a fit, so that few folds are in order. They are fitted on the workers of a
#' [future::plan()], if there is one with several and the future.apply package is installed.
#' `distance` and `k_hat` are `NA` then.
#'
#' A fit by [wgp()] has one node, and its hyperparameters stay at the estimates from all rows. The
#' predictions then know something of the row they are to predict, and scores are somewhat too
#' good: with many hyperparameters and few rows, by much.
#'
#' For an average of models by stacking (see `transform` in [btg()]), the weights of the models are
#' those of the full data; by posterior probability, they are left-out ones too.
#'
#' Some rows cannot be predicted from the others: those that alone determine a coefficient of the
#' trend, for one. Their predictions are `NA`, `status` says why, and estimates are of the others,
#' with a warning.
#'
#' @section Point masses:
#' Where predictions stop at a bound (see the section on bounds in [btg()]), they have a point mass
#' there, and `mass` is that of a response at the bound: \eqn{P(Y = y)}, 0 for all others. The
#' `log_score` of such a response is the logarithm of its mass, and its `pit` is the distribution
#' function less half of the mass. Log scores of fits with other bounds then measure something
#' else: compare them by the CRPS.
#'
#' @seealso [summary.btg_loocv()] for the rows that are predicted worst, [compare_fits()] for
#'   several fits, [plot.btg_loocv()], and [predictive_scores()] for new data.
#'
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "softplus")
#' cv <- loocv(fit)
#' cv
#' head(cv$pointwise)
#'
#' # Ten folds:
#' loocv(fit, folds = 10)
#'
#' # Spatial blocks: earthquakes near each other are left out together. Depths are predicted worse
#' # from other blocks than from neighbours.
#' some <- quakes[seq(1, 1000, by = 20), ]
#' fit <- btg(depth ~ lat + long, data = some, transform = "identity")
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
  scores <- score_table(core$answers, limits, fit_response(fit))
  pointwise <- data.frame(
    scores[c("y", "median", "lwr", "upr")], residual = observed_residuals(scores, limits),
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
         spread = spread_of_residuals(places$spread_pit, pointwise$median, fit$data),
         tied = places$tied,
         seconds = proc.time()[["elapsed"]] - started),
    class = "btg_loocv"
  )
  add_loocv_checksum(result)
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
