# Work over the plan of the future package.

# lapply(), on the workers of a plan that has some, if future.apply is installed. `fun` draws no
# random numbers, so that results are the same wherever it runs: here, if a worker is lost.
lapply_futures <- function(x, fun) {
  if (!has_workers() || length(x) < 2L || !requireNamespace("future.apply", quietly = TRUE)) {
    return(lapply(x, fun))
  }
  as.list(environment(fun)) # a promise would be kept elsewhere
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
             i = "What it had to do is done here; `future::plan()` starts new workers."),
           "worker")
}

# A plan is set by who has loaded the package: so it is not loaded to look for one.
has_workers <- function() {
  isNamespaceLoaded("future") && !inherits(future::plan("next"), "sequential") &&
    future::nbrOfWorkers() > 1
}

# The options of this session that a worker needs; there is no one to see its progress.
worker_options <- function() {
  settings <- options()[startsWith(names(options()), "btg.")]
  settings$btg.progress <- FALSE
  settings
}

# What all parts of some work share, and the key by which workers know it. It goes with the first
# parts; later parts bring only the key, until a worker turns out to lack it. Workers that forget,
# such as those made for one piece of work, are sent it every time.
sender <- function(shared) {
  list2env(list(shared = shared, key = core_checksum(shared), sent = FALSE, forgotten = FALSE))
}

# work(shared, part) for each of `parts`, on the workers. `work` is a function of this package. The
# part of a worker that dies is done here.
on_workers <- function(parts, work, send) {
  settings <- worker_options()
  start <- function(part, shared) {
    tryCatch(future::future(do_shared_work(work, key, shared, part, settings), seed = NULL,
                            packages = "btg", stdout = NA,
                            globals = list(do_shared_work = do_shared_work, work = work,
                                           key = send$key, shared = shared, part = part,
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

# What a worker was sent last, and under which key.
worker_memory <- new.env(parent = emptyenv())

# On a worker: its part of the work, or a sign that it lacks what is shared.
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

# 1, ..., n in as many runs of neighbours as there are workers.
worker_parts <- function(n) {
  parts <- min(n, future::nbrOfWorkers())
  unname(split(seq_len(n), ceiling(seq_len(n) * parts / n)))
}
