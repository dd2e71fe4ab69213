# Evaluates likelihoods in several processes: see on_workers().

# Returns whether there are workers and a likelihood takes long enough to be worth sending.
is_divisible <- function(built, name) {
  n <- nrow(built$design$inputs)
  problem <- built$models[[match(name, built$names)]]
  n >= (if (is.null(problem$approx)) 1000L else 5000L) && has_workers()
}

# Returns the function that the core calls with rows of hyperparameters and whether it needs
# gradients. The function returns list(log_marginal, gradient).
evaluate_on_workers <- function(built, name, threads) {
  shared <- list(design = built$design, problem = built$models[[match(name, built$names)]],
                 threads = threads)
  send <- sender(shared)
  function(hyper, gradient) {
    parts <- lapply(worker_parts(nrow(hyper)), function(i) {
      list(hyper = hyper[i, , drop = FALSE], gradient = gradient)
    })
    found <- on_workers(parts, evaluate_part, send)
    for (one in found) check_core(one)
    count_progress(nrow(hyper))
    list(log_marginal = unlist(lapply(found, function(one) one$log_marginal)),
         gradient = do.call(rbind, lapply(found, function(one) one$gradient)))
  }
}

# Runs on a worker, which builds the model once.
evaluate_part <- function(shared, part) {
  built <- worker_memory$built
  if (!identical(built$models[[1L]], shared$problem) || !identical(built$design, shared$design)) {
    built <- build_models(shared$design, list(list(problem = shared$problem)))
    worker_memory$built <- built
  }
  core_evaluate(built, 1L, part$hyper, part$gradient, core_run(shared$threads))
}
