#' Draw the priors of the hyperparameters
#'
#' Draws one panel for each hyperparameter of a model: the density of its prior with the central 95%
#' shaded, or the value at which it is fixed. Lengthscales with the same prior share a panel.
#'
#' The hyperparameters and some default priors depend on the model, which `inputs` and `transform`
#' describe. The trend is assumed to have a constant. A positive hyperparameter has a logarithmic
#' axis, and the density is that of its logarithm, so that areas under the curve are probabilities.
#'
#' @param x A prior made by [btg_prior()].
#' @param inputs The number of inputs of the model, or their names.
#' @param transform The transform of the response, as in [btg()].
#' @param ... Graphical parameters, as for [plot.btg()].
#' @return Invisibly, a data frame with one row for each hyperparameter: its `name`, the number
#'   of its `panel`, its `prior` as text, the `coordinate` of the density, and the quantiles `lwr`
#'   (2.5%), `median` and `upr` (97.5%), which are equal for a fixed value.
#' @seealso [autoplot.btg_prior()] for the same plot with ggplot2.
#' @examples
#' plot(btg_prior())
#' prior <- btg_prior(noise = btg_dist("exponential", rate = 10), fixed = c(boxcox.lambda = 0.5))
#' plot(prior, inputs = 3, transform = "boxcox")
#' @export
plot.btg_prior <- function(x, inputs = 1, transform = "sinharcsinh", ...) {
  invisible(draw_page(prior_page(x, inputs, transform), ...))
}

prior_page <- function(prior, inputs, transform) {
  hyperparameters <- hyperparameters_to_plot(prior, inputs, transform)
  drawn <- describe_priors(hyperparameters)
  panels <- lapply(split(seq_along(hyperparameters), drawn$panel), function(members) {
    prior_panel(hyperparameters[[members[1L]]], panel_title(drawn$name[members], drawn$name))
  })
  plot_page(panels, drawn, y_label = "density on the scale of the axis")
}

# The hyperparameters of such a model, from resolve_prior().
hyperparameters_to_plot <- function(prior, inputs, transform) {
  if (!is.character(inputs)) inputs <- paste0("x", seq_len(check_count(inputs)))
  if (length(inputs) == 0L || anyNA(inputs) || anyDuplicated(inputs)) {
    abort_argument("inputs", "must be a number, or distinct names", inputs)
  }
  main <- list(name = "main", form = "radial", parameters = list(),
               lengthscales = stats::setNames(rep(1, length(inputs)),
                                              paste0("lengthscale.", inputs)))
  spec <- transform_spec(transform, TRUE)
  resolved <- tryCatch(
    resolve_prior(prior, list(main), spec),
    btg_error_prior = function(e) {
      if (!grepl("this model does not have", e$message)) rlang::cnd_signal(e)
      advice <- "Describe the model by `inputs` and `transform`."
      abort_btg(c(e$message, e$body, i = advice), "prior")
    }
  )
  lapply(resolved, function(hyper) {
    if (!is_fixed(hyper)) {
      if (hyper$positive) hyper$prior$lower <- max(hyper$prior$lower, 0)
      check_dist_mass(hyper$prior, what = paste0("The prior of `", hyper$name, "`"))
    }
    hyper
  })
}

# One row per hyperparameter, as plot.btg_prior() returns them. Lengthscales with the same prior
# share a `panel`.
describe_priors <- function(hyperparameters) {
  hyperparameters <- unname(hyperparameters)
  each <- function(f, template = "") vapply(hyperparameters, f, template)
  key <- each(function(hyper) {
    paste(c(sub("^lengthscale[.].*", "lengthscale", hyper$name), deparse1(unclass(hyper$prior))),
          collapse = " ")
  })
  quantiles <- each(function(hyper) {
    if (is_fixed(hyper)) rep(hyper$prior, 3L) else dist_quantile(hyper$prior, c(0.025, 0.5, 0.975))
  }, numeric(3L))
  name <- each(function(hyper) hyper$name)
  data.frame(name, panel = match(key, unique(key)), prior = each(format_prior),
             coordinate = each(function(hyper) coordinate_name(hyper, hyper$name)),
             lwr = quantiles[1L, ], median = quantiles[2L, ], upr = quantiles[3L, ])
}

format_prior <- function(hyper) {
  shown <- hyper$prior
  # The lower bound of a positive hyperparameter is not worth showing.
  if (hyper$positive && !is_fixed(hyper) && shown$lower == 0 && shown$upper == Inf) {
    shown$lower <- -Inf
  }
  if (is_fixed(hyper)) paste("fixed at", signif(shown, 4)) else format(shown)
}

coordinate_name <- function(hyper, name) if (hyper$positive) paste0("log(", name, ")") else name

# "lengthscale of x1, x2 and x3", "lengthscale (all 4 inputs)", or another hyperparameter's name.
panel_title <- function(members, all) {
  inputs <- sub("^lengthscale[.]", "", members)
  if (identical(inputs, members) || length(members) == 1L) {
    members
  } else if (length(members) > 2L && length(members) == sum(startsWith(all, "lengthscale."))) {
    paste0("lengthscale (all ", length(members), " inputs)")
  } else {
    paste("lengthscale of", list_names(inputs, "", most = 3L))
  }
}

prior_panel <- function(hyper, title) {
  fixed <- is_fixed(hyper)
  lengthscale <- startsWith(hyper$name, "lengthscale.")
  symbol <- if (lengthscale) "lengthscale" else hyper$name
  unit <- if (lengthscale) if (fixed) " (input's own units)" else " (in sd of the input)"
  drawn <- if (fixed) fixed_layers(hyper) else density_layers(hyper)
  y_label <- if (fixed) "" else paste("density of", coordinate_name(hyper, symbol))
  plot_panel(drawn$layers, plot_axis(paste0(symbol, unit), drawn$xlim, log = hyper$positive),
             plot_axis(y_label, c(0, 1.3 * drawn$top), ticks = !fixed, flush = TRUE),
             title, format_prior(hyper))
}

# list(layers, xlim, top), where `top` is the height of the curve or the stroke.
density_layers <- function(hyper) {
  curve <- prior_curve(hyper)
  x <- curve$value
  y <- pmin(curve$density, 1.3 * curve$top)
  inner <- x >= curve$interval[1L] & x <= curve$interval[2L]
  text <- paste0("95% in ", paste(signif(curve$interval, 2), collapse = " to "))
  list(layers = list(
    shade = plot_layer("band", x = x[inner], ymin = 0, ymax = y[inner], alpha = 1 / 3),
    density = plot_layer("line", x, y, size = 2),
    interval = plot_layer("text", x = max(x), y = 1.2 * curve$top, text, colour = "data",
                          size = 0.75, adjust = c(1, 0.5))
  ), xlim = range(x), top = curve$top)
}

fixed_layers <- function(hyper) {
  x <- hyper$prior
  list(layers = list(
    stroke = plot_layer("strokes", x, xend = x, y = 0, yend = 1, colour = "guide", size = 3),
    value = plot_layer("points", x, y = 1, colour = "guide", shape = 19),
    text = plot_layer("text", x, y = 1, text = signif(x, 4), colour = "data", adjust = c(0.5, -0.8))
  ), xlim = if (hyper$positive) x * c(0.1, 10) else x + c(-1, 1) * max(1, abs(x)), top = 1)
}

# list(value, density, interval, top): the density of the coordinate over most of the distribution.
# Where the support ends, the curve falls to 0 and goes on. `top` is the highest density in the
# central 98%, since a density may be infinite at an end.
prior_curve <- function(hyper, points = 400L) {
  to <- if (hyper$positive) log else identity
  from <- if (hyper$positive) exp else identity
  lowest <- if (hyper$positive) 1e-300 else -1e300
  at <- function(p) to(pmin(pmax(dist_quantile(hyper$prior, p), lowest), 1e300))
  support <- to(dist_quantile(hyper$prior, c(0, 1)))
  window <- at(c(0.002, 0.998))
  window <- window + c(-0.06, 0.06) * diff(window)
  ends <- c(max(support[1L], window[1L]), min(support[2L], window[2L]))

  coordinate <- sort(c(seq(ends[1L], ends[2L], length.out = points), at(c(0.025, 0.975))))
  # Rounding must not move an end out of the support.
  margin <- c(1e-9, -1e-9) * diff(ends)
  value <- from(pmin(pmax(coordinate, ends[1L] + margin[1L]), ends[2L] + margin[2L]))
  density <- dist_density(hyper$prior, value) * (if (hyper$positive) value else 1)
  central <- coordinate >= at(0.01) & coordinate <= at(0.99)

  before <- if (ends[1L] > window[1L]) c(window[1L], ends[1L])
  after <- if (ends[2L] < window[2L]) c(ends[2L], window[2L])
  list(value = from(c(before, coordinate, after)), density = c(0 * before, density, 0 * after),
       interval = from(at(c(0.025, 0.975))), top = max(density[central]))
}
