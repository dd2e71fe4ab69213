# Keeps suggestions away from rows that were measured or suggested before. A deterministic function
# gives the same response there, and update() leaves out such a copy, so that a loop would stay.

# Returns list(rows, repeats): the rows of the fit, and whether responses differ between replicates,
# so that there is noise and a repeated measurement is worth something.
measured_rows <- function(fit) {
  point <- group_rows(fit$design$inputs)
  differ <- anyDuplicated(unique(cbind(point, fit_response(fit)))[, 1L]) > 0L
  list(rows = fit$data, repeats = differ)
}

# Lists the places to keep away from, each with a distance of the unit cube. Rows of a batch of `n`
# keep 0.05 apart, or half of that between points that would fill the cube. Measured rows keep off
# exact repeats only, because a search refines around them; a criterion that only explores has
# nothing to refine.
away_from <- function(space, spec, measured, chosen, n, share) {
  distance <- function(count) min(0.05, 0.25 * count^(-1 / max(length(space$lower), 1)))
  near <- if (spec$criterion$explores) share * distance(nrow(measured$rows)) else 1e-6
  list(if (!measured$repeats) places_of(space, measured$rows, near),
       if (!is.null(chosen)) places_of(space, chosen, share * distance(n)))
}

# Returns where rows are in the space: points of the unit cube and combinations of levels.
places_of <- function(space, rows, distance) {
  list(u = space_points(space, rows), k = combination_of(space, rows), distance = distance)
}

# Returns `allowed` for rows that are not near to others.
keep_away <- function(allowed, space, others) {
  function(rows) {
    allowed_rows <- are_allowed(allowed, rows)
    for (other in others) {
      if (!is.null(other)) allowed_rows <- allowed_rows & !are_near(space, rows, other)
    }
    allowed_rows
  }
}

# Returns for each row whether one of the other places has the same levels, and numbers within their
# distance.
are_near <- function(space, rows, others) {
  u <- space_points(space, rows)
  near <- outer(combination_of(space, rows), others$k, `==`)
  for (j in seq_len(ncol(u))) {
    near <- near & abs(outer(u[, j], others$u[, j], `-`)) <= others$distance
  }
  rowSums(near) > 0
}

# Returns which candidates to choose among: those that are no repeats, or all if there are no others
# or repeats are worth something.
new_candidates <- function(fit, candidates, measured, allowed) {
  usable <- are_allowed(allowed, candidates)
  if (measured$repeats) {
    return(usable)
  }
  points <- prediction_points(fit, candidates)
  known <- rbind(fit$design$inputs, points$inputs)
  n <- row_count(fit)
  group <- group_rows(known)
  fresh <- usable & points$complete & !utils::tail(group, -n) %in% utils::head(group, n)
  if (any(fresh)) fresh else usable
}
