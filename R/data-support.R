# Determines the possible values of a response, from `lower` and `upper` or from its data.

# Checks what the user stated about the response, and returns it for the settings of a fit.
support_settings <- function(lower, upper, rounding = NULL) {
  check_bound(lower, "lower", Inf)
  check_bound(upper, "upper", -Inf)
  if (!is.null(lower) && !is.null(upper) && !(lower < upper)) {
    abort_btg(c("`lower` must be less than `upper`.",
                x = paste0("They are ", lower, " and ", upper, ".")), "argument")
  }
  step <- is.numeric(rounding) && length(rounding) == 1L && is.finite(rounding) && rounding > 0
  if (!is.null(rounding) && !step) {
    abort_argument("rounding", paste0("must be a positive number, the step that the response is ",
                                      "rounded to, or NULL if it is not"), rounding)
  }
  settings <- list(lower = lower, upper = upper)
  settings$rounding <- rounding
  settings
}

check_bound <- function(x, name, impossible) {
  plain <- is.numeric(x) && is.null(unit_of(x))
  if (!is.null(x) && !(plain && length(x) == 1L && !is.na(x) && x != impossible)) {
    abort_argument(name, paste0("must be a number in the units of the response, ", -impossible,
                                " for no bound, or NULL to leave it to the data"), x)
  }
}

# This share of the probability mass below an assumed bound stays there. It is at most 1%, so that
# intervals of 99% and less begin below zero only if the median is at zero, and above 0, so that a
# negative response has a finite log score.
open_share <- 0.01

# Returns list(lower, upper, open) with the finite bounds of predictions, the same for all models of
# a fit, from the exact values and finite limits `y` of the response. With transform = "auto", a
# response without negative values is bounded at zero. The bound is sure if there are zeros; else it
# is assumed, and `open` is the share of the mass that stays below it.
response_support <- function(y, settings) {
  inferred <- is.null(settings$lower) && identical(settings$transform, "auto") && all(y >= 0)
  support <- list(lower = if (inferred) 0 else settings$lower, upper = settings$upper)
  support <- Filter(function(bound) isTRUE(is.finite(bound)), support)
  if (inferred && all(y > 0)) support$open <- open_share
  support
}

# Returns whether transform = "auto" includes transforms of positive responses.
is_bounded_below <- function(y, settings) {
  if (is.null(settings$lower)) all(y >= 0) else is.finite(settings$lower)
}

# Aborts if responses, or whole intervals, are outside of their stated bounds.
check_support <- function(design, settings) {
  limits <- limits_of(design)
  outside <- list(lower = which(limits[, 2L] < settings$lower),
                  upper = which(limits[, 1L] > settings$upper))
  outside <- Filter(length, outside)
  if (length(outside) > 0L) {
    bullets <- vapply(names(outside), function(name) {
      side <- if (name == "lower") "below" else "above"
      paste0("`", design$response_name, "` has ", count_noun(length(outside[[name]]), "value"), " ",
             side, " `", name, " = ", format(settings[[name]]), "`",
             locate_rows(design$row_names[outside[[name]]]), ".")
    }, "")
    names(bullets) <- rep("x", length(bullets))
    abort_btg(c("The response must be within its bounds.", bullets,
                i = "Correct these rows, or state other bounds: `-Inf` and `Inf` are none."),
              "response_outside")
  }
  invisible(design)
}

# Transforms of positive responses act on `y - lower`. zero_offset() shifts responses at the bound.
check_positive_response <- function(design, settings) {
  lower <- settings$lower
  if (identical(lower, -Inf)) {
    abort_btg(c("This transform needs a response that is bounded below.",
                x = "`lower = -Inf` states that it is not.",
                i = "Use `transform = \"sinharcsinh\"`, or state another `lower`."), "argument")
  }
  if (is.null(lower)) {
    check_response_nonnegative(design$response, design$response_name, design$row_names)
    lower <- 0
  }
  empty <- which(limits_of(design)[, 2L] <= lower & is_censored(design))
  if (length(empty) > 0L) {
    abort_btg(c(
      "This transform needs a response above its lower bound.",
      x = paste0("`", design$response_name, "` is at most ", format(lower), " in ",
                 count_noun(length(empty), "censored row"),
                 locate_rows(design$row_names[empty]), "."),
      i = "Use `transform = \"sinharcsinh\"`, whose latent response can be below."
    ), "response_not_positive")
  }
  inform_at_bound(design$response, lower, design$response_name,
                  is.null(settings$lower) && identical(settings$transform, "auto"))
}

check_response_nonnegative <- function(y, name = "y", rows = seq_along(y)) {
  bad <- which(!(y >= 0))
  if (length(bad) > 0L) {
    abort_btg(c(
      "This transform needs a response without negative values.",
      x = paste0("`", name, "` has ", count_noun(length(bad), "value"), " < 0",
                 locate_rows(rows[bad]), "."),
      i = "Use `transform = \"sinharcsinh\"`, or state its bound by `lower`."
    ), "response_not_positive")
  }
  invisible(y)
}

# Transforms on an interval need responses strictly between two stated bounds.
check_bounded_response <- function(design, settings) {
  if (!has_two_bounds(settings)) {
    abort_btg(c("This transform needs a response between two bounds.",
                i = "State them, as in `lower = 0, upper = 1`."), "argument")
  }
  at <- which(is_at_bound(design, settings))
  if (length(at) > 0L) {
    abort_btg(c(
      "This transform needs responses strictly between their bounds.",
      x = paste0("`", design$response_name, "` is at a bound in ", count_noun(length(at), "row"),
                 locate_rows(design$row_names[at]), "."),
      i = paste0("Use `transform = \"auto\"` or \"sinharcsinh\", which take such rows as censored ",
                 "at the bound.")
    ), "response_at_bound")
  }
  invisible(design)
}

# Marks rows whose response is at a bound, exactly or by its limits.
is_at_bound <- function(design, support) {
  limits <- limits_of(design)
  marks <- rep(FALSE, nrow(limits))
  if (!is.null(support$lower)) marks <- marks | limits[, 2L] <= support$lower
  if (!is.null(support$upper)) marks <- marks | limits[, 1L] >= support$upper
  unname(marks)
}

has_two_bounds <- function(settings) {
  isTRUE(is.finite(settings$lower)) && isTRUE(is.finite(settings$upper))
}

# `assumed` is TRUE if the bound was inferred from the responses.
inform_at_bound <- function(y, lower = 0, name = "y", assumed = FALSE) {
  count <- sum(y == lower)
  if (count > 0L) {
    added <- format(zero_offset(y - lower), digits = 3)
    where <- if (lower == 0) "zero" else paste0("at its lower bound, ", format(lower), ",")
    smallest <- if (lower == 0) "its smallest positive value" else "the smallest distance from it"
    inform_btg(c(i = paste0(
      "`", name, "` is ", where, " in ", count, " of ", count_noun(length(y), "row"),
      if (assumed) " and never below, so predictions stop there. " else ". ",
      if (assumed) "\"softplus\"" else "This transform", " gets the response plus half of ",
      smallest, ", ", added, ".",
      if (assumed) " If it can be negative, state `lower = -Inf`."
    )), "zero_response")
  }
  invisible(y)
}

# Returns "at least 0" or "between 0 and 100", or NULL without known bounds.
format_support <- function(settings, scaling) {
  ends <- vapply(list(lower = scaling$lower, upper = scaling$upper),
                 function(x) if (is.null(x)) "" else format(x), "")
  bounds <- if (all(nzchar(ends))) {
    paste("between", ends[1L], "and", ends[2L])
  } else if (any(nzchar(ends))) {
    paste0(c("at least ", "at most ")[nzchar(ends)], ends[nzchar(ends)])
  }
  if (!is.null(scaling$open)) {
    paste0(c("assumed positive (`lower = 0` to enforce, `lower = -Inf` to allow negatives)",
             if (nzchar(ends[["upper"]])) paste("at most", ends[["upper"]])), collapse = ", ")
  } else if (!is.null(scaling$lower) && is.null(settings$lower)) {
    paste0(bounds, ", as the response has zeros and none below")
  } else if (identical(settings$lower, -Inf)) {
    paste0(c(bounds, "not bounded below"), collapse = ", ")
  } else {
    bounds
  }
}
