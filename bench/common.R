# What all benchmarks share. A script, run from the root of the repository as
#
#   Rscript bench/NAME.R [--full] [--out=DIR] [--data=DIR]
#
# sources this file first and ends with run_benchmark(main). `main` gets the options as a list.
# Quick runs write into build/bench, full ones into bench/results, which is kept with the code.
# Data that cannot be had from CRAN are looked for in the folder `data`.

# `known`: further options that the script has; `packages`: whose versions to print besides btg's.
run_benchmark <- function(main, known = character(), packages = character()) {
  if (Sys.getenv("R_LIBS") == "") .libPaths(c("build/library", "build/peers", .libPaths()))
  given <- read_options(commandArgs(TRUE), known)
  if (Sys.getenv("OPENBLAS_NUM_THREADS") != "1") quit(status = restart_with_one_thread())
  suppressPackageStartupMessages(library(btg))
  options(width = 160)
  dir.create(given$out, showWarnings = FALSE, recursive = TRUE)
  show_versions(given, packages)
  started <- proc.time()
  main(given)
  minutes <- as.vector(proc.time() - started) / 60
  cat("\n", round(minutes[3L], 1), " minutes, ", round(sum(minutes[-3L]), 1),
      " of the processor\n", sep = "")
}

# What was given as --name or --name=value: a list, with `full` and `out` always in it.
read_options <- function(arguments, known = character()) {
  name <- sub("^--([^=]*).*$", "\\1", arguments)
  unknown <- arguments[!grepl("^--", arguments) | !name %in% c("full", "out", "data", known)]
  if (length(unknown) > 0L) stop("Unknown: ", toString(unknown))
  value <- ifelse(grepl("=", arguments), sub("^[^=]*=", "", arguments), "")
  given <- stats::setNames(as.list(value), name)
  given$full <- "full" %in% name
  if (is.null(given$out)) given$out <- if (given$full) "bench/results" else "build/bench"
  given
}

# A BLAS reads how many threads to use when R starts.
restart_with_one_thread <- function() {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  environment <- c("OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1",
                   paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = ":"))))
  system2(file.path(R.home("bin"), "Rscript"), shQuote(c(script, commandArgs(TRUE))),
          env = environment)
}

show_versions <- function(given, packages) {
  missing <- setdiff(packages, installed(packages))
  packages <- c("btg", setdiff(packages, missing))
  versions <- vapply(packages, function(package) format(utils::packageVersion(package)), "")
  cat(toString(c(format(Sys.Date()), if (given$full) "full" else "quick", processor_name(),
                 R.version.string, basename(La_library()), paste(packages, versions))), "\n",
      sep = "")
  if (length(missing) > 0L) cat("Left out, not installed:", toString(missing), "\n")
}

processor_name <- function() {
  if (!file.exists("/proc/cpuinfo")) return(Sys.info()[["machine"]])
  sub(".*: *", "", grep("^model name", readLines("/proc/cpuinfo"), value = TRUE)[1L])
}

installed <- function(packages) {
  Filter(function(package) requireNamespace(package, quietly = TRUE), packages)
}

# The value of `code`, which may print, warn and talk.
silently <- function(code) {
  utils::capture.output(suppressMessages(suppressWarnings(result <- code)))
  result
}

# Of the processor: with one thread, what else the machine does matters less than by the clock.
seconds_of <- function(expr) {
  gc(FALSE)
  started <- sum(proc.time()[1:2])
  force(expr)
  sum(proc.time()[1:2]) - started
}

# The shortest of `turns`; one is enough for what takes more than a second.
processor_time <- function(job, turns = 3L) {
  times <- numeric()
  while (length(times) < turns && !any(times > 1)) times <- c(times, seconds_of(job()))
  min(times)
}

# Returns a fit of one model with other nodes, in the core's units, and weights.
with_nodes <- function(fit, hyper, weight) {
  stopifnot(length(fit$models) == 1L)
  none <- rep(NA_real_, length(weight))
  fit$models[[1L]]$posterior <- list(hyper = hyper, weight = weight, log_marginal = none,
                                     log_prior = none)
  btg:::add_checksum(fit)
}

# New points for the core, at rows of scaled `inputs`; the trend is a constant.
constant_points <- function(inputs) {
  n <- nrow(inputs)
  list(inputs = inputs, trend = matrix(1, n), noise = NULL, relative_noise = rep(1, n))
}

# Compressed, if the name of the file ends in .gz; utils::read.csv() reads both kinds.
write_rounded <- function(table, given, file, digits = 5L) {
  numbers <- vapply(table, is.numeric, NA)
  table[numbers] <- lapply(table[numbers], signif, digits)
  path <- file.path(given$out, file)
  if (endsWith(file, ".gz")) path <- gzfile(path, compression = 9L)
  utils::write.csv(table, path, row.names = FALSE, na = "")
}

# A benchmark that takes hours stores its trials in NAME-trials.csv.gz. While it runs, it appends
# them to NAME-trials.csv, so that a run that was cut short goes on where it stopped.

# A data frame; NULL if there are no trials.
read_trials <- function(given, name) {
  lines <- trial_lines(given, name)
  if (length(lines) > 0L) utils::read.csv(text = lines)
}

add_trial <- function(trial, given, name) {
  file <- trial_files(given, name)[["new"]]
  utils::write.table(trial, file, sep = ",", row.names = FALSE, qmethod = "double",
                     append = file.exists(file), col.names = !file.exists(file))
}

# Compresses the trials that were added, together with those stored before.
store_trials <- function(given, name) {
  files <- trial_files(given, name)
  if (!file.exists(files[["new"]])) return(invisible())
  lines <- trial_lines(given, name)
  stored <- gzfile(files[["stored"]], "w", compression = 9L)
  writeLines(lines, stored)
  close(stored)
  unlink(files[["new"]])
}

trial_files <- function(given, name) {
  c(stored = file.path(given$out, paste0(name, "-trials.csv.gz")),
    new = file.path(given$out, paste0(name, "-trials.csv")))
}

# As text, so that "1.10" stays the version that it is. Only the first line has the names.
trial_lines <- function(given, name) {
  files <- Filter(file.exists, trial_files(given, name))
  parts <- lapply(files, readLines)
  c(if (length(parts) > 0L) parts[[1L]][1L], unlist(lapply(parts, utils::tail, -1L)))
}

# Draws by the function into a file.
write_png <- function(draw, given, file, width, height, res = 120) {
  grDevices::png(file.path(given$out, file), width, height, res = res)
  on.exit(grDevices::dev.off())
  draw()
}

# Okabe and Ito's: distinct to colour-blind eyes.
colours <- c(orange = "#D55E00", blue = "#0072B2", green = "#009E73", yellow = "#E69F00",
             grey = "#999999", sky = "#56B4E9", pink = "#CC79A7", black = "#000000")
