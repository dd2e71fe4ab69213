#' Find the rows that drive a prediction
#'
#' `influence()` shows how the predicted median, and the probability of exceeding a value, would
#' change at new points if one row of the data had not been observed. Nothing is fitted again.
#'
#' @param model A fit by [btg()] or [wgp()].
#' @param newdata The points whose predictions are examined, as in [predict.btg()].
#' @param at A value of the response: adds the change of the probability of exceeding it.
#' @param rows The rows of the data to leave out, by number or name; by default each in turn.
#' @param observation `FALSE`, the default here, for the noise-free process, whose probabilities
#'   react more than those of observations; `TRUE` for observations.
#' @param threads How many threads to use.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `btg_influence` with methods for `print()`, `plot()` and
#'   `as.data.frame()`. It is a list with
#'   * `median`: a matrix with a row for each row of the data and a column for each new point: the
#'     median without the row minus the median with it. A positive number means that the row pulls
#'     the prediction down;
#'   * `exceedance`: the same for the probability of exceeding `at`;
#'   * `width`: the width of the 95% interval without the row, divided by its width with the row;
#'   * `predictions`: a data frame of the median, the interval and the exceedance with all rows.
#'
#'   A row without which the trend is not determined has `NA`.
#'
#' @details At every node the prediction without a row follows exactly from the fit, and nodes are
#'   reweighted by their likelihood without the row. The transform, the lengthscales and the noise
#'   may therefore change without a row, as far as the nodes reach: see *What is exact* in
#'   [loocv()]. Their priors and the scaling of the inputs stay.
#'
#' @seealso [loocv()], which shows how well each row is predicted from the others
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "softplus")
#' influential <- influence(fit, data.frame(speed = c(10, 24)), at = 60)
#' influential
#' plot(influential)
#' @importFrom stats influence
#' @export
influence.btg <- function(model, newdata, at = NULL, rows = NULL, observation = FALSE,
                          threads = getOption("btg.threads", 1), ...) {
  check_fit(model)
  check_dots(..., valid = names(formals(influence.btg)))
  check_flag(observation)
  check_count(threads)
  if (!is.null(at)) at <- response_value(at, model$blueprint, "at")
  if (is_approximate(model)) {
    abort_btg(c("The influence of rows needs the exact covariance, which this fit approximates.",
                i = "Fit with `approx = \"exact\"`, perhaps to the rows near the new points."),
              "approximate")
  }
  if (missing(newdata)) {
    abort_btg(c("`newdata` is missing.", i = "Give the points whose predictions are examined."),
              "argument")
  }
  left_out <- influence_rows(model, rows)
  points <- prediction_points(model, newdata)
  with <- influence_questions(at)
  request <- new_request(points, with, observation, run = new_run(threads))
  all <- lapply(answer(ensemble_of(model), request)$answers, function(one) one$value)
  without <- with_progress("Leaving out", answers_without(model, request, left_out))
  influence_result(model, points, all, without, left_out, at)
}

influence_questions <- function(at) {
  c(list(quantile = rbind(c(0.5, 0.025, 0.975))), if (!is.null(at)) list(exceedance = matrix(at)))
}

# Returns the numbers of the rows to leave out.
influence_rows <- function(fit, rows) {
  if (is.null(rows)) {
    return(seq_len(row_count(fit)))
  }
  found <- if (is.character(rows)) match(rows, fit$row_names) else rows
  if (!is.numeric(found) || length(found) == 0L || !all(found %in% seq_len(row_count(fit))) ||
        anyDuplicated(found)) {
    abort_argument("rows", "must be different rows of the data, by number or name", rows)
  }
  as.integer(found)
}

# Returns the answers without each row, in the units of the response: for each question an array of
# rows x points x columns.
answers_without <- function(fit, request, left_out) {
  ensemble <- ensemble_of(fit)
  points <- request$points
  scaling <- ensemble$scaling
  request$questions <- scale_questions(request$questions, scaling)
  opened <- open_ensemble(ensemble, request$run)
  columns <- vapply(request$questions, ncol, 0L)
  result <- lapply(columns, function(k) {
    array(NA_real_, c(length(left_out), length(points$complete), k))
  })
  # Locations and scales at all nodes, rows and points of a chunk are held together.
  for (chunk in row_chunks(which(points$complete), length(ensemble$weight) * length(left_out))) {
    core <- check_core(core_influence(opened$ensemble, core_request(ensemble, request, chunk),
                                      left_out, ensemble$joint, core_run(request$run$threads)))
    status <- as.vector(core$folds$status) == registry()$fold_statuses[1L]
    for (name in names(result)) {
      units <- registry()$questions[[name]]$units
      values <- unscale_answer(core$answers[[name]], units, scaling)$value
      values <- array(values, c(length(left_out), length(chunk), columns[[name]]))
      values[!status, , ] <- NA
      result[[name]][, chunk, ] <- values
    }
  }
  result
}

influence_result <- function(fit, points, all, without, left_out, at) {
  names <- list(make.unique(fit$row_names)[left_out], make.unique(points$names))
  change <- function(question) {
    one <- matrix(without[[question]][, , 1L], length(left_out), dimnames = names)
    one - rep(all[[question]][, 1L], each = length(left_out))
  }
  width <- without$quantile[, , 3L] - without$quantile[, , 2L]
  before <- rep(all$quantile[, 3L] - all$quantile[, 2L], each = length(left_out))
  # Two intervals that are a point, as at a bound, have the same width.
  width <- matrix(ifelse(width == before, 1, width / before), length(left_out), dimnames = names)
  predictions <- data.frame(median = all$quantile[, 1L], lwr = all$quantile[, 2L],
                            upr = all$quantile[, 3L], row.names = names[[2L]])
  if (!is.null(at)) predictions$exceedance <- all$exceedance[, 1L]
  structure(list(median = change("quantile"), exceedance = if (!is.null(at)) change("exceedance"),
                 width = width, predictions = predictions, at = at, response = fit$response_name,
                 rows = left_out), class = "btg_influence")
}
