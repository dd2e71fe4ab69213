# Chooses units of time in which print() shows lengthscales. nodes() and summaries have the units of
# the data as numbers: seconds for date-times, days for dates.

# Returns a data frame with a row for each lengthscale of a time: `unit`, and the number `per` of
# the data's units in it. `sizes` are typical lengthscales, named as in nodes().
display_units <- function(fit, sizes) {
  rows <- lapply(intersect(names(sizes), names(fit$lengthscale_units)), function(name) {
    values <- fit$data[[sub("lengthscale.", "", name, fixed = TRUE)]]
    unit <- unit_of(values)
    if (name %in% warped_lengthscales(fit)) {
      return(NULL)
    }
    found <- if (inherits(values, "POSIXct")) time_unit(sizes[[name]], 1)
             else if (inherits(values, "Date")) time_unit(sizes[[name]], 86400)
             else if (!is.null(unit)) list(unit = unit$unit, per = 1)
    if (!is.null(found)) data.frame(found, row.names = name)
  })
  do.call(rbind, rows)
}

# Returns the largest unit that fits twice or more. `seconds` is the length of the unit of
# the data.
time_unit <- function(size, seconds) {
  lengths <- c(years = 365.25 * 86400, days = 86400, hours = 3600, mins = 60, secs = 1)
  lengths <- lengths[lengths >= seconds]
  usable <- which(size * seconds >= 2 * lengths)
  unit <- if (length(usable) > 0L) usable[1L] else length(lengths)
  list(unit = names(lengths)[unit], per = lengths[[unit]] / seconds)
}

# Converts the numbers of a table, with a row per hyperparameter, to the units of display.
in_display_units <- function(table, units) {
  rows <- intersect(row.names(units), row.names(table))
  for (name in names(Filter(is.numeric, table))) {
    table[rows, name] <- table[rows, name] / units[rows, "per"]
  }
  table
}

# "lengthscale.time (days)"
name_units <- function(names, units) {
  unit <- units[match(names, row.names(units)), "unit"]
  if (is.null(units)) names else paste0(names, ifelse(is.na(unit), "", paste0(" (", unit, ")")))
}

# Names the lengthscales in units of a warped input: see ?`btg-inputs`.
warped_lengthscales <- function(fit) {
  layout <- fit$blueprint$layout
  inputs <- layout$input[layout$column %in% names(fit$scaling$x$warp)]
  intersect(names(fit$lengthscale_units), paste0("lengthscale.", inputs))
}
