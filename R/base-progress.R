# Shows the progress of long calls. The outermost call that asks for a bar owns it, and the calls
# inside report to the same bar. The core reports through the function that core_run() passes on.

progress_state <- new.env(parent = emptyenv())

# Evaluates `code` with a bar, if the user wants one. If the amount of work is unknown, as in a fit,
# the bar counts steps instead, which `counted` names. `seconds` is the estimated duration, or NULL.
with_progress <- function(what, code, counted = NULL, seconds = NULL) {
  if (!is.null(progress_state$bar)) {
    return(within_part(progress_state$bar, code))
  }
  show <- progress_display(what, counted)
  if (is.null(show)) {
    return(code)
  }
  on.exit({
    progress_state$bar <- NULL
    show(NULL)
  })
  progress_state$bar <- list2env(list(
    what = what, counted = !is.null(counted), show = show, note = "", span = c(0, 1), from = 0,
    to = 1, most = 0, before = 0, last = 0, seconds = seconds, started = proc.time()[["elapsed"]]
  ))
  code
}

# Evaluates `code`, whose whole is the present part of an outer bar.
within_part <- function(bar, code) {
  outer <- list(span = bar$span, from = bar$from, to = bar$to)
  on.exit(list2env(outer, bar))
  bar$span <- c(bar$from, bar$to)
  code
}

# Returns the function that the core calls with the work done and the total, 0 if unknown.
progress_reporter <- function() {
  if (!is.null(progress_state$bar)) report_progress
}

report_progress <- function(done, total) {
  bar <- progress_state$bar
  if (is.null(bar)) {
    return(invisible())
  }
  if (!bar$counted && total > 0) {
    return(show_progress(bar, bar$from + (bar$to - bar$from) * done / total))
  }
  if (bar$counted && total == 0) {
    # The core counts from 0 in every call.
    if (done < bar$last) bar$before <- bar$before + bar$last
    bar$last <- done
  }
  show_progress(bar, bar$before + bar$last)
}

# Counts steps that R code makes itself.
count_progress <- function(steps = 1) {
  bar <- progress_state$bar
  if (!is.null(bar) && bar$counted) {
    bar$before <- bar$before + steps
    show_progress(bar, bar$before)
  }
  invisible()
}

# Lets the work that follows move the bar between these two shares of what with_progress() encloses.
progress_part <- function(from, to) {
  bar <- progress_state$bar
  if (!is.null(bar)) {
    bar$from <- bar$span[1L] + diff(bar$span) * from
    bar$to <- bar$span[1L] + diff(bar$span) * to
  }
  invisible()
}

# Sets the text beside the bar that describes the present step.
progress_note <- function(note) {
  if (!is.null(progress_state$bar)) progress_state$bar$note <- note
  invisible()
}

# Calls that repeat a part leave the bar where it is.
show_progress <- function(bar, done) {
  bar$most <- max(bar$most, done)
  bar$show(list(what = paste0(bar$what, bar$note), done = bar$most,
                total = if (bar$counted) NA else 1, left = time_left(bar)))
  invisible()
}

# Returns ", about 3 minutes left" by the estimate, or "" without an estimate or beyond it.
time_left <- function(bar) {
  left <- if (!is.null(bar$seconds)) bar$seconds - (proc.time()[["elapsed"]] - bar$started)
  if (is.null(left) || left < 5) "" else paste0(", about ", format_duration(left), " left")
}

# "3 minutes", "2.5 hours", "4 days"
format_duration <- function(seconds) {
  size <- c(second = 1, minute = 60, hour = 3600, day = 86400)
  unit <- max(which(seconds >= 0.99 * size), 1L)
  value <- seconds / size[[unit]]
  value <- if (unit > 2L && value < 9.5) round(value, 1L) else round(value)
  count_noun(value, names(size)[unit])
}

# Returns a function that shows list(what, done, total, left) and ends the bar at NULL, or NULL if
# nothing is to be shown. The option `btg.progress` is FALSE for no bar, TRUE for a bar even in
# scripts, or a function.
progress_display <- function(what, counted) {
  chosen <- getOption("btg.progress")
  if (is.function(chosen)) {
    return(function(state) if (!is.null(state)) chosen(state$what, state$done, state$total))
  }
  if (is.null(chosen)) chosen <- interactive()
  if (isTRUE(chosen) && requireNamespace("cli", quietly = TRUE)) cli_display(what, counted)
}

# cli shows a bar after two seconds, unless the work is nearly done by then.
cli_display <- function(what, counted) {
  state <- list2env(list(what = what, left = ""))
  format <- if (is.null(counted)) {
    "{what} {cli::pb_bar} {cli::pb_percent} | {cli::pb_eta_str}"
  } else {
    paste0("{cli::pb_spin} {what}: {cli::pb_current} ", counted, " [{cli::pb_elapsed}]{left}")
  }
  id <- cli::cli_progress_bar(total = if (is.null(counted)) 1 else NA, format = format,
                              clear = TRUE, auto_terminate = FALSE, .auto_close = FALSE,
                              .envir = state)
  function(now) {
    if (is.null(now)) {
      cli::cli_progress_done(id = id, .envir = state)
    } else {
      state$what <- now$what
      state$left <- now$left
      cli::cli_progress_update(set = now$done, id = id, .envir = state)
    }
  }
}
