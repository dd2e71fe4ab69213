#' Check forecasts from rolling origins
#'
#' `rolling_origin()` fits to the past alone, forecasts what came next, moves on, and scores the
#' forecasts. [loocv()] is too easy a check for a series, because it predicts rows from the rows
#' before and after them.
#'
#' @param fit A fit by [btg()] or [wgp()]. Its settings and the scaling of its data are kept. The
#'   posterior is that of the past alone.
#' @param time The name of the variable that orders the rows, or a vector with a value for each row
#'   of the fit.
#' @param origins The number of origins, spread over the later half of the times, or the origins
#'   themselves as values of `time`.
#' @param horizon How far to forecast from each origin, in units of `time` (days for a date). By
#'   default up to the next origin.
#' @param level The probability of the interval.
#' @param threads How many threads to use.
#' @param ... Not used: an unknown argument is an error.
#' @return A data frame of class `btg_scores`, as by [predictive_scores()], with a row for each
#'   forecast, and the columns `origin`, `time` and `ahead`, the time from the origin. `summary()`
#'   of it has the scores of all forecasts.
#' @section Series with a season:
#' A few lengthscales after the end of the data, predictions return to the trend. A season that is
#' an input of the kernel therefore fades in forecasts. Put it into the trend, as in the example
#' with the time `t` in years, or use a term `gp(periodic(t, 1))`: see [btg-terms].
#' @seealso [loocv()], whose `folds` can leave out blocks from the middle of a series
#' @examples
#' series <- data.frame(t = as.numeric(time(ldeaths)), deaths = as.numeric(ldeaths))
#' fit <- btg(deaths ~ t, series, trend = ~ sin(2 * pi * t) + cos(2 * pi * t),
#'            transform = "softplus", kernel = "matern52")
#' ahead <- rolling_origin(fit, "t", origins = 2, horizon = 0.5)
#' summary(ahead)
#' @export
rolling_origin <- function(fit, time, origins = 5, horizon = NULL, level = 0.95,
                           threads = getOption("btg.threads", 1), ...) {
  check_fit(fit)
  check_dots(..., valid = names(formals(rolling_origin)))
  check_level(level)
  check_count(threads)
  time <- order_of_rows(fit, time)
  origins <- choose_origins(time, origins)
  if (!is.null(horizon) && (!is_number(horizon) || horizon <= 0)) {
    abort_argument("horizon", "must be a positive number", horizon)
  }
  ends <- if (is.null(horizon)) c(origins[-1L], max(time)) else origins + horizon
  parts <- with_progress("Forecasting", counted = "likelihoods", {
    show_once(lapply_futures(seq_along(origins), function(k) {
      progress_note(paste0(" from origin ", k, " of ", length(origins)))
      forecast_scores(fit, time, origins[k], ends[k], level, threads)
    }))
  })
  structure(bind_scores(parts), class = c("btg_scores", "data.frame"))
}

# Binds tables of scores, of which only those with censored responses have limits.
bind_scores <- function(parts) {
  parts <- Filter(Negate(is.null), parts)
  if (any(vapply(parts, function(part) "lower" %in% names(part), NA))) {
    parts <- lapply(parts, function(part) {
      part[c("lower", "upper")] <- as.data.frame(limits_of_scores(part))
      part
    })
  }
  do.call(rbind, parts)
}

# Returns one number for each row of the fit.
order_of_rows <- function(fit, time) {
  if (is.character(time) && length(time) == 1L && row_count(fit) > 1L) {
    check_columns(fit$data, time)
    time <- fit$data[[time]]
  }
  time <- if (is.factor(time) || is.character(time)) NULL else as.numeric(time)
  if (length(time) != row_count(fit) || anyNA(time)) {
    abort_btg(c("`time` must name a variable of the data, or be one number for each of its rows.",
                i = "Times, dates and numbers can order rows."), "argument")
  }
  time
}

# Returns the times of the origins.
choose_origins <- function(time, origins) {
  times <- sort(unique(time))
  if (is_origin_count(origins, length(times))) {
    share <- 0.5 + 0.5 * (seq_len(origins) - 1) / origins
    return(times[floor(share * (length(times) - 1)) + 1L])
  }
  origins <- sort(as.numeric(origins), na.last = TRUE)
  inside <- length(origins) > 0L && all(origins > times[1L] & origins < times[length(times)])
  if (!isTRUE(inside)) {
    abort_btg(c("`origins` must be how many to use, or times between the first and the last.",
                x = paste0("The times go from ", format(times[1L]), " to ",
                           format(times[length(times)]), ".")), "argument")
  }
  origins
}

# A whole number that leaves a few times between origins is how many to use.
is_origin_count <- function(origins, times) {
  is_number(origins) && origins == round(origins) && origins >= 1 && origins < times / 2
}

# Scores the rows after an origin by a fit to those up to it.
forecast_scores <- function(fit, time, origin, end, level, threads) {
  after <- which(time > origin & time <= end)
  if (length(after) == 0L) {
    return(NULL)
  }
  past <- add_checksum(refit_rows(fit, which(time <= origin), threads))
  scores <- limit_scores(past, fit$data[after, , drop = FALSE],
                         stated_limits(fit)[after, , drop = FALSE], level, observation = TRUE,
                         tolerance = NULL, weights = fit$weights[after], threads)
  data.frame(origin = origin, time = time[after], ahead = time[after] - origin, scores,
             row.names = make.unique(paste(fit$row_names[after], format(origin), sep = "@")))
}
