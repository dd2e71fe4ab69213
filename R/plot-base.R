# Draws pages of panels (see plot-layers.R) with base graphics, and applies the titles, labels and
# graphical parameters that users pass in `...`.

# Arguments in `...` that belong to panels. All others go to par().
panel_words <- c("main", "sub", "xlab", "ylab")
panel_arguments <- c(panel_words, "xlim", "ylim", "log", "col")

# Draws a page and returns its `drawn`.
draw_page <- function(page, ...) {
  foot <- page_foot(page, list(...)$col)
  open <- open_page(page, foot$inches, ...)
  on.exit(graphics::par(open$old))
  k <- 0L
  for (panel in page$panels) {
    if (is.null(panel)) graphics::plot.new() else draw_panel(panel, open$given[[k <- k + 1L]])
  }
  # The title of the page has no place before the first panel is drawn.
  if (!is.null(open$title)) {
    graphics::mtext(open$title, outer = TRUE, line = 0.2, font = 2, cex = 1.2)
  }
  draw_foot(foot)
  page$drawn
}

# Sets par() for a page with `foot` inches below the panels, and the user's `...`. Returns list(old,
# given, title): the settings to restore, the arguments of each panel, and a title for all panels
# together, if there is one.
open_page <- function(page, foot, ...) {
  given <- list(...)
  check_graphical(given)
  settings <- given[!names(given) %in% panel_arguments]
  given <- lapply(given[names(given) %in% panel_arguments], as_words)
  panels <- Filter(Negate(is.null), page$panels)
  layout <- page_layout(page$panels, page$columns, foot)
  title <- if (length(panels) > 1L && length(given$main) == 1L) given$main
  if (!is.null(title)) {
    given$main <- NULL
    layout$omi[3L] <- 0.4
  } else if (!is.null(given$main)) {
    layout$mar[3L] <- max(layout$mar[3L], 2.8)
  }
  layout[names(settings)] <- settings
  given$own_margin <- any(c("mar", "mai") %in% names(settings))
  given$shared_y <- !given$own_margin && length(given$ylab) < 2L && share_y_axis(panels)
  old <- graphics::par(layout)
  if (given$shared_y) keep_left(panels[[1L]], given$ylim)
  # The same margins for all make panels of the same size.
  for (panel in panels) {
    ylim <- if (is.null(given$ylim)) axis_limits(panel, "y") else given$ylim
    panel_margins(if (!given$shared_y) axis_ticks(panel$y, ylim)$labels, panel$x$names,
                  given$own_margin)
  }
  list(old = old, given = arguments_of_panels(given, length(panels)), title = title)
}

# Whether panels have the same y axis, so that only those on the left need its numbers and label.
share_y_axis <- function(panels) {
  axes <- lapply(panels, function(panel) {
    panel$y["limits"] <- list(if (panel$y$ticks) axis_limits(panel, "y"))
    panel$y
  })
  length(axes) > 1L && length(unique(axes)) == 1L
}

# Moves the room for a y axis from the margins of all panels to the left edge of the page.
keep_left <- function(panel, ylim) {
  if (is.null(ylim)) ylim <- axis_limits(panel, "y")
  margin <- graphics::par("mar")
  outer <- graphics::par("omi")
  line <- graphics::par("mai")[1L] / margin[1L]
  margin[2L] <- 1.2
  needed <- y_label_line(axis_ticks(panel$y, ylim)$labels) + 1.3 - margin[2L]
  outer[2L] <- outer[2L] + line * max(0, needed)
  graphics::par(mar = margin, omi = outer)
}

# Turns NULL into an empty title, since plot() would invent one, and a formula into one expression.
as_words <- function(x) if (is.null(x)) "" else if (is.call(x)) as.expression(x) else x

# Settings of par() for a grid of panels. The margins make room for titles.
page_layout <- function(panels, columns = NULL, foot = 0) {
  size <- grDevices::dev.size() - c(0, foot)
  first <- panels[[1L]]
  if (is.null(columns)) columns <- page_columns(length(panels), size, panel_shape(first))
  rows <- ceiling(length(panels) / columns)
  top <- if (nzchar(first$subtitle)) 3.4 else if (!nzchar(first$title)) 1.5
         else if (rows > 2L) 1.8 else 2.6
  list(mfrow = c(rows, columns), mar = c(3.4, 3.9, top, 1.2), mgp = c(2, 0.6, 0), las = 1,
       bty = "l", cex = page_cex(rows, columns, size), omi = c(foot, 0, 0, 0))
}

# The size of letters: that of par(mfrow = ), and smaller if panels are less than 3.2 inches wide.
page_cex <- function(rows, columns, size) {
  usual <- if (max(rows, columns) > 2L) 0.66 else if (rows == 2L && columns == 2L) 0.83 else 1
  max(0.6, min(usual, size[1L] / columns / 3.2))
}

# Chooses the columns with the largest panels of a shape. Pages without empty places, and with
# larger letters, are better.
page_columns <- function(panels, size = grDevices::dev.size(), shape = 0.8) {
  columns <- seq_len(panels)
  rows <- ceiling(panels / columns)
  letters <- mapply(page_cex, rows, columns, MoreArgs = list(size = size))
  width <- size[1L] / columns - 0.8 * letters
  height <- size[2L] / rows - 1.1 * letters
  full <- ifelse(rows * columns == panels, 1, 0.85)
  columns[which.max(pmin(width, height / shape) * full * letters)]
}

# Height over width: of a map, with its room for a key, and else a usual one.
panel_shape <- function(panel) {
  if (is.null(panel$aspect)) {
    return(min(0.8, panel$tallest))
  }
  shape_of(panel$aspect, with_room(panel$x, axis_limits(panel, "x")), axis_limits(panel, "y"))
}

shape_of <- function(aspect, xlim, ylim) {
  aspect * diff(as.numeric(ylim)) / diff(as.numeric(xlim))
}

check_graphical <- function(given) {
  valid <- setdiff(c(panel_arguments, names(graphics::par(no.readonly = TRUE))), c("xlog", "ylog"))
  unknown <- setdiff(if (is.null(names(given))) character(length(given)) else names(given), valid)
  if (length(unknown) > 0L) {
    named <- unknown[nzchar(unknown)]
    abort_btg(c(
      "There are arguments that cannot be used.",
      if (length(named) > 0L) c(x = paste0("Unknown: ", list_names(named), ".")),
      if (length(named) < length(unknown)) c(x = "There are arguments without a name."),
      suggest_names(named, valid)
    ), "unknown_argument")
  }
}

# Splits titles and labels over the panels. Limits and colours apply to all panels.
arguments_of_panels <- function(given, panels) {
  each <- intersect(names(given), panel_words)
  for (name in each) {
    if (!length(given[[name]]) %in% c(1L, panels)) {
      abort_btg(c(paste0("`", name, "` must be one for all panels, or one for each."),
                  x = paste0("There are ", count_noun(panels, "panel"), ", and ",
                             length(given[[name]]), " of `", name, "`.")), "argument")
    }
  }
  lapply(seq_len(panels), function(k) {
    given[each] <- lapply(given[each], function(one) one[if (length(one) == 1L) 1L else k])
    given
  })
}

# The user's `log`, or "". `shown` is FALSE where no panel can have logarithmic axes, and `advice`
# then names plots that can.
log_axes <- function(..., shown = TRUE, advice = NULL) {
  log <- list(...)$log
  if (is.null(log)) log <- ""
  if (!(is.character(log) && length(log) == 1L && log %in% c("", "x", "y", "xy", "yx"))) {
    abort_argument("log", "must be \"x\", \"y\" or \"xy\"", log)
  }
  if (!shown && nzchar(log)) abort_btg(c("`log` has no effect here.", i = advice), "argument")
  log
}

# Draws one panel. `given` has the user's words, limits and colour.
draw_panel <- function(panel, given) {
  words <- list(main = panel$title, sub = "", xlab = panel$x$label, ylab = panel$y$label)
  said <- intersect(names(given), panel_words)
  words[said] <- given[said]
  xlim <- if (is.null(given$xlim)) axis_limits(panel, "x") else given$xlim
  ylim <- if (is.null(given$ylim)) axis_limits(panel, "y") else given$ylim
  margins <- keep_shape(panel, xlim, ylim)
  on.exit(graphics::par(margins))
  open_panel(panel, xlim, ylim, c(x = has_own_ticks(panel$x) || is_time(xlim),
                                  y = has_own_ticks(panel$y) || given$shared_y))
  x_ticks <- axis_ticks(panel$x, xlim)
  if (!is.null(panel$x$names)) category_axis(panel$x$names)
  else if (panel$x$log || panel$x$room > 0 || is_time(xlim)) {
    graphics::axis(1, x_ticks$at, x_ticks$labels)
  }
  y_ticks <- axis_ticks(panel$y, ylim)
  on_left <- !given$shared_y || graphics::par("mfg")[2L] == 1L
  if (panel$y$log || given$shared_y) y_axis(y_ticks, on_left)
  for (layer in panel$layers) draw_layer(layer, given$col)
  write_word(words$main, 3L, "main", line = if (nzchar(panel$subtitle)) 1.9 else 0.7)
  write_word(words$sub, 1L, "sub")
  write_word(words$xlab, 1L, "xlab", line = x_label_line(panel$x$names))
  if (on_left) write_word(words$ylab, 2L, "ylab", line = y_label_line(y_ticks$labels))
  graphics::mtext(panel$subtitle, line = 0.5, cex = 0.8 * graphics::par("cex"))
}

# Opens an empty panel. `own` tells for x and y whether we draw the axis.
open_panel <- function(panel, xlim, ylim, own) {
  edges <- with_room(panel$x, xlim)
  graphics::plot(edges, ylim, type = "n", ann = FALSE, xlim = edges, ylim = ylim,
                 log = paste(c("x", "y")[c(panel$x$log, panel$y$log)], collapse = ""),
                 xaxs = if (panel$x$flush) "i" else graphics::par("xaxs"),
                 yaxs = if (panel$y$flush) "i" else graphics::par("yaxs"),
                 xaxt = if (own[["x"]]) "n" else graphics::par("xaxt"),
                 yaxt = if (own[["y"]]) "n" else graphics::par("yaxt"),
                 bty = if (panel$x$room > 0) "n" else graphics::par("bty"))
}

y_axis <- function(ticks, with_numbers) {
  # The numbers may stand in the outer margin.
  ends <- graphics::par("usr")[3:4]
  if (graphics::par("ylog")) ends <- 10^ends
  inside <- ticks$at >= ends[1L] & ticks$at <= ends[2L]
  if (any(inside)) {
    graphics::axis(2, ticks$at[inside], if (with_numbers) ticks$labels[inside] else FALSE,
                   xpd = NA)
  }
}

# Widens the margins of the next panel so that it has the aspect of a map, or is no higher than it
# may be. Returns the margins before. Axes that are not flush extend by 4% on both sides, which
# changes nothing.
keep_shape <- function(panel, xlim, ylim) {
  margin <- graphics::par("mai")
  size <- graphics::par("fin") - c(sum(margin[c(2L, 4L)]), sum(margin[c(1L, 3L)]))
  shape <- if (is.null(panel$aspect)) min(size[2L] / size[1L], panel$tallest)
           else shape_of(panel$aspect, with_room(panel$x, xlim), ylim)
  spare <- size - pmin(size, rev(size) * c(1 / shape, shape))
  # Titles of panels side by side stay at the same height: in the middle of a page of one row.
  above <- if (graphics::par("mfrow")[1L] == 1L) 0.5 else 0
  graphics::par(mai = margin + c((1 - above) * spare[2L], spare[1L] / 2, above * spare[2L],
                                 spare[1L] / 2))
}

draw_layer <- function(layer, chosen) {
  data <- layer$data
  # Bands and strokes that reach zero end at the edge of a logarithmic axis.
  lower <- intersect(names(data), c("ymin", if (layer$kind == "strokes") "y"))
  if (graphics::par("ylog")) data[lower] <- lapply(data[lower], pmax, 10^graphics::par("usr")[3L])
  colour <- if (is.null(data$fill)) layer_colour(layer, chosen) else data$fill
  if (is.null(data$fill) || layer$alpha < 1) colour <- grDevices::adjustcolor(colour, layer$alpha)
  base_kinds[[layer$kind]](data, layer, colour)
}

pieces_of <- function(d) split(d, if (is.null(d$group)) rep(1L, nrow(d)) else d$group)

# How base graphics draws the data `d` of a layer `l`.
base_kinds <- list(
  band = function(d, l, col) {
    for (part in pieces_of(d)) {
      graphics::polygon(c(part$x, rev(part$x)), c(part$ymin, rev(part$ymax)), col = col,
                        border = NA)
    }
  },
  boxes = function(d, l, col) {
    graphics::rect(d$xmin, d$ymin, d$xmax, d$ymax, col = col,
                   border = if (is.null(d$fill)) l$border else col)
  },
  line = function(d, l, col) {
    for (part in pieces_of(d)) {
      graphics::lines(part$x, part$y, col = col, lwd = l$size, lty = l$line)
    }
  },
  steps = function(d, l, col) graphics::lines(d$x, d$y, type = "s", col = col, lwd = l$size),
  points = function(d, l, col) {
    graphics::points(d$x, d$y, pch = l$shape, cex = l$size, col = col, bg = "white",
                     lwd = if (l$shape == 21) 0.6 else 1)
  },
  strokes = function(d, l, col) {
    graphics::segments(d$x, d$y, d$xend, d$yend, col = col, lwd = l$size)
  },
  diagonal = function(d, l, col) graphics::abline(0, 1, untf = TRUE, col = col, lty = l$line),
  horizontal = function(d, l, col) graphics::abline(h = d$yintercept, col = col, lty = l$line),
  vertical = function(d, l, col) graphics::abline(v = d$xintercept, col = col, lty = l$line),
  rug = function(d, l, col) graphics::rug(d$x, col = col, lwd = l$size, quiet = TRUE),
  text = function(d, l, col) {
    graphics::text(d$x, d$y, d$text, adj = l$adjust, cex = l$size, col = col, xpd = NA)
  }
)

# Widens the margins of the panels to come for the numbers on a y axis and the names of categories,
# unless the user chose the margins.
panel_margins <- function(y_labels, categories, own) {
  margin <- graphics::par("mar")
  needed <- c(x_label_line(categories) + 1.7,
              if (is.null(y_labels)) 0 else y_label_line(y_labels) + 1.3)
  if (!own && any(needed > margin[1:2])) {
    margin[1:2] <- pmax(margin[1:2], needed)
    graphics::par(mar = margin)
  }
}

# The line for the label of an x axis with these categories, if any.
x_label_line <- function(categories) {
  turned <- if (turns_names(categories)) 1.2 + 0.27 * max(nchar(short_names(categories)))
  max(graphics::par("mgp")[1L], turned)
}

# The line for the label of a y axis with these numbers.
y_label_line <- function(labels) {
  offset <- graphics::par("mgp")
  digits <- if (is.expression(labels)) 4L else max(0L, nchar(labels))
  max(offset[1L], offset[2L] + 0.6 * digits + 0.5)
}

# Whether names of categories are too many or too long to stand side by side.
turns_names <- function(categories) {
  width <- graphics::par("fin")[1L] - sum(graphics::par("mai")[c(2L, 4L)])
  each <- 0.55 * graphics::par("csi") * max(c(nchar(categories, keepNA = FALSE), 0L))
  length(categories) > 1L && each * length(categories) > 0.9 * width
}

# Names that would be too small to read are left out, evenly.
category_axis <- function(categories) {
  at <- seq_along(categories)
  turned <- turns_names(categories)
  graphics::axis(1, at, if (turned) FALSE else categories, gap.axis = -1)
  room <- graphics::par("pin")[1L] / length(at) / (1.4 * graphics::par("csi"))
  low <- graphics::par("usr")[3L] - 0.6 * graphics::par("cxy")[2L]
  if (graphics::par("ylog")) low <- 10^low
  size <- min(1, max(room, 0.7))
  shown <- at %% ceiling(size / room) == 1L %% ceiling(size / room)
  words <- if (turned) short_names(categories)[shown] else ""
  graphics::text(at[shown], low, words, srt = 35, adj = c(1, 0.8), xpd = NA,
                 cex = size * graphics::par("cex.axis"))
}

# Writes a title or a label on `side`. A word that is too long becomes smaller, then two lines, and
# at last loses its end.
write_word <- function(word, side, kind, line = NA) {
  if (is.null(word) || identical(word, "")) {
    return(invisible())
  }
  part <- paste0("cex.", if (kind %in% c("xlab", "ylab")) "lab" else kind)
  size <- graphics::par(part) * if (kind == "main") 0.9 else 1
  room <- graphics::par("pin")[if (side == 2L) 2L else 1L]
  # A word stands in the middle of the panel, and may reach into both margins equally.
  margin <- 1.6 * min(graphics::par("mai")[if (side == 2L) c(1L, 3L) else c(2L, 4L)])
  share <- (room + margin) / graphics::strwidth(word, "inches", cex = size,
                                                font = if (kind == "main") 2L else 1L)
  if (is.character(word) && share < 0.75 && side == 3L) {
    word <- paste(strwrap(word, ceiling(nchar(word) / 2) + 4L), collapse = "\n")
    share <- 1.6 * share
  }
  if (is.character(word)) word <- cut_short(word, share / smallest_word)
  arguments <- stats::setNames(list(word, size * max(min(1, share), smallest_word)), c(kind, part))
  do.call(graphics::title, c(arguments, if (!is.na(line)) list(line = line), xpd = NA))
}

# The smallest size of readable words.
smallest_word <- 0.65

# Cuts the end of a word of which only a `share` fits.
cut_short <- function(word, share) {
  kept <- floor(nchar(word) * share) - 2L
  if (share >= 1 || kept < 1L) word else paste0(trimws(substr(word, 1L, kept), "right"), "..")
}
