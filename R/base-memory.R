# Refuses requests that exceed the memory, before they are made.

# Checks that `bytes` are available at once; `what` names their purpose in the error.
check_memory <- function(bytes, what, advice = NULL) {
  # Requests below 256 MB are not worth a system call.
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

# A fit holds three n x n matrices while it takes derivatives, and one per thread at other times.
check_fit_memory <- function(n, threads) {
  check_memory(8 * n^2 * max(3, threads),
               paste0("The kernel matrix of ", format(n, big.mark = ","), " rows"),
               "Fit a part of the rows, or aggregate those that are close to each other.")
}

# Leaving rows out holds the factor of a node and two inverses per thread, or an approximation
# shared by all threads, and six numbers per row and node.
check_loocv_memory <- function(n, nodes, threads, approximate = FALSE) {
  each <- if (approximate) 2000 * n else 3 * threads * n^2
  check_memory(8 * (each + 6 * n * nodes),
               paste0("Leaving out ", format(n, big.mark = ","), " rows"),
               if (threads > 1) "Use fewer threads.")
}

# Returns the option `btg.memory`, else the available memory that Linux reports, else 8 GB.
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

# Returns a container's limit. The file holds "max" if there is none.
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
