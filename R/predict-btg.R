#' Predictions of a fit
#'
#' The prediction at a point is a whole distribution on the scale of the response. `predict()`
#' answers questions about it.
#'
#' | question | call |
#' |:--|:--|
#' | a typical value (the median) | `predict(fit, new)` |
#' | where a new observation will lie | `predict(fit, new, interval = "prediction")` |
#' | how well the level itself is known | `predict(fit, new, interval = "confidence")` |
#' | the average over many cases | `predict(fit, new, type = "mean")` |
#' | quantiles | `predict(fit, new, type = "quantile", probs = c(0.1, 0.9))` |
#' | the probability of more than 50 | `predict(fit, new, type = "exceedance", at = 50)` |
#' | how fast it changes with an input | `predict(fit, new, type = "slope")` |
#' | each row of the data from all others | `predict(fit, left_out = TRUE)` |
#'
#' @param object A fit by [btg()].
#' @param newdata A data frame with the variables of the fit (or a matrix, after a fit to one).
#'   Rows and their order are kept. A row with missing values gets `NA`, and so does, with a
#'   warning, a row outside the range of an input's warp (see [btg-inputs]). Without `newdata`,
#'   predictions are for the rows of the fit.
#' @param type What to return:
#'   * `"response"`, the median, and `"mean"` and `"mode"`, each with an `interval` if asked: see
#'     *Medians and means*;
#'   * `"variance"`;
#'   * `"quantile"`, the quantiles at `probs`;
#'   * `"cdf"`, `"exceedance"`, `"density"` and `"log_density"`: \eqn{P(Y \le y)},
#'     \eqn{P(Y > y)}, the density and its logarithm (the log score) at the values `at`;
#'   * `"crps"`, the continuous ranked probability score of observations `at` (smaller is better);
#'   * `"distribution"`, a vector of distributions for the distributional package: see
#'     [distribution-btg];
#'   * `"terms"`, the contribution of each covariance term: see *Terms*;
#'   * `"slope"`, derivatives of the prediction that `of` names along each variable: see *Slopes*;
#'   * `"lost_mass"`, the mass that was cut off at the edge of the transform: see *Advanced*.
#'
#'   Several types, such as `c("quantile", "exceedance")`, are computed in one pass, which takes
#'   little longer than one of them. All can be combined except `"distribution"`, `"slope"`
#'   and `"terms"`.
#' @param interval Adds an interval of probability `level`. As in [stats::predict.lm()],
#'   `"prediction"` is for a new observation and `"confidence"` for the noise-free process. With
#'   `"credible"`, the argument `observation` decides between the two (a new observation, by
#'   default). These are equal-tailed. `"hdi"` is like `"credible"`, but the shortest such interval.
#'   With `type = "mean"`, all except `"prediction"` are intervals of the conditional mean: see
#'   *Medians and means*.
#' @param level The probability of the interval.
#' @param probs Probabilities strictly between 0 and 1: a vector, used at every row of `newdata`,
#'   or a matrix with one row for each.
#' @param at Values of the response: a vector, used at every row of `newdata`, or a matrix with
#'   one row for each row of `newdata`. To score observed responses, see also [predictive_scores()].
#' @param observation `TRUE` to predict a new observation, with its noise; `FALSE` to predict the
#'   noise-free process, mapped to the scale of the response.
#' @param se.fit `TRUE` to add, for the types `"response"`, `"mean"` and `"mode"`, the posterior
#'   standard deviation of the noise-free process on the scale of the response, whatever
#'   `observation` is: how well its value is known there. With `type = "mean"`, it is the posterior
#'   standard deviation of the conditional mean. It need not exist: see *Moments*. As
#'   distributions are skewed, `interval = "confidence"` says more.
#' @param quadrature_error `TRUE` to add, for the types `"response"` and `"quantile"`, standard
#'   errors of the numerical integral: see *Advanced*.
#' @param tolerance,bound Tune the inversion of distribution functions: see *Advanced*.
#' @param left_out `TRUE` to predict each row of the fit from all others, without `newdata`: what
#'   [loocv()] scores, for every type but `"distribution"`, `"slope"` and `"terms"`.
#' @param weights The weights of new observations, in the units of the `weights` of the fit: one
#'   value, or one for each row of `newdata`. By default they have the mean weight of the rows of
#'   the fit; without `newdata`, each row has its own. They make no difference to the noise-free
#'   process.
#' @param threads How many threads to use. Results do not depend on it.
#' @param of With `type = "slope"`, what to take the slope of: the median, the mean, the quantiles
#'   at `probs`, or the probabilities \eqn{P(Y \le y)} or \eqn{P(Y > y)} at the values `at`.
#' @param include,exclude Names of covariance terms (see [btg-terms]), such as `"(1 | site)"`:
#'   those to predict with, or those to leave out, written as in the formula. The trend stays, and
#'   `newdata` needs no variables that only other terms use. Without the terms of a group,
#'   predictions are those of the population.
#' @param input_sd Standard deviations of errors in the inputs of `newdata`: numbers named by
#'   numeric variables, such as `c(x = 0.2)`, or a data frame with a row for each row of `newdata`:
#'   see *Uncertain inputs*.
#' @param ... Not used: an argument that is not known is an error.
#'
#' @return For several types, a data frame with one row for each row of `newdata`. Its columns are
#'   named by the type, and by the value where there are `probs` or `at`: `response`, `mean`,
#'   `quantile_0.9`, `exceedance_50`. The columns `lwr` and `upr` are the ends of the `interval`.
#'   `terra::interpolate()` and `terra::predict()` make a layer of each column.
#'
#'   For one type it depends on the type. For the types `"response"`, `"mean"`, `"mode"` and
#'   `"variance"`, a vector; with an `interval`, a matrix with columns `fit`, `lwr` and `upr`. For
#'   `"quantile"` and the types that take `at`, a matrix with one row for each row of `newdata` and
#'   one column for each element of `probs` or `at`. For `"lost_mass"`, a vector of shares between 0
#'   and 1; for `"distribution"`, a vector of class `distribution`, one element for each row. For
#'   `"slope"`, a matrix with a row for each row of `newdata` and a column for each variable, or,
#'   where there are `probs` or `at`, an array of such matrices with one for each of them; with an
#'   `interval`, an array of three such matrices, `fit`, `lwr` and `upr`. With `se.fit = TRUE` or
#'   `quadrature_error = TRUE`, a list with components `fit`, as above, `se.fit`, a vector, and
#'   `quadrature_error`, of the same shape as `fit`.
#'
#' @section Terms:
#' `type = "terms"` returns a matrix with the posterior mean of each covariance term
#' of the formula (see [btg-terms]) at each row, and, with `se.fit = TRUE`, a list with these as
#' `fit` and their posterior standard deviations as `se.fit`, as [stats::predict.lm()] does.
#' Processes are less their mean over (at most 100 rows of) the data, as the data cannot tell their
#' level from that of the trend, which has these means. A trend that is not constant is another
#' column, and a constant one is the attribute `"constant"`. Contributions are on the transformed
#' scale that [coef.btg()] describes, where they add up. On the scale of the response they do not:
#' compare predictions with `exclude` instead.
#'
#' @section Medians and means:
#' For a skewed response the median and the mean differ. Take the median for a typical value, and
#' as a point forecast whose absolute errors should be small. Take the mean for totals and averages
#' over many cases, such as expected costs: means add up, medians do not.
#'
#' The noise-free process \eqn{f(x)} on the scale of the response is the median of observations at
#' \eqn{x}: `interval = "confidence"` and `se.fit` of the default type are about it. Given the
#' process, observations have the mean
#' \deqn{\mu(x) = E(g^{-1}(f(x) + \textrm{noise}) \mid f),}{mu(x) = E(g^-1(f(x) + noise) | f),}
#' the *conditional mean*, with bounds and weights as for a prediction. With `type = "mean"`, `fit`
#' is the posterior mean of \eqn{\mu(x)}, which is the mean of a new observation; `lwr` and `upr`
#' are posterior quantiles of \eqn{\mu(x)} for the intervals `"confidence"`, `"credible"` and
#' `"hdi"`; and `se.fit` is its posterior standard deviation. The process, its scale and the noise
#' are all averaged over. `interval = "prediction"` has the limits of a new observation.
#' `observation = FALSE` removes the noise: \eqn{\mu(x)} is then the process itself.
#'
#' @section Slopes:
#' `type = "slope"` has derivatives of predictions along each numeric variable of the data, in the
#' response's units by the variable's (days of a date, seconds of a time): how fast the median, the
#' mean, a quantile or a probability changes there, all other variables held. They are analytic:
#' through the kernel, the transform and the warps of inputs, and for quantiles by the implicit
#' function theorem, \eqn{dq/dx = -(\partial F/\partial x) / f}{dq/dx = -(dF/dx) / f} at \eqn{q}.
#' Only terms that are R code, such as `log(x)` or a spline in `trend`, are differentiated
#' numerically. Along factors, along what a factor is made of, and along
#' variables that are matrices, slopes are `NA`. A kernel that is
#' not smooth, `"exponential"`, has none at the rows of the fit. With an approximate covariance (see
#' [vecchia()]), predictions jump by a little where the rows that they are computed from change, and
#' slopes are those between the jumps.
#'
#' With `interval = "confidence"` or `"credible"`, slopes of the median and the mean have limits:
#' the posterior quantiles of the slope of the noise-free process on the scale of the response, or
#' of the conditional mean. Given a node, the process and its derivative are jointly normal; the
#' limits integrate over both. Processes with the kernel `"exponential"` have no derivative, and
#' such intervals are an error.
#'
#' @section Uncertain inputs:
#' With `input_sd`, the inputs of a new row are known up to independent normal errors. Its
#' prediction is then the mixture over their values: a rule of 21 points for one input, up to 121
#' for two and 256 for more, in each of which all nodes predict. Quantiles, probabilities, means and
#' scores are all of that mixture. Intervals are wider where the response is steep, and skewed where
#' it is curved. Errors in the inputs of the data that were fitted are something else: the noise of
#' the fit has their part.
#'
#' @section Advanced:
#' *Mass that is cut off.* Some transforms have a bounded image, as Box-Cox has. Each predictive
#' distribution is truncated to it, so that quantiles never leave the possible values. A warning
#' appears if this removes more than 1% of the mass, and `type = "lost_mass"` returns the share. At
#' a bound of the response (see [btg()]), several quantiles can equal the bound, the distribution
#' function has a step there, and the density is that of the rest.
#'
#' *Moments that do not exist.* The exponential of a Student t has no mean, so under `"arcsinh"`, or
#' `"boxcox"` near `lambda = 0`, a predictive mean may not exist. Where a mean, a variance or the
#' standard deviation of `se.fit` does not exist, the result is `NA`, with a warning. Quantiles of
#' the conditional mean exist even then, so `type = "mean"` still has the limits of an `interval`.
#' The CRPS leaves out tails of probability 1e-6 and is always finite.
#'
#' *Error of the integral.* `quadrature_error = TRUE` estimates how much another set of nodes would
#' change a quantile, for rules that draw points and given the weights of models.
#'
#' *Inversion.* At a quantile, the distribution function is within `tolerance * min(p, 1 - p)` of
#' `p`; the default is `1e-4 * epsilon` of the fit. `bound` chooses the starting bracket: `"auto"`
#' is fastest; `"hull"`, `"singular"`, `"both"` and `"none"` are there for comparison and give the
#' same answers, to `tolerance`.
#'
#' @seealso [plot.btg()] to draw predictions, [loocv()] to check them, [simulate.btg()] for joint
#'   draws at several points, [predictive_scores()] to score new observations, [prepare()] for many
#'   small calls.
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' new <- data.frame(speed = c(5, 15, 25))
#' predict(fit, new)
#' predict(fit, new, interval = "prediction", level = 0.9)
#' predict(fit, new, interval = "confidence", se.fit = TRUE)
#' predict(fit, new, type = "mean", interval = "confidence") # of the conditional mean
#' predict(fit, new, type = "quantile", probs = c(0.1, 0.5, 0.9))
#' predict(fit, new, type = "exceedance", at = 50) # P(dist > 50)
#' predict(fit, new, type = c("response", "exceedance"), interval = "prediction", at = c(20, 50))
#' predict(fit, new, type = "slope") # feet by mile an hour
#' predict(fit, new, interval = "prediction", input_sd = c(speed = 2))
#' @export
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
