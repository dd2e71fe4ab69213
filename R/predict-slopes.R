# Slopes of predictions along the variables of the data. The core has derivatives of answers in its
# inputs, the blueprint those of inputs in the variables.

# list(value, slopes) of each question, as answer_questions() takes them: `slopes` is an array of
# points x variables x columns of the answer, NA along variables that are not numbers.
answer_slopes <- function(fit, newdata, points, questions, observation, options, threads, call) {
  check_exact(fit, call)
  directions <- blueprint_slopes(fit$blueprint, fit$scaling$x, fit$data,
                                 if (is.null(newdata)) fit$data else newdata, call)
  scaling <- fit$scaling$y
  core <- with_progress("Predicting", slopes_in_blocks(
    fit, points, directions, scale_questions(questions, scaling), observation, options, threads,
    call
  ))
  warn_lost_mass(core$lost_mass, points$names, call)
  warn_rearranged(core$rearranged, sum(points$complete), call)
  pad <- function(values) pad_left_out(values, points)
  lapply(stats::setNames(nm = names(questions)), function(name) {
    units <- registry()$questions[[name]]$units
    slopes <- core$slopes[[name]]
    slopes[] <- slopes * rep(slope_units(units, dim(slopes)[3L], scaling),
                             each = prod(dim(slopes)[1:2]))
    slopes[!is.finite(slopes)] <- NA
    list(value = pad(unscale_columns(core$value[[name]], units, scaling)),
         slopes = pad_slopes(slopes, points))
  })
}

# What a slope of the core is multiplied by, for each of `count` columns of an answer.
slope_units <- function(units, count, scaling) {
  size <- c(response = scaling$scale, length = scaling$scale, probability = 1,
            variance = scaling$scale^2)
  rep(unname(size[units]), length.out = count)
}

# As pad_left_out(), of an array.
pad_slopes <- function(slopes, points) {
  if (is.null(points$na.action)) {
    return(slopes)
  }
  flat <- pad_left_out(matrix(slopes, nrow(slopes), dimnames = list(rownames(slopes), NULL)),
                       points)
  array(flat, c(nrow(flat), dim(slopes)[-1L]), c(list(rownames(flat)), dimnames(slopes)[-1L]))
}

# As answer_in_blocks().
slopes_in_blocks <- function(fit, points, directions, questions, observation, options, threads,
                             call) {
  ensemble <- core_ensemble(fit)
  n <- length(points$complete)
  variables <- names(fit$blueprint$columns)
  columns <- vapply(names(questions), function(name) answer_columns(name, questions[[name]]), 0)
  check_memory(3 * 8 * n * sum(columns) * (1 + length(variables)), "The slopes", call = call)
  result <- list(
    value = lapply(columns, function(k) {
      matrix(NA_real_, n, k, dimnames = list(points$names, NULL))
    }),
    slopes = lapply(columns, function(k) {
      array(NA_real_, c(n, length(variables), k), list(points$names, variables, NULL))
    }),
    lost_mass = stats::setNames(rep(NA_real_, n), points$names), rearranged = 0
  )
  complete <- which(points$complete)
  blocks <- row_blocks(complete, length(ensemble$weight) * (1 + length(directions)))
  kept <- if (length(blocks) > 0L) kept_ensemble(ensemble, threads, call)
  for (k in seq_along(blocks)) {
    rows <- blocks[[k]]
    progress_part((k - 1) / length(blocks), k / length(blocks))
    asked <- lapply(questions, function(at) if (nrow(at) > 1L) at[rows, , drop = FALSE] else at)
    along <- lapply(unname(directions), function(slopes) {
      lapply(slopes, function(x) x[rows, , drop = FALSE])
    })
    core <- check_core(core_slopes(kept$ensemble, core_points(points, rows, observation), along,
                                   asked, options, core_run(threads)), call, points$names[rows])
    for (name in names(questions)) {
      result$value[[name]][rows, ] <- core$answers[[name]]$value
      for (j in seq_along(directions)) {
        result$slopes[[name]][rows, names(directions)[j], ] <- core$slopes[[name]][[j]]
      }
    }
    result$lost_mass[rows] <- core$lost_mass
    result$rearranged <- result$rearranged + core$rearranged
  }
  result
}

check_exact <- function(fit, call) {
  if (is_approximate(fit)) {
    abort_btg(c("Slopes need the exact covariance, and this fit has an approximate one.",
                i = paste0("Fit with `approx = \"exact\"`, or take differences of predictions: ",
                           "they are smooth except where neighbours change.")), "slope", call)
  }
}

# What predict(type = "slope") returns: a matrix, or for the types that take values an array with
# a slice for each.
predicted_slopes <- function(fit, newdata, points, of, questions, observation, options, threads,
                             call) {
  answer <- answer_slopes(fit, newdata, points, questions, observation, options, threads,
                          call)[[1L]]
  slopes <- answer$slopes
  if (of %in% c("response", "mean")) {
    if (of == "mean") warn_moments(answer$value[, 1L], points, of, call)
    flat <- slopes[, , 1L, drop = FALSE]
    return(array(flat, dim(flat)[1:2], dimnames(flat)[1:2]))
  }
  at <- questions[[1L]]
  if (nrow(at) == 1L) {
    dimnames(slopes)[[3L]] <- if (of == "quantile") percent_names(at) else value_names(at)
  }
  slopes
}
