# Differentiates the inputs, the trend and the noise columns with respect to the columns of the
# data, for the chain rule between the user's variables and the core's.

# Names the columns along which slopes exist: those of numbers, dates or durations that no factor is
# computed from, as in `cut(x, breaks)`.
slope_variables <- function(blueprint) {
  kinds <- blueprint$columns
  in_factors <- unlist(lapply(blueprint$variables[names(blueprint$prototypes)], all.vars))
  continuous <- kinds %in% c("numeric", "Date", "POSIXct", "difftime")
  setdiff(names(kinds)[continuous], in_factors)
}

# Returns list(inputs, trend, noise) for each of slope_variables(): the derivatives of scaled
# inputs, trend and noise columns with respect to that variable, one row per row of `newdata`. An
# input that is the variable itself has slope 1. Other terms may hold any R code, such as
# splines::ns(x, 3), and only they are differentiated numerically, at steps that suit `data`.
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

# Computes these derivatives for one variable with `values` in the data, before inputs are scaled.
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

# Combines central differences at two steps so that their leading errors cancel. Steps are small
# relative to the standard deviation of the variable and to its value, so that log(x) stays defined.
difference_slopes <- function(blueprint, newdata, name, values) {
  x <- as.double(newdata[[name]])
  deviation <- if (length(values) > 1L) standard_deviation(as.double(values)) else 1
  step <- 1e-3 * pmax(pmin(abs(x), deviation), 1e-3 * deviation)
  step[which(x == 0)] <- 1e-3 * deviation
  step <- pmin(step, 1e-3 * map_resolution(blueprint, newdata, name))
  replay <- function(times) {
    moved <- x + times * step
    attributes(moved) <- attributes(newdata[[name]])
    newdata[[name]] <- moved
    suppressWarnings(apply_blueprint(blueprint, newdata), classes = "btg_warning_row_dependent")
  }
  parts <- lapply(c(-1, -0.5, 0.5, 1), replay)
  slope <- function(what) {
    at <- lapply(parts, `[[`, what)
    if (!is.null(at[[1L]])) (8 * (at[[3L]] - at[[2L]]) - (at[[4L]] - at[[1L]])) / (6 * step)
  }
  list(inputs = slope("inputs"), trend = slope("trend"), noise = slope("noise"))
}

# Returns the smallest resolution of the maps that use a variable, such as the period of periodic().
map_resolution <- function(blueprint, newdata, name) {
  own <- blueprint$variables[blueprint$maps]
  own <- own[vapply(own, function(variable) name %in% all.vars(variable), NA)]
  maps <- lapply(own, function(variable) eval(variable, newdata, blueprint$environment))
  min(Inf, vapply(maps, attr, 0, "resolution"))
}

# Returns the derivative of each column's warp, or 1 without a warp.
warp_slopes <- function(x, warps) {
  slopes <- matrix(1, nrow(x), ncol(x), dimnames = dimnames(x))
  for (column in names(warps)) {
    warp <- warps[[column]]
    slopes[, column] <- exp((warp$lambda - 1) * warp_log(x[, column], warp)) / warp$scale
  }
  slopes
}
