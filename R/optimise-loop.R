#' Optimise a function that is expensive to evaluate
#'
#' `btg_optimise()` looks for the smallest (or largest) value of a function with few evaluations. It
#' evaluates an initial design, fits [btg()], evaluates where a criterion of [acquire()] is largest,
#' and repeats this until the budget is spent.
#'
#' @param fun The function. It takes one named vector of numbers, or a list if there are `levels`,
#'   and returns one number, or a named vector of the response and the `constraints`.
#' @param lower,upper Bounds of its numeric arguments: named vectors.
#' @param budget The number of evaluations in all, including those of `data`.
#' @param ... Arguments of [btg()], such as `transform` or `noise`.
#' @param initial The number of evaluations of the initial design. By default 5, plus 2 for each
#'   argument, and at least one for each level of `levels`. A level that is missing from the design
#'   is not searched.
#' @param criterion As in [acquire()]: `"ei"`, `"pi"`, `"quantile"`, `"spread"` or a function.
#' @param maximise `TRUE` to look for the largest value.
#' @param target,prob As in [acquire()]. If `fun` is noisy, `target = "median"` is better.
#' @param data Evaluations that exist already: a result of `btg_optimise()` to continue, or a data
#'   frame with the arguments and a column `response`.
#' @param constraints A named list of [btg_constraint()]s without a fit, such as
#'   `list(cost = btg_constraint(below = 3))`. `fun` then returns a named vector, such as
#'   `c(response = 1.2, cost = 2.9)`.
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
#'   `"given"`, the name of the criterion, `"spread"`, `"space"`, `"feasible"`, or `"criterion"` for
#'   a function), and `failure`. Its attribute `fit` is the last fit. With `constraints`, there is a
#'   column for each of them and a column `feasible`, `best` is the best feasible response, and the
#'   attribute `constraints` holds their fits. `print()` shows the best row, and `plot()` the path.
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
#' @section Constraints:
#' Each constraint has a fit of its own, with the arguments of [btg()] that [btg_constraint()] took.
#' The criterion is multiplied by the probability that all constraints hold. As long as no
#' evaluation satisfies them, this probability is the criterion, and `how` is `"feasible"`. A run
#' that returns constraints but no finite response counts as failed; its constraints are still
#' learned from.
#'
#' @seealso [acquire()], [suggest()], [btg_constraint()]
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
#'
#' # The smallest value where a cost stays below a limit
#' costly <- function(x) c(response = valley(x), cost = x[["a"]] + 2 * x[["b"]])
#' btg_optimise(costly, lower = c(a = 0, b = 0), upper = c(a = 1, b = 1), budget = 12, initial = 8,
#'              constraints = list(cost = btg_constraint(below = 1, transform = "identity")),
#'              transform = "identity")
#' @export
btg_optimise <- function(fun, lower = NULL, upper = NULL, budget = 20 + 5 * length(lower), ...,
                         initial = NULL, criterion = "ei",
                         maximise = FALSE, target = "observed", prob = 0.9, data = NULL,
                         constraints = list(), bounds = NULL, integers = NULL, levels = list(),
                         allowed = NULL, refit = 10, seed = 1,
                         threads = getOption("btg.threads", 1)) {
  check_function_of_one(fun)
  criterion <- check_wanted_criterion(criterion, optimising_criteria())
  check_flag(maximise)
  budget <- check_count(budget)
  bounds <- bounds_of_response(bounds)
  check_count(refit)
  check_allowed(allowed)
  check_fit_arguments(names(match.call(expand.dots = FALSE)$...))
  space <- space_of_search(lower, upper, integers, levels)
  check_searched_constraints(constraints, space, criterion)
  if (is.null(initial)) {
    initial <- max(5L + 2L * length(space$lower) + 2L * length(space$levels),
                   lengths(space$levels))
  }
  initial <- check_count(initial)
  path <- if (is.null(data)) empty_path(space, names(constraints))
          else given_path(data, space, names(constraints))
  plan <- list(space = space, criterion = criterion, allowed = allowed, refit = refit,
               threads = threads, arguments = c(list(...), bounds), maximise = maximise,
               constraints = constraints,
               settings = search_settings(criterion, maximise, target, prob))
  design <- if (nrow(path) < min(initial, budget)) {
    initial_design(space, initial, allowed, seed)
  }
  with_progress("Optimising", {
    state <- list(path = path, learned = lapply(c(response = 1, constraints), function(one) {
      list(fit = NULL, age = 0L)
    }))
    while (nrow(state$path) < budget) {
      progress_part(nrow(state$path) / budget, (nrow(state$path) + 1) / budget)
      done <- nrow(state$path)
      state <- if (done < initial) {
        evaluate_row(state, design[done + 1L, , drop = FALSE], "initial", fun, constraints)
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
  needed <- needed_arguments(fun)
  if (length(needed) > 1L) {
    abort_btg(c("`fun` must be a function of one vector.",
                x = paste0("It has the arguments ", list_names(needed), "."),
                i = paste0("Write `function(x) f(", paste0("x[[\"", needed, "\"]]",
                                                          collapse = ", "), ")`.")), "argument")
  }
}

# Constraints of a search have names, and are fitted by it.
check_searched_constraints <- function(constraints, space, criterion) {
  usable <- is.list(constraints) && all(vapply(constraints, inherits, NA, "btg_constraint")) &&
    (length(constraints) == 0L || is_named(constraints))
  if (!usable) {
    abort_argument("constraints", paste("must be a named list, such as",
                                        "`list(cost = btg_constraint(below = 3))`"), constraints)
  }
  if (length(constraints) == 0L) {
    return(invisible())
  }
  taken <- intersect(names(constraints), c(names(space$lower), names(space$levels), path_columns))
  if (length(taken) > 0L || anyDuplicated(names(constraints))) {
    abort_btg(c("Constraints need names of their own, not those of arguments or of the result.",
                x = if (length(taken) > 0L) paste0("Taken: ", list_names(taken), ".")), "space")
  }
  for (constraint in constraints) {
    if (!is.null(constraint$fit)) {
      abort_btg(c("A constraint of a search must not have a fit.",
                  i = "The search fits it: write it as in `btg_constraint(below = 3)`."),
                "argument")
    }
    check_fit_arguments(names(constraint$arguments), c("data", "threads"))
  }
  check_constrainable(criterion_row(criterion, TRUE))
}

# Aborts if an argument is none of btg()'s, or is about rows: the search has its own.
check_fit_arguments <- function(given, taken = character()) {
  taken <- intersect(given, c("formula", "x", "y", "subset", "weights", "na.action", taken))
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
  c(list(maximise = maximise), list(target = target, prob = prob)[criterion_row(criterion)$takes])
}

# One evaluation where the model says, after the model has learned of those before.
search_step <- function(state, plan, fun) {
  state <- learn(state, plan)
  point <- next_point(state, plan)
  evaluate_row(state, point$row, point$how, fun, plan$constraints)
}

# Where to evaluate next: list(row, how).
next_point <- function(state, plan) {
  fit <- state$learned$response$fit
  failed <- is.na(state$path$response)
  weigh <- if (any(failed)) success_weight(plan$space, state$path, failed)
  space <- known_levels(plan$space, state$path[!failed, , drop = FALSE])
  for (criterion in if (!is.null(fit)) unique(list(plan$criterion, "spread"))) {
    best <- quietly({
      settings <- point_settings(criterion, state, plan)
      spec <- specify_criterion(fit, criterion, settings, plan$threads)
      found <- best_in_space(fit, space, spec, plan$allowed, 5L, plan$threads, weigh)
      c(found, how = if (spec$is_infeasible) "feasible" else criterion_name(criterion))
    })
    new <- !is.null(best) && !is_known(best$row, state$path, plan$space)
    # When there are no others, evaluations are repeated where they inform most.
    if (new || !is.null(best) && is_exhausted(plan$space, state$path)) {
      return(best[c("row", "how")])
    }
  }
  list(row = farthest_row(state$path, plan), how = "space")
}

# The arguments of a criterion for the next point. The best response is that of the evaluations that
# satisfy the constraints, whatever their fits make of noise.
point_settings <- function(criterion, state, plan) {
  settings <- if (identical(criterion, plan$criterion)) plan$settings else list()
  if (length(plan$constraints) == 0L) {
    return(settings)
  }
  feasible <- feasible_evaluations(state$path, plan$constraints)
  if (identical(settings$target, "observed") && any(feasible)) {
    settings$target <- (if (plan$maximise) max else min)(state$path$response[feasible])
  }
  c(settings, list(constraints = learned_constraints(state, plan)))
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
