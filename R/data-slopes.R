# How the inputs, the trend and the noise columns of new data change with the columns of the data:
# what the chain rule needs between the user's variables and the core's.

# The columns of the data that slopes can be along: those that hold numbers, dates or durations, and
# make no factor, as x does in `cut(x, breaks)`.
slope_variables <- function(blueprint) {
  kinds <- blueprint$columns
  in_factors <- unlist(lapply(blueprint$variables[names(blueprint$prototypes)], all.vars))
  continuous <- kinds %in% c("numeric", "Date", "POSIXct", "difftime")
  setdiff(names(kinds)[continuous], in_factors)
}

# For each of slope_variables(), list(inputs, trend, noise): derivatives of scaled inputs, trend and
# noise columns in that variable, a row for each row of `newdata`. An input that is the variable
# itself has the slope 1. Formulas may hold any R code, as splines::ns(x, 3) of a trend, so that
# other terms, and those alone, are differentiated numerically, at steps that suit `data`.
blueprint_slopes <- function(blueprint, scaling, data, newdata) {
  newdata <- conform_newdata(blueprint, newdata)
  inputs <- apply_blueprint(blueprint, newdata)$inputs
  unit <- warp_slopes(inputs, scaling$warp) / rep(scaling$scale, each = nrow(inputs))
  lapply(stats::setNames(nm = slope_variables(blueprint)), function(name) {
    slopes <- column_slopes(blueprint, newdata, name, data[[name]])
    slopes$inputs <- slopes$inputs * unit
    slopes
  })
}

# The same of one variable, which has `values` in the data, before inputs are scaled.
column_slopes <- function(blueprint, newdata, name, values) {
  n <- nrow(newdata)
  zero <- function(columns) matrix(0, n, length(columns))
  slopes <- list(inputs = zero(blueprint$layout$column), trend = zero(blueprint$trend$columns),
                 noise = if (!is.null(blueprint$noise)) zero(blueprint$noise$center))
  own <- blueprint$variables[unique(blueprint$layout$variable)]
  exact <- names(own)[vapply(own, identical, NA, as.name(name))]
  uses <- function(variables) name %in% unlist(lapply(variables, all.vars))
  elsewhere <- c(names(term_variables(blueprint$trend$terms)), noise_variables(blueprint$noise))
  if (n > 0L && (uses(own[setdiff(names(own), exact)]) || uses(blueprint$variables[elsewhere]))) {
    slopes <- difference_slopes(blueprint, newdata, name, values)
  }
  slopes$inputs[, blueprint$layout$variable %in% exact] <- 1
  slopes
}

# Central differences at two steps, of which the leading errors cancel. Steps are small beside the
# spread of the variable, and beside its value, so that log(x) stays where it is defined.
difference_slopes <- function(blueprint, newdata, name, values) {
  x <- as.double(newdata[[name]])
  spread <- if (length(values) > 1L) standard_deviation(as.double(values)) else 1
  step <- 1e-3 * pmax(pmin(abs(x), spread), 1e-3 * spread)
  step[which(x == 0)] <- 1e-3 * spread
  replay <- function(times) {
    moved <- x + times * step
    attributes(moved) <- attributes(newdata[[name]])
    newdata[[name]] <- moved
    suppressWarnings(apply_blueprint(blueprint, newdata),
                     classes = "btg_warning_row_dependent")
  }
  parts <- lapply(c(-1, -0.5, 0.5, 1), replay)
  slope <- function(what) {
    at <- lapply(parts, `[[`, what)
    if (!is.null(at[[1L]])) (8 * (at[[3L]] - at[[2L]]) - (at[[4L]] - at[[1L]])) / (6 * step)
  }
  list(inputs = slope("inputs"), trend = slope("trend"), noise = slope("noise"))
}

# The derivative of each column's warp: 1 where there is none.
warp_slopes <- function(x, warps) {
  slopes <- matrix(1, nrow(x), ncol(x), dimnames = dimnames(x))
  for (column in names(warps)) {
    warp <- warps[[column]]
    slopes[, column] <- exp((warp$lambda - 1) * warp_log(x[, column], warp)) / warp$scale
  }
  slopes
}
