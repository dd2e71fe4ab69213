# Checks of formulas and data. Each check returns its value invisibly or aborts with a class.

check_formula <- function(formula) {
  if (!inherits(formula, "formula")) {
    abort_argument("formula", "must be a formula such as `y ~ x1 + x2`", formula)
  }
  if (length(formula) != 3L) {
    abort_btg(c(
      "The formula needs a response.",
      x = paste0("`", deparse1(formula), "` has no left-hand side."),
      i = "Write it as in `y ~ x1 + x2`."
    ), "formula")
  }
  invisible(formula)
}

check_trend_formula <- function(trend) {
  if (!inherits(trend, "formula")) {
    abort_argument("trend", "must be a one-sided formula such as `~ 1` or `~ x1`", trend)
  }
  check_one_sided(trend, "trend")
}

# `name` is the name of the argument and ends the class of the error.
check_one_sided <- function(formula, name) {
  if (length(formula) != 2L) {
    abort_btg(c(
      paste0("`", name, "` must be a one-sided formula."),
      x = paste0("`", deparse1(formula), "` has a left-hand side."),
      i = paste0("Use `", name, " = ~ ", deparse1(formula[[3L]]), "`.")
    ), name)
  }
  invisible(formula)
}

check_data <- function(data) {
  listed <- is.list(data) || is.environment(data)
  if (!is.null(data) && !listed) {
    abort_argument("data", "must be a data frame", data)
  }
  invisible(data)
}

# Checks that the response is numeric, finite and not constant. `rows` names its rows.
check_response <- function(y, name = "y", rows = seq_along(y)) {
  check_response_type(y, name)
  y <- as.double(y)
  bad <- which(!is.finite(y))
  if (length(bad) > 0L) {
    what <- count_noun(length(bad), "value that is not finite", "values that are not finite")
    abort_btg(c(
      "The response must be finite.",
      x = paste0("`", name, "` has ", what, locate_rows(rows[bad]), ".")
    ), "response_not_finite")
  }
  if (is_constant(y)) {
    abort_btg(c(
      "The response must vary.",
      x = paste0("`", name, "` is ", format(y[1L]), " in all ", count_noun(length(y), "row"), ".")
    ), "constant_response")
  }
  warn_two_values(y, name)
  invisible(y)
}

# A response of two values is a yes/no answer. With few rows it may have two values by chance.
warn_two_values <- function(y, name) {
  values <- sort(unique(y))
  if (length(values) == 2L && length(y) >= 10L) {
    counts <- tabulate(match(y, values))
    warn_btg(c(
      "The response has only two values, but the model is for a continuous response.",
      x = paste0("`", name, "` is ", format(values[1L]), " in ", counts[1L], " and ",
                 format(values[2L]), " in ", count_noun(counts[2L], "row"), "."),
      i = paste0("For probabilities of a yes/no response, use a classifier, such as ",
                 "`glm(family = binomial)` or `mgcv::gam(family = binomial)`.")
    ), "two_values")
  }
}

# `weights` are relative precisions, or NULL.
check_weights <- function(weights, rows = seq_along(weights)) {
  if (is.null(weights)) {
    return(NULL)
  }
  weights <- plain_vector(weights)
  if (!is.numeric(weights) || !is.null(dim(weights))) {
    abort_btg(c("`weights` must be a numeric vector.",
                x = paste0("It is ", describe_value(weights), ".")), "weights")
  }
  bad <- which(!(is.finite(weights) & weights > 0))
  if (length(bad) > 0L) {
    what <- count_noun(length(bad), "value that is not", "values that are not")
    abort_btg(c(
      "`weights` must be finite and positive.",
      x = paste0("It has ", what, locate_rows(rows[bad]), "."),
      i = "To leave rows out of the fit, use `subset`."
    ), "weights")
  }
  as.double(weights)
}

check_weights_length <- function(weights, n) {
  if (!is.null(weights) && length(weights) != n) {
    abort_btg(c("`weights` must have one value for each row.",
                x = paste0("It has ", length(weights), " for ", count_noun(n, "row"), ".")),
              "weights")
  }
  invisible(weights)
}

# `formula` is that of the fit, if there is one.
check_response_type <- function(y, name = "y", formula = NULL) {
  if ((is.numeric(y) || inherits(y, "difftime")) && length(dim(y)) < 2L) {
    return(invisible(y))
  }
  advice <- if (!is.null(dim(y))) {
    paste0("Fit one column at a time, as a vector. For limits between which a response lies, see ",
           "`?\"btg-censored\"`.")
  } else if (is.factor(y) || is.character(y)) {
    explain_text_response(as.character(y), name, formula)
  } else if (is.logical(y)) {
    "A yes/no response needs a classifier, such as a logistic regression."
  } else {
    paste0("Convert it to a numeric vector first. Censored responses are stated by `Surv()` or ",
           "`censored`: see `?\"btg-censored\"`.")
  }
  names(advice) <- rep("i", length(advice))
  abort_btg(c(
    "The response must be a numeric vector.",
    x = paste0("`", name, "` is ", describe_value(y), "."),
    advice
  ), "response_type")
}

# Advises on a response that is text. Values such as "<0.6" are limits, which are stated apart.
explain_text_response <- function(y, name, formula) {
  y <- trimws(y[!is.na(y)])
  number <- function(x) suppressWarnings(!is.na(as.numeric(x)))
  limit <- grepl("^[<>]", y) & number(sub("^[<>]=?", "", y))
  rest <- y[!limit & !number(y)]
  if (!any(limit)) {
    if (length(rest) == 0L) {
      return(paste0("Its values are numbers: use `as.numeric(as.character(", name, "))`."))
    }
    return(paste0("\"", rest[1L], "\" is not a number. If it stands for a response below or ",
                  "above a limit, see `?\"btg-censored\"`; if it is missing, replace it by NA."))
  }
  below <- startsWith(y[limit], "<")
  side <- if (all(below)) {
    paste0("grepl(\"<\", ", name, ")")
  } else if (!any(below)) {
    paste0("ifelse(grepl(\">\", ", name, "), \"right\", \"none\")")
  } else {
    paste0("ifelse(grepl(\"<\", ", name, "), \"left\", ifelse(grepl(\">\", ", name,
           "), \"right\", \"none\"))")
  }
  value <- paste0("as.numeric(sub(\"[<>]=?\", \"\", ", name, "))")
  fit <- paste0(deparse(user_call()[[1L]]), "(")
  call <- if (is.null(formula)) paste0(fit, "x, ", value, ", censored = ", side, ")")
          else paste0(fit, value, " ~ ", deparse1(formula[[3L]]), ", data, censored = ", side, ")")
  c(paste0("\"", y[limit][1L], "\" is a limit. Use `", call, "`."),
    if (length(rest) > 0L) paste0("\"", rest[1L], "\" is not a number: replace it by NA first."))
}

# With a sinh on top of a logarithm or low power, the inverse is the exponential of a power.
check_layers <- function(layers) {
  on_top <- match("boxcox", layers, nomatch = length(layers) + 1L) < seq_along(layers)
  if (any(on_top & layers == "sinharcsinh")) {
    warn_btg(c(
      "\"sinharcsinh\" after \"boxcox\" can give predictions with extremely long tails.",
      i = paste0("Use `c(\"softplus\", \"sinharcsinh\")` for a positive response, or ",
                 "\"boxcox\" alone.")
    ), "transform")
  }
  invisible(layers)
}

# Predictions are t with n - p degrees of freedom; the package requires at least 2.
check_sample_size <- function(n, p) {
  if (n < p + 2L) {
    abort_btg(c(
      "There are too few rows.",
      x = paste0("The data have n = ", n, " usable ", if (n == 1L) "row" else "rows",
                 "; a trend with p = ", p, if (p == 1L) " column" else " columns",
                 " needs at least p + 2 = ", p + 2L, ".")
    ), "too_few_rows")
  }
  invisible(n)
}

# Aborts if a matrix of inputs or trend columns has infinite values; missing ones pass.
check_finite_columns <- function(x, what = "input", rows = seq_len(nrow(x))) {
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
    ), "not_finite")
  }
  invisible(x)
}

# Returns whether all values are equal up to the rounding of one.
is_constant <- function(x) {
  diff(range(x)) <= 4 * .Machine$double.eps * max(abs(x))
}

# Many responses tied at one value reward a layer that squeezes it: the likelihood grows as the
# width of the layer goes to zero. Such a width has a default prior bounded away from zero. If a
# fifth of the rows are tied, the posterior is often at the bound. Many small ties, as from
# rounding, are harmless.
check_ties <- function(y, hyperparameters, parameters, name = "y") {
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
      x = paste0("The fit improves by squeezing that value, through ", list_names(widths), "."),
      i = "Use `transform = \"sinharcsinh\"`, or check in `nodes()` that it is not at its bound."
    ), "ties")
  }
  invisible(y)
}
