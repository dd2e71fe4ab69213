# Converts questions to the core's units, and its answers to the response's.

# Scales responses in questions, but not probabilities.
scale_questions <- function(questions, scaling) {
  for (name in names(questions)) {
    if (registry()$questions[[name]]$asked_at == "response") {
      questions[[name]] <- scale_response(questions[[name]], scaling)
    }
  }
  questions
}

# `units` belong to the first columns of the answer and repeat for the next.
unscale_answer <- function(answer, units, scaling) {
  unit_of <- function(columns) rep(units, length.out = columns)
  answer$value <- unscale_columns(answer$value, unit_of(ncol(answer$value)), scaling)
  answer$standard_error <- scaling$scale * answer$standard_error
  if (!is.null(answer$slopes)) {
    size <- vapply(unit_of(dim(answer$slopes)[3L]), unit_size, 0, scaling)
    answer$slopes[] <- answer$slopes * rep(size, each = prod(dim(answer$slopes)[1:2]))
    answer$slopes[!is.finite(answer$slopes)] <- NA
  }
  answer
}

unscale_columns <- function(values, units, scaling) {
  for (unit in unique(units)) {
    j <- which(units == unit)
    values[, j] <- switch(unit,
      response = unscale_response(values[, j], scaling),
      log_density = values[, j] - log(scaling$scale),
      unit_size(unit, scaling) * values[, j]
    )
  }
  values[is.nan(values)] <- NA
  values
}

# Returns the core's unit in units of the response.
unit_size <- function(unit, scaling) {
  switch(unit, response = , length = scaling$scale, variance = scaling$scale^2,
         density = 1 / scaling$scale, 1)
}
