# The criterion "imspe": by how much a measurement would reduce the predictive variance over a
# region. variance_reduction.hpp has the equation.

# Points of the region, if none are given.
region_points <- 200L

# Returns the points of the region: the given rows, or even points of the data's range.
reduction_region <- function(fit, over) {
  if (!is.null(over) && !is.data.frame(over) && !is.matrix(over)) {
    abort_argument("over", "must be a data frame of rows, as for `newdata`", over)
  }
  rows <- if (!is.null(over)) {
    over
  } else {
    space <- space_of_fit(fit, NULL, NULL, NULL)
    count <- max(region_points, min(10L * level_count(space), 1000L))
    d <- length(space$lower)
    space_rows(space, even_points(count, max(d, 1L))[, seq_len(d), drop = FALSE], seq_len(count))
  }
  points <- prediction_points(fit, rows)
  if (!any(points$complete)) {
    abort_btg("No row of `over` can be predicted.", "argument")
  }
  select_points(points, which(points$complete))
}

answer_reduction <- function(fit, newdata, spec, gradient, threads, tolerance, ensemble) {
  points <- prediction_points(fit, newdata)
  opened <- open_ensemble(ensemble, new_run(threads))
  value <- reduction_at(opened, points, spec$region, threads)
  list(value = stats::setNames(value, points$names),
       gradient = if (gradient) reduction_slopes(fit, newdata, spec, opened, threads),
       complete = points$complete)
}

# Returns the reduction at each point, NA where it is not complete.
reduction_at <- function(opened, points, region, threads) {
  value <- rep(NA_real_, length(points$complete))
  size <- length(region$complete)
  complete <- which(points$complete)
  chunks <- split(complete, (seq_along(complete) - 1L) %/% 1000L)
  for (rows in chunks) {
    inside <- core_points(region, seq_len(size), FALSE)
    own <- core_points(points, rows, TRUE)
    both <- lapply(stats::setNames(nm = c("inputs", "trend", "noise")), function(part) {
      rbind(inside[[part]], own[[part]])
    })
    both$relative_noise <- c(inside$relative_noise, own$relative_noise)
    core <- check_core(core_reduction(opened$ensemble, both, size, core_run(threads)))
    value[rows] <- as.vector(core$share)
  }
  value
}

# Central differences along each variable. With smooth kernels and no noise, shares are differences
# of near numbers and exact to about 1e-4 only, so that smaller steps would be worse.
reduction_slopes <- function(fit, newdata, spec, opened, threads) {
  variables <- names(fit$blueprint$columns)
  along <- slope_variables(fit$blueprint)
  newdata <- conform_newdata(fit$blueprint, newdata)
  slopes <- matrix(NA_real_, nrow(newdata), length(variables), dimnames = list(NULL, variables))
  for (name in along) {
    step <- 0.01 * standard_deviation(as.double(fit$data[[name]]))
    if (!(step > 0)) next
    moved <- lapply(c(-step, step), function(by) {
      rows <- newdata
      rows[[name]] <- rows[[name]] + by
      reduction_at(opened, prediction_points(fit, rows), spec$region, threads)
    })
    slopes[, name] <- (moved[[2L]] - moved[[1L]]) / (2 * step)
  }
  slopes
}
