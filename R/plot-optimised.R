# The path of a search.

#' @rdname btg_optimise
#' @export
plot.btg_optimised <- function(x, ...) {
  tried <- which(!is.na(x$response))
  if (length(tried) == 0L) {
    abort_btg("There is no evaluation to draw: all failed.", "plot", quote(plot()))
  }
  style <- utils::modifyList(list(xlab = "evaluation", ylab = "response",
                                  main = "Responses, and the best so far"), list(...))
  initial <- x$how %in% c("initial", "given")
  do.call(graphics::plot, c(list(seq_len(nrow(x)), x$response,
                                 pch = ifelse(initial, 1L, 19L)), style))
  graphics::lines(seq_len(nrow(x)), x$best, type = "s")
  failed <- which(is.na(x$response))
  graphics::rug(failed, col = 2L, lwd = 2)
  graphics::legend("topright", c("initial", "searched", "best", if (length(failed)) "failed"),
                   pch = c(1L, 19L, NA, if (length(failed)) 124L),
                   lty = c(NA, NA, 1L, if (length(failed)) NA),
                   col = c(1L, 1L, 1L, if (length(failed)) 2L), bty = "n")
  invisible(x)
}
