# Predictions at many points by several processes: see on_workers().

# True if there are workers, and so many points that factors cost less, which each of them makes.
# `points` are complete ones.
are_divisible <- function(fit, points) {
  is_approximate(fit) && points >= max(2000, row_count(fit) / 10) && has_workers()
}

# What `answer` would, answer_in_blocks(): a run of points for each worker.
answer_on_workers <- function(answer, fit, points, questions, observation, options, threads, call) {
  n <- length(points$complete)
  fields <- c("inputs", "trend", "noise", "complete", "names", "relative_noise")
  parts <- lapply(worker_parts(n), function(rows) {
    list(points = select_rows(points[intersect(fields, names(points))], rows, n),
         questions = lapply(questions, function(at) {
           if (nrow(at) > 1L) at[rows, , drop = FALSE] else at
         }))
  })
  shared <- list(answer = answer, fit = fit, observation = observation, options = options,
                 threads = threads, call = call)
  key <- core_checksum(shared[-1L])
  share_with_workers(shared, key)
  join_answers(on_workers(parts, answer_part, shared, key, call))
}

answer_part <- function(shared, part) {
  shared$answer(shared$fit, part$points, part$questions, shared$observation, shared$options,
                shared$threads, shared$call)
}

# Answers to points in one part after the other, as if they had been in one.
join_answers <- function(parts) {
  joined <- parts[[1L]]
  stacked <- function(name, what) {
    do.call(rbind, lapply(parts, function(part) part$answers[[name]][[what]]))
  }
  for (name in names(joined$answers)) {
    joined$answers[[name]] <- list(value = stacked(name, "value"),
                                   standard_error = stacked(name, "standard_error"))
  }
  joined$lost_mass <- unlist(lapply(parts, function(part) part$lost_mass))
  for (sum_of in c("rearranged", "evaluations")) {
    joined[[sum_of]] <- sum(vapply(parts, function(part) part[[sum_of]], 0))
  }
  joined
}
