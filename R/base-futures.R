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
    warn_lost_worker(lost, NULL)
    lapply(x, fun)
  })
}

warn_lost_worker <- function(lost, call) {
  warn_btg(c("A worker of the plan was lost.",
             x = conditionMessage(lost),
             i = "What it had to do is done here; `future::plan()` starts new workers."),
           "worker", call)
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

# Sends `shared` to every worker, to be known there by `key`. Each is held for a moment, so that the
# next goes to another; one that is missed says so when it is asked to work.
share_with_workers <- function(shared, key) {
  sending$always <- FALSE
  hold <- min(0.1 + 2e-8 * future::nbrOfWorkers() * as.numeric(utils::object.size(shared)), 2)
  started <- lapply(seq_len(future::nbrOfWorkers()), function(i) {
    tryCatch(future::future(remember_shared(shared, key, hold), seed = NULL, packages = "btg",
                            globals = list(remember_shared = remember_shared, shared = shared,
                                           key = key, hold = hold)),
             FutureError = identity)
  })
  for (one in started) {
    if (!inherits(one, "FutureError")) tryCatch(future::value(one), FutureError = identity)
  }
}

# Whether workers forget, as those do that are made for each piece of work: then what is shared
# goes with it.
sending <- list2env(list(always = FALSE))

# On a worker.
remember_shared <- function(shared, key, hold = 0) {
  worker_memory$key <- key
  worker_memory$shared <- shared
  Sys.sleep(hold)
}

# work(shared, part) for each of `parts`, on the workers. `shared` was sent to them, and is known by
# `key`; where one lacks it, it is sent with the work from then on. `work` is a function of this
# package. What a worker takes with it when it dies is done here.
on_workers <- function(parts, work, shared, key, call) {
  settings <- worker_options()
  start <- function(part, shared) {
    tryCatch(future::future(do_shared_work(work, key, shared, part, settings), seed = NULL,
                            packages = "btg", stdout = NA,
                            globals = list(do_shared_work = do_shared_work, work = work, key = key,
                                           shared = shared, part = part, settings = settings)),
             FutureError = identity)
  }
  collect <- function(future) {
    if (inherits(future, "FutureError")) {
      return(future)
    }
    tryCatch(future::value(future), FutureError = identity)
  }
  run <- function(parts, shared) lapply(lapply(parts, start, shared), collect)
  results <- run(parts, if (sending$always) shared)
  lacking <- vapply(results, inherits, NA, "btg_not_shared")
  if (any(lacking)) {
    sending$always <- TRUE
    results[lacking] <- run(parts[lacking], shared)
  }
  lost <- vapply(results, inherits, NA, "FutureError")
  if (any(lost)) {
    warn_lost_worker(results[[which(lost)[1L]]], call)
    results[lost] <- lapply(parts[lost], work, shared = shared)
  }
  results
}

# What a worker was sent last, and under which key.
worker_memory <- new.env(parent = emptyenv())

# On a worker: its part of the work, or that it does not have what is shared.
do_shared_work <- function(work, key, shared, part, settings) {
  if (!is.null(shared)) remember_shared(shared, key)
  if (!identical(worker_memory$key, key)) {
    return(structure(list(), class = "btg_not_shared"))
  }
  before <- options(settings)
  on.exit(options(before))
  work(shared = worker_memory$shared, part = part)
}

# 1, ..., n in as many runs of neighbours as there are workers.
worker_parts <- function(n) {
  parts <- min(n, future::nbrOfWorkers())
  unname(split(seq_len(n), ceiling(seq_len(n) * parts / n)))
}
