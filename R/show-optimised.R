# Prints results of btg_optimise().

#' @rdname btg_optimise
#' @export
print.btg_optimised <- function(x, ...) {
  maximise <- isTRUE(attr(x, "maximise"))
  failed <- sum(is.na(x$response))
  cat("Search for the ", if (maximise) "largest" else "smallest", " response: ",
      count_noun(nrow(x), "evaluation"), if (failed > 0L) paste0(", of which ", failed, " failed"),
      "\n", sep = "")
  reasons <- sort(table(x$failure), decreasing = TRUE)
  if (length(reasons) > 0L) cat("Most frequent failure: ", names(reasons)[1L], "\n", sep = "")
  if (failed == nrow(x)) {
    return(invisible(x))
  }
  response <- x$response
  if (!is.null(x$feasible)) {
    cat("Feasible: ", sum(x$feasible), " of ", nrow(x), "\n", sep = "")
    response[!x$feasible] <- NA
    if (all(is.na(response))) {
      return(invisible(x))
    }
  }
  best <- if (maximise) which.max(response) else which.min(response)
  cat("Best, in evaluation ", best, ":\n", sep = "")
  shown <- setdiff(names(x), c("feasible", "best", "how", "failure"))
  row <- as.data.frame(x)[best, shown, drop = FALSE]
  print(format_table(row, 5L), row.names = FALSE)
  invisible(x)
}
