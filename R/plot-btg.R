#' Plot a fit
#'
#' Shows what a fit says: the response against each variable, the left-out predictions, the
#' posterior of the hyperparameters or of the transform, or how the integral over them went.
#'
#' @param x A fit by [btg()] or [wgp()].
#' @param which What to draw:
#'   * `"fit"`: the median and credible intervals of a new observation against each variable, with
#'     the data. The other variables are held at their medians, or at their most frequent value if
#'     they are not numbers; the points are all data, wherever their other variables are;
#'   * `"predicted"`: the panels of [plot.btg_loocv()];
#'   * `"hyperparameters"`: the posterior of each hyperparameter, on a log scale if it is positive;
#'     not for fits by [wgp()], which have none;
#'   * `"transform"`: the posterior of the transformation \eqn{g} over the range of the data, its
#'     median and pointwise intervals, with a rug of the data. As \eqn{g} is known only up to a
#'     shift and a factor, each node's is drawn so that its values at the data have the mean and the
#'     standard deviation of the response. The dashed line is where it would be without a
#'     transform;
#'   * `"quadrature"`: how the integral over the hyperparameters is spread over its nodes, not for
#'     fits by [wgp()]. On the left, the weight of the largest nodes together, with the effective
#'     number of nodes: a curve that jumps at the start says that few nodes decide. On the right,
#'     the weights against the log posterior density, in which good rules have no heavy node far
#'     below the top; triangles are modes, with their shares of the mass.
#' @param variables For `"fit"`, the names of the variables to draw, by default all, at most nine.
#' @param level The probabilities of the intervals, for `"fit"` and `"transform"`.
#' @param observation For `"fit"`, `TRUE` to draw intervals of new observations, `FALSE` of the
#'   noise-free process.
#' @param points How many points each curve has.
#' @param ... Graphical parameters: `main`, `sub`, `xlab` and `ylab`, one for all panels or one for
#'   each (one `main` for several panels is drawn above them all); `xlim` and `ylim`, for all
#'   panels; and what [graphics::par()] takes, such as `mfrow` or `cex`.
#' @return Invisibly, what was drawn. For `"fit"`, a list with a data frame for each variable: its
#'   values and the predictions; for `"predicted"`, the result of [loocv()]; for
#'   `"hyperparameters"`, a data frame with one row a bar: `title` (the model), `name`, `positive`,
#'   `from` and `to` (logarithms if `positive`) and `density`; for `"transform"`, a data frame with
#'   the response `y`, the `median` and the ends of the intervals of \eqn{g}; for `"quadrature"`, a
#'   data frame with one row a node: `model`, `rank`, `weight`, `cumulative` weight, and `drop`, how
#'   far its log posterior density is below the highest.
#' @seealso [autoplot.btg()] for the same with ggplot2.
#' @examples
#' fit <- btg(Ozone ~ Temp + Wind, data = airquality, transform = "softplus")
#' plot(fit)
#' plot(fit, which = "hyperparameters")
#' plot(fit, which = "transform")
#' plot(fit, which = "quadrature")
#' @export
plot.btg <- function(x,
                     which = c("fit", "predicted", "hyperparameters", "transform", "quadrature"),
                     variables = NULL, level = c(0.5, 0.95), observation = TRUE, points = 80,
                     ...) {
  call <- quote(plot())
  which <- check_which(which, eval(formals(plot.btg)$which), x, call)
  check_probs(level, call = call)
  level <- sort(level)
  check_flag(observation, call = call)
  check_count(points, call = call)
  check_posterior_shown(x, which, call)
  drawn <- switch(which,
    fit = plot_effects(x, variables_of_panels(x, variables, call), level, observation, points,
                       ...),
    predicted = plot(loocv(x), ...),
    hyperparameters = plot_hyperparameters(x, ...),
    transform = plot_transform(x, level, points, ...),
    quadrature = plot_quadrature(x, ...)
  )
  invisible(drawn)
}

# A variable may have been meant.
check_which <- function(which, choices, fit, call) {
  if (is.character(which) && length(which) > 0L && all(which %in% all_variables(fit))) {
    abort_btg(c(paste0("`which` says what to draw, not against what: it cannot be ",
                       list_names(which, "\""), "."),
                i = "Name variables in `variables`."), "argument", call)
  }
  check_choice(which, choices, "which", call)
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

check_posterior_shown <- function(fit, which, call) {
  if (which %in% c("hyperparameters", "quadrature")) {
    check_averaged(fit, "`confint()` has their intervals.", call)
  }
}

plot_effects <- function(fit, variables, level, observation, points, ...) {
  panels <- open_panels(length(variables), panel_layout(length(variables)), ...)
  on.exit(graphics::par(panels$old))
  effects <- say_once(Map(function(name, words) {
    effect <- variable_effect(fit, name, level, observation, points)
    draw_effect(fit, name, effect, words)
    effect
  }, stats::setNames(nm = variables), panels$words))
  draw_title(panels$title)
  effects
}

plot_colours <- c(line = "#0072B2", bar = "#9DB8D2", guide = "#D55E00")

# For several models: the colours of Okabe and Ito, which all eyes tell apart.
model_colours <- function(models) {
  shades <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000")
  stats::setNames(rep_len(shades, length(models)), models)
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
  quantiles <- suppressWarnings(
    predict(fit, new, type = "quantile", probs = effect_probs(level), observation = observation),
    classes = paste0("btg_warning_", c("lost_mass", "rearranged", "outside_warp"))
  )
  data.frame(value = along, median = quantiles[, 1L], quantiles[, -1L, drop = FALSE],
             check.names = FALSE, row.names = NULL)
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

draw_effect <- function(fit, name, effect, words = list()) {
  blue <- plot_colours[["line"]]
  y <- fit_response(fit)
  observed <- fit$data[[name]]
  numeric <- is_curve(fit, name)
  at <- if (numeric) effect$value else seq_along(effect$value)
  position <- if (numeric) observed else match(as.character(observed), as.character(effect$value))
  ends <- effect[, -(1:2), drop = FALSE]
  plot_panel(range(at) + if (numeric) 0 else c(-0.5, 0.5), range(y, ends, finite = TRUE),
             type = "n", xlab = name, ylab = fit$response_name, xaxt = if (numeric) "s" else "n",
             words = words)
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

# The intervals whose ends are the columns of `ends`, outermost first; as bars if not `continuous`.
draw_bands <- function(at, ends, continuous = TRUE) {
  for (k in seq_len(ncol(ends) / 2L)) {
    lower <- ends[, k]
    upper <- ends[, ncol(ends) + 1L - k]
    shade <- grDevices::adjustcolor(plot_colours[["line"]], c(0.18, 0.3)[min(k, 2L)])
    if (continuous) {
      graphics::polygon(c(at, rev(at)), c(lower, rev(upper)), col = shade, border = NA)
    } else {
      graphics::rect(at - 0.3, lower, at + 0.3, upper, col = shade, border = NA)
    }
  }
}
