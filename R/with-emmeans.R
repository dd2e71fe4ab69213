#' Use with emmeans
#'
#' `emmeans::emmeans(fit, ~ group)` returns the response at each level of a factor, with the other
#' variables at their means or averaged over, and `pairs()` the differences between levels.
#' Intervals are those of highest posterior density, from joint draws at all points of the grid, so
#' differences have the right uncertainty.
#'
#' By default, values are medians of observations given the process. With `mode = "mean"` they are
#' means of observations given the process (see [btg-predictions]), and with `mode = "prediction"`
#' new observations. emmeans names the column `emmean` in all three cases; a line below the table
#' shows which it is. emmeans keeps its argument `type` for itself, so other types than `"response"`
#' are an error.
#'
#' `emmeans::emtrends()` takes differences of the draws over a step, its argument `delta.var`. For
#' kernels whose processes have no derivative, such as `"exponential"`, the interval would depend on
#' the step, so they are an error. Use a smooth kernel, or compare two values of the variable by
#' `emmeans(fit, ~ x, at = list(x = c(1, 2)))` and `pairs()`.
#'
#' @param object A fit by [btg()] or [wgp()].
#' @param data,trms,xlev,grid,... As emmeans calls the methods.
#' @param nsim,seed The number of draws, and the number that determines them.
#' @param mode What to draw: `"median"`, `"mean"` or `"prediction"`.
#' @param include,exclude Names of covariance terms to draw, or to leave out, such as
#'   `exclude = "(1 | site)"` for the population: see [btg-terms].
#' @return What the generics of emmeans return.
#' @seealso [predict.btg()], [marginaleffects-btg]
#' @examplesIf all(vapply(c("emmeans", "coda"), requireNamespace, NA, quietly = TRUE))
#' fit <- btg(weight ~ group, data = PlantGrowth, transform = "identity")
#' groups <- emmeans::emmeans(fit, ~ group)
#' groups
#' pairs(groups)
#' emmeans::emmeans(fit, ~ group, mode = "mean")
#' @name emmeans-btg
NULL

# nolint start: object_name_linter. The generics' names.

#' @rdname emmeans-btg
#' @exportS3Method emmeans::recover_data
recover_data.btg <- function(object, data = NULL, include = NULL, exclude = NULL, ...) {
  check_fit(object)
  used <- needed_columns(with_chosen_terms(object, include, exclude)$blueprint)
  terms <- stats::delete.response(stats::terms(sum_formula(lapply(used, as.name))))
  if (is.null(data)) data <- object$data
  emmeans::recover_data(object$call, terms, NULL, data = data, ...)
}

#' @rdname emmeans-btg
#' @exportS3Method emmeans::emm_basis
emm_basis.btg <- function(object, trms, xlev, grid, nsim = 2000, seed = 1,
                          mode = c("median", "mean", "prediction"), include = NULL,
                          exclude = NULL, ...) {
  check_fit(object)
  object <- with_chosen_terms(object, include, exclude)
  mode <- check_choice(mode, eval(formals(emm_basis.btg)$mode), "mode")
  check_emmeans_type()
  if (length(frames_of("emtrends", "emmeans")) > 0L) check_differentiable(object)
  drawn <- if (mode == "mean") drawn_means(object, grid, nsim, seed, NULL, 1)
           else drawn_rows(object, grid, nsim, seed, mode == "prediction", NULL, 1)
  # The parameters are the values at the points of the grid.
  values <- apply(drawn, 2L, stats::median)
  list(X = diag(nrow(grid)), bhat = values, nbasis = matrix(NA), V = stats::cov(drawn),
       dffun = function(k, dfargs) Inf, dfargs = list(),
       misc = list(initMesg = emmeans_label(mode)),
       post.beta = drawn)
}

# nolint end

# emmeans shows it below its tables, whose column is always named `emmean`.
emmeans_label <- function(mode) {
  switch(mode,
    median = "Values are medians of observations given the process; `mode = \"mean\"` has means.",
    mean = "Values are means of observations given the process.",
    prediction = "Values are new observations.")
}

# emmeans does not pass `type` on. It is an argument of ref_grid(), which calls emm_basis().
check_emmeans_type <- function() {
  i <- frames_of("ref_grid", "emmeans")
  if (length(i) == 0L) {
    return(invisible())
  }
  type <- tryCatch(get0("type", envir = sys.frame(max(i)), mode = "character", inherits = FALSE),
                   error = function(e) NULL) # the argument is missing
  if (!is.null(type) && !type %in% c("response", "link", "lp", "linear.predictor", "none")) {
    abort_btg(c(paste0("emmeans has no `type = \"", type, "\"` for Gaussian processes."),
                i = "`mode` chooses among \"median\", \"mean\" and \"prediction\"."), "argument")
  }
}

# Returns the numbers of the frames in which a function of a package runs.
frames_of <- function(name, package) {
  target <- get0(name, envir = asNamespace(package), mode = "function", inherits = FALSE)
  Filter(function(i) identical(sys.function(i), target), seq_len(sys.nframe()))
}
