# Checks of arguments; data-check.R checks formulas and data. Each check returns its value invisibly
# or aborts with a class.

check_flag <- function(x, name = rlang::caller_arg(x)) {
  if (!(is.logical(x) && length(x) == 1L && !is.na(x))) {
    abort_argument(name, "must be TRUE or FALSE", x)
  }
  invisible(x)
}

check_count <- function(x, name = rlang::caller_arg(x)) {
  whole <- is_number(x) && x >= 1 && x == round(x) && x <= .Machine$integer.max
  if (!whole) {
    abort_argument(name, "must be a positive whole number", x)
  }
  invisible(as.integer(x))
}

# Accepts one of `choices`, or all of them (an argument's default), which means the first.
check_choice <- function(x, choices, name) {
  if (identical(x, choices)) {
    return(choices[1L])
  }
  if (!is.character(x) || length(x) != 1L || is.na(x)) {
    abort_argument(name, paste("must be one of", list_names(choices, "\"", most = Inf)), x)
  }
  if (!x %in% choices) {
    abort_btg(c(
      paste0("`", name, "` cannot be \"", x, "\"."),
      i = paste0("Use one of ", list_names(choices, "\"", most = Inf), "."),
      suggest_names(x, choices, "\"")
    ), "argument")
  }
  x
}

# Aborts if the user gave an argument that has no effect beside the others.
check_unused <- function(unused) {
  needs <- c(interval = "type = \"response\", \"mean\" or \"mode\"",
             level = "interval = \"prediction\", \"confidence\" or \"hdi\"",
             probs = "type = \"quantile\"", of = "type = \"slope\"",
             at = "type = \"cdf\", \"exceedance\", \"density\", \"log_density\" or \"crps\"",
             se.fit = "type = \"response\", \"mean\" or \"mode\"",
             quadrature_error = "type = \"response\" or \"quantile\"")
  if (any(unused)) {
    name <- names(unused)[unused][1L]
    abort_btg(c(paste0("`", name, "` has no effect here."),
                i = paste0("It goes with `", needs[[name]], "`.")), "argument")
  }
}

check_whole <- function(x, name = rlang::caller_arg(x)) {
  if (!(is_number(x) && x >= 0 && x == round(x) && x <= .Machine$integer.max)) {
    abort_argument(name, "must be a whole number, 0 or more", x)
  }
  invisible(as.integer(x))
}

check_string <- function(x, name = rlang::caller_arg(x)) {
  if (!(is.character(x) && length(x) == 1L && !is.na(x) && nzchar(x))) {
    abort_argument(name, "must be one string", x)
  }
  invisible(x)
}

check_level <- function(x, name = rlang::caller_arg(x)) {
  if (!(is_number(x) && x > 0 && x < 1)) {
    abort_argument(name, "must be one number strictly between 0 and 1", x)
  }
  invisible(as.double(x))
}

check_probs <- function(x, name = rlang::caller_arg(x)) {
  inside <- is.numeric(x) && length(x) > 0L && !anyNA(x) && all(x > 0 & x < 1)
  if (!inside) {
    abort_argument(name, "must be numbers strictly between 0 and 1", x)
  }
  invisible(as.double(x))
}

# Checks the posterior mass that may be left out; 0 keeps every node.
check_epsilon <- function(x, name = rlang::caller_arg(x)) {
  if (!(is_number(x) && x >= 0 && x < 1)) {
    abort_argument(name, "must be one number, at least 0 and less than 1", x)
  }
  invisible(as.double(x))
}

# Names the arguments of a function that have no default.
needed_arguments <- function(fun) {
  needed <- vapply(formals(args(fun)), identical, NA, formals(function(x) x)$x)
  setdiff(names(needed)[needed], "...")
}

is_named <- function(x) !is.null(names(x)) && all(nzchar(names(x)))

is_number <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x)

abort_argument <- function(name, must, x) {
  value <- if (is.atomic(x) && !is.null(x) && !is.object(x) && length(x) == 1L) {
    deparse1(x)
  } else {
    describe_value(x)
  }
  abort_btg(c(paste0("`", name, "` ", must, "."), x = paste0("It is ", value, ".")), "argument")
}

# Aborts if arguments remain in `...`, so that none is silently ignored.
check_dots <- function(..., valid = character()) {
  extra <- as.list(substitute(list(...)))[-1L]
  if (length(extra) == 0L) {
    return(invisible())
  }
  names <- names(extra)
  named <- names[nzchar(names)]
  unnamed <- length(extra) - length(named)
  abort_btg(c(
    "There are arguments that cannot be used.",
    if (length(named) > 0L) c(x = paste0("Unknown: ", list_names(named), ".")),
    if (unnamed > 0L) c(x = paste0("Too many: ", count_noun(unnamed, "unnamed argument"), ".")),
    suggest_arguments(named, setdiff(valid, "..."))
  ), "unknown_argument")
}

# Suggests valid arguments for unknown ones: those that were probably meant, or else all.
suggest_arguments <- function(unknown, valid, all = valid) {
  closest <- suggest_names(unknown, valid)
  if (is.null(closest) && length(all) > 0L) {
    closest <- c(i = paste0("Its arguments are ", list_names(all, most = Inf), "."))
  }
  closest
}

# Checks the two ways to call btg(): the formula must come first, neither `x` nor `y` may be
# missing, and a formula may not be a string.
check_interface <- function(misplaced_formula, missing, x = NULL) {
  if (misplaced_formula) {
    name <- deparse(user_call()[[1L]])
    abort_btg(c(
      "The formula must be the first argument.",
      i = paste0("Use `", name, "(y ~ x, data)`, or `data |> ", name, "(formula = y ~ x)` in a ",
                 "pipe.")
    ), "interface")
  }
  if (length(missing) > 0L) {
    abort_btg(c(
      "There must be a formula and its data, or `x` and `y`.",
      x = paste0("Missing: ", list_names(missing), "."),
      if (inherits(x, c("ts", "tbl_ts"))) c(
        i = paste0("Time is an input: `btg(y ~ time, data.frame(time = as.numeric(time(x)), ",
                   "y = as.numeric(x)))`."),
        i = "Put trend and season into `trend`: as inputs of the kernel they fade in forecasts."
      )
    ), "interface")
  }
  if (is.character(x) && length(x) == 1L && grepl("~", x, fixed = TRUE)) {
    abort_btg(c("The formula must be a formula, not text.",
                i = paste0("Use `", x, "` without quotes, or `as.formula()`.")), "interface")
  }
  invisible()
}

check_installed <- function(package, use) {
  if (!requireNamespace(package, quietly = TRUE)) {
    abort_btg(c(paste0("`", use, "` needs the package ", package, "."),
                i = paste0("Use `install.packages(\"", package, "\")`.")), "not_installed")
  }
}
