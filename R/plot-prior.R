#' Draw the priors of the hyperparameters
#'
#' One panel for each hyperparameter of a model: the density of its prior, the central 95% of it
#' shaded, or the value at which it is fixed. Lengthscales with the same prior share a panel.
#'
#' Which hyperparameters there are, and some default priors, depend on the model: `inputs` and
#' `transform` describe it. The trend is taken to have a constant. A positive hyperparameter has
#' a logarithmic axis, and the density is that of its logarithm, so that areas are probabilities
#' to the eye.
#'
#' @param x A prior made by [btg_prior()].
#' @param inputs How many inputs the model has, or their names.
#' @param transform The transform of the response, as in [btg()].
#' @param ... Graphical parameters, as for [plot.btg()].
#' @return Invisibly, a data frame with one row for each hyperparameter: its `name`, the number
#'   of its `panel`, its `prior` in labels, the `coordinate` the density refers to, and the
#'   quantiles of the prior, `lwr` (2.5%), `median` and `upr` (97.5%), which are equal for one
#'   that is fixed.
#' @examples
#' plot(btg_prior())
#' prior <- btg_prior(noise = btg_dist("exponential", rate = 10), fixed = c(boxcox.lambda = 0.5))
#' plot(prior, inputs = 3, transform = "boxcox")
#' @export
plot.btg_prior <- function(x, inputs = 1, transform = "sinharcsinh", ...) {
  call <- quote(plot())
  hyperparameters <- hyperparameters_to_plot(x, inputs, transform, call)
  drawn <- describe_priors(hyperparameters)
  panels <- split(seq_along(hyperparameters), drawn$panel)
  layout <- list(mfrow = grDevices::n2mfrow(length(panels)), mar = c(4, 4.6, 3.4, 0.8),
                 mgp = c(2.4, 0.7, 0))
  open <- open_panels(length(panels), layout, ...)
  on.exit(graphics::par(open$old))
  for (k in seq_along(panels)) {
    plot_one_prior(hyperparameters[[panels[[k]][1L]]],
                   panel_title(drawn$name[panels[[k]]], drawn$name), open$labels[[k]])
  }
  draw_title(open$title)
  invisible(drawn)
}

# What resolve_prior() finds for such a model, every distribution with its class.
hyperparameters_to_plot <- function(prior, inputs, transform, call) {
  if (!is.character(inputs)) {
    inputs <- paste0("x", seq_len(check_count(inputs, call = call)))
  }
  if (length(inputs) == 0L || anyNA(inputs) || anyDuplicated(inputs)) {
    abort_argument("inputs", "must be a number, or distinct names", inputs, call)
  }
  units <- stats::setNames(rep(1, length(inputs)), paste0("lengthscale.", inputs))
  spec <- transform_spec(transform, TRUE, call)
  resolved <- tryCatch(
    resolve_prior(prior, units, list(parameters = list()), spec, call),
    btg_error_prior = function(e) {
      if (!grepl("this model does not have", e$message)) rlang::cnd_signal(e)
      advice <- "Describe the model to `plot()` by its `inputs` and `transform`."
      abort_btg(c(e$message, e$body, i = advice), "prior", call)
    }
  )
  lapply(resolved, function(hyper) {
    if (!is.numeric(hyper$prior)) hyper$prior <- as_plottable(hyper$prior, hyper, call)
    hyper
  })
}

# On the support of a positive hyperparameter.
as_plottable <- function(dist, hyper, call) {
  if (hyper$positive) dist$lower <- max(dist$lower, 0)
  check_dist_mass(dist, call, paste0("The prior of `", hyper$name, "`"))
}

describe_priors <- function(hyperparameters) {
  hyperparameters <- unname(hyperparameters)
  name <- vapply(hyperparameters, function(hyper) hyper$name, "")
  key <- vapply(hyperparameters, function(hyper) {
    group <- if (startsWith(hyper$name, "lengthscale.")) "lengthscale" else hyper$name
    paste(c(group, deparse1(unclass(hyper$prior))), collapse = " ")
  }, "")
  quantiles <- vapply(hyperparameters, function(hyper) {
    if (is.numeric(hyper$prior)) rep(hyper$prior, 3L)
    else dist_quantile(hyper$prior, c(0.025, 0.5, 0.975))
  }, numeric(3))
  data.frame(
    name,
    panel = match(key, unique(key)),
    prior = vapply(hyperparameters, format_prior, ""),
    coordinate = vapply(hyperparameters, coordinate_name, ""),
    lwr = quantiles[1L, ], median = quantiles[2L, ], upr = quantiles[3L, ]
  )
}

format_prior <- function(hyper) {
  if (is.numeric(hyper$prior)) return(paste("fixed at", signif(hyper$prior, 4)))
  shown <- hyper$prior
  # That a positive hyperparameter is positive goes without saying.
  if (hyper$positive && shown$lower == 0 && shown$upper == Inf) shown$lower <- -Inf
  format(shown)
}

coordinate_name <- function(hyper) {
  if (hyper$positive) paste0("log(", hyper$name, ")") else hyper$name
}

# "lengthscale of x1, x2 and x3", or all of them, or another hyperparameter's name.
panel_title <- function(members, all) {
  if (!startsWith(members[1L], "lengthscale.")) return(members)
  lengthscales <- all[startsWith(all, "lengthscale.")]
  if (length(members) > 2L && length(members) == length(lengthscales)) {
    return(paste0("lengthscale (all ", length(members), " inputs)"))
  }
  inputs <- sub("^lengthscale\\.", "", members)
  if (length(inputs) == 1L) members else paste("lengthscale of", list_names(inputs, "", most = 3L))
}

prior_colours <- list(line = "#0072B2", fill = "#0072B255", fixed = "#D55E00")

plot_one_prior <- function(hyper, title, labels = list()) {
  fixed <- is.numeric(hyper$prior)
  if (fixed) plot_fixed(hyper, labels) else plot_density(hyper, labels)
  if (hyper$positive) draw_log_axis() else graphics::axis(1)
  lengthscale <- startsWith(hyper$name, "lengthscale.")
  symbol <- if (lengthscale) "lengthscale" else hyper$name
  unit <- if (lengthscale) if (fixed) " (input's own units)" else " (in sd of the input)"
  coordinate <- if (hyper$positive) paste0("log(", symbol, ")") else symbol
  said <- list(main = title, xlab = paste0(symbol, unit),
               ylab = if (fixed) "" else paste("density of", coordinate))
  said[names(labels)] <- labels
  write_word(said$main, 3L, "main", 1, line = 1.9)
  graphics::mtext(format_prior(hyper), line = 0.5, cex = 0.8 * graphics::par("cex"))
  write_word(said$sub, 1L, "sub")
  write_word(said$xlab, 1L, "xlab")
  write_word(said$ylab, 2L, "ylab", line = 3.3)
}

plot_density <- function(hyper, labels) {
  curve <- prior_curve(hyper)
  open_axes(range(curve$value), c(0, 1.3 * curve$top), hyper$positive, labels)
  graphics::axis(2, las = 1)
  inner <- curve$value >= curve$interval[1L] & curve$value <= curve$interval[2L]
  shade <- curve$value[inner]
  graphics::polygon(c(shade[1L], shade, shade[length(shade)]), c(0, curve$density[inner], 0),
                    col = prior_colours$fill, border = NA)
  graphics::lines(curve$value, curve$density, col = prior_colours$line, lwd = 2)
  graphics::mtext(paste0("95% in ", paste(signif(curve$interval, 2), collapse = " to ")),
                  side = 3, line = -0.9, adj = 0.98, cex = 0.75 * graphics::par("cex"))
}

plot_fixed <- function(hyper, labels) {
  value <- hyper$prior
  around <- if (hyper$positive) value * c(0.1, 10) else value + c(-1, 1) * max(1, abs(value))
  open_axes(around, c(0, 1.3), hyper$positive, labels)
  graphics::segments(value, 0, value, 1, col = prior_colours$fixed, lwd = 3)
  graphics::points(value, 1, pch = 19, col = prior_colours$fixed)
  graphics::text(value, 1, signif(value, 4), pos = 3)
}

open_axes <- function(xlim, ylim, log_axis, labels) {
  if (!is.null(labels$xlim)) xlim <- labels$xlim
  if (!is.null(labels$ylim)) ylim <- labels$ylim
  graphics::plot.default(xlim, ylim, type = "n", log = if (log_axis) "x" else "", xlim = xlim,
                         ylim = ylim, yaxs = "i", axes = FALSE, ann = FALSE)
  graphics::box(bty = "l")
}

# Ticks at round numbers within a decade, at 1, 2 and 5 over few, at powers of ten over many.
draw_log_axis <- function() {
  span <- graphics::par("usr")[1:2]
  decades <- diff(span)
  if (decades > 5) {
    powers <- seq(ceiling(span[1L]), floor(span[2L]), by = round(decades / 5))
    return(graphics::axis(1, 10^powers, parse(text = paste0("10^", powers))))
  }
  ticks <- if (decades < 0.8) {
    pretty(10^span)
  } else {
    as.vector(outer(if (decades < 2.5) c(1, 2, 5) else 1, 10^(floor(span[1L]):ceiling(span[2L]))))
  }
  ticks <- ticks[ticks >= 10^span[1L] & ticks <= 10^span[2L]]
  graphics::axis(1, ticks, vapply(ticks, format, "", digits = 3L))
}

# The density of the coordinate over most of the distribution: list(value, density, interval,
# top). Where the support ends, the curve falls to 0 and goes on; `top` is the highest it gets in
# the central 98%, as densities may be infinite at an end.
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
  # Rounding must not put an end outside of the support.
  margin <- c(1e-9, -1e-9) * diff(ends)
  value <- from(pmin(pmax(coordinate, ends[1L] + margin[1L]), ends[2L] + margin[2L]))
  density <- dist_density(hyper$prior, value) * (if (hyper$positive) value else 1)
  central <- coordinate >= at(0.01) & coordinate <= at(0.99)
  top <- max(density[central])

  before <- if (ends[1L] > window[1L]) c(window[1L], ends[1L])
  after <- if (ends[2L] < window[2L]) c(ends[2L], window[2L])
  list(
    value = from(c(before, coordinate, after)),
    density = c(0 * before, density, 0 * after),
    interval = from(at(c(0.025, 0.975))),
    top = top
  )
}
