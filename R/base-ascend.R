# The largest value of a smooth function on the unit cube, from several starts at once: each step
# asks for all of them together, which costs a predictive model little more than one.

# `f(u, start)` has list(value, gradient) for the rows of `u`, which come from those starts; a value
# that is not finite is not allowed.
# BFGS with steps projected to the cube, as many as `steps`, shorter than `tolerance` or expected to
# rise by less than `rise`. `inverses` are inverse Hessians of -f to begin with, if they are known.
# list(u, value, inverses) for each start.
ascend <- function(f, starts, steps = 30L, tolerance = 1e-6, rise = 0, inverses = NULL) {
  at <- f(starts, seq_len(nrow(starts)))
  climbers <- lapply(seq_len(nrow(starts)), function(i) {
    new_climber(starts[i, ], at$value[i], at$gradient[i, ], inverses[[i]], rise)
  })
  for (k in seq_len(steps)) {
    moving <- which(!vapply(climbers, function(climber) climber$done, NA))
    if (length(moving) == 0L) break
    trials <- do.call(rbind, lapply(climbers[moving], trial_of))
    at <- f(trials, moving)
    for (i in seq_along(moving)) {
      climbers[[moving[i]]] <- step_climber(climbers[[moving[i]]], trials[i, ], at$value[i],
                                            at$gradient[i, ], tolerance, rise)
    }
  }
  list(u = do.call(rbind, lapply(climbers, `[[`, "u")),
       value = vapply(climbers, `[[`, 0, "value"),
       inverses = lapply(climbers, `[[`, "inverse"))
}

# `inverse` is the inverse Hessian of -f, `along` the direction, `length` the share of it to go.
new_climber <- function(u, value, gradient, inverse, rise) {
  usable <- is.finite(value) && all(is.finite(gradient))
  climber <- list(u = u, value = if (is.finite(value)) value else -Inf, gradient = gradient,
                  inverse = inverse, length = 1, along = 0 * u, done = !usable || length(u) == 0L)
  if (climber$done) climber else aim(climber, rise)
}

# A new direction: uphill, and not out of the cube.
aim <- function(climber, rise) {
  g <- climber$gradient
  free <- !(climber$u <= 0 & g < 0 | climber$u >= 1 & g > 0)
  climber$length <- 1
  if (!any(free) || all(g[free] == 0)) {
    climber$done <- TRUE
    return(climber)
  }
  along <- 0 * g
  if (!is.null(climber$inverse)) {
    along[free] <- climber$inverse[free, free, drop = FALSE] %*% g[free]
  }
  if (sum(along * g) > 0) {
    climber$done <- sum(along * g) / 2 < rise
  } else {
    climber$inverse <- NULL
    along[free] <- 0.05 * g[free] / max(abs(g[free]))
  }
  climber$along <- along * min(1, 0.3 / max(abs(along)))
  climber
}

trial_of <- function(climber) {
  pmin(pmax(climber$u + climber$length * climber$along, 0), 1)
}

# Goes to the trial if it is high enough, or else less far the next time.
step_climber <- function(climber, trial, value, gradient, tolerance, rise) {
  moved <- trial - climber$u
  enough <- climber$value + 1e-4 * sum(climber$gradient * moved)
  if (!(is.finite(value) && all(is.finite(gradient)) && value >= enough)) {
    climber$length <- 0.3 * climber$length
    climber$done <- max(abs(climber$length * climber$along)) < tolerance
    return(climber)
  }
  climber$inverse <- update_inverse(climber$inverse, moved, climber$gradient - gradient)
  climber$done <- max(abs(moved)) < tolerance
  climber[c("u", "value", "gradient")] <- list(trial, value, gradient)
  if (climber$done) climber else aim(climber, rise)
}

# The BFGS update for a step s along which the gradient of -f changed by y.
update_inverse <- function(inverse, s, y) {
  sy <- sum(s * y)
  if (!(sy > 1e-12 * sqrt(sum(s^2) * sum(y^2)))) {
    return(inverse)
  }
  if (is.null(inverse)) inverse <- diag(sy / sum(y^2), length(s))
  left <- diag(length(s)) - outer(s, y) / sy
  left %*% inverse %*% t(left) + outer(s, s) / sy
}

# `count` points that fill the unit cube evenly, always the same: multiples of powers of the
# generalised golden ratio, the root of x^(d + 1) = x + 1, modulo 1.
even_points <- function(count, d) {
  ratio <- 2
  for (k in 1:60) ratio <- (1 + ratio)^(1 / (d + 1))
  (0.5 + outer(seq_len(count), ratio^-seq_len(d))) %% 1
}
