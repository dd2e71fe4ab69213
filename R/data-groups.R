# Parses the groups of covariance terms: bars such as (1 | g), and `by = g`.

is_group_term <- function(variable, data, scope) {
  if (!is.call(variable) || !deparse1(variable[[1L]]) %in% bars) {
    return(FALSE)
  }
  sides <- lapply(as.list(variable)[-1L], function(side) {
    tryCatch(suppressWarnings(eval(side, data, scope)), error = function(e) NULL)
  })
  !all(vapply(sides, is.logical, NA))
}

# Returns the variables that group rows by the bars of a formula's right-hand side. `.` does not
# stand for them.
grouping_variables <- function(expression, data, scope) {
  if (!is.call(expression)) {
    return(character())
  }
  if (is_group_term(expression, data, scope)) {
    return(all.vars(expression[[3L]]))
  }
  unique(unlist(lapply(as.list(expression)[-1L], grouping_variables, data, scope)))
}

# Returns the group of `by` as a list of the expressions that are crossed, or NULL.
group_of <- function(by, call, data, scope) {
  if (is.null(by)) {
    return(NULL)
  }
  groups <- crossed_groups(by, call, "Write `by = a:b` for the combinations of their levels.")
  for (group in groups) {
    if (is.character(group)) {
      abort_term(call, "`by` is text in quotes.", paste0("Write `by = ", group, "`."))
    }
    value <- tryCatch(suppressWarnings(eval(group, data, scope)), error = function(e) NULL)
    if (is.numeric(value)) {
      abort_term(call, "`by` is a number, and stands for groups.",
                 paste0("Use `factor(", deparse1(group), ")` if its values name groups. A number ",
                        "that interacts with inputs is an input itself."))
    }
  }
  groups
}

# Parses (1 | g), (x | g), (0 + x | g) and nested or crossed groups. Effects of a group are
# independent of each other, so that (x | g) and (x || g) are the same.
parse_bar <- function(bar) {
  effects <- rethrow_btg(stats::terms(stats::as.formula(call("~", bar[[2L]]))),
                         paste0("The term `(", deparse1(bar), ")` cannot be used."), "term")
  if (any(attr(effects, "order") > 1L)) {
    abort_term(bar, "Its effects have an interaction.", "Make the product a variable first.")
  }
  slopes <- term_variables(effects)
  levels <- nested_groups(bar[[3L]], bar)
  constant <- attr(effects, "intercept") == 1L
  if (!constant && length(slopes) == 0L) {
    abort_term(bar, "It has no effects.", "Write it as in `(1 | group)` or `(x | group)`.")
  }
  unlist(lapply(levels, function(group) {
    by <- paste(vapply(group, deparse1, ""), collapse = ":")
    c(if (constant) list(new_term(paste0("(1 | ", by, ")"), "constant", group = group)),
      lapply(seq_along(slopes), function(j) {
        new_term(paste0("(0 + ", names(slopes)[j], " | ", by, ")"), "linear", slopes[j],
                 group = group)
      }))
  }), recursive = FALSE)
}

# Returns the groups of `a/b`, a and a:b, each a list of the expressions that are crossed.
nested_groups <- function(group, bar) {
  operator <- if (is.call(group)) deparse1(group[[1L]]) else ""
  if (operator == "/") {
    outer <- nested_groups(group[[2L]], bar)
    return(c(outer, list(c(outer[[length(outer)]], crossed_groups(group[[3L]], bar)))))
  }
  list(crossed_groups(group, bar))
}

# Returns the expressions that `a:b` crosses. `term` is the term they are in.
crossed_groups <- function(group, term, advice = paste0(
                             "Write crossed groups as `(1 | a) + (1 | b)`, nested ones as ",
                             "`(1 | a/b)`."
                           )) {
  if (is_call_of(group, "(")) {
    return(crossed_groups(group[[2L]], term, advice))
  }
  if (is_call_of(group, c("+", "*", "-", "/"))) {
    abort_term(term, paste0("`", deparse1(group), "` is not a group."), advice)
  }
  if (is_call_of(group, ":")) {
    return(c(crossed_groups(group[[2L]], term, advice), crossed_groups(group[[3L]], term, advice)))
  }
  list(group)
}

# Names the variables of groups.
group_variables <- function(terms) unique(unlist(lapply(terms, function(term) term$by)))

check_groups_vary <- function(names) {
  if (length(names) > 0L) {
    abort_btg(c("Groups need at least two levels.",
                x = paste0(list_names(group_label(names)), " has only one in these rows."),
                i = "Leave the term out."), "term")
  }
}

# "site:plot" for the variable `btg_levels(site, plot)`
group_label <- function(names) {
  gsub(", ", ":", sub("^btg_levels[(](.*)[)]$", "\\1", names), fixed = TRUE)
}
