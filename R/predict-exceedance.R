#' Find where the response is above a threshold, everywhere at once
#'
#' `exceedance_region()` finds the largest region in which the response is above a threshold in all
#' places together, with a stated probability. It also finds the region below, and the places in
#' between where the data do not decide. A map of the places whose own probability is 95% is not
#' such a region: among a hundred such places, five are expected to be below.
#'
#' @param fit A fit by [btg()] or [wgp()].
#' @param newdata The rows, such as the cells of a map: a data frame, or points of the package sf.
#' @param threshold The value of the response.
#' @param level The joint probability.
#' @param observation `FALSE` for the noise-free process, the default (with a message if there is
#'   noise); `TRUE` for observations. Observations with independent noise are rarely all above a
#'   threshold.
#' @param nsim,seed,threads,include,exclude As in [predict_region()]; `nsim` is 4096 by default.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `btg_exceedance` with methods for `print()`, `plot()` and
#'   `as.data.frame()`. Its component `rows` is a data frame with a row for each row of `newdata`:
#'   * `exceedance`: the probability that this row alone is above the threshold;
#'   * `region`: `"above"`, `"below"` or `"between"`;
#'   * `joint`: the largest joint probability of a region `"above"` that contains this row. The rows
#'     with a `joint` of at least 0.8 are the region of level 0.8, and so on;
#'   * `joint_below`: the same for `"below"`.
#'
#'   `possible` holds the rows that may be above, which are all except those `"below"`. The places
#'   above the threshold lie inside them with probability `level`. `probability` and `error` are the
#'   joint probabilities of the two regions and their Monte Carlo standard errors.
#'
#' @details Rows enter a region in the order of their own probability, so a region has the form
#'   \eqn{\{x: P(Y(x) > c) \ge t\}}{{x: P(Y(x) > c) >= t}}, with the smallest \eqn{t} that keeps the
#'   joint probability. Probabilities of single rows are exact. Joint probabilities come from draws,
#'   made as in [predict_region()].
#'
#' @references Bolin, D. and Lindgren, F. (2015). Excursion and contour uncertainty regions for
#'   latent Gaussian models. *Journal of the Royal Statistical Society B* **77**, 85--106.
#' @seealso [predict_region()] for the share of an area above a threshold; `type = "exceedance"` in
#'   [predict.btg()] for single rows.
#' @examples
#' # Where are earthquakes near Fiji deeper than 300 km?
#' some <- quakes[seq(1, 1000, by = 10), ]
#' fit <- btg(depth ~ sphere(long, lat), some, transform = "softplus", kernel = "matern52")
#' map <- expand.grid(lat = seq(-36, -12, length.out = 12), long = seq(166, 188, length.out = 12))
#' deep <- exceedance_region(fit, map, threshold = 300, observation = FALSE)
#' deep
#' plot(deep)
#' @export
exceedance_region <- function(fit, newdata, threshold, level = 0.95, observation = NULL,
                              nsim = 4096, seed = 1, threads = getOption("btg.threads", 1),
                              include = NULL, exclude = NULL, ...) {
  check_fit(fit)
  check_dots(..., valid = names(formals(exceedance_region)))
  check_drawable(fit)
  threshold <- response_value(threshold, fit$blueprint, "threshold")
  check_level(level)
  check_count(nsim)
  check_whole(seed)
  check_count(threads)
  observation <- check_noise_choice(observation, fit, "process")
  fit <- with_chosen_terms(fit, include, exclude)
  points <- prediction_points(fit, newdata)
  rows <- which(points$complete)
  if (length(rows) == 0L) {
    abort_btg("`newdata` has no row that can be predicted.", "regions")
  }
  request <- new_request(points, list(exceedance = matrix(threshold)), observation,
                         run = new_run(threads))
  exceedance <- answer(ensemble_of(fit), request)$answers$exceedance$value[, 1L]
  joint <- with_progress("Drawing", joint_sets(fit, points, rows, exceedance[rows], threshold,
                                               observation, nsim, seed, threads))
  table <- data.frame(exceedance = unname(exceedance), region = NA_character_, joint = NA_real_,
                      joint_below = NA_real_, row.names = make.unique(points$names))
  table$joint[rows] <- joint$above
  table$joint_below[rows] <- joint$below
  # Both sets cannot hold a row at levels above a half.
  table$region[rows] <- ifelse(joint$above >= level, "above",
                               ifelse(joint$below >= level, "below", "between"))
  structure(list(
    rows = table, possible = which(table$region != "below"), threshold = threshold, level = level,
    probability = c(above = least_of(joint$above, level), below = least_of(joint$below, level)),
    error = sqrt(level * (1 - level) / joint$nsim), observation = observation, nsim = joint$nsim,
    response = fit$response_name, places = map_places(newdata, fit)
  ), class = "btg_exceedance")
}

# The probability of a region is the least of its rows', and 1 for an empty one.
least_of <- function(joint, level) min(1, joint[joint >= level])

# Returns list(above, below, nsim): for each row, the joint probability of the set that it completes
# in the order of the rows' own probabilities. Draws come in parts, which limits the memory.
joint_sets <- function(fit, points, rows, exceedance, threshold, observation, nsim, seed,
                       threads) {
  order_above <- order(-exceedance)
  order_below <- order(exceedance)
  # How many draws leave the set with each row, in these orders.
  lost_above <- lost_below <- numeric(length(rows) + 1L)
  count <- 0L
  while (count * field_replicates < nsim) {
    part <- min(256L, ceiling(nsim / field_replicates) - count)
    field <- field_draws(fit, points, rows, part, count, observation, seed, threads)
    is_above <- field$draws > threshold
    lost_above <- lost_above + first_failures(is_above[order_above, , drop = FALSE])
    lost_below <- lost_below + first_failures(!is_above[order_below, , drop = FALSE])
    count <- count + part
  }
  nsim <- count * field_replicates
  list(above = survivors(lost_above, nsim, order_above),
       below = survivors(lost_below, nsim, order_below), nsim = nsim)
}

# Counts the draws (columns) whose first FALSE is in each row; the last element counts those
# without.
first_failures <- function(holds) {
  first <- rep(nrow(holds) + 1L, ncol(holds))
  alive <- rep(TRUE, ncol(holds))
  for (i in seq_len(nrow(holds))) {
    failed <- alive & !holds[i, ]
    first[failed] <- i
    alive[failed] <- FALSE
  }
  tabulate(first, nrow(holds) + 1L)
}

# Returns the share of draws that hold in all rows up to each, in the rows' own order.
survivors <- function(lost, nsim, order) {
  n <- length(order)
  share <- 1 - cumsum(lost[seq_len(n)]) / nsim
  share[order(order)]
}

# Returns list(x, y, labels), the places of rows on a map by the first two numeric variables of the
# fit, or NULL if there are not two.
map_places <- function(newdata, fit) {
  newdata <- plain_data(newdata)
  curves <- Filter(function(name) {
    is.numeric(newdata[[name]]) && is.null(dim(newdata[[name]]))
  }, intersect(names(fit$blueprint$columns), colnames(newdata)))
  if (!is.data.frame(newdata) || length(curves) < 2L) {
    return(NULL)
  }
  labels <- coordinate_pair(curves)
  if (is.null(labels)) labels <- curves[1:2]
  list(x = as.double(newdata[[labels[1L]]]), y = as.double(newdata[[labels[2L]]]), labels = labels)
}
