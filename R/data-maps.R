#' Inputs on a circle, on the globe, and in a plane with a direction
#'
#' `periodic()` and `sphere()` make December a neighbour of January, and 180 degrees east the same
#' as 180 degrees west. `rotated()` is for surfaces that vary faster in one direction than in
#' another, at an unknown angle. Use them like any variable in the formula of [btg()] or [wgp()],
#' inside terms such as `gp()` (see [btg-terms]), and in `trend` and `noise`.
#'
#' @section Seasons and times of day:
#' `periodic(t, period)` has the coordinates \eqn{c \cos(t/c)}{c cos(t/c)} and
#' \eqn{c \sin(t/c)}{c sin(t/c)} with \eqn{c = \textrm{period}/(2\pi)}{c = period/(2 pi)}. The
#' distance between two times is the chord \eqn{2c \sin(|t - t'|/(2c))}{2c sin(|t - t'|/(2c))},
#' which is \eqn{|t - t'|} for times that are close, so the lengthscale is in the unit of `t`. With
#' `kernel = "rbf"` this is the periodic kernel of MacKay (1998).
#'
#' @section Longitudes and latitudes:
#' `sphere(lon, lat)` has three coordinates, and the distance is that through the globe. Compared
#' with the distance along the surface it is 0.1% shorter at 1000 km and 10% shorter at 10,000 km.
#' The lengthscale is in the unit of `radius`: kilometres. Points of the package sf with longitudes
#' and latitudes use `sphere(X, Y)` by themselves: see [btg-inputs].
#'
#' @section Surfaces with a direction:
#' `rotated(x, y)` is geometric anisotropy, as geostatistics calls it. The lengthscale is
#' \eqn{\ell e^{t/2}}{l exp(t/2)} along an angle \eqn{\alpha}{a}, and
#' \eqn{\ell e^{-t/2}}{l exp(-t/2)} across. Both variables must have the same unit, such as metres
#' east and north; longitudes and latitudes do not. [anisotropy()] returns the angle and both
#' lengthscales of a fit.
#'
#' The hyperparameters are \eqn{\ell}{l}, called `lengthscale.rotated(x, y)`, and
#' `anisotropy.cos.rotated(x, y)` and `anisotropy.sin.rotated(x, y)`, which are
#' \eqn{t \cos 2\alpha}{t cos(2a)} and \eqn{t \sin 2\alpha}{t sin(2a)}. In these coordinates the
#' posterior is smooth even at \eqn{t = 0}{t = 0}, where both lengthscales are equal and there is no
#' angle, and angles that differ by 180 degrees are the same. Their independent standard normal
#' priors imply a uniform prior of the angle, and a prior of the ratio \eqn{e^t}{exp(t)} of the
#' lengthscales with median 3.2 and 95% below 12. `btg_prior(anisotropy = )` sets both.
#'
#' @section One input each:
#' The coordinates of a map are one input with one lengthscale, also with `product = TRUE` and in
#' `additive()`. Every kernel works on them. A function of the same name that you define yourself is
#' used instead.
#'
#' @param t A number, a date or a time: days of a date, seconds of a time.
#' @param period The length of a period, one positive number in the unit of `t`. For dates, a year
#'   is 365.25.
#' @param lon,lat Longitudes and latitudes in degrees.
#' @param radius The radius of the sphere, by default that of the Earth in kilometres.
#' @param x,y Coordinates in a plane, numbers in the same unit.
#' @param ... Not used: more coordinates are an error.
#' @return A matrix of class `btg_input` with one row for each value, and two or three columns.
#' @references MacKay, D. J. C. (1998). Introduction to Gaussian processes. In *Neural Networks and
#'   Machine Learning*, 133-165. Springer.
#' @seealso [btg-terms] for the terms that a formula can have, [anisotropy()]
#' @examples
#' # Carbon dioxide: a smooth course of the years, and the season
#' d <- data.frame(co2 = as.vector(co2), time = as.vector(time(co2)))
#' fit <- btg(co2 ~ time + periodic(time, 1), d[361:420, ], transform = "identity")
#' predict(fit, data.frame(time = 1994 + 0:3 / 4), interval = "prediction")
#'
#' # Ten degrees of longitude in kilometres, at the equator and at 60 degrees north
#' dist(sphere(c(0, 10), c(0, 0)))
#' dist(sphere(c(0, 10), c(60, 60)))
#' @name input-maps
NULL

#' @rdname input-maps
#' @export
periodic <- function(t, period) {
  if (!(is.numeric(t) || inherits(t, c("Date", "POSIXct", "difftime"))) || length(dim(t)) > 1L) {
    abort_argument("t", "must be numbers, dates or times", t)
  }
  if (!(is_number(period) && period > 0)) {
    abort_argument("period", "must be one positive number, in the unit of `t`", period)
  }
  radius <- period / (2 * pi)
  angle <- as.double(t) %% period / radius
  one_input(radius * cbind(cos = cos(angle), sin = sin(angle)), resolution = period)
}

#' @rdname input-maps
#' @export
sphere <- function(lon, lat, radius = 6371) {
  check_degrees(lon, "lon")
  check_degrees(lat, "lat")
  if (length(lon) != length(lat)) {
    abort_btg(c("`lon` and `lat` must have as many values as each other.",
                x = paste0("They have ", length(lon), " and ", length(lat), ".")), "length")
  }
  if (!(is_number(radius) && radius > 0)) {
    abort_argument("radius", "must be one positive number", radius)
  }
  # Differences for slopes may step a little over a pole, where the map goes on smoothly.
  beyond <- which(abs(as.double(lat)) > 90.1)
  if (length(beyond) > 0L) {
    abort_btg(c("Latitudes must be between -90 and 90 degrees.",
                x = paste0("There are ", count_noun(length(beyond), "value"), " beyond",
                           locate_rows(beyond), "."),
                i = "Write longitudes first: `sphere(lon, lat)`."), "argument")
  }
  east <- as.double(lon) * pi / 180
  north <- as.double(lat) * pi / 180
  one_input(radius * cbind(x = cos(north) * cos(east), y = cos(north) * sin(east), z = sin(north)),
            resolution = 180)
}

#' @rdname input-maps
#' @export
rotated <- function(x, y, ...) {
  if (missing(x) || missing(y) || ...length() > 0L) {
    abort_btg(c("`rotated()` takes two coordinates.",
                i = "Write it as in `rotated(x, y)`, and list other inputs beside it."), "argument")
  }
  check_coordinate(x, "x")
  check_coordinate(y, "y")
  if (length(x) != length(y)) {
    abort_btg(c("`x` and `y` must have as many values as each other.",
                x = paste0("They have ", length(x), " and ", length(y), ".")), "length")
  }
  one_input(cbind(x = as.double(x), y = as.double(y)), resolution = Inf, mapped = TRUE)
}

check_coordinate <- function(x, name) {
  if (!is.numeric(x) || length(dim(x)) > 1L) {
    abort_argument(name, "must be numbers", x)
  }
}

check_degrees <- function(x, name) {
  if (!is.numeric(x) || length(dim(x)) > 1L) {
    abort_argument(name, "must be numbers, in degrees", x)
  }
}

# Marks a matrix whose columns are one input. `resolution` is the distance over which the map turns,
# in the unit of its argument: differences must have much smaller steps. If `mapped`, the core maps
# its two columns further, with hyperparameters (src/btg/factor/input_map.hpp).
one_input <- function(x, resolution, mapped = FALSE) {
  structure(x, class = c("btg_input", "matrix"), resolution = resolution, mapped = mapped)
}

is_mapped <- function(x) is_one_input(x) && isTRUE(attr(x, "mapped"))

is_one_input <- function(x) inherits(x, "btg_input")

#' @export
`[.btg_input` <- function(x, ...) {
  part <- NextMethod()
  whole <- is.matrix(part) && identical(colnames(part), colnames(x))
  if (whole) one_input(part, attr(x, "resolution"), isTRUE(attr(x, "mapped"))) else part
}

# Names the group of each row as text, so that factors, text and numbers are treated alike. Several
# variables are crossed. A formula's `(1 | site/plot)` becomes calls of this function.
btg_levels <- function(...) {
  parts <- lapply(list(...), function(x) {
    if (is.numeric(x)) format_exact(x) else as.character(x)
  })
  levels <- do.call(paste, c(parts, sep = ":"))
  levels[Reduce(`|`, lapply(parts, is.na))] <- NA
  levels
}

# Returns numbers as text with all their digits, as in `5` and `0.1`.
format_exact <- function(x) {
  text <- as.character(as.double(x))
  text[is.na(x)] <- NA
  text
}

# Returns `scope`, extended by the package's functions that `variables` call and the user has not
# defined. They are found even if the package is not attached.
with_maps <- function(scope, variables) {
  own <- list(periodic = periodic, sphere = sphere, rotated = rotated, btg_levels = btg_levels)
  called <- intersect(names(own), unlist(lapply(variables, all.names)))
  missing <- Filter(function(name) {
    found <- get0(name, envir = scope, mode = "function")
    is.null(found) || identical(found, own[[name]])
  }, called)
  if (length(missing) > 0L) list2env(own[missing], parent = scope) else scope
}

# Columns that look like degrees, by their names.
longitude_names <- c("lon", "long", "lng", "longitude")
latitude_names <- c("lat", "latitude")

# Names of coordinates, horizontal and vertical, in lower case.
coordinate_names <- function() {
  list(longitude_names, latitude_names, c("x", "easting", "east", "coord_x", "x_coord", "utm_x"),
       c("y", "northing", "north", "coord_y", "y_coord", "utm_y"))
}

# The horizontal and the vertical coordinate among `names`, or NULL.
coordinate_pair <- function(names) {
  known <- lapply(coordinate_names(), function(words) names[tolower(names) %in% words])
  for (pair in list(known[1:2], known[3:4])) {
    if (all(lengths(pair) == 1L)) return(unlist(pair))
  }
}

# Suggests sphere() for plain inputs that are called longitude and latitude and have such values.
# `frame` holds the evaluated variables, `names` those that are plain inputs. Geographic points use
# the sphere by themselves.
inform_degrees <- function(frame, names, geographic) {
  if (geographic && "sphere(X, Y)" %in% names(frame)) {
    inform_btg(c(i = paste0("The points are longitudes and latitudes: they enter as ",
                            "`sphere(X, Y)`, whose lengthscale is in kilometres.")), "degrees")
  }
  lon <- names[tolower(names) %in% longitude_names]
  lat <- names[tolower(names) %in% latitude_names]
  if (length(lon) != 1L || length(lat) != 1L || !is.numeric(frame[[lon]]) ||
        !is.numeric(frame[[lat]])) {
    return(invisible())
  }
  if (all(abs(frame[[lat]]) <= 90) && all(frame[[lon]] >= -180 & frame[[lon]] <= 360)) {
    inform_btg(c(
      paste0("`", lon, "` and `", lat, "` are taken as plain numbers."),
      i = paste0("If they are degrees, `sphere(", lon, ", ", lat, ")` measures distances on the ",
                 "globe.")
    ), "degrees")
  }
}

# Advises against a direction in degrees, whose lengths differ.
inform_rotated_degrees <- function(variables, geographic) {
  for (variable in variables) {
    if (!is.call(variable) || !identical(variable[[1L]], quote(rotated))) next
    names <- tolower(all.vars(variable))
    degrees <- any(longitude_names %in% names) && any(latitude_names %in% names) ||
      geographic && setequal(names, c("x", "y"))
    if (degrees) {
      inform_btg(c(
        paste0("`", deparse1(variable), "` takes its coordinates as plain numbers in one unit."),
        i = "A degree of longitude is shorter than one of latitude: project the points first."
      ), "degrees")
    }
  }
}

# Replaces plain coordinates X and Y of geographic points by `sphere(X, Y)`. Both must be there.
on_sphere <- function(variables) {
  x <- which(vapply(variables, identical, NA, quote(X)))
  y <- which(vapply(variables, identical, NA, quote(Y)))
  if (length(x) != 1L || length(y) != 1L) {
    return(variables)
  }
  variables[[min(x, y)]] <- quote(sphere(X, Y))
  variables[-max(x, y)]
}
