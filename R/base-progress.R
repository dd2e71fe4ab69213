# Progress of long calls. A bar belongs to the outermost call that asks for one: what it calls
# reports to the same. The core reports through the function that core_run() gives it.

# The bar of the call that runs now, if it has one.
progress_state <- new.env(parent = emptyenv())

# Evaluates `code` with a bar, if one is wanted. Of a call whose end is not known, as a fit's, steps
# are `counted` by that name instead; `seconds` is what it will take, if there is an estimate.
with_progress <- function(what, code, counted = NULL, seconds = NULL) {
  show <- if (is.null(progress_state$bar)) progress_display(what, counted)
  if (is.null(show)) {
    return(code)
  }
  on.exit({
    progress_state$bar <- NULL
    show(NULL)
  })
  progress_state$bar <- list2env(list(
    what = what, counted = !is.null(counted), show = show, note = "", from = 0, to = 1,
    before = 0, last = 0, seconds = seconds, started = proc.time()[["elapsed"]]
  ))
  code
}

# For the core: a function of what is done and of all there is to do, 0 if that is not known.
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

# Steps of a call that counts them itself.
count_progress <- function(steps = 1) {
  bar <- progress_state$bar
  if (!is.null(bar)) {
    bar$before <- bar$before + steps
    show_progress(bar, bar$before)
  }
  invisible()
}

# What comes is the part of the whole between these shares.
progress_part <- function(from, to) {
  bar <- progress_state$bar
  if (!is.null(bar)) {
    bar$from <- from
    bar$to <- to
  }
  invisible()
}

# What is worked on now, to stand beside the bar.
progress_note <- function(note) {
  if (!is.null(progress_state$bar)) progress_state$bar$note <- note
  invisible()
}

show_progress <- function(bar, done) {
  bar$show(list(what = paste0(bar$what, bar$note), done = done,
                total = if (bar$counted) NA else 1, left = time_left(bar)))
  invisible()
}

# ", about 3 minutes left", by the estimate; nothing without one, or beyond it.
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

# The option `btg.progress`: FALSE for none, TRUE for a bar even in scripts, or a function. NULL if
# nothing is to be shown, else a function that takes list(what, done, total, left), and NULL at the
# end.
progress_display <- function(what, counted) {
  chosen <- getOption("btg.progress")
  if (is.function(chosen)) {
    return(function(state) if (!is.null(state)) chosen(state$what, state$done, state$total))
  }
  if (is.null(chosen)) chosen <- interactive()
  if (isTRUE(chosen) && requireNamespace("cli", quietly = TRUE)) cli_display(what, counted)
}

# cli shows a bar when two seconds have passed, and not if it is nearly done by then.
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
