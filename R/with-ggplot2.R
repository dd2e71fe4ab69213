#' Plot with ggplot2
#'
#' Draws everything that `plot()` draws for this package as a ggplot object, to which you can add
#' layers, scales and themes: see [plot.btg()], [plot.btg_loocv()], [plot.btg_prior()],
#' [btg_optimise()], [predict_region()], [exceedance_region()], [sensitivity()] and
#' [influence.btg()].
#'
#' Several panels become facets of one plot, which share a scale: to change the scale of a variable,
#' draw it alone.
#'
#' @param object A fit by [btg()] or [wgp()], a prior made by [btg_prior()], or a result of
#'   [loocv()], [btg_optimise()], [predict_region()], [exceedance_region()], [sensitivity()] or
#'   [influence()].
#' @param which The plot to draw: see [plot.btg()]. `"predicted"` is a single panel here.
#' @param variables,level,observation,points,at,by As in [plot.btg()].
#' @param inputs,transform As in [plot.btg_prior()].
#' @param ... Not used: an unknown argument is an error.
#' @return An object of class `ggplot`.
#' @seealso [plot.btg()] for the same plots with base graphics.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' library(ggplot2)
#' fit <- btg(dist ~ speed, data = cars, transform = "sinharcsinh")
#' autoplot(fit) + labs(x = "speed (mph)", y = "stopping distance (ft)")
#' autoplot(fit, "transform")
#' autoplot(loocv(fit), "residuals")
#' @exportS3Method ggplot2::autoplot
autoplot.btg <- function(object,
                         which = c("fit", "partial", "surface", "predicted", "pit", "coverage",
                                   "residuals", "hyperparameters", "transform", "noise", "terms",
                                   "quadrature"),
                         variables = NULL, level = c(0.5, 0.95), observation = TRUE, points = NULL,
                         at = NULL, by = NULL, ...) {
  check_dots(..., valid = names(formals(autoplot.btg)))
  ggplot_page(fit_page(object, which, variables, level, observation, points, at, by,
                       alone = TRUE))
}

#' @rdname autoplot.btg
#' @exportS3Method ggplot2::autoplot
# nolint start: object_name_linter. The names consist of a generic and a class.
autoplot.btg_loocv <- function(object, which = c("predicted", "pit", "coverage", "residuals"),
                               ...) {
  check_loocv(object)
  check_dots(..., valid = "which")
  which <- check_choice(which, eval(formals(autoplot.btg_loocv)$which), "which")
  ggplot_page(loocv_page(object, which))
}

#' @rdname autoplot.btg
#' @exportS3Method ggplot2::autoplot
autoplot.btg_prior <- function(object, inputs = 1, transform = "sinharcsinh", ...) {
  check_dots(..., valid = c("inputs", "transform"))
  ggplot_page(prior_page(object, inputs, transform))
}

#' @rdname autoplot.btg
#' @exportS3Method ggplot2::autoplot
autoplot.btg_optimised <- function(object, ...) {
  check_dots(...)
  ggplot_page(optimised_page(object))
}

#' @rdname autoplot.btg
#' @exportS3Method ggplot2::autoplot
autoplot.btg_region <- function(object, ...) {
  check_dots(...)
  ggplot_page(region_page(object))
}

#' @rdname autoplot.btg
#' @exportS3Method ggplot2::autoplot
autoplot.btg_exceedance <- function(object, ...) {
  check_dots(...)
  ggplot_page(exceedance_page(object))
}

#' @rdname autoplot.btg
#' @exportS3Method ggplot2::autoplot
autoplot.btg_sensitivity <- function(object, ...) {
  check_dots(...)
  ggplot_page(sensitivity_page(object))
}

#' @rdname autoplot.btg
#' @exportS3Method ggplot2::autoplot
autoplot.btg_influence <- function(object, ...) {
  check_dots(...)
  ggplot_page(influence_page(object))
}
# nolint end

# Draws a page (see plot-layers.R), with a facet for each of several panels.
ggplot_page <- function(page) {
  panels <- Filter(Negate(is.null), page$panels)
  first <- panels[[1L]]
  columns <- if (first$x$flush) 3L else ggplot2::wrap_dims(length(panels))[2L]
  x <- facet_axis(panels, "x")
  y <- facet_axis(panels, "y", page$y_label)
  strips <- panel_strips(panels, is.null(y$label))
  layers <- stack_layers(panels, strips, list(x = x$position, y = y$position))
  # Long names of categories are turned, and many are smaller.
  letters <- nchar(short_names(unlist(lapply(panels, function(panel) panel$x$names))))
  turned <- if (sum(letters) > 40L / columns) {
    size <- ggplot2::rel(if (length(letters) > 12L) 0.75 else 0.9)
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 35, hjust = 1, size = size))
  }
  free <- c("fixed", "free_x", "free_y", "free")[1L + x$free + 2L * y$free]
  width <- 60L %/% columns
  strip_lines <- ggplot2::as_labeller(function(text) in_lines(text, width))
  facets <- ggplot2::facet_wrap("panel", ncol = columns, scales = free, labeller = strip_lines)
  one <- length(panels) == 1L
  ggplot2::ggplot() + lapply(layers, ggplot_layer) + x$scale + y$scale +
    ggplot_legends(layers) + ggplot_frame(first) + ggplot_margins(columns) + turned +
    ggplot2::labs(x = x$label, y = if (!is.null(y$label)) in_lines(y$label),
                  subtitle = if (one && nzchar(first$title)) first$title,
                  caption = ggplot_caption(page, first)) +
    if (!one) facets
}

# Maps with an aspect may be narrower than the page.
ggplot_caption <- function(page, panel) {
  if (!is.null(page$caption)) in_lines(page$caption, if (is.null(panel$aspect)) 72L else 55L)
}

# The words above panels: their titles, and labels of axes where titles are missing or repeated.
panel_strips <- function(panels, with_y) {
  titles <- vapply(panels, function(panel) trimws(paste0(panel$title, "\n", panel$subtitle)), "")
  labels <- vapply(panels, function(panel) {
    paste0(if (with_y) paste0(panel$y$label, ", against "), panel$x$label)
  }, "")
  make.unique(if (anyDuplicated(titles)) trimws(paste0(titles, "\n", labels)) else titles)
}

# The axis `side` of all panels: list(position, scale, label, free). position(values, k) places
# values of panel k. Facets share a scale, so a panel with categories, times or a logarithmic axis
# moves to a stretch of its own, with its own ticks, unless all panels have the same limits.
facet_axis <- function(panels, side, label = NULL) {
  axes <- lapply(panels, function(panel) panel[[side]])
  limits <- lapply(panels, axis_limits, side)
  differ <- length(unique(limits)) > 1L
  apart <- differ && any(vapply(axes, function(axis) axis$ticks, NA))
  own <- mapply(function(axis, at) has_own_ticks(axis) || apart && is_time(at), axes, limits)
  shift <- 0 * own
  position <- function(values, k) {
    if (is_time(values) && !own[k]) values
    else (if (axes[[k]]$log) log10(as.numeric(values)) else as.numeric(values)) + shift[k]
  }
  stretch <- 10 * (1 + max(abs(unlist(Map(position, limits, seq_along(axes))))))
  if (apart) shift <- own * seq_along(axes) * stretch
  ticks <- Map(axis_ticks, axes[own], limits[own])
  at <- unlist(Map(position, lapply(ticks, `[[`, "at"), which(own)))
  texts <- do.call(c, lapply(ticks, function(one) as.list(one$labels)))
  labels <- unique(vapply(axes, function(axis) axis$label, ""))
  list(position = position, label = if (length(labels) == 1L) labels else label,
       scale = if (any(own)) own_scale(side, at, texts, if (apart) stretch / 2 else -Inf),
       free = length(labels) > 1L || differ && any(own))
}

# A scale with ticks at `at` beyond `from`, and pretty ticks before.
own_scale <- function(side, at, texts, from) {
  scale <- if (side == "x") ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
  scale(
    breaks = function(limits) if (mean(limits) > from) at else pretty(limits, 4L),
    labels = function(breaks) {
      found <- match(breaks, at)
      as.expression(ifelse(is.na(found), format(breaks, trim = TRUE), texts[found]))
    },
    guide = ggplot2::guide_axis(check.overlap = TRUE)
  )
}

# Joins the layers of the same name and kind in all panels, with a column `panel` and the positions
# of the shared axes. A layer without marks extends the axes to the limits of the panels.
stack_layers <- function(panels, strips, position) {
  each <- do.call(c, lapply(seq_along(panels), function(k) {
    corners <- plot_layer("corners", x = axis_limits(panels[[k]], "x"),
                          y = axis_limits(panels[[k]], "y"))
    lapply(c(panels[[k]]$layers, list(corners = corners)), function(layer) {
      for (side in c("x", "y")) {
        on <- is_on_axis(names(layer$data), side)
        layer$data[on] <- lapply(layer$data[on], position[[side]], k)
      }
      layer$data$panel <- factor(strips[k], strips)
      layer
    })
  }))
  each <- each[order(names(each) == "corners", match(names(each), unique(names(each))))]
  key <- paste(names(each), vapply(each, function(layer) layer$kind, ""))
  layers <- lapply(split(each, factor(key, unique(key))), function(same) {
    same[[1L]]$data <- do.call(rbind, lapply(unname(same), function(layer) layer$data))
    same[[1L]]
  })
  # A curve and a category may share a label, which the legend shows once.
  repeated <- duplicated(lapply(layers, function(layer) layer$label))
  Map(function(layer, repeated) c(layer, repeated = repeated), layers, repeated)
}

# How ggplot2 draws each kind of layer: the geometry, and the properties that are set for it.
ggplot_kinds <- function() {
  stroke <- c("colour", "alpha", "linewidth", "linetype")
  list(
    band = list(ggplot2::geom_ribbon, c("fill", "alpha")),
    boxes = list(ggplot2::geom_rect, c("fill", "alpha", "colour")),
    line = list(ggplot2::geom_path, stroke),
    steps = list(ggplot2::geom_step, stroke),
    points = list(ggplot2::geom_point, c("colour", "fill", "alpha", "size", "shape")),
    strokes = list(ggplot2::geom_segment, stroke),
    diagonal = list(function(...) ggplot2::geom_abline(..., key_glyph = "path"), stroke),
    horizontal = list(ggplot2::geom_hline, stroke),
    vertical = list(ggplot2::geom_vline, stroke),
    rug = list(function(...) ggplot2::geom_rug(..., sides = "b"), stroke),
    text = list(ggplot2::geom_text, c("colour", "hjust", "vjust", "size")),
    corners = list(ggplot2::geom_blank, NULL)
  )
}

# A layer of ggplot2. Labels are mapped to the opacity of bands and to the colour of other layers,
# so that they appear in legends.
ggplot_layer <- function(layer) {
  kind <- ggplot_kinds()[[layer$kind]]
  colour <- layer_colour(layer)
  fixed <- list(colour = if (layer$kind == "boxes") layer$border else colour,
                fill = if (layer$kind == "points") "white" else colour, alpha = layer$alpha,
                size = layer$size * if (layer$kind == "text") 3.9 else 1.6, shape = layer$shape,
                linewidth = 0.4 * layer$size, linetype = layer$line, hjust = layer$adjust[1L],
                vjust = layer$adjust[2L])
  data <- layer$data
  if (!is.null(layer$label)) data[[if (is_interval(layer)) "alpha" else "colour"]] <- layer$label
  if (!is.null(data$fill)) {
    data$colour <- I(data$fill)
    data$fill <- if (layer$kind == "boxes") I(data$fill)
  }
  columns <- setdiff(names(data), "panel")
  mapping <- lapply(stats::setNames(columns, sub("text", "label", columns)), as.name)
  do.call(kind[[1L]], c(list(do.call(ggplot2::aes, mapping), data),
                        fixed[setdiff(kind[[2L]], columns)],
                        show.legend = if (layer$repeated) FALSE else NA))
}

# One legend for the intervals, and one for all other labels, below the panels.
ggplot_legends <- function(layers) {
  bands <- Filter(function(layer) is_interval(layer) && !layer$repeated, unname(layers))
  shades <- unlist(lapply(bands, function(layer) stats::setNames(layer$alpha, layer$label)))
  key <- legend_entries(layers)
  list(
    if (length(shades) > 0L) {
      seen <- list(alpha = unname(seen_alpha(shades)))
      ggplot2::scale_alpha_manual(name = "interval", values = shades, breaks = names(shades),
                                  guide = ggplot2::guide_legend(override.aes = seen))
    },
    if (!is.null(key)) {
      shown <- list(shape = key$shape, linetype = ifelse(is.na(key$line), 0, key$line))
      guide <- ggplot2::guide_legend(override.aes = shown, ncol = key_columns(key$label, 72L))
      ggplot2::scale_colour_manual(name = NULL, values = stats::setNames(key$colour, key$label),
                                   breaks = key$label, guide = guide)
    },
    ggplot2::theme(legend.position = "bottom", legend.margin = ggplot2::margin(),
                   legend.box = if (sum(nchar(key$label) + 6L) > 36L) "vertical" else "horizontal")
  )
}

# The coordinates of a plot: the aspect of its panels, and for maps no background, since the key
# stands beside the map in the panel.
ggplot_frame <- function(panel) {
  if (panel$x$flush) {
    x <- with_room(panel$x, panel$x$limits)
    y <- panel$y$limits
    list(if (is.null(panel$aspect)) ggplot2::coord_cartesian(x, y, expand = FALSE, clip = "off")
         else ggplot2::coord_fixed(panel$aspect, x, y, expand = FALSE, clip = "off"),
         if (is.null(panel$aspect)) ggplot2::theme(aspect.ratio = min(panel$tallest, 1)),
         if (panel$x$room > 0) {
           ggplot2::theme(panel.background = ggplot2::element_blank(),
                          panel.grid = ggplot2::element_blank())
         })
  } else if (!is.null(panel$aspect)) {
    ggplot2::coord_fixed(panel$aspect)
  }
}

# The caption starts at the left edge of the plot, where it has the most room. Many facets have
# smaller numbers on their axes, and room between them.
ggplot_margins <- function(columns) {
  ggplot2::theme(
    plot.caption = ggplot2::element_text(hjust = 0), plot.caption.position = "plot",
    panel.spacing.x = ggplot2::unit(if (columns > 1L) 0.9 else 0.5, "lines"),
    axis.text.x = if (columns > 2L) ggplot2::element_text(size = ggplot2::rel(0.85))
                  else ggplot2::element_text()
  )
}
