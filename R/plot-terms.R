# The contributions of covariance terms: plot() with `which = "terms"`.

# A page with a panel for each term and each of its numeric variables, and one for each group.
terms_page <- function(fit, request) {
  terms <- fit_terms(fit)
  opened <- open_terms(fit, 1)
  drawn <- show_once(unlist(lapply(unname(terms), function(term) {
    if (is_group_effect(term)) list(group_panel(fit, opened, term, request$level))
    else lapply(term_variables_to_plot(fit, term, request$variables), function(name) {
      curve_panel(fit, opened, term, name, request)
    })
  }), recursive = FALSE))
  if (length(drawn) == 0L) {
    abort_btg(c("There is no term to draw.",
                i = "Terms along variables that are categories can be had by `predict()`."),
              "plot")
  }
  if (length(drawn) > 9L) {
    inform_btg(c(i = "Only the first nine panels are drawn: choose by `variables`."), "not_drawn")
    drawn <- drawn[1:9]
  }
  names(drawn) <- vapply(drawn, `[[`, "", "name")
  panels <- same_scale(lapply(drawn, `[[`, "panel"))
  plot_page(panels, lapply(drawn, `[[`, "values"),
            caption = paste0("Line: median of the term. Bands: ", level_words(request$level),
                             " intervals of the term.", gap_words(panels)))
}

# Panels whose y axis has the same label share its limits.
same_scale <- function(panels) {
  labels <- vapply(panels, function(panel) panel$y$label, "")
  for (label in unique(labels)) panels[labels == label] <- share_y(panels[labels == label])
  panels
}

# The numeric variables of the data that a term is made of, of those that the user named.
term_variables_to_plot <- function(fit, term, chosen) {
  own <- unlist(lapply(fit$blueprint$variables[term$variables], all.vars))
  own <- Filter(function(name) is_curve(fit, name), intersect(own, names(fit$data)))
  if (is.null(chosen)) own else intersect(own, variables_to_plot(fit, chosen))
}

# A term along one variable, with the others held at typical values.
curve_panel <- function(fit, opened, term, name, request) {
  # Seasons turn often.
  new <- slice_data(fit, name, if (request$adapt) max(request$points, 200L) else request$points)
  points <- prediction_points(fit, new)
  law <- centred_laws(opened, fit, points, term)
  values <- effect_frame(new[[name]], law_quantiles(opened, law, request$level))
  panel <- slice_panel(fit, name, values, plot_axis(transformed_label(fit)), request$level)
  panel$title <- term$name
  list(name = paste0(term$name, ":", name), values = values, panel = panel)
}

# The effects of groups in order, with their intervals.
group_panel <- function(fit, opened, term, level) {
  at <- group_points(fit, term)
  law <- term_laws(opened, at$points, term$name)
  quantiles <- law_quantiles(opened, law, level) / at$unit
  order <- order(quantiles[, 1L])
  # Names of many groups would not be readable.
  groups <- at$points$names[order]
  values <- effect_frame(groups, quantiles[order, , drop = FALSE])
  label <- if (term$base == "linear") paste("slope of", term$variables) else transformed_label(fit)
  layers <- curve_layers(seq_along(groups), values[-1L], level, continuous = FALSE)
  x <- if (length(groups) <= 40L) plot_axis(group_label(term$by), names = groups)
       else plot_axis(paste(group_label(term$by), "in order"))
  panel <- plot_panel(layers, x, plot_axis(label), title = term$name)
  list(name = term$name, values = values, panel = panel)
}

# The median and the ends of intervals of a term, one row per point.
law_quantiles <- function(opened, law, level) {
  found <- t_mixture_quantiles(opened$weight, opened$df, law$location, law$scale,
                               curve_probs(level))
  colnames(found) <- percent_names(rbind(curve_probs(level)))
  found
}
