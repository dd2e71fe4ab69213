#' Optimise a function that is expensive to evaluate
#'
#' `btg_optimise()` looks for the smallest (or largest) value of a function with few evaluations. It
#' evaluates an initial design, fits [btg()], evaluates where a criterion of [acquire()] is largest,
#' and repeats this until the budget is spent.
#'
#' @param fun The function. It takes one named vector of numbers, or a list if there are `levels`,
#'   and returns one number.
#' @param lower,upper Bounds of its numeric arguments: named vectors.
#' @param budget The number of evaluations in all, including those of `data`.
#' @param ... Arguments of [btg()], such as `transform` or `noise`.
#' @param initial The number of evaluations of the initial design. By default 5, plus 2 for each
#'   argument, and at least one for each level of `levels`. A level that is missing from the design
#'   is not searched.
#' @param criterion As in [acquire()]: `"ei"`, `"pi"`, `"quantile"` or `"spread"`.
#' @param maximise `TRUE` to look for the largest value.
#' @param target,prob As in [acquire()]. If `fun` is noisy, `target = "median"` is better.
#' @param data Evaluations that exist already: a result of `btg_optimise()` to continue, or a data
#'   frame with the arguments and a column `response`.
#' @param bounds Bounds of the response, `c(lower, upper)`: `c(0, Inf)` for a response that is never
#'   negative. By default they are inferred, as in [btg()].
#' @param integers Names of arguments that are whole numbers.
#' @param levels A named list of the values of arguments that are not numbers.
#' @param allowed A function that takes a data frame and returns `TRUE` for each row that may be
#'   evaluated.
#' @param refit After how many updates to fit anew.
#' @param seed A number that determines the initial design. Nothing else is random.
#' @param threads How many threads to use. Results do not depend on it.
#' @param x A result of `btg_optimise()`.
#'
#' @return A data frame of class `btg_optimised` with one row for each evaluation: the arguments,
#'   `response`, `best` (the best response so far), `how` the point was chosen (`"initial"`,
#'   `"given"`, the name of the criterion, `"spread"` or `"space"`), and `failure`. Its attribute
#'   `fit` is the last fit. `print()` shows the best row, and `plot()` the path.
#'
#'   An interrupt loses all evaluations. For a long run, use a small `budget` and continue from the
#'   result, by `data`. If the evaluations cannot be fitted at all, the error holds them as its
#'   `path`.
#'
#' @section How the search works:
#' The initial design is a Latin hypercube, the one of many random ones whose smallest distance is
#' largest. After each evaluation, [update()] adds the row to the fit. From time to time, or if this
#' fails, `btg()` fits anew. If the next point was evaluated before, or no model can be fitted, the
#' point is taken where least is known or farthest from all others; the column `how` shows this. If
#' all arguments are whole numbers or levels and all combinations were evaluated, evaluations are
#' repeated where the criterion is largest.
#'
#' @section Evaluations that fail:
#' If `fun` fails, by an error or by a value that is not a finite number, the row is kept with a
#' `response` of `NA` and the reason in `failure`. The model does not see such rows. Instead, the
#' criterion is multiplied by an estimate of the probability that `fun` works: the share of
#' successes among evaluations nearby. Points where it is below one half are left out.
#'
#' @seealso [acquire()], [suggest()]
#' @examples
#' valley <- function(x) (x[["a"]] - 0.3)^2 + (x[["b"]] - 0.6)^2 + 0.1 * sin(9 * x[["a"]])
#' path <- btg_optimise(valley, lower = c(a = 0, b = 0), upper = c(a = 1, b = 1),
#'                      budget = 12, initial = 8, transform = "identity")
#' path
#' plot(path)
#'
#' # Three more evaluations
#' path <- btg_optimise(valley, lower = c(a = 0, b = 0), upper = c(a = 1, b = 1),
#'                      budget = 15, data = path, transform = "identity")
#' @export
btg_optimise <- function(fun, lower = NULL, upper = NULL, budget = 20 + 5 * length(lower), ...,
                         initial = NULL, criterion = "ei",
                         maximise = FALSE, target = "observed", prob = 0.9, data = NULL,
                         bounds = NULL, integers = NULL, levels = list(), allowed = NULL,
                         refit = 10, seed = 1, threads = getOption("btg.threads", 1)) {
  check_function_of_one(fun)
  criterion <- check_choice(criterion, optimising_criteria(), "criterion")
  check_flag(maximise)
  budget <- check_count(budget)
  bounds <- bounds_of_response(bounds)
  check_count(refit)
  check_allowed(allowed)
  check_fit_arguments(names(match.call(expand.dots = FALSE)$...))
  space <- space_of_search(lower, upper, integers, levels)
  if (is.null(initial)) {
    initial <- max(5L + 2L * length(space$lower) + 2L * length(space$levels),
                   lengths(space$levels))
  }
  initial <- check_count(initial)
  path <- if (is.null(data)) empty_path(space) else given_path(data, space)
  plan <- list(space = space, criterion = criterion, allowed = allowed, refit = refit,
               threads = threads, arguments = c(list(...), bounds), maximise = maximise,
               settings = search_settings(criterion, maximise, target, prob))
  design <- if (nrow(path) < min(initial, budget)) {
    initial_design(space, initial, allowed, seed)
  }
  with_progress("Optimising", {
    state <- list(path = path, fit = NULL, age = 0L)
    while (nrow(state$path) < budget) {
      progress_part(nrow(state$path) / budget, (nrow(state$path) + 1) / budget)
      done <- nrow(state$path)
      state <- if (done < initial) {
        evaluate_row(state, design[done + 1L, , drop = FALSE], "initial", fun)
      } else {
        search_step(state, plan, fun)
      }
    }
  })
  new_optimised(state, plan)
}

#' @rdname btg_optimise
#' @usage NULL
#' @export
btg_optimize <- btg_optimise

# A function with several arguments that have no default would fail at every run.
check_function_of_one <- function(fun) {
  if (!is.function(fun)) abort_argument("fun", "must be a function", fun)
  needed <- vapply(formals(args(fun)), identical, NA, formals(function(x) x)$x)
  needed <- setdiff(names(needed)[needed], "...")
  if (length(needed) > 1L) {
    abort_btg(c("`fun` must be a function of one vector.",
                x = paste0("It has the arguments ", list_names(needed), "."),
                i = paste0("Write `function(x) f(", paste0("x[[\"", needed, "\"]]",
                                                          collapse = ", "), ")`.")), "argument")
  }
}

# Aborts if an argument is none of btg()'s, or is about rows: the search has its own.
check_fit_arguments <- function(given) {
  taken <- intersect(given, c("formula", "x", "y", "subset", "weights", "na.action"))
  if (length(taken) > 0L) {
    abort_btg(c("There are arguments of `btg()` that a search cannot use.",
                x = paste0("Given: ", list_names(taken), "."),
                i = "The rows to fit to are those that are evaluated."), "argument")
  }
  known <- setdiff(c(names(formals(btg_optimise)), names(formals(btg.formula))), "...")
  unknown <- setdiff(given, known)
  if (length(unknown) > 0L) {
    abort_btg(c("There are arguments that cannot be used.",
                x = paste0("Unknown: ", list_names(unknown), "."),
                suggest_arguments(unknown, known, setdiff(names(formals(btg_optimise)), "..."))),
              "unknown_argument")
  }
}

# Returns `lower` and `upper` of btg() for the bounds of the response, none if they are NULL.
bounds_of_response <- function(bounds) {
  if (is.null(bounds)) {
    return(list())
  }
  if (!is.numeric(bounds) || length(bounds) != 2L || anyNA(bounds)) {
    abort_argument("bounds", "must be two numbers, the lower and the upper bound of the response",
                   bounds)
  }
  support_settings(bounds[[1L]], bounds[[2L]])
}

# The criterion's arguments, as acquire() takes them.
search_settings <- function(criterion, maximise, target, prob) {
  c(list(maximise = maximise), list(target = target, prob = prob)[criteria[[criterion]]$takes])
}

# One evaluation where the model says, after the model has learned of those before.
search_step <- function(state, plan, fun) {
  state <- learn(state, plan)
  point <- next_point(state, plan)
  evaluate_row(state, point$row, point$how, fun)
}

# The fit of all rows that have a response: updated, or made anew; NULL where that fails, unless the
# first one does for a reason that other rows would not change.
learn <- function(state, plan) {
  data <- state$path[!is.na(state$path$response), c(names(plan$space$lower),
                                                     names(plan$space$levels), "response")]
  state$age <- state$age + 1L
  known <- if (is.null(state$fit)) 0L else row_count(state$fit)
  if (known == nrow(data)) {
    return(state)
  }
  again <- is.null(state$fit) || state$age >= plan$refit
  fit <- if (!again) quietly(stats::update(state$fit, newdata = data[-seq_len(known), ],
                                           threads = plan$threads))
  if (is.null(fit)) {
    fit <- if (is.null(state$fit)) first_fit(data, plan, state$path)
           else quietly(fit_path(data, plan))
    state$age <- 0L
  }
  state$fit <- fit
  state
}

fit_path <- function(data, plan) {
  inputs <- lapply(setdiff(names(data), "response"), as.name)
  formula <- stats::reformulate(vapply(inputs, deparse1, "", backtick = TRUE), "response")
  do.call(btg, c(list(formula, data = data, threads = plan$threads), plan$arguments))
}

# What more rows may mend.
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
      abort_search("The evaluations cannot be fitted.", e, path)
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

# Where to evaluate next: list(row, how).
next_point <- function(state, plan) {
  failed <- is.na(state$path$response)
  weigh <- if (any(failed)) success_weight(plan$space, state$path, failed)
  space <- known_levels(plan$space, state$path[!failed, , drop = FALSE])
  for (criterion in if (!is.null(state$fit)) unique(c(plan$criterion, "spread"))) {
    settings <- if (criterion == plan$criterion) plan$settings else list()
    best <- quietly({
      spec <- specify_criterion(state$fit, criterion, settings, plan$threads)
      best_in_space(state$fit, space, spec, plan$allowed, 5L, plan$threads, weigh)
    })
    new <- !is.null(best) && !is_known(best$row, state$path, plan$space)
    # When there are no others, evaluations are repeated where they inform most.
    if (new || !is.null(best) && is_exhausted(plan$space, state$path)) {
      return(list(row = best$row, how = criterion))
    }
  }
  list(row = farthest_row(state$path, plan), how = "space")
}

# The space with the levels that a fit can know.
known_levels <- function(space, path) {
  space$levels <- Map(function(levels, name) levels[levels %in% path[[name]]], space$levels,
                      names(space$levels))
  space
}

# Whether there is nothing in the space that was not evaluated.
is_exhausted <- function(space, path) {
  count <- prod(floor(space$upper) - ceiling(space$lower) + 1, lengths(space$levels))
  inputs <- path[c(names(space$lower), names(space$levels))]
  all(space$whole) && nrow(unique(inputs)) >= count
}

# Whether the row was evaluated already, to a distance that no function resolves.
is_known <- function(row, path, space) {
  are_near(space, row, places_of(space, path, 1e-6))
}

# The allowed row that is farthest from all others: of points that fill the space, or, where they
# are all forbidden, of ever smaller boxes around the rows of before.
farthest_row <- function(path, plan) {
  d <- length(plan$space$lower)
  u <- even_points(1000L, max(d, 1L))[, seq_len(d), drop = FALSE]
  k <- seq_len(nrow(u)) + nrow(path)
  known <- space_points(plan$space, path)
  centre <- known[rep_len(seq_len(nrow(known)), nrow(u)), , drop = FALSE]
  for (width in c(Inf, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)) {
    at <- if (is.infinite(width)) u else pmin(pmax(centre + width * (u - 0.5), 0), 1)
    rows <- space_rows(plan$space, at, k)
    rows <- rows[are_allowed(plan$allowed, rows), , drop = FALSE]
    if (nrow(rows) > 0L) {
      gap <- nearest(space_points(plan$space, rows), known)
      return(rows[which.max(gap), , drop = FALSE])
    }
  }
  tryCatch(abort_not_allowed(), btg_error = function(e) {
    abort_search("There is nowhere to evaluate next.", e, path)
  })
}

# The logarithm of an estimate of the probability that an evaluation succeeds, by list(value,
# gradient): the share of successes among those nearby, with weights exp(-r^2 / (2 h^2)) at distance
# r of the unit cube, where h is about half of the distance between neighbours that would fill it.
# A little success everywhere stands for what is not known yet. Where failure is likelier it is
# -Inf: a model that knows all else well would go there for the smallest hope.
success_weight <- function(space, path, failed) {
  at <- space_points(space, path)
  width <- 0.5 * nrow(at)^(-1 / max(ncol(at), 1))
  function(u) {
    value <- numeric(nrow(u))
    gradient <- 0 * u
    for (i in seq_len(nrow(u))) {
      apart <- rep(u[i, ], each = nrow(at)) - at
      weight <- exp(-rowSums(apart^2) / (2 * width^2))
      slope <- -apart * weight / width^2
      good <- 0.01 + sum(weight[!failed])
      all <- good + sum(weight[failed])
      value[i] <- if (good < 0.5 * all) -Inf else log(good / all)
      gradient[i, ] <- colSums(slope[!failed, , drop = FALSE]) / good - colSums(slope) / all
    }
    list(value = value, gradient = gradient)
  }
}

# The state after one more evaluation.
evaluate_row <- function(state, row, how, fun) {
  result <- tryCatch(list(value = fun(argument_of(row))), error = function(e) {
    list(value = NA_real_, failure = conditionMessage(e))
  })
  value <- check_returned(result$value)
  if (is.null(result$failure) && !is.finite(value)) {
    result$failure <- paste("It returned", format(value))
  }
  failure <- if (is.null(result$failure)) NA_character_ else result$failure
  row[c("response", "how", "failure")] <-
    list(if (is.na(failure)) as.double(value) else NA_real_, how, failure)
  state$path <- rbind(state$path, row)
  state
}

# A run may fail, with an error or a value that is not finite. A function that returns something
# else than one number would fail at every run.
check_returned <- function(value) {
  if (length(value) == 1L && (is.numeric(value) || is.logical(value) && is.na(value))) {
    return(value)
  }
  abort_btg(c("`fun` must return one number.",
              x = paste0("It returned ", describe_value(value), "."),
              i = "Return `NA` for a run that failed."), "argument")
}

# What the function is called with.
argument_of <- function(row) {
  values <- lapply(as.list(row), function(x) if (is.factor(x)) as.character(x) else x)
  if (all(vapply(values, is.numeric, NA))) unlist(values) else values
}

# The evaluations with the best so far.
new_optimised <- function(state, plan) {
  path <- state$path
  running <- if (plan$maximise) cummax else cummin
  worst <- if (plan$maximise) -Inf else Inf
  best <- running(ifelse(is.na(path$response), worst, path$response))
  path$best <- ifelse(is.finite(best), best, NA)
  columns <- c(names(plan$space$lower), names(plan$space$levels), path_columns)
  rownames(path) <- NULL
  structure(path[columns], class = c("btg_optimised", "data.frame"), maximise = plan$maximise,
            fit = state$fit)
}
