#' Update a fit: other arguments, or more rows
#'
#' `update()` changes arguments of the call and fits again, as [stats::update()] does. With
#' `newdata`, it adds rows to a fit without starting over.
#'
#' @param object A fit by [btg()] or [wgp()].
#' @param formula. Changes to the formula, as in [stats::update()].
#' @param newdata A data frame with the rows to add: the variables of the fit, and the response.
#'   Rows with missing values are treated as `options("na.action")` says.
#' @param ... Arguments of the call to add or to change, as in [stats::update()]. With `newdata`,
#'   only
#'   * `weights`: those of the new rows, looked up in `newdata` first. After a fit with weights, the
#'     default is the expression of its call, evaluated in `newdata`. After a fit without weights,
#'     its rows count 1;
#'   * `y`: the responses of the new rows, after a fit to a matrix;
#'   * `censored`: which of them are censored, as in [btg()]. After a fit by formula, the default is
#'     the expression of its call, evaluated in `newdata`;
#'   * `refit`: `TRUE` to compute the integral anew in any case;
#'   * `threads`.
#' @param evaluate `FALSE` to return the changed call instead of the fit.
#'
#' @section A few new rows:
#' Up to 5% new rows do not need a new integral. The nodes and the scaling of the data stay, and the
#' nodes are reweighted by the likelihood of the new rows. The integral is computed anew if
#' * less than half of the effective number of nodes would be left;
#' * more than 5% of rows have been added since the last integral;
#' * new rows lie so far outside that inputs would be scaled or warped differently;
#' * the fit has weights, an approximate covariance, or was made by [wgp()].
#'
#' `print()` shows what was done. `fit$quadrature$reweighted` holds the number of rows added since
#' the last integral and the share of effective nodes that is left.
#'
#' @section Many new rows:
#' With a new integral, the result is that of a fit to all rows at once with the same settings, up
#' to the error of the numerical integral. Only the search for the modes of the posterior is
#' shorter, because it starts from those of the old fit. It could miss a mode that only the new rows
#' create, far from all old modes. If you expect one, fit again.
#'
#' @section What is not remembered:
#' Rows that the fit dropped, for missing values or as copies of others, are not remembered. New
#' rows that are copies are dropped as well. The call of the result is that of the fit, without the
#' new rows. To change its arguments after rows were added, fit again with all data.
#'
#' @return A fit like `object`. After `newdata`, `added_rows` is the number of rows added so far.
#' @seealso [btg()], [wgp()]
#' @examples
#' fit <- btg(dist ~ speed, data = cars[1:40, ], transform = "softplus")
#' update(fit, kernel = "rbf")
#'
#' more <- update(fit, newdata = cars[41:50, ])
#' more
#' @export
update.btg <- function(object, formula., ..., newdata, # nolint: object_name_linter.
                       evaluate = TRUE) {
  check_fit(object)
  extras <- match.call(expand.dots = FALSE)$...
  # A data frame in the place of the formula can only be meant as new rows.
  by_position <- !missing(formula.) && is.data.frame(formula.)
  rows <- if (!missing(newdata)) newdata else if (by_position) formula.
  named <- !missing(formula.) && !by_position
  if (named) check_update_formula(formula.)
  if (is.null(rows)) {
    check_no_rows_added(object)
    changed <- change_call(object, if (missing(formula.)) NULL else formula., extras)
    return(if (evaluate) eval(changed, parent.frame()) else changed)
  }
  if (named || !isTRUE(evaluate)) {
    abort_btg(c("`newdata` adds rows to the fit as it is.",
                i = "Change the formula or other arguments in a second step, or fit again."),
              "update")
  }
  check_beside_rows(object, extras)
  add_rows(object, rows, extras, parent.frame())
}

check_update_formula <- function(formula.) { # nolint: object_name_linter.
  if (!inherits(formula., "formula") && !is.character(formula.)) {
    abort_argument("formula.", "must be a formula, or a data frame with rows to add", formula.)
  }
}

# Checks the arguments of update() that come with new rows.
check_beside_rows <- function(fit, extras) {
  valid <- c("weights", "censored", "threads", "refit", if (is_by_matrix(fit)) "y")
  unknown <- setdiff(names(extras), valid)
  if (length(unknown) > 0L || length(names(extras)) < length(extras)) {
    abort_btg(c("With `newdata`, other arguments of the fit stay as they are.",
                x = if (length(unknown) > 0L) paste0("Given: ", list_names(unknown), "."),
                i = paste0("It goes with ", list_names(valid), " only.")), "update")
  }
}

# Returns whether the fit was made from `x` and `y`, not from a formula.
is_by_matrix <- function(fit) fit$blueprint$interface == "xy"

# Changes arguments in the call of a fit: see stats::update().
change_call <- function(fit, formula, extras) {
  changed <- fit$call
  if (!is.null(formula)) changed$formula <- stats::update.formula(stats::formula(fit), formula)
  known <- names(extras) %in% names(changed)
  for (name in names(extras)[known]) changed[[name]] <- extras[[name]]
  if (any(!known)) changed <- as.call(c(as.list(changed), extras[!known]))
  changed
}

check_no_rows_added <- function(fit) {
  if (!is.null(fit$added_rows)) {
    abort_btg(c("The call of this fit does not know the rows that were added to it.",
                i = "Fit again with all data to change other arguments."), "update")
  }
}

add_rows <- function(fit, newdata, extras, env) {
  threads <- check_count(if (is.null(extras$threads)) 1 else eval(extras$threads, env), "threads")
  added <- without_known_copies(new_rows(fit, newdata, extras, env), fit)
  if (nrow(added$data) == 0L) {
    return(fit)
  }
  design <- check_support(design_with(fit, added), fit$settings)
  anew <- check_flag(if (is.null(extras$refit)) FALSE else eval(extras$refit, env), "refit")
  started <- proc.time()[["elapsed"]]
  more <- if (!anew) reweigh_fit(fit, added, design, threads)
  if (is.null(more)) more <- fit_again(fit, design, threads)
  else more$seconds <- proc.time()[["elapsed"]] - started
  before <- if (is.null(fit$added_rows)) 0L else fit$added_rows
  more$added_rows <- before + row_count(more) - row_count(fit)
  add_checksum(more)
}

# If the fit left out copies of rows, later copies are left out too, however few they are.
without_known_copies <- function(added, fit) {
  if (is.null(fit$copies)) {
    return(added)
  }
  all <- c(rbind(fit$data, added$data), list(c(fit_response(fit), added$response)))
  all <- lapply(unname(all), function(x) if (is.matrix(x)) as.data.frame(unclass(x)) else x)
  again <- utils::tail(duplicated(do.call(data.frame, all)), nrow(added$data))
  copies <- which(again & !are_intervals(added$limits))
  if (length(copies) > 0L) {
    found <- count_noun(length(copies), "new row is a copy of another",
                        "new rows are copies of others")
    inform_btg(c(i = paste0(found, " in inputs and response. They are dropped, as in the fit.")),
               "copies")
    added$data <- added$data[-copies, , drop = FALSE]
    added$response <- added$response[-copies]
    added$limits <- added$limits[-copies, , drop = FALSE]
  }
  added
}

# Returns the variables, responses and weights of the rows to add.
new_rows <- function(fit, newdata, extras, env) {
  check_reference_system(fit$blueprint$reference_system, newdata)
  newdata <- plain_data(newdata)
  if (fit$blueprint$interface == "xy" && !is.data.frame(newdata)) {
    newdata <- input_data(newdata, fit$blueprint$x_columns, "newdata")
  }
  if (!is.data.frame(newdata)) {
    abort_argument("newdata", "must be a data frame", newdata)
  }
  y <- if (is_by_matrix(fit)) eval(extras$y, newdata, env)
  limits <- observed_limits(fit, newdata, y, extras$censored, env)
  weights <- new_weights(fit, newdata, extras$weights, env)
  list(data = variables_of(fit, newdata), response = limit_middle(limits), limits = limits,
       weights = weights)
}

# Returns the fit's row-wise variables from `newdata`, each of its kind.
variables_of <- function(fit, newdata) {
  if (!all(names(fit$blueprint$columns) %in% names(fit$data))) {
    abort_btg(c("This fit does not keep all of its variables.",
                i = "Fit again with all data."), "update")
  }
  check_columns(newdata, names(fit$data))
  for (name in names(fit$data)) {
    newdata[[name]] <- conform_column(newdata[[name]], name, column_kind(fit$data[[name]]))
    newdata[[name]] <- in_unit(newdata[[name]], unit_of(fit$data[[name]]), name)
  }
  newdata[names(fit$data)]
}

# Returns NULL if neither the fit nor the new rows have weights.
new_weights <- function(fit, newdata, given, env) {
  expression <- if (is.null(given)) fit$call$weights else given
  if (is.null(expression)) {
    if (!is.null(fit$weights)) {
      abort_btg(c("The rows of the fit have weights, and the new ones need them too.",
                  i = "Give `weights`, an expression that `newdata` has a value for."), "weights")
    }
    return(NULL)
  }
  weights <- rethrow_btg(eval(expression, newdata, env),
                         "The weights of the new rows cannot be evaluated.", "weights")
  check_weights_length(weights, nrow(newdata))
}

# Builds the design of the rows of the fit and the new ones together.
design_with <- function(fit, added) {
  data <- rbind(fit$data, added$data)
  limits <- rbind(stated_limits(fit), added$limits)
  y <- if (any(are_intervals(limits))) limits else limits[, 1L]
  weights <- if (!is.null(added$weights)) {
    c(if (is.null(fit$weights)) rep(1, row_count(fit)) else fit$weights, added$weights)
  }
  trend <- stats::formula(fit$blueprint$trend$terms)
  given <- !is.null(fit$blueprint$noise) && !fit$settings$auto_noise
  noise <- if (given) stats::formula(fit$blueprint$noise$terms) else ~ 1
  geographic <- isTRUE(fit$blueprint$geographic)
  if (is_by_matrix(fit)) {
    return(design_from_xy(data, y, trend, weights, noise, geographic = geographic))
  }
  response <- make.unique(c(names(data), "response"))[ncol(data) + 1L]
  formula <- fit$formula
  formula[[2L]] <- as.name(response)
  data[[response]] <- y
  design <- design_from_formula(formula, data, trend, list(weights = weights), noise = noise,
                                geographic = geographic)
  design$response_name <- fit$response_name
  design$formula <- fit$formula
  environment(design$formula) <- design$blueprint$environment
  design
}

# Keeps the models that the user selected before, if they still exist.
keep_selected <- function(fit, selected) {
  selected <- intersect(selected, names(fit$models))
  if (length(selected) == 0L) {
    return(fit)
  }
  fit$selected <- selected
  keep_models(fit, selected)
}

# Fits another design with the settings of `fit`, starting from its modes.
fit_again <- function(fit, design, threads) {
  if (!has_posterior(fit)) {
    run <- run_settings(threads)
    run$warm_starts <- warm_hyper(fit)
    return(fit_wgp(design, fit$settings, run, fit$call))
  }
  run <- run_settings(threads)
  run$known_modes <- lapply(fit$models, known_modes, row_count(fit) / nrow(design$inputs))
  again <- fit_btg(design, fit$settings, run, fit$call)
  keep_selected(again, fit$selected)
}
