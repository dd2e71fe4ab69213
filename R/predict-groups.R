# The rows of regions, their groups, and the answers of groups from draws.

# Returns list(data, region, weight, polygons): the rows to predict with the group and weight of
# each.
region_rows <- function(fit, newdata, by, weights, cells, coordinates) {
  if (missing(newdata)) {
    abort_btg(c("`newdata` is missing.", i = "Give the rows of the regions, or polygons."),
              "argument")
  }
  if (is_polygons(newdata)) {
    return(rows_of_polygons(fit, newdata, by, weights, cells, coordinates))
  }
  if (!is.null(cells)) {
    abort_btg(c("`cells` has no effect here.", i = "It goes with polygons as `newdata`."),
              "argument")
  }
  if (inherits(newdata, "SpatRaster")) {
    cells <- raster_cells(newdata, raster_coordinates(fit, names(newdata), coordinates))
    newdata <- cells$data
    if (is.null(weights)) weights <- cells$weight
  }
  n <- NROW(newdata)
  polygons <- NULL
  if (is_polygons(by)) {
    polygons <- as_polygons(by, "by")
    by <- rows_in_polygons(fit, newdata, polygons, coordinates)
    polygons <- polygons$shapes
  } else if (names_columns(by, newdata)) {
    by <- interaction(lapply(by, column_of, newdata = newdata, argument = "by"), drop = TRUE,
                      sep = ", ", lex.order = TRUE)
  }
  if (!is.null(by) && !is.atomic(by)) {
    abort_argument("by", "must be names of columns, or a vector with a value for each row", by)
  }
  region <- if (is.null(by)) factor(rep("all", n)) else as.factor(by)
  if (length(region) != n) {
    abort_btg(c("`by` must have one value for each row of `newdata`.",
                x = paste0("It has ", length(region), ", and `newdata` has ",
                           count_noun(n, "row"), ".")), "argument")
  }
  if (is.character(weights)) weights <- column_of(newdata, weights, "weights")
  list(data = newdata, region = droplevels(region), weight = region_weights(weights, n),
       polygons = polygons)
}

# A word can also be the group of the only row.
names_columns <- function(by, newdata) {
  is.character(by) && (all(by %in% colnames(newdata)) || length(by) == 1L && NROW(newdata) != 1L)
}

rows_of_polygons <- function(fit, newdata, by, weights, cells, coordinates) {
  if (!is.null(by) || !is.null(weights)) {
    abort_btg(c("With polygons as `newdata`, groups and weights are the polygons and their areas.",
                i = "Leave out `by` and `weights`, or make a grid of points as `newdata`."),
              "argument")
  }
  polygons <- as_polygons(newdata, "newdata")
  coordinates <- region_coordinates(fit, coordinates)
  reference <- fit$blueprint$reference_system
  if (!is.null(reference)) check_same_system(reference$wkt, polygons$shapes, "newdata")
  if (is.null(cells)) cells <- min(max(3000 / nrow(polygons$shapes), 30), 400)
  c(polygon_cells(polygons, check_count(ceiling(cells)), coordinates),
    list(polygons = polygons$shapes))
}

rows_in_polygons <- function(fit, newdata, polygons, coordinates) {
  if (!inherits(newdata, "sf")) {
    coordinates <- region_coordinates(fit, coordinates)
    check_columns(newdata, coordinates)
    reference <- fit$blueprint$reference_system
    newdata <- sf::st_as_sf(as.data.frame(newdata)[coordinates], coords = coordinates,
                            crs = if (is.null(reference)) sf::st_crs(polygons$shapes)
                                  else sf::st_crs(reference$wkt))
  }
  check_same_system(sf::st_crs(newdata), polygons$shapes, "by")
  polygon_of_points(polygons, sf::st_geometry(newdata))
}

# Returns the names of the variables that are the coordinates of cells, or NULL if the fit has no
# coordinates or the raster has them as layers.
raster_coordinates <- function(fit, layers, coordinates) {
  known <- names(fit$blueprint$columns)
  needless <- all(known %in% layers) || is.null(coordinate_pair(known))
  if (is.null(coordinates) && needless) NULL else region_coordinates(fit, coordinates)
}

# Returns the names of the two variables that are coordinates.
region_coordinates <- function(fit, coordinates) {
  known <- names(fit$blueprint$columns)
  if (is.null(coordinates)) coordinates <- unname(coordinate_pair(known))
  if (!is.character(coordinates) || length(coordinates) != 2L || !all(coordinates %in% known)) {
    abort_btg(c("`coordinates` must name the two variables of the fit that are coordinates.",
                x = paste0("The variables are ", list_names(known), ".")), "argument")
  }
  coordinates
}

column_of <- function(newdata, name, argument) {
  if (!name %in% colnames(newdata)) {
    abort_btg(c(paste0("`newdata` has no column `", name, "`, which `", argument, "` names."),
                suggest_names(name, colnames(newdata))), "argument")
  }
  as.data.frame(newdata)[[name]]
}

region_weights <- function(weights, n) {
  if (is.null(weights)) {
    return(rep(1, n))
  }
  if (!is.numeric(weights) || length(weights) != n || !all(is.finite(weights)) ||
        any(weights < 0)) {
    abort_argument("weights", "must be finite numbers of at least 0, one for each row of `newdata`",
                   weights)
  }
  as.double(weights)
}

# Returns the complete rows that belong to a region, with their region and weight. A region without
# any is an error; rows that cannot be predicted are left out with a warning.
region_groups <- function(given, points, fun) {
  rows <- which(points$complete & !is.na(given$region))
  dropped <- sum(!points$complete & !is.na(given$region))
  if (dropped > 0L) {
    warn_btg(c(paste0(count_noun(dropped, "row"), " of `newdata` cannot be predicted."),
               x = "The regions are without them."), "regions")
  }
  if (length(rows) == 0L) {
    abort_btg("`newdata` has no row that can be predicted.", "regions")
  }
  check_regions(setdiff(levels(given$region), given$region[rows]),
                "There are regions without a row that can be predicted.")
  if (fun$averages) {
    weighted <- given$region[rows[given$weight[rows] > 0]]
    check_regions(setdiff(levels(given$region), weighted),
                  "There are regions whose weights are all zero.")
  }
  list(rows = rows, region = given$region[rows], weight = given$weight[rows], dropped = dropped)
}

check_regions <- function(without, problem) {
  if (length(without) > 0L) {
    abort_btg(c(problem, x = paste0("Regions: ", list_names(without, "\""), ".")), "regions")
  }
}

# Returns list(values, replicate): one row per region and one column per draw.
drawn_groups <- function(fit, points, groups, fun, level, observation, nsim, seed, threads) {
  members <- split(seq_along(groups$rows), groups$region)
  totals <- group_totals(members, groups$weight)
  draw <- function(count, first) {
    field_draws(fit, points, groups$rows, count, first, observation, seed, threads, totals)
  }
  reduce <- function(draws) {
    do.call(rbind, lapply(members, function(own) {
      fun$value(draws[own, , drop = FALSE], groups$weight[own])
    }))
  }
  # A part of the draws takes at most 256 MB.
  part <- max(16, 2^25 %/% (length(groups$rows) * field_replicates))
  drawn_answers(draw, reduce, c(0.5, (1 - level) / 2, (1 + level) / 2), nsim, part = part)
}

# The weights of the rows in the totals of the largest groups.
group_totals <- function(members, weight, most = 16L) {
  largest <- utils::head(order(lengths(members), decreasing = TRUE), most)
  totals <- matrix(0, length(weight), length(largest))
  for (k in seq_along(largest)) {
    own <- members[[largest[k]]]
    totals[own, k] <- weight[own]
  }
  totals
}

# Returns the exact mean of a linear summary of each region, NA for others and where the mean of a
# row does not exist.
exact_means <- function(fit, points, groups, fun, observation, threads) {
  count <- nlevels(groups$region)
  if (!nzchar(fun$linear)) {
    return(rep(NA_real_, count))
  }
  own <- select_points(points, groups$rows)
  question <- if (fun$linear == "share") list(exceedance = matrix(fun$threshold))
              else list(moments = matrix(0))
  request <- new_request(own, question, observation, run = new_run(threads))
  means <- answer(ensemble_of(fit), request)$answers[[1L]]$value[, 1L]
  sums <- rowsum(groups$weight * means, groups$region)[levels(groups$region), ]
  if (fun$linear != "total") {
    sums <- sums / rowsum(groups$weight, groups$region)[levels(groups$region), ]
  }
  unname(sums)
}

region_estimates <- function(found, groups, exact, at, level, fun) {
  probs <- c(0.5, (1 - level) / 2, (1 + level) / 2)
  quantiles <- t(apply(found$values, 1L, stats::quantile, probs = probs, names = FALSE,
                       na.rm = TRUE))
  errors <- apply(found$values, 1L, function(values) {
    if (anyNA(values)) NA_real_ else max(quantile_error(values, found$replicate, probs))
  })
  estimates <- data.frame(region = levels(groups$region),
                          rows = as.vector(table(groups$region)))
  if (nzchar(fun$linear)) estimates$mean <- exact
  estimates[c("median", "lwr", "upr")] <- list(quantiles[, 1L], quantiles[, 2L], quantiles[, 3L])
  estimates$error <- unname(errors)
  for (value in at) {
    column <- paste0("exceedance_", value_names(rbind(value)))
    estimates[[column]] <- unname(rowMeans(found$values > value))
  }
  estimates
}
