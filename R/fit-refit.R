# Refits some of the rows with the settings and scalings of the fit.

refit_rows <- function(fit, rows, threads) {
  fit <- keep_rows(fit, rows)
  run <- new_run(threads)
  if (!has_posterior(fit)) {
    return(maximise_fit(fit, run))
  }
  parts <- c("kernel", "terms", "transform", "scaling", "units", "problem")
  models <- lapply(fit$models, function(model) unclass(model)[parts])
  built <- build_models(fit$design, models)
  fit$models <- Map(function(model, name) {
    fit_model(model, built, name, fit$settings, run)
  }, models, names(models))
  weigh_models(fit, threads, built)
}
