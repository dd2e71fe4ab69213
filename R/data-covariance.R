# Parses the covariance terms of a formula: plain variables, which form the main process together,
# and special terms such as gp(x), additive(x1, x2), linear(x) and (1 | g) beside it.

# Returns list(variables, terms). `variables` are the expressions to evaluate, named as columns of
# model.frame(). Each of `terms` is list(name, base, form, kernel, variables, by): `base` is
# "stationary", "linear" or "constant"; `kernel` and `form` are NULL if they are settings of the
# fit; `variables` and `by`, the group or NULL, are names of variables. `given` are the terms of the
# formula as expressions. With `geographic`, coordinates X and Y are points on the sphere.
covariance_terms <- function(given, data, scope, geographic = FALSE) {
  barred <- vapply(given, is_group_term, NA, data = data, scope = scope)
  special <- vapply(given, is_special_call, NA)
  spread <- function(variables) {
    name_expressions(if (geographic) on_sphere(variables) else variables)
  }
  plain <- spread(given[!barred & !special])
  found <- c(
    if (length(plain) > 0L) list(new_term("main", "stationary", plain, form = NULL)),
    lapply(given[special], parse_special, data = data, scope = scope, spread = spread),
    unlist(lapply(unname(given[barred]), parse_bar), recursive = FALSE)
  )
  variables <- unlist(lapply(unname(found), function(one) one$expressions), recursive = FALSE)
  terms <- lapply(unname(found), function(one) one$term)
  terms <- terms[!duplicated(terms)]
  # Coordinates of the first process define neighbours, and ratios compare variances with its own.
  terms <- terms[order(match(term_parts(terms, "base"), c("stationary", "linear", "constant")))]
  names <- make.unique(term_parts(terms, "name"))
  list(variables = as.list(variables[!duplicated(names(variables))]),
       terms = Map(function(term, name) replace(term, "name", name), terms, names))
}

term_parts <- function(terms, part) vapply(terms, function(term) term[[part]], "")

# What each function of the formula can take, for match.call(). They are never called.
special_terms <- list(
  gp = function(..., kernel, product, by) NULL,
  additive = function(..., kernel, by) NULL,
  linear = function(..., by) NULL
)

is_special_call <- function(variable) is_call_of(variable, names(special_terms))

# Replaces `.` within special terms by `columns`, as terms() does elsewhere.
expand_dots <- function(expression, columns) {
  if (!is.call(expression)) {
    return(expression)
  }
  parts <- as.list(expression)
  dot <- vapply(parts, identical, NA, quote(.))
  if (is_special_call(expression) && any(dot)) {
    own <- all_names(parts[-1L][!dot[-1L]])
    return(as.call(c(parts[!dot], lapply(setdiff(columns, own), as.name))))
  }
  as.call(lapply(parts, expand_dots, columns))
}

# Covariance terms belong into the formula, not into the trend or the noise.
check_bars <- function(variables, data, scope) {
  special <- Filter(function(variable) {
    is_group_term(variable, data, scope) ||
      is_special_call(variable) && is.null(get0(as.character(variable[[1L]]), scope,
                                                mode = "function"))
  }, variables)
  if (length(special) > 0L) {
    abort_btg(c(
      "The trend and the noise cannot have covariance terms.",
      x = paste0("There is ", list_names(names(special)), "."),
      i = "Write such a term into the formula itself, as in `y ~ x + (1 | group)`."
    ), "random_effects")
  }
}

parse_special <- function(call, data, scope, spread) {
  name <- as.character(call[[1L]])
  matched <- match_special(call, name)
  variables <- as.list(matched[["..."]])
  named <- names(variables)[nzchar(as.character(names(variables)))]
  if (length(named) > 0L) {
    abort_term(call, paste0("It has no argument ", list_names(named), "."),
               paste0("Arguments are variables, ", list_names(setdiff(
                 names(formals(special_terms[[name]])), "...")), "."))
  }
  if (length(variables) == 0L) {
    abort_term(call, "It has no variables.", paste0("Write it as in `", name, "(x)`."))
  }
  check_not_special(call, variables, data, scope)
  variables <- spread(lapply(unname(variables), single_variable, call = call))
  product <- eval_setting(matched$product, call, "product", FALSE, scope)
  kernel <- eval_setting(matched$kernel, call, "kernel", if (name != "linear") default_term_kernel,
                         scope)
  if (!is.null(kernel)) check_string(kernel)
  check_flag(product)
  new_term(special_name(name, variables, matched$by),
           if (name == "linear") "linear" else "stationary", variables,
           form = if (name == "additive") "additive" else if (product) "product" else "radial",
           kernel = kernel, group = group_of(matched$by, call, data, scope))
}

default_term_kernel <- "matern52"

match_special <- function(call, name) {
  rethrow_btg(match.call(special_terms[[name]], call, expand.dots = FALSE),
              paste0("The term `", deparse1(call), "` cannot be used."), "term")
}

all_names <- function(variables) unlist(lapply(Filter(is.name, variables), as.character))

# The name of a term leaves out its settings.
special_name <- function(name, variables, by) {
  paste0(name, "(", paste(names(variables), collapse = ", "),
         if (!is.null(by)) paste0(", by = ", deparse1(by)), ")")
}

eval_setting <- function(expression, call, name, default, scope) {
  if (is.null(expression)) {
    return(default)
  }
  rethrow_btg(eval(expression, scope),
              paste0("`", name, "` of the term `", deparse1(call), "` cannot be evaluated."),
              "term")
}

check_not_special <- function(call, variables, data, scope) {
  nested <- Filter(function(one) is_special_call(one) || is_group_term(one, data, scope), variables)
  if (length(nested) > 0L) {
    abort_term(call, paste0("It contains the term `", deparse1(nested[[1L]]), "`."),
               "Add terms with `+`; for a process by group, write `gp(x, by = group)`.")
  }
}

# Operators that have a meaning of their own in formulas, where I() protects an expression.
formula_operators <- c("+", "-", "*", "/", "^", ":", "%in%")

# Returns a variable of a term without parentheses around it.
single_variable <- function(variable, call) {
  while (is_call_of(variable, "(")) variable <- variable[[2L]]
  if (!is.name(variable) && !is.call(variable)) {
    abort_term(call, paste0("`", deparse1(variable), "` is not a variable."),
               "Name columns of the data, without quotes.")
  }
  if (is_call_of(variable, formula_operators)) {
    own <- all.vars(variable)
    several <- if (length(own) > 1L) {
      paste0("`", as.character(call[[1L]]), "(", paste(own, collapse = ", "),
             ")` to have each as an input, or ")
    }
    abort_term(call, paste0("`", deparse1(variable), "` is not a single variable."),
               paste0("Write ", several, "`I(", deparse1(variable), ")` for its value."))
  }
  variable
}

# Returns the names of the terms that a piece of a formula stands for, given as text: two for
# "(x | g)". Text that is no term stays as it is.
names_of_term <- function(text) {
  call <- tryCatch(str2lang(text), error = function(e) NULL)
  while (is.call(call) && identical(call[[1L]], quote(`(`))) call <- call[[2L]]
  tryCatch({
    if (is_special_call(call)) {
      matched <- match_special(call, as.character(call[[1L]]))
      special_name(as.character(call[[1L]]), name_expressions(as.list(matched[["..."]])),
                   matched$by)
    } else if (is.call(call) && deparse1(call[[1L]]) %in% bars) {
      vapply(parse_bar(call), function(one) one$term$name, "")
    } else {
      text
    }
  }, btg_error = function(e) text)
}

# Names the plain variables of the main process.
plain_inputs <- function(terms) {
  main <- Filter(function(term) term$name == "main", terms)
  if (length(main) > 0L) main[[1L]]$variables
}

# Adds to each term its `columns` by number, the `input` of each as a number within the term, the
# names of these `inputs`, `mapped`, the first column of each that the core maps, as a number within
# the term, and `group`, the number of the column that groups rows or 0. Terms all of
# whose inputs are constant are an error; the main process goes without them.
place_terms <- function(terms, layout) {
  placed <- lapply(terms, function(term) {
    columns <- which(layout$variable %in% term$variables & !layout$group)
    if (length(columns) == 0L && length(term$variables) > 0L) {
      if (term$name == "main") {
        return(NULL)
      }
      abort_btg(c(paste0("The term `", term$name, "` has no inputs that vary."),
                  i = "Leave it out."), "term")
    }
    inputs <- unique(layout$input[columns])
    own <- layout[columns, , drop = FALSE]
    check_linear(term, own)
    c(term, list(columns = columns, input = match(layout$input[columns], inputs), inputs = inputs,
                 mapped = which(own$mapped & own$position == 1L),
                 group = if (is.null(term$by)) 0L
                         else which(layout$variable == term$by & layout$group)))
  })
  Filter(Negate(is.null), placed)
}

# The core maps two columns that vary. One alone has no direction.
check_mapped <- function(layout, X) {
  still <- vapply(layout$column, function(column) is_constant(X[, column]), NA)
  input <- unique(layout$input[still & layout$mapped])
  if (length(input) > 0L) {
    abort_btg(c("Both coordinates of `rotated()` must vary.",
                x = paste0(list_names(input), " has one that is constant."),
                i = "List the other one alone."), "term")
  }
}

# Levels of a factor are not on a line, and a linear effect has a direction anyway.
check_linear <- function(term, layout) {
  mapped <- unique(layout$variable[layout$mapped])
  if (term$base == "linear" && length(mapped) > 0L) {
    abort_btg(c(paste0("The term `", term$name, "` cannot have ", list_names(mapped), "."),
                i = "A linear effect of both coordinates has a direction: list the coordinates."),
              "term")
  }
  coded <- layout$variable[layout$levels > 0L]
  if (term$base == "linear" && length(coded) > 0L) {
    abort_btg(c(paste0("The term `", term$name, "` has a factor with more than two levels."),
                x = paste0(list_names(unique(coded)), " has no linear effect."),
                i = paste0("Write `(1 | ",
                           paste(c(coded[1L], group_label(term$by)), collapse = ":"),
                           ")` for effects of its levels", if (!is.null(term$by)) " in each group",
                           ".")), "term")
  }
}
