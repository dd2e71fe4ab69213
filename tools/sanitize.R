# Small fits of all kinds for tools/sanitize to run in valgrind, where all takes fifty times as long.

library(btg)
options(btg.warn_quadrature = FALSE, btg.progress = FALSE)
source("tests/endurance/kinds.R")

d <- some_data(18)
new <- transform(some_data(2, seed = 2), x = x + c(0, 1))

ask_everything <- function(fit) {
  answers_of(fit, new, threads = 2)
  predict(fit, new, interval = "hdi")
  predict(fit, new, type = "density", at = 1)
  predict(fit, new, type = "distribution")
  loocv(fit, folds = 3)
  prepare(fit)
  predict(fit, new[1L, ], interval = "credible")
  release(fit)
  if (!inherits(fit, "wgp")) {
    suppressMessages(update(fit, newdata = transform(new, y = 1, w = 1)))
    if (is.null(fit$models[[1L]]$problem$approx)) acquire(fit, new, "ei", gradient = TRUE)
  }
  again <- unserialize(serialize(fit, NULL))
  invisible(predict(again, new))
}

chosen <- grep(Sys.getenv("KINDS"), names(kinds), value = TRUE)
for (name in chosen) {
  cat(name, "\n")
  for (algebra in if (name == "softplus") c("blas", "builtin", "portable") else "builtin") {
    options(btg.linear_algebra = algebra)
    suppressWarnings(ask_everything(kinds[[name]](d)))
  }
}
cat("done\n")
