#' Simulated responses
#'
#' Draws from the predictive distribution. Joint draws are fields: at points close to each other
#' they take values close to each other, as the model says. Each draw first chooses a node by its
#' weight, then takes a multivariate t distribution through the inverse transform.
#'
#' @param object A fit by [btg()].
#' @param nsim The number of draws.
#' @param seed `NULL`, or a seed for [set.seed()], after which the state of the random number
#'   generator is restored: as in [stats::simulate()].
#' @param newdata A data frame with the variables of the fit (or a matrix, after a fit to one);
#'   without it, draws are made at the data of the fit.
#' @param joint `TRUE` for joint draws over all rows of `newdata`; `FALSE` for draws that are
#'   independent from row to row, which is faster and enough for one row at a time. A number, such
#'   as 2000, is for many rows: draws are joint within blocks of at most so many near rows, and
#'   blocks are independent given the data and the node.
#' @param observation `TRUE` to draw new observations, with their noise; `FALSE` to draw the
#'   noise-free process, mapped to the scale of the response.
#' @param weights The weights of the rows of `newdata`, after a fit with `weights`: see
#'   [predict.btg()].
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used: an argument that is not known is an error.
#'
#' @return A data frame with one column for each draw, `sim_1`, `sim_2`, ..., and one row for each
#'   row of `newdata`, `NA` where it cannot be predicted. Its attribute `seed` is as in
#'   [stats::simulate()].
#'
#' @details Joint draws need the covariance of all rows at each node drawn: memory grows with the
#'   square of the number of rows, and time with its cube. What does not fit into memory is refused:
#'   see [btg-package]. With `joint = 2000` both grow with the number of rows only. Fields then have
#'   seams between blocks, which are small where data are dense.
#'
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' grid <- data.frame(speed = seq(4, 25, length.out = 50))
#' draws <- simulate(fit, nsim = 5, seed = 1, newdata = grid, observation = FALSE)
#' matplot(grid$speed, draws, type = "l", lty = 1, xlab = "speed", ylab = "dist")
#' @export
simulate.btg <- function(object, nsim = 1, seed = NULL, newdata, joint = TRUE, observation = TRUE,
                         weights = NULL, threads = getOption("btg.threads", 1), ...) {
  check_fit(object)
  check_dots(..., valid = names(formals(simulate.btg)))
  check_count(nsim)
  joint <- check_joint(joint)
  check_flag(observation)
  check_count(threads)
  if (any(node_weights(object) < 0)) {
    abort_btg(c("Nodes with negative weights cannot be drawn.",
                i = "Use the default quadrature, whose weights are positive."), "quadrature")
  }
  check_new_weights(weights, missing(newdata))
  points <- prediction_points(object, if (missing(newdata)) NULL else newdata, weights)
  check_memory(3 * 8 * length(points$complete) * nsim, "The draws", "Ask for fewer.")
  if (joint > 0) {
    check_covariance_size(min(joint, sum(points$complete)), min(threads, nsim))
  }
  with_seed(seed, function() {
    draws <- if (joint > 0) {
      joint_draws(object, points, nsim, observation, joint, threads)
    } else {
      uniform <- matrix(stats::runif(length(points$complete) * nsim), ncol = nsim)
      request <- new_request(points, list(draw = uniform), observation, run = new_run(threads))
      answer(ensemble_of(object), request)$answers$draw$value
    }
    colnames(draws) <- paste0("sim_", seq_len(nsim))
    as.data.frame(draws)
  })
}

# Returns the number of rows drawn together: Inf for TRUE, 0 for FALSE.
check_joint <- function(joint) {
  if (is_number(joint)) {
    return(check_count(joint))
  }
  if (check_flag(joint)) Inf else 0
}

# Runs `draw` with the convention of stats::simulate(): from `seed`, or else from the state of the
# generator, which the result keeps as an attribute.
with_seed <- function(seed, draw) {
  if (!is.null(seed) && !is_number(seed)) {
    abort_argument("seed", "must be a number, or NULL", seed)
  }
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) stats::runif(1)
  before <- get(".Random.seed", envir = globalenv())
  if (is.null(seed)) {
    return(structure(draw(), seed = before))
  }
  on.exit(assign(".Random.seed", before, envir = globalenv()))
  set.seed(seed)
  kind <- structure(seed, kind = as.list(RNGkind()))
  structure(draw(), seed = kind)
}

# Each thread holds the covariance of all rows and its factor.
check_covariance_size <- function(rows, threads) {
  check_memory(
    2 * 8 * rows^2 * threads,
    paste0("The covariance of ", format(rows, big.mark = ","), " rows",
           if (threads > 1) paste0(" on ", threads, " threads")),
    paste0("Draw at fewer rows", if (threads > 1) ", use fewer threads",
           ", in blocks of 2000 by `joint = 2000`, or independently by `joint = FALSE`.")
  )
}

# Returns one column per draw. Each draw samples a node from all models by weight; `most` rows are
# drawn together.
joint_draws <- function(fit, points, nsim, observation, most, threads) {
  ensemble <- with_built_models(ensemble_of(fit))
  rows <- which(points$complete)
  batches <- near_batches(in_lengthscales(fit, points$inputs[rows, , drop = FALSE]), most)
  draws <- matrix(NA_real_, length(points$complete), nsim, dimnames = list(points$names, NULL))
  df <- degrees_of_freedom(ensemble$models[[1L]]$problem, ensemble$design)
  drawn <- sample.int(length(ensemble$weight), nsim, replace = TRUE, prob = ensemble$weight)
  chi_square <- if (is.finite(df)) stats::rchisq(nsim, df) / df else rep(1, nsim)
  # A share `open` of whole draws may go below an inferred bound.
  ends <- response_ends(ensemble$scaling)
  open <- if (ends$open > 0) stats::runif(nsim) < ends$open else rep(FALSE, nsim)
  # Filling by row keeps the draws at earlier rows when rows are added.
  normals <- matrix(stats::rnorm(length(rows) * nsim), ncol = nsim, byrow = TRUE)
  for (batch in batches) {
    core <- check_core(core_draw(core_members(ensemble),
                                 core_points(points, rows[batch], observation), drawn,
                                 normals[batch, , drop = FALSE], chi_square, core_run(threads)))
    scaled <- pmin(core$draws, ends$ceiling)
    scaled[, !open] <- pmax(scaled[, !open], ends$floor)
    draws[rows[batch], ] <- unscale_response(scaled, ensemble$scaling)
  }
  pad_left_out(draws, points)
}

# Scales points by the typical lengthscales of the first model.
in_lengthscales <- function(fit, inputs) {
  typical <- typical_lengthscales(kept_models(fit)[[1L]])[fit$design$lengthscale_of_column]
  levels <- fit$design$levels
  levels$squared_distance <- levels$squared_distance / typical[levels$column]^2
  typical[levels$column] <- 1
  euclidean_inputs(sweep(inputs, 2L, typical, "/"), levels)
}

# Splits the rows of `x` into batches of at most `most` near ones, each in increasing order, by
# halving along the widest column.
near_batches <- function(x, most, rows = seq_len(nrow(x))) {
  if (length(rows) == 0L) {
    return(list())
  }
  if (length(rows) <= most) {
    return(list(rows))
  }
  widest <- which.max(apply(x[rows, , drop = FALSE], 2L, function(column) diff(range(column))))
  first <- seq_along(rows) <= length(rows) / 2
  sorted <- rows[order(x[rows, widest])]
  c(near_batches(x, most, sort(sorted[first])), near_batches(x, most, sort(sorted[!first])))
}
