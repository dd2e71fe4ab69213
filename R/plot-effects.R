# Predictions along variables of the data: the panels of plot() for `which = "fit"`.

plot_effects <- function(fit, variables, level, observation, points, ...) {
  panels <- open_panels(length(variables), panel_layout(length(variables)), ...)
  on.exit(graphics::par(panels$old))
  effects <- say_once(Map(function(name, labels) {
    effect <- variable_effect(fit, name, level, observation, points)
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
variable_effect <- function(fit, name, level, observation, points) {
  new <- slice_data(fit, name, points)
  quantiles <- suppressWarnings(
    predict(fit, new, type = "quantile", probs = effect_probs(level), observation = observation),
    classes = paste0("btg_warning_", c("lost_mass", "rearranged", "outside_warp"))
  )
  data.frame(value = new[[name]], median = quantiles[, 1L], quantiles[, -1L, drop = FALSE],
             check.names = FALSE, row.names = NULL)
}

# Rows along one variable, at `points` values or at all there are, with the others held.
slice_data <- function(fit, name, points) {
  values <- fit$data[[name]]
  along <- if (is_curve(fit, name)) {
    seq(min(values), max(values), length.out = points)
  } else {
    sort(unique(values))
  }
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
  (is.numeric(values) || inherits(values, c("Date", "POSIXct"))) && length(unique(values)) > 2L
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
  blue <- plot_colours[["line"]]
  y <- fit_response(fit)
  observed <- fit$data[[name]]
  numeric <- is_curve(fit, name)
  at <- if (numeric) effect$value else seq_along(effect$value)
  position <- if (numeric) observed else match(as.character(observed), as.character(effect$value))
  ends <- effect[, -(1:2), drop = FALSE]
  plot_panel(range(at) + if (numeric) 0 else c(-0.5, 0.5), range(y, ends, finite = TRUE),
             type = "n", xlab = name, ylab = fit$response_name, xaxt = if (numeric) "s" else "n",
             labels = labels)
  if (!numeric) graphics::axis(1, at, as.character(effect$value))
  draw_bands(at, ends, numeric)
  graphics::points(if (numeric) position else jitter_evenly(position), y, pch = 16, cex = 0.6,
                   col = grDevices::adjustcolor("black", 0.5))
  if (numeric) {
    graphics::lines(at, effect$median, col = blue, lwd = 2.5)
  } else {
    graphics::segments(at - 0.3, effect$median, at + 0.3, effect$median, col = blue, lwd = 2.5)
  }
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
