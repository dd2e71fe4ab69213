#' Constrain an optimum by a second response
#'
#' `btg_constraint()` describes a response that must stay below or above a limit, such as a cost or
#' a strength. [acquire()] and [suggest()] take constraints with a fit of their own.
#' [btg_optimise()] fits each constraint itself.
#'
#' @section Criteria with constraints:
#' A criterion is multiplied by the probability that the constraint holds at that row, for the
#' noise-free process (for a new observation with `observation = TRUE`). Several constraints
#' multiply, as if they were independent given the data. The `target` to improve on is the best
#' response, or median, among rows of the fit where all constraints hold with a probability of at
#' least one half. If there is no such row, the probability alone is the criterion, with a message.
#' Gradients include those of the probability. `criterion = "quantile"` can be negative and
#' takes no constraints.
#'
#' @param fit The fit of the constrained response by [btg()] or [wgp()]. Its variables must be among
#'   those of the rows that are valued. [btg_optimise()] makes this fit itself.
#' @param below,above The limits: the response must be at most `below` and at least `above`. Give
#'   one or both.
#' @param ... For [btg_optimise()]: arguments of [btg()] for the fit, such as `transform` or
#'   `lower`.
#' @param x A constraint.
#'
#' @return A list of class `btg_constraint`.
#' @seealso [acquire()], [suggest()], [btg_optimise()]
#' @references Gardner, J. R. and others (2014). Bayesian optimization with inequality constraints.
#'   *Proceedings of Machine Learning Research* 32 (2), 937--945.
#' @examples
#' d <- data.frame(x = c(0.05, 0.2, 0.35, 0.5, 0.6, 0.75, 0.85, 0.95))
#' d$y <- exp(sin(9 * d$x)) + d$x
#' d$cost <- 1 + 3 * d$x^2
#' fit <- btg(y ~ x, d, transform = "softplus")
#' cost <- btg(cost ~ x, d, transform = "identity")
#' suggest(fit, lower = 0, upper = 1, constraints = btg_constraint(cost, below = 1.5))
#' @export
btg_constraint <- function(fit = NULL, below = NULL, above = NULL, ...) {
  if (!is.null(fit)) check_fit(fit)
  limits <- list(below = below, above = above)
  limits <- limits[!vapply(limits, is.null, NA)]
  if (length(limits) == 0L) {
    abort_btg(c("A constraint needs a limit.", i = "Give `below`, `above` or both."), "argument")
  }
  for (name in names(limits)) {
    limits[[name]] <- if (!is.null(fit)) {
      response_value(limits[[name]], fit$blueprint, name)
    } else {
      check_limit(limits[[name]], name)
    }
  }
  if (length(limits) == 2L && !(limits$above < limits$below)) {
    abort_btg(c("`above` must be less than `below`.",
                x = paste0("They are ", limits$above, " and ", limits$below, ".")), "argument")
  }
  arguments <- list(...)
  if (length(arguments) > 0L && (!is.null(fit) || !is_named(arguments))) {
    abort_btg(c("There are arguments that cannot be used.",
                x = if (!is.null(fit)) "With a `fit`, a constraint takes only limits."
                    else "Arguments of `btg()` must be given by name."), "unknown_argument")
  }
  structure(list(fit = fit, limits = limits, arguments = arguments), class = "btg_constraint")
}

check_limit <- function(x, name) {
  if (!is_number(x)) abort_argument(name, "must be one number, a value of the response", x)
  as.double(x)
}

#' @rdname btg_constraint
#' @export
print.btg_constraint <- function(x, ...) {
  response <- if (is.null(x$fit)) "The response" else x$fit$response_name
  cat(response, " must be ", format_limits(x), "\n", sep = "")
  invisible(x)
}

format_limits <- function(constraint) {
  words <- c(above = "at least", below = "at most")
  limits <- unlist(constraint$limits[intersect(names(words), names(constraint$limits))])
  paste(words[names(limits)], signif(limits, 4), collapse = " and ")
}

# Whether values of the response are within the limits.
is_within_limits <- function(values, constraint) {
  limits <- constraint$limits
  within <- !is.na(values)
  if (!is.null(limits$below)) within <- within & values <= limits$below
  if (!is.null(limits$above)) within <- within & values >= limits$above
  within
}

# Returns the constraints of a criterion, each with the question whose answer is the probability
# that it holds, and its ensemble.
constraint_questions <- function(constraints, criterion, observation) {
  if (inherits(constraints, "btg_constraint")) constraints <- list(constraints)
  usable <- is.list(constraints) && all(vapply(constraints, inherits, NA, "btg_constraint"))
  if (!is.null(constraints) && !usable) {
    abort_argument("constraints", "must be made by `btg_constraint()`, or be a list of such",
                   constraints)
  }
  if (length(constraints) > 0L) check_constrainable(criterion)
  lapply(constraints, function(constraint) {
    if (is.null(constraint$fit)) {
      abort_btg(c("A constraint lacks its fit.",
                  i = "Write it as in `btg_constraint(fit, below = 3)`."), "argument")
    }
    limits <- constraint$limits
    ask <- if (is.null(limits$below)) {
      list(question = "exceedance", at = limits$above, weights = 1)
    } else {
      list(question = "cdf", at = c(limits$above, limits$below),
           weights = c(if (!is.null(limits$above)) -1, 1))
    }
    c(list(fit = constraint$fit, ensemble = ensemble_of(constraint$fit), observation = observation),
      ask)
  })
}

check_constrainable <- function(criterion) {
  if (!criterion$is_positive) {
    abort_btg(c("A criterion that can be negative, such as \"quantile\", takes no constraints.",
                i = "Use \"ei\", \"pi\" or \"spread\"."), "argument")
  }
}

# Multiplies list(value, gradient, complete) by the probabilities that constraints hold.
times_feasible <- function(answer, newdata, spec, gradient, threads, tolerance) {
  for (constraint in spec$constraints) {
    held <- answer_question(constraint$fit, newdata, constraint, gradient, threads, tolerance,
                            constraint$ensemble)
    held$value <- pmin(pmax(held$value, 0), 1)
    if (gradient) {
      answer$gradient <- sum_by_column(answer$gradient * unname(held$value),
                                       held$gradient * unname(answer$value))
    }
    answer$value <- answer$value * unname(held$value)
    answer$complete <- answer$complete & held$complete
  }
  answer
}

# Adds matrices by the names of their columns; a column that one of them lacks is zero there.
sum_by_column <- function(a, b) {
  columns <- union(colnames(a), colnames(b))
  fill <- function(x) {
    filled <- matrix(0, nrow(x), length(columns), dimnames = list(rownames(a), columns))
    filled[, colnames(x)] <- x
    filled
  }
  fill(a) + fill(b)
}

# Returns which rows of the fit probably satisfy the constraints: all of them if constraints have
# variables that these rows lack, which is an error if the answer is `needed`.
feasible_rows <- function(fit, constraints, needed, threads) {
  variables <- unlist(lapply(constraints, function(one) names(one$fit$blueprint$columns)))
  unknown <- setdiff(variables, names(fit$data))
  if (length(unknown) > 0L && needed) {
    abort_btg(c("A constraint has variables that the rows of the fit lack.",
                x = paste0("Missing: ", list_names(unknown), "."),
                i = "Give `target` as a number, because the best feasible row is not known."),
              "missing_columns")
  }
  if (length(constraints) == 0L || length(unknown) > 0L) {
    return(rep(TRUE, row_count(fit)))
  }
  certain <- list(value = rep(1, row_count(fit)), complete = TRUE)
  held <- times_feasible(certain, fit$data, list(constraints = constraints), FALSE, threads, NULL)
  held$value >= 0.5 & !is.na(held$value)
}

thin_constraints <- function(spec) {
  spec$constraints <- lapply(spec$constraints, function(constraint) {
    constraint$ensemble <- thin_ensemble(constraint$ensemble)
    constraint
  })
  spec
}

inform_infeasible <- function() {
  inform_btg(c("No row of the fit is likely to satisfy the constraints.",
               i = "The values are the probability that a row does."), "infeasible")
}
