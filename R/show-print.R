#' @export
print.btg <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  check_fit(x)
  cat(format_header(x), sep = "\n")
  if (is_average(x)) {
    print_models(x, digits)
    cat("\nUse predict() for medians and intervals, loocv() for scores, select_models() for one ",
        "model.\n", sep = "")
  } else {
    cat("\nUse predict() for medians and intervals, summary() for the hyperparameters.\n")
  }
  invisible(x)
}

print_models <- function(fit, digits) {
  how <- switch(fit$averaging$method,
    stacking = "stacking: weights by the leave-one-out log score",
    posterior = "posterior probabilities of the models"
  )
  cat("\nAverage of ", length(fit$models), " models by ", how, ":\n", sep = "")
  print(format_table(model_table(fit), digits, c("log_evidence", "elpd")))
  print_lines(format_measures(fit))
}

print_lines <- function(lines) if (length(lines) > 0L) cat(lines, sep = "\n")

# At a bound, the log score is that of a probability and the likelihood that of a density, unless
# the row is censored there.
format_measures <- function(fit) {
  at_bound <- sum(fit_response(fit)[exact_rows(fit$design)] %in%
                    unlist(fit$scaling$y[c("lower", "upper")]))
  if (at_bound > 0L) {
    c(paste0("elpd counts the probability of the ", count_noun(at_bound, "response"),
             " at a bound, log_evidence their"),
      "density: the columns measure different things and need not agree.")
  }
}

format_header <- function(fit) {
  quadrature <- fit$quadrature
  c(
    format_model(fit, "Bayesian transformed Gaussian process"),
    paste0("Quadrature:  ", quadrature$rule$name, ", ", quadrature$nodes_kept, " of ",
           quadrature$nodes_tried, " nodes kept, ", format(quadrature$effective_nodes, digits = 3),
           " effective",
           if (quadrature$nodes_predictive < quadrature$nodes_kept) {
             paste0("; ", quadrature$nodes_predictive, " to predict from")
           }),
    if (length(poor_models(fit)) > 0L) {
      "Accuracy:    poor, as few nodes have the weight; evidences and posterior sds are rough"
    },
    format_time(fit)
  )
}

format_model <- function(fit, title) {
  support <- format_support(fit$settings, fit$scaling$y)
  kernel <- fit$models[[1L]]$kernel
  names <- unique(vapply(fit$models, function(model) model$kernel$name, ""))
  kernel <- paste0(
    list_names(names, ""),
    if (kernel$product && !is_average(fit)) ", product over inputs",
    if (!kernel$ard) ", one lengthscale for all inputs"
  )
  c(
    title,
    "",
    deparse_call(fit$call),
    "",
    paste0("Data:        ", row_count(fit), " rows", format_added_rows(fit), format_sites(fit),
           ", ", count_noun(length(fit$input_names), "input"),
           format_left_out(length(fit$na.action) - length(fit$copies), fit$copies)),
    if (!is.null(fit$weights)) {
      paste0("Weights:     ", paste(format(range(fit$weights), digits = 3, trim = TRUE),
                                    collapse = " to "))
    },
    if (length(fit$dropped_inputs) > 0L) {
      paste0("Dropped:     ", list_names(fit$dropped_inputs), " (constant)")
    },
    if (length(fit$scaling$x$warp) > 0L) {
      paste0("Warped:      ", format_warps(fit$scaling$x$warp))
    },
    if (!is_average(fit)) {
      paste0("Transform:   ", format_transform(fit$models[[1L]]$transform$layers),
             if (!has_posterior(fit) && identical(fit$settings$transform, "identity")) {
               " (none: `transform = \"sinharcsinh\"` learns one)"
             })
    },
    if (length(support) > 0L) paste0("Support:     ", support),
    if (length(fit$design$censored$row) > 0L) paste0("Censored:    ", format_censored(fit)),
    if ("main" %in% names(fit_terms(fit))) paste0("Kernel:      ", kernel),
    if (has_special_terms(fit)) {
      paste0("Terms:       ", paste(names(fit_terms(fit)), collapse = " + "))
    },
    paste0("Trend:       ", paste(colnames(fit$design$trend), collapse = " + ")),
    if (is_approximate(fit)) {
      paste0("Covariance:  approximated by ", format_approx(fit$models[[1L]]$problem$approx))
    },
    if (has_varying_noise(fit)) {
      terms <- attr(fit$blueprint$noise$terms, "term.labels")
      paste0("Noise:       varies with ", paste(terms, collapse = " + "))
    }
  )
}

# "31 of 184 responses are below their limit, 2 above theirs, 5 at a bound"
format_censored <- function(fit) {
  limits <- reported_limits(fit)
  censored <- are_intervals(limits)
  open <- is.infinite(limits)
  counts <- c(
    "below their limit" = sum(censored & open[, 1L]),
    "above their limit" = sum(censored & open[, 2L] & !open[, 1L]),
    "between two limits" = sum(censored & !open[, 1L] & !open[, 2L]),
    "at a bound" = sum(is_censored(fit$design) & !censored)
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

format_time <- function(fit) paste0("Time:        ", format(fit$seconds, digits = 2), " s")

# Counts the rows left out because of missing values or as copies.
format_left_out <- function(missing, copies) {
  left_out <- c(if (missing > 0L) paste(count_noun(missing, "row"), "with missing values"),
                if (length(copies) > 0L) count_noun(length(copies), "exact copy", "exact copies"))
  if (length(left_out) > 0L) paste0(" (", paste(left_out, collapse = " and "), " left out)")
}

deparse_call <- function(call) paste0("  ", deparse(call, width.cutoff = 80L))

# Returns one row per model: its weight, its log evidence and its elpd.
model_table <- function(fit) {
  data.frame(weight = fit$model_weights, log_evidence = fit$averaging$log_evidence,
             elpd = fit$averaging$elpd, row.names = names(fit$models))
}

# Counts the rows that update() added, and those that changed only the weights of nodes.
format_added_rows <- function(fit) {
  since <- fit$quadrature$reweighted
  if (!is.null(fit$added_rows)) {
    paste0(" (", fit$added_rows, " added",
           if (!is.null(since)) paste0(", ", since$rows, " by reweighting nodes"), ")")
  }
}
