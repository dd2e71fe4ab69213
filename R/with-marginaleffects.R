#' Use with marginaleffects
#'
#' `predictions()`, `comparisons()`, `slopes()`, their averages and the argument `hypothesis` of the
#' package marginaleffects work for fits by [btg()] and [wgp()]. Intervals come from draws of the
#' posterior of the process.
#'
#' @section Joint draws:
#' All predictions of one call are drawn together, so differences, slopes and averages have the
#' right uncertainty. The time grows with the cube of the number of distinct rows. With more than a
#' thousand, use fewer of them, by `newdata = datagrid(...)` or `newdata = "mean"`.
#'
#' @section Slopes:
#' Slopes are differences over small steps. With a kernel whose processes have no derivative, such
#' as `"exponential"`, they are an error: use `comparisons()` over a step that you choose. If the
#' slope of the process is known very accurately, as after `noise = 0`, rounding can make intervals
#' too wide. A larger step helps, such as `eps = 0.01` times the range of the variable.
#'
#' @section Limits:
#' `hypotheses(fit)` has no intervals; `confint()` returns those of the trend's coefficients.
#' marginaleffects accepts other classes if the option `marginaleffects_model_classes` names them.
#' btg adds its own when both packages are loaded.
#'
#' @param model A fit by [btg()] or [wgp()].
#' @param newdata The rows to predict; without it, those of the fit.
#' @param type `"response"` for the noise-free process on the scale of the response, which is the
#'   median of observations; `"mean"` for the mean of observations given the process; or
#'   `"prediction"` for new observations. See [btg-predictions].
#' @param ndraws,seed The number of draws, 2000 if `NULL`, and the number that determines them.
#' @param vcov,... As marginaleffects calls the methods.
#' @return `get_predict()`: a data frame of posterior medians, with the draws as an attribute.
#'   `get_vcov()`: `NULL`, as for all models whose intervals come from draws.
#' @seealso [predict.btg()], [emmeans-btg]
#' @examplesIf getRversion() >= "4.4" && requireNamespace("marginaleffects", quietly = TRUE)
#' fit <- btg(dist ~ speed, data = cars, transform = "softplus")
#' marginaleffects::avg_slopes(fit)
#' marginaleffects::comparisons(fit, variables = list(speed = c(10, 20)),
#'                              newdata = "mean")
#' @name marginaleffects-btg
NULL

# nolint start: object_name_linter. The generics' names.

#' @rdname marginaleffects-btg
#' @exportS3Method marginaleffects::get_predict
get_predict.btg <- function(model, newdata = NULL, type = "response", ndraws = NULL, seed = 1,
                            ...) {
  check_fit(model)
  if (is.null(type)) type <- "response"
  check_string(type)
  check_choice(type, c("response", "mean", "prediction"), "type")
  if (is_slope_of_marginaleffects()) check_differentiable(model)
  if (is.null(ndraws)) ndraws <- 2000
  check_count(ndraws)
  if (is.null(newdata)) newdata <- original_data(model)
  points <- prediction_points(model, as.data.frame(newdata))
  drawn <- draw_with_earlier(model, points, ndraws, seed, type)
  found <- data.frame(estimate = apply(drawn, 1L, stats::median))
  if ("rowid" %in% names(newdata)) found$rowid <- newdata$rowid
  found$group <- "main_marginaleffect"
  attr(found, "posterior_draws") <- drawn
  found
}

#' @rdname marginaleffects-btg
#' @exportS3Method marginaleffects::get_vcov
get_vcov.btg <- function(model, vcov = NULL, ...) {
  if (!is.null(vcov) && !is.logical(vcov)) {
    abort_btg(c("`vcov` has no effect on a Gaussian process.",
                i = "Intervals are quantiles of draws of the posterior."), "argument")
  }
  NULL
}

# nolint end

is_slope_of_marginaleffects <- function() {
  isNamespaceLoaded("marginaleffects") &&
    (length(frames_of("slopes", "marginaleffects")) > 0L ||
       length(frames_of("avg_slopes", "marginaleffects")) > 0L)
}

# marginaleffects predicts the two ends of a difference in separate calls, but their draws must be
# joint. Adding rows does not change the leading part of a covariance factor. Draws from the same
# seed, at earlier and new rows together, therefore repeat the earlier ones and have the right
# dependence on them. Only the rows need to be stored.
draw_with_earlier <- function(fit, points, draws, seed, type,
                              scope = frame_of_package("marginaleffects")) {
  asked <- list(checksum = fit$checksum, draws = draws, seed = seed, type = type)
  all <- add_points(recall_points(scope, asked), points, type == "prediction")
  rows <- sum(all$points$complete)
  check_memory(3 * 8 * rows * draws, "The draws", "Ask for fewer, by `ndraws`.")
  check_covariance_size(rows, 1)
  remember_points(scope, asked, all$points)
  drawn <- with_seed(seed, function() {
    joint_draws(fit, all$points, draws, type != "response", Inf, 1, of_mean = type == "mean")
  })
  unname(drawn[all$new, , drop = FALSE])
}

# Merges two sets of points without repeating rows; `new` locates the rows of the second. New
# observations at the same point stay distinct.
add_points <- function(earlier, points, observation) {
  points$na.action <- NULL
  both <- if (is.null(earlier)) points else Map(bind_rows_of, earlier, points[names(earlier)])
  count <- length(both$complete)
  key <- if (observation) seq_len(count) else row_keys(both)
  kept <- which(!duplicated(key))
  new <- seq.int(to = count, length.out = length(points$complete))
  list(points = select_rows(both, kept, count), new = match(key[new], key[kept]))
}

# Returns text that is equal for rows equal to the last bit.
row_keys <- function(points) {
  columns <- cbind(points$inputs, points$trend, points$noise, points$relative_noise,
                   points$complete)
  do.call(paste, lapply(seq_len(ncol(columns)), function(j) sprintf("%a", columns[, j])))
}

bind_rows_of <- function(a, b) {
  if (is.matrix(a)) rbind(a, b) else c(a, b)
}

# Returns the frame of the outermost running function of a package, or NULL.
frame_of_package <- function(package) {
  for (i in seq_len(sys.nframe())) {
    home <- environment(sys.function(i))
    if (!is.null(home) && identical(environmentName(topenv(home)), package)) {
      return(sys.frame(i))
    }
  }
  NULL
}

# Holds the points of the running call. The weak reference to its frame expires with the call.
asked_points <- new.env(parent = emptyenv())

remember_points <- function(scope, asked, points) {
  asked_points$last <- if (!is.null(scope)) {
    rlang::new_weakref(scope, list(asked = asked, points = points))
  }
}

recall_points <- function(scope, asked) {
  last <- asked_points$last
  if (is.null(scope) || is.null(last) || !identical(rlang::wref_key(last), scope)) {
    return(NULL)
  }
  kept <- rlang::wref_value(last)
  if (identical(kept$asked, asked)) kept$points
}

# marginaleffects reads the classes of other packages from an option.
register_marginaleffects <- function() {
  classes <- union(getOption("marginaleffects_model_classes"), c("btg", "wgp"))
  options(marginaleffects_model_classes = classes)
}
