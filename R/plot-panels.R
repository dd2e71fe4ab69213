# Panels of base graphics: how they are laid out, and what users say of their titles and axes.

# Of what is in `...` of a plot, these are for each panel; the others are for par().
panel_labels <- c("main", "sub", "xlab", "ylab", "xlim", "ylim", "log", "col")

# Opens `panels` panels with the settings `layout` of par(), and what the user gave as `...`.
# Returns list(old, labels, title): settings to restore, for each panel what to say instead of its
# defaults, and a title of all panels together, if there is one.
open_panels <- function(panels, layout, ..., call = quote(plot())) {
  given <- list(...)
  check_graphical(given, call)
  labels <- lapply(given[names(given) %in% panel_labels], as_label)
  settings <- given[!names(given) %in% panel_labels]
  title <- if (panels > 1L && length(labels$main) == 1L) labels$main
  if (!is.null(title)) {
    labels$main <- NULL
    layout$oma <- c(0, 0, 2, 0)
  } else if (!is.null(labels$main)) {
    layout$mar[3L] <- max(layout$mar[3L], 2.8)
  }
  labels <- labels_of_panels(labels, panels, call)
  layout[names(settings)] <- settings
  # A margin that the user chose stays.
  labels <- lapply(labels, structure, own_margin = "mar" %in% names(settings))
  list(old = graphics::par(layout), labels = labels, title = title)
}

# NULL is no title, not one that plot() would make up; and a formula is one word.
as_label <- function(x) if (is.null(x)) "" else if (is.call(x)) as.expression(x) else x

# A grid of panels as the page asks for, or of so many columns.
panel_layout <- function(panels, columns = page_columns(panels)) {
  list(mfrow = c(ceiling(panels / columns), columns), mar = c(4.2, 4.2, 1.5, 1.4),
       mgp = c(2.5, 0.7, 0), las = 1, bty = "l")
}

# As square as it can be, or wider where panels, about an inch of which are margins, would be flat.
page_columns <- function(panels, size = grDevices::dev.size()) {
  columns <- seq.int(ceiling(sqrt(panels)), panels)
  width <- pmax(size[1L] / columns - 1, 0.1)
  height <- pmax(size[2L] / ceiling(panels / columns) - 1.1, 0.1)
  columns[which.min(abs(log(width / height / 1.3)))]
}

# At the end, as there is no place for it before the first panel is drawn.
draw_title <- function(title) {
  if (!is.null(title)) {
    graphics::mtext(title, side = 3, outer = TRUE, line = 0.2, font = 2, cex = 1.2)
  }
}

check_graphical <- function(given, call) {
  if (length(given) == 0L) {
    return(invisible())
  }
  valid <- setdiff(c(panel_labels, names(graphics::par(no.readonly = TRUE))), c("xlog", "ylog"))
  unknown <- if (is.null(names(given))) "" else setdiff(names(given), valid)
  if (length(unknown) > 0L) {
    named <- unknown[nzchar(unknown)]
    abort_btg(c(
      "There are arguments that cannot be used.",
      if (length(named) > 0L) c(x = paste0("Unknown: ", list_names(named), ".")),
      if (length(named) < length(unknown)) c(x = "There are arguments without a name."),
      suggest_names(named, valid)
    ), "unknown_argument", call)
  }
}

# Titles and labels can be given for each panel; limits are for all.
labels_of_panels <- function(labels, panels, call) {
  check_log_axes(labels$log, call)
  each <- setdiff(names(labels), c("xlim", "ylim", "log", "col"))
  for (name in each) {
    if (!length(labels[[name]]) %in% c(1L, panels)) {
      abort_btg(c(paste0("`", name, "` must be one for all panels, or one for each."),
                  x = paste0("There are ", count_noun(panels, "panel"), ", and ",
                             length(labels[[name]]), " of `", name, "`.")), "argument", call)
    }
  }
  lapply(seq_len(panels), function(k) {
    labels[each] <- lapply(labels[each], function(one) one[if (length(one) == 1L) 1L else k])
    labels
  })
}

check_log_axes <- function(log, call) {
  if (!is.null(log) && !(is.character(log) && length(log) == 1L && log %in% c("", "x", "y", "xy",
                                                                              "yx"))) {
    abort_argument("log", "must be \"x\", \"y\" or \"xy\"", log, call)
  }
}

# Whether the axis `side`, "x" or "y", is to be logarithmic.
has_log_axis <- function(labels, side) grepl(side, if (is.null(labels$log)) "" else labels$log)

# graphics::plot() with the user's labels instead of the defaults in `...`. The left margin makes
# room for the numbers of the axis, or for `y_ticks` if the caller draws it, the bottom one for the
# names of `categories`, and words that are too long for the panel are made smaller.
plot_panel <- function(x, y, ..., labels, categories = NULL, y_ticks = NULL) {
  settings <- list(...)
  said <- setdiff(names(labels), "col")
  settings[said] <- labels[said]
  words <- settings[names(settings) %in% c("main", "sub", "xlab", "ylab")]
  settings[names(words)] <- NULL
  lines <- panel_margins(settings, y, categories, y_ticks,
                         isTRUE(attr(labels, "own_margin")))
  if (!is.null(categories)) settings$xaxt <- "n"
  do.call(graphics::plot, c(list(without_unit(x), without_unit(y)), settings, list(ann = FALSE)))
  if (!is.null(categories)) category_axis(categories)
  write_word(words$main, 3L, "main", settings$cex.main)
  write_word(words$sub, 1L, "sub")
  write_word(words$xlab, 1L, "xlab", line = lines[["x"]])
  write_word(words$ylab, 2L, "ylab", line = lines[["y"]])
}

# Sets the margins of the next panel; the lines that the labels of its axes are on.
panel_margins <- function(settings, y, categories, y_ticks, own) {
  margin <- graphics::par("mar")
  offset <- graphics::par("mgp")
  if (!identical(settings$yaxt, "n")) {
    reach <- if (is.null(settings$ylim)) range(y, finite = TRUE) else settings$ylim
    y_ticks <- tick_text(reach, settings$log)
  }
  at_y <- max(offset[1L], offset[2L] + 0.6 * nchar(y_ticks) + 0.5)
  turned <- if (turns_names(categories)) 1.2 + 0.27 * max(nchar(short_names(categories)))
  at_x <- max(offset[1L], turned)
  needed <- c(at_x + 1.7, at_y + 1.3)
  if (!own && any(needed > margin[1:2])) {
    margin[1:2] <- pmax(margin[1:2], needed)
    graphics::par(mar = margin)
  }
  c(x = at_x, y = at_y)
}

# The numbers that an axis over `reach` will have.
tick_text <- function(reach, log = NULL) {
  if (!is.null(log) && grepl("y", log) && all(reach > 0)) {
    return(format(grDevices::axisTicks(log10(reach), log = TRUE), trim = TRUE))
  }
  format(pretty(reach), trim = TRUE)
}

# Names of many or long categories are turned, so that none is left out.
turns_names <- function(categories) {
  width <- graphics::par("fin")[1L] - sum(graphics::par("mai")[c(2L, 4L)])
  each <- 0.55 * graphics::par("csi") * max(c(nchar(categories, keepNA = FALSE), 0L))
  length(categories) > 1L && each * length(categories) > 0.9 * width
}

category_axis <- function(categories) {
  at <- seq_along(categories)
  if (!turns_names(categories)) {
    return(graphics::axis(1, at, categories, gap.axis = -1))
  }
  graphics::axis(1, at, FALSE)
  room <- graphics::par("pin")[1L] / length(at) / (1.4 * graphics::par("csi"))
  low <- graphics::par("usr")[3L] - 0.6 * graphics::par("cxy")[2L]
  if (graphics::par("ylog")) low <- 10^low
  graphics::text(at, low, short_names(categories), srt = 35, adj = c(1, 0.8), xpd = NA,
                 cex = min(1, max(room, 0.5)) * graphics::par("cex.axis"))
}

# At most 18 letters of each.
short_names <- function(names) {
  names[is.na(names)] <- "NA"
  ifelse(nchar(names) > 18L, paste0(substr(names, 1L, 16L), ".."), names)
}

# A title or a label on `side`, smaller, in two lines or cut short where there is no room for it.
write_word <- function(word, side, kind, size = NULL, line = NA) {
  if (is.null(word) || identical(word, "")) {
    return(invisible())
  }
  if (is.null(size)) size <- switch(kind, main = 1.1, 1)
  room <- if (side == 2L) graphics::par("pin")[2L] else graphics::par("pin")[1L]
  # A word is in the middle of the plot, and may go into the smaller margin on both sides.
  margins <- graphics::par("mai")[if (side == 2L) c(1L, 3L) else c(2L, 4L)]
  margin <- 1.6 * min(margins)
  share <- (room + margin) / graphics::strwidth(word, "inches", cex = size,
                                                font = if (kind == "main") 2L else 1L)
  if (is.character(word) && share < 0.75 && side == 3L) {
    word <- paste(strwrap(word, ceiling(nchar(word) / 2) + 4L), collapse = "\n")
    share <- 1.6 * share
  }
  if (is.character(word)) word <- cut_short(word, share / smallest_word)
  size <- size * max(min(1, share), smallest_word)
  part <- if (kind %in% c("xlab", "ylab")) "lab" else kind
  arguments <- stats::setNames(list(word, size), c(kind, paste0("cex.", part)))
  do.call(graphics::title, c(arguments, if (!is.na(line)) list(line = line)))
}

# Words smaller than this cannot be read; rather they lose their end.
smallest_word <- 0.65

# The first part of a word, of which only a `share` fits.
cut_short <- function(word, share) {
  kept <- floor(nchar(word) * share) - 2L
  if (share >= 1 || kept < 1L) word else paste0(trimws(substr(word, 1L, kept), "right"), "..")
}

# The colour that a user chose, or the default.
panel_colour <- function(labels, default = plot_colours[["line"]]) {
  if (is.null(labels$col)) default else labels$col
}

plot_colours <- c(line = "#0072B2", bar = "#9DB8D2", guide = "#D55E00")

# For several models: the colours of Okabe and Ito, which all eyes tell apart.
model_colours <- function(models) {
  shades <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000")
  stats::setNames(rep_len(shades, length(models)), models)
}

# The intervals whose ends are the columns of `ends`, outermost first; as bars if not `continuous`.
draw_bands <- function(at, ends, continuous = TRUE, colour = plot_colours[["line"]]) {
  for (k in seq_len(ncol(ends) / 2L)) {
    lower <- ends[, k]
    upper <- ends[, ncol(ends) + 1L - k]
    shade <- grDevices::adjustcolor(colour, c(0.18, 0.3)[min(k, 2L)])
    if (continuous) {
      if (graphics::par("ylog")) lower <- pmax(lower, 10^graphics::par("usr")[3L])
      graphics::polygon(c(at, rev(at)), c(lower, rev(upper)), col = shade, border = NA)
    } else {
      graphics::rect(at - 0.3, lower, at + 0.3, upper, col = shade, border = NA)
    }
  }
}
