#' Prepare a fit for many small predictions
#'
#' The first prediction of a fit factors the kernel matrices of its nodes, and keeps the factors for
#' the predictions that follow. Those then take milliseconds. `prepare()` makes the factors at once,
#' for example when a server starts, and `release()` gives their memory back. You need neither: they
#' change the time, not the answers.
#'
#' @section Memory:
#' Factors are kept in the session and not in the fit, which stays a plain list. They are kept for
#' the last eight fits, in at most `options(btg.cache = )` bytes. The default is 2 GB, or a quarter
#' of the available memory if that is less; 0 keeps nothing. The factors that were used least
#' recently are dropped first. If those of one fit are larger than the limit, each prediction makes
#' them again.
#'
#' With `n` distinct rows, a factor takes a little over `4 * n^2` bytes, or about
#' `8 * n * (neighbours + block + inducing)` with `approx = vecchia()`.
#'
#' @param fit A fit by [btg()] or [wgp()]. In `release()`, leave it out to release all.
#' @param threads How many threads to use.
#' @param ... Not used.
#' @return `prepare()` returns the fit invisibly, and warns if its factors cannot be kept.
#'   `release()` invisibly returns how many bytes it gave back.
#' @seealso [predict.btg()]
#' @examples
#' fit <- prepare(btg(dist ~ speed, data = cars, transform = "softplus"))
#' predict(fit, data.frame(speed = 15), interval = "prediction")
#' release(fit)
#' @export
prepare <- function(fit, ...) {
  UseMethod("prepare")
}

#' @rdname prepare
#' @export
prepare.btg <- function(fit, threads = getOption("btg.threads", 1), ...) {
  check_fit(fit)
  check_dots(..., valid = names(formals(prepare.btg)))
  check_count(threads)
  ensemble <- ensemble_of(fit)
  with_progress("Preparing", open_ensemble(ensemble, new_run(threads)))
  if (!isTRUE(cache$entries[[ensemble_key(ensemble)]]$prepared)) {
    warn_btg(c("Predictions of this fit cannot be prepared: its factors are not kept.",
               x = paste0("They would take more than ", format_bytes(cache_limit()), "."),
               i = "The option `btg.cache` sets another limit, in bytes."), "cache")
  }
  invisible(fit)
}

#' @rdname prepare
#' @export
release <- function(fit) {
  before <- cache_bytes()
  if (missing(fit)) {
    shrink_cache(0, 0L)
    forget_recent()
  } else {
    check_fit(fit)
    forget_ensemble(ensemble_key(ensemble_of(fit)))
    forget_recent()
  }
  invisible(before - cache_bytes())
}
