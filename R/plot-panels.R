# Panels of base graphics: how they are laid out, and what users say of their titles and axes.

# Of what is in `...` of a plot, these are for each panel; the others are for par().
panel_words <- c("main", "sub", "xlab", "ylab", "xlim", "ylim")

# Opens `panels` panels with the settings `layout` of par(), and what the user gave as `...`.
# Returns list(old, words, title): settings to restore, for each panel what to say instead of its
# defaults, and a title of all panels together, if there is one.
open_panels <- function(panels, layout, ..., call = quote(plot())) {
  given <- list(...)
  check_graphical(given, call)
  words <- lapply(given[names(given) %in% panel_words], as_words)
  settings <- given[!names(given) %in% panel_words]
  title <- if (panels > 1L && length(words$main) == 1L) words$main
  if (!is.null(title)) {
    words$main <- NULL
    layout$oma <- c(0, 0, 2, 0)
  } else if (!is.null(words$main)) {
    layout$mar[3L] <- max(layout$mar[3L], 2.8)
  }
  words <- words_of_panels(words, panels, call)
  layout[names(settings)] <- settings
  list(old = graphics::par(layout), words = words, title = title)
}

# NULL is no title, not one that plot() would make up; and a formula is one word.
as_words <- function(x) if (is.null(x)) "" else if (is.call(x)) as.expression(x) else x

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
  valid <- c(panel_words, names(graphics::par(no.readonly = TRUE)))
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
words_of_panels <- function(words, panels, call) {
  each <- setdiff(names(words), c("xlim", "ylim"))
  for (name in each) {
    if (!length(words[[name]]) %in% c(1L, panels)) {
      abort_btg(c(paste0("`", name, "` must be one for all panels, or one for each."),
                  x = paste0("There are ", count_noun(panels, "panel"), ", and ",
                             length(words[[name]]), " of `", name, "`.")), "argument", call)
    }
  }
  lapply(seq_len(panels), function(k) {
    words[each] <- lapply(words[each], function(one) one[if (length(one) == 1L) 1L else k])
    words
  })
}

# graphics::plot() with the user's words instead of the defaults in `...`.
plot_panel <- function(x, y, ..., words) {
  settings <- list(...)
  settings[names(words)] <- words
  do.call(graphics::plot, c(list(x, y), settings))
}
