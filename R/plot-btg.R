#' Plot a fit
#'
#' Draws what a fit predicts along each variable, on a map, or for left-out rows. Other plots show
#' the posterior of the hyperparameters, the transform, the noise, and the nodes of the integral.
#' Curves are pale and dotted where a variable has no data.
#'
#' @param x A fit by [btg()] or [wgp()].
#' @param which The plot to draw:
#'   * `"fit"`: the median and credible intervals of a new observation against each variable, with
#'     the data. The other variables are held at their medians, or at their most frequent value if
#'     they are categories. The points are all rows of the data, so they need not follow the curve.
#'   * `"partial"`: partial dependence, which averages predictions over the other variables in (at
#'     most 50 rows of) the data. The ends of intervals are averaged too: they show how uncertain a
#'     typical prediction is, not the average. The points are partial residuals: the residual of
#'     each row added to the curve.
#'   * `"surface"`: maps over two numeric variables, with the others held as in `"fit"`: the median,
#'     the width of the interval with the largest `level`, and the probability that the response
#'     exceeds `at`. Places far from all data are hatched. Coordinates, such as `lon` and `lat` or
#'     `x` and `y`, are drawn true to scale.
#'   * `"predicted"`: the panels of [plot.btg_loocv()]; `"pit"` and `"coverage"` are two of them.
#'   * `"residuals"`: left-out residuals, against each variable: see [plot.btg_loocv()].
#'   * `"hyperparameters"`: the posterior of each hyperparameter, for an average in the model of
#'     largest weight: see [select_models()] for the others. Fits by [wgp()] have no posterior.
#'   * `"transform"`: the posterior of the transformation \eqn{g} over the range of the data, its
#'     median and pointwise intervals, with a rug of the data. The data determine \eqn{g} only up
#'     to a shift and a factor, so it is drawn with the mean and the standard deviation of the
#'     response at the data. The dashed line is the identity: no transform.
#'   * `"noise"`: the standard deviation of the noise along the variables of its model (see `noise`
#'     in [btg()]), its median and intervals, on the scale of `"transform"`.
#'   * `"terms"`: the contribution of each covariance term (see [btg-terms]) along each of its
#'     numeric variables, with the others held as in `"fit"`, and the effects of groups in order, on
#'     the scale of `"transform"`: medians and intervals. Processes are drawn less their mean over
#'     the data.
#'   * `"quadrature"`: the weights of the nodes of the integral over the hyperparameters, not for
#'     fits by [wgp()]. The left panel shows the cumulative weight of the heaviest nodes; if it
#'     jumps at the start, few nodes decide. The right panel shows the weights against the log
#'     posterior density; a good rule has no heavy node far below the top. Triangles are modes, with
#'     their shares of the mass.
#' @param variables For `"fit"`, `"partial"`, `"noise"` and `"terms"`, the names of the variables to
#'   draw, by default all, at most nine. For `"surface"`, two numeric variables, by default the
#'   first two.
#' @param level The probabilities of the intervals, for `"fit"`, `"partial"`, `"surface"`,
#'   `"transform"`, `"noise"` and `"terms"`.
#' @param observation For `"fit"`, `"partial"` and `"surface"`: `TRUE` for intervals of new
#'   observations, `FALSE` for intervals of the noise-free process.
#' @param points The number of points of each curve. By default 80; for `"fit"` more if the curve
#'   needs them, up to 600 for all variables: four per lengthscale, and the values of the data.
#'   Maps have at most 40 by 40.
#' @param at For `"surface"`, the value of the response for the map of exceedance probabilities, by
#'   default the 90% quantile of the data.
#' @param by For `"fit"` and `"partial"`, a variable to split by: one panel for each of its
#'   categories, with the data of that category. For a number, panels at its 10%, 50% and 90%
#'   quantiles, each with the rows nearest to it.
#' @param ... Graphical parameters: `main`, `sub`, `xlab` and `ylab`, one for all panels or one for
#'   each (one `main` for several panels is drawn above them all); `xlim` and `ylim`, for all
#'   panels; `log`, which axes are logarithmic (`"x"`, `"y"` or `"xy"`), for `"fit"`, `"partial"`
#'   and `"predicted"`; `col`, the colour of curves, bands and bars; and settings of
#'   [graphics::par()], such as `mfrow` or `cex`.
#' @return Invisibly, the data of the plot. For `"fit"`, `"partial"`, `"noise"` and `"terms"`, a
#'   list with a data frame for each panel: its values, the `median` and the ends of the intervals;
#'   with `by`, names such as `"t, site = north"`.
#'   For `"surface"`, a data frame with the two variables, `median`, `width` and `exceedance`. For
#'   `"predicted"`, `"pit"`, `"coverage"` and `"residuals"`, the result of [loocv()]. For
#'   `"hyperparameters"`, a data frame with one row per bar: `title` (the model), `name`,
#'   `positive`, `from` and `to` (logarithms if `positive`) and `density`. For `"transform"`, a data
#'   frame with the response `y`, the `median` and the ends of the intervals of \eqn{g}. For
#'   `"quadrature"`, a data frame with one row per node: `model`, `rank`, `weight`, `cumulative`
#'   weight, and `drop`, the distance of its log posterior density below the highest.
#' @seealso [autoplot.btg()] for the same plots with ggplot2.
#' @examples
#' fit <- btg(Ozone ~ Temp + Wind, data = airquality, transform = "softplus")
#' plot(fit)
#' plot(fit, variables = "Temp", by = "Wind")
#' plot(fit, which = "partial", log = "y")
#' plot(fit, which = "surface")
#' plot(fit, which = "hyperparameters")
#' plot(fit, which = "transform")
#' plot(fit, which = "quadrature")
#' @export
plot.btg <- function(x,
                     which = c("fit", "partial", "surface", "predicted", "pit", "coverage",
                               "residuals", "hyperparameters", "transform", "noise", "terms",
                               "quadrature"),
                     variables = NULL, level = c(0.5, 0.95), observation = TRUE, points = NULL,
                     at = NULL, by = NULL, ...) {
  page <- fit_page(x, which, variables, level, observation, points, at, by, ...)
  invisible(draw_page(page, ...))
}

# The plots of a fit, by the names that `which` accepts. `data` is a function of the fit and the
# request that returns a page; `applies`, if there is one, aborts for fits without such a plot.
# `log` is TRUE if axes may be logarithmic.
fit_plots <- function() {
  list(
    fit = list(data = effects_page, log = TRUE),
    partial = list(data = partial_page, log = TRUE),
    surface = list(data = surface_page),
    predicted = list(data = left_out_page, log = TRUE),
    pit = list(data = left_out_page),
    coverage = list(data = left_out_page),
    residuals = list(data = left_out_page),
    hyperparameters = list(data = hyperparameters_page, applies = check_posterior),
    transform = list(data = transform_page),
    noise = list(data = noise_page),
    terms = list(data = terms_page),
    quadrature = list(data = quadrature_page, applies = check_posterior)
  )
}

# The page that plot() and autoplot() draw. With `alone`, "predicted" is one panel, not three.
fit_page <- function(fit, which, variables, level, observation, points, at, by = NULL, ...,
                     alone = FALSE) {
  check_fit(fit)
  plots <- fit_plots()
  which <- check_which(which, names(plots), fit)
  check_probs(level)
  check_flag(observation)
  adapt <- is.null(points)
  points <- check_count(if (adapt) 80L else points)
  if (!is.null(at) && !(is_number(at) && which == "surface")) {
    abort_argument("at", "must be one number, with `which = \"surface\"`", at)
  }
  check_by(by, fit, which)
  plot <- plots[[which]]
  can_log <- names(Filter(function(other) isTRUE(other$log), plots))
  log <- log_axes(..., shown = isTRUE(plot$log),
                  advice = paste0("It goes with `which = ` ", list_names(can_log, "\""), "."))
  if (!is.null(plot$applies)) plot$applies(fit)
  if (which == "predicted" && !alone) which <- names(loocv_panels())
  plot$data(fit, list(which = which, variables = variables, level = sort(level),
                      observation = observation, points = points, adapt = adapt, at = at,
                      by = by, log = log))
}

left_out_page <- function(fit, request) loocv_page(loocv(fit), request$which, request$log)

check_posterior <- function(fit) check_averaged(fit, "`confint()` returns their intervals.")

# Refuses names of variables with advice of their own.
check_which <- function(which, choices, fit) {
  if (is.character(which) && length(which) > 0L && all(which %in% all_variables(fit))) {
    abort_btg(c(paste0("`which` chooses a plot, so it cannot be ", list_names(which, "\""), "."),
                i = "Name variables in `variables`."), "argument")
  }
  check_choice(which, choices, "which")
}
