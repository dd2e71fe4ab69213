# Pages, panels and layers: everything that a plot shows, as plain data. draw_page() draws a page
# with base graphics and ggplot_page() with ggplot2, so a new plot needs only its data.

# A page of panels. NULL among the panels leaves a place empty. plot() returns `drawn`. `columns`
# sets the number of columns, and `y_label` labels the y axis that ggplot2 shares between panels
# whose own labels differ.
plot_page <- function(panels, drawn, columns = NULL, y_label = NULL) {
  list(panels = unname(panels), drawn = drawn, columns = columns, y_label = y_label)
}

# A panel with named layers, the lowest first. `x` and `y` are axes made by plot_axis(), or only
# their labels. `note` stands above the panel, or in the caption of ggplot2. `legend` is the corner
# for the labels of layers. `strip` replaces the words above a panel of ggplot2, and `square` asks
# ggplot2 for the same unit on both axes.
plot_panel <- function(layers, x, y, title = "", subtitle = "", note = NULL, legend = NULL,
                       strip = NULL, square = FALSE) {
  as_axis <- function(axis) if (is.list(axis)) axis else plot_axis(axis)
  list(layers = Filter(Negate(is.null), layers), x = as_axis(x), y = as_axis(y), title = title,
       subtitle = subtitle, note = note, legend = legend, strip = strip, square = square)
}

# An axis. By default its limits are the range of the layers. Categories stand at 1, 2, ... and have
# `names`. With `flush`, the limits are the edges of the panel.
plot_axis <- function(label, limits = NULL, names = NULL, log = FALSE, ticks = TRUE,
                      flush = FALSE) {
  if (!is.null(names)) limits <- c(0.5, length(names) + 0.5)
  list(label = label, limits = limits, names = names, log = log, ticks = ticks, flush = flush)
}

# A layer of one `kind`, a name in both `base_kinds` and `ggplot_kinds`. Its data have the columns
# that ggplot2 needs for this kind (x, y, xmin, ymax, yintercept, ...), which base graphics reads
# too. `colour` is a name in `plot_colours` or any other colour. `size` is in units of base
# graphics: `cex` or `lwd`. A `label` puts the layer into the legend; `outside` allows it to leave
# the panel.
plot_layer <- function(kind, ..., colour = "line", alpha = 1, size = 1, shape = 16, line = 1,
                       border = NA, adjust = 0.5, label = NULL, outside = FALSE) {
  list(kind = kind, data = data.frame(...), colour = colour, alpha = alpha, size = size,
       shape = shape, line = line, border = border, adjust = adjust, label = label,
       outside = outside)
}

plot_colours <- c(line = "#0072B2", dark = "#1F4E79", bar = "#9DB8D2", guide = "#D55E00",
                  data = "#000000")

# The colour of a layer. `chosen`, the user's `col`, replaces the colour of curves, bands and bars.
layer_colour <- function(layer, chosen = NULL) {
  if (!is.null(chosen) && layer$colour %in% c("line", "dark", "bar")) {
    return(chosen)
  }
  if (layer$colour %in% names(plot_colours)) plot_colours[[layer$colour]] else layer$colour
}

# Shades of a band and of the narrower bands inside it.
band_alpha <- function(k) if (k == 1L) 0.18 else 0.3

# The median and the intervals of a curve at `at`, or of categories at 1, 2, ... `curve` has the
# columns `median` and the ends of intervals, outermost first, as curve_probs() orders them.
curve_layers <- function(at, curve, level, continuous = TRUE, bands = TRUE) {
  ends <- curve[setdiff(names(curve), "median")]
  names <- paste0(format(100 * rev(level), trim = TRUE), "%")
  layers <- lapply(stats::setNames(seq_along(level), names), function(k) {
    ymin <- ends[[k]]
    ymax <- ends[[ncol(ends) + 1L - k]]
    if (continuous) plot_layer("band", x = at, ymin, ymax, alpha = band_alpha(k), label = names[k])
    else plot_layer("boxes", xmin = at - 0.3, xmax = at + 0.3, ymin, ymax, alpha = band_alpha(k),
                    label = names[k])
  })
  y <- curve$median
  median <- if (continuous) plot_layer("line", x = at, y, size = 2.5)
            else plot_layer("strokes", x = at - 0.3, xend = at + 0.3, y, yend = y, size = 2.5)
  c(if (bands) layers, list(median = median))
}

# 0.5 and the probabilities of the ends of intervals, outermost first. `level` is sorted.
curve_probs <- function(level) c(0.5, (1 - rev(level)) / 2, (1 + level) / 2)

# Weighted quantiles over nodes, one row per row of `values`, with the columns of a curve.
curve_quantiles <- function(values, weight, level) {
  weight <- pmax(weight, 0)
  probs <- curve_probs(level)
  quantiles <- t(apply(values, 1L, weighted_quantile, weight = weight / sum(weight), p = probs))
  colnames(quantiles) <- c("median", interval_names(probs[-1L]))
  as.data.frame(quantiles)
}

# The limits of the axis `side`, "x" or "y": the given ones, or the range of all layers.
axis_limits <- function(panel, side) {
  axis <- panel[[side]]
  if (!is.null(axis$limits)) {
    return(axis$limits)
  }
  columns <- unlist(lapply(unname(panel$layers), function(layer) {
    as.list(layer$data[is_on_axis(names(layer$data), side)])
  }), recursive = FALSE)
  values <- unlist(lapply(columns, as.numeric))
  if (axis$log) values <- values[values > 0]
  as_time(range(values, finite = TRUE), Find(is_time, columns))
}

is_on_axis <- function(columns, side) grepl(paste0("^", side, "(min|max|end|intercept)?$"), columns)

is_time <- function(x) inherits(x, c("Date", "POSIXct"))

# Numbers as dates or times like `template`, or as they are.
as_time <- function(x, template) {
  if (is.null(template)) x
  else structure(x, class = class(template), tzone = attr(template, "tzone"))
}

# list(at, labels): the ticks of an axis over `limits`.
axis_ticks <- function(axis, limits) {
  if (!axis$ticks) {
    return(list(at = numeric(), labels = character()))
  }
  if (!is.null(axis$names)) {
    return(list(at = seq_along(axis$names), labels = short_names(axis$names)))
  }
  if (axis$log) {
    return(log_ticks(limits))
  }
  at <- pretty(limits)
  list(at = as.numeric(at), labels = if (is_time(at)) attr(at, "labels") else format(at, trim = TRUE))
}

# Ticks of a logarithmic axis: round numbers within a decade, 1, 2 and 5 or 1 and 3 over few
# decades, and powers of ten over many.
log_ticks <- function(limits) {
  span <- log10(limits)
  decades <- diff(span)
  powers <- floor(span[1L]):ceiling(span[2L])
  at <- if (decades < 0.8) pretty(limits)
        else if (decades < 1.7) as.vector(outer(c(1, 2, 5), 10^powers))
        else if (decades < 3.2) as.vector(outer(c(1, 3), 10^powers))
        else 10^powers[powers %% max(1, round(decades / 5)) == 0]
  at <- at[at >= limits[1L] & at <= limits[2L]]
  whole <- abs(log10(at) - round(log10(at))) < 1e-9
  if (any(at < 1e-3 | at > 1e4) && sum(whole) > 1L) {
    powers <- round(log10(at[whole]))
    return(list(at = 10^powers, labels = parse(text = paste0("10^", powers))))
  }
  list(at = at, labels = vapply(at, format, "", digits = 3L))
}

# Cuts names to at most 18 letters.
short_names <- function(names) {
  names[is.na(names)] <- "NA"
  ifelse(nchar(names) > 18L, paste0(substr(names, 1L, 16L), ".."), names)
}

# One row per layer that the legend explains, with NA where a key has no symbol or no line. The
# intervals are explained only by the legend of ggplot2.
legend_entries <- function(layers, chosen = NULL) {
  layers <- Filter(function(layer) !is.null(layer$label) && !layer$kind %in% c("band", "boxes"),
                   layers)
  entry <- function(layer) {
    shape <- switch(layer$kind, points = layer$shape, rug = 124, NA)
    data.frame(label = layer$label, colour = layer_colour(layer, chosen), shape,
               line = if (is.na(shape)) layer$line else NA, size = layer$size)
  }
  do.call(rbind, unname(lapply(layers[!duplicated(names(layers))], entry)))
}
