# Workers of a plan that are killed at random moments of a call: its value is that of a session
# without workers, and a warning says that one was lost; then there are none of them left behind.

if (!requireNamespace("future.apply", quietly = TRUE)) {
  cat("Skipped: future.apply is needed\n")
} else {
  set.seed(1)
  big <- some_data(1100)
  many <- some_data(2100, seed = 2)
  d <- some_data(40)
  fit <- kinds$softplus(d)
  large <- btg(y ~ x + u, big, transform = "identity", quadrature = few, approx = vecchia(5, 4, 3))
  # What workers do: likelihoods, points, models and folds.
  calls <- list(
    likelihoods = function() nodes(btg(y ~ x + u, big, transform = "identity", quadrature = few)),
    points = function() predict(large, many, type = "quantile"),
    models = function() nodes(btg(y ~ x + u, d, quadrature = quad_sobol(nodes = 64))),
    folds = function() loocv(fit, folds = 8, method = "refit")$pointwise
  )
  expected <- lapply(calls, function(call) call())

  kill_after <- function(pid, delay) {
    system(sprintf("(sleep %.3f; kill -9 %d) >/dev/null 2>&1 &", delay, pid))
  }
  lost <- 0L
  deaths <- max(4L, rounds %/% 50L)
  for (k in seq_len(deaths)) {
    name <- names(calls)[(k - 1L) %% length(calls) + 1L]
    future::plan("multisession", workers = 2)
    pids <- unlist(future.apply::future_lapply(1:2, function(i) {
      Sys.sleep(0.2)
      Sys.getpid()
    }))
    calls[[name]]() # loads the package there, and says how long it takes
    took <- system.time(calls[[name]]())[["elapsed"]]
    victims <- if (k %% 8L < 4L) pids[1L] else unique(pids)
    for (pid in victims) kill_after(pid, stats::runif(1, 0, took))
    value <- tryCatch(withCallingHandlers(calls[[name]](), btg_warning_worker = function(w) {
      lost <<- lost + 1L
      invokeRestart("muffleWarning")
    }), error = function(e) e)
    said <- if (inherits(value, "error")) paste(class(value)[1L], conditionMessage(value))
    # Points are answered in other blocks, which rounds otherwise.
    holds(paste0(name, ", ", length(victims), " killed"),
          all.equal(value, expected[[name]], tolerance = if (name == "points") 1e-12 else 0), ": ",
          said)
    suppressWarnings(future::plan("sequential"))
    holds(paste("after", name, "the session is as before"),
          identical(calls[[name]](), expected[[name]]))
  }
  cat(deaths, "calls with workers killed,", lost, "warnings of a lost worker\n")
}
