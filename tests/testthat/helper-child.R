# Runs a script in a new session with the package, and returns its output.
run_child <- function(script, ...) {
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script), ...),
          stdout = TRUE, stderr = TRUE,
          env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = .Platform$path.sep))))
}
