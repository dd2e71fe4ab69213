# Turns the coordinates of sf points into variables, at the fit and in new data.

# Replaces the geometry of an sf object by the coordinates X, Y and perhaps Z of its points.
expand_points <- function(data) {
  if (!inherits(data, "sf")) {
    return(data)
  }
  check_installed("sf", "data = <points>")
  geometry <- sf::st_geometry(data)
  check_points(geometry)
  coordinates <- as.data.frame(sf::st_coordinates(geometry))
  data <- sf::st_drop_geometry(data)
  if (nrow(data) == 0L) {
    # Without points, sf does not return their number of coordinates.
    coordinates <- data.frame(X = numeric(), Y = numeric(), Z = numeric())
    coordinates <- coordinates[setdiff(names(coordinates), names(data))]
  }
  taken <- intersect(names(coordinates), names(data))
  if (length(taken) > 0L) {
    abort_btg(c("The coordinates of points become columns, whose names must be free.",
                x = paste0("The data have ", list_names(taken), " already."),
                i = "Rename them, or drop the geometry with `sf::st_drop_geometry()`."),
              "points")
  }
  data[names(coordinates)] <- coordinates
  as.data.frame(data)
}

check_points <- function(geometry) {
  kinds <- setdiff(unique(as.character(sf::st_geometry_type(geometry))), "POINT")
  if (length(kinds) > 0L) {
    abort_btg(c("The geometry must be points.",
                x = paste0("It has ", list_names(kinds, ""), "."),
                i = "`predict_region()` predicts means and totals of polygons.",
                i = "`sf::st_centroid()` and `sf::st_point_on_surface()` make points."),
              "points")
  }
}

# Returns the coordinate reference system of points as text, or NULL without points.
reference_system <- function(data) {
  if (inherits(data, "sf")) list(wkt = sf::st_crs(data)$wkt)
}

# Returns whether points are longitudes and latitudes.
is_geographic <- function(data) inherits(data, "sf") && isTRUE(sf::st_is_longlat(data))

check_reference_system <- function(reference, newdata) {
  if (is.null(reference) || !inherits(newdata, "sf")) {
    return(invisible())
  }
  if (sf::st_crs(newdata) != sf::st_crs(reference$wkt)) {
    abort_btg(c("`newdata` has another coordinate reference system than the data of the fit.",
                x = paste0("It has ", describe_system(sf::st_crs(newdata)), "; the fit has ",
                           describe_system(sf::st_crs(reference$wkt)), "."),
                i = "Use `sf::st_transform()`."), "points")
  }
}

describe_system <- function(crs) if (is.na(crs)) "none" else crs$Name
