# A fit made again from some of its rows, by the settings and with the scalings it has.

refit_rows <- function(fit, rows, threads, call) {
  n <- row_count(fit)
  fit$design <- select_rows(fit$design, rows, n)
  fit$row_names <- fit$row_names[rows]
  fit$data <- fit$data[rows, , drop = FALSE]
  fit$weights <- fit$weights[rows]
  fit["na.action"] <- list(NULL)
  fit$models <- lapply(fit$models, function(model) {
    model$problem$response <- model$problem$response[rows]
    model
  })
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
