# The share of lines that the R tests reach, for each file: to the screen, and as CSV.

if (!requireNamespace("covr", quietly = TRUE)) {
  stop("Install the package covr first (Debian: r-cran-covr).")
}
Sys.setenv(NOT_CRAN = "true", OPENBLAS_NUM_THREADS = "1")
coverage <- covr::package_coverage(".", type = "tests", quiet = TRUE)
lines <- covr::tally_coverage(coverage, by = "line")
files <- aggregate(cbind(lines = 1, reached = lines$value > 0), lines["filename"], sum)
files$percent <- round(100 * files$reached / files$lines, 1)
language <- ifelse(grepl("^R/", files$filename), "R", "C++")
print(files[order(files$percent), ], row.names = FALSE)
for (one in unique(language)) {
  part <- files[language == one, ]
  cat(one, ": ", round(100 * sum(part$reached) / sum(part$lines), 1), "% of ", sum(part$lines),
      " lines\n", sep = "")
}
write.csv(files, commandArgs(TRUE)[1L], row.names = FALSE)
