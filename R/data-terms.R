# Parses the formulas of the inputs, the trend and the noise.

# Each term of the right-hand side is an input, or a covariance term (data-covariance.R). An
# intercept has no effect.
parse_inputs <- function(formula, data) {
  terms <- parse_terms(formula, without_groups(formula, data))
  labels <- attr(terms, "term.labels")
  products <- labels[attr(terms, "order") > 1L]
  if (length(products) > 0L) {
    abort_btg(c(
      "The formula cannot have interactions.",
      x = paste0("It has ", list_names(products), "."),
      i = "List the inputs with `+`: the kernel models their interactions itself."
    ), "interaction")
  }
  if (length(labels) == 0L) {
    abort_btg(c(
      "The formula needs at least one input.",
      x = paste0("`", deparse1(formula), "` has none on its right-hand side."),
      i = advise_inputs(formula, data)
    ), "no_inputs")
  }
  check_response_unused(sum_of_terms(terms), formula)
}

# In the inputs, `.` stands for every column that the response does not use, except for groups.
without_groups <- function(formula, data) {
  if (is.environment(data)) {
    return(data)
  }
  data[setdiff(names(data), grouping_variables(formula[[3L]], data, environment(formula)))]
}

# In packages of geostatistics, `z ~ 1` stands for a process over the coordinates of the data.
advise_inputs <- function(formula, data) {
  response <- deparse1(formula[[2L]])
  others <- if (!is.environment(data)) setdiff(names(data), all.vars(formula[[2L]]))
  if (all(c("X", "Y") %in% others)) {
    paste0("Write `", response, " ~ X + Y` for a process over the coordinates. A constant trend ",
           "is the default.")
  } else {
    inputs <- if (length(others) > 0L) utils::head(others, 2L) else c("x1", "x2")
    paste0("Name the inputs, as in `", response, " ~ ", paste(inputs, collapse = " + "), "`. A ",
           "constant trend is the default.")
  }
}

# Rebuilds the terms without the response and without terms that a `-` removed. It combines
# expressions because labels lose the parentheses of `(a > 0) + b`.
sum_of_terms <- function(terms, constant = TRUE) {
  variables <- as.list(attr(terms, "variables"))[-1L]
  factors <- attr(terms, "factors")
  each <- lapply(seq_along(attr(terms, "term.labels")), function(j) {
    Reduce(function(a, b) call(":", a, b), variables[factors[, j] > 0])
  })
  sum <- Reduce(function(a, b) call("+", a, b), each, as.double(constant))
  stats::terms(stats::as.formula(call("~", sum)))
}

# In the trend, `.` stands for every column that the response does not use.
parse_trend <- function(trend, formula, data) {
  if (!is.environment(data)) {
    data <- data[setdiff(names(data), all.vars(formula[[2L]]))]
  }
  terms <- parse_terms(trend, data)
  labels <- attr(terms, "term.labels")
  constant <- attr(terms, "intercept") == 1L
  if (length(labels) == 0L && !constant) {
    abort_btg(c(
      "The trend needs at least one column.",
      x = paste0("`trend = ", deparse1(trend), "` has none."),
      i = "Use `trend = ~ 1` for an unknown constant."
    ), "trend")
  }
  check_response_unused(sum_of_terms(terms, constant), formula)
}

check_response_unused <- function(terms, formula) {
  check_response_free(names(term_variables(terms)), formula)
  terms
}

check_response_free <- function(variables, formula) {
  response <- deparse1(formula[[2L]])
  if (response %in% variables) {
    abort_btg(c(
      "The response cannot explain itself.",
      x = paste0("`", response, "` is also an input or in the trend.")
    ), "response_used")
  }
}

parse_terms <- function(formula, data) {
  terms <- rethrow_btg(stats::terms(formula, data = data),
                       paste0("`", deparse1(formula), "` cannot be used."), "formula")
  if (!is.null(attr(terms, "offset"))) {
    abort_btg(c(
      "Offsets are not supported.",
      x = paste0("`", deparse1(formula), "` has an offset."),
      i = paste0("For totals over exposures, as in `offset(log(exposure))`, model the rate ",
                 "`total / exposure`, with `log(exposure)` as an input and as `noise`."),
      i = "Subtract a term with a known coefficient from the response."
    ), "offset")
  }
  terms
}

# Returns the terms of the noise model, or NULL for constant noise. `.` stands for every column that
# the response does not use. An intercept has no effect, as the model always has one.
parse_noise <- function(noise, formula, data) {
  if (!is.environment(data)) {
    data <- data[setdiff(names(data), all.vars(formula[[2L]]))]
  }
  terms <- parse_terms(noise, data)
  if (length(attr(terms, "term.labels")) == 0L) {
    return(NULL)
  }
  check_response_unused(sum_of_terms(terms), formula)
}
