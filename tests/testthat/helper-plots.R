# Evaluates `code` on a graphics device that is thrown away.
with_device <- function(code, ...) {
  grDevices::pdf(NULL, ...)
  on.exit(grDevices::dev.off())
  force(code)
}

draw <- function(...) with_device(plot(...))

# The calls to base graphics that `code` makes, each a list that starts with the routine.
recorded <- function(code) {
  with_device({
    grDevices::dev.control("enable")
    force(code)
    lapply(grDevices::recordPlot()[[1]], function(call) call[[2]])
  })
}

# How many of the calls go to a routine such as "C_rect".
count_calls <- function(code, name) {
  sum(vapply(recorded(code), function(call) identical(call[[1]]$name, name), NA))
}
