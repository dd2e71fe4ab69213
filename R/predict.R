#' Predictions of a fit
#'
#' The prediction at a point is a distribution on the scale of the response: a mixture over the
#' nodes of the fit. `predict()` gives its median, intervals, any quantiles, its distribution
#' function or its density.
#'
#' @param object A fit by [btg()].
#' @param newdata A data frame with the variables of the fit (or a matrix, after a fit to one).
#'   Rows and their order are kept; a row with missing values is answered by `NA`, and so is, with
#'   a warning, one that the warp of an input does not reach (see [btg()]). Without `newdata`,
#'   predictions are made at the data of the fit.
#' @param type What to return: `"response"` is the median, with `interval` if asked;
#'   `"quantile"`, the quantiles at `probs`; `"cdf"` and `"density"`, the distribution function
#'   and the density at `at`.
#' @param interval `"credible"` adds an equal-tailed interval of probability `level`.
#' @param level The probability of the interval.
#' @param probs Probabilities strictly between 0 and 1.
#' @param at Values of the response: a vector, used at every row of `newdata`, or a matrix with
#'   one row for each row of `newdata`.
#' @param observation `TRUE` to predict a new observation, with its noise; `FALSE` to predict the
#'   noise-free process, mapped to the scale of the response.
#' @param se.fit `TRUE` to add the standard errors of the quantiles that come from the quadrature:
#'   what a fit with other nodes would change. They are estimates, for rules that draw points.
#' @param tolerance The accuracy of quantiles: the distribution function there is within
#'   `tolerance * min(p, 1 - p)` of the probability `p`.
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used: an argument that is not known is an error.
#'
#' @return For `type = "response"`, a vector of medians; with `interval = "credible"`, a matrix
#'   with columns `fit`, `lwr` and `upr`. For the other types, a matrix with one row for each row
#'   of `newdata` and one column for each element of `probs` or `at`. With `se.fit = TRUE`, a list
#'   with components `fit`, as above, and `se.fit`, of the same shape.
#'
#' @section Support:
#' Some transforms have a bounded image, as Box-Cox has. The predictive distribution of each node
#' is truncated to it, so that quantiles never leave the support of the response. A warning says
#' when that removes more than 1% of the mass of a prediction.
#'
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' new <- data.frame(speed = c(5, 15, 25))
#' predict(fit, new)
#' predict(fit, new, interval = "credible", level = 0.9)
#' predict(fit, new, type = "quantile", probs = c(0.1, 0.5, 0.9))
#' 1 - predict(fit, new, type = "cdf", at = 50) # P(dist > 50)
#' @export
predict.btg <- function(object, newdata, type = c("response", "quantile", "cdf", "density"),
                        interval = c("none", "credible"), level = 0.95,
                        probs = c(0.025, 0.5, 0.975), at = NULL, observation = TRUE,
                        se.fit = FALSE, tolerance = 1e-10, threads = 1, ...) {
  call <- quote(predict())
  check_dots(..., valid = names(formals(predict.btg)), call = call)
  type <- check_choice(type, eval(formals(predict.btg)$type), "type", call)
  interval <- check_choice(interval, eval(formals(predict.btg)$interval), "interval", call)
  unused <- c(level = !missing(level) && interval == "none",
              probs = !missing(probs) && type != "quantile",
              at = !is.null(at) && !type %in% c("cdf", "density"))
  check_unused(names(unused)[unused], call)
  check_flag(observation, call = call)
  check_flag(se.fit, call = call)
  check_level(tolerance, call = call)
  check_count(threads, call = call)
  points <- prediction_points(object, if (missing(newdata)) NULL else newdata, call)

  if (type == "response") {
    probs <- 0.5
    if (interval == "credible") {
      check_level(level, call = call)
      probs <- c(0.5, (1 - level) / 2, (1 + level) / 2)
    }
    columns <- c("fit", "lwr", "upr")[seq_along(probs)]
  } else if (type == "quantile") {
    check_probs(probs, call = call)
    columns <- paste0(vapply(100 * probs, format, "", digits = 7), "%")
  }
  if (type %in% c("response", "quantile")) {
    answer <- answer_quantiles(object, points, probs, observation, tolerance, threads, call)
    shape <- function(values) {
      colnames(values) <- columns
      alone <- type == "response" && interval == "none"
      if (alone) stats::setNames(values[, 1L], rownames(values)) else values
    }
    answer <- lapply(answer, shape)
    return(if (se.fit) answer else answer$fit)
  }
  at <- check_at(at, length(points$complete), call)
  answer_at(object, points, type, at, observation, threads, call)
}

# The rows to predict, in the core's units: list(inputs, trend, complete, names, na.action).
prediction_points <- function(fit, newdata, call) {
  if (is.null(newdata)) {
    return(list(inputs = fit$problem$inputs, trend = fit$problem$trend,
                complete = rep(TRUE, stats::nobs(fit)), names = fit$row_names,
                na.action = fit$na.action))
  }
  new <- apply_blueprint(fit$blueprint, newdata, call)
  names <- rownames(newdata)
  if (is.null(names)) names <- as.character(seq_along(new$complete))
  new <- leave_out_unwarpable(new, fit$scaling$x$warp, names, call)
  list(inputs = scale_inputs(new$inputs, fit$scaling$x), trend = new$trend,
       complete = new$complete, names = names)
}

answer_quantiles <- function(fit, points, probs, observation, tolerance, threads, call) {
  answer <- ask_core(fit, points, "quantile", rbind(probs), observation, tolerance, threads, call)
  list(fit = unscale_response(answer$value, fit$scaling$y),
       se.fit = fit$scaling$y$scale * answer$standard_error)
}

answer_at <- function(fit, points, type, at, observation, threads, call) {
  scaled <- scale_response(at, fit$scaling$y)
  answer <- ask_core(fit, points, type, scaled, observation, 1e-10, threads, call)$value
  if (nrow(at) == 1L) colnames(answer) <- format(at[1L, ], trim = TRUE, digits = 7)
  if (type == "density") answer / fit$scaling$y$scale else answer
}

# One row for all points, or a row for each.
check_at <- function(at, n, call) {
  if (is.null(at)) {
    abort_btg(c("`at` is missing.", i = "Give the values of the response to evaluate at."),
              "argument", call)
  }
  if (!is.numeric(at) || anyNA(at) || (length(at) == 0L && !is.matrix(at))) {
    abort_argument("at", "must be numbers without missing values", at, call)
  }
  if (!is.matrix(at)) {
    return(rbind(as.double(at)))
  }
  if (nrow(at) != n) {
    abort_btg(c("A matrix `at` must have one row for each row of `newdata`.",
                x = paste0("It has ", count_noun(nrow(at), "row"), ", `newdata` ", n, ".")),
              "argument", call)
  }
  at
}

# list(value, standard_error), each a matrix with one row for each point: NA where a point is
# not complete. Points go to the core in blocks, which bounds the memory it needs.
ask_core <- function(fit, points, what, values, observation, tolerance, threads, call) {
  answer <- matrix(NA_real_, length(points$complete), ncol(values),
                   dimnames = list(points$names, NULL))
  error <- answer
  lost_mass <- rep(0, nrow(answer))
  rearranged <- 0
  problem <- runnable(fit$problem, threads)
  for (rows in row_blocks(which(points$complete), length(fit$posterior$weight))) {
    core <- check_core(
      core_predict(problem, fit$posterior$hyper, fit$posterior$weight,
                   points$inputs[rows, , drop = FALSE], points$trend[rows, , drop = FALSE],
                   observation, what,
                   if (nrow(values) > 1L) values[rows, , drop = FALSE] else values, tolerance),
      call
    )
    answer[rows, ] <- core$answer
    if (what == "quantile") error[rows, ] <- core$standard_error
    lost_mass[rows] <- core$lost_mass
    rearranged <- rearranged + core$rearranged
  }
  warn_lost_mass(lost_mass, points$names, call)
  warn_rearranged(rearranged, sum(points$complete), call)
  pad <- function(values) {
    if (is.null(points$na.action)) values else stats::napredict(points$na.action, values)
  }
  list(value = pad(answer), standard_error = pad(error))
}

# At most 2^22 pairs of a row and a node at a time, two doubles each.
row_blocks <- function(rows, nodes) {
  size <- max(256, 2^22 %/% nodes)
  split(rows, (seq_along(rows) - 1L) %/% size)
}

warn_rearranged <- function(rearranged, n, call) {
  if (rearranged > 0L) {
    warn_btg(c(
      "The signed weights of the quadrature do not make distribution functions.",
      x = paste0("At ", rearranged, " of ", count_noun(n, "point"),
                 " the predictive distribution function was not monotone and was rearranged."),
      i = "Use the default quadrature, or a higher level."
    ), "rearranged", call)
  }
}

warn_lost_mass <- function(lost_mass, rows, call) {
  worst <- which.max(lost_mass)
  if (length(worst) > 0L && lost_mass[worst] > 0.01) {
    warn_btg(c(
      "Some predictions lose mass at the edge of the transform's image.",
      x = paste0("Up to ", format(100 * lost_mass[worst], digits = 2), "% of a prediction, ",
                 "in row ", rows[worst], ", lies where the transform has no inverse."),
      i = paste0("Predictions are renormalised. `transform = \"sinharcsinh\"` or \"softplus\" ",
                 "has no such edge.")
    ), "lost_mass", call)
  }
}
