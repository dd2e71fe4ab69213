# Prints fits: which model, how good it is, whether its numbers can be trusted, what comes next.

#' @export
print.btg <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  check_fit(x)
  cat(format_header(x), sep = "\n")
  cat("Next: plot(), predict(), loocv(), summary()\n")
  invisible(x)
}

# Returns the lines of print() that summary() begins with too.
format_header <- function(fit) {
  c(
    format_model(fit, "Bayesian transformed Gaussian process"),
    if (is_average(fit)) format_models(fit),
    format_accuracy(fit)
  )
}

# Returns a line for each feature of the model that differs from the default or must be known.
format_model <- function(fit, title) {
  support <- format_support(fit$settings, fit$scaling$y)
  first <- fit$models[[1L]]
  c(
    paste0(title, ": ", format_formula(fit)),
    labelled("Data", row_count(fit), " rows", format_added_rows(fit), format_sites(fit), ", ",
             count_noun(length(fit$input_names), "input"),
             format_left_out(length(fit$na.action) - length(fit$copies), fit$copies)),
    if (!is.null(fit$weights)) {
      labelled("Weights", paste(format(range(fit$weights), digits = 3, trim = TRUE),
                                collapse = " to "))
    },
    if (length(fit$dropped_inputs) > 0L) {
      labelled("Dropped", list_names(fit$dropped_inputs), " (constant)")
    },
    if (length(fit$scaling$x$warp) > 0L) {
      labelled("Warped", format_warps(fit$scaling$x$warp))
    },
    if (length(support) > 0L) labelled("Response", support),
    if (!is_average(fit)) {
      c(labelled("Transform", format_transform(first$transform$layers),
                 if (!has_posterior(fit) && identical(fit$settings$transform, "identity")) {
                   " (none: `transform = \"sinharcsinh\"` learns one)"
                 }),
        if ("main" %in% names(fit_terms(fit))) labelled("Kernel", kernel_words(first)))
    },
    if (length(fit$design$censored$row) > 0L) labelled("Censored", format_censored(fit)),
    if (has_special_terms(fit)) {
      labelled("Terms", paste(names(fit_terms(fit)), collapse = " + "))
    },
    if (!first$kernel$ard && length(fit$input_names) > 1L) {
      labelled("Inputs", "one lengthscale for all")
    },
    format_trend(colnames(fit$design$trend)),
    if (is_approximate(fit)) {
      labelled("Covariance", "approximated by ", format_approx(first$problem$approx))
    },
    if (has_varying_noise(fit)) {
      labelled("Noise", "varies with ",
               paste(attr(fit$blueprint$noise$terms, "term.labels"), collapse = " + "))
    }
  )
}

# "Data        111 rows"
labelled <- function(label, ...) paste0(formatC(label, width = -12L), ...)

# Returns the formula on one line. A fit to a matrix gets one of its response and inputs.
format_formula <- function(fit, width = 80L) {
  shown <- if (is.null(fit$formula)) {
    inputs <- fit$input_names
    if (length(inputs) > 6L) inputs <- c(inputs[1:5], "...")
    paste(fit$response_name, "~", paste(inputs, collapse = " + "))
  } else {
    paste(trimws(deparse(fit$formula, width.cutoff = 500L)), collapse = " ")
  }
  if (nchar(shown) > width) paste0(substr(shown, 1L, width - 4L), " ...") else shown
}

# An unknown constant is the default, which needs no line.
format_trend <- function(columns) {
  if (!identical(columns, "(Intercept)")) {
    labelled("Trend", paste(sub("^\\(Intercept\\)$", "1", columns), collapse = " + "))
  }
}

# "31 of 184 responses are below their limit, 2 above theirs, 5 at a bound"
format_censored <- function(fit) {
  limits <- stated_limits(fit)
  censored <- are_intervals(limits)
  open <- is.infinite(limits)
  rounded <- length(rounded_rows(fit$design))
  counts <- c(
    "below their limit" = sum(censored & open[, 1L]),
    "above their limit" = sum(censored & open[, 2L] & !open[, 1L]),
    "between two limits" = sum(censored & !open[, 1L] & !open[, 2L]),
    "at a bound" = sum(is_censored(fit$design) & !censored) - rounded,
    "rounded" = rounded
  )
  counts <- counts[counts > 0L]
  paste0(counts[1L], " of ", count_noun(row_count(fit), "response"), " are ",
         paste0(c("", counts[-1L]), c("", rep(" ", length(counts) - 1L)), names(counts),
                collapse = ", "))
}

# Shows the number of distinct points if rows share inputs.
format_sites <- function(fit) {
  sites <- fit$models[[1L]]$sites
  if (isTRUE(sites < row_count(fit))) paste(" at", count_noun(sites, "distinct point"))
}

# Counts the rows left out because of missing values or as copies.
format_left_out <- function(missing, copies) {
  left_out <- c(if (missing > 0L) paste(count_noun(missing, "row"), "with missing values"),
                if (length(copies) > 0L) count_noun(length(copies), "exact copy", "exact copies"))
  if (length(left_out) > 0L) paste0(" (", paste(left_out, collapse = " and "), " dropped)")
}

# Counts the rows that update() added, and those that changed only the weights of nodes.
format_added_rows <- function(fit) {
  since <- fit$quadrature$reweighted
  if (!is.null(fit$added_rows)) {
    paste0(" (", fit$added_rows, " added",
           if (!is.null(since)) paste0(", ", since$rows, " by reweighting nodes"), ")")
  }
}
