# The posterior of the hyperparameters: plot() with `which = "hyperparameters"`.

hyperparameters_page <- function(fit, request) {
  bars <- posterior_bars(fit)
  panels <- lapply(split(bars, factor(bars$name, unique(bars$name))), posterior_panel)
  main <- by_weight(fit)[1L]
  caption <- if (is_average(fit)) {
    paste0("Main model of the average, weight ", format_weights(fit$model_weights[main]), ": ",
           model_words(fit$models[[main]]), ".")
  }
  plot_page(panels, bars, caption = caption)
}

posterior_panel <- function(bars) {
  as_value <- if (bars$positive[1L]) exp else identity
  plot_panel(list(bars = bar_layer(as_value(bars$from), as_value(bars$to), bars$density)),
             plot_axis(bars$name[1L], log = bars$positive[1L]), plot_axis("density", ticks = FALSE))
}

# Histograms of the free hyperparameters of the model of largest weight, one row per bar from `from`
# to `to`, which are logarithms if the hyperparameter is positive. `title` names the model in an
# average.
posterior_bars <- function(fit, bars = 20L) {
  main <- by_weight(fit)[1L]
  model <- fit$models[[main]]
  nodes <- model_nodes(model)
  free <- Filter(Negate(is_fixed), model$problem$hyperparameters)
  bars <- do.call(rbind, lapply(unname(free), function(h) {
    data.frame(title = if (is_average(fit)) names(fit$models)[main] else "", name = h$name,
               positive = h$positive,
               weighted_histogram(nodes[[h$name]], nodes$weight, h$positive, bars))
  }))
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
