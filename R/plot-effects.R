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
  panels <- conditional_panels(fit, variables, request$by)
  effects <- show_once(lapply(panels, function(panel) {
    effect_of(fit, panel$name, request, log_x, panel$condition)
  }))
  responses <- Map(function(effect, panel) {
    residuals <- attr(effect, "residuals")
    (if (is.null(residuals)) fit_response(fit) else residuals)[panel$condition$rows]
  }, effects, panels)
  # Panels share the axis of the response.
  shown <- unlist(c(lapply(effects, function(effect) effect[-1L]), responses), use.names = FALSE)
  limits <- range(shown[shown > 0 | !log_y], finite = TRUE)
  drawn <- Map(function(panel, effect, y) {
    rows <- panel$condition$rows
    reported <- if (is.null(attr(effect, "residuals"))) reported_limits(fit)[rows, , drop = FALSE]
    if (log_y) check_positive(y, fit$response_name)
    one <- slice_panel(fit, panel$name, effect, plot_axis(fit$response_name, limits, log = log_y),
                       request$level, y, log_x, limits = reported, rows = rows)
    one$title <- panel$condition$title
    one
  }, panels, effects, responses)
  plot_page(drawn, effects, caption = effects_caption(fit, request, variables, effect_of, drawn))
}

# Says what the line, the bands and the points are, and where the other variables are.
effects_caption <- function(fit, request, variables, effect_of, panels) {
  of <- if (request$observation) "new observations" else "the noise-free process"
  partial <- identical(effect_of, partial_effect)
  others <- if (partial) "averaged over the other variables"
            else held_words(fit, variables, request$by)
  of_rows <- if (is.null(request$by)) "all rows"
             else paste(if (is_curve(fit, request$by)) "rows near this" else "rows with this",
                        request$by)
  paste0("Line: median. Bands: ", level_words(request$level), " intervals of ", of,
         if (!is.null(others)) paste0(", ", others), ". Points: ",
         if (partial) "partial residuals of ", of_rows, ".", censored_words(panels),
         gap_words(panels))
}

# Writes levels as in: 50% and 95%.
level_words <- function(level) list_names(paste0(format(100 * level, trim = TRUE), "%"), "")

# Where the variables are that panels do not vary, or NULL if there are none.
held_words <- function(fit, variables, by = NULL) {
  varied <- c(if (length(variables) == 1L) variables, by)
  others <- setdiff(all_variables(fit), varied)
  if (length(others) == 0L) {
    return(NULL)
  }
  at <- vapply(others, function(name) {
    paste(name, "=", format(typical_value(fit, name), digits = 3L))
  }, "")
  paste0(if (length(variables) > 1L) "each with the others at " else "at ",
         list_names(at, "", most = 6L))
}

gap_words <- function(panels) {
  gap <- unlist(lapply(panels, function(panel) any(endsWith(names(panel$layers), " in gaps"))))
  if (any(gap)) " Pale and dotted: no data."
}

censored_words <- function(panels) {
  drawn <- unlist(lapply(panels, function(panel) names(panel$layers)))
  if (any(c("below", "above") %in% drawn)) {
    " Triangles: the response is known to be above or below."
  }
}

# One list(name, condition) per panel, named by both.
conditional_panels <- function(fit, variables, by) {
  conditions <- plot_conditions(fit, by)
  panels <- do.call(c, lapply(setdiff(variables, by), function(name) {
    lapply(conditions, function(condition) list(name = name, condition = condition))
  }))
  titles <- vapply(panels, function(panel) {
    paste(c(panel$name, if (!is.null(by)) panel$condition$title), collapse = ", ")
  }, "")
  if (length(panels) > 9L && !is.null(by)) {
    inform_btg(c(i = paste0("Only the first nine of ", length(panels), " panels are drawn: choose ",
                            "fewer `variables`.")), "not_drawn")
    panels <- panels[1:9]
  }
  stats::setNames(panels, titles[seq_along(panels)])
}

# The values of `by`: a list of list(title, rows, set), where `rows` are those of the data to show
# and `set(data)` sets the variable in data.
plot_conditions <- function(fit, by) {
  if (is.null(by)) {
    return(list(list(title = "", rows = seq_len(row_count(fit)), set = identity)))
  }
  values <- fit$data[[by]]
  if (is_curve(fit, by)) {
    shown <- unique(stats::quantile(values, c(0.1, 0.5, 0.9), type = 1L, names = FALSE))
    distance <- abs(outer(as.numeric(values), as.numeric(shown), `-`))
    group <- max.col(-distance, "first")
  } else {
    shown <- sort(unique(values))
    group <- match(values, shown)
  }
  lapply(seq_along(shown), function(k) {
    list(title = paste(by, "=", format(shown[k], digits = 3L)), rows = which(group == k),
         set = function(data) replace(data, by, list(rep(shown[k], nrow(data)))))
  })
}

check_by <- function(by, fit, which) {
  if (is.null(by)) {
    return(invisible())
  }
  known <- all_variables(fit)
  if (!(is.character(by) && length(by) == 1L && by %in% known)) {
    abort_argument("by", paste("must be one of", list_names(known, most = Inf)), by)
  }
  if (!which %in% c("fit", "partial")) {
    abort_btg(c("`by` has no effect here.",
                i = "It goes with `which = \"fit\"` and \"partial\"."), "argument")
  }
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
slice_effect <- function(fit, name, request, log_axis, condition) {
  new <- condition$set(slice_data(fit, name, request$points, log_axis, request$most))
  effect_frame(new[[name]], predicted_quantiles(fit, new, request))
}

effect_frame <- function(value, quantiles) {
  colnames(quantiles)[1L] <- "median"
  data.frame(value, quantiles, check.names = FALSE, row.names = NULL)
}

# Partial dependence: predictions along one variable, averaged over the other variables in at most
# `most` rows of the data. The ends of intervals are averaged too. The attribute `residuals` has the
# residual of each row added to the curve.
partial_effect <- function(fit, name, request, log_axis, condition, most = 50L) {
  along <- values_along(fit, name, min(request$points, 40L), log_axis)
  rows <- fit$data[scattered_rows(row_count(fit), most), , drop = FALSE]
  new <- condition$set(rows[rep(seq_len(nrow(rows)), each = length(along)), , drop = FALSE])
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
