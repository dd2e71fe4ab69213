# Runs work on the workers of a plan of the future package.

# Runs lapply() on the workers of a plan, if there are any and future.apply is installed. `fun`
# draws no random numbers, so results do not depend on where it runs. If a worker is lost, all work
# is repeated in this session.
lapply_futures <- function(x, fun) {
  if (!has_workers() || length(x) < 2L || !requireNamespace("future.apply", quietly = TRUE)) {
    return(lapply(x, fun))
  }
  as.list(environment(fun)) # forces promises, which workers cannot evaluate
  settings <- worker_options()
  tryCatch(future.apply::future_lapply(x, function(element) {
    before <- options(settings)
    on.exit(options(before))
    fun(element)
  }, future.globals = FALSE, future.packages = "btg"), FutureError = function(lost) {
    warn_lost_worker(lost)
    lapply(x, fun)
  })
}

warn_lost_worker <- function(lost) {
  warn_btg(c("A worker of the plan was lost.",
             x = conditionMessage(lost),
             i = "Its work is done in this session; `future::plan()` starts new workers."),
           "worker")
}

# Users who set a plan have loaded future, so the package is not loaded just to look for one.
has_workers <- function() {
  isNamespaceLoaded("future") && !inherits(future::plan("next"), "sequential") &&
    future::nbrOfWorkers() > 1
}

# Returns the options that a worker needs. Progress is off because nobody would see it.
worker_options <- function() {
  settings <- options()[startsWith(names(options()), "btg.")]
  settings$btg.progress <- FALSE
  settings
}

# Holds the data that all parts of some work share, and their key. The first parts carry the data,
# later parts only the key, until a worker lacks the data. Workers that keep nothing between parts,
# such as those created for one part, receive the data every time.
sender <- function(shared) {
  list2env(list(shared = shared, key = core_checksum(shared), sent = FALSE, forgotten = FALSE))
}

# Evaluates work(shared, part) for each of `parts` on the workers, where `work` is a function of
# this package. The part of a worker that dies is evaluated in this session.
on_workers <- function(parts, work, send) {
  settings <- worker_options()
  key <- send$key
  start <- function(part, shared) {
    tryCatch(future::future(do_shared_work(work, key, shared, part, settings), seed = NULL,
                            packages = "btg", stdout = NA,
                            globals = list(do_shared_work = do_shared_work, work = work,
                                           key = key, shared = shared, part = part,
                                           settings = settings)),
             FutureError = identity)
  }
  collect <- function(future) {
    if (inherits(future, "FutureError")) {
      return(future)
    }
    tryCatch(future::value(future), FutureError = identity)
  }
  run <- function(parts, shared) lapply(lapply(parts, start, shared), collect)
  results <- run(parts, if (!send$sent || send$forgotten) send$shared)
  lacking <- vapply(results, inherits, NA, "btg_not_shared")
  if (any(lacking)) {
    send$forgotten <- all(lacking)
    results[lacking] <- run(parts[lacking], send$shared)
  }
  send$sent <- TRUE
  lost <- vapply(results, inherits, NA, "FutureError")
  if (any(lost)) {
    warn_lost_worker(results[[which(lost)[1L]]])
    results[lost] <- lapply(parts[lost], function(part) work(send$shared, part))
  }
  results
}

# Holds the data that a worker received last, and their key.
worker_memory <- new.env(parent = emptyenv())

# Runs on a worker. Returns the result of its part, or an object of class `btg_not_shared` if the
# worker lacks the shared data.
do_shared_work <- function(work, key, shared, part, settings) {
  if (!is.null(shared)) {
    worker_memory$key <- key
    worker_memory$shared <- shared
  }
  if (!identical(worker_memory$key, key)) {
    return(structure(list(), class = "btg_not_shared"))
  }
  before <- options(settings)
  on.exit(options(before))
  work(worker_memory$shared, part)
}

# Splits 1, ..., n into as many runs of consecutive numbers as there are workers.
worker_parts <- function(n) {
  parts <- min(n, future::nbrOfWorkers())
  unname(split(seq_len(n), ceiling(seq_len(n) * parts / n)))
}
