# Units of measurement, of the package units and of differences of times. A fit knows those of its
# data; new data are converted to them.

# list(kind, unit) of a vector that has a unit, else NULL.
unit_of <- function(x) {
  if (inherits(x, "difftime")) {
    list(kind = "difftime", unit = attr(x, "units"))
  } else if (inherits(x, "units")) {
    list(kind = "units", unit = units::deparse_unit(x))
  }
}

# The numbers of a vector that may have a unit.
without_unit <- function(x) if (is.null(unit_of(x))) x else as.double(x)

# Of all vectors that have one, by their names.
units_of <- function(values) Filter(Negate(is.null), lapply(as.list(values), unit_of))

# `value` in the unit that the fit knows; numbers without a unit are taken to be in it. `unit` is
# NULL where the fit knows none.
in_unit <- function(value, unit, name) {
  given <- unit_of(value)
  if (is.null(unit)) {
    if (identical(given$kind, "units")) {
      abort_btg(c(
        "A variable that had no unit at the fit cannot have one now.",
        x = paste0("`", name, "` is in ", given$unit, "."),
        i = "Use `units::drop_units()`, or fit again with units."
      ), "units")
    }
    return(value)
  }
  if (identical(given, unit)) {
    return(value)
  }
  if (unit$kind == "difftime") {
    if (is.null(given)) {
      return(as.difftime(as.double(value), units = unit$unit))
    }
    units(value) <- unit$unit
    return(value)
  }
  check_installed("units", "<units>")
  rethrow_btg(
    units::set_units(value, unit$unit, mode = "standard"),
    paste0("`", name, "` cannot be converted to the unit it had at the fit, ", unit$unit, "."),
    "units"
  )
}

# Responses, or values to compare with them, as numbers in the unit of the fit.
response_in_unit <- function(value, blueprint, name) {
  if (is.null(unit_of(value))) value else as.double(in_unit(value, blueprint$response_unit, name))
}
