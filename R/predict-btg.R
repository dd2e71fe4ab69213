# nolint start: line_length_linter. Rows of tables are single lines.
#' Predict medians, intervals, probabilities and more
#'
#' `predict()` answers questions about the response at new inputs. Each answer comes from a whole
#' predictive distribution on the scale of the response.
#'
#' | question | call |
#' |:--|:--|
#' | what is typical? (the median) | `predict(fit, new)` |
#' | where will a new observation lie? | `predict(fit, new, interval = "prediction")` |
#' | how well is the level itself known? | `predict(fit, new, interval = "confidence")` |
#' | what is the average over many cases? | `predict(fit, new, type = "mean")` |
#' | which values are rarely exceeded? | `predict(fit, new, type = "quantile", probs = c(0.9, 0.99))` |
#' | how likely is more than 50? | `predict(fit, new, type = "exceedance", at = 50)` |
#' | how fast does it change with an input? | `predict(fit, new, type = "slope")` |
#' | how well is each row predicted from the others? | `predict(fit, left_out = TRUE)` |
#'
#' @param object A fit by [btg()] or [wgp()].
#' @param newdata A data frame with the variables of the fit, or a matrix after a fit to one.
#'   Without `newdata`, predictions are for the rows of the fit. Rows and their order are kept. A
#'   row with missing values gets `NA`. So does a row outside the range of an input's warp (see
#'   [btg-inputs]), with a warning.
#' @param type What to return. For a single number per row:
#'   * `"response"`, the median; `"mean"`; `"mode"`; each can have an `interval`;
#'   * `"variance"`.
#'
#'   At probabilities `probs` or at values `at` of the response:
#'   * `"quantile"`, the quantiles at `probs`;
#'   * `"exceedance"`, \eqn{P(Y > y)}, and `"cdf"`, \eqn{P(Y \le y)}, at `at`;
#'   * `"density"` and `"log_density"` at `at`;
#'   * `"crps"`, the continuous ranked probability score of observations `at`; smaller is better.
#'
#'   Others:
#'   * `"slope"`, how fast a prediction changes along each variable: see [btg-slopes];
#'   * `"terms"`, the contribution of each covariance term: see [btg-predictions];
#'   * `"distribution"`, a vector of distributions for the package distributional: see
#'     [distribution-btg];
#'   * `"lost_mass"`, the mass that was cut off where the transform ends: see [btg-predictions].
#'
#'   Several types, such as `c("quantile", "exceedance")`, are computed together in little more time
#'   than one. `"distribution"`, `"slope"` and `"terms"` cannot be combined with others.
#' @param interval Adds an interval of probability `level`. As in [stats::predict.lm()],
#'   `"prediction"` is for a new observation and `"confidence"` for the noise-free process.
#'   `"credible"` is one or the other: for a new observation if `observation = TRUE`, the default.
#'   `"hdi"` is like `"credible"`, but the shortest interval; all others have equal tails. With
#'   `type = "mean"`, all except `"prediction"` are intervals of the mean: see [btg-predictions].
#' @param level The probability of the interval.
#' @param probs Probabilities strictly between 0 and 1: a vector for all rows of `newdata`, or a
#'   matrix with one row for each.
#' @param at Values of the response: a vector for all rows of `newdata`, or a matrix with one row
#'   for each. To score observed responses, see also [predictive_scores()].
#' @param observation `TRUE` to predict a new observation, with its noise; `FALSE` to predict the
#'   noise-free process, on the scale of the response.
#' @param se.fit `TRUE` to add posterior standard deviations on the scale of the response: of the
#'   noise-free process for the types `"response"` and `"mode"`, whatever `observation` is, and of
#'   the conditional mean for `"mean"`. Because distributions are skewed, `interval = "confidence"`
#'   shows more.
#' @param quadrature_error `TRUE` to add standard errors of the numerical integral, for the types
#'   `"response"` and `"quantile"`: see [btg-predictions].
#' @param tolerance,bound How to invert distribution functions: see [btg-predictions].
#' @param left_out `TRUE` to predict each row of the fit from all other rows, as [loocv()] does. It
#'   works without `newdata`, for all types except `"distribution"`, `"slope"` and `"terms"`.
#' @param weights The weights of new observations, in the units of the `weights` of the fit: one
#'   value, or one for each row of `newdata`. By default, new rows have the mean weight of the rows
#'   of the fit, and without `newdata` each row has its own. The noise-free process does not depend
#'   on them.
#' @param threads How many threads to use. Results do not depend on it.
#' @param of With `type = "slope"`, the prediction whose slope is returned: the median, the mean,
#'   the quantiles at `probs`, or the probabilities \eqn{P(Y \le y)} or \eqn{P(Y > y)} at `at`.
#' @param include,exclude Names of covariance terms (see [btg-terms]), written as in the formula,
#'   such as `"(1 | site)"`: those to predict with, or those to leave out. The trend stays.
#'   `newdata` needs no variables of terms that are left out. Without the terms of groups,
#'   predictions are for the population.
#' @param input_sd Standard deviations of errors in the inputs of `newdata`: numbers named by
#'   numeric variables, such as `c(x = 0.2)`, or a data frame with one row for each row of
#'   `newdata`. See [btg-predictions].
#' @param ... Not used: an unknown argument is an error.
#'
#' @return For one type:
#'   * `"response"`, `"mean"`, `"mode"`, `"variance"` and `"lost_mass"`: a vector; with an
#'     `interval`, a matrix with columns `fit`, `lwr` and `upr`;
#'   * `"quantile"` and types with `at`: a matrix with one row for each row of `newdata`, and one
#'     column for each element of `probs` or `at`;
#'   * `"distribution"`: a vector of class `distribution`;
#'   * `"terms"`: a matrix with one column for each term;
#'   * `"slope"`: a matrix with one row for each row of `newdata` and one column for each variable.
#'     With `probs` or `at`, an array of such matrices; with an `interval`, an array of the three
#'     matrices `fit`, `lwr` and `upr`.
#'
#'   With `se.fit = TRUE` or `quadrature_error = TRUE`, a list with these as components `fit`,
#'   `se.fit` and `quadrature_error`.
#'
#'   For several types, a data frame with one row for each row of `newdata`. Columns are named by
#'   the type and the value, such as `response`, `quantile_0.9` and `exceedance_50`; `lwr` and `upr`
#'   are the ends of the `interval`. `terra::interpolate()` and `terra::predict()` turn each column
#'   into a layer.
#'
#' @seealso [btg-predictions] for details, [plot.btg()] to draw predictions, [loocv()] to check
#'   them, [predict_region()] for totals and averages of many rows, [simulate.btg()] for joint
#'   draws, [predictive_scores()] to score new observations, [prepare()] for many small calls.
#' @examples
#' # Stopping distances in feet, at 5, 15 and 25 miles an hour
#' fit <- btg(dist ~ speed, data = cars)
#' new <- data.frame(speed = c(5, 15, 25))
#' predict(fit, new)
#' predict(fit, new, interval = "prediction", level = 0.9)
#' predict(fit, new, interval = "confidence")
#' predict(fit, new, type = "mean", interval = "confidence")
#' predict(fit, new, type = "quantile", probs = c(0.1, 0.5, 0.9))
#' predict(fit, new, type = "exceedance", at = c(20, 50))
#'
#' # Several questions at once
#' predict(fit, new, type = c("response", "exceedance"), interval = "prediction", at = 50)
#' @export
# nolint end
predict.btg <- function(object, newdata,
                        type = c("response", "mean", "mode", "variance", "quantile", "cdf",
                                 "exceedance", "density", "log_density", "crps", "distribution",
                                 "lost_mass", "slope", "terms"),
                        interval = c("none", "credible", "confidence", "prediction", "hdi"),
                        level = 0.95, probs = c(0.025, 0.5, 0.975), at = NULL, observation = TRUE,
                        se.fit = FALSE, tolerance = NULL,
                        bound = c("auto", "none", "hull", "singular", "both"), left_out = FALSE,
                        weights = NULL, threads = getOption("btg.threads", 1),
                        quadrature_error = FALSE,
                        of = c("response", "mean", "quantile", "cdf", "exceedance"),
                        include = NULL, exclude = NULL, input_sd = NULL, ...) {
  check_fit(object)
  check_dots(..., valid = names(formals(predict.btg)))
  type <- check_types(type, eval(formals(predict.btg)$type))
  given <- c(interval = !missing(interval), level = !missing(level), probs = !missing(probs),
             observation = !missing(observation), of = !missing(of))
  of <- check_choice(of, eval(formals(predict.btg)$of), "of")
  interval <- check_choice(interval, eval(formals(predict.btg)$interval), "interval")
  bound <- check_choice(bound, eval(formals(predict.btg)$bound), "bound")
  check_unused(unused_arguments(type, of, interval, at, se.fit, quadrature_error, given))
  check_flag(observation)
  check_flag(se.fit)
  check_flag(quadrature_error)
  check_several(type, se.fit, quadrature_error)
  check_precision(tolerance, level, threads)
  check_left_out(left_out, !missing(newdata), type,
                 any(se.fit, quadrature_error, !is.null(c(include, exclude))))
  check_new_weights(weights, missing(newdata))
  with_ends <- if ("slope" %in% type) of else interval_type(type)
  observation <- observation_of(interval, observation, given[["observation"]], with_ends)
  # Without noise, the conditional mean is the process itself.
  about_mean <- identical(with_ends, "mean") && observation && interval != "prediction"
  check_left_out_mean(left_out, about_mean && interval != "none")
  if (interval %in% c("confidence", "prediction")) interval <- "credible"
  rows <- if (missing(newdata)) NULL else newdata
  object <- with_chosen_terms(object, include, exclude)
  points <- prediction_points(object, rows, weights)
  if ("terms" %in% type) {
    return(predicted_terms(object, points, se.fit, threads))
  }
  options <- list(tolerance = tolerance, bound = bound, standard_error = quadrature_error)
  check_input_sd(input_sd, type, missing(newdata), left_out, se.fit || quadrature_error)
  if ("distribution" %in% type) {
    return(predicted_distributions(object, points, observation, options, threads))
  }
  at <- without_excluded(response_in_unit(at, object$blueprint, "at"), points)
  probs <- without_excluded(probs, points)
  question <- if ("slope" %in% type) of else type
  by_type <- questions_by_type(question, if ("slope" %in% type) "none" else interval, level, probs,
                               at, length(points$complete), about_mean)
  request <- new_request(points, join_questions(by_type), observation, options,
                         run = new_run(threads))
  request <- with_uncertain_inputs(request, object, rows, input_sd, weights)
  if ("slope" %in% type) {
    return(predicted_slopes(object, rows, request, of, if (interval != "none") level))
  }
  if (left_out) request$folds <- row_folds(object$row_names)
  answer_types(object, request, type, by_type, interval, se.fit, quadrature_error)
}

check_precision <- function(tolerance, level, threads) {
  if (!is.null(tolerance)) check_level(tolerance)
  check_level(level)
  check_count(threads)
}

# Answers a request for one type or several, and shapes the answer.
answer_types <- function(fit, request, types, by_type, interval, se.fit, quadrature_error) {
  quietly <- if (identical(types, "lost_mass")) "btg_warning" else "none"
  core <- suppressWarnings(answer(ensemble_of(fit), request), classes = quietly)
  if (!is.null(request$folds)) warn_not_predicted(core$folds)
  warn_asked_moments(core$answers, types, request$points)
  if (length(types) > 1L) {
    return(several_answers(core, by_type, interval))
  }
  if (types == "lost_mass") {
    return(core$lost_mass)
  }
  part <- function(what) shape_answer(core$answers, what, types, interval, by_type[[1L]])
  with_errors(part("value"), if (se.fit) process_deviation(fit, request, types),
              if (quadrature_error) part("standard_error"))
}

# Returns the prediction, in a list with its errors if there are any.
with_errors <- function(fit, se.fit, quadrature_error) {
  if (is.null(se.fit) && is.null(quadrature_error)) {
    return(fit)
  }
  errors <- list(se.fit = se.fit, quadrature_error = quadrature_error)
  c(list(fit = fit), errors[!vapply(errors, is.null, NA)])
}

warn_asked_moments <- function(answers, types, points) {
  for (moment in intersect(c("mean", "variance"), types)) {
    warn_moments(answers$moments$value[, if (moment == "mean") 1L else 2L], points, moment)
  }
}

# Marks arguments of predict() that have no effect beside the others. `given` marks those that the
# user gave. A level beside `interval = "none"`, as in geom_smooth(), is accepted.
unused_arguments <- function(type, of, interval, at, se.fit, quadrature_error, given) {
  question <- if ("slope" %in% type) of else type
  takes_at <- any(vapply(question, function(one) {
    identical(registry()$questions[[one]]$asked_at, "response")
  }, NA))
  is_centre <- any(type %in% c("response", "mean", "mode"))
  has_limits <- is_centre || ("slope" %in% type && of %in% c("response", "mean") &&
                                !interval %in% c("prediction", "hdi"))
  c(interval = interval != "none" && !has_limits,
    level = given[["level"]] && interval == "none" && !given[["interval"]],
    probs = given[["probs"]] && !"quantile" %in% question,
    at = !is.null(at) && !takes_at,
    se.fit = isTRUE(se.fit) && !is_centre && !"terms" %in% type,
    quadrature_error = isTRUE(quadrature_error) && !any(type %in% c("response", "quantile")),
    of = given[["of"]] && !"slope" %in% type)
}

# Returns whether an observation is predicted rather than the process. Two of the intervals imply
# it, and `observation`, if `given`, must agree with them. A confidence interval of the type "mean"
# is of the conditional mean of observations, or of the process if `observation` is FALSE.
observation_of <- function(interval, observation, given, type) {
  of_mean <- interval == "confidence" && type == "mean"
  if (of_mean || !interval %in% c("confidence", "prediction")) {
    return(observation)
  }
  if (given && observation != (interval == "prediction")) {
    abort_btg(c(
      paste0("`interval = \"", interval, "\"` and `observation = ", observation,
             "` contradict each other."),
      i = paste0("A \"confidence\" interval is of the noise-free process, a \"prediction\" ",
                 "interval of a new observation, and a \"credible\" one of what `observation` ",
                 "says.")
    ), "argument")
  }
  interval == "prediction"
}

check_left_out <- function(left_out, has_newdata, type, with_errors) {
  check_flag(left_out)
  if (left_out && (has_newdata || with_errors || any(type %in% single_types))) {
    abort_btg(c("`left_out = TRUE` predicts the rows of the fit, each without itself.",
                i = paste0("Leave out `newdata`, `se.fit`, `quadrature_error`, `include`, ",
                           "`exclude`, and the types \"distribution\", \"slope\" and \"terms\".")),
              "argument")
  }
}

# Drops rows of a matrix that belong to rows excluded from the fit.
without_excluded <- function(x, points) {
  excluded <- points$na.action
  padded <- inherits(excluded, "exclude") && is.matrix(x) &&
    nrow(x) == length(points$complete) + length(excluded)
  if (padded) x[-excluded, , drop = FALSE] else x
}
