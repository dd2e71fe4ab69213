# Holds the points of a request, in the core's units.

# `relative_noise` is the noise variance relative to a row of mean weight. Answers are NA at points
# that are not `complete`. `na.action` describes rows to restore in the answers. Only the
# covariance `terms` of these names count there, or all.
new_points <- function(inputs, trend, noise, relative_noise, complete, names, na.action = NULL,
                       terms = NULL) {
  list(inputs = inputs, trend = trend, noise = noise, relative_noise = relative_noise,
       complete = complete, names = names, na.action = na.action, terms = terms)
}

# Returns the points with the terms that count there, by name. Without any, only the trend is left.
with_terms <- function(points, terms) {
  if (!is.null(terms)) points$terms <- if (length(terms) > 0L) terms else no_term
  points
}

no_term <- ""

# Selects points, without the rows to restore.
select_points <- function(points, rows) {
  own <- select_rows(points[!names(points) %in% c("na.action", "terms")], rows,
                     length(points$complete))
  do.call(new_points, c(own, list(terms = points$terms)))
}

# Selects points for the core. The noise-free process has zero relative noise.
core_points <- function(points, rows, observation) {
  c(list(inputs = points$inputs[rows, , drop = FALSE], trend = points$trend[rows, , drop = FALSE],
         noise = points$noise[rows, , drop = FALSE],
         relative_noise = observation * points$relative_noise[rows]),
    if (!is.null(points$terms)) list(terms = points$terms))
}

# Restores the rows that `na.action` describes, as stats::napredict() does, also in arrays.
pad_left_out <- function(values, points) {
  if (is.null(points$na.action)) {
    return(values)
  }
  if (length(dim(values)) < 3L) {
    return(stats::napredict(points$na.action, values))
  }
  flat <- matrix(values, nrow(values), dimnames = list(rownames(values), NULL))
  flat <- stats::napredict(points$na.action, flat)
  array(flat, c(nrow(flat), dim(values)[-1L]), c(list(rownames(flat)), dimnames(values)[-1L]))
}
