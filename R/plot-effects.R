# Predictions along variables of the data: plot() with `which = "fit"` and "partial".

# `effect_of` computes the curve of one variable: slice_effect() or partial_effect().
effects_page <- function(fit, request, effect_of = slice_effect) {
  variables <- variables_to_plot(fit, request$variables)
  log_x <- grepl("x", request$log)
  log_y <- grepl("y", request$log)
  # A page of many curves has fewer points per curve.
  request$most <- if (request$adapt) max(request$points, 600L %/% length(variables))
                  else request$points
  for (name in variables) if (log_x && is_curve(fit, name)) check_positive(fit$data[[name]], name)
  effects <- show_once(lapply(stats::setNames(nm = variables), function(name) {
    effect_of(fit, name, request, log_x)
  }))
  panels <- Map(function(name, effect) {
    residuals <- attr(effect, "residuals")
    y <- if (is.null(residuals)) fit_response(fit) else residuals
    limits <- if (is.null(residuals)) reported_limits(fit)
    if (log_y) check_positive(y, fit$response_name)
    slice_panel(fit, name, effect, plot_axis(fit$response_name, log = log_y), request$level, y,
                log_x, limits = limits)
  }, variables, effects)
  plot_page(panels, effects)
}

partial_page <- function(fit, request) effects_page(fit, request, partial_effect)

check_positive <- function(values, name) {
  if (!all(as.numeric(values) > 0, na.rm = TRUE)) {
    abort_btg(c("A logarithmic axis needs positive values.",
                x = paste0("`", name, "` has others.")), "argument")
  }
}

# Predictions along one variable with the others held: the values, the median, and the ends of the
# intervals, outermost first.
slice_effect <- function(fit, name, request, log_axis) {
  new <- slice_data(fit, name, request$points, log_axis, request$most)
  effect_frame(new[[name]], predicted_quantiles(fit, new, request))
}

effect_frame <- function(value, quantiles) {
  colnames(quantiles)[1L] <- "median"
  data.frame(value, quantiles, check.names = FALSE, row.names = NULL)
}

# Partial dependence: predictions along one variable, averaged over the other variables in at most
# `most` rows of the data. The ends of intervals are averaged too. The attribute `residuals` has the
# residual of each row added to the curve.
partial_effect <- function(fit, name, request, log_axis, most = 50L) {
  along <- values_along(fit, name, min(request$points, 40L), log_axis)
  rows <- fit$data[scattered_rows(row_count(fit), most), , drop = FALSE]
  new <- rows[rep(seq_len(nrow(rows)), each = length(along)), , drop = FALSE]
  new[[name]] <- rep(along, nrow(rows))
  row.names(new) <- NULL
  quantiles <- predicted_quantiles(fit, new, request)
  average <- quantiles[seq_along(along), , drop = FALSE]
  average[] <- apply(quantiles, 2L, function(column) {
    rowMeans(matrix(column, length(along)), na.rm = TRUE)
  })
  effect <- effect_frame(along, average)
  observed <- fit$data[[name]]
  curve <- if (is_curve(fit, name)) {
    stats::approx(as.numeric(along), effect$median, as.numeric(observed), rule = 2)$y
  } else {
    effect$median[match(as.character(observed), as.character(along))]
  }
  structure(effect, residuals = curve + own_residuals(fit))
}

# Residuals of the rows of the fit, without the missing values that na.exclude() puts between them.
own_residuals <- function(fit) {
  left <- suppressWarnings(stats::residuals(fit), classes = "btg_warning")
  if (inherits(fit$na.action, "exclude")) left[-fit$na.action] else left
}
