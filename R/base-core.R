# Calls into the C++ core: its registries, its errors as conditions, its linear algebra.

# Returns what the core returned, or raises the error it reported, with the name of the row it is
# about if it is about one of `rows`.
check_core <- function(result, rows = NULL) {
  if (inherits(result, "btg_core_error")) {
    where <- if (result$point > 0L && !is.null(rows)) {
      c(x = paste0("In row ", rows[result$point], "."))
    }
    abort_btg(c(result$message, where), result$kind)
  }
  result
}

# Names and defaults of all that is registered in the core, which is asked once.
registry <- local({
  known <- NULL
  function() {
    if (is.null(known)) known <<- core_registry()
    known
  }
})

# One of the names a registry holds, or an error that lists them, with bullets of `advice`.
check_registered <- function(name, registered, what, advice = NULL) {
  unknown <- setdiff(name, registered)
  if (length(unknown) > 0L) {
    abort_btg(c(
      paste0("There is no ", what, " ", list_names(unknown, "\""), "."),
      i = paste0("Use one of ", list_names(registered, "\"", most = Inf), "."),
      suggest_names(unknown, registered, "\""),
      advice
    ), gsub(" ", "_", what))
  }
  invisible(name)
}

# How the core is to compute, on so many threads. A fit may be used on another
# machine than it was made on, so this is decided at each call.
core_run <- function(threads = 1) {
  run <- list(linear_algebra = linear_algebra(), threads = as.integer(threads))
  c(run, progress = progress_reporter())
}

# The package's own code where it has some for this processor: it is as fast as a good BLAS on one
# thread, and starts no threads that nobody asked for, which are slow where others compute too. Else
# R's BLAS if it is a fast one. The option `btg.linear_algebra` ("blas", "builtin" or "portable")
# decides instead if it is set.
linear_algebra <- function() {
  chosen <- getOption("btg.linear_algebra")
  if (!is.null(chosen)) {
    check_string(chosen, "options(btg.linear_algebra = )")
    return(check_registered(chosen, registry()$linear_algebra, "linear algebra"))
  }
  if (!registry()$has_own_kernels && session_has_fast_blas()) "blas" else "builtin"
}

# Asked once: an optimiser calls the core often.
session_has_fast_blas <- local({
  known <- NULL
  function() {
    if (is.null(known)) known <<- has_fast_blas()
    known
  }
})

has_fast_blas <- function(blas = extSoftVersion()[["BLAS"]]) {
  # Debian's reference BLAS is .../blas/libblas.so.3, R's own is libRblas.so.
  grepl("openblas|mkl|blis|atlas|accelerate|veclib", blas, ignore.case = TRUE)
}
