# Runs R code in a new session that has the package, and returns what it writes.
run_child <- function(script, ...) {
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script), ...),
          stdout = TRUE, stderr = TRUE,
          env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep))))
}
