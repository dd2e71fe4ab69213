# Panels of base graphics: how they are laid out, and what users say of their titles and axes.

# Of what is in `...` of a plot, these are for each panel; the others are for par().
panel_labels <- c("main", "sub", "xlab", "ylab", "xlim", "ylim")

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
  list(old = graphics::par(layout), labels = labels, title = title)
}

# NULL is no title, not one that plot() would make up; and a formula is one word.
as_label <- function(x) if (is.null(x)) "" else if (is.call(x)) as.expression(x) else x

# A grid of panels as square as it can be, or of so many columns.
panel_layout <- function(panels, columns = ceiling(sqrt(panels))) {
  list(mfrow = c(ceiling(panels / columns), columns), mar = c(4.2, 4.2, 1.5, 1),
       mgp = c(2.5, 0.7, 0), las = 1, bty = "l")
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
  valid <- c(panel_labels, names(graphics::par(no.readonly = TRUE)))
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
  each <- setdiff(names(labels), c("xlim", "ylim"))
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

# graphics::plot() with the user's labels instead of the defaults in `...`.
plot_panel <- function(x, y, ..., labels) {
  settings <- list(...)
  settings[names(labels)] <- labels
  do.call(graphics::plot, c(list(x, y), settings))
}

plot_colours <- c(line = "#0072B2", bar = "#9DB8D2", guide = "#D55E00")

# For several models: the colours of Okabe and Ito, which all eyes tell apart.
model_colours <- function(models) {
  shades <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000")
  stats::setNames(rep_len(shades, length(models)), models)
}

# The intervals whose ends are the columns of `ends`, outermost first; as bars if not `continuous`.
draw_bands <- function(at, ends, continuous = TRUE) {
  for (k in seq_len(ncol(ends) / 2L)) {
    lower <- ends[, k]
    upper <- ends[, ncol(ends) + 1L - k]
    shade <- grDevices::adjustcolor(plot_colours[["line"]], c(0.18, 0.3)[min(k, 2L)])
    if (continuous) {
      graphics::polygon(c(at, rev(at)), c(lower, rev(upper)), col = shade, border = NA)
    } else {
      graphics::rect(at - 0.3, lower, at + 0.3, upper, col = shade, border = NA)
    }
  }
}
