# Joint draws of the response at many points, for questions about all of them together. The draws
# are scrambled Sobol points, so that fewer are enough than of random ones: see field_draws.hpp.

# Independent replicates of a set of draws: their spread gives the Monte Carlo error of all.
field_replicates <- 8L

# The variance that may be missing from the joint part of a draw, relative to that of the process.
# Every point still has its whole variance. On a grid of 3000 cells, the standard deviation of the
# total at each node changes by less than 1%.
field_share <- 0.002

# More points than these are drawn in blocks.
most_field_points <- 6000L

# Returns list(draws, replicate): rows `rows` of the points in the response's units, one column per
# draw. Each replicate has the points first, ..., first + count - 1 of its Sobol sequence. The
# columns of `totals` are weights of sums that matter, which makes their error smaller.
field_draws <- function(fit, points, rows, count, first = 0L, observation, seed, threads,
                        totals = matrix(0, length(rows), 0L)) {
  ensemble <- ensemble_of(fit)
  nsim <- count * field_replicates
  replicate <- rep(seq_len(field_replicates), each = count)
  check_memory(8 * length(rows) * (2 * nsim + min(length(rows), most_field_points)), "The draws",
               "Predict at fewer rows, or ask for fewer draws.")
  if (length(rows) > most_field_points || (is_approximate(fit) && length(rows) > 2000L)) {
    own <- select_points(points, rows)
    draws <- with_seed(seed + first, function() {
      joint_draws(fit, own, nsim, observation, 2000, threads)
    })
    return(list(draws = unname(matrix(draws, length(rows))), replicate = replicate))
  }
  opened <- open_ensemble(ensemble, new_run(threads))
  plan <- list(replicates = field_replicates, count = as.integer(count), first = as.integer(first),
               seed = as.integer(seed), share = field_share, totals = totals)
  core <- check_core(core_field(opened$ensemble, core_points(points, rows, observation), plan,
                                core_run(threads)))
  list(draws = within_ends(core$draws, ensemble$scaling, core$node), replicate = replicate)
}

# Moves draws beyond the bounds of the response to these, except for the share of whole draws that
# may go below an inferred bound, and converts them to the response's units.
within_ends <- function(draws, scaling, node) {
  ends <- response_ends(scaling)
  draws <- pmin(draws, ends$ceiling)
  if (is.finite(ends$floor)) {
    # Golden-ratio steps mark the share evenly among the draws.
    open <- (seq_len(ncol(draws)) * 0.6180339887498949) %% 1 < ends$open
    draws[, !open] <- pmax(draws[, !open], ends$floor)
  }
  unscale_response(draws, scaling)
}

# Returns the standard errors of estimates of shares and quantiles: of P(value <= at) from the
# spread of replicates, and of the quantiles at `probs` by the density there.
share_error <- function(values, replicate, at) {
  shares <- vapply(at, function(a) tapply(values <= a, replicate, mean),
                   numeric(field_replicates))
  apply(shares, 2L, stats::sd) / sqrt(field_replicates)
}

quantile_error <- function(values, replicate, probs) {
  at <- stats::quantile(values, probs, names = FALSE)
  step <- pmin(probs, 1 - probs) / 2
  gap <- stats::quantile(values, probs + step, names = FALSE) -
    stats::quantile(values, probs - step, names = FALSE)
  share_error(values, replicate, at) * gap / (2 * step)
}

# Draws until the errors of the `probs` are at most `accuracy` of the width of the interval, in root
# mean square for each answer, or until there are `most` draws. `reduce(draws)` returns one row per
# answer and one column per draw. With `nsim`, draws as many.
drawn_answers <- function(draw, reduce, probs, nsim = NULL, accuracy = 0.03, most = 8192L,
                          part = 128L) {
  # Fewer than 1024 draws cost hardly less: the factors of the nodes take most of the time.
  count <- if (is.null(nsim)) 128L else max(1L, ceiling(nsim / field_replicates))
  found <- list(values = NULL, replicate = NULL)
  more <- count
  done <- 0L
  while (more > 0L) {
    now <- min(more, part)
    field <- draw(now, done)
    found$values <- cbind(found$values, reduce(field$draws))
    found$replicate <- c(found$replicate, field$replicate)
    done <- done + now
    more <- more - now
    if (more == 0L && is.null(nsim)) {
      more <- more_draws(max(relative_error(found, probs)) / accuracy, done,
                         most %/% field_replicates)
      nsim <- done + more
    }
  }
  found
}

# Returns how many draws of each replicate to add to `done` if the error is `excess` times what it
# should be. The error of Sobol points falls at least as fast as that of random ones, and their
# number is best a power of two.
more_draws <- function(excess, done, most) {
  wanted <- done * excess^2
  if (wanted <= done) 0L else as.integer(min(done * 2^ceiling(log2(wanted / done)), most) - done)
}

# Returns the error of each answer relative to the width of its interval.
relative_error <- function(found, probs) {
  apply(found$values, 1L, function(values) {
    width <- if (anyNA(values)) 0
             else diff(range(stats::quantile(values, range(probs), names = FALSE)))
    if (width > 0) sqrt(mean(quantile_error(values, found$replicate, probs)^2)) / width else 0
  })
}
