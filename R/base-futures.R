# Work over the plan of the future package.

# lapply(), on the workers of a plan that has some, if future.apply is installed. `fun` draws no
# random numbers, so that results are the same wherever it runs.
lapply_futures <- function(x, fun) {
  if (!has_workers() || length(x) < 2L) {
    return(lapply(x, fun))
  }
  as.list(environment(fun)) # a promise would be kept elsewhere
  settings <- options()[startsWith(names(options()), "btg.")]
  settings$btg.progress <- FALSE # there is no one to see it
  future.apply::future_lapply(x, function(element) {
    before <- options(settings)
    on.exit(options(before))
    fun(element)
  }, future.globals = FALSE, future.packages = "btg")
}

# A plan is set by who has loaded the package: so it is not loaded to look for one.
has_workers <- function() {
  isNamespaceLoaded("future") && requireNamespace("future.apply", quietly = TRUE) &&
    !inherits(future::plan("next"), "sequential") && future::nbrOfWorkers() > 1
}
