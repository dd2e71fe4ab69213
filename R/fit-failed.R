# Leaves out models whose posterior cannot be computed.

# Drops models in whose place stands an error, of R or of the core, with a message. Aborts if no
# model remains.
drop_failed <- function(found) {
  failed <- vapply(found, inherits, NA, c("btg_error", "btg_core_error"))
  if (all(failed)) abort_failed(found)
  if (any(failed)) {
    reasons <- vapply(found[failed], headline, "")
    inform_btg(c(
      paste0("The average leaves out ", count_noun(sum(failed), "model"),
             " whose posterior could not be computed."),
      stats::setNames(paste0("\"", names(reasons), "\": ", reasons), rep("x", length(reasons)))
    ), "model")
  }
  found[!failed]
}

# Repeats the error of the last model, with advice.
abort_failed <- function(found) {
  last <- found[[length(found)]]
  abort_btg(c(
    headline(last),
    if (length(found) > 1L) c(x = paste0("All ", length(found), " models of the average failed.")),
    i = "Does the trend fit the response exactly, or does an input have extreme values?",
    i = paste("A prior that keeps the noise away from 0 can help, such as",
              "`btg_prior(noise = btg_dist(\"lognormal\", meanlog = -6, sdlog = 2))`.")
  ), if (is.null(last$kind)) sub("btg_error_", "", class(last)[1L]) else last$kind)
}

# Returns the first line of an error's message.
headline <- function(error) sub("\n.*", "", error$message)
