#' Simulate responses
#'
#' `simulate()` draws responses from the predictive distribution. Draws are joint by default:
#' responses at neighbouring points are alike, as the model expects. Use them for anything that
#' depends on several points, and [predict_region()] for totals, means and maxima.
#'
#' @param object A fit by [btg()] or [wgp()].
#' @param nsim The number of draws.
#' @param seed `NULL`, or a seed for [set.seed()], as in [stats::simulate()]. The state of the
#'   random number generator is restored afterwards.
#' @param newdata A data frame with the variables of the fit, or a matrix after a fit to one.
#'   Without it, draws are made at the rows of the fit.
#' @param joint `TRUE` for joint draws over all rows of `newdata`. `FALSE` for independent draws
#'   from row to row, which are faster. A number, such as 2000, draws in blocks of at most so many
#'   neighbouring rows: see *Many rows*.
#' @param observation `TRUE` to draw new observations, with their noise; `FALSE` to draw the
#'   noise-free process on the scale of the response.
#' @param weights The weights of the rows of `newdata`, after a fit with `weights`: see
#'   [predict.btg()].
#' @param include,exclude Names of covariance terms (see [btg-terms]), such as `"(1 | site)"`: those
#'   to draw, or those to leave out. The trend stays, and `newdata` needs no variables of terms that
#'   are left out.
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Not used: an unknown argument is an error.
#'
#' @return A data frame with one column for each draw, `sim_1`, `sim_2`, ..., and one row for each
#'   row of `newdata`, `NA` where it cannot be predicted. Its attribute `seed` is as in
#'   [stats::simulate()]. Draws are never censored.
#'
#' @section How draws are made:
#' Each draw chooses a node by its weight, draws from the multivariate t distribution of this node,
#' and applies the inverse transform. Nodes are sampled systematically. The same `seed` gives the
#' same draws, whatever the number of threads.
#'
#' @section Many rows:
#' Joint draws need the covariance of all rows at each node: memory grows with the square of the
#' number of rows, and time with its cube. Requests that do not fit into memory are refused: see
#' [btg-package].
#'
#' With `joint = 2000`, both grow in proportion to the number of rows. A draw begins with rows that
#' are spread over all of `newdata`, up to half as many as a block has, which carry the correlation
#' over long distances. Each block is drawn given them and the nearest rows of earlier blocks. The
#' distribution at each row is exact. On a grid of 45 x 45 cells, the standard deviation of the
#' total over all cells agreed with that of joint draws, for blocks of 500 and of 100, within the 5%
#' that 200 draws can show.
#'
#' Draws of more than about 500 rows share nodes, at least 16 per call, since each node needs a
#' covariance of its own. Each draw alone still has the predictive distribution. Summaries of many
#' such draws keep the error of 16 systematic samples of the hyperparameters, however many draws
#' there are.
#'
#' @seealso [predict_region()] for summaries of regions, [predict.btg()] for single rows
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' grid <- data.frame(speed = seq(4, 25, length.out = 50))
#' draws <- simulate(fit, nsim = 5, seed = 1, newdata = grid, observation = FALSE)
#' matplot(grid$speed, draws, type = "l", lty = 1, xlab = "speed", ylab = "dist")
#' @export
simulate.btg <- function(object, nsim = 1, seed = NULL, newdata, joint = TRUE, observation = TRUE,
                         weights = NULL, threads = getOption("btg.threads", 1), include = NULL,
                         exclude = NULL, ...) {
  check_fit(object)
  check_dots(..., valid = names(formals(simulate.btg)))
  joint <- check_joint(joint)
  check_flag(observation)
  fit <- with_chosen_terms(object, include, exclude)
  simulated_rows(fit, if (missing(newdata)) NULL else newdata, nsim, seed, joint, observation,
                 weights, threads)
}

# Returns a data frame with one column per draw. `joint` is a number: see check_joint().
simulated_rows <- function(fit, newdata, nsim, seed, joint, observation, weights, threads) {
  check_count(nsim)
  check_count(threads)
  check_drawable(fit)
  check_new_weights(weights, is.null(newdata))
  points <- prediction_points(fit, newdata, weights)
  check_memory(3 * 8 * length(points$complete) * nsim, "The draws", "Ask for fewer.")
  if (joint > 0) {
    check_covariance_size(min(2 * joint, sum(points$complete)), min(threads, nsim))
  }
  with_seed(seed, function() {
    draws <- if (joint > 0) {
      joint_draws(fit, points, nsim, observation, joint, threads)
    } else {
      uniform <- matrix(stats::runif(length(points$complete) * nsim), ncol = nsim)
      request <- new_request(points, list(draw = uniform), observation, run = new_run(threads))
      answer(ensemble_of(fit), request)$answers$draw$value
    }
    colnames(draws) <- paste0("sim_", seq_len(nsim))
    as.data.frame(draws)
  })
}

check_drawable <- function(fit) {
  if (any(node_weights(fit) < 0)) {
    abort_btg(c("Nodes with negative weights cannot be drawn.",
                i = "Use the default quadrature, whose weights are positive."), "quadrature")
  }
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

# Returns one column per draw. At most `most` rows are drawn together. With `of_mean`, draws are of
# the conditional mean of observations.
joint_draws <- function(fit, points, nsim, observation, most, threads, of_mean = FALSE) {
  ensemble <- ensemble_of(fit)
  rows <- which(points$complete)
  in_blocks <- length(rows) > most
  adds_noise <- in_blocks && observation && !of_mean
  df <- degrees_of_freedom(ensemble$models[[1L]]$problem, ensemble$design)
  node <- drawn_nodes(ensemble$weight, nsim, most_drawn_nodes(length(rows), most))
  chi_square <- if (is.finite(df)) stats::rchisq(nsim, df) / df else rep(1, nsim)
  # A share `open` of whole draws may go below an inferred bound.
  ends <- response_ends(ensemble$scaling)
  open <- if (ends$open > 0) stats::runif(nsim) < ends$open else rep(FALSE, nsim)
  # Filling by row keeps the draws at earlier rows when rows are added.
  normals <- function(n) matrix(stats::rnorm(n * nsim), ncol = nsim, byrow = TRUE)
  plan <- list(node = node, normals = normals(length(rows)), chi_square = chi_square,
               known = matrix(0, 0L, nsim),
               noise = if (adds_noise) normals(length(rows)) else matrix(0, 0L, 0L))
  if (of_mean) plan$ends <- ends
  x <- in_lengthscales(fit, points$inputs[rows, , drop = FALSE])
  steps <- if (in_blocks) draw_steps(x, most) else whole_draw(length(rows))
  scaled <- with_progress("Simulating", {
    progress_part(0, 0.2)
    opened <- open_ensemble(ensemble, new_run(threads))
    draw_in_steps(opened, select_points(points, rows), plan, steps, observation, threads)
  })
  scaled <- pmin(scaled, ends$ceiling)
  if (!of_mean) scaled[, !open] <- pmax(scaled[, !open], ends$floor)
  draws <- matrix(NA_real_, length(points$complete), nsim, dimnames = list(points$names, NULL))
  draws[rows, ] <- unscale_response(scaled, ensemble$scaling)
  pad_left_out(draws, points)
}

# Draws the rows of each step given those of earlier steps.
draw_in_steps <- function(opened, points, plan, steps, observation, threads) {
  begin <- if (opened$prepared) 0.2 else 0
  draws <- deviations <- array(NA_real_, dim(plan$normals))
  for (k in seq_along(steps)) {
    progress_part(begin + (1 - begin) * (k - 1) / length(steps),
                  begin + (1 - begin) * k / length(steps))
    given <- steps[[k]]$given
    drawn <- steps[[k]]$drawn
    own <- plan
    own$normals <- plan$normals[drawn, , drop = FALSE]
    own$known <- deviations[given, , drop = FALSE]
    if (nrow(plan$noise) > 0L) own$noise <- plan$noise[drawn, , drop = FALSE]
    here <- core_points(points, c(given, drawn), observation)
    core <- check_core(core_draw(opened$ensemble, here, own, core_run(threads)))
    draws[drawn, ] <- core$draws
    deviations[drawn, ] <- core$deviations
  }
  draws
}

# Limits the nodes of one call by the cost of its joint covariances: 16 nodes for 1100 rows or more
# drawn together, and no effective limit below 500. At most `most` rows are drawn together.
most_drawn_nodes <- function(rows, most = Inf) max(16, 2e10 / (rows * min(rows, 2 * most)^2))

# Samples a node for each draw, systematically by weight and in random order. Draws share `most`
# nodes at most. For each draw alone, the probability of a node is its weight.
drawn_nodes <- function(weight, nsim, most) {
  slots <- floor(min(nsim, most))
  position <- (sample.int(slots) - stats::runif(1)) / slots
  node <- 1L + findInterval(position, cumsum(weight) / sum(weight))
  rep_len(pmin(node, length(weight)), nsim)
}

# Returns the steps of a draw of all rows together: one, or none without rows.
whole_draw <- function(n) if (n > 0L) list(list(given = integer(), drawn = seq_len(n)))

# Returns the steps of a draw in blocks. The first step draws pivots, spread over all rows, which
# carry the correlation over long distances. Each block is then drawn given the pivots and the rows
# nearest to it among those drawn before.
draw_steps <- function(x, most) {
  half <- max(1, most %/% 2)
  pivots <- spread_rows(x, half)
  steps <- list(list(given = integer(), drawn = pivots))
  before <- integer()
  for (block in near_batches(x, most)) {
    drawn <- setdiff(block, pivots)
    if (length(drawn) == 0L) next
    steps[[length(steps) + 1L]] <- list(
      given = c(pivots, nearest_rows(x, before, block, most - half)), drawn = drawn
    )
    before <- c(before, drawn)
  }
  steps
}

# Returns at most `count` rows of `x`, the most central of each batch of near ones.
spread_rows <- function(x, count) {
  # Halves of halves: a power of two of batches.
  batches <- near_batches(x, ceiling(nrow(x) / 2^floor(log2(count))))
  vapply(batches, function(batch) {
    own <- x[batch, , drop = FALSE]
    batch[which.min(colSums((t(own) - apply(own, 2L, stats::median))^2))]
  }, 0L)
}

# Returns the `count` rows among `candidates` that are nearest to the box around `block`.
nearest_rows <- function(x, candidates, block, count) {
  lower <- apply(x[block, , drop = FALSE], 2L, min)
  upper <- apply(x[block, , drop = FALSE], 2L, max)
  from <- t(x[candidates, , drop = FALSE])
  distance <- colSums(pmax(lower - from, from - upper, 0)^2)
  candidates[utils::head(order(distance), count)]
}

# Scales points by the typical lengthscales of the first model.
in_lengthscales <- function(fit, inputs) {
  typical <- column_lengthscales(kept_models(fit)[[1L]], fit$design)
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
