# nolint start: line_length_linter. Rows of tables are single lines.
#' Value a new measurement
#'
#' `acquire()` returns how much a new measurement would be worth at each row of `newdata`, by a
#' criterion of Bayesian optimisation or of mapping. Larger is better. [suggest()] finds the best
#' place, and [btg_optimise()] runs the whole search.
#'
#' @section Criteria:
#' Let \eqn{Y} be the noise-free process at \eqn{x}, \eqn{F} its distribution function and \eqn{t}
#' the `target`. For a minimum:
#'
#' | `criterion` | value | use |
#' |:--|:--|:--|
#' | `"ei"` | expected improvement, \eqn{E (t - Y)_+}{E max(t - Y, 0)} | find the minimum |
#' | `"pi"` | probability of improvement, \eqn{F(t)} | find any value below the target |
#' | `"quantile"` | minus the quantile at \eqn{1 - } `prob`, a confidence bound | find the minimum, without a target |
#' | `"spread"` | the width of the interval of probability `prob` | learn where least is known |
#' | `"contour"` | \eqn{\min(F, 1 - F)}{min(F, 1 - F)} at `threshold` | find where the response crosses a threshold |
#' | `"imspe"` | the share of the predictive variance over a region that a measurement removes | an emulator that is good everywhere |
#' | a function | of draws: see below | anything else |
#'
#' With `maximise = TRUE`, improvement is above the target, and the confidence bound is the quantile
#' at `prob`. Criteria are computed on the scale of the response, without approximation, from the
#' predictive distribution that averages over models, transforms and hyperparameters.
#'
#' @section Variance over a region:
#' `"imspe"`, the integrated mean squared prediction error, is about the average variance over the
#' rows of `over`, by default 200 points that fill the range of the data. It is the variance of the
#' process on the transformed scale. Given the hyperparameters, it does not depend on responses, and
#' a measurement at \eqn{x} removes \eqn{c(u, x)^2 / (c(x, x) + v)}{c(u, x)^2 / (c(x, x) + v)} of it
#' at \eqn{u}, where \eqn{c} is the covariance given the data and \eqn{v} the noise. The value is
#' the share of the average that is removed, averaged over models and hyperparameters.
#'
#' @section A criterion of your own:
#' A function takes a matrix with one row for each row of `newdata` and 256 columns of equally
#' likely values of the response, and returns one number for each row. The values are quantiles at
#' evenly spaced probabilities. They are the same at every call, so that [suggest()] can climb the
#' criterion. Each row is by itself: the values of a column do not belong together. If the function
#' has an argument `target`, it gets the value to improve on. With `constraints`, it must not return
#' negative numbers.
#'
#' @param fit A fit by [btg()] or [wgp()].
#' @param newdata The rows to value, as for [predict.btg()].
#' @param criterion The criterion, a name or a function: see *Criteria*.
#' @param ... Not used: an unknown argument is an error.
#' @param maximise `TRUE` if large responses are wanted.
#' @param target The value to improve on: `"observed"`, the smallest (or largest) response of the
#'   fit; `"median"`, the smallest (or largest) median of the process at the rows of the fit, which
#'   is better for noisy responses; or a number.
#' @param prob A probability: of the confidence bound for `"quantile"`, of the interval for
#'   `"spread"`.
#' @param threshold For `"contour"`, the value of the response.
#' @param over For `"imspe"`, a data frame of the points of the region.
#' @param constraints Other responses that must stay below or above a limit: [btg_constraint()], or
#'   a list of such.
#' @param observation `TRUE` for a new observation with its noise instead of the process.
#' @param gradient `TRUE` to add derivatives along the variables: see [btg-slopes].
#' @param threads How many threads to use. Results do not depend on it.
#'
#' @return A vector with one number for each row of `newdata`. It is `NA` where the row cannot be
#'   predicted, and, with a warning, where tails are too heavy for an expected improvement to exist.
#'   With `gradient = TRUE` it has an attribute `gradient`: a matrix with a row for each row of
#'   `newdata` and a column for each variable, `NA` for factors.
#' @seealso [suggest()], [btg_optimise()], [btg_constraint()]
#' @references Jones, D. R., Schonlau, M. and Welch, W. J. (1998). Efficient global optimization of
#'   expensive black-box functions. *Journal of Global Optimization* 13, 455--492.
#' @examples
#' d <- data.frame(x = c(0.05, 0.2, 0.35, 0.5, 0.6, 0.75, 0.85, 0.95))
#' d$y <- exp(sin(9 * d$x)) + d$x
#' fit <- btg(y ~ x, d, transform = "softplus")
#' grid <- data.frame(x = seq(0, 1, by = 0.1))
#' acquire(fit, grid)
#' acquire(fit, grid, "contour", threshold = 2)
#' acquire(fit, grid, "imspe")
#'
#' # The mean of the best tenth of what may come out
#' acquire(fit, grid, function(draws) -apply(draws, 1, function(y) mean(sort(y)[1:25])))
#' @export
# nolint end
acquire <- function(fit, newdata, criterion = "ei", ...,
                    maximise = FALSE, target = c("observed", "median"), prob = 0.9,
                    threshold = NULL, over = NULL, constraints = NULL,
                    observation = FALSE, gradient = FALSE, threads = getOption("btg.threads", 1)) {
  check_fit(fit)
  check_dots(..., valid = names(formals(acquire)))
  given <- c(target = !missing(target), prob = !missing(prob))
  criterion <- check_wanted_criterion(criterion, names(criteria))
  check_flag(gradient)
  check_count(threads)
  if (missing(newdata)) {
    abort_btg(c("`newdata` is missing.", i = "Give the rows to choose from, as for `predict()`."),
              "argument")
  }
  spec <- acquisition(fit, criterion, maximise, target, prob, threshold, over, constraints,
                      observation, given, threads)
  if (spec$is_infeasible) inform_infeasible()
  acquired <- answer_acquisition(fit, newdata, spec, gradient, threads)
  missing <- sum(is.na(acquired$value[acquired$complete]))
  if (spec$criterion$is_moment && missing > 0L) warn_no_improvement(missing)
  if (gradient) structure(acquired$value, gradient = acquired$gradient) else acquired$value
}

# A criterion, checked once: list(criterion, question, at, weights, observation, constraints,
# feasible, unit), where the value is the answers to the question at `at`, weighted, times the
# probability of the constraints. `feasible` marks the rows of the fit that probably satisfy them;
# where a target needs one and there is none, the value is that probability alone.
acquisition <- function(fit, criterion, maximise = FALSE, target = "observed", prob = 0.9,
                        threshold = NULL, over = NULL, constraints = NULL, observation = FALSE,
                        given = c(target = FALSE, prob = FALSE), threads = 1) {
  check_flag(maximise)
  check_flag(observation)
  check_level(prob)
  row <- criterion_row(criterion, length(constraints) > 0L)
  check_unused_criterion(row, c(given, threshold = !is.null(threshold), over = !is.null(over)))
  constraints <- constraint_questions(constraints, row, observation)
  seeks_target <- "target" %in% row$takes && !is.numeric(target)
  feasible <- feasible_rows(fit, constraints, seeks_target, threads)
  is_infeasible <- !any(feasible) && seeks_target
  if (is_infeasible) row <- feasibility_alone
  settings <- list(
    maximise = maximise,
    prob = prob,
    target = if ("target" %in% row$takes) {
      improvement_target(fit, target, maximise, feasible, threads)
    },
    threshold = if ("threshold" %in% row$takes) {
      response_value(threshold, fit$blueprint, "threshold")
    },
    over = if ("over" %in% row$takes) reduction_region(fit, over)
  )
  c(list(criterion = row, observation = observation, constraints = constraints,
         feasible = feasible, is_infeasible = is_infeasible, unit = fit$scaling$y$scale),
    row$ask(settings))
}

# list(value, gradient, complete) at `newdata`, by the fit's ensemble or a thinner one.
answer_acquisition <- function(fit, newdata, spec, gradient, threads, tolerance = NULL,
                               ensemble = ensemble_of(fit)) {
  own <- spec$criterion$answer(fit, newdata, spec, gradient, threads, tolerance, ensemble)
  times_feasible(own, newdata, spec, gradient, threads, tolerance)
}

# The number to improve on, among the `feasible` rows.
improvement_target <- function(fit, target, maximise, feasible, threads) {
  best <- if (maximise) max else min
  target <- response_in_unit(target, fit$blueprint, "target")
  if (is_number(target)) {
    return(as.double(target))
  }
  if (is.numeric(target)) {
    abort_argument("target", "must be \"observed\", \"median\" or one number", target)
  }
  target <- check_choice(target, c("observed", "median"), "target")
  if (target == "observed") {
    check_exact_responses(fit, "`target = \"observed\"`", "Use `target = \"median\"` or a number.")
    return(best(fit_response(fit)[feasible]))
  }
  request <- new_request(fit_points(fit), list(quantile = matrix(0.5)), FALSE,
                         run = new_run(threads))
  best(answer(ensemble_of(fit), request)$answers$quantile$value[feasible], na.rm = TRUE)
}

# A setting that the criterion does not take is a mistake.
check_unused_criterion <- function(criterion, given) {
  unused <- setdiff(names(given)[given], criterion$takes)
  if (length(unused) > 0L) {
    takers <- Filter(function(row) unused[1L] %in% row$takes, criteria)
    abort_btg(c(paste0("`", unused[1L], "` has no effect here."),
                i = paste0("It goes with `criterion = ",
                           paste0("\"", names(takers), "\"", collapse = " or "), "`.")),
              "argument")
  }
}

warn_no_improvement <- function(missing) {
  warn_btg(c(
    "The expected improvement does not exist at some rows.",
    x = paste0("At ", count_noun(missing, "row"), " the tails of the predictive distribution are ",
               "too heavy; there it is NA."),
    i = "Use `criterion = \"pi\"` or \"quantile\", or a transform with lighter tails."
  ), "moments")
}
