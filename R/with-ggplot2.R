#' Plot with ggplot2
#'
#' Draws the plots of [plot.btg()], [plot.btg_loocv()], [plot.btg_prior()] and [btg_optimise()] as
#' ggplot objects, which can be changed and added to.
#'
#' Several panels become facets of one plot. A facet with categories, dates or a logarithmic axis has
#' positions of our own on the shared axis, so a scale that is added to such a plot replaces its
#' labels. Draw one variable to change its scale.
#'
#' @param object A fit by [btg()] or [wgp()], a result of [loocv()], a prior made by [btg_prior()], or
#'   a result of [btg_optimise()].
#' @param which The plot to draw: see [plot.btg()]. `"predicted"`, `"pit"` and `"coverage"` are single
#'   panels of [plot.btg_loocv()].
#' @param variables,level,observation,points,at As in [plot.btg()].
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
                                   "residuals", "hyperparameters", "transform", "noise",
                                   "quadrature"),
                         variables = NULL, level = c(0.5, 0.95), observation = TRUE, points = 80,
                         at = NULL, ...) {
  check_dots(..., valid = names(formals(autoplot.btg)))
  ggplot_page(fit_page(object, which, variables, level, observation, points, at, alone = TRUE))
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
# nolint end

# Draws a page (see plot-layers.R), with a facet for each of several panels.
ggplot_page <- function(page) {
  panels <- Filter(Negate(is.null), page$panels)
  many <- length(panels) > 1L
  x <- facet_axis(panels, "x")
  y <- facet_axis(panels, "y", page$y_label)
  strips <- make.unique(vapply(panels, panel_strip, "", with_label = is.null(x$label)))
  layers <- stack_layers(panels, strips, x$place, y$place)
  notes <- unlist(lapply(panels, function(panel) panel$note))
  plot <- ggplot2::ggplot() + lapply(layers, ggplot_layer) + x$scale + y$scale +
    ggplot_legends(layers) + ggplot_frame(panels[[1L]]) + x$turned +
    ggplot2::labs(x = x$label, y = if (!is.null(y$label)) in_lines(y$label),
                  subtitle = if (!many && nzchar(panels[[1L]]$title)) panels[[1L]]$title,
                  caption = if (length(notes) > 0L) paste(notes, collapse = "; "))
  if (!many) {
    return(plot)
  }
  free <- if (x$free) if (y$free) "free" else "free_x" else if (y$free) "free_y" else "fixed"
  plot + ggplot2::facet_wrap("panel", scales = free,
                             labeller = ggplot2::as_labeller(function(text) in_lines(text, 24L)))
}

# The words above a panel: its title, and the label of the x axis where panels do not share one.
panel_strip <- function(panel, with_label) {
  if (!is.null(panel$strip)) {
    return(panel$strip)
  }
  paste(c(if (nzchar(panel$title)) panel$title, if (with_label) panel$x$label), collapse = "\n")
}

# Breaks text into lines, since ggplot2 cuts labels that are longer than the page.
in_lines <- function(text, width = 40L) {
  vapply(strsplit(text, "\n", fixed = TRUE), function(lines) {
    paste(strwrap(lines, width), collapse = "\n")
  }, "")
}

# The axis `side` of all panels together: list(place, scale, label, free, turned), where
# place(values, k) is the position of values of panel k.
#
# Facets share a scale. A panel with categories, times, a logarithmic axis or no ticks is therefore
# moved to a stretch of the axis of its own, with its own ticks and labels.
facet_axis <- function(panels, side, label = NULL) {
  axes <- lapply(panels, function(panel) panel[[side]])
  limits <- lapply(panels, axis_limits, side)
  many <- length(panels) > 1L
  own <- mapply(function(axis, limits) has_own_ticks(axis) || (many && is_time(limits)), axes, limits)
  on_scale <- function(values, k) {
    values <- if (many || own[k]) as.numeric(values) else values
    if (axes[[k]]$log) log10(values) else values
  }
  reach <- max(abs(unlist(Map(function(limits, k) as.numeric(on_scale(limits, k)), limits,
                              seq_along(axes)))))
  stretch <- 10 * (1 + reach)
  shift <- ifelse(own & many, stretch * seq_along(axes), 0)
  ticks <- Map(function(k) {
    one <- axis_ticks(axes[[k]], limits[[k]])
    list(at = on_scale(one$at, k) + shift[k], labels = as.list(one$labels))
  }, which(own))
  labels <- unique(vapply(axes, function(axis) axis$label, ""))
  names <- unlist(lapply(axes, function(axis) short_names(axis$names)))
  columns <- if (many) ceiling(sqrt(length(panels))) else 1L
  list(
    place = function(values, k) if (shift[k] == 0) on_scale(values, k) else on_scale(values, k) + shift[k],
    scale = if (any(own)) own_scale(side, ticks, if (many) stretch / 2 else -Inf),
    label = if (length(labels) == 1L) labels else label,
    free = length(labels) > 1L || any(shift > 0),
    turned = if (sum(nchar(names)) > 40L / columns) {
      ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 35, hjust = 1))
    }
  )
}

# A scale with fixed ticks beyond `from`, and pretty ones before.
own_scale <- function(side, ticks, from) {
  at <- unlist(lapply(ticks, function(one) one$at))
  labels <- unlist(lapply(ticks, function(one) one$labels), recursive = FALSE)
  label <- function(breaks) {
    shown <- labels[match(breaks, at)]
    plain <- vapply(shown, is.null, NA)
    shown[plain] <- format(breaks[plain], trim = TRUE)
    if (all(vapply(shown, is.character, NA))) unlist(shown) else as.expression(shown)
  }
  scale <- if (side == "x") ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
  scale(breaks = function(limits) if (mean(limits) > from) at else pretty(limits, 4L),
        labels = label, guide = ggplot2::guide_axis(check.overlap = TRUE))
}

# Joins the layers of the same name and kind in all panels, with a column `panel` and the positions of the
# shared axes. An empty layer extends the axes to the limits of the panels.
stack_layers <- function(panels, strips, place_x, place_y) {
  each <- unlist(lapply(seq_along(panels), function(k) {
    corners <- plot_layer("corners", x = axis_limits(panels[[k]], "x"),
                          y = axis_limits(panels[[k]], "y"))
    lapply(c(panels[[k]]$layers, list(corners = corners)), function(layer) {
      on_x <- is_on_axis(names(layer$data), "x")
      on_y <- is_on_axis(names(layer$data), "y")
      layer$data[on_x] <- lapply(layer$data[on_x], place_x, k)
      layer$data[on_y] <- lapply(layer$data[on_y], place_y, k)
      layer$data$panel <- factor(strips[k], strips)
      layer
    })
  }), recursive = FALSE)
  key <- paste(names(each), vapply(each, function(layer) layer$kind, ""))
  lapply(split(each, factor(key, unique(key))), function(same) {
    same[[1L]]$data <- do.call(rbind, lapply(unname(same), function(layer) layer$data))
    same[[1L]]
  })
}

# How ggplot2 draws each kind of layer: the geometry, and the properties that are set for it.
ggplot_kinds <- function() {
  stroke <- c("colour", "alpha", "linewidth", "linetype")
  list(
    band = list(ggplot2::geom_ribbon, c("fill", "alpha")),
    boxes = list(ggplot2::geom_rect, c("fill", "alpha", "border")),
    line = list(ggplot2::geom_path, stroke),
    steps = list(ggplot2::geom_step, stroke),
    points = list(ggplot2::geom_point, c("colour", "alpha", "size", "shape")),
    strokes = list(ggplot2::geom_segment, stroke),
    diagonal = list(ggplot2::geom_abline, stroke),
    horizontal = list(ggplot2::geom_hline, stroke),
    vertical = list(ggplot2::geom_vline, stroke),
    rug = list(function(...) ggplot2::geom_rug(..., sides = "b"), stroke),
    text = list(ggplot2::geom_text, c("colour", "hjust", "text_size")),
    corners = list(ggplot2::geom_blank, NULL)
  )
}

# A layer of ggplot2. Labels are mapped, to the opacity of bands and to the colour of other layers,
# so that they appear in legends.
ggplot_layer <- function(layer) {
  kind <- ggplot_kinds()[[layer$kind]]
  colour <- layer_colour(layer)
  is_band <- layer$kind %in% c("band", "boxes")
  fixed <- list(colour = colour, fill = if (layer$kind == "points") "white" else colour,
                alpha = layer$alpha, linewidth = 0.4 * layer$size, linetype = layer$line,
                size = 1.6 * layer$size, shape = layer$shape, hjust = layer$adjust,
                text_size = 3.9 * layer$size, border = layer$border)
  fixed <- fixed[intersect(kind[[2L]], names(fixed))]
  names(fixed) <- sub("text_size", "size", sub("border", "colour", names(fixed)))
  data <- layer$data
  if (!is.null(layer$label)) data[[if (is_band) "alpha" else "colour"]] <- layer$label
  if (!is.null(data$fill)) {
    data$fill <- I(data$fill)
    data$colour <- data$fill
  }
  columns <- setdiff(names(data), "panel")
  mapping <- do.call(ggplot2::aes, lapply(stats::setNames(columns, sub("text", "label", columns)),
                                          as.name))
  do.call(kind[[1L]], c(list(mapping, data), fixed[setdiff(names(fixed), columns)]))
}

# One legend for the intervals, and one for all other labels.
ggplot_legends <- function(layers) {
  bands <- Filter(function(layer) layer$kind %in% c("band", "boxes") && !is.null(layer$label), layers)
  shades <- unlist(lapply(unname(bands), function(layer) {
    stats::setNames(layer$alpha, layer$label)
  }))
  shades <- shades[!duplicated(names(shades))]
  entries <- legend_entries(layers)
  list(
    if (length(shades) > 0L) {
      ggplot2::scale_alpha_manual(name = "interval", values = shades, breaks = names(shades))
    },
    if (!is.null(entries)) {
      shown <- list(shape = entries$shape, linetype = ifelse(is.na(entries$line), 0, entries$line))
      ggplot2::scale_colour_manual(
        name = NULL, values = stats::setNames(entries$colour, entries$label), breaks = entries$label,
        guide = ggplot2::guide_legend(override.aes = shown)
      )
    }
  )
}

# The coordinates of a plot: equal units for a square panel, and room beside maps for their keys.
ggplot_frame <- function(panel) {
  if (panel$square) {
    return(ggplot2::coord_equal())
  }
  if (!panel$x$flush) {
    return(NULL)
  }
  room <- ggplot2::unit(3.2, "lines")
  list(ggplot2::coord_cartesian(as.numeric(panel$x$limits), as.numeric(panel$y$limits),
                                expand = FALSE, clip = "off"),
       ggplot2::theme(panel.spacing.x = room, plot.margin = ggplot2::margin(5.5, 45, 5.5, 5.5)))
}
