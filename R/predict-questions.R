# The questions behind a type of prediction, and the shapes of their answers.

# Returns the core's questions for a type of prediction. With `about_mean`, intervals are of the
# conditional mean.
predict_questions <- function(type, interval, level, probs, at, n, about_mean = FALSE) {
  ends <- rbind(c((1 - level) / 2, (1 + level) / 2))
  median <- if (type == "response") 0.5
  of_interval <- if (about_mean) mean_questions(interval, ends, level) else switch(interval,
    none = if (!is.null(median)) list(quantile = matrix(median)),
    credible = list(quantile = cbind(median, ends, deparse.level = 0L)),
    hdi = c(if (!is.null(median)) list(quantile = matrix(median)), list(shortest = matrix(level)))
  )
  switch(type,
    response = of_interval,
    mean = , variance = c(list(moments = matrix(0)), of_interval),
    mode = c(list(mode = matrix(0)), of_interval),
    quantile = list(quantile = check_probabilities(probs, n)),
    lost_mass = list(),
    stats::setNames(list(check_rows(at, n, "at")), type)
  )
}

# Shapes the core's answers for predict(). `what` is "value" or "standard_error".
shape_answer <- function(answers, what, type, interval, questions) {
  if (type == "quantile") {
    return(with_columns(answers$quantile[[what]],
                        if (nrow(questions$quantile) == 1L) percent_names(questions$quantile)))
  }
  if (!type %in% c("response", "mean", "mode", "variance")) {
    at <- questions[[type]]
    return(with_columns(answers[[type]][[what]], if (nrow(at) == 1L) value_names(at)))
  }
  centre <- switch(type,
    response = answers$quantile[[what]][, 1L],
    mode = answers$mode[[what]][, 1L],
    answers$moments[[what]][, if (type == "mean") 1L else 2L]
  )
  if (interval == "none") {
    return(centre)
  }
  ends <- if (interval == "credible") {
    quantiles <- answers[[intersect(c("conditional_mean", "quantile"), names(answers))[1L]]][[what]]
    quantiles[, ncol(quantiles) - 1:0, drop = FALSE]
  } else if (what == "value") {
    answers[[intersect(c("conditional_mean_shortest", "shortest"), names(answers))]]$value
  } else {
    cbind(NA, NA)[rep(1L, length(centre)), , drop = FALSE]
  }
  with_columns(cbind(centre, ends), c("fit", "lwr", "upr"))
}

with_columns <- function(x, columns) {
  colnames(x) <- columns
  x
}

check_probabilities <- function(probs, n) {
  check_probs(probs)
  check_rows(probs, n, "probs")
}

# Returns a matrix with one row for all points, or one row per point.
check_rows <- function(x, n, name) {
  if (is.null(x)) {
    abort_btg(c(paste0("`", name, "` is missing."),
                i = "Give the values of the response to evaluate at."), "argument")
  }
  if (!is.numeric(x) || anyNA(x) || (length(x) == 0L && !is.matrix(x))) {
    abort_argument(name, "must be numbers without missing values", x)
  }
  if (!is.matrix(x)) {
    return(rbind(as.double(x)))
  }
  if (nrow(x) != n) {
    abort_btg(c(paste0("A matrix `", name, "` must have one row for each row of `newdata`."),
                x = paste0("It has ", count_noun(nrow(x), "row"), ", `newdata` ", n, ".")),
              "argument")
  }
  x
}
