# Constructs the components that fits by btg() and wgp() share; `...` holds the others. `scaled`
# comes from scale_design(). weigh_models() adds the weights of the models.
new_fit <- function(matched, design, scaled, settings, models, ..., class) {
  structure(
    list(
      call = matched,
      format = fit_format(),
      formula = design$formula,
      blueprint = design$blueprint,
      response_name = design$response_name,
      input_names = design$input_names,
      row_names = design$row_names,
      data = design$variables,
      excluded = design$excluded,
      copies = design$copies,
      weights = design$weights,
      na.action = design$na_action,
      dropped_inputs = design$dropped_inputs,
      settings = settings,
      scaling = list(x = scaled$scaling, y = NULL),
      lengthscale_units = scaled$units,
      design = scaled$design,
      models = models,
      ...
    ),
    class = class
  )
}
