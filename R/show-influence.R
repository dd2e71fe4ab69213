# Prints how rows influence predictions.

#' @rdname influence.btg
#' @param x A result of `influence()`.
#' @param n How many rows to print for each point, those of the largest influence.
#' @export
print.btg_influence <- function(x, n = 5, ...) {
  check_count(n)
  shown <- utils::head(seq_len(ncol(x$median)), 5L)
  cat("Change of the median of ", x$response, if (!is.null(x$at)) {
    paste0(" and of the probability of more than ", format(x$at))
  }, " without a row\n", sep = "")
  for (j in shown) {
    point <- x$predictions[j, ]
    cat("\nPoint ", row.names(point), ": median ", format(point$median, digits = 3L), ", from ",
        format(point$lwr, digits = 3L), " to ", format(point$upr, digits = 3L), "\n", sep = "")
    largest <- utils::head(order(-abs(x$median[, j])), n)
    table <- data.frame(row = rownames(x$median)[largest], median = x$median[largest, j])
    if (!is.null(x$exceedance)) table$exceedance <- x$exceedance[largest, j]
    table$width <- x$width[largest, j]
    table[-1L] <- lapply(table[-1L], signif, 3L)
    print(table, row.names = FALSE)
  }
  if (ncol(x$median) > length(shown)) {
    cat("\n... and", count_noun(ncol(x$median) - length(shown), "more point"), "\n")
  }
  cat("\n`width` is that of the 95% interval without the row, relative to that with it\n")
  invisible(x)
}

#' @rdname influence.btg
#' @param row.names,optional As in [as.data.frame()].
#' @export
as.data.frame.btg_influence <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_dots(..., valid = c("row.names", "optional"))
  table <- data.frame(row = rep(rownames(x$median), ncol(x$median)),
                      point = rep(colnames(x$median), each = nrow(x$median)),
                      median = as.vector(x$median))
  if (!is.null(x$exceedance)) table$exceedance <- as.vector(x$exceedance)
  table$width <- as.vector(x$width)
  as.data.frame(table, row.names = row.names, optional = optional)
}
