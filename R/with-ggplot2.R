#' Plot a fit with ggplot2
#'
#' What [plot.btg()] and [plot.btg_loocv()] draw, as ggplot objects that can be changed and added
#' to.
#'
#' @param object A fit by [btg()] or [wgp()], or a result of [loocv()].
#' @param which What to draw: see [plot.btg()]. `"predicted"`, `"pit"` and `"coverage"` are the
#'   panels of [plot.btg_loocv()].
#' @param variables For `"fit"`, the names of the variables to draw. Numbers and categories cannot
#'   share a plot: the default is all that are numbers, at most nine, or all others if none is. A
#'   message names those that are left out.
#' @param level,observation,points As in [plot.btg()].
#' @param ... Not used: an argument that is not known is an error.
#' @return An object of class `ggplot`.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' library(ggplot2)
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' autoplot(fit) + labs(x = "speed (mph)", y = "stopping distance (ft)")
#' autoplot(fit, "transform")
#' @exportS3Method ggplot2::autoplot
autoplot.btg <- function(object,
                         which = c("fit", "predicted", "pit", "coverage", "hyperparameters",
                                   "transform", "quadrature"),
                         variables = NULL, level = c(0.5, 0.95), observation = TRUE, points = 80,
                         ...) {
  call <- quote(autoplot())
  check_fit(object, call)
  check_dots(..., valid = names(formals(autoplot.btg)), call = call)
  which <- check_which(which, eval(formals(autoplot.btg)$which), object, call)
  check_probs(level, call = call)
  check_flag(observation, call = call)
  check_count(points, call = call)
  check_posterior_shown(object, which, call)
  level <- sort(level)
  switch(which,
    fit = ggplot_effects(object, alike_variables(object, variables, call), level, observation,
                         points),
    predicted = , pit = , coverage = autoplot.btg_loocv(loocv(object), which),
    hyperparameters = ggplot_hyperparameters(object),
    transform = ggplot_transform(object, level, points),
    quadrature = ggplot_quadrature(object)
  )
}

#' @rdname autoplot.btg
#' @exportS3Method ggplot2::autoplot
# nolint start: object_name_linter. The generic's name and a class.
autoplot.btg_loocv <- function(object, which = c("predicted", "pit", "coverage"), ...) {
  # nolint end
  call <- quote(autoplot())
  check_loocv(object, call)
  check_dots(..., valid = "which", call = call)
  which <- check_choice(which, c("predicted", "pit", "coverage"), "which", call)
  pointwise <- object$pointwise[!is.na(object$pointwise$pit), ]
  switch(which,
    predicted = ggplot_predicted(pointwise, object),
    pit = ggplot_pit(pointwise),
    coverage = ggplot_coverage(pointwise)
  )
}

# Either numbers or categories, as one scale has it.
alike_variables <- function(fit, variables, call) {
  chosen <- variables_to_plot(fit, variables, call)
  numeric <- vapply(chosen, function(name) is_curve(fit, name), NA)
  if (is.null(variables)) {
    drawn <- if (any(numeric)) chosen[numeric] else chosen
    inform_left_out(setdiff(all_variables(fit), drawn), call)
    return(drawn)
  }
  if (any(numeric) && !all(numeric)) {
    abort_btg(c("Numbers and categories cannot share a plot.",
                x = paste0("Categories: ", list_names(chosen[!numeric]), "."),
                i = "Draw them one by one, or use `plot()`."), "argument", call)
  }
  chosen
}

# On one scale: categories in their order, and times as numbers beside other numbers.
ggplot_values <- function(fit, name, values, variables) {
  if (!is_curve(fit, name)) {
    return(factor(as.character(values), as.character(sort(unique(fit$data[[name]])))))
  }
  if (length(variables) == 1L) values else as.numeric(values)
}

ggplot_effects <- function(fit, variables, level, observation, points) {
  effects <- do.call(rbind, say_once(lapply(variables, function(name) {
    effect <- variable_effect(fit, name, level, observation, points)
    effect$value <- ggplot_values(fit, name, effect$value, variables)
    data.frame(variable = factor(name, variables), effect, check.names = FALSE)
  })))
  data <- do.call(rbind, lapply(variables, function(name) {
    values <- fit$data[[name]]
    data.frame(variable = factor(name, variables), y = fit_response(fit),
               value = ggplot_values(fit, name, values, variables))
  }))
  continuous <- !is.factor(effects$value)
  one <- length(variables) == 1L
  plot <- ggplot2::ggplot(effects, ggplot2::aes(.data$value)) +
    ggplot_bands(effects[-(1:3)], continuous, level) +
    ggplot2::geom_point(
      ggplot2::aes(.data$value, .data$y), data = data, alpha = 0.5, size = 1,
      position = if (continuous) "identity" else ggplot2::position_jitter(0.1, 0, seed = 1)
    ) +
    ggplot_median(continuous) +
    ggplot2::labs(x = if (one) variables, y = in_lines(fit$response_name))
  # Names that would overlap are turned.
  if (!continuous && sum(nchar(levels(droplevels(effects$value)))) > 40L) {
    plot <- plot +
      ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 35, hjust = 1))
  }
  if (one) plot else plot + ggplot2::facet_wrap("variable", scales = "free_x",
                                                labeller = ggplot2::label_wrap_gen(24))
}

# The intervals whose ends are the columns of `ends`, outermost first, of probabilities `level`,
# with a legend.
ggplot_bands <- function(ends, continuous, level) {
  names <- paste0(format(100 * rev(level), trim = TRUE), "%")
  shades <- stats::setNames(c(0.18, rep(0.3, length(level)))[seq_along(level)], names)
  bands <- lapply(seq_along(level), function(k) {
    name <- names[k]
    band <- ggplot2::aes(ymin = .data[[!!names(ends)[k]]],
                         ymax = .data[[!!names(ends)[ncol(ends) + 1L - k]]], alpha = !!name)
    if (continuous) {
      ggplot2::geom_ribbon(band, fill = plot_colours[["line"]])
    } else {
      ggplot2::geom_linerange(band, colour = plot_colours[["line"]], linewidth = 12)
    }
  })
  c(bands, list(ggplot2::scale_alpha_manual(name = "interval", values = shades, breaks = names)))
}

ggplot_median <- function(continuous) {
  line <- ggplot2::aes(y = .data$median)
  if (continuous) {
    ggplot2::geom_line(line, colour = plot_colours[["line"]], linewidth = 1)
  } else {
    ggplot2::geom_point(line, colour = plot_colours[["line"]], shape = 95, size = 12)
  }
}

ggplot_predicted <- function(pointwise, cv) {
  ggplot2::ggplot(pointwise, ggplot2::aes(.data$median, .data$y)) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$lwr, ymax = .data$upr),
                            colour = plot_colours[["bar"]], alpha = 0.5) +
    ggplot2::geom_abline(colour = plot_colours[["guide"]]) +
    ggplot2::geom_point(colour = loocv_colours[["line"]], size = 1) +
    ggplot2::labs(x = paste("predicted", cv$response),
                  y = in_lines(paste("observed", cv$response)),
                  subtitle = predicted_title(cv))
}

ggplot_pit <- function(pointwise) {
  bars <- pit_bars(pointwise)
  ggplot2::ggplot(bars) +
    ggplot_bars() +
    ggplot2::geom_hline(yintercept = 1, colour = plot_colours[["guide"]]) +
    ggplot2::geom_hline(yintercept = attr(bars, "band"), colour = plot_colours[["guide"]],
                        linetype = 2) +
    ggplot2::labs(x = "P(Y < observed)", y = "density")
}

ggplot_bars <- function() {
  ggplot2::geom_rect(ggplot2::aes(xmin = .data$from, xmax = .data$to, ymin = 0,
                                  ymax = .data$density),
                     fill = plot_colours[["bar"]], colour = "white")
}

ggplot_coverage <- function(pointwise) {
  ggplot2::ggplot(coverage_curve(pointwise), ggplot2::aes(.data$probability)) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), alpha = 0.12) +
    ggplot2::geom_abline(colour = plot_colours[["guide"]]) +
    ggplot2::geom_line(ggplot2::aes(y = .data$inside), colour = loocv_colours[["line"]],
                       linewidth = 0.8) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(x = "probability of the interval", y = "share inside")
}

# Panels of one plot share a scale, of which only positive hyperparameters are to be logarithms.
# Others are moved far to the right, by which breaks and labels know them.
ggplot_hyperparameters <- function(fit) {
  far <- 1e4
  bars <- posterior_bars(fit)
  bars[!bars$positive, c("from", "to")] <- bars[!bars$positive, c("from", "to")] + far
  is_far <- function(x) any(x > far / 2, na.rm = TRUE)
  breaks <- function(limits) {
    if (is_far(limits)) {
      return(pretty(limits - far, 4L) + far)
    }
    ticks <- log(log_ticks(limits, 3L))
    if (length(ticks) > 5L) ticks[c(TRUE, FALSE)] else ticks
  }
  labels <- function(at) if (is_far(at)) format(at - far, trim = TRUE) else format_ticks(exp(at))
  bars$name <- factor(bars$name, unique(bars$name))
  panels <- if (is_average(fit)) c("title", "name") else "name"
  ggplot2::ggplot(bars) +
    ggplot_bars() +
    ggplot2::facet_wrap(panels, scales = "free", labeller = ggplot2::label_wrap_gen(24)) +
    ggplot2::scale_x_continuous(breaks = breaks, labels = labels) +
    ggplot2::scale_y_continuous(breaks = NULL) +
    ggplot2::labs(x = NULL, y = "density")
}

ggplot_transform <- function(fit, level, points) {
  band <- transform_band(fit, level, points)
  ggplot2::ggplot(band, ggplot2::aes(.data$y)) +
    ggplot2::geom_abline(colour = plot_colours[["guide"]], linetype = 2) +
    ggplot_bands(band[-(1:2)], TRUE, level) +
    ggplot_median(TRUE) +
    ggplot2::geom_rug(ggplot2::aes(.data$y), data = data.frame(y = fit_response(fit)),
                      sides = "b", alpha = 0.5) +
    ggplot2::labs(x = fit$response_name, y = in_lines(transform_label(fit)),
                  caption = "dashed: without a transform")
}

ggplot_quadrature <- function(fit) {
  panels <- c("weight of the heaviest nodes together, against their number",
              "weight of a node, against its log posterior density minus the highest")
  nodes <- quadrature_nodes(fit)
  modes <- quadrature_modes(fit)
  in_panel <- function(k) factor(panels[k], panels)
  left <- data.frame(panel = in_panel(1L), x = nodes$rank, y = nodes$cumulative)
  right <- data.frame(panel = in_panel(2L), x = -nodes$drop, y = log10(abs(nodes$weight)),
                      model = nodes$model, negative = nodes$weight < 0)
  effective <- fit$quadrature$effective_nodes
  plot <- ggplot2::ggplot(left, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_step(colour = plot_colours[["line"]], linewidth = 1) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data$x), linetype = 2,
                        data = data.frame(panel = in_panel(1L), x = effective),
                        colour = plot_colours[["guide"]]) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$model, shape = .data$negative), data = right,
                        size = 1, alpha = 0.6) +
    ggplot2::scale_shape_manual(values = c(16, 1), guide = "none") +
    ggplot2::scale_colour_manual(values = model_colours(unique(nodes$model)), name = NULL,
                                 guide = if (is_average(fit)) "legend" else "none") +
    ggplot2::scale_y_continuous(labels = function(y) {
      if (any(y < 0, na.rm = TRUE)) parse(text = paste0("10^", y)) else format(y)
    }) +
    ggplot2::facet_wrap("panel", scales = "free", labeller = ggplot2::label_wrap_gen(40)) +
    ggplot2::labs(x = NULL, y = NULL,
                  caption = paste(c(paste(format(effective, digits = 3), "effective nodes"),
                                    if (NROW(modes) > 0L) mode_note(modes)), collapse = "; "))
  if (NROW(modes) == 0L) {
    return(plot)
  }
  plot + ggplot2::geom_point(shape = 17, colour = plot_colours[["guide"]], size = 2,
                             data = data.frame(panel = in_panel(2L), x = -modes$drop,
                                               y = min(right$y)))
}

# A long label of an axis in several lines, as ggplot2 cuts what is longer than the page.
in_lines <- function(label) paste(strwrap(label, 40L), collapse = "\n")
