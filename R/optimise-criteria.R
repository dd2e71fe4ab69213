# The criteria of acquire() and suggest(): one row each.

# `takes` names the settings that a criterion uses besides `maximise` and `observation`; `ask` turns
# them into list(question, at, weights). A criterion that `is_positive` is climbed by its logarithm,
# others in standard deviations of the response; one that `is_moment` may not exist. A `folded`
# probability p counts as min(p, 1 - p), and is of no use to find an optimum. One that `explores`
# has no use for rows close to others. `screen` gives a cheaper criterion to find points worth the
# criterion itself. `answer` returns list(value, gradient, complete) of what was asked.
new_criterion <- function(takes, ask, is_positive = TRUE, is_moment = FALSE, folded = FALSE,
                          explores = FALSE, screen = function(spec, scale) spec,
                          answer = function(...) answer_question(...)) {
  list(takes = takes, ask = ask, is_positive = is_positive, is_moment = is_moment, folded = folded,
       explores = explores, screen = screen, answer = answer)
}

# An expected improvement is an integral of probabilities and takes a hundred of them; the
# trapezoidal rule with nodes at powers of 4 takes eleven.
screen_improvement <- function(spec, scale) {
  upper <- spec$question == "upper_partial_moment"
  steps <- c(0, scale * 4^(-8:1))
  gaps <- diff(steps)
  spec$question <- if (upper) "exceedance" else "cdf"
  spec$at <- spec$at + (if (upper) steps else -steps)
  spec$weights <- c(gaps, 0) / 2 + c(0, gaps) / 2
  spec
}

criteria <- list(
  ei = new_criterion("target", function(settings) {
    list(question = if (settings$maximise) "upper_partial_moment" else "lower_partial_moment",
         at = settings$target, weights = 1)
  }, is_moment = TRUE, screen = screen_improvement),
  pi = new_criterion("target", function(settings) {
    list(question = if (settings$maximise) "exceedance" else "cdf", at = settings$target,
         weights = 1)
  }),
  quantile = new_criterion("prob", function(settings) {
    list(question = "quantile",
         at = if (settings$maximise) settings$prob else 1 - settings$prob,
         weights = if (settings$maximise) 1 else -1)
  }, is_positive = FALSE),
  spread = new_criterion("prob", function(settings) {
    list(question = "quantile", at = c(1 - settings$prob, 1 + settings$prob) / 2,
         weights = c(-1, 1))
  }, explores = TRUE),
  contour = new_criterion("threshold", function(settings) {
    list(question = "cdf", at = settings$threshold, weights = 1)
  }, folded = TRUE),
  imspe = new_criterion("over", function(settings) list(region = settings$over), explores = TRUE,
                        answer = function(...) answer_reduction(...))
)

# The criterion of a search that has not found a feasible row yet is 1 everywhere, times the
# probability of the constraints.
feasibility_alone <- new_criterion(
  character(), function(settings) list(),
  answer = function(fit, newdata, spec, gradient, threads, tolerance, ensemble) {
    points <- prediction_points(fit, newdata)
    n <- length(points$complete)
    variables <- names(fit$blueprint$columns)
    list(value = stats::setNames(ifelse(points$complete, 1, NA), points$names),
         gradient = if (gradient) matrix(0, n, length(variables), dimnames = list(NULL, variables)),
         complete = points$complete)
  }
)

# The names of those that can find an optimum.
optimising_criteria <- function() {
  names(Filter(function(row) !row$folded && !"over" %in% row$takes, criteria))
}
