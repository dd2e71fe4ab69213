#' Plot a fit
#'
#' Shows what a fit says: the response against each variable, the left-out predictions, or the
#' posterior of the hyperparameters.
#'
#' @param x A fit by [btg()].
#' @param which What to draw:
#'   * `"fit"`: the median and credible intervals of a new observation against each variable, with
#'     the data. The other variables are held at their medians, or at their most frequent value if
#'     they are not numbers; the points are all data, wherever their other variables are;
#'   * `"predicted"`: the panels of [plot.btg_loocv()];
#'   * `"hyperparameters"`: the posterior of each hyperparameter, on a log scale if it is positive.
#' @param variables For `"fit"`, the names of the variables to draw, by default all, at most nine.
#' @param level The probabilities of the intervals.
#' @param observation `TRUE` to draw intervals of new observations, `FALSE` of the noise-free
#'   process.
#' @param points How many points each curve has.
#' @param ... Passed to [graphics::par()].
#' @return For `"fit"`, invisibly, a list with a data frame for each variable: its values and the
#'   predictions that were drawn. Otherwise `x`, invisibly.
#' @examples
#' fit <- btg(Ozone ~ Temp + Wind, data = airquality, transform = "softplus")
#' plot(fit)
#' plot(fit, which = "hyperparameters")
#' @export
plot.btg <- function(x, which = c("fit", "predicted", "hyperparameters"), variables = NULL,
                     level = c(0.5, 0.95), observation = TRUE, points = 80, ...) {
  call <- quote(plot())
  which <- check_choice(which, c("fit", "predicted", "hyperparameters"), "which", call)
  check_probs(level, call = call)
  check_flag(observation, call = call)
  check_count(points, call = call)
  if (which == "predicted") {
    plot(loocv(x), ...)
    return(invisible(x))
  }
  if (which == "hyperparameters") {
    check_averaged(x, "`confint()` has their intervals.", call)
    plot_hyperparameters(x, ...)
    return(invisible(x))
  }
  variables <- variables_to_plot(x, variables, call)
  old <- panel_layout(length(variables), ...)
  on.exit(graphics::par(old))
  drawn <- lapply(stats::setNames(nm = variables), function(name) {
    effect <- variable_effect(x, name, sort(level), observation, points)
    draw_effect(x, name, effect, sort(level))
    effect
  })
  invisible(drawn)
}

# As square a grid of panels as there are.
panel_layout <- function(panels, ...) {
  columns <- ceiling(sqrt(panels))
  graphics::par(mfrow = c(ceiling(panels / columns), columns), mar = c(4.2, 4.2, 1.5, 1),
                mgp = c(2.5, 0.7, 0), las = 1, bty = "l", ...)
}

variables_to_plot <- function(fit, variables, call) {
  known <- names(fit$data)
  if (is.null(variables)) {
    return(utils::head(known, 9L))
  }
  unknown <- setdiff(variables, known)
  if (!is.character(variables) || length(unknown) > 0L || length(variables) == 0L) {
    abort_argument("variables", paste("must be among", list_names(known, most = Inf)), variables,
                   call)
  }
  variables
}

# Predictions along one variable, the others held: its values, the median, and the ends of the
# intervals, outermost first.
variable_effect <- function(fit, name, level, observation, points) {
  values <- fit$data[[name]]
  along <- if (is.numeric(values) && length(unique(values)) > 2L) {
    seq(min(values), max(values), length.out = points)
  } else {
    sort(unique(values))
  }
  held <- lapply(fit$data, typical_value)
  held[[name]] <- along
  new <- as.data.frame(lapply(held, function(value) rep_len(value, length(along))),
                       check.names = FALSE, stringsAsFactors = FALSE)
  names(new) <- names(fit$data)
  probs <- c(0.5, (1 - rev(level)) / 2, (1 + level) / 2)
  quantiles <- suppressWarnings(
    predict(fit, new, type = "quantile", probs = probs, observation = observation)
  )
  data.frame(value = along, median = quantiles[, 1L], quantiles[, -1L, drop = FALSE],
             check.names = FALSE, row.names = NULL)
}

typical_value <- function(values) {
  if (is.numeric(values)) {
    return(stats::median(values))
  }
  counts <- table(as.character(values))
  values[match(names(counts)[which.max(counts)], as.character(values))]
}

draw_effect <- function(fit, name, effect, level) {
  blue <- "#0072B2"
  y <- fit_response(fit)
  observed <- fit$data[[name]]
  numeric <- is.numeric(effect$value) && nrow(effect) > 2L
  at <- if (numeric) effect$value else seq_along(effect$value)
  position <- if (numeric) observed else match(as.character(observed), as.character(effect$value))
  ends <- effect[, -(1:2), drop = FALSE]
  graphics::plot(range(at) + if (numeric) 0 else c(-0.5, 0.5), range(y, ends, finite = TRUE),
                 type = "n", xlab = name, ylab = fit$response_name,
                 xaxt = if (numeric) "s" else "n")
  if (!numeric) graphics::axis(1, at, as.character(effect$value))
  for (k in seq_along(level)) {
    lower <- ends[, k]
    upper <- ends[, ncol(ends) + 1L - k]
    shade <- grDevices::adjustcolor(blue, c(0.18, 0.3)[min(k, 2L)])
    if (numeric) {
      graphics::polygon(c(at, rev(at)), c(lower, rev(upper)), col = shade, border = NA)
    } else {
      graphics::rect(at - 0.3, lower, at + 0.3, upper, col = shade, border = NA)
    }
  }
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

# Weighted histograms of the free hyperparameters, those of several models one after the other.
plot_hyperparameters <- function(fit, ...) {
  panels <- list()
  for (model in members(fit)) {
    free <- Filter(function(h) !is.numeric(h$prior), model$problem$hyperparameters)
    for (h in free) {
      title <- if (is_average(fit)) model_name(fit, model) else ""
      panels[[length(panels) + 1L]] <- list(h = h, nodes = nodes(model), title = title)
    }
  }
  old <- panel_layout(length(panels), ...)
  on.exit(graphics::par(old))
  for (panel in panels) draw_posterior(panel$h, panel$nodes, panel$title)
}

model_name <- function(fit, model) {
  same <- vapply(fit$models, function(other) {
    identical(other$transform$layers, model$transform$layers) &&
      identical(other$kernel, model$kernel)
  }, NA)
  names(fit$models)[same][1L]
}

draw_posterior <- function(hyperparameter, nodes, title) {
  values <- nodes[[hyperparameter$name]]
  weight <- pmax(nodes$weight, 0)
  if (hyperparameter$positive) values <- log(values)
  reach <- weighted_quantile(values, weight / sum(weight), c(0.001, 0.999))
  breaks <- seq(reach[1L], reach[2L], length.out = 21L)
  bin <- findInterval(values, breaks, rightmost.closed = TRUE, all.inside = TRUE)
  height <- vapply(seq_len(20L), function(k) sum(weight[bin == k]), 0) / diff(breaks)
  graphics::plot(range(breaks), c(0, max(height)), type = "n", xlab = hyperparameter$name,
                 ylab = "density", main = title, xaxt = if (hyperparameter$positive) "n" else "s",
                 yaxt = "n", cex.main = 0.9)
  if (hyperparameter$positive) {
    ticks <- grDevices::axisTicks(reach / log(10), log = TRUE, nint = 4)
    graphics::axis(1, log(ticks), format(ticks, trim = TRUE, drop0trailing = TRUE))
  }
  graphics::rect(breaks[-21L], 0, breaks[-1L], height, col = "#9DB8D2", border = "white")
}
