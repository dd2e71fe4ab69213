#' Extract the formula, the data and the designs of a fit
#'
#' `formula()`, `terms()`, `model.frame()`, `model.matrix()` and `nobs()` return what a fit by
#' [btg()] or [wgp()] made of its data. There are two designs: the `"inputs"` of the kernel, and the
#' `"trend"`, whose columns belong to the coefficients of [coef()][coef.btg].
#'
#' @param x,formula,object A fit by [btg()] or [wgp()].
#' @param part Which design: `"inputs"` or `"trend"`.
#' @param data `NULL` for the rows of the fit, or new data as for [predict.btg()].
#' @param ... Not used: an unknown argument is an error.
#' @return `formula()` returns the formula of the fit with `.` written out; after `btg(x, y)`, one
#'   with the names of the columns. `terms()` returns the terms of this formula, or of the trend.
#'
#'   `model.frame()` returns a data frame of the rows of the fit: the response, then the variables
#'   of the inputs and of the trend, evaluated as in the formula, with text as factors. Inputs that
#'   were dropped because they are constant are missing.
#'
#'   `model.matrix()` returns the matrix of the trend (\eqn{M} in [btg()]), or that of the inputs in
#'   their own units, before they are warped and scaled: one column for each number, and one for
#'   each level of a factor with more than two. A row of `data` with missing values has `NA`.
#'
#'   `nobs()` returns the number of rows.
#' @seealso [btg-fit], [btg-inputs]
#' @examples
#' fit <- btg(Ozone ~ Temp + log(Wind), data = airquality, trend = ~ Temp, transform = "identity")
#' formula(fit)
#' terms(fit, "trend")
#' head(model.frame(fit))
#' head(model.matrix(fit))
#' model.matrix(fit, "inputs", data = data.frame(Temp = 80, Wind = 10))
#' nobs(fit)
#' @name frame-btg
NULL

#' @rdname frame-btg
#' @export
terms.btg <- function(x, part = c("inputs", "trend"), ...) {
  check_fit(x)
  check_dots(..., valid = "part")
  part <- check_choice(part, c("inputs", "trend"), "part")
  if (part == "trend") x$blueprint$trend$terms else stats::terms(x$formula)
}

#' @rdname frame-btg
#' @export
model.frame.btg <- function(formula, ...) {
  fit <- check_fit(formula)
  check_dots(...)
  variables <- fit_variables(fit)
  frame <- c(stats::setNames(list(fit_response(fit)), deparse1(fit$formula[[2L]])), variables)
  structure(frame, class = "data.frame", row.names = make.unique(fit$row_names),
            terms = stats::terms(fit), na.action = fit$na.action)
}

#' @rdname frame-btg
#' @export
model.matrix.btg <- function(object, part = c("trend", "inputs"), data = NULL, ...) {
  check_fit(object)
  check_dots(..., valid = c("part", "data"))
  part <- check_choice(part, c("trend", "inputs"), "part")
  if (!is.null(data)) {
    new <- apply_blueprint(object$blueprint, data)
    rows <- rownames(data)
  } else {
    new <- list(trend = object$design$trend,
                inputs = encode_inputs(fit_variables(object), object$blueprint$layout))
    rows <- object$row_names
  }
  matrix <- new[[part]]
  if (part == "inputs") {
    matrix <- expand_levels(matrix, column_levels(object$blueprint))
  }
  rownames(matrix) <- if (is.null(rows)) seq_len(nrow(matrix)) else rows
  matrix
}

# Returns the names of the levels for each column of inputs that holds codes, NULL for others.
column_levels <- function(blueprint) {
  layout <- blueprint$layout
  Map(function(variable, count) if (count > 0L) levels(blueprint$prototypes[[variable]]),
      layout$variable, layout$levels)
}

# Evaluates the terms of the inputs and the trend at the rows of the fit.
fit_variables <- function(fit) {
  replay_variables(fit$blueprint, conform_newdata(fit$blueprint, fit$data))
}

#' @rdname frame-btg
#' @export
nobs.btg <- function(object, ...) row_count(check_fit(object))

#' @rdname frame-btg
#' @export
formula.btg <- function(x, ...) check_fit(x)$formula
