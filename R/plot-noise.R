# The noise of a fit along a variable: plot() with `which = "noise"`.

noise_page <- function(fit, request) {
  if (is.null(fit$blueprint$noise) && is.null(request$variables)) {
    abort_btg(c("The noise of this fit is the same everywhere.",
                i = "Model it with `noise = ~ x`: see ?`btg-noise`."), "plot")
  }
  own <- intersect(all.vars(fit$blueprint$noise$terms), names(fit$data))
  variables <- variables_to_plot(fit, request$variables, own)
  nodes <- noise_nodes(fit)
  curves <- lapply(stats::setNames(nm = variables), function(name) {
    noise_curve(fit, nodes, name, request$level, request$points)
  })
  panels <- Map(function(name, curve) {
    slice_panel(fit, name, curve, plot_axis(noise_label(fit), c(0, max(curve[-1L]))),
                request$level, bands = !inherits(fit, "wgp"))
  }, variables, curves)
  held <- held_words(fit, variables)
  plot_page(share_y(panels), curves,
            caption = posterior_caption(fit, request$level, "the noise sd", panels, held))
}

# The nodes that predictions use are too few for quantiles of hyperparameters. All nodes are used up
# to this number of rows, each of which takes a factorisation.
rows_with_all_nodes <- 500L

# Returns list(models, weight): the hyperparameters of each model's nodes with the standard
# deviation of the process, in units of transformed_response(), and the weights of all of them.
noise_nodes <- function(fit) {
  all <- !is_approximate(fit) && row_count(fit) <= rows_with_all_nodes
  models <- lapply(kept_models(fit), function(model) {
    hyper <- if (all) model$posterior$hyper else predictive_nodes(model)$hyper
    variance <- as.vector(node_trends(model, fit$design, hyper)$variance)
    list(model = model, hyper = hyper,
         scale = shared_units(model, hyper = hyper)$scale * sqrt(variance))
  })
  list(models = models, weight = if (all) posterior_weights(fit) else node_weights(fit))
}

# The standard deviation of the noise along one variable with the others held: the values, the
# median over the nodes, and the ends of the intervals, outermost first. It is on the scale of
# transformed_response(), which without a transform is the scale of the response.
noise_curve <- function(fit, nodes, name, level, points) {
  new <- slice_data(fit, name, points)
  columns <- apply_blueprint(fit$blueprint, new)$noise
  sds <- lapply(nodes$models, function(one) {
    sweep(sqrt(noise_variance(one$model, one$hyper, columns, nrow(new))), 2L, one$scale, `*`)
  })
  data.frame(value = new[[name]], curve_quantiles(do.call(cbind, sds), nodes$weight, level),
             check.names = FALSE)
}

# floor + sigma2 exp(b' gamma) at each row of `columns` and each node: rows x nodes.
noise_variance <- function(model, hyper, columns, rows) {
  of_noise <- vapply(model$problem$hyperparameters, function(h) h$role == "noise", NA)
  parameters <- t(hyper[, of_noise, drop = FALSE])
  level <- matrix(parameters[1L, ], rows, ncol(parameters), byrow = TRUE)
  columns <- columns[, model$problem$noise_columns, drop = FALSE]
  if (!is.null(columns)) level <- level * exp(columns %*% parameters[-1L, , drop = FALSE])
  model$noise_floor + level
}

noise_label <- function(fit) paste("noise sd of", transformed_label(fit))

# The name of the transformed response, or of the response if no model transforms it.
transformed_label <- function(fit) {
  plain <- vapply(kept_models(fit), function(m) identical(m$transform$layers, "identity"), NA)
  if (all(plain)) fit$response_name else paste0("g(", fit$response_name, ")")
}
