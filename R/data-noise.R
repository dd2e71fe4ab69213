# The model `noise = ~ terms` makes the noise variance log-linear in columns b(x). They are
# standardised at the fit and computed again on new data. See src/btg/model/noise.hpp.

# Parses the argument `noise` into list(formula, value, auto). `value` is a fixed ratio or NULL;
# with `auto`, btg() tests whether the noise varies.
noise_spec <- function(noise) {
  spec <- list(formula = ~ 1, value = NULL, auto = identical(noise, "auto"))
  if (is.null(noise) || spec$auto) {
    return(spec)
  }
  if (inherits(noise, "formula")) {
    spec$formula <- check_one_sided(noise, "noise")
    return(spec)
  }
  if (!is_number(noise) || noise < 0) {
    abort_argument("noise", paste0("must be a one-sided formula such as `~ x`, \"auto\", or one ",
                                   "number, 0 or more (0 for responses without error)"), noise)
  }
  spec$value <- as.double(noise)
  spec
}

# Returns the columns at the fit and the `spec` from which replay_noise() computes them again.
# Beyond the ranges of `variables`, the noise stays at its value on the boundary.
fit_noise <- function(terms, frame, variables, trend_columns) {
  if (is.null(terms)) {
    return(list(matrix = NULL, spec = NULL))
  }
  B <- rethrow_btg(stats::model.matrix(terms, frame), "The model of the noise cannot be evaluated.",
                   "noise")
  contrasts <- attr(B, "contrasts")
  check_finite_columns(B, "noise column", row.names(frame))
  columns <- colnames(B)
  kept <- !apply(B, 2L, is_constant)
  B <- matrix(as.double(B[, kept]), nrow(B), sum(kept), dimnames = list(NULL, columns[kept]))
  check_noise_columns(B, trend_columns)
  spec <- list(
    terms = terms, contrasts = contrasts, columns = columns, kept = which(kept),
    center = colMeans(B), scale = apply(B, 2L, standard_deviation),
    lower = apply(B, 2L, min), upper = apply(B, 2L, max),
    ranges = lapply(Filter(has_range, as.list(variables)[all.vars(terms)]), range)
  )
  list(matrix = standardise_noise(B, spec), spec = spec)
}

has_range <- function(x) is.numeric(x) || inherits(x, c("Date", "POSIXct", "difftime"))

check_noise_columns <- function(B, trend_columns) {
  if (ncol(B) == 0L) {
    abort_btg(c("The model of the noise does not vary.",
                x = "All of its columns are constant in these rows.",
                i = "Use `noise = ~ 1` for the same noise everywhere."), "noise")
  }
  if (nrow(B) < trend_columns + ncol(B) + 2L) {
    abort_btg(c("There are too few rows for this model of the noise.",
                x = paste0("It has ", count_noun(ncol(B), "column"), " and the trend ",
                           trend_columns, "; there are ", count_noun(nrow(B), "row"), "."),
                i = "Use fewer terms."), "noise")
  }
  centred <- sweep(B, 2L, colMeans(B))
  qr <- qr(sweep(centred, 2L, apply(B, 2L, standard_deviation), `/`), tol = 1e-7)
  if (qr$rank < ncol(B)) {
    dependent <- colnames(B)[sort(qr$pivot[-seq_len(qr$rank)])]
    abort_btg(c("The columns of the model of the noise must be linearly independent.",
                x = paste0(list_names(dependent), " follows from the others and a constant."),
                i = "Remove such terms from `noise`."), "noise")
  }
}

standardise_noise <- function(B, spec) sweep(sweep(B, 2L, spec$center), 2L, spec$scale, `/`)

# Computes b(x) for all rows of new data. `replay` evaluates the variables of the terms.
replay_noise <- function(newdata, spec, replay) {
  for (name in names(spec$ranges)) {
    range <- spec$ranges[[name]]
    newdata[[name]][which(newdata[[name]] < range[1L])] <- range[1L]
    newdata[[name]][which(newdata[[name]] > range[2L])] <- range[2L]
  }
  B <- replay_trend(replay(newdata), spec)[, spec$kept, drop = FALSE]
  # A product of two variables can leave its range even if each variable is clamped.
  for (j in seq_len(ncol(B))) B[, j] <- pmin(pmax(B[, j], spec$lower[j]), spec$upper[j])
  standardise_noise(B, spec)
}
