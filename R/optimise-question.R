# A criterion that is the answer to a question about predictive distributions.

# Answers a criterion, or the probability of a constraint, that is a weighted sum of answers to a
# question.
answer_question <- function(fit, newdata, spec, gradient, threads, tolerance, ensemble) {
  points <- prediction_points(fit, newdata)
  request <- new_request(points, stats::setNames(list(rbind(spec$at)), spec$question),
                         spec$observation, list(tolerance = tolerance), run = new_run(threads))
  if (gradient) request <- with_slopes(request, fit, newdata)
  answered <- answer(ensemble, request)$answers[[1L]]
  value <- drop(answered$value %*% spec$weights)
  slopes <- if (gradient) {
    flat <- answered$slopes[, , 1L] * spec$weights[1L]
    if (length(spec$weights) > 1L) flat <- flat + answered$slopes[, , 2L] * spec$weights[2L]
    matrix(flat, length(value), dimnames = dimnames(answered$slopes)[1:2])
  }
  if (isTRUE(spec$criterion$folded)) {
    above <- which(value > 0.5)
    value[above] <- 1 - value[above]
    if (gradient) slopes[above, ] <- -slopes[above, ]
  }
  list(value = stats::setNames(value, points$names), gradient = slopes, complete = points$complete)
}
