# A disk that is full: R says so, at the latest when it reads the file (the end of a compressed file
# is written when it is closed, and R does not look whether that went well). The fit is as it was.

fit <- kinds$softplus(some_data(400))
new <- some_data(5, seed = 2)
before <- answers_of(fit, new)

said <- function(code) {
  tryCatch({
    code
    "nothing"
  }, error = conditionMessage)
}
usable <- function(what) {
  holds(paste0("after ", what, " the fit is usable"), identical(answers_of(fit, new), before))
  again <- tempfile(fileext = ".rds")
  saveRDS(fit, again)
  holds(paste0("after ", what, " it can be saved elsewhere"),
        identical(answers_of(readRDS(again), new), before))
  unlink(again)
}

if (file.exists("/dev/full")) {
  connection <- file("/dev/full", "wb", raw = TRUE)
  message <- said(saveRDS(fit, connection))
  close(connection)
  cat("full device: ", message, "\n", sep = "")
  holds("a full device is said", message != "nothing")
  usable("a full device")
}

# A file system of 8 kB, where one can be made.
small <- tempfile()
dir.create(small)
mounted <- suppressWarnings(system2("mount", c("-t", "tmpfs", "-o", "size=8k", "none", small),
                                    stdout = FALSE, stderr = FALSE)) == 0L
if (mounted) {
  file <- file.path(small, "fit.rds")
  for (compress in list(FALSE, TRUE, "xz")) {
    saving <- said(saveRDS(fit, file, compress = compress))
    reading <- said(suppressWarnings(readRDS(file)))
    cat("full disk, compress = ", compress, ": saving says ", saving, ", reading ", reading, "\n",
        sep = "")
    holds("a full disk is said", saving != "nothing" || reading != "nothing")
    usable("a full disk")
    unlink(file)
  }
  gc() # closes connections that errors left open
  system2("umount", small)
} else {
  cat("Skipped: no file system can be mounted here\n")
}
