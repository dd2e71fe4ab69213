# Polygons as groups of points: a grid of cells inside each, with the cells' areas. Rasters as
# points.

is_polygons <- function(x) {
  if (inherits(x, "SpatVector")) {
    return(TRUE)
  }
  inherits(x, c("sf", "sfc")) &&
    all(as.character(sf::st_geometry_type(x)) %in% c("POLYGON", "MULTIPOLYGON"))
}

# Returns polygons of sf or terra as sf, with a column `region` that names them: the first column of
# distinct words, or numbers.
as_polygons <- function(x, name) {
  check_installed("sf", paste0(name, " = <polygons>"))
  x <- if (inherits(x, "sfc")) sf::st_sf(geometry = x) else sf::st_as_sf(x)
  if (!is_polygons(x)) {
    abort_btg(c(paste0("`", name, "` must be polygons."),
                x = paste0("It has ", list_names(unique(as.character(sf::st_geometry_type(x))), ""),
                           ".")), "polygons")
  }
  if (any(!sf::st_is_valid(x))) {
    abort_btg(c(paste0("`", name, "` has polygons that are not valid."),
                i = "`sf::st_make_valid()` mends them."), "polygons")
  }
  labels <- Filter(function(column) {
    (is.character(column) || is.factor(column)) && !anyNA(column) && !anyDuplicated(column)
  }, sf::st_drop_geometry(x))
  label <- if (length(labels) > 0L) labels[[1L]] else seq_len(nrow(x))
  list(shapes = x, names = as.character(label))
}

check_same_system <- function(reference, polygons, name) {
  if (is.null(reference)) {
    return(invisible())
  }
  if (sf::st_crs(polygons) != sf::st_crs(reference)) {
    abort_btg(c(paste0("`", name, "` has another coordinate reference system than the points."),
                x = paste0("It has ", describe_system(sf::st_crs(polygons)), "; the points have ",
                           describe_system(sf::st_crs(reference)), "."),
                i = "Use `sf::st_transform()`."), "polygons")
  }
}

# Returns list(data, region, weight): the centres of about `cells` cells in each polygon, with the
# coordinates in columns `coordinates` and the other columns of the polygons, and the area of each.
polygon_cells <- function(polygons, cells, coordinates) {
  shapes <- polygons$shapes
  sf::st_agr(shapes) <- "constant"
  each <- lapply(seq_len(nrow(shapes)), function(i) cells_inside(shapes[i, ], cells))
  count <- vapply(each, function(one) nrow(one$xy), 0L)
  row <- rep(seq_len(nrow(shapes)), count)
  data <- sf::st_drop_geometry(shapes)[row, , drop = FALSE]
  xy <- do.call(rbind, lapply(each, function(one) one$xy))
  data[coordinates] <- list(xy[, 1L], xy[, 2L])
  row.names(data) <- NULL
  list(data = data, region = factor(polygons$names[row], unique(polygons$names)),
       weight = unlist(lapply(each, function(one) one$area)))
}

# Returns the centres and areas of the parts of a square grid that lie in a polygon.
cells_inside <- function(shape, cells) {
  shape <- sf::st_geometry(shape)
  box <- sf::st_bbox(shape)
  size <- c(box[["xmax"]] - box[["xmin"]], box[["ymax"]] - box[["ymin"]])
  in_plane <- sf::st_set_crs(shape, NA)
  # Cells of the box, so many that about `cells` lie inside.
  edge <- sqrt(as.numeric(sf::st_area(in_plane)) / cells)
  grid <- sf::st_make_grid(in_plane, n = pmax(1, ceiling(size / edge)))
  parts <- suppressMessages(sf::st_intersection(grid, in_plane))
  parts <- sf::st_set_crs(parts[sf::st_dimension(parts) == 2L], sf::st_crs(shape))
  centres <- suppressWarnings(sf::st_centroid(sf::st_set_crs(parts, NA)))
  list(xy = sf::st_coordinates(centres)[, 1:2, drop = FALSE], area = as.numeric(sf::st_area(parts)))
}

# Returns the polygon of each row of points, NA outside of all. A point in several belongs to the
# first.
polygon_of_points <- function(polygons, points) {
  found <- suppressMessages(sf::st_intersects(points, polygons$shapes))
  first <- vapply(found, function(one) if (length(one) > 0L) one[1L] else NA_integer_, 0L)
  factor(polygons$names[first], unique(polygons$names))
}

# Returns list(data, weight): the cells of a raster that have a value in some layer, with the
# coordinates of their centres in columns `coordinates`, if these are given, and their areas.
raster_cells <- function(raster, coordinates) {
  check_installed("terra", "newdata = <raster>")
  data <- terra::as.data.frame(raster, cells = TRUE)
  cell <- data[[1L]]
  data <- data[-1L]
  if (!is.null(coordinates)) data[coordinates] <- terra::xyFromCell(raster, cell)
  list(data = data, weight = terra::values(terra::cellSize(raster[[1L]]))[cell])
}
