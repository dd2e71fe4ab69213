#' Suggest where to measure next
#'
#' `suggest()` finds the rows at which a new measurement is worth most, by a criterion of
#' [acquire()]: within a box, or among `candidates`.
#'
#' @param fit A fit by [btg()] or [wgp()].
#' @param lower,upper Bounds of the numeric variables: named vectors, or in the order of the
#'   variables. By default the ranges of the data. One number without a name for each of the
#'   two, as in `suggest(fit, 0, 1)`, is for all variables.
#' @param n How many rows.
#' @param criterion,... As in [acquire()], with its `maximise`, `target`, `prob`, `threshold`,
#'   `over`, `constraints` and `observation`.
#' @param candidates A data frame of rows to choose from, instead of a box.
#' @param allowed A function that takes a data frame and returns `TRUE` for each row that may be
#'   suggested.
#' @param integers Names of variables that are whole numbers, besides those that were integers in
#'   the data of the fit.
#' @param starts The number of points from which the search starts.
#' @param threads How many threads to use. Results do not depend on it.
#'
#' @return A data frame of `n` rows: the variables of the fit (with `candidates`, all of their
#'   columns), and a column with the name of the criterion, or `criterion` for a function, and its
#'   value when the row was chosen. If a variable has that name, the column's name starts with a
#'   dot.
#'
#' @section Several rows:
#' With `n` above 1, rows are chosen one after the other. After each choice, the row is added to the
#' fit by [update()] as if its response were the predicted median (the *kriging believer* of
#' Ginsbourger, Le Riche and Carraro, 2010). Rows of a batch that have equal levels differ in some
#' number by 5% of its range, or less if `n` is large. Fits of constraints stay as they are.
#'
#' @section Rows that were measured:
#' Rows of the fit are not suggested again, because a deterministic function would return the same
#' response. With `criterion = "spread"`, rows close to them are not suggested either. They may be
#' suggested if replicates in the data have different responses, or if no other row is left.
#'
#' @section How the search works:
#' The criterion is evaluated at points that fill the box evenly and near the best rows of the fit.
#' The best of these points start ascents by gradients, with a fit of 32 nodes drawn from those of
#' `fit`. The best end is improved with the whole fit. Whole numbers and factors are fixed during an
#' ascent and changed one at a time after it. There are no random numbers: the same call returns the
#' same rows.
#'
#' @seealso [acquire()], [btg_optimise()], [btg_constraint()]
#' @references Ginsbourger, D., Le Riche, R. and Carraro, L. (2010). Kriging is well-suited to
#'   parallelize optimization. In *Computational Intelligence in Expensive Optimization Problems*,
#'   131--162. Springer.
#' @examples
#' d <- data.frame(x = c(0.05, 0.2, 0.35, 0.5, 0.6, 0.75, 0.85, 0.95))
#' d$y <- exp(sin(9 * d$x)) + d$x
#' fit <- btg(y ~ x, d, transform = "softplus")
#' suggest(fit, lower = 0, upper = 1)
#' suggest(fit, lower = 0, upper = 1, n = 2, criterion = "spread")
#' @export
suggest <- function(fit, lower = NULL, upper = NULL, n = 1, criterion = "ei", ...,
                    candidates = NULL, allowed = NULL, integers = NULL, starts = 5,
                    threads = getOption("btg.threads", 1)) {
  check_fit(fit)
  n <- check_count(n)
  starts <- check_count(starts)
  check_count(threads)
  criterion <- check_wanted_criterion(criterion, names(criteria))
  settings <- criterion_settings(list(...))
  check_allowed(allowed)
  space <- if (is.null(candidates)) {
    space_of_fit(fit, lower, upper, integers)
  } else {
    check_candidates(candidates, n, !is.null(lower) || !is.null(upper) || !is.null(integers))
  }
  taken <- c(names(candidates), names(fit$blueprint$columns))
  value_name <- criterion_name(criterion)
  if (value_name %in% taken) value_name <- paste0(".", value_name)
  rows <- list(n = n, candidates = candidates, measured = measured_rows(fit))
  found <- with_progress("Suggesting", counted = "points tried", show_once({
    choose_rows(fit, space, rows, allowed, starts, threads, function(fit) {
      specify_criterion(fit, criterion, settings, threads)
    })
  }))
  if (!found$everywhere) warn_of_holes()
  if (found$is_infeasible) inform_infeasible()
  found$chosen[[value_name]] <- found$value
  found$chosen
}

# Returns list(chosen, value, everywhere, is_infeasible): rows one after the other, each with those
# before believed to be measured. The last is TRUE if values are probabilities of constraints alone.
choose_rows <- function(fit, space, rows, allowed, starts, threads, specify) {
  candidates <- rows$candidates
  chosen <- NULL
  value <- numeric()
  everywhere <- TRUE
  for (k in seq_len(rows$n)) {
    if (rows$n > 1L) progress_note(paste0(" row ", k, " of ", rows$n))
    if (k > 1L) fit <- add_fantasy(fit, chosen[k - 1L, , drop = FALSE], threads)
    spec <- specify(fit)
    best <- if (is.null(candidates)) {
      best_new_row(fit, space, spec, allowed, rows$measured, chosen, rows$n, starts, threads)
    } else {
      best_candidate(fit, candidates, spec,
                     new_candidates(fit, candidates, rows$measured, allowed), threads)
    }
    everywhere <- everywhere && !isFALSE(best$everywhere)
    value <- c(value, best$value)
    chosen <- rbind(chosen, best$row)
    if (!is.null(candidates)) candidates <- candidates[-best$position, , drop = FALSE]
  }
  list(chosen = chosen, value = value, everywhere = everywhere, is_infeasible = spec$is_infeasible)
}

# Arguments of acquire() that define a criterion.
criterion_settings <- function(given) {
  valid <- c("maximise", "target", "prob", "threshold", "over", "constraints", "observation")
  unknown <- setdiff(names(given), valid)
  if (length(unknown) > 0L || length(names(given)) < length(given)) {
    abort_btg(c("There are arguments that cannot be used.",
                x = if (length(unknown) > 0L) paste0("Unknown: ", list_names(unknown), "."),
                suggest_names(unknown, valid),
                i = paste0("A criterion takes ", list_names(valid), ".")), "unknown_argument")
  }
  given
}

specify_criterion <- function(fit, criterion, settings, threads) {
  given <- c(target = !is.null(settings$target), prob = !is.null(settings$prob))
  arguments <- c(list(fit, criterion, given = given, threads = threads), settings)
  do.call(acquisition, arguments, quote = TRUE)
}

# Returns the best row of the space, as best_in_space() does, that is not next to a row of `chosen`,
# nor at one of `measured`. Where all rows are, distances shrink to zero.
best_new_row <- function(fit, space, spec, allowed, measured, chosen, n, starts, threads) {
  for (share in c(1, 1 / 8, 1 / 64, 0)) {
    away <- if (share == 0) allowed
            else keep_away(allowed, space, away_from(space, spec, measured, chosen, n, share))
    best <- tryCatch(best_in_space(fit, space, spec, away, starts, threads),
                     btg_error_nowhere = function(e) if (share == 0) stop(e))
    if (!is.null(best)) {
      return(best)
    }
  }
}

# The row of the space with the largest criterion: list(row, value, everywhere), the last FALSE if
# there were points that cannot be predicted. `weigh(u)` may weigh the criterion, by
# list(value, gradient) of a factor's logarithm at points of the unit cube. The best of many points
# are found by a sketch of the fit; the last ascent, and the value, are the fit's.
best_in_space <- function(fit, space, spec, allowed, starts, threads, weigh = NULL) {
  everywhere <- TRUE
  height_of <- function(spec, ensemble, tolerance = NULL) {
    function(u, k, gradient) {
      withCallingHandlers(
        criterion_height(fit, space, spec, allowed, threads, u, k, gradient, weigh,
                         tolerance, ensemble),
        btg_warning_outside_warp = function(w) {
          everywhere <<- FALSE
          tryInvokeRestart("muffleWarning")
        }
      )
    }
  }
  ensemble <- ensemble_of(fit)
  few <- thin_ensemble(ensemble)
  thin <- thin_constraints(spec)
  screened <- height_of(spec$criterion$screen(thin, fit$scaling$y$scale), few, tolerance = 1e-4)
  smooth <- !all(space$whole)
  found <- space_candidates(fit, space, spec)
  found <- best_apart(found, screened, max(32L, 3L * starts))
  spec$unit <- thin$unit <- climbing_unit(spec, found$value)
  height <- height_of(spec, ensemble)
  rough <- height_of(thin, few, tolerance = 1e-4)
  found <- best_apart(found, rough, starts)
  if (smooth) found[c("u", "metrics")] <- climb(rough, found, 1e-3, 30L)[c("u", "metrics")]
  found$value <- height(found$u, found$k, FALSE)$value
  if (!any(is.finite(found$value))) abort_nowhere()
  found <- select_starts(found, which.max(found$value))
  if (smooth) found[c("u", "value")] <- climb(height, found)[c("u", "value")]
  if (any(space$whole) || level_count(space) > 1) {
    found <- change_discrete(height, space, found, smooth)
  }
  row <- space_rows(space, found$u, found$k)
  value <- answer_acquisition(fit, row, spec, FALSE, threads)$value
  list(row = row, value = unname(value), everywhere = everywhere)
}

# The unit of a criterion that is not climbed by its logarithm: the standard deviation of the
# response, or for a function how much its `values`, in that unit, differ.
climbing_unit <- function(spec, values) {
  values <- values[is.finite(values)]
  spread <- diff(range(values))
  if (is.null(spec$fun) || !(spread > 0)) spec$unit else spec$unit * spread
}

# The points of list(u, k) where `height` is largest, not close to each other, with their heights.
best_apart <- function(points, height, count) {
  points$value <- height(points$u, points$k, FALSE)$value
  if (!any(is.finite(points$value))) abort_nowhere()
  select_starts(points, apart(points$u, points$k, points$value, count))
}

warn_of_holes <- function() {
  warn_btg(c("Parts of the box were not searched, because they cannot be predicted.",
             x = "The warps of skewed inputs are not defined there.",
             i = "Narrow `lower` and `upper`, or fit with `warp_inputs = FALSE`."),
           "outside_warp")
}

# Some of the points of list(u, k, value, metrics).
select_starts <- function(points, which) {
  list(u = points$u[which, , drop = FALSE], k = points$k[which], value = points$value[which],
       metrics = points$metrics[which])
}

# Ascents from points with combinations k of levels, until a step gains almost nothing. Kernels
# that have kinks along the coordinates of rows of the data give them to criteria, too, where
# further steps would gain per milles.
climb <- function(height, points, rise = 1e-4, steps = 12L) {
  climbed <- core_ascend(function(u, start) height(u, points$k[start], TRUE), points$u, steps, rise,
                         as.list(points$metrics))
  check_core(climbed)
}

# What is climbed, without a unit: the logarithm of a criterion that is positive, tiny over most of
# the space, or the quantile in standard deviations of the response. -Inf where it may not be.
# Slopes along whole numbers are 0.
criterion_height <- function(fit, space, spec, allowed, threads, u, k, gradient,
                             weigh = NULL, tolerance = NULL, ensemble = ensemble_of(fit)) {
  rows <- space_rows(space, u, k)
  count_progress(nrow(u))
  at <- answer_acquisition(fit, rows, spec, gradient, threads, tolerance, ensemble)
  value <- unname(at$value)
  slopes <- if (gradient) {
    width <- ifelse(space$whole, 0, space$upper - space$lower)
    # An input that does not vary in the data has no slope.
    known <- intersect(names(space$lower), colnames(at$gradient))
    along <- matrix(0, nrow(u), length(width), dimnames = list(NULL, names(space$lower)))
    along[, known] <- at$gradient[, known]
    along * rep(width, each = nrow(u))
  }
  unit <- if (spec$criterion$is_positive) value else spec$unit
  if (gradient) slopes <- slopes / unit
  value <- if (spec$criterion$is_positive) log(value) else value / unit
  if (!is.null(weigh)) {
    more <- weigh(u)
    value <- value + more$value
    if (gradient) slopes <- slopes + more$gradient
  }
  value[is.na(value) | !are_allowed(allowed, rows)] <- -Inf
  if (gradient) slopes[, space$whole] <- 0
  list(value = value, gradient = slopes)
}

# Points that fill the space, and some around the rows of the fit that are best by now.
space_candidates <- function(fit, space, spec) {
  d <- length(space$lower)
  levels <- level_count(space)
  count <- min(max(100L * d, 20L * min(levels, 50)), 1000L)
  k <- seq_len(count) # all combinations of levels in turn
  if (d == 0L) {
    k <- seq_len(min(levels, 5000))
    return(list(u = matrix(0, length(k), 0L), k = k))
  }
  u <- even_points(count, d)
  own <- space_points(space, fit$data)
  inside <- which(rowSums(own < 0 | own > 1) == 0 & (spec$feasible | !any(spec$feasible)))
  response <- fit_response(fit)[inside]
  high <- identical(spec$question, "upper_partial_moment") || identical(spec$question, "exceedance")
  near <- inside[utils::head(order(if (high) -response else response), 3L)]
  around <- 2 * even_points(10L * d, d) - 1
  for (row in near) {
    for (size in c(0.1, 0.02)) {
      moved <- rep(own[row, ], each = nrow(around)) + size * around
      u <- rbind(u, pmin(pmax(moved, 0), 1))
      k <- c(k, rep(combination_of(space, fit$data[row, , drop = FALSE]), nrow(around)))
    }
  }
  list(u = u, k = k)
}

# The best `count` of the points, none of which is close to a better one with the same levels.
apart <- function(u, k, value, count, distance = 0.05) {
  chosen <- integer()
  for (i in order(-value)) {
    if (length(chosen) == count || !is.finite(value[i])) break
    same <- chosen[k[chosen] == k[i]]
    away <- abs(u[same, , drop = FALSE] - rep(u[i, ], each = length(same))) > distance
    if (all(rowSums(away) > 0)) chosen <- c(chosen, i)
  }
  chosen
}

# Changes of one whole number by one, and of one level, as long as they are better; with an ascent
# after each where there are slopes.
change_discrete <- function(height, space, found, smooth) {
  for (round in 1:20) {
    next_to <- discrete_neighbours(space, found$u, found$k)
    value <- height(next_to$u, next_to$k, FALSE)$value
    best <- which.max(value)
    if (!(value[best] > found$value + 1e-9 * abs(found$value))) break
    u <- next_to$u[best, , drop = FALSE]
    found <- list(u = u, k = next_to$k[best], value = value[best])
    if (smooth) {
      top <- climb(height, found)
      if (top$value > found$value) found[c("u", "value")] <- list(top$u, top$value)
    }
  }
  found
}

discrete_neighbours <- function(space, u, k) {
  points <- list()
  levels <- numeric()
  for (j in which(space$whole & space$upper > space$lower)) {
    for (step in c(-1, 1)) {
      moved <- u
      at <- space_rows(space, u)[[names(space$lower)[j]]] + step
      moved[, j] <- (at - space$lower[[j]]) / (space$upper[[j]] - space$lower[[j]])
      if (moved[, j] >= 0 && moved[, j] <= 1) {
        points <- c(points, list(moved))
        levels <- c(levels, k)
      }
    }
  }
  size <- 1
  for (count in lengths(space$levels)) {
    own <- (k - 1) %/% size %% count
    other <- setdiff(seq_len(count) - 1, own)
    levels <- c(levels, k + (other - own) * size)
    points <- c(points, rep(list(u), length(other)))
    size <- size * count
  }
  if (length(points) == 0L) list(u = u, k = k) else list(u = do.call(rbind, points), k = levels)
}
