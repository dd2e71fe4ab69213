# Requests that memory cannot hold are refused before they are made.

# `what` needs `bytes`, all at once.
check_memory <- function(bytes, what, advice = NULL) {
  # Not worth asking the system for.
  if (bytes < 2^28 && is.null(getOption("btg.memory"))) {
    return(invisible())
  }
  most <- memory_limit()
  if (bytes > most) {
    abort_btg(c(
      "There is not enough memory for this.",
      x = paste0(what, " would need ", format_bytes(bytes), ", and ", format_bytes(most),
                 if (is.null(getOption("btg.memory"))) " are available." else " are allowed."),
      i = advice,
      i = "The option `btg.memory` sets another limit, in bytes."
    ), "memory")
  }
  invisible()
}

# A fit holds three matrices of all pairs of rows where it takes derivatives, and one a thread
# elsewhere.
check_fit_memory <- function(n, threads) {
  check_memory(8 * n^2 * max(3, threads),
               paste0("The kernel matrix of ", format(n, big.mark = ","), " rows"),
               "Fit a part of the rows, or aggregate those that are close to each other.")
}

# Leaving out holds the factor of a node and two inverses on each thread, or an approximation of
# them all, and six numbers of each row and node.
check_loocv_memory <- function(n, nodes, threads, approximate = FALSE) {
  each <- if (approximate) 2000 * n else 3 * threads * n^2
  check_memory(8 * (each + 6 * n * nodes),
               paste0("Leaving out ", format(n, big.mark = ","), " rows"),
               if (threads > 1) "Use fewer threads.")
}

# The option `btg.memory`, or what the system says is available (Linux), or 8 GB.
memory_limit <- function(meminfo = "/proc/meminfo", control = "/sys/fs/cgroup/memory.max") {
  chosen <- getOption("btg.memory")
  if (!is.null(chosen)) {
    if (!is.numeric(chosen) || !isTRUE(chosen > 0)) {
      abort_argument("options(btg.memory = )", "must be a positive number of bytes", chosen)
    }
    return(chosen)
  }
  available <- c(available_memory(meminfo), container_memory(control))
  if (length(available) == 0L) 8e9 else min(available)
}

available_memory <- function(meminfo) {
  if (!file.exists(meminfo)) {
    return(NULL)
  }
  line <- grep("^MemAvailable:", readLines(meminfo, warn = FALSE), value = TRUE)
  if (length(line) == 1L) 1024 * as.numeric(gsub("[^0-9]", "", line))
}

# A container's limit; "max" if it has none.
container_memory <- function(control) {
  if (!file.exists(control)) {
    return(NULL)
  }
  limit <- suppressWarnings(as.numeric(readLines(control, n = 1L, warn = FALSE)))
  if (length(limit) == 1L && !is.na(limit)) limit
}

format_bytes <- function(bytes) {
  if (bytes < 1e9) paste(format(bytes / 1e6, digits = 2), "MB")
  else paste(format(bytes / 1e9, digits = 2, big.mark = ","), "GB")
}
