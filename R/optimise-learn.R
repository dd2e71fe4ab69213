# How a search learns from its evaluations.

# The state with the fits of the response and of each constraint brought up to date: each list(fit,
# age), where age counts the updates since the last new fit.
learn <- function(state, plan) {
  for (name in names(state$learned)) {
    state$learned[[name]] <- learn_response(state$learned[[name]], name, state$path, plan)
  }
  state
}

# The fit of all rows that have this response: updated, or made anew; NULL where that fails, unless
# the first one does for a reason that other rows would not change.
learn_response <- function(learned, name, path, plan) {
  arguments <- c(names(plan$space$lower), names(plan$space$levels))
  data <- path[!is.na(path[[name]]), c(arguments, name)]
  learned$age <- learned$age + 1L
  known <- if (is.null(learned$fit)) 0L else row_count(learned$fit)
  if (known == nrow(data)) {
    return(learned)
  }
  again <- is.null(learned$fit) || learned$age >= plan$refit
  fit <- if (!again) quietly(stats::update(learned$fit, newdata = data[-seq_len(known), ],
                                           threads = plan$threads))
  if (is.null(fit)) {
    fit <- if (is.null(learned$fit)) first_fit(data, plan, path)
           else quietly(fit_path(data, plan))
    learned$age <- 0L
  }
  learned$fit <- fit
  learned
}

# The last column of `data` is the response, or a constraint, which has arguments of its own.
fit_path <- function(data, plan) {
  name <- names(data)[ncol(data)]
  inputs <- lapply(setdiff(names(data), name), as.name)
  formula <- stats::reformulate(vapply(inputs, deparse1, "", backtick = TRUE), as.name(name))
  own <- if (name == "response") plan$arguments else plan$constraints[[name]]$arguments
  do.call(btg, c(list(formula, data = data, threads = plan$threads), own))
}

# The constraints, each with its fit, leaving out those that could not be fitted yet.
learned_constraints <- function(state, plan) {
  constraints <- lapply(names(plan$constraints), function(name) {
    constraint <- plan$constraints[[name]]
    constraint$fit <- state$learned[[name]]$fit
    constraint
  })
  constraints[!vapply(constraints, function(constraint) is.null(constraint$fit), NA)]
}

# Errors that more rows may resolve.
of_few_rows <- paste0("btg_error_", c("too_few_rows", "constant_response", "constant_inputs",
                                      "trend_rank", "numerical"))

# The error has the evaluations so far, which may have been expensive.
first_fit <- function(data, plan, path) {
  tryCatch(
    without_notes(fit_path(data, plan)),
    btg_error = function(e) {
      if (inherits(e, of_few_rows)) {
        return(NULL)
      }
      name <- names(data)[ncol(data)]
      abort_search(if (name == "response") "The evaluations cannot be fitted."
                   else paste0("The constraint `", name, "` cannot be fitted."), e, path)
    }
  )
}

abort_search <- function(message, cause, path) {
  rlang::abort(c(message, x = conditionMessage(cause),
                 i = paste("The `path` of this error has the evaluations, for `data`: see",
                           "`rlang::last_error()$path`.")),
               class = c("btg_error_optimise", grep("^btg_", class(cause), value = TRUE)),
               path = path)
}

# The value, or NULL where it fails.
quietly <- function(code) tryCatch(without_notes(code), btg_error = function(e) NULL)

# Our own warnings are not for every step of a search.
without_notes <- function(code) {
  suppressWarnings(suppressMessages(code, "btg_message"), "btg_warning")
}
