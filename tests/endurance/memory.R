# The resident memory after many fits is that after half of them, which fill what is kept: the
# factors of a few fits, code that is compiled, memory that the allocator holds.

resident <- function() {
  gc(full = TRUE)
  4096 * as.numeric(strsplit(readLines("/proc/self/statm"), " ")[[1L]][2L]) / 1e6
}

# All that is done to a fit; errors and warnings take other paths out of the core.
use_fit <- function(fit, d, new) {
  answers_of(fit, new, threads = 1 + nrow(d) %% 2)
  use_regions(fit, new)
  prepare(fit)
  if (!inherits(fit, "wgp")) {
    try(acquire(fit, new, "ei", gradient = TRUE), silent = TRUE)
    refit <- nrow(d) %% 4 == 0
    suppressWarnings(suppressMessages(update(fit, newdata = transform(new, y = 1, w = 1),
                                             refit = refit)))
  }
  try(predict(fit, data.frame(z = 1)), silent = TRUE)
  release(fit)
  refused <- fit
  refused$models[[1L]]$posterior$hyper[1L] <- NaN
  try(predict(btg:::add_checksum(refused), new), silent = TRUE)
}

# Joint draws, and what is asked of terms, which only some fits have.
use_regions <- function(fit, new) {
  predict_region(fit, new, fun = "max", observation = TRUE, nsim = 64)
  exceedance_region(fit, new, 1, observation = FALSE, nsim = 64)
  sensitivity(fit, points = 8, nsim = 32)
  try(influence(fit, new), silent = TRUE)
  variance_shares(fit)
  try(predict(fit, new, type = "terms"), silent = TRUE)
  try(group_effects(fit), silent = TRUE)
}

if (file.exists("/proc/self/statm")) {
  used <- numeric()
  for (k in seq_len(rounds)) {
    name <- names(kinds)[(k - 1L) %% length(kinds) + 1L]
    d <- some_data(12 + k %% 20, seed = k)
    fit <- tryCatch(suppressMessages(suppressWarnings(kinds[[name]](d))),
                    btg_error = function(e) NULL)
    if (!is.null(fit)) suppressWarnings(use_fit(fit, d, some_data(3, seed = -k)))
    if (k %% (rounds %/% 10L) == 0L) {
      used <- c(used, resident())
      cat(sprintf("%5d fits: %.1f MB\n", k, used[length(used)]))
    }
  }
  # The allocator holds more after some kinds than after others: the peaks of both halves count.
  first <- seq_along(used) <= length(used) / 2
  grown <- max(used[!first]) - max(used[first])
  holds("memory is flat", grown < 8, ": it grew by ", round(grown, 1), " MB")
} else {
  cat("Skipped: this system does not say how much memory is used\n")
}
