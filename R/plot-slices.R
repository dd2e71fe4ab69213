# Slices through the data of a fit: one variable varies, the others are held.

# The variables to draw: those the user named, or the first nine. A message names the others.
variables_to_plot <- function(fit, variables, default = all_variables(fit)) {
  known <- all_variables(fit)
  if (length(known) == 0L) {
    abort_btg(c("There is no variable to draw predictions against.",
                i = "Columns that are matrices cannot be drawn; use `predict()`."), "plot")
  }
  if (is.null(variables)) {
    if (length(default) > 9L) {
      inform_btg(c(i = paste0("Not drawn: ", list_names(default[-(1:9)]), ". Name such variables ",
                              "to see them: `variables = \"", default[10L], "\"`.")), "not_drawn")
    }
    return(utils::head(default, 9L))
  }
  if (!is.character(variables) || !all(variables %in% known) || length(variables) == 0L) {
    abort_argument("variables", paste("must be among", list_names(known, most = Inf)), variables)
  }
  variables
}

# Names of the variables that predictions can be drawn against. Columns that are matrices cannot.
all_variables <- function(fit) {
  known <- names(Filter(function(values) is.null(dim(values)), fit$data))
  setdiff(known, fit$dropped_inputs)
}

# `points` values over the range of a variable, or all of its categories. If more values resolve the
# curve better, there are up to `most`: four per lengthscale, and the values of the data, where a
# curve with little noise has its peaks.
values_along <- function(fit, name, points, log_axis = FALSE, most = points) {
  values <- fit$data[[name]]
  if (!is_curve(fit, name)) {
    return(sort(unique(values)))
  }
  unit <- unit_of(values)
  values <- without_unit(values)
  along <- if (log_axis && is.numeric(values) && min(values) > 0) {
    exp(seq(log(min(values)), log(max(values)), length.out = points))
  } else {
    steps <- min(4 * lengthscales_across(fit, name) + 1, most)
    seq(min(values), max(values), length.out = max(points, steps))
  }
  if (most > points && length(unique(values)) <= most) along <- sort(unique(c(along, values)))
  if (is.null(unit)) along else in_unit(along, unit, name)
}

# Returns the range of a variable in lengthscales of its input, the shortest posterior median of all
# terms of the models with a weight that shows; 0 if the variable is not an input as it is.
lengthscales_across <- function(fit, name) {
  column <- match(name, fit$blueprint$layout$input)
  scale <- paste0("lengthscale.", if (fit$settings$ard) name else "all")
  if (is.na(column)) {
    return(0)
  }
  models <- fit$models[fit$model_weights > 0.05]
  medians <- lapply(models, function(model) {
    names <- hyper_names(model)
    own <- which(names == scale | endsWith(names, paste0(".", scale)))
    apply(model$posterior$hyper[, own, drop = FALSE], 2L, weighted_quantile,
          weight = model$posterior$weight, p = 0.5)
  })
  diff(range(fit$design$inputs[, column])) / min(Inf, unlist(medians))
}

# Rows along one variable, with the others held at typical values.
slice_data <- function(fit, name, points, log_axis = FALSE, most = points) {
  along <- values_along(fit, name, points, log_axis, most)
  new <- held_data(fit, length(along))
  new[[name]] <- along
  new
}

# `rows` rows with every variable at its typical value.
held_data <- function(fit, rows) {
  new <- fit$data[rep(1L, rows), , drop = FALSE]
  row.names(new) <- NULL
  for (name in names(new)) new[[name]][] <- rep(typical_value(fit, name), each = rows)
  new
}

# The median of a variable, or an observed value where it must be a known category.
typical_value <- function(fit, name) {
  values <- fit$data[[name]]
  if (is.matrix(values)) {
    rbind(apply(values, 2L, stats::median))
  } else if (is.numeric(values) && (is_curve(fit, name) || !is_continuous(values))) {
    stats::median(values)
  } else if (is_continuous(values)) {
    stats::quantile(values, 0.5, type = 1, names = FALSE)
  } else {
    values[match(names(which.max(table(as.character(values)))), as.character(values))]
  }
}

is_continuous <- function(values) has_range(values) && length(unique(values)) > 2L

# Returns whether predictions along a variable form a curve.
is_curve <- function(fit, name) is_continuous(fit$data[[name]]) && !names_categories(fit, name)

# Predictions without the warnings that are of no use for a plot.
predict_quietly <- function(fit, newdata, request, ...) {
  suppressWarnings(predict(fit, newdata, observation = request$observation, ...),
                   classes = paste0("btg_warning_", c("lost_mass", "rearranged", "outside_warp")))
}

# The median and the ends of intervals, one row per row of `newdata`.
predicted_quantiles <- function(fit, newdata, request) {
  predict_quietly(fit, newdata, request, type = "quantile", probs = curve_probs(request$level))
}

# A panel with a curve along one variable of a fit, or a box for each category. `curve` has the
# column `value` and those of curve_layers(); `y` are observations, drawn as points, between
# `limits` if they are censored. `rows` are those of the data that belong to the curve.
slice_panel <- function(fit, name, curve, y_axis, level, y = NULL, log_axis = FALSE, bands = TRUE,
                        limits = NULL, rows = seq_len(row_count(fit))) {
  continuous <- is_curve(fit, name)
  names <- if (!continuous) as.character(curve$value)
  at <- if (continuous) without_unit(curve$value) else seq_along(names)
  observed <- fit$data[[name]][rows]
  gaps <- if (continuous) data_gaps(without_unit(observed), at, log_axis && all(at > 0))
  layers <- curve_layers(at, curve[setdiff(names(curve), "value")], level, continuous, bands, gaps)
  if (!is.null(y)) {
    x <- if (continuous) without_unit(observed)
         else spread_evenly(match(as.character(observed), names))
    # Points lie above the bands and below the median.
    points <- response_layers(x, y, limits, colour = "data", alpha = 0.5, size = 0.6)
    layers <- append(layers, points, match("median", names(layers)) - 1L)
  }
  plot_panel(layers, plot_axis(name, names = names, log = log_axis && continuous), y_axis)
}

# Spreads points at the same position, without random numbers.
spread_evenly <- function(position) {
  offset <- function(p) 0.2 * ((0.618 * seq_along(p)) %% 1 - 0.5)
  position + stats::ave(position, position, FUN = offset)
}
