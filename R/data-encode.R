# Encodes variables as numbers: the inputs of the kernel and the trend.

# Returns `x` as a data frame with one column per input. Columns without a name take one of `names`,
# by default x1, x2, ...
input_data <- function(x, names = NULL, what = "x") {
  if (is.numeric(x) && length(dim(x)) < 2L) {
    x <- matrix(x, ncol = 1L)
  }
  if (!(is.matrix(x) && is.atomic(x) || is.data.frame(x))) {
    abort_argument(what, "must be a matrix, a data frame or a numeric vector", x)
  }
  if (ncol(x) == 0L) {
    abort_argument(what, "must have at least one column", x)
  }
  if (is.null(names)) {
    names <- paste0("x", seq_len(ncol(x)))
  }
  given <- colnames(x)
  if (is.null(given)) {
    if (length(names) != ncol(x)) {
      abort_btg(c(
        paste0("`", what, "` must have the columns of the fit."),
        x = paste0("It has ", count_noun(ncol(x), "column"), " without names; the fit has ",
                   length(names), ": ", list_names(names), ".")
      ), "missing_columns")
    }
    given <- names
  }
  unnamed <- is.na(given) | !nzchar(given)
  given[unnamed] <- paste0("x", seq_along(given))[unnamed]
  if (anyDuplicated(given)) {
    abort_btg(c(
      paste0("The columns of `", what, "` must have different names."),
      x = paste0("There are several ", list_names(unique(given[duplicated(given)])), ".")
    ), "duplicate_columns")
  }
  stats::setNames(as.data.frame(x), given)
}

# Describes how variables become inputs, with one row per column of X: the variable, the position
# among the variable's columns, the name, the input (one lengthscale) of the column, the number
# of levels if the column holds the codes of a factor, else 0, whether it holds the codes of
# `groups`, the names of variables, which are compared and have no distances, and whether the core
# maps it.
input_layout <- function(frame, variables, groups = character()) {
  layout <- do.call(rbind, lapply(variables, function(name) {
    variable_layout(frame[[name]], name, name %in% groups)
  }))
  # A column `b` of a matrix `a` and a variable `ab` have the same name.
  key <- paste(layout$variable, layout$input, sep = "\n")
  first <- !duplicated(key)
  layout$input <- make.unique(layout$input[first])[match(key, key[first])]
  layout$column <- make.unique(layout$column)
  layout
}

variable_layout <- function(value, name, group) {
  check_input_type(value, name)
  column <- paste0(name, if (group) "" else column_suffix(value))
  # Each column of a matrix is an input, except for those of a map.
  input <- if (is.matrix(value) && !is_one_input(value)) column else name
  data.frame(variable = name, position = seq_along(column), column = column, input = input,
             levels = if (group) 0L else coded_levels(value), group = group,
             mapped = is_mapped(value))
}

# Marks the columns that vary in no row. The columns of a map are dropped together or not at all.
constant_columns <- function(X, layout) {
  constant <- apply(X, 2L, is_constant)
  as.vector(stats::ave(constant + 0, layout$input, FUN = min)) == 1
}

# Fits of earlier versions have no groups.
is_group_column <- function(layout) {
  if (is.null(layout$group)) rep(FALSE, nrow(layout)) else layout$group
}

# Counts the levels of a factor that is coded by level; others are numbers, or 0 and 1.
coded_levels <- function(value) {
  if (is.factor(value) && !is.ordered(value) && nlevels(value) > 2L) nlevels(value) else 0L
}

# Returns the endings of the names of a variable's columns, as in model.matrix().
column_suffix <- function(value) {
  if (is.matrix(value) && ncol(value) > 1L) {
    if (is.null(colnames(value))) seq_len(ncol(value)) else colnames(value)
  } else if (is.logical(value)) {
    "TRUE"
  } else if (is.factor(value) && !is.ordered(value) && nlevels(value) == 2L) {
    levels(value)[2L]
  } else {
    ""
  }
}

check_input_type <- function(value, name) {
  usable <- is.numeric(value) || is.factor(value) || is.logical(value) && !is.matrix(value) ||
    inherits(value, c("Date", "POSIXct", "difftime"))
  if (!usable) {
    abort_btg(c(
      "Inputs must be numeric, logical, dates, durations, factors or text.",
      x = paste0("`", name, "` is ", describe_value(value), "."),
      i = "Convert it to a number first."
    ), "input_type")
  }
  invisible(value)
}

# Computes X by the layout. Factors must have the levels of the fit. Columns of variables that the
# frame lacks have their `idle` value.
encode_inputs <- function(frame, layout, idle = NULL) {
  groups <- group_names(layout)
  variables <- stats::setNames(nm = intersect(layout$variable, names(frame)))
  encoded <- lapply(variables, function(name) encode_variable(frame[[name]], name %in% groups))
  X <- matrix(if (is.null(idle)) 0 else idle, nrow(frame), length(layout$column), byrow = TRUE,
              dimnames = list(NULL, layout$column))
  for (k in which(layout$variable %in% variables)) {
    X[, k] <- encoded[[layout$variable[k]]][, layout$position[k]]
  }
  X
}

encode_variable <- function(value, group = FALSE) {
  two_levels <- !group && is.factor(value) && !is.ordered(value) && coded_levels(value) == 0L
  matrix(as.double(value) - two_levels, nrow = NROW(value))
}

group_names <- function(layout) unique(layout$variable[is_group_column(layout)])

# Names the columns of data that groups are made of, even if they are numbers.
group_columns <- function(blueprint) {
  unique(unlist(lapply(blueprint$variables[group_names(blueprint$layout)], all.vars)))
}

# Returns the levels of each variable of groups.
known_groups <- function(blueprint) {
  lapply(blueprint$prototypes[group_names(blueprint$layout)], levels)
}

# Returns groups as a factor whose levels are those of the fit and then new ones, with a message.
# Rows of one new group have the same code, which no row of the fit has.
conform_groups <- function(value, known, name) {
  value <- as.character(value)
  new <- setdiff(unique(value[!is.na(value)]), known)
  if (length(new) > 0L) {
    inform_btg(c(i = paste0("New ", if (length(new) == 1L) "group" else "groups", " of `",
                            group_label(name), "`: ", list_names(new, "\""), ". Predictions there ",
                            "have the variance between groups.")), "new_groups")
  }
  factor(value, levels = c(known, new))
}

# Replaces each column of codes by one indicator per level, named as in model.matrix(). `levels`
# holds the names of the levels of each column, or NULL for columns of numbers.
expand_levels <- function(X, levels) {
  parts <- Map(function(name, labels) {
    if (is.null(labels)) {
      return(X[, name, drop = FALSE])
    }
    indicators <- outer(X[, name], seq_along(labels), `==`) + 0
    colnames(indicators) <- paste0(name, labels)
    indicators
  }, colnames(X), levels)
  do.call(cbind, unname(parts))
}

# Returns the trend matrix at the fit, and the `spec` from which replay_trend() computes it again.
fit_trend <- function(terms, frame) {
  factors <- Filter(is.factor, as.list(frame)[names(term_variables(terms))])
  single <- names(factors)[vapply(factors, nlevels, 0L) < 2L]
  if (length(single) > 0L) {
    abort_btg(c(
      "A factor in the trend needs at least two levels.",
      x = paste0(list_names(single), " has only one in these rows."),
      i = "Remove it from `trend`."
    ), "trend")
  }
  M <- rethrow_btg(stats::model.matrix(terms, frame), "The trend cannot be evaluated.", "trend")
  # options("contrasts") may change before the next call.
  spec <- list(terms = terms, contrasts = attr(M, "contrasts"), columns = colnames(M))
  list(matrix = replay_trend(frame, spec), spec = spec)
}

replay_trend <- function(frame, spec) {
  if (length(attr(spec$terms, "term.labels")) == 0L) {
    return(matrix(1, nrow(frame), 1L, dimnames = list(NULL, spec$columns)))
  }
  attr(frame, "terms") <- spec$terms
  M <- stats::model.matrix(spec$terms, frame, contrasts.arg = spec$contrasts)
  matrix(as.double(M), nrow(M), ncol(M), dimnames = list(NULL, spec$columns))
}

# Aborts if columns depend linearly on earlier ones, to the tolerance of lm().
check_trend_rank <- function(M) {
  qr <- qr(M, tol = 1e-7)
  if (qr$rank < ncol(M)) {
    dependent <- colnames(M)[sort(qr$pivot[-seq_len(qr$rank)])]
    abort_btg(c(
      "The columns of the trend must be linearly independent.",
      x = paste0(list_names(dependent),
                 if (length(dependent) == 1L) " is a linear combination" else " are combinations",
                 " of the others, or nearly so."),
      i = "Remove such terms from `trend`, or centre variables that hardly vary."
    ), "trend_rank")
  }
  invisible(M)
}

# Returns whether the span of the columns contains the constant.
spans_constant <- function(M) {
  one <- rep(1, nrow(M))
  residual <- qr.resid(qr(M, tol = 1e-7), one)
  sqrt(mean(residual^2)) < 1e-7
}
