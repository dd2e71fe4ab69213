# Predictions along variables of the data: the panels of plot() for `which = "fit"` and "partial".

# `effect_of` makes the curve of a variable: variable_effect() or partial_effect().
plot_effects <- function(fit, variables, level, observation, points, ...,
                         effect_of = variable_effect) {
  panels <- open_panels(length(variables), panel_layout(length(variables)), ...)
  on.exit(graphics::par(panels$old))
  effects <- say_once(Map(function(name, labels) {
    log_axis <- has_log_axis(labels, "x") && is_curve(fit, name)
    effect <- effect_of(fit, name, level, observation, points, log_axis)
    draw_effect(fit, name, effect, labels)
    effect
  }, stats::setNames(nm = variables), panels$labels))
  draw_title(panels$title)
  effects
}

variables_to_plot <- function(fit, variables, call) {
  known <- all_variables(fit)
  if (is.null(variables) && length(known) > 0L) {
    return(utils::head(known, 9L))
  }
  if (length(known) == 0L) {
    abort_btg(c("There is no variable to draw predictions against.",
                i = "Columns that are matrices cannot be drawn; use `predict()`."), "plot", call)
  }
  unknown <- setdiff(variables, known)
  if (!is.character(variables) || length(unknown) > 0L || length(variables) == 0L) {
    abort_argument("variables", paste("must be among", list_names(known, most = Inf)), variables,
                   call)
  }
  variables
}

# Those that predictions can be drawn against: columns that are matrices cannot.
all_variables <- function(fit) {
  known <- names(Filter(function(values) is.null(dim(values)), fit$data))
  setdiff(known, fit$dropped_inputs)
}

# Predictions along one variable, the others held: its values, the median, and the ends of the
# intervals, outermost first.
variable_effect <- function(fit, name, level, observation, points, log_axis = FALSE) {
  new <- slice_data(fit, name, points, log_axis)
  quantiles <- suppressWarnings(
    predict(fit, new, type = "quantile", probs = effect_probs(level), observation = observation),
    classes = paste0("btg_warning_", c("lost_mass", "rearranged", "outside_warp"))
  )
  data.frame(value = new[[name]], median = quantiles[, 1L], quantiles[, -1L, drop = FALSE],
             check.names = FALSE, row.names = NULL)
}

# The predictions along one variable averaged over the others as the data have them: partial
# dependence. The ends of intervals are averaged too. The attribute `residuals` has what is left of
# each response, added to the curve.
partial_effect <- function(fit, name, level, observation, points, log_axis = FALSE,
                           most = 50L) {
  along <- values_along(fit, name, min(points, 40L), log_axis)
  rows <- fit$data[scattered_rows(row_count(fit), most), , drop = FALSE]
  new <- rows[rep(seq_len(nrow(rows)), each = length(along)), , drop = FALSE]
  new[[name]] <- rep(along, nrow(rows))
  row.names(new) <- NULL
  quantiles <- suppressWarnings(
    predict(fit, new, type = "quantile", probs = effect_probs(level), observation = observation),
    classes = paste0("btg_warning_", c("lost_mass", "rearranged", "outside_warp"))
  )
  average <- apply(quantiles, 2L, function(column) {
    rowMeans(matrix(column, length(along)), na.rm = TRUE)
  })
  colnames(average) <- colnames(quantiles)
  effect <- data.frame(value = along, median = average[, 1L], average[, -1L, drop = FALSE],
                       check.names = FALSE)
  observed <- fit$data[[name]]
  level_at <- if (is_curve(fit, name)) {
    stats::approx(as.numeric(along), effect$median, as.numeric(observed), rule = 2)$y
  } else {
    effect$median[match(as.character(observed), as.character(along))]
  }
  fitted <- suppressWarnings(answered_medians(fit), classes = "btg_warning")
  structure(effect, residuals = fit_response(fit) - fitted + level_at)
}

# Those of the rows of the fit, whatever its na.action.
answered_medians <- function(fit) {
  points <- prediction_points(fit, NULL, quote(plot()))
  points$na.action <- NULL
  answer_questions(fit, points, list(quantile = matrix(0.5)))$answers$quantile$value[, 1L]
}

# Values of a variable: `points` of them, or all there are.
values_along <- function(fit, name, points, log_axis = FALSE) {
  values <- fit$data[[name]]
  if (!is_curve(fit, name)) {
    return(sort(unique(values)))
  }
  unit <- unit_of(values)
  if (!is.null(unit)) values <- as.double(values)
  along <- if (log_axis && is.numeric(values) && min(values) > 0) {
    exp(seq(log(min(values)), log(max(values)), length.out = points))
  } else {
    seq(min(values), max(values), length.out = points)
  }
  if (is.null(unit)) along else in_unit(along, unit, name, quote(plot()))
}

# Rows along one variable, at `points` values or at all there are, with the others held.
slice_data <- function(fit, name, points, log_axis = FALSE) {
  along <- values_along(fit, name, points, log_axis)
  new <- fit$data[rep(1L, length(along)), , drop = FALSE]
  row.names(new) <- NULL
  for (other in names(new)) {
    typical <- typical_value(fit, other)
    new[[other]] <- if (is.matrix(typical)) typical[rep(1L, length(along)), , drop = FALSE]
                    else rep_len(typical, length(along))
  }
  new[[name]] <- along
  new
}

# Two values or categories are not.
is_continuous <- function(values) {
  has_range(values) && length(unique(values)) > 2L
}

# Whether predictions along a variable are a curve: a number may be made a category, as by factor().
is_curve <- function(fit, name) {
  if (!is_continuous(fit$data[[name]])) {
    return(FALSE)
  }
  written <- unlist(lapply(c("inputs", "trend"), function(part) {
    as.list(attr(stats::terms(fit, part = part), "variables"))[-1L]
  }))
  made <- Filter(function(one) name %in% all.vars(one) && all(all.vars(one) %in% names(fit$data)),
                 written)
  all(vapply(made, function(one) {
    values <- eval(one, fit$data, fit$blueprint$environment)
    !is.factor(values) && !is.character(values) && !is.logical(values)
  }, NA))
}

# Where a variable is held: at its median, or an observed value, as a category must be known.
typical_value <- function(fit, name) {
  values <- fit$data[[name]]
  if (is.matrix(values)) {
    return(rbind(apply(values, 2L, stats::median)))
  }
  if (is.numeric(values) && (is_curve(fit, name) || !is_continuous(values))) {
    return(stats::median(values))
  }
  if (is_continuous(values)) {
    return(stats::quantile(values, 0.5, type = 1, names = FALSE))
  }
  counts <- table(as.character(values))
  values[match(names(counts)[which.max(counts)], as.character(values))]
}

draw_effect <- function(fit, name, effect, labels = list()) {
  colour <- panel_colour(labels)
  y <- if (is.null(attr(effect, "residuals"))) fit_response(fit) else attr(effect, "residuals")
  observed <- fit$data[[name]]
  numeric <- is_curve(fit, name)
  # Axes of durations and of units count in numbers.
  if (!is.null(unit_of(observed))) {
    effect$value <- as.double(effect$value)
    observed <- as.double(observed)
  }
  at <- if (numeric) effect$value else seq_along(effect$value)
  position <- if (numeric) observed else match(as.character(observed), as.character(effect$value))
  ends <- effect[, -(1:2), drop = FALSE]
  labels <- log_labels(labels, numeric, at, y, name, fit)
  shown <- c(y, unlist(ends))
  if (has_log_axis(labels, "y")) shown <- shown[shown > 0]
  plot_panel(range(at) + if (numeric) 0 else c(-0.5, 0.5), range(shown, finite = TRUE),
             type = "n", xlab = name, ylab = fit$response_name, labels = labels,
             categories = if (!numeric) as.character(effect$value))
  draw_bands(at, ends, numeric, colour)
  graphics::points(if (numeric) position else jitter_evenly(position), y, pch = 16, cex = 0.6,
                   col = grDevices::adjustcolor("black", 0.5))
  if (numeric) {
    graphics::lines(at, effect$median, col = colour, lwd = 2.5)
  } else {
    graphics::segments(at - 0.3, effect$median, at + 0.3, effect$median, col = colour, lwd = 2.5)
  }
}

# Categories have no logarithms, and other values must be positive.
log_labels <- function(labels, numeric, at, y, name, fit) {
  if (has_log_axis(labels, "x") && !numeric) labels$log <- sub("x", "", labels$log)
  for (side in c("x", "y")) {
    values <- if (side == "x") at else y
    if (has_log_axis(labels, side) && !all(as.numeric(values) > 0)) {
      what <- if (side == "x") name else fit$response_name
      abort_btg(c("A logarithmic axis needs positive values.",
                  x = paste0("`", what, "` has others.")), "argument", quote(plot()))
    }
  }
  labels
}

# Spreads points of the same position, without random numbers.
jitter_evenly <- function(position) {
  position + 0.2 * (stats::ave(position, position, FUN = function(p) {
    if (length(p) == 1L) 0 else (seq_along(p) * 0.618) %% 1 - 0.5
  }))
}

# At most nine by default, and the others are named.
variables_of_panels <- function(fit, variables, call) {
  chosen <- variables_to_plot(fit, variables, call)
  if (is.null(variables)) inform_left_out(setdiff(all_variables(fit), chosen), call)
  chosen
}

# Which variables a default leaves out: of another kind, or beyond the ninth.
inform_left_out <- function(names, call) {
  if (length(names) > 0L) {
    inform_btg(c(i = paste0("Not drawn: ", list_names(names), ". Name such variables to see them: ",
                            "`variables = \"", names[1L], "\"`.")), "not_drawn", call)
  }
}
