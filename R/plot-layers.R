# Pages, panels and layers: everything that a plot shows, as plain data. draw_page() draws a page
# with base graphics and ggplot_page() with ggplot2, so a new plot needs only its data.

# A page of panels, where NULL leaves a place empty. plot() returns `drawn`. `columns` is for base
# graphics; `y_label` labels the axis that ggplot2 shares between panels with different labels;
# `caption` stands below all panels.
plot_page <- function(panels, drawn, columns = NULL, y_label = NULL, caption = NULL) {
  as.list(environment())
}

# A panel with named layers, the lowest first. `x` and `y` are axes by plot_axis(), or their labels.
# `aspect` is the length of a unit of y over that of a unit of x, NULL for any. Panels are no higher
# than `tallest` times their width.
plot_panel <- function(layers, x, y, title = "", subtitle = "", aspect = NULL, tallest = Inf) {
  layers <- Filter(function(layer) NROW(layer$data) > 0L, layers)
  if (!is.list(x)) x <- plot_axis(x)
  if (!is.list(y)) y <- plot_axis(y)
  as.list(environment())
}

# An axis. By default its limits are the range of the layers. Categories stand at 1, 2, ... and have
# `names`. With `flush`, the limits are the edges of the panel. The panel then extends beyond the
# upper limit by `room`, a share of their distance, which has no ticks but space for a key.
plot_axis <- function(label, limits = NULL, names = NULL, log = FALSE, ticks = TRUE,
                      flush = FALSE, room = 0) {
  if (!is.null(names)) limits <- c(0.5, length(names) + 0.5)
  as.list(environment())
}

# A layer of a `kind` that `base_kinds` and `ggplot_kinds` draw. Its data, in `...`, have columns as
# ggplot2 needs them for this kind: x, y, xmin, yintercept. `colour` is a name in `plot_colours` or
# any other colour, and `size` is the `cex` or `lwd` of base graphics. `border` surrounds boxes, and
# `adjust` aligns text. A `label` enters the legend.
plot_layer <- function(kind, ..., colour = "line", alpha = 1, size = 1, shape = 16, line = 1,
                       border = NA, adjust = c(0.5, 0.5), label = NULL) {
  data <- data.frame(...)
  as.list(environment())
}

# The line y = x.
diagonal_layer <- function(...) {
  plot_layer("diagonal", intercept = 0, slope = 1, colour = "guide", ...)
}

# Bars of a histogram.
bar_layer <- function(xmin, xmax, ymax) {
  plot_layer("boxes", xmin, xmax, ymin = 0, ymax, colour = "bar", border = "white")
}

# Points of responses. Censored ones, with different `limits`, are triangles that point to where the
# response lies, or segments between their ends.
response_layers <- function(x, y, limits = NULL, ...) {
  if (is.null(limits)) limits <- new_limits(y, y)
  censored <- are_intervals(limits) %in% TRUE
  exact <- !censored & !is.na(y)
  finite <- is.finite(limits)
  draw <- function(rows, shape) plot_layer("points", x = x[rows], y = y[rows], shape = shape, ...)
  between <- which(censored & finite[, 1L] & finite[, 2L])
  layers <- list(
    data = draw(exact, 16), below = draw(censored & !finite[, 1L], 6),
    above = draw(censored & finite[, 1L] & !finite[, 2L], 2),
    between = plot_layer("strokes", x = x[between], xend = x[between], y = limits[between, 1L],
                         yend = limits[between, 2L], ...)
  )
  Filter(function(layer) nrow(layer$data) > 0L, layers)
}

plot_colours <- c(line = "#0072B2", dark = "#1F4E79", bar = "#9DB8D2", guide = "#D55E00",
                  data = "#000000")

# The colour of a layer. `chosen`, the user's `col`, replaces the colour of curves, bands and bars.
layer_colour <- function(layer, chosen = NULL) {
  if (!is.null(chosen) && layer$colour %in% c("line", "dark", "bar")) chosen
  else if (layer$colour %in% names(plot_colours)) plot_colours[[layer$colour]]
  else layer$colour
}

# The intervals and the median of a curve at `at`, or of categories at 1, 2, ... `curve` has the
# column `median` and the ends of intervals, as curve_probs() orders them. The parts of a curve
# within `gaps` of the data (see data_gaps()) are pale and dotted.
curve_layers <- function(at, curve, level, continuous = TRUE, bands = TRUE, gaps = NULL) {
  ends <- curve[setdiff(names(curve), "median")]
  label <- paste0(format(100 * rev(level), trim = TRUE), "%")
  alpha <- c(0.18, rep(0.3, length(level) - 1L))
  lower <- ends[seq_along(level)]
  upper <- rev(ends)[seq_along(level)]
  y <- curve$median
  if (!continuous) {
    layers <- Map(function(ymin, ymax, label, alpha) {
      plot_layer("boxes", xmin = at - 0.3, xmax = at + 0.3, ymin, ymax, alpha = alpha,
                 label = label)
    }, lower, upper, label, alpha)
    median <- list(median = plot_layer("strokes", x = at - 0.3, xend = at + 0.3, y, yend = y,
                                       size = 2.5))
  } else {
    parts <- curve_parts(at, gaps)
    layers <- lapply(parts, function(part) {
      Map(function(ymin, ymax, label, alpha) {
        plot_layer("band", x = at[part$row], ymin = ymin[part$row], ymax = ymax[part$row],
                   group = part$group, alpha = alpha * part$strength,
                   label = if (part$strength == 1) label)
      }, lower, upper, label, alpha)
    })
    layers <- do.call(c, unname(layers))
    median <- lapply(parts, function(part) {
      plot_layer("line", x = at[part$row], y = y[part$row], group = part$group,
                 size = if (part$strength == 1) 2.5 else 1.5,
                 line = if (part$strength == 1) 1 else 3)
    })
    names(median) <- paste0("median", names(parts))
    label <- paste0(label, rep(names(parts), each = length(level)))
  }
  c(if (bands) stats::setNames(layers, label), median)
}

# Splits the points of a curve into the parts with data and those within gaps. The two have their
# ends in common. `group` numbers the pieces of each.
curve_parts <- function(at, gaps) {
  at <- as.numeric(at)
  n <- length(at)
  middle <- (at[-1L] + at[-n]) / 2
  bare <- vapply(middle, function(x) any(x > gaps[, 1L] & x < gaps[, 2L]), NA)
  if (is.null(gaps) || !any(bare)) {
    return(list(list(row = seq_len(n), group = rep(1L, n), strength = 1)))
  }
  piece <- cumsum(c(TRUE, diff(bare) != 0))
  of <- function(kind, strength) {
    pieces <- unique(piece[bare == kind])
    rows <- lapply(pieces, function(k) seq.int(min(which(piece == k)), max(which(piece == k)) + 1L))
    list(row = unlist(rows), group = rep(pieces, lengths(rows)), strength = strength)
  }
  stats::setNames(list(of(FALSE, 1), of(TRUE, 0.45)), c("", " in gaps"))
}

# The stretches without data within `range`, one row each: longer than an eighth of the range and
# than three typical steps between values. NULL if there is none.
data_gaps <- function(values, range = values, log = FALSE) {
  scale <- if (log) function(x) base::log(as.numeric(x)) else as.numeric
  ends <- range(scale(range))
  x <- sort(unique(scale(values)))
  around <- sort(unique(c(ends, x)))
  step <- diff(around)
  wide <- which(step > max(diff(ends) / 8, 3 * stats::median(c(diff(x), 0))))
  if (length(wide) == 0L) {
    return(NULL)
  }
  back <- if (log) exp else identity
  back(cbind(around[wide], around[wide + 1L]))
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
  columns <- do.call(c, lapply(unname(panel$layers), function(layer) {
    as.list(layer$data[is_on_axis(names(layer$data), side)])
  }))
  values <- unlist(lapply(columns, as.numeric))
  as_time(range(values[values > 0 | !axis$log], finite = TRUE), Find(is_time, columns))
}

is_on_axis <- function(columns, side) grepl(paste0("^", side, "(min|max|end|intercept)?$"), columns)

is_time <- function(x) inherits(x, c("Date", "POSIXct"))

# Numbers as dates or times if `template` has such values.
as_time <- function(x, template) {
  if (is_time(template)) structure(x, class = class(template), tzone = attr(template, "tzone"))
  else x
}

# Whether we place the ticks of an axis, rather than R or ggplot2.
has_own_ticks <- function(axis) {
  !is.null(axis$names) || axis$log || !axis$ticks || axis$room > 0
}

# The limits of a panel, with its room for a key.
with_room <- function(axis, limits) {
  if (axis$room > 0) limits[2L] <- limits[2L] + axis$room * diff(as.numeric(limits))
  limits
}

# list(at, labels): the ticks of an axis over `limits`.
axis_ticks <- function(axis, limits) {
  at <- pretty(limits, if (axis$room > 0) 4L else 5L)
  if (axis$room > 0) at <- within_limits(at, limits)
  if (!axis$ticks) list(at = numeric(), labels = character())
  else if (!is.null(axis$names)) list(at = seq_along(axis$names), labels = short_names(axis$names))
  else if (axis$log) log_ticks(limits)
  else if (is_time(at)) list(at = as.numeric(at), labels = time_labels(at))
  else list(at = at, labels = format(at, trim = TRUE))
}

# Keeps the ticks inside the limits, with the labels that pretty() gives times.
within_limits <- function(at, limits) {
  kept <- as.numeric(at) >= as.numeric(limits[1L]) & as.numeric(at) <= as.numeric(limits[2L])
  labels <- attr(at, "labels")
  structure(at[kept], labels = labels[kept])
}

time_labels <- function(at) if (is.null(attr(at, "labels"))) format(at) else attr(at, "labels")

# Ticks of a logarithmic axis: round numbers within a decade, 1, 2 and 5 or 1 and 3 over few
# decades, and powers of ten over many.
log_ticks <- function(limits) {
  span <- log10(limits)
  decades <- diff(span)
  powers <- floor(span[1L]):ceiling(span[2L])
  at <- if (decades < 0.8) pretty(limits, 4L)
        else if (decades < 1.7) as.vector(outer(c(1, 2, 5), 10^powers))
        else if (decades < 3.2) as.vector(outer(c(1, 3), 10^powers))
        else 10^powers[powers %% ceiling(decades / 4) == 0]
  at <- at[at >= limits[1L] & at <= limits[2L]]
  whole <- intersect(powers, round(log10(at), 9L))
  if (any(at < 1e-3 | at > 1e4) && length(whole) > 1L) {
    list(at = 10^whole, labels = parse(text = paste0("10^", whole)))
  } else {
    list(at = at, labels = vapply(at, format, "", digits = 3L))
  }
}

# Cuts names to at most 18 letters.
short_names <- function(names) {
  names[is.na(names)] <- "NA"
  ifelse(nchar(names) > 18L, paste0(substr(names, 1L, 16L), ".."), names)
}

# Whether a layer shows an interval.
is_interval <- function(layer) layer$kind %in% c("band", "boxes") && !is.null(layer$label)

# Breaks text into lines of at most `width` letters, about equally long. Long lines keep "x = 1"
# together.
in_lines <- function(text, width = 40L) {
  whole <- if (width < 40L) text else gsub(" = ", "\001=\001", text, fixed = TRUE)
  broken <- vapply(strsplit(whole, "\n", fixed = TRUE), function(lines) {
    paste(unlist(lapply(lines, balanced_lines, width)), collapse = "\n")
  }, "")
  gsub("\001", " ", broken, fixed = TRUE)
}

balanced_lines <- function(line, width) {
  lines <- length(strwrap(line, width))
  while (width > 2L && length(strwrap(line, width - 1L)) == lines) width <- width - 1L
  strwrap(line, width)
}

# Gives all panels the same limits of the y axis, wide enough for all of their layers.
share_y <- function(panels) {
  limits <- range(unlist(lapply(panels, axis_limits, "y")))
  lapply(panels, function(panel) {
    panel$y$limits <- limits
    panel
  })
}
