# Likelihoods of one model by several processes: see on_workers().

# True if there are workers, and a likelihood takes long enough to be worth sending.
is_divisible <- function(design, problem) {
  n <- nrow(design$inputs)
  n >= (if (is.null(problem$approx)) 1000L else 5000L) && has_workers()
}

# A function of rows of hyperparameters and of whether gradients are wanted, as the core asks for
# it: list(log_marginal, jitter, gradient).
evaluate_on_workers <- function(design, problem, threads, call) {
  shared <- list(design = design, problem = problem, threads = threads)
  key <- core_checksum(shared)
  share_with_workers(shared, key)
  function(hyper, gradient) {
    rows <- worker_parts(nrow(hyper))
    parts <- lapply(rows, function(i) list(hyper = hyper[i, , drop = FALSE], gradient = gradient))
    found <- on_workers(parts, evaluate_part, shared, key, call)
    for (one in found) check_core(one, call)
    count_progress(nrow(hyper))
    list(log_marginal = unlist(lapply(found, function(one) one$log_marginal)),
         jitter = unlist(lapply(found, function(one) one$jitter)),
         gradient = do.call(rbind, lapply(found, function(one) one$gradient)))
  }
}

evaluate_part <- function(shared, part) {
  core_evaluate(shared$design, shared$problem, part$hyper, part$gradient, core_run(shared$threads))
}
