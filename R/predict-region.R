#' Predict means, totals and extremes of regions
#'
#' `predict_region()` predicts the mean, the total, the largest value, the share above a threshold,
#' or any other summary of the response over groups of new rows, such as districts, seasons or
#' batches. Medians and limits of single rows cannot be added up or averaged, because rows of a
#' group are correlated and their distributions are skewed.
#'
#' @param fit A fit by [btg()] or [wgp()].
#' @param newdata The rows to summarise: a data frame, or points of the package sf. Or polygons of
#'   sf or terra, in each of which a grid of cells is made, or a raster of terra, whose layers are
#'   variables. Cells count by their area.
#' @param by The group of each row: the names of one or more columns of `newdata`, a vector with one
#'   value for each row, or polygons if `newdata` are points of sf. By default all rows are one
#'   group. Rows where `by` is missing, and points outside all polygons, belong to no group.
#' @param fun What to compute for each group: `"mean"`, `"total"`, `"max"`, `"min"`, `"share"` (of
#'   the weight where the response is above `threshold`), or a function of the responses in the
#'   group that returns one number, or `TRUE` or `FALSE`. If its second argument is called `w` or
#'   `weights`, it gets the weights.
#' @param weights How much each row counts in means, totals and shares, such as the area of its
#'   cell: a vector, or the name of a column of `newdata`. By default 1 for each row, and areas for
#'   polygons and rasters. The `weights` of [predict.btg()] are something else: they describe the
#'   noise.
#' @param at Values of the answer for which to add the probability of more.
#' @param threshold With `fun = "share"`, the value of the response.
#' @param level The probability of the interval.
#' @param observation `TRUE`, the default, if each row stands for an observation with its noise;
#'   `FALSE` for the noise-free process. The choice matters: see *Noise*.
#' @param cells About how many cells to make in each polygon. By default 3000 in all, but 30 to 400
#'   in each.
#' @param coordinates The names of the two variables of the fit that are coordinates, for polygons
#'   and rasters. By default those that are called like coordinates, such as `x` and `y`, unless
#'   they are layers of the raster.
#' @param keep_draws `TRUE` to keep the draws of the answers.
#' @param nsim The number of draws. By default, from 1024 to 8192, as many as bring the Monte Carlo
#'   errors of the median and the limits below 3% of the width of the interval, in root mean square.
#' @param seed The seed of the draws. R's random numbers are not used: the same call has the same
#'   answer.
#' @param threads How many threads to use.
#' @param include,exclude Names of covariance terms to predict with, or to leave out, such as
#'   `exclude = "(1 | site)"`: see [btg-terms].
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `btg_region` with methods for `print()`, `plot()` and
#'   `as.data.frame()`. Its component `estimates` has a row for each group:
#'   * `region` and `rows`: the group, and how many rows or cells it has;
#'   * `mean`, for means, totals and shares, which has no Monte Carlo error. It is `NA` if the mean
#'     of some row does not exist: see [btg-predictions];
#'   * `median`, `lwr` and `upr`, with `error`, the largest Monte Carlo standard error of the three;
#'   * `exceedance_<at>`, the probability that the answer is more than `at`. If `fun` returns `TRUE`
#'     or `FALSE`, `at = 0.5` gives the probability of `TRUE`.
#'
#'   With `keep_draws = TRUE`, `draws` has one column for each group.
#'
#' @section Noise:
#' The noise of a fit is what distinguishes observations at the same place. There are two cases, and
#' only you can tell which one is yours:
#'
#' * The noise is real. Trees of the same age have different heights, and soils a metre apart have
#'   different zinc contents. The total of a stand or a field is a total of such values. Use
#'   `observation = TRUE`. In a large group, the noise of single rows averages out. Under a
#'   transform it still moves the mean, because the mean of a skewed response is above its median.
#' * The noise is an error of measurement, and the quantity of interest is free of it. Use
#'   `observation = FALSE`.
#'
#' The choice can change a total by a third. Unless you make it, `TRUE` is used, with a message.
#' Maxima and minima of observations depend on the number of rows.
#'
#' @section How it is computed:
#' At each node of the fit, the process at all rows has a joint t distribution. Its covariance is
#' factored to low rank, up to 0.2% of the variance, and the rest is drawn independently. Draws are
#' scrambled Sobol points in eight independent replicates, whose spread gives the Monte Carlo error.
#' More than 6000 rows are drawn in blocks, as by `simulate(joint = 2000)`.
#'
#' @seealso [exceedance_region()] for where the response is above a threshold, [predict.btg()] for
#'   single rows, [simulate.btg()] for the draws themselves.
#' @examples
#' # The mean and the largest stopping distance of two parts of a drive
#' fit <- btg(dist ~ speed, data = cars)
#' drive <- data.frame(speed = c(8, 9, 10, 20, 21, 22), part = rep(c("town", "country"), each = 3))
#' predict_region(fit, drive, by = "part", observation = TRUE)
#' predict_region(fit, drive, by = "part", fun = "max", at = c(50, 80), observation = TRUE)
#'
#' # Any other summary
#' predict_region(fit, drive, fun = function(dist) diff(range(dist)), observation = TRUE)
#' @export
predict_region <- function(fit, newdata, by = NULL,
                           fun = c("mean", "total", "max", "min", "share"), weights = NULL,
                           at = NULL, threshold = NULL, level = 0.95, observation = NULL,
                           cells = NULL, coordinates = NULL, keep_draws = FALSE,
                           nsim = NULL, seed = 1, threads = getOption("btg.threads", 1),
                           include = NULL, exclude = NULL, ...) {
  check_fit(fit)
  check_dots(..., valid = names(formals(predict_region)))
  check_drawable(fit)
  fun <- region_function(fit, fun, threshold)
  check_level(level)
  check_flag(keep_draws)
  check_count(threads)
  check_whole(seed)
  if (!is.null(nsim)) check_count(nsim)
  at <- check_values(at, fit)
  given <- region_rows(fit, newdata, by, weights, cells, coordinates)
  observation <- check_noise_choice(observation, fit, "observation")
  fit <- with_chosen_terms(fit, include, exclude)
  points <- prediction_points(fit, given$data)
  groups <- region_groups(given, points, fun)
  found <- with_progress("Drawing", drawn_groups(fit, points, groups, fun, level, observation, nsim,
                                                 seed, threads))
  exact <- exact_means(fit, points, groups, fun, observation, threads)
  estimates <- region_estimates(found, groups, exact, at, level, fun)
  structure(list(
    estimates = estimates,
    draws = if (keep_draws) {
      structure(t(found$values), dimnames = list(NULL, levels(groups$region)))
    },
    polygons = given$polygons, fun = fun$name, threshold = fun$threshold, level = level,
    observation = observation, nsim = ncol(found$values), response = fit$response_name,
    dropped = groups$dropped
  ), class = "btg_region")
}

# Returns list(name, value, linear, averages): `value(y, w)` summarises the columns of draws `y`
# with weights `w`. A `linear` one has a mean that follows from those of the rows; one that
# `averages` divides by the sum of the weights.
region_function <- function(fit, fun, threshold) {
  if (is.function(fun)) {
    check_no_threshold(threshold)
    return(list(name = "function", linear = "", averages = FALSE, value = own_summary(fun)))
  }
  name <- check_choice(fun, eval(formals(predict_region)$fun), "fun")
  if (name == "share") {
    threshold <- response_value(threshold, fit$blueprint, "threshold")
  } else {
    check_no_threshold(threshold)
  }
  value <- switch(name,
    mean = function(y, w) colSums(w * y) / sum(w),
    total = function(y, w) colSums(w * y),
    share = function(y, w) colSums(w * (y > threshold)) / sum(w),
    max = function(y, w) extreme_of_rows(y, pmax),
    min = function(y, w) extreme_of_rows(y, pmin)
  )
  list(name = name, value = value, threshold = threshold, averages = name %in% c("mean", "share"),
       linear = if (name %in% c("mean", "total", "share")) name else "")
}

# Returns `value(y, w)` for a function of the user.
own_summary <- function(fun) {
  weighted <- names(formals(args(fun)))[2L] %in% c("w", "weights")
  one <- if (weighted) fun else function(y, w) fun(y)
  function(y, w) {
    values <- rethrow_btg(lapply(seq_len(ncol(y)), function(k) one(y[, k], w)),
                          "`fun` cannot be evaluated.", "argument")
    wrong <- Filter(function(value) {
      length(value) != 1L || !(is.numeric(value) || is.logical(value)) || is.na(value)
    }, values)
    if (length(wrong) > 0L) {
      abort_btg(c("`fun` must return one number for each draw.",
                  x = paste0("For ", count_noun(length(wrong), "draw"), " of ", ncol(y),
                             " it returned ", if (anyNA(wrong[1L])) "NA"
                                              else describe_value(wrong[[1L]]), ".")), "argument")
    }
    as.numeric(values)
  }
}

extreme_of_rows <- function(y, extreme) {
  so_far <- y[1L, ]
  for (i in seq_len(nrow(y))[-1L]) so_far <- extreme(so_far, y[i, ])
  so_far
}

check_no_threshold <- function(threshold) {
  if (!is.null(threshold)) {
    abort_btg(c("`threshold` has no effect here.", i = "It goes with `fun = \"share\"`."),
              "argument")
  }
}

check_values <- function(at, fit) {
  if (is.null(at)) {
    return(numeric())
  }
  at <- response_in_unit(at, fit$blueprint, "at")
  if (!is.numeric(at) || anyNA(at)) {
    abort_argument("at", "must be numbers without missing values", at)
  }
  as.double(at)
}

# Returns `observation`, or `default` ("observation" or "process") with a message that it was
# chosen. A fit without noise needs no choice.
check_noise_choice <- function(observation, fit, default) {
  if (!is.null(observation)) {
    return(check_flag(observation))
  }
  if (any(nodes(fit, predictive = TRUE)$noise > 0)) {
    inform_btg(if (default == "observation") c(
      "Each row counts as an observation with its noise (`observation = TRUE`).",
      i = "If the noise is an error of measurement, use `observation = FALSE`."
    ) else c(
      "The region is that of the noise-free process (`observation = FALSE`).",
      i = "If the noise is real variation that matters here, use `observation = TRUE`."
    ), "noise")
  }
  default == "observation"
}
