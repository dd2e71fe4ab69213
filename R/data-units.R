# Handles units of measurement, of the package units and of time differences. A fit stores the units
# of its data, and new data are converted to them.

# Returns list(kind, unit) for a vector with a unit, else NULL.
unit_of <- function(x) {
  if (inherits(x, "difftime")) {
    list(kind = "difftime", unit = attr(x, "units"))
  } else if (inherits(x, "units")) {
    list(kind = "units", unit = units::deparse_unit(x))
  }
}

without_unit <- function(x) if (is.null(unit_of(x))) x else as.double(x)

units_of <- function(values) Filter(Negate(is.null), lapply(as.list(values), unit_of))

# Returns the unit of an expression evaluated in the data, or NULL.
response_unit <- function(response, data, scope) {
  unit_of(tryCatch(eval(response, data, scope), error = function(e) NULL))
}

# Converts `value` to `unit`, the unit at the fit or NULL. Plain numbers count as being in it.
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

# Returns responses, or values compared with them, as numbers in the unit of the fit.
response_in_unit <- function(value, blueprint, name) {
  value <- plain_vector(value)
  if (is.null(unit_of(value))) value else as.double(in_unit(value, blueprint$response_unit, name))
}

# Returns one value of the response, such as a threshold, as a number in the unit of the fit.
response_value <- function(value, blueprint, name) {
  value <- response_in_unit(value, blueprint, name)
  if (!is_number(value)) abort_argument(name, "must be one number, a value of the response", value)
  as.double(value)
}
