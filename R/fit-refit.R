# A fit made again from some of its rows, by the settings and with the scalings it has.

refit_rows <- function(fit, rows, threads, call) {
  fit <- keep_rows(fit, rows)
  run <- list(threads = threads)
  if (inherits(fit, "wgp")) {
    return(maximise_fit(fit, run, call))
  }
  parts <- c("kernel", "transform", "scaling", "units", "problem")
  fit$models <- lapply(fit$models, function(model) {
    fit_model(unclass(model)[parts], fit$design, fit$settings, run, call = call)
  })
  weigh_models(fit, threads)
}
