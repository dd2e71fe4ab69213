# The constructor of fits: plain lists of plain values.

# What fits by btg() and wgp() share; `...` is what they do not. `posed` is by pose_design(). The
# models have no weights yet: see weigh_models().
new_fit <- function(matched, design, posed, settings, models, ..., class) {
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
      scaling = list(x = posed$scaling, y = NULL),
      lengthscale_units = posed$units,
      design = posed$design,
      models = models,
      ...
    ),
    class = class
  )
}
