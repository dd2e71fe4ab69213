# What saved fits are made of changes with the package; the number of the format says which.

# To be changed when a fit of before would no longer do; check_format() then says so, unless it is
# taught to read the fit.
fit_format_number <- 2L

fit_format <- function() {
  list(number = fit_format_number, version = unname(getNamespaceVersion("btg")))
}

# That a fit, perhaps read from a file, is of the format that this version of the package knows.
check_format <- function(fit, call = quote(btg())) {
  format <- fit$format
  if (identical(format$number, fit_format_number)) {
    return(invisible(fit))
  }
  current <- fit_format()
  newer <- is.numeric(format$number) && format$number > current$number
  abort_btg(c(
    "This fit was made by another version of btg, whose fits this version cannot read.",
    x = if (is.null(format)) {
      "It is from before fits had a format."
    } else {
      paste0("It has format ", format$number, " of btg ", format$version, "; btg ",
             current$version, " reads format ", current$number, ".")
    },
    i = if (newer) "Update btg." else "Fit again: `fit$call` has the call, `fit$data` the data."
  ), "format", call)
}
