# What happens to a session that lives long, or has bad luck. Each part is a file of this folder.
#
#   Rscript tests/endurance/endure.R [memory] [forks] [disk] [workers] [--rounds=1000]
#
# memory   many small fits of all kinds, and all that is asked of them, leave no memory behind
# forks    processes that are started while threads run, by fork and by callr
# disk     a fit that does not fit on the disk
# workers  workers of a plan that die at random moments
#
# All by default. Interrupts are in tests/interrupts. The last line counts what held and what not.

arguments <- commandArgs(TRUE)
folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
rounds <- as.integer(sub("^--rounds=", "", grep("^--rounds=", arguments, value = TRUE)))
if (length(rounds) == 0L) rounds <- 1000L
parts <- grep("^--", arguments, value = TRUE, invert = TRUE)
if (length(parts) == 0L) parts <- c("memory", "forks", "disk", "workers")

suppressPackageStartupMessages(library(btg))
options(btg.warn_quadrature = FALSE, btg.progress = FALSE)
source(file.path(folder, "kinds.R"))

counts <- list2env(list(passed = 0L, failed = 0L))
holds <- function(what, condition, ...) {
  ok <- isTRUE(condition)
  counts$passed <- counts$passed + ok
  counts$failed <- counts$failed + !ok
  if (!ok) cat("FAILED: ", what, ...,  "\n", sep = "")
}

for (part in parts) {
  cat("== ", part, "\n", sep = "")
  started <- proc.time()[["elapsed"]]
  source(file.path(folder, paste0(part, ".R")))
  cat(round(proc.time()[["elapsed"]] - started), "s\n")
}
cat(counts$passed, "passed,", counts$failed, "failed\n")
quit(status = counts$failed > 0L)
