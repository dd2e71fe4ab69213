# What users can get wrong. Each check returns its value, invisibly, or aborts with a class.

check_flag <- function(x, name = rlang::caller_arg(x), call = quote(btg())) {
  if (!(is.logical(x) && length(x) == 1L && !is.na(x))) {
    abort_argument(name, "must be TRUE or FALSE", x, call)
  }
  invisible(x)
}

check_count <- function(x, name = rlang::caller_arg(x), call = quote(btg())) {
  whole <- is_number(x) && x >= 1 && x == round(x) && x <= .Machine$integer.max
  if (!whole) {
    abort_argument(name, "must be a positive whole number", x, call)
  }
  invisible(as.integer(x))
}

# One of `choices`; all of them, as an argument's default has it, means the first.
check_choice <- function(x, choices, name, call) {
  if (identical(x, choices)) {
    return(choices[1L])
  }
  check_string(x, name, call)
  if (!x %in% choices) {
    abort_btg(c(
      paste0("`", name, "` cannot be \"", x, "\"."),
      i = paste0("Use one of ", list_names(choices, "\"", most = Inf), "."),
      suggest_names(x, choices, "\""),
      if (name == "interval" && x %in% c("prediction", "confidence")) {
        c(i = paste0("`observation` chooses between a new observation (TRUE) and the noise-free ",
                     "process (FALSE)."))
      }
    ), "argument", call)
  }
  x
}

# Arguments that the others leave without effect.
check_unused <- function(unused, call) {
  needs <- c(interval = "type = \"response\", \"mean\" or \"mode\"",
             level = "interval = \"credible\" or \"hdi\"", probs = "type = \"quantile\"",
             at = "type = \"cdf\", \"exceedance\", \"density\", \"log_density\" or \"crps\"",
             se.fit = "type = \"response\" or \"quantile\"")
  if (any(unused)) {
    name <- names(unused)[unused][1L]
    abort_btg(c(paste0("`", name, "` has no effect here."),
                i = paste0("It goes with `", needs[[name]], "`.")), "argument", call)
  }
}

check_whole <- function(x, name = rlang::caller_arg(x), call = quote(btg())) {
  if (!(is_number(x) && x >= 0 && x == round(x) && x <= .Machine$integer.max)) {
    abort_argument(name, "must be a whole number, 0 or more", x, call)
  }
  invisible(as.integer(x))
}

check_string <- function(x, name = rlang::caller_arg(x), call = quote(btg())) {
  if (!(is.character(x) && length(x) == 1L && !is.na(x) && nzchar(x))) {
    abort_argument(name, "must be one string", x, call)
  }
  invisible(x)
}

# Strictly between 0 and 1.
check_level <- function(x, name = rlang::caller_arg(x), call = quote(btg())) {
  if (!(is_number(x) && x > 0 && x < 1)) {
    abort_argument(name, "must be one number strictly between 0 and 1", x, call)
  }
  invisible(as.double(x))
}

check_probs <- function(x, name = rlang::caller_arg(x), call = quote(btg())) {
  inside <- is.numeric(x) && length(x) > 0L && !anyNA(x) && all(x > 0 & x < 1)
  if (!inside) {
    abort_argument(name, "must be numbers strictly between 0 and 1", x, call)
  }
  invisible(as.double(x))
}

# The posterior mass that may be left out: 0 keeps every node.
check_epsilon <- function(x, name = rlang::caller_arg(x), call = quote(btg())) {
  if (!(is_number(x) && x >= 0 && x < 1)) {
    abort_argument(name, "must be one number, at least 0 and less than 1", x, call)
  }
  invisible(as.double(x))
}

is_number <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x)

abort_argument <- function(name, must, x, call) {
  value <- if (is.atomic(x) && !is.null(x) && !is.object(x) && length(x) == 1L) {
    deparse1(x)
  } else {
    describe_value(x)
  }
  abort_btg(c(paste0("`", name, "` ", must, "."), x = paste0("It is ", value, ".")),
            "argument", call)
}

# Nothing is silently ignored: what is left in `...` is an error.
check_dots <- function(..., valid = character(), call = quote(btg())) {
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
    suggest_names(named, valid)
  ), "unknown_argument", call)
}

# Of the two ways to call btg(): a formula that is not first, or what is missing of `x` and `y`.
check_interface <- function(misplaced_formula, missing, call = quote(btg())) {
  if (misplaced_formula) {
    abort_btg(c(
      "The formula must be the first argument.",
      i = "Use `btg(y ~ x, data)`, or `data |> btg(y ~ x, data = _)` in a pipe."
    ), "interface", call)
  }
  if (length(missing) > 0L) {
    abort_btg(c(
      "There must be a formula and its data, or `x` and `y`.",
      x = paste0("Missing: ", list_names(missing), ".")
    ), "interface", call)
  }
  invisible()
}

check_formula <- function(formula, call = quote(btg())) {
  if (!inherits(formula, "formula")) {
    abort_argument("formula", "must be a formula such as `y ~ x1 + x2`", formula, call)
  }
  if (length(formula) != 3L) {
    abort_btg(c(
      "The formula needs a response.",
      x = paste0("`", deparse1(formula), "` has no left-hand side."),
      i = "Write it as in `y ~ x1 + x2`."
    ), "formula", call)
  }
  invisible(formula)
}

check_trend_formula <- function(trend, call = quote(btg())) {
  if (!inherits(trend, "formula")) {
    abort_argument("trend", "must be a one-sided formula such as `~ 1` or `~ x1`", trend, call)
  }
  if (length(trend) != 2L) {
    abort_btg(c(
      "`trend` must be a one-sided formula.",
      x = paste0("`", deparse1(trend), "` has a left-hand side."),
      i = paste0("Use `trend = ~ ", deparse1(trend[[3L]]), "`.")
    ), "trend", call)
  }
  invisible(trend)
}

check_data <- function(data, call = quote(btg())) {
  listed <- is.list(data) || is.environment(data)
  if (!is.null(data) && !listed) {
    abort_argument("data", "must be a data frame", data, call)
  }
  invisible(data)
}

# The response as the model needs it: numeric, finite, not constant. `rows` names its rows.
check_response <- function(y, name = "y", rows = seq_along(y), call = quote(btg())) {
  check_response_type(y, name, call)
  y <- as.double(y)
  bad <- which(!is.finite(y))
  if (length(bad) > 0L) {
    what <- count_noun(length(bad), "value that is not finite", "values that are not finite")
    abort_btg(c(
      "The response must be finite.",
      x = paste0("`", name, "` has ", what, locate_rows(rows[bad]), ".")
    ), "response_not_finite", call)
  }
  if (is_constant(y)) {
    abort_btg(c(
      "The response must vary.",
      x = paste0("`", name, "` is ", format(y[1L]), " in all ", count_noun(length(y), "row"), ".")
    ), "constant_response", call)
  }
  invisible(y)
}

# Relative precisions, or NULL for none.
check_weights <- function(weights, rows = seq_along(weights), call = quote(btg())) {
  if (is.null(weights)) {
    return(NULL)
  }
  if (!is.numeric(weights) || !is.null(dim(weights))) {
    abort_btg(c("`weights` must be a numeric vector.",
                x = paste0("It is ", describe_value(weights), ".")), "weights", call)
  }
  bad <- which(!(is.finite(weights) & weights > 0))
  if (length(bad) > 0L) {
    what <- count_noun(length(bad), "value that is not", "values that are not")
    abort_btg(c(
      "`weights` must be finite and positive.",
      x = paste0("It has ", what, locate_rows(rows[bad]), "."),
      i = "To leave rows out of the fit, use `subset`."
    ), "weights", call)
  }
  as.double(weights)
}

check_weights_length <- function(weights, n, call = quote(btg())) {
  if (!is.null(weights) && length(weights) != n) {
    abort_btg(c("`weights` must have one value for each row.",
                x = paste0("It has ", length(weights), " for ", count_noun(n, "row"), ".")),
              "weights", call)
  }
  invisible(weights)
}

check_response_type <- function(y, name = "y", call = quote(btg())) {
  if (is.numeric(y) && length(dim(y)) < 2L) {
    return(invisible(y))
  }
  advice <- if (!is.null(dim(y))) {
    "Fit one column at a time, as a vector."
  } else if (is.factor(y) || is.character(y)) {
    paste0("If its values are numbers, use `as.numeric(as.character(", name, "))`.")
  } else if (is.logical(y)) {
    "A yes/no response needs a classifier, such as a logistic regression."
  } else {
    "Convert it to a numeric vector first."
  }
  abort_btg(c(
    "The response must be a numeric vector.",
    x = paste0("`", name, "` is ", describe_value(y), "."),
    i = advice
  ), "response_type", call)
}

# For transforms of positive responses: see zero_offset() for what becomes of zeros.
check_response_nonnegative <- function(y, name = "y", rows = seq_along(y), call = quote(btg())) {
  bad <- which(!(y >= 0))
  if (length(bad) > 0L) {
    abort_btg(c(
      "This transform needs a response without negative values.",
      x = paste0("`", name, "` has ", count_noun(length(bad), "value"), " < 0",
                 locate_rows(rows[bad]), "."),
      i = "Use `transform = \"sinharcsinh\"`, or shift the response."
    ), "response_not_positive", call)
  }
  invisible(y)
}

inform_zero_response <- function(y, name = "y", call = quote(btg())) {
  zeros <- sum(y == 0)
  if (zeros > 0L) {
    inform_btg(c(i = paste0(
      "`", name, "` is zero in ", zeros, " of ", count_noun(length(y), "row"), ": half of its ",
      "smallest positive value, ", format(zero_offset(y), digits = 3), ", is added for this ",
      "transform."
    )), "zero_response", call)
  }
  invisible(y)
}

# The inverse of a sinh on top of a logarithm, or of a low power, is the exponential of a power.
check_layers <- function(layers, call = quote(btg())) {
  on_top <- match("boxcox", layers, nomatch = length(layers) + 1L) < seq_along(layers)
  if (any(on_top & layers == "sinharcsinh")) {
    warn_btg(c(
      "\"sinharcsinh\" on top of \"boxcox\" can have tails that explode.",
      i = paste0("Use `c(\"softplus\", \"sinharcsinh\")` for a positive response, or ",
                 "\"boxcox\" alone.")
    ), "transform", call)
  }
  invisible(layers)
}

# No input may be where its warp has no value; missing ones are for others to judge.
check_warped <- function(x, warps, rows = seq_len(nrow(x)), call = quote(predict())) {
  if (length(warps) > 0L) {
    outside <- outside_warps(x, warps)
    if (any(outside)) {
      abort_btg(c("Inputs must be in the domain of their warps.",
                  describe_outside(outside, warps, rows),
                  i = "Fit with `warp_inputs = FALSE` to predict there."), "outside_warp", call)
    }
  }
  invisible(x)
}

# The t distribution of a prediction has n - p degrees of freedom, of which we ask 2.
check_sample_size <- function(n, p, call = quote(btg())) {
  if (n < p + 2L) {
    abort_btg(c(
      "There are too few rows.",
      x = paste0("The data have n = ", n, " usable ", if (n == 1L) "row" else "rows",
                 "; a trend with p = ", p, if (p == 1L) " column" else " columns",
                 " needs at least p + 2 = ", p + 2L, ".")
    ), "too_few_rows", call)
  }
  invisible(n)
}

# No infinite values in a matrix of inputs or trend columns; missing ones are for others to judge.
check_finite_columns <- function(x, what = "input", rows = seq_len(nrow(x)), call = quote(btg())) {
  infinite <- is.infinite(x)
  if (any(infinite)) {
    bad <- which(colSums(infinite) > 0)
    where <- which(infinite[, bad[1L]])
    abort_btg(c(
      paste0("Every ", what, " must be finite."),
      x = paste0("`", colnames(x)[bad[1L]], "` has ", count_noun(length(where), "infinite value"),
                 locate_rows(rows[where]), "."),
      if (length(bad) > 1L) {
        c(x = paste0("So have ", list_names(colnames(x)[bad[-1L]]), "."))
      }
    ), "not_finite", call)
  }
  invisible(x)
}

# Equal up to the rounding of one value.
is_constant <- function(x) {
  diff(range(x)) <= 4 * .Machine$double.eps * max(abs(x))
}

# Responses tied at one value reward a layer that can squeeze it: the likelihood grows as the width
# of the layer goes to zero. Such a width has a default prior bounded away from that. From a fifth
# of the rows on the posterior is often at the bound; many small ties, as of rounding, do no harm.
check_ties <- function(y, hyperparameters, parameters, name = "y", call = quote(btg())) {
  widths <- names(Filter(function(parameter) {
    bounded <- parameter$prior$lower > 0 || parameter$prior$upper < Inf
    parameter$positive && bounded && !is.numeric(hyperparameters[[parameter$name]]$prior)
  }, parameters))
  values <- unique(y)
  counts <- tabulate(match(y, values))
  most <- which.max(counts)
  if (length(widths) > 0L && counts[most] >= max(3, 0.2 * length(y))) {
    warn_btg(c(
      "The response has many ties, which this transform can fit too closely.",
      x = paste0("`", name, "` has ", length(values), " distinct values in ", length(y),
                 " rows; ", counts[most], " of them are ", format(values[most]), "."),
      x = paste0("It can gain by squeezing that value, through ", list_names(widths), "."),
      i = "Use `transform = \"sinharcsinh\"`, or check in `nodes()` that it is not at its bound."
    ), "ties", call)
  }
  invisible(y)
}
