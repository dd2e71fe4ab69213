#' Use with emmeans
#'
#' The package emmeans takes fits by [btg()] and [wgp()]: `emmeans::emmeans(fit, ~ group)` has the
#' noise-free process at each level of a factor, with the other variables at their means or averaged
#' over, and `pairs()` of it the differences, with intervals of highest posterior density. They come
#' from `draws` of the process at the points of emmeans' grid, all together, so that differences
#' have the right uncertainty.
#'
#' @param object A fit by [btg()] or [wgp()].
#' @param data,trms,xlev,grid,... As emmeans calls the methods.
#' @param draws,seed How many draws, and the number from which they are made.
#' @return As the generics of emmeans say.
#' @examplesIf all(vapply(c("emmeans", "coda"), requireNamespace, NA, quietly = TRUE))
#' fit <- btg(weight ~ group, data = PlantGrowth, transform = "identity")
#' groups <- emmeans::emmeans(fit, ~ group)
#' groups
#' pairs(groups)
#' @name emmeans-btg
NULL

# nolint start: object_name_linter. The generics' names.

#' @rdname emmeans-btg
#' @exportS3Method emmeans::recover_data
recover_data.btg <- function(object, data = NULL, ...) {
  check_fit(object)
  terms <- stats::delete.response(stats::terms(sum_formula(lapply(names(object$data), as.name))))
  if (is.null(data)) data <- object$data
  emmeans::recover_data(object$call, terms, NULL, data = data, ...)
}

#' @rdname emmeans-btg
#' @exportS3Method emmeans::emm_basis
emm_basis.btg <- function(object, trms, xlev, grid, draws = 2000, seed = 1, ...) {
  check_fit(object)
  # The parameters are the values at the points of the grid.
  drawn <- drawn_rows(object, grid, draws, seed, FALSE, NULL, 1)
  values <- apply(drawn, 2L, stats::median)
  list(X = diag(nrow(grid)), bhat = values, nbasis = matrix(NA), V = stats::cov(drawn),
       dffun = function(k, dfargs) Inf, dfargs = list(), misc = list(), post.beta = drawn)
}

# nolint end
