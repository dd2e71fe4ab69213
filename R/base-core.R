# Calls into the C++ core: its registries, its errors as conditions, its linear algebra.

# Returns the core's result. If it is an error, raises that error and names the row at fault, if the
# error concerns one of `rows`.
check_core <- function(result, rows = NULL) {
  if (inherits(result, "btg_core_error")) {
    where <- if (result$point > 0L && !is.null(rows)) {
      c(x = paste0("In row ", rows[result$point], "."))
    }
    abort_btg(c(result$message, where), result$kind)
  }
  result
}

# Returns the names and defaults registered in the core, which is called only once per session.
registry <- local({
  known <- NULL
  function() {
    if (is.null(known)) known <<- core_registry()
    known
  }
})

# Aborts unless the registry holds `name`. The error lists the valid names, then adds `advice`.
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

# Returns the settings of one call of the core. They are chosen at each call because a fit may be
# used on another machine than the one that made it.
core_run <- function(threads = 1) {
  run <- list(linear_algebra = linear_algebra(), threads = as.integer(threads))
  c(run, progress = progress_reporter())
}

# Prefers the package's own kernels, where it has some for this processor: they are as fast as a
# good BLAS on one thread and start no threads of their own, which slow down a busy machine.
# Otherwise uses R's BLAS if it is a fast one. The option `btg.linear_algebra` ("blas", "builtin" or
# "portable") overrides the choice.
linear_algebra <- function() {
  chosen <- getOption("btg.linear_algebra")
  if (!is.null(chosen)) {
    check_string(chosen, "options(btg.linear_algebra = )")
    return(check_registered(chosen, registry()$linear_algebra, "linear algebra"))
  }
  if (!registry()$has_own_kernels && session_has_fast_blas()) "blas" else "builtin"
}

# The answer is cached because an optimiser calls the core often.
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
