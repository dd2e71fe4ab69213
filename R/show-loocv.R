#' @export
print.btg_loocv <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  check_loocv(x)
  cat(format_loocv(x), "\n\n", sep = "")
  print_estimates(x$estimates, digits)
  cat(loocv_notes(x), sep = "")
  invisible(x)
}

#' Summarise a cross-validation
#'
#' `summary()` shows the scores of [loocv()], the rows that are predicted worst, and whether the
#' numerical integral is accurate enough without the rows that are left out.
#'
#' @param object A result of [loocv()].
#' @param rows How many of the rows to show.
#' @param ... Not used: an unknown argument is an error.
#' @return A list of class `summary.btg_loocv`:
#'   * `header`: a line that describes what was done, and `notes` on it;
#'   * `estimates` and `spread`: those of [loocv()];
#'   * `worst`: the rows of `pointwise` with the lowest `log_score`, lowest first;
#'   * `diagnostics`: over the folds that could be predicted, the smallest number of
#'     `effective_nodes` and the largest `distance` and `k_hat`, each with its `fold`;
#'   * `not_predicted`: the `status` of the other folds.
#' @section Calibration:
#' `print()` comments on intervals of 50, 80 and 95% whose coverage differs from their probability
#' by more than chance explains (a binomial test at the level of 0.3%).
#' @section Spread that depends on a variable:
#' If predictions are calibrated everywhere, the size of left-out residuals does not depend on any
#' variable. Residuals here are the normal scores of PIT values. The test is an analysis of variance
#' of the square roots of their sizes on a natural spline with three degrees of freedom, or on the
#' levels of a factor, for the fitted medians and for each variable. `print()` names the variables
#' that are significant at the 5% level, adjusted for their number by Holm's method, and the `noise`
#' argument of [btg()] that would model them. `plot(which = "residuals")` draws the residuals.
#'
#' If a tenth of the responses share a value, such as zero, only the other responses are tested,
#' given that they have another value, because a noise model does not explain zeros. If the number
#' of such responses is far from the number that predictions expect, `print()` shows this instead.
#' @seealso [loocv()], [plot.btg_loocv()], [btg-troubleshooting]
#' @examples
#' fit <- btg(dist ~ speed, data = cars, transform = "softplus")
#' summary(loocv(fit))
#' @export
summary.btg_loocv <- function(object, rows = 5, ...) {
  check_loocv(object)
  check_dots(..., valid = "rows")
  check_whole(rows)
  by_score <- order(object$pointwise$log_score, na.last = NA)
  diagnostics <- object$diagnostics
  predicted <- diagnostics$status == "predicted"
  structure(
    list(
      header = format_loocv(object),
      notes = loocv_notes(object),
      estimates = object$estimates,
      worst = object$pointwise[utils::head(by_score, rows), , drop = FALSE],
      diagnostics = extreme_folds(diagnostics[predicted, , drop = FALSE]),
      not_predicted = stats::setNames(diagnostics$status, diagnostics$fold)[!predicted],
      spread = object$spread
    ),
    class = "summary.btg_loocv"
  )
}

# Returns the worst value and the fold of each diagnostic that is not NA in all folds.
extreme_folds <- function(diagnostics) {
  worst <- list(effective_nodes = which.min, distance = which.max, k_hat = which.max)
  at <- unlist(lapply(names(worst), function(name) {
    stats::setNames(worst[[name]](diagnostics[[name]]), rep(name, any(!is.na(diagnostics[[name]]))))
  }))
  data.frame(
    worst = vapply(seq_along(at), function(k) diagnostics[[names(at)[k]]][at[k]], 0),
    fold = diagnostics$fold[at], row.names = names(at)
  )
}

#' @export
print.summary.btg_loocv <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat(x$header, "\n\n", sep = "")
  print_estimates(x$estimates, digits)
  if (nrow(x$worst) > 0L) {
    cat("\nPredicted worst, by the log score:\n")
    shown <- c("y", "median", "lwr", "upr", "log_score", "pit")
    print(format_table(x$worst[shown], digits, "log_score"), ...)
  }
  if (nrow(x$diagnostics) > 0L) {
    cat("\nHow well the nodes serve without a fold, at worst (see ?loocv):\n")
    print(format_table(x$diagnostics, 3L), ...)
  }
  if (length(x$not_predicted) > 0L) {
    cat("\nNot predicted: ", paste0(names(x$not_predicted)[1L], " (", x$not_predicted[[1L]], ")"),
        if (length(x$not_predicted) > 1L) paste0(" and ", length(x$not_predicted) - 1L, " more"),
        "\n", sep = "")
  }
  cat(x$notes, sep = "")
  invisible(x)
}

# "Leave-one-out: 50 rows, each predicted without itself"
format_loocv <- function(cv) {
  what <- if (cv$one_by_one) {
    "Leave-one-out"
  } else {
    paste0("Cross-validation by ", nrow(cv$diagnostics), " folds")
  }
  n <- sum(!is.na(cv$pointwise$log_score))
  paste0(what, ": ", count_noun(n, "row"), ", each predicted without ",
         if (cv$one_by_one) "itself" else "its fold")
}

# Prints the scores with what they are, and the coverage of intervals beside their probabilities.
print_estimates <- function(estimates, digits) {
  scores <- estimates[!grepl("^coverage", row.names(estimates)), ]
  names <- row.names(scores)
  text <- function(column) {
    values <- scores[[column]]
    ifelse(names == "elpd", format_log(values), format_significant(values, digits))
  }
  columns <- list(names, text("estimate"), text("se"), score_words[names])
  names(columns) <- c("", "estimate", "se", " ")
  cat(text_columns(columns, right = c("estimate", "se")), sep = "\n")
  coverage <- estimates[grepl("^coverage", row.names(estimates)), ]
  percent <- function(share) paste0(format(round(100 * share), trim = TRUE), "%")
  level <- as.numeric(sub("coverage_", "", row.names(coverage), fixed = TRUE)) / 100
  columns <- c(list(c("cover", "se")), Map(c, percent(coverage$estimate), percent(coverage$se)))
  names(columns) <- c("intervals", percent(level))
  cat("", text_columns(columns, right = percent(level)), sep = "\n")
}

score_words <- c(elpd = "sum of log predictive densities (larger is better)",
                 rmse = "root mean squared error of the medians",
                 mae = "mean absolute error of the medians",
                 crps = "error of the whole distribution, in units of the response")

# Returns caveats about the estimates as paragraphs, each after an empty line.
loocv_notes <- function(cv) {
  c(
    if (isFALSE(cv$observation)) {
      paste0("\nPredictions are of the noise-free process (`observation = FALSE`), but what was\n",
             "observed has noise: intervals cover less of it than their probability.\n")
    },
    if (isTRUE(cv$frozen)) {
      paste0("\nThe hyperparameters are those of all rows, estimated once, so scores are too ",
             "good:\nthe left-out rows took part. `loocv(method = \"refit\", folds = )` is fair.\n")
    } else {
      moved_note(cv$diagnostics$fold[cv$diagnostics$moved], cv$one_by_one)
    },
    coverage_note(cv),
    if (is_tie_unexpected(cv$tied)) tied_note(cv$tied) else spread_note(cv)
  )
}

# Rows of a fold share an error, such as the level of a group that was left out. The test of the
# spread takes them as independent, so with folds it finds too much.
spread_note <- function(cv) {
  advice <- spread_advice(cv$spread, cv$variables)
  wrap_note(c(advice, if (length(advice) > 0L && !cv$one_by_one) {
    "Rows that are left out together err together, which can look the same: compare `loocv(fit)`."
  }))
}

tied_note <- function(tied) {
  value <- format(tied$value, digits = 4)
  wrap_note(c(
    paste0(tied$count, " of ", tied$rows, " responses are ", value,
           ", but the predictions expect ", format(tied$expected, digits = 2), "."),
    if (!is.null(tied$end)) {
      paste0("If ", value, ", the ", tied$end, " value, stands for responses beyond a detection ",
             "limit, state them by `censored`: see `?\"btg-censored\"`.")
    },
    paste0("If ", value, " means something of its own, such as \"none\", use two models: a ",
           "logistic regression for whether a response is ", value, ", and `btg()` for the others.")
  ))
}

# Compares the coverage of intervals with their probability, by binomial tests at the level of 0.3%.
# An interval that ends at a point mass covers more than its probability, so with masses only low
# coverage counts.
coverage_note <- function(cv) {
  x <- cv$pointwise[!is.na(cv$pointwise$log_score), ]
  level <- c(0.5, 0.8, 0.95)
  inside <- vapply(level, function(one) round(sum(is_covered(x, one))), 0)
  covered <- inside / nrow(x)
  p <- 2 * pmin(stats::pbinom(inside, nrow(x), level),
                stats::pbinom(inside - 1, nrow(x), level, lower.tail = FALSE))
  off <- which(p < 0.003 & (covered < level | !any(x$mass > 0)))
  if (isFALSE(cv$observation)) {
    return(NULL)
  }
  if (length(off) == 0L) {
    return(wrap_note(paste0("Calibration: the intervals cover ", if (any(x$mass > 0)) "at least ",
                            "as much as they should, within sampling error.")))
  }
  above <- covered > level
  percent <- function(share) paste0(round(100 * share), "%")
  errors <- abs(covered - level) / sqrt(level * (1 - level) / nrow(x))
  shown <- paste0(percent(level[off]), " intervals cover ", percent(covered[off]), " (",
                  formatC(errors[off], format = "f", digits = 1L), " standard errors)")
  wrap_note(c(
    paste0("Not calibrated: ", list_names(shown, "", 3L), "."),
    if (!any(above[off])) "The intervals are too narrow."
    else if (!all(above[off])) "The narrow ones are too wide and the wide ones too narrow."
    else if (above[3L] && p[3L] < 0.05) "The intervals are too wide."
    else paste("They are too wide. Those of 95% are about right, as when a few responses have much",
               "larger errors than the others.")
  ))
}

# Returns sentences, each on lines of its own, after an empty line; or NULL.
wrap_note <- function(sentences) {
  if (!is.null(sentences)) {
    text <- strwrap(sentences, getOption("width"), exdent = 2L)
    paste0("\n", paste(text, collapse = "\n"), "\n")
  }
}

moved_note <- function(moved, one_by_one) {
  if (length(moved) == 0L) {
    return(NULL)
  }
  what <- if (one_by_one) "row" else "fold"
  one <- length(moved) == 1L
  wrap_note(c(
    if (one) paste0("Without ", what, " ", moved, " the fit would be a different one, so its ",
                    "left-out score is rough.")
    else paste0("Without each of ", length(moved), " ", what, "s (", list_names(moved, ""),
                ") the fit would be a different one, so their left-out scores are rough."),
    paste0("Look at ", if (one) "it" else "them", "; to be sure, fit again without ",
           if (one) "it" else "each", " and use `predictive_scores()`.")
  ))
}

#' @rdname loocv
#' @param x A result of `loocv()`; `as.data.frame()` returns its `pointwise` table.
#' @param row.names,optional As in [as.data.frame()].
#' @export
as.data.frame.btg_loocv <- function(x, row.names = NULL, optional = FALSE, ...) {
  as.data.frame(check_loocv(x)$pointwise, row.names, optional, ...)
}
