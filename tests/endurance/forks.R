# Processes that are started while threads run. The function that is told of progress runs in the
# calling thread while the others compute, so what it starts is started then; and processes that
# were forked start threads of their own.

d <- some_data(120)
new <- some_data(6, seed = 2)
fit_on_threads <- function() {
  btg(y ~ x + u, d, transform = "sinharcsinh", threads = 2,
      quadrature = quad_adaptive(nodes = 64, effective = 20, most = 200))
}
numbers <- function(fit) list(nodes(fit), answers_of(fit, new, threads = 2))
expected <- numbers(fit_on_threads())
small <- kinds$softplus(some_data(20))
small_expected <- answers_of(small, new)

# What `start` makes while threads run: it is called with progress, at most `most` times. Processes
# that were forked inherit the option, and are not to fork in turn.
main <- Sys.getpid()
during_fit <- function(start, most) {
  begun <- list()
  before <- options(btg.progress = function(...) {
    if (Sys.getpid() == main && length(begun) < most) begun[[length(begun) + 1L]] <<- start()
  })
  on.exit(options(before))
  fit <- fit_on_threads()
  list(numbers = numbers(fit), begun = begun)
}

if (.Platform$OS.type == "unix") {
  for (round in 1:10) {
    forked <- during_fit(function() {
      parallel::mcparallel({
        options(btg.progress = FALSE)
        answers_of(small, new, threads = 2)
      }, silent = TRUE)
    }, 4L)
    results <- parallel::mccollect(forked$begun)
    holds("a fit that is forked from is the same", identical(forked$numbers, expected))
    holds("processes forked while threads run answer alike",
          length(results) > 0L && all(vapply(results, identical, NA, small_expected)))
  }
  cat(length(results), "forks in each of 10 fits\n")

  many <- parallel::mclapply(1:40, function(k) {
    list(numbers(fit_on_threads()), answers_of(small, new, threads = 2))
  }, mc.cores = 2)
  holds("forked processes fit on threads of their own",
        all(vapply(many, identical, NA, list(expected, small_expected))))
}

if (requireNamespace("callr", quietly = TRUE)) {
  ask <- function(small, new, answers_of) {
    library(btg)
    answers_of(small, new, threads = 2)
  }
  for (round in 1:5) {
    called <- during_fit(function() {
      callr::r_bg(ask, list(small, new, answers_of), package = FALSE)
    }, 3L)
    results <- lapply(called$begun, function(process) {
      process$wait()
      process$get_result()
    })
    holds("a fit during which sessions start is the same", identical(called$numbers, expected))
    holds("sessions started while threads run answer alike",
          length(results) > 0L && all(vapply(results, identical, NA, small_expected)))
  }
  cat(length(results), "sessions in each of 5 fits\n")
}
