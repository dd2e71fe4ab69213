# Evaluations of a search, and its result.

# The state after one more evaluation.
evaluate_row <- function(state, row, how, fun, constraints = list()) {
  result <- tryCatch(list(value = fun(argument_of(row))), error = function(e) {
    list(value = NA_real_, failure = conditionMessage(e))
  })
  value <- check_returned(result$value, names(constraints))
  if (is.null(result$failure) && !all(is.finite(value))) {
    result$failure <- describe_failure(value)
  }
  failure <- if (is.null(result$failure)) NA_character_ else result$failure
  # Constraints that a failed run evaluated are kept.
  value[!is.finite(value)] <- NA
  if (!is.na(failure)) value[["response"]] <- NA
  row[c(names(value), "how", "failure")] <- c(as.list(value), how, failure)
  state$path <- rbind(state$path, row)
  state
}

describe_failure <- function(value) {
  if (length(value) == 1L) {
    return(paste("It returned", format(value[[1L]])))
  }
  bad <- value[!is.finite(value)]
  paste("It returned", paste(names(bad), "=", format(bad), collapse = ", "))
}

# Returns the response and the constraints by name. A run may fail, with an error or a value that is
# not finite. A function that returns something else than one number, or one for each constraint and
# one more, would fail at every run.
check_returned <- function(value, constraints) {
  wanted <- c("response", constraints)
  is_one <- length(value) == 1L && (is.numeric(value) || is.logical(value) && is.na(value))
  if (is_one && (is.na(value) || length(constraints) == 0L)) {
    return(stats::setNames(rep(as.double(value), length(wanted)), wanted))
  }
  if (!has_constraints(value, constraints)) abort_not_returned(value, constraints)
  stats::setNames(as.double(c(value[!names(value) %in% constraints], value[constraints])), wanted)
}

# Whether a value is numbers, one for each constraint and one more.
has_constraints <- function(value, constraints) {
  is.numeric(value) && length(constraints) > 0L && length(value) == length(constraints) + 1L &&
    all(constraints %in% names(value)) && !anyDuplicated(names(value))
}

abort_not_returned <- function(value, constraints) {
  wanted <- if (length(constraints) == 0L) "one number"
            else "the response and the constraints, as a named vector"
  abort_btg(c(paste0("`fun` must return ", wanted, "."),
              x = paste0("It returned ", describe_value(value), "."),
              if (length(constraints) > 0L) {
                c(i = paste0("Return `c(response = ..., ",
                             paste(constraints, "= ...", collapse = ", "), ")`."))
              },
              i = "Return `NA` for a run that failed."), "argument")
}

# Returns the argument of the function: a vector of numbers, or a list if some are words.
argument_of <- function(row) {
  values <- lapply(as.list(row), function(x) if (is.factor(x)) as.character(x) else x)
  if (all(vapply(values, is.numeric, NA))) unlist(values) else values
}

# Whether each evaluation has a response and satisfies all constraints.
feasible_evaluations <- function(path, constraints) {
  within <- lapply(names(constraints), function(name) {
    is_within_limits(path[[name]], constraints[[name]])
  })
  Reduce(`&`, within, !is.na(path$response))
}

# The evaluations with the best so far.
new_optimised <- function(state, plan) {
  path <- state$path
  running <- if (plan$maximise) cummax else cummin
  worst <- if (plan$maximise) -Inf else Inf
  feasible <- feasible_evaluations(path, plan$constraints)
  best <- running(ifelse(feasible, path$response, worst))
  path$best <- ifelse(is.finite(best), best, NA)
  constrained <- length(plan$constraints) > 0L
  if (constrained) path$feasible <- feasible
  columns <- c(names(plan$space$lower), names(plan$space$levels), "response",
               names(plan$constraints), if (constrained) "feasible", "best", "how", "failure")
  rownames(path) <- NULL
  structure(path[columns], class = c("btg_optimised", "data.frame"), maximise = plan$maximise,
            fit = state$learned$response$fit, constraints = if (constrained) {
              lapply(state$learned[names(plan$constraints)], `[[`, "fit")
            })
}
