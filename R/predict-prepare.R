#' Keep what predictions are computed from
#'
#' A prediction needs the factors of the kernel matrices of all nodes. They are made by the first
#' call of [predict.btg()] and kept for those that follow, which are then much faster: a single
#' point takes milliseconds. `prepare()` makes them at once, and `release()` gives the memory back.
#' Neither is needed.
#'
#' Factors are kept in the session and not in the fit, which stays a list that [saveRDS()] keeps.
#' Answers do not depend on them, not by a bit, nor, with an exact covariance, on how many rows are
#' predicted at once. They are kept for the last eight fits, in at most
#' `options(btg.cache = )` bytes: by default 2 GB, or a quarter of the memory that is available if
#' that is less; 0 keeps nothing. Those used least recently are given up first, and those of a
#' fit that are larger than the limit are made again at each call. With `n` distinct rows, a factor
#' has a little over `4 * n^2` bytes, or about `8 * n * (neighbours + block + inducing)` with
#' `approx = vecchia()`.
#'
#' @param fit A fit by [btg()] or [wgp()]; in `release()`, leave it out to release all.
#' @param threads How many threads to use.
#' @param ... Not used.
#' @return `prepare()` returns the fit, invisibly, and warns if its factors cannot be kept.
#'   `release()` returns, invisibly, how many bytes it gave back.
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
    warn_btg(c("The factors of this fit are not kept.",
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
