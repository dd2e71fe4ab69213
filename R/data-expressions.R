# Expressions of formulas, and the parts of a covariance term.

# `variables` are named expressions, and `group` is a list of expressions that are crossed, or NULL.
new_term <- function(name, base, variables = list(), form = "radial", kernel = NULL,
                     group = NULL) {
  by <- if (!is.null(group)) name_expressions(list(as.call(c(quote(btg_levels), group))))
  list(term = list(name = name, base = base, form = form, kernel = kernel,
                   variables = names(variables), by = names(by)),
       expressions = c(variables, by))
}

# Returns the variables of a terms object as expressions, with the column names of model.frame().
term_variables <- function(terms) name_expressions(as.list(attr(terms, "variables"))[-1L])

# Names expressions as model.frame() names their columns.
name_expressions <- function(expressions) {
  names <- vapply(expressions, function(one) {
    if (is.name(one)) as.character(one) else deparse1(one)
  }, "")
  stats::setNames(expressions, names)
}

is_call_of <- function(expression, functions) {
  is.call(expression) && is.name(expression[[1L]]) &&
    as.character(expression[[1L]]) %in% functions
}

# Other packages write random effects with a bar. Between logical values, a bar is an ordinary term.
bars <- c("`|`", "`||`", "|", "||")

abort_term <- function(call, problem, advice) {
  text <- deparse1(call)
  if (is_call_of(call, c("|", "||"))) text <- paste0("(", text, ")")
  abort_btg(c(paste0("The term `", text, "` cannot be used."), x = problem, i = advice), "term")
}
