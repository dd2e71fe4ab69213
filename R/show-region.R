# Prints the answers for regions.

#' @rdname predict_region
#' @param x A result of `predict_region()`.
#' @export
print.btg_region <- function(x, ...) {
  what <- switch(x$fun, total = "total", share = paste("share above", format(x$threshold)),
                 max = "largest", min = "smallest", `function` = "`fun`", x$fun)
  of <- if (x$observation) "observations, with their noise" else "the noise-free process"
  cat(upper_first(what), " of ", x$response, " in ", count_noun(nrow(x$estimates), "region"), "\n",
      "Each row stands for ", of, "\n\n", sep = "")
  shown <- x$estimates
  numeric <- vapply(shown, is.double, NA)
  shown[numeric] <- lapply(shown[numeric], signif, 4L)
  shown$error <- signif(shown$error, 2L)
  print(utils::head(shown, 20L), row.names = FALSE)
  if (nrow(shown) > 20L) cat("... and", count_noun(nrow(shown) - 20L, "more region"), "\n")
  cat("\n", 100 * x$level, "% intervals from ", x$nsim, " draws; `error` is the Monte Carlo ",
      "standard error\n", sep = "")
  if (anyNA(x$estimates$mean)) {
    cat("The mean does not exist: the tails of some rows are too heavy\n")
  }
  invisible(x)
}

upper_first <- function(text) paste0(toupper(substr(text, 1L, 1L)), substr(text, 2L, nchar(text)))

#' @rdname predict_region
#' @param row.names,optional As in [as.data.frame()].
#' @export
as.data.frame.btg_region <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_dots(..., valid = c("row.names", "optional"))
  as.data.frame(x$estimates, row.names = row.names, optional = optional)
}

#' @rdname exceedance_region
#' @param x A result of `exceedance_region()`.
#' @export
print.btg_exceedance <- function(x, ...) {
  count <- function(region) sum(x$rows$region %in% region)
  n <- sum(!is.na(x$rows$region))
  of <- if (x$observation) "observations" else "the noise-free process"
  line <- function(label, count, more) {
    cat(format(label, width = 9L), format(count, width = 7L), " rows (",
        format(100 * count / n, digits = 2L), "%)", more, "\n", sep = "")
  }
  joint <- function(side) {
    if (count(side) == 0L) ""
    else paste0(", jointly with probability ", format(x$probability[[side]], digits = 3L))
  }
  cat("Where ", x$response, " is above ", format(x$threshold), ", for ", of, "\n\n", sep = "")
  line("above", count("above"), joint("above"))
  line("below", count("below"), joint("below"))
  line("between", count("between"), "")
  cat("\nFrom ", x$nsim, " draws, with a Monte Carlo error of ", format(x$error, digits = 1L),
      " at ", x$level, "\n", sep = "")
  invisible(x)
}

#' @rdname exceedance_region
#' @param row.names,optional As in [as.data.frame()].
#' @export
as.data.frame.btg_exceedance <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_dots(..., valid = c("row.names", "optional"))
  as.data.frame(x$rows, row.names = row.names, optional = optional)
}
