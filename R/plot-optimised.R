# The path of a search.

#' @rdname btg_optimise
#' @export
plot.btg_optimised <- function(x, ...) {
  invisible(draw_page(optimised_page(x, log_axes(...)), ...))
}

optimised_page <- function(path, log = "") {
  failed <- is.na(path$response)
  if (all(failed)) abort_btg("There is no evaluation to draw: all failed.", "plot")
  if (grepl("y", log)) check_positive(path$response[!failed], "response")
  initial <- path$how %in% c("initial", "given")
  feasible <- if (is.null(path$feasible)) !failed else path$feasible
  evaluations <- function(rows, shape, label) {
    plot_layer("points", x = which(rows), y = path$response[rows], colour = "dark", shape = shape,
               label = label)
  }
  layers <- list(
    initial = evaluations(initial & feasible, 1L, "initial"),
    searched = evaluations(!initial & feasible, 19L, "searched"),
    infeasible = evaluations(!feasible & !failed, 4L, "infeasible"),
    best = plot_layer("steps", x = seq_along(path$best), y = path$best, size = 2,
                      label = "best"),
    failed = plot_layer("rug", x = which(failed), colour = "guide", size = 2, label = "failed")
  )
  panel <- plot_panel(layers, plot_axis("evaluation", c(1, nrow(path)), log = grepl("x", log)),
                      plot_axis("response", log = grepl("y", log)),
                      "Responses, and the best so far")
  plot_page(list(panel), path)
}
