# Checks saved fits: their format, and the checksum that shows a fit is unchanged.

# Increase this number when older fits can no longer be read; check_fit() then refuses them.
fit_format_number <- 4L

fit_format <- function() {
  list(number = fit_format_number, version = unname(getNamespaceVersion("btg")))
}

# Answers depend on these components. The call is not among them, because other packages change it,
# nor are components that users add.
checksum_components <- c(
  "format", "formula", "blueprint", "response_name", "input_names", "row_names", "data",
  "excluded", "copies", "weights", "na.action", "dropped_inputs", "settings", "scaling",
  "lengthscale_units", "design", "models", "model_weights", "averaging", "quadrature",
  "optimisation", "bounds", "added_rows", "approximation", "screened", "selected",
  "accuracy"
)

# Must be the last step when a fit is made or changed.
add_checksum <- function(fit) {
  fit$checksum <- checksum_of(fit, checksum_components)
  fit
}

checksum_of <- function(x, components) core_checksum(unclass(x)[components])

# The fit that was checked last, and its ensemble, for programs that ask one fit many times. The
# reference makes R copy the fit before any change, so an identical fit is an unchanged one.
recent <- list2env(list(fit = NULL, ensemble = NULL))

is_recent <- function(fit) !is.null(recent$fit) && identical(fit, recent$fit)

forget_recent <- function() {
  recent$fit <- NULL
  recent$ensemble <- NULL
}

# Checks that `fit` is a fit, perhaps read from a file, of the present format and unchanged.
check_fit <- function(fit) {
  if (is_recent(fit)) {
    return(invisible(fit))
  }
  if (inherits(fit, "btg_model")) {
    abort_btg(c("A model of a fit cannot be asked without the fit.",
                i = "`select_models(fit, name)` makes a fit of one of its models."), "argument")
  }
  if (!inherits(fit, "btg")) {
    abort_argument("fit", "must be a fit by `btg()` or `wgp()`", fit)
  }
  check_format(fit)
  check_checksum(fit, checksum_components, "fit")
  forget_recent()
  recent$fit <- fit
  invisible(fit)
}

check_format <- function(fit) {
  format <- if (is.list(fit)) unclass(fit)$format
  if (!is.list(format)) format <- list()
  if (identical(format$number, fit_format_number)) {
    return(invisible(fit))
  }
  current <- fit_format()
  known <- is_number(format$number)
  abort_btg(c(
    "This fit was made by another version of btg, whose fits this version cannot read.",
    x = if (known) {
      paste0("It has format ", format$number, " of btg ", format$version, "; btg ",
             current$version, " reads format ", current$number, ".")
    } else {
      "It does not say which."
    },
    i = if (known && format$number > current$number) "Update btg."
        else "Fit again: `fit$call` has the call, `fit$data` the data."
  ), "format")
}

# Aborts after any change: the fit would answer for a model that nobody fitted.
check_checksum <- function(x, components, what) {
  if (!is.list(x) || !identical(unclass(x)$checksum, checksum_of(x, components))) {
    abort_btg(c(
      paste0("This ", what, " is damaged: its contents are not those it was made with."),
      i = paste0("Components cannot be changed by hand, nor be lost: make the ", what, " again.")
    ), "damaged")
  }
  invisible(x)
}
