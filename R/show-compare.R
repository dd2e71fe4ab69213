# Prints comparisons of fits.

#' @export
print.btg_compare <- function(x, digits = 3L, ...) {
  cat("Leave-one-out comparison, best first\n")
  table <- structure(x, class = "data.frame")
  shown <- format_table(table, digits, c("elpd_diff", "se_diff", "elpd"))
  shown$seconds <- if (any(is.finite(table$seconds))) format_significant(table$seconds, 2L)
  frozen <- intersect(attr(x, "frozen"), row.names(x))
  apart <- if (length(frozen) < nrow(x)) frozen
  print(shown[!row.names(shown) %in% apart, , drop = FALSE], ...)
  if (length(apart) > 0L) {
    cat("\nNot ranked, since left-out rows took part in the estimates (maximum likelihood):\n")
    print(shown[apart, , drop = FALSE], ...)
    cat("`loocv(method = \"refit\", folds = )` is fair to ", list_names(apart), ".\n", sep = "")
  }
  cat(comparison_note(table[!row.names(table) %in% apart, , drop = FALSE]), sep = "")
  invisible(x)
}

# Returns a sentence on the differences from the best fit. A difference of less than two standard
# errors, or of less than 4, does not tell models apart (Sivula, Magnusson and Vehtari 2020).
comparison_note <- function(table) {
  if (nrow(table) < 2L || !all(c("elpd_diff", "se_diff") %in% names(table))) {
    return(NULL)
  }
  behind <- -table$elpd_diff[-1L]
  worse <- behind > 2 * table$se_diff[-1L] & behind > 4
  names <- row.names(table)
  wrap_note(c(
    if (any(worse)) {
      first <- which(worse)[1L]
      paste0(list_names(names[-1L][worse]), if (sum(worse) == 1L) " predicts" else " predict",
             " worse than `", names[1L], "`: ",
             if (sum(worse) > 1L) paste0("`", names[-1L][first], "` by "),
             formatC(behind[first], format = "f", digits = 1L), " (",
             formatC(behind[first] / table$se_diff[-1L][first], format = "f", digits = 1L),
             " standard errors).")
    },
    if (any(!worse)) {
      paste0("The data do not tell ", list_names(names[c(TRUE, !worse)]),
             " apart: differences are below two standard errors, or below 4.")
    }
  ))
}
