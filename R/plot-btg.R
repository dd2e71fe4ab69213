#' Plot a fit
#'
#' Shows what a fit says: the response against each variable, the left-out predictions, the
#' posterior of the hyperparameters or of the transform, or how the integral over them went.
#'
#' @param x A fit by [btg()] or [wgp()].
#' @param which What to draw:
#'   * `"fit"`: the median and credible intervals of a new observation against each variable, with
#'     the data. The other variables are held at their medians, or at their most frequent value if
#'     they are not numbers; the points are all data, wherever their other variables are, so that
#'     they need not follow the curve;
#'   * `"partial"`: the same, averaged over the other variables as (at most 50 rows of) the data
#'     have them, which is the partial dependence on each variable. The ends of intervals are
#'     averages of the ends too: they say how uncertain a prediction is, not their average. The
#'     points are partial residuals: what is left of each response, added to the curve;
#'   * `"surface"`: maps over two variables that are numbers, the others held as in `"fit"`: the
#'     median, the width of the interval of the largest `level`, and the probability that the
#'     response is above `at`;
#'   * `"residuals"`: left-out residuals as normal scores, against normal quantiles, the fitted
#'     medians and each variable: see [plot.btg_loocv()];
#'   * `"predicted"`: the panels of [plot.btg_loocv()];
#'   * `"hyperparameters"`: the posterior of each hyperparameter, on a log scale if it is positive,
#'     in an average of its four models of largest weight;
#'     not for fits by [wgp()], which have none;
#'   * `"transform"`: the posterior of the transformation \eqn{g} over the range of the data, its
#'     median and pointwise intervals, with a rug of the data. As \eqn{g} is known only up to a
#'     shift and a factor, each node's is drawn so that its values at the data have the mean and the
#'     standard deviation of the response. The dashed line is where it would be without a
#'     transform;
#'   * `"noise"`: the standard deviation of the noise along the variables of its model (see `noise`
#'     in [btg()]), its median and intervals, on the scale of `"transform"`;
#'   * `"quadrature"`: how the integral over the hyperparameters is spread over its nodes, not for
#'     fits by [wgp()]. On the left, the weight of the largest nodes together, with the effective
#'     number of nodes: a curve that jumps at the start says that few nodes decide. On the right,
#'     the weights against the log posterior density, in which good rules have no heavy node far
#'     below the top; triangles are modes, with their shares of the mass.
#' @param variables For `"fit"`, `"partial"` and `"noise"`, the names of the variables to draw, by
#'   default all, at most nine; for `"surface"`, of two, by default the first two that are numbers.
#' @param level The probabilities of the intervals, for `"fit"`, `"partial"`, `"surface"`,
#'   `"transform"` and `"noise"`.
#' @param observation For `"fit"`, `"partial"` and `"surface"`, `TRUE` to draw intervals of new
#'   observations, `FALSE` of the noise-free process.
#' @param points How many points each curve has; maps have at most 40 by 40.
#' @param at For `"surface"`, the value of the response whose exceedance is drawn, by default the
#'   90% quantile of the data.
#' @param ... Graphical parameters: `main`, `sub`, `xlab` and `ylab`, one for all panels or one for
#'   each (one `main` for several panels is drawn above them all); `xlim` and `ylim`, for all
#'   panels; `log`, which axes are logarithmic (`"x"`, `"y"` or `"xy"`), for `"fit"`, `"partial"`
#'   and `"predicted"`; `col`, the colour of curves, bands and bars; and what [graphics::par()]
#'   takes, such as `mfrow` or `cex`.
#' @return Invisibly, what was drawn. For `"fit"` and `"partial"`, a list with a data frame for each
#'   variable: its values and the predictions; for `"surface"`, a data frame with the two variables
#'   and columns `median`, `width` and `exceedance`; for `"predicted"` and `"residuals"`, the result
#'   of [loocv()]; for
#'   `"hyperparameters"`, a data frame with one row a bar: `title` (the model), `name`, `positive`,
#'   `from` and `to` (logarithms if `positive`) and `density`; for `"transform"`, a data frame with
#'   the response `y`, the `median` and the ends of the intervals of \eqn{g}; for `"quadrature"`, a
#'   data frame with one row a node: `model`, `rank`, `weight`, `cumulative` weight, and `drop`, how
#'   far its log posterior density is below the highest.
#' @seealso [autoplot.btg()] for the same with ggplot2.
#' @examples
#' fit <- btg(Ozone ~ Temp + Wind, data = airquality, transform = "softplus")
#' plot(fit)
#' plot(fit, which = "partial", log = "y")
#' plot(fit, which = "surface")
#' plot(fit, which = "hyperparameters")
#' plot(fit, which = "transform")
#' plot(fit, which = "quadrature")
#' @export
plot.btg <- function(x,
                     which = c("fit", "partial", "surface", "predicted", "residuals",
                               "hyperparameters", "transform", "noise", "quadrature"),
                     variables = NULL, level = c(0.5, 0.95), observation = TRUE, points = 80,
                     at = NULL, ...) {
  call <- quote(plot())
  check_fit(x, call)
  which <- check_which(which, eval(formals(plot.btg)$which), x, call)
  check_probs(level, call = call)
  level <- sort(level)
  check_flag(observation, call = call)
  check_count(points, call = call)
  check_posterior_shown(x, which, call)
  if (!is.null(at) && !(is_number(at) && which == "surface")) {
    abort_argument("at", "must be one number, with `which = \"surface\"`", at, call)
  }
  check_log_shown("log" %in% ...names(), which, call)
  drawn <- switch(which,
    fit = plot_effects(x, variables_of_panels(x, variables, call), level, observation, points,
                       ...),
    partial = plot_effects(x, variables_of_panels(x, variables, call), level, observation, points,
                           ..., effect_of = partial_effect),
    surface = plot_surface(x, surface_variables(x, variables, call), max(level), observation,
                           points, at, ...),
    predicted = plot(loocv(x), ...),
    residuals = plot(loocv(x), which = "residuals", ...),
    hyperparameters = plot_hyperparameters(x, ...),
    transform = plot_transform(x, level, points, ...),
    noise = plot_noise(x, noise_variables_to_plot(x, variables, call), level, points, ...),
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

check_log_shown <- function(given, which, call) {
  shown <- c("fit", "partial", "predicted")
  if (given && !which %in% shown) {
    abort_btg(c("`log` has no effect here.",
                i = paste0("It goes with `which = ` ", list_names(shown, "\""), ".")), "argument",
              call)
  }
}

check_posterior_shown <- function(fit, which, call) {
  if (which %in% c("hyperparameters", "quadrature")) {
    check_averaged(fit, "`confint()` has their intervals.", call)
  }
}
