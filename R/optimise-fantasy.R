# Choosing among given rows, and believing in measurements that are not there yet.

# The best of the `usable` candidates: list(row, value, position).
best_candidate <- function(fit, candidates, spec, usable, threads) {
  value <- answer_acquisition(fit, candidates, spec, FALSE, threads)$value
  value[!usable] <- NA
  best <- which.max(value)
  if (length(best) == 0L) abort_nowhere()
  list(row = candidates[best, , drop = FALSE], value = unname(value[best]), position = best)
}

# The fit as if the row had been measured, with the predicted median of the process.
add_fantasy <- function(fit, row, threads) {
  is_name <- is.null(fit$formula) || is.name(fit$formula[[2L]])
  by_matrix <- is_by_matrix(fit)
  if (!is_name && !by_matrix) {
    abort_btg(c("Several rows at once need a response that is a column of the data.",
                x = paste0("It is `", deparse1(fit$formula[[2L]]), "`."),
                i = "Make it a column before the fit, or ask for one row at a time."), "argument")
  }
  response <- stats::predict(fit, row, observation = FALSE, threads = threads)
  # Inputs that do not vary are not part of a suggestion.
  row <- as.data.frame(row)
  constant <- setdiff(names(fit$data), names(row))
  row[constant] <- fit$data[1L, constant, drop = FALSE]
  arguments <- list(fit, newdata = row, threads = threads)
  if (by_matrix) arguments$y <- response else arguments$newdata[[fit$response_name]] <- response
  if (!is.null(fit$weights)) arguments$weights <- mean(fit$weights)
  suppressWarnings(do.call(stats::update, arguments), classes = "btg_warning")
}

check_candidates <- function(candidates, n, with_space) {
  if (!is.data.frame(candidates)) {
    abort_argument("candidates", "must be a data frame", candidates)
  }
  if (with_space) {
    abort_btg(c("`candidates` and a box exclude each other.",
                i = "Leave out `lower`, `upper` and `integers`, or `candidates`."), "argument")
  }
  if (nrow(candidates) < n) {
    abort_btg(c("There are fewer candidates than rows to choose.",
                x = paste0("There are ", count_noun(nrow(candidates), "row"), "; `n` is ", n, ".")),
              "argument")
  }
  candidates
}

check_allowed <- function(allowed) {
  if (!is.null(allowed) && !is.function(allowed)) {
    abort_argument("allowed", "must be a function of a data frame", allowed)
  }
}

# Whether each row may be suggested.
are_allowed <- function(allowed, rows) {
  if (is.null(allowed)) {
    return(rep(TRUE, nrow(rows)))
  }
  said <- rethrow_btg(allowed(rows), "`allowed` cannot be evaluated.", "argument")
  if (!is.logical(said) || length(said) != nrow(rows)) {
    abort_btg(c("`allowed` must say TRUE or FALSE for each row.",
                x = paste0("For ", count_noun(nrow(rows), "row"), " it returned ",
                           describe_value(said), ".")), "argument")
  }
  !is.na(said) & said
}

abort_nowhere <- function() {
  abort_btg(c("The criterion has no value at any row that was tried.",
              i = paste0("`allowed` may leave nothing, rows may be impossible to predict, or an ",
                         "expected improvement may not exist: try `criterion = \"quantile\"`."),
              i = "Nothing improves on a response that is at a bound, such as zero."),
            "nowhere")
}
