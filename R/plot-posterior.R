# The posterior of the hyperparameters: plot() with `which = "hyperparameters"`.

hyperparameters_page <- function(fit, request) {
  bars <- posterior_bars(fit)
  key <- factor(paste(bars$title, bars$name), unique(paste(bars$title, bars$name)))
  panels <- lapply(split(bars, key), posterior_panel)
  models <- vapply(panels, function(panel) panel$title, "")
  widest <- max(table(models))
  by_row <- is_average(fit) && widest <= 5L
  # Each model has a row, which empty places fill.
  rows <- lapply(split(panels, factor(models, unique(models))), `[`, seq_len(widest))
  plot_page(if (by_row) do.call(c, rows) else panels, bars, columns = if (by_row) widest)
}

posterior_panel <- function(bars) {
  as_value <- if (bars$positive[1L]) exp else identity
  plot_panel(list(bars = bar_layer(as_value(bars$from), as_value(bars$to), bars$density)),
             plot_axis(bars$name[1L], log = bars$positive[1L]), plot_axis("density", ticks = FALSE),
             bars$title[1L])
}

# Histograms of the free hyperparameters of each model, one row per bar from `from` to `to`, which
# are logarithms if the hyperparameter is positive. `title` names the model in an average, of which
# only the four models of largest weight are shown.
posterior_bars <- function(fit, bars = 20L) {
  models <- kept_models(fit)
  heaviest <- order(fit$model_weights[names(models)], decreasing = TRUE)
  if (length(models) > 4L) models <- models[sort(heaviest[1:4])]
  each <- Map(function(model, name) {
    free <- Filter(Negate(is_fixed), model$problem$hyperparameters)
    nodes <- model_nodes(model)
    lapply(unname(free), function(h) {
      data.frame(title = if (is_average(fit)) name else "", name = h$name, positive = h$positive,
                 weighted_histogram(nodes[[h$name]], nodes$weight, h$positive, bars))
    })
  }, models, names(models))
  bars <- do.call(rbind, unlist(each, recursive = FALSE, use.names = FALSE))
  if (is.null(bars)) {
    abort_btg(c("All hyperparameters of this fit are fixed.",
                i = "There is no posterior to draw."), "plot")
  }
  bars
}

weighted_histogram <- function(values, weight, logarithms, bars) {
  weight <- pmax(weight, 0) / sum(pmax(weight, 0))
  if (logarithms) values <- log(values)
  reach <- weighted_quantile(values, weight, c(0.001, 0.999))
  if (reach[1L] == reach[2L]) reach <- reach + c(-0.5, 0.5) * max(1e-3, 0.1 * abs(reach[1L]))
  breaks <- seq(reach[1L], reach[2L], length.out = bars + 1L)
  bin <- findInterval(values, breaks, all.inside = TRUE)
  height <- vapply(seq_len(bars), function(k) sum(weight[bin == k]), 0) / diff(breaks)
  data.frame(from = breaks[-(bars + 1L)], to = breaks[-1L], density = height)
}
