#' Find the direction of an anisotropic process
#'
#' `anisotropy()` returns the angle and the two lengthscales of each input that a formula lists as
#' [rotated()], with intervals.
#'
#' The angle is the direction in which the surface varies slowest, in degrees anticlockwise from the
#' first coordinate, from -90 to 90. Its interval surrounds the mean direction and may extend beyond
#' these ends; 95 degrees are the same as -85. If both lengthscales may be equal, there is no
#' direction, and the interval is nearly 180 degrees wide.
#'
#' @param fit A fit by [btg()] or [wgp()] whose formula has [rotated()].
#' @param level The probability of the intervals.
#' @return A data frame with one row for each quantity of each input: `input`, preceded by the term
#'   unless it is the main process; `quantity`, one of `"angle"`, `"along"` and `"across"` (the
#'   lengthscales, in the unit of the coordinates) and `"ratio"` of these two; the posterior
#'   `median`; and the ends `lwr` and `upr` of an equal-tailed interval, which are `NA` after
#'   [wgp()]. In an average, models that lack the input are left out.
#' @seealso [rotated()], [btg_prior()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(60), y = runif(60))
#' d$z <- sin(6 * d$x + 6 * d$y) + 0.1 * rnorm(60) # changes across the line x = -y
#' fit <- btg(z ~ rotated(x, y), data = d, transform = "identity")
#' anisotropy(fit)
#' predict(fit, data.frame(x = 0.5, y = 0.5))
#' @export
anisotropy <- function(fit, level = 0.95) {
  check_fit(fit)
  check_level(level)
  found <- anisotropy_table(fit, level)
  if (is.null(found)) {
    abort_btg(c("The fit has no input whose direction is unknown.",
                i = "Write it into the formula as in `z ~ rotated(x, y)`."), "term")
  }
  found
}

# Returns NULL for a fit without rotated() inputs.
anisotropy_table <- function(fit, level = 0.95) {
  models <- kept_models(fit)
  nodes <- lapply(models, function(model) model_nodes(model))
  names <- unique(grep("anisotropy[.]cos[.]", unlist(lapply(nodes, names)), value = TRUE))
  weights <- fit$model_weights[names(models)]
  each <- lapply(names, function(name) {
    own <- vapply(nodes, function(one) name %in% names(one), NA)
    parts <- Map(anisotropy_nodes, nodes[own], weights[own], name)
    summarise_anisotropy(name, do.call(rbind, unname(parts)), level)
  })
  if (length(each) > 0L) do.call(rbind, each)
}

# Returns the weight, both coordinates, and both lengthscales at each node of a model.
anisotropy_nodes <- function(nodes, weight, name) {
  lengthscale <- sub("anisotropy[.]cos[.]", "lengthscale.", name)
  if (!lengthscale %in% names(nodes)) {
    lengthscale <- sub("lengthscale[.].*$", "lengthscale.all", lengthscale) # with ard = FALSE
  }
  u <- nodes[[name]]
  v <- nodes[[sub("anisotropy.cos.", "anisotropy.sin.", name, fixed = TRUE)]]
  half <- exp(sqrt(u^2 + v^2) / 2)
  data.frame(weight = weight * nodes$weight, u, v, along = nodes[[lengthscale]] * half,
             across = nodes[[lengthscale]] / half)
}

summarise_anisotropy <- function(name, nodes, level) {
  weight <- nodes$weight / sum(nodes$weight)
  mean <- atan2(sum(weight * nodes$v), sum(weight * nodes$u))
  # Twice the angle, between -pi and pi of the mean direction.
  away <- (atan2(nodes$v, nodes$u) - mean + pi) %% (2 * pi) - pi
  values <- cbind(angle = (mean + away) * 90 / pi, along = nodes$along, across = nodes$across,
                  ratio = nodes$along / nodes$across)
  p <- c(0.5, (1 - level) / 2, (1 + level) / 2)
  found <- t(apply(values, 2L, weighted_quantile, weight = weight, p = p))
  if (nrow(nodes) == 1L) found[, 2:3] <- NA
  data.frame(input = sub("anisotropy.cos.", "", name, fixed = TRUE), quantity = colnames(values),
             median = found[, 1L], lwr = found[, 2L], upr = found[, 3L], row.names = NULL)
}
