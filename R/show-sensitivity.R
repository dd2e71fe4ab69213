# Prints Sobol indices.

#' @rdname sensitivity
#' @param x A result of `sensitivity()`.
#' @export
print.btg_sensitivity <- function(x, ...) {
  cat("Shares of the variance of ", x$response, " over the inputs, with ", 100 * x$level,
      "% intervals\n\n", sep = "")
  with_ends <- function(kind) {
    ends <- x$indices[paste0(kind, c("", "_lwr", "_upr"))]
    words <- lapply(ends, function(values) formatC(values, format = "f", digits = 2L))
    paste0(words[[1L]], " (", words[[2L]], " to ", words[[3L]], ")")
  }
  print(data.frame(variable = x$indices$variable, first = with_ends("first"),
                   total = with_ends("total")), row.names = FALSE)
  interactions <- formatC(x$interactions, format = "f", digits = 2L)
  cat("\nInteractions: ", interactions[1L], " (", interactions[2L], " to ", interactions[3L],
      ")\nFrom ", x$nsim, " joint draws of the process at ", x$rows, " rows\n", sep = "")
  invisible(x)
}

#' @rdname sensitivity
#' @param row.names,optional As in [as.data.frame()].
#' @export
as.data.frame.btg_sensitivity <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_dots(..., valid = c("row.names", "optional"))
  as.data.frame(x$indices, row.names = row.names, optional = optional)
}
