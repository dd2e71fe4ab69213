# A blueprint turns variables into inputs and trend, at the fit and again on new data. It is a plain
# list that survives saveRDS(). Its environment holds the constants and functions of the formulas,
# never a caller's frame.

# `layout`, `trend` and `noise` describe how variables become inputs, trend and noise model (or
# NULL). `size` is the number of rows of `data`; the formulas were evaluated in `scope`.
# `response_unit` is that of the response.
new_blueprint <- function(frame, layout, trend, noise, data, size, scope,
                          response_unit = unit_of(frame[[1L]])) {
  used <- unique(c(layout$variable, names(term_variables(trend$terms)), noise_variables(noise)))
  # In "predvars", calls such as poly(x, 2) carry the constants that they computed from the data.
  variables <- as.list(attr(attr(frame, "terms"), "predvars"))[-1L]
  variables <- stats::setNames(variables, names(frame))[used]

  symbols <- unique(unlist(lapply(variables, all.vars)))
  values <- stats::setNames(lapply(symbols, find_value, data = data, scope = scope), symbols)
  # A symbol with one value per row is data, which new data must have; others are constants.
  is_data <- vapply(values, NROW, 0L) == size
  env <- copy_constants(variables, symbols[is_data], data, scope)
  environment(trend$terms) <- env
  if (!is.null(noise)) environment(noise$terms) <- env
  list(
    interface = "formula",
    columns = vapply(values[is_data], column_kind, ""),
    column_units = units_of(values[is_data]),
    matrix_columns = lapply(Filter(is.matrix, values[is_data]), colnames),
    variables = variables,
    variable_units = units_of(as.list(frame)[used]),
    response_unit = response_unit,
    row_dependent = row_dependent(variables, values[is_data], env, size),
    prototypes = lapply(Filter(is.factor, as.list(frame)[used]), `[`, 0L),
    maps = names(Filter(is_one_input, as.list(frame)[used])),
    layout = layout,
    trend = trend,
    noise = noise,
    environment = env
  )
}

noise_variables <- function(noise) {
  if (!is.null(noise)) names(term_variables(noise$terms))
}

# Names the terms whose value in a row depends on other rows, such as x - mean(x): on new data they
# are not the same function. The test evaluates each term in either half of the data alone.
row_dependent <- function(variables, data, env, size) {
  halves <- split(seq_len(size), seq_len(size) > size / 2)
  depends <- function(variable) {
    if (is.name(variable)) {
      return(FALSE)
    }
    # A term that fails in a half gives NULL, which same_rows() accepts.
    value <- function(rows) {
      part <- lapply(data, function(x) {
        if (length(dim(x)) == 2L) x[rows, , drop = FALSE] else x[rows]
      })
      tryCatch(suppressWarnings(eval(variable, part, env)), error = function(e) NULL)
    }
    all <- value(seq_len(size))
    !all(vapply(halves, function(rows) same_rows(value(rows), all, rows), NA))
  }
  names(Filter(depends, variables))
}

# Returns whether `part` equals `all` at `rows` up to rounding. A NULL `part` passes.
same_rows <- function(part, all, rows) {
  if (is.null(part) || NROW(all) < max(rows)) {
    return(TRUE)
  }
  expected <- if (is.matrix(all)) all[rows, , drop = FALSE] else all[rows]
  if (inherits(expected, "difftime") && inherits(part, "difftime")) {
    expected <- as.double(expected, units = "secs")
    part <- as.double(part, units = "secs")
  }
  if (is.numeric(expected) && is.numeric(part)) {
    return(isTRUE(all.equal(as.vector(part), as.vector(expected), tolerance = 1e-6)))
  }
  identical(as.character(part), as.character(expected))
}

# Returns inputs, trend and noise for all rows of new data, in order. A row is incomplete if a
# variable in use is missing there.
apply_blueprint <- function(blueprint, newdata) {
  newdata <- conform_newdata(blueprint, newdata)
  n <- nrow(newdata)
  if (n == 0L) {
    return(list(
      inputs = empty_matrix(blueprint$layout$column),
      trend = empty_matrix(blueprint$trend$columns),
      noise = if (!is.null(blueprint$noise)) empty_matrix(names(blueprint$noise$center)),
      complete = logical()
    ))
  }
  own <- c(blueprint$layout$variable, names(term_variables(blueprint$trend$terms)))
  frame <- replay_variables(with_variables(blueprint, own), newdata)
  warn_row_dependent(blueprint$row_dependent)
  X <- encode_inputs(frame, blueprint$layout, blueprint$idle)
  M <- replay_trend(frame, blueprint$trend)
  check_finite_columns(X, "input")
  check_finite_columns(M, "trend column")
  B <- new_noise(blueprint, newdata)
  complete <- stats::complete.cases(frame, M)
  if (!is.null(B)) complete <- complete & stats::complete.cases(B)
  list(inputs = X, trend = M, noise = B, complete = complete)
}

# Restricts a blueprint to the variables `own`.
with_variables <- function(blueprint, own) {
  blueprint$variables <- blueprint$variables[names(blueprint$variables) %in% own]
  blueprint$prototypes <- blueprint$prototypes[names(blueprint$prototypes) %in% own]
  blueprint$maps <- intersect(blueprint$maps, own)
  blueprint
}

# Drops the inputs other than `used`, by variables, unless the trend or the noise needs them. Their
# columns have the values of the first row of `data` from then on.
without_inputs <- function(blueprint, used, data) {
  needed <- c(names(term_variables(blueprint$trend$terms)), noise_variables(blueprint$noise))
  idle <- setdiff(blueprint$layout$variable, c(used, needed))
  blueprint$idle <- apply_blueprint(blueprint, data[1L, , drop = FALSE])$inputs[1L, ]
  with_variables(blueprint, setdiff(names(blueprint$variables), idle))
}

# Returns the columns of the noise model, or NULL.
new_noise <- function(blueprint, newdata) {
  noise <- blueprint$noise
  if (is.null(noise)) {
    return(NULL)
  }
  own <- with_variables(blueprint, noise_variables(noise))
  B <- replay_noise(newdata, noise, function(data) replay_variables(own, data))
  check_finite_columns(B, "noise column")
  B
}

empty_matrix <- function(columns) {
  matrix(0, 0L, length(columns), dimnames = list(NULL, columns))
}

# Returns new data as a data frame of the columns in use, each of the kind it had at the fit.
conform_newdata <- function(blueprint, newdata) {
  check_reference_system(blueprint$reference_system, newdata)
  newdata <- plain_data(newdata)
  if (blueprint$interface == "xy" && !is.data.frame(newdata)) {
    newdata <- input_data(newdata, blueprint$x_columns, "newdata")
  }
  kinds <- blueprint$columns[needed_columns(blueprint)]
  check_new_frame(newdata, names(kinds))
  check_columns(newdata, names(kinds), group_columns(blueprint))
  columns <- .subset(newdata, names(kinds))
  as_is <- kinds == "numeric" & vapply(columns, is_plain_double, NA) &
    !names(kinds) %in% names(blueprint$column_units)
  for (name in names(kinds)[!as_is]) {
    value <- conform_column(newdata[[name]], name, kinds[[name]])
    value <- conform_matrix(value, name, blueprint$matrix_columns[[name]])
    columns[[name]] <- in_unit(value, blueprint$column_units[[name]], name)
  }
  structure(columns, class = "data.frame", row.names = .set_row_names(nrow(newdata)))
}

# Names the columns that variables are computed from.
needed_columns <- function(blueprint) {
  intersect(names(blueprint$columns), unlist(lapply(blueprint$variables, all.vars)))
}

is_plain_double <- function(x) is.double(x) && is.null(attributes(x))

check_new_frame <- function(newdata, columns = character()) {
  if (is.data.frame(newdata)) {
    return(invisible(newdata))
  }
  abort_btg(c("`newdata` must be a data frame.",
              x = paste0("It is ", describe_value(newdata), "."),
              i = explain_spatial(newdata),
              i = if (is.atomic(newdata) && length(columns) > 0L) {
                paste0("Use `data.frame(", paste(columns, "= ", collapse = ", "), ")`.")
              }), "argument")
}

# Advises how to convert a spatial object of another package; NULL for other objects.
explain_spatial <- function(x) {
  if (inherits(x, c("SpatRaster", "RasterStack", "RasterBrick", "RasterLayer"))) {
    paste0("Use `terra::predict(newdata, fit, na.rm = TRUE)`, whose layers are the variables, or ",
           "`terra::interpolate(newdata, fit, xyNames = )` for those of coordinates.")
  } else if (inherits(x, "stars")) {
    "Use `predict(newdata, fit)`, whose attributes are the variables, or `as.data.frame(newdata)`."
  } else if (inherits(x, "SpatVector")) {
    "Use `sf::st_as_sf()`, or `terra::as.data.frame(newdata, geom = \"XY\")`."
  } else if (inherits(x, "Spatial")) {
    "Use `sf::st_as_sf()`: coordinates are then the variables `X` and `Y`."
  }
}

# `groups` are the columns of group effects.
check_columns <- function(newdata, names, groups = character()) {
  missing <- names[!names %in% names(newdata)]
  if (length(missing) > 0L) {
    abort_btg(c(
      "`newdata` lacks columns that the fit uses.",
      x = paste0("Missing: ", list_names(missing), "."),
      suggest_columns(missing, setdiff(names(newdata), names)),
      i = if (any(missing %in% groups)) {
        paste0("A value that the data do not have predicts a new group. `exclude = ` predicts ",
               "without the term of the group.")
      }
    ), "missing_columns")
  }
}

# Suggests unused columns that a missing one may be a misspelling of.
suggest_columns <- function(missing, given) {
  unlist(lapply(given, function(name) {
    close <- closest_name(name, missing)
    if (!is.null(close)) c(i = paste0("Is `", name, "` of `newdata` meant to be `", close, "`?"))
  }))
}

conform_column <- function(value, name, kind) {
  if (is.logical(value) && is.null(dim(value)) && all(is.na(value))) {
    # A column of NA alone fits any kind.
    return(switch(kind, numeric = as.double(value), categorical = as.character(value), value))
  }
  # Plain numbers count as being in the unit of the fit.
  if (kind == "difftime" && column_kind(value) == "numeric") {
    return(value)
  }
  if (column_kind(value) != kind) {
    what <- switch(kind, categorical = "a factor or text", kind)
    abort_btg(c(
      paste0("Columns of `newdata` must be of the kind they had at the fit."),
      x = paste0("`", name, "` was ", what, "; now it is ", describe_value(value), "."),
      i = if (kind == "Date") "Use `as.Date()`."
    ), "column_type")
  }
  value
}

# Puts the columns of a matrix into the order they had at the fit, by their names.
conform_matrix <- function(value, name, columns) {
  if (is.null(columns) || is.null(colnames(value)) || identical(colnames(value), columns)) {
    return(value)
  }
  missing <- setdiff(columns, colnames(value))
  if (length(missing) > 0L) {
    abort_btg(c(paste0("The matrix `", name, "` of `newdata` lacks columns of the fit."),
                x = paste0("Missing: ", list_names(missing), ".")), "missing_columns")
  }
  value[, columns, drop = FALSE]
}

# Treats factors and text alike.
column_kind <- function(x) {
  if (!is.null(dim(x)) && length(dim(x)) > 1L) {
    describe_value(x)
  } else if (is.factor(x) || is.character(x)) {
    "categorical"
  } else if (inherits(x, c("Date", "POSIXct", "difftime"))) {
    class(x)[1L]
  } else if (is.numeric(x)) {
    "numeric"
  } else {
    class(x)[1L]
  }
}

replay_variables <- function(blueprint, newdata) {
  n <- nrow(newdata)
  values <- lapply(blueprint$variables, function(variable) {
    if (is.name(variable)) {
      column <- .subset2(newdata, as.character(variable))
      if (is_plain_double(column)) {
        return(column)
      }
    }
    value <- rethrow_btg(eval(variable, newdata, blueprint$environment),
                         "A term of the formula cannot be evaluated in `newdata`.", "newdata")
    if (NROW(value) != n) {
      abort_btg(c(
        "Every term of the formula must give one value a row.",
        x = paste0("`", deparse1(variable), "` gives ", NROW(value), " for ",
                   count_noun(n, "row"), " of `newdata`.")
      ), "newdata")
    }
    value
  })
  # R chooses the unit of a time difference by its values, so it may differ from the fit's.
  units <- blueprint$variable_units
  for (name in names(units)[names(units) %in% names(values)]) {
    values[[name]] <- in_unit(values[[name]], units[[name]], name)
  }
  for (name in names(blueprint$prototypes)) {
    values[[name]] <- if (name %in% group_names(blueprint$layout)) {
      conform_groups(values[[name]], levels(blueprint$prototypes[[name]]), name)
    } else {
      conform_levels(values[[name]], blueprint$prototypes[[name]], name,
                     name %in% blueprint$row_dependent)
    }
  }
  structure(values, class = "data.frame", row.names = .set_row_names(n))
}

# `dependent` is TRUE if the levels follow from the data, as with cut(x, 3).
conform_levels <- function(value, prototype, name, dependent) {
  value <- as.character(value)
  known <- levels(prototype)
  new <- which(!is.na(value) & !(value %in% known))
  if (length(new) > 0L) {
    abort_btg(c(
      "`newdata` has levels that the data of the fit do not have.",
      x = paste0("`", name, "` has ", list_names(unique(value[new]), "\""), locate_rows(new), "."),
      i = paste0("Known levels: ", list_names(known, "\"", most = 10L), "."),
      i = if (dependent) {
        paste0("They follow from the data. Make such a variable a column before the fit; ",
               "`cut()` is safe with explicit breaks, as in `cut(x, c(0, 10, 20))`.")
      } else {
        paste0("New groups can be predicted by a term such as `(1 | ", name, ")`, if `", name,
               "` is not also an input or in the trend or the noise: see `?\"btg-terms\"`.")
      }
    ), "new_levels")
  }
  factor(value, levels = known, ordered = is.ordered(prototype), exclude = NULL)
}

warn_row_dependent <- function(terms) {
  if (length(terms) > 0L) {
    warn_btg(c(
      "Some terms of the formula depend on all rows together, so new data change their meaning.",
      x = paste0("Affected: ", list_names(terms), "."),
      i = paste0("Compute such a variable as a column of the data and of new data. ",
                 "`scale()`, `poly()`, splines, and `cut()` with explicit breaks are safe.")
    ), "row_dependent")
  }
}
