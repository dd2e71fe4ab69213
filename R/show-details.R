# Prints summaries of fits: the posterior of the main model, and whether its integral is accurate.

#' @export
print.summary.btg <- function(x, digits = 3L, ...) {
  cat(x$header, sep = "\n")
  if (is.null(x$models)) {
    cat("\nPosterior of the hyperparameters:\n")
    print_posterior(x, digits)
    main <- x
  } else {
    shown <- names(x$summaries)[order(-x$models[names(x$summaries), "weight"])]
    if (x$shown == "main") shown <- shown[1L]
    for (name in shown) {
      cat("\n", if (name == shown[1L]) "Main model" else "Model", ", weight ",
          format_weights(x$models[name, "weight"]), ": ", x$summaries[[name]]$words, "\n", sep = "")
      print_posterior(x$summaries[[name]], digits)
    }
    if (length(shown) < length(x$summaries)) {
      cat("The other models: summary(fit, models = \"all\"), or select_models().\n")
    }
    main <- x$summaries[[shown[1L]]]
  }
  print_importance(x$importance)
  print_shares(x$shares)
  print_anisotropy(x$anisotropy, digits)
  print_trend(x$trend, digits)
  cat("\n")
  print_integral(x, main$quadrature)
  print_approximation(x$approximation)
  invisible(x)
}

# Prints the hyperparameters of one model, and what is remarkable about them.
print_posterior <- function(x, digits) {
  print_hyperparameters(x, digits)
  print_long_lengthscales(x)
  cat("The transform acts on ", format_scaling(x$scaling, digits), ".\n", sep = "")
  print_caveats(x$quadrature)
}

# Prints medians and intervals, or the estimates of wgp(), beside the spans of the data.
print_hyperparameters <- function(x, digits) {
  mark <- function(names) {
    paste0(name_units(names, x$display_units), ifelse(names %in% x$warped, "*", ""))
  }
  found <- x$hyperparameters
  if (nrow(found) > 0L) {
    names <- row.names(found)
    found <- in_display_units(found, x$display_units)
    span <- in_display_units(data.frame(span = x$span[names], row.names = names),
                             x$display_units)$span
    text <- function(column) format_significant(found[[column]], digits)
    location <- if (is.null(found$estimate)) "50%" else "estimate"
    columns <- list(
      name = mark(names), location = text(location),
      interval = ifelse(is.na(found[["2.5%"]]), "unknown",
                        paste(text("2.5%"), "to", text("97.5%"))),
      span = if (!all(is.na(span))) ifelse(is.na(span), "", format_significant(span, digits)),
      bound = if (any(nzchar(found$at))) ifelse(nzchar(found$at), paste(found$at, "bound"), "")
    )
    names(columns) <- c("", if (location == "50%") "median" else location, "95% interval",
                        if (!is.null(columns$span)) "span of the data",
                        if (!is.null(columns$bound)) "at")[seq_along(columns)]
    cat(text_columns(columns, right = c("median", "estimate", "95% interval", "span of the data")),
        sep = "\n")
  }
  if (length(x$fixed) > 0L) {
    fixed <- in_display_units(data.frame(value = x$fixed, row.names = names(x$fixed)),
                              x$display_units)
    cat("Fixed: ", paste(mark(row.names(fixed)), "=", signif(fixed$value, digits),
                         collapse = ", "), "\n", sep = "")
  }
  if (length(x$warped) > 0L) cat("* in units of the warped input\n")
  print_noise_factors(x$noise_effects)
  if (isTRUE(x$noise_floor[["share"]] > 0.05)) {
    cat("The noise is at its floor, ", format(x$noise_floor[["noise"]], digits = 2),
        if (x$noise_floor[["share"]] < 0.995) {
          paste0(", with probability ", format(x$noise_floor[["share"]], digits = 2))
        }, ": see ?btg_prior.\n", sep = "")
  }
}

# A process hardly bends over a third of its lengthscale.
long_lengthscale <- 3

print_long_lengthscales <- function(x) {
  found <- x$hyperparameters
  location <- if (is.null(found$estimate)) found[["50%"]] else found$estimate
  names <- row.names(found)
  long <- names[which(location > long_lengthscale * x$span[names])]
  if (length(long) > 0L) {
    inputs <- list_names(sub("lengthscale.", "", long, fixed = TRUE))
    cat("Lengthscales far beyond the span (", inputs, ") mean a weak or nearly linear effect.\n",
        sep = "")
  }
}

# "times: 2.3 (1.6 to 3.4)"
print_noise_factors <- function(factors, digits = 2L) {
  if (!is.null(factors)) {
    text <- apply(factors, 2L, format_significant, digits = digits)
    text <- matrix(text, nrow(factors))
    cat("Noise sd is multiplied, per sd of a column of its model, by\n")
    cat(paste0("  ", format(rownames(factors)), "  ", text[, 1L], " (", text[, 2L], " to ",
               text[, 3L], ")\n"), sep = "")
  }
}

# Formats the scaled response, as in "(Ozone - 42.1) / 33.3".
format_scaling <- function(scaling, digits) {
  center <- format_significant(abs(scaling$center), digits)
  shifted <- if (scaling$center == 0) {
    scaling$response
  } else {
    paste0("(", scaling$response, if (scaling$center > 0) " - " else " + ", center, ")")
  }
  paste0(shifted, " / ", format_significant(scaling$scale, digits))
}

# Prints shares of the variance of the median, with interactions, the largest first.
print_importance <- function(importance) {
  if (length(importance) > 1L) {
    shares <- utils::head(sort(importance, decreasing = TRUE), 8L)
    percent <- ifelse(shares < 0.005, "<1%", paste0(round(100 * shares), "%"))
    cat("\nShare of the variance of the median due to each input, with interactions:\n  ",
        paste(names(shares), percent, collapse = ", "),
        if (length(importance) > 8L) ", ...", "\n", sep = "")
  }
}

# Prints shares of the variance, as in "main   0.71 (0.43 to 0.92)".
print_shares <- function(shares) {
  if (!is.null(shares)) {
    text <- format(as.matrix(round(shares[-1L], 3L)), nsmall = 3L, trim = TRUE)
    interval <- if (!anyNA(shares$lwr)) paste0(" (", text[, 2L], " to ", text[, 3L], ")")
    cat("\nShares of the variance of the transformed response:\n")
    cat(paste0("  ", format(shares$term), "  ", text[, 1L], interval, "\n"), sep = "")
  }
}

# Prints one line per rotated() input, with intervals of the angle and of the ratio.
print_anisotropy <- function(anisotropy, digits) {
  for (input in unique(anisotropy$input)) {
    own <- anisotropy[anisotropy$input == input, ]
    value <- function(quantity, round) {
      row <- own[own$quantity == quantity, c("median", "lwr", "upr")]
      text <- trimws(round(unlist(row)))
      paste0(text[1L], if (!anyNA(row)) paste0(" (", text[2L], " to ", text[3L], ")"))
    }
    number <- function(x) format(signif(x, digits))
    whole <- function(x) format(round(x))
    cat("\nAnisotropy of ", input, ": angle ", value("angle", whole), " degrees,\n  lengthscale ",
        "along ", value("along", function(x) vapply(x, number, "")), ", across ",
        value("across", function(x) vapply(x, number, "")), "\n", sep = "")
  }
}

print_trend <- function(trend, digits) {
  if (!is.null(trend)) {
    cat("\nTrend, roughly in units of the response:\n")
    text <- function(column) format_significant(trend[, column], digits)
    columns <- list(rownames(trend), text(1L), paste(text(2L), "to", text(3L)))
    names(columns) <- c("", "mean", "95% interval")
    cat(text_columns(columns, right = c("mean", "95% interval")), sep = "\n")
  }
}

# Prints what a user should know about the posterior of one model.
print_caveats <- function(quadrature) {
  if (has_few_nodes(quadrature)) {
    cat(few_settings(quadrature$effective_nodes), " nearly all the weight:\nthis posterior is ",
        "rough. `refine()` averages over more settings.\n", sep = "")
  }
  pressed <- names(which(quadrature$boundary_mass > 0.25))
  if (length(pressed) > 0L) {
    cat("The data favour more extreme values of ", list_names(pressed),
        " than the prior expects.\n", sep = "")
    if ("noise" %in% pressed) {
      cat("If responses have no error, as those of a simulator, state `noise = 0`.\n")
    }
  }
  if (quadrature$nodes_failed > 0L) {
    cat(quadrature$nodes_failed, "settings could not be evaluated.\n")
  }
  modes <- nrow(quadrature$modes)
  if (modes > 1L) {
    cat("The posterior has ", modes, " modes, with shares ",
        paste(format(quadrature$modes$mass, digits = 1L, trim = TRUE), collapse = ", "), ".\n",
        sep = "")
  }
}

# Prints the figures behind the verdict on the integral, which the header has.
print_integral <- function(x, main) {
  error <- x$standard_error
  if (anyNA(error)) {
    cat("Numerical error: not known from a single setting\n")
  } else {
    cat("Numerical error, in predictive sds: medians ", format_percent(error["median", "mean"]),
        ", ends of 95% intervals ", format_percent(error["ends", "mean"]), " (at most ",
        format_percent(error["ends", "max"]), ")\n", sep = "")
  }
  whole <- x$quadrature
  cat("Integral: ", whole$rule$name, "; ", count_noun(whole$nodes_tried, "node"), " tried, ",
      whole$nodes_kept, " kept, worth ", format(whole$effective_nodes, digits = 3),
      " of equal weight",
      if (is_number(main$k_hat)) paste0("; k-hat ", format(main$k_hat, digits = 2)),
      if (whole$nodes_predictive < whole$nodes_kept) {
        paste0("\n  (predictions use ", whole$nodes_predictive, " of them)")
      }, "\n", sep = "")
  evidence_error <- whole$log_evidence_error
  caveat <- if (has_few_nodes(main)) "rough: too few nodes"
            else if (is_number(evidence_error)) {
              paste("standard error", format(evidence_error, digits = 2))
            }
  cat("Log evidence: ", format_log(whole$log_evidence),
      if (!is.null(caveat)) paste0(" (", caveat, ")"), "\n", sep = "")
}

print_approximation <- function(approximation) {
  if (!is.null(approximation)) {
    cat("Error of the approximate covariance at new points, mean (worst):\n",
        paste0("  ", format_approximation_errors(approximation$errors), "\n"), sep = "")
    if (!is.null(approximation$shift)) {
      cat("  hyperparameters: ", format_shift(approximation$shift), "\n", sep = "")
    }
  }
}

# "sd of the process: 0.1% (2%)", one string per row of `errors`
format_approximation_errors <- function(errors) {
  of <- function(row, format) {
    paste0(format(errors[row, "mean"]), " (", format(errors[row, "worst"]), ")")
  }
  two_digits <- function(x) format(signif(x, 2L), scientific = FALSE)
  c(paste("sd of the process:", of("process", format_percent)),
    paste("sd of an observation:", of("observation", format_percent)),
    paste("median:", of("median", two_digits), "sds of the process"))
}
