#' Approximate the covariance of large data
#'
#' `vecchia()` describes the approximation that [btg()] and [wgp()] use with more than 1000 distinct
#' rows. Its cost grows with the number of rows, not with its cube. You need it only to change the
#' accuracy, by the argument `approx`.
#'
#' @param neighbours The number of neighbours of a block: rows of earlier blocks.
#' @param block The largest number of rows in a block.
#' @param inducing The number of inducing functions. `inducing = 0, block = 1` is Vecchia's
#'   classical approximation.
#' @param seed A whole number that determines the order of the blocks and where the inducing
#'   functions are.
#' @return A list of class `btg_vecchia` for the argument `approx` of [btg()] and [wgp()].
#'
#' @section The approximation:
#' The rows are divided into blocks of similar rows. The `inducing` functions carry the long-range
#' part of the process. For the remainder and the noise, each block conditions on its `neighbours`:
#' the rows of earlier blocks that are nearest to rows of the block. The order of the blocks is
#' random. This is a full-scale block Vecchia approximation (Katzfuss and Guinness 2021; Sang, Jun
#' and Huang 2011). A new point is predicted from about `2 * neighbours + block` rows near it.
#'
#' Everything else is exact within this model: the integral over the hyperparameters, the trend, and
#' [loocv()]. Distances are in units of the lengthscales of a first fit to some of the rows. Levels
#' of a factor are as far apart as the lengthscale of the factor makes them. Effects of groups and
#' linear terms are exact; they can have 500 coefficients in all.
#'
#' With 1000 to 2000 distinct rows, fits return to the exact covariance if the approximation turns
#' out to be coarse.
#'
#' @section The error:
#' `summary()` shows the estimated error of the approximation at the hyperparameters of largest
#' weight. `fit$approximation` holds
#' * `errors`, a matrix of errors of predictions at 120 new points, with their `mean` and the
#'   `worst`. The rows `process` and `observation` are relative errors of the standard deviation:
#'   0.02 means that intervals are 2% too wide or too narrow. The row `median` is the error of the
#'   median, in standard deviations of the process. The points are rows that were left out and moved
#'   halfway towards a near row, except in factors and other inputs with few values. Each is
#'   predicted twice: from the rows that [predict()] uses, and from the 500 nearest rows or more;
#' * `inflation`, the mean error of the standard deviation of the process again;
#' * `divergence`, the Kullback-Leibler divergence of the approximate model from the exact one in
#'   nats, and its `standard_error`;
#' * `shift`, by about how many posterior standard deviations the approximation moves each
#'   hyperparameter of the covariance. Fits by [wgp()] have no posterior and no `shift`.
#'
#' A warning of class `btg_warning_approx` appears if standard deviations of the process are off by
#' more than 2% on average, medians by more than 0.2 of them, or a hyperparameter by more than 0.5
#' posterior standard deviations. Then use more `neighbours`, larger blocks, or more `inducing`
#' functions. With very many rows the posterior is so narrow that the shift is often larger,
#' although predictions hardly change. Nearly noise-free functions of five inputs or more are hard
#' for all approximations of this kind.
#'
#' @section Workers:
#' If a plan of the package future has workers, they evaluate the likelihoods of a large fit and its
#' predictions at many points. Results do not depend on the plan, up to rounding.
#'
#' @references Katzfuss, M. and Guinness, J. (2021). A general framework for Vecchia approximations
#'   of Gaussian processes. Statistical Science 36, 124-141.
#'
#'   Sang, H., Jun, M. and Huang, J. Z. (2011). Covariance approximation for large multivariate
#'   spatial data sets with an application to multiple climate model errors. Annals of Applied
#'   Statistics 5, 2519-2548.
#' @seealso [btg()]; [btg-troubleshooting]. The article *Large data* on the web site, and in
#'   `vignettes/articles` of the sources, has figures on accuracy and time.
#' @examples
#' # More neighbours than by default, in a small example
#' set.seed(1)
#' d <- data.frame(x = runif(400))
#' d$y <- exp(sin(8 * d$x) + rnorm(400, sd = 0.3))
#' fit <- btg(y ~ x, d, transform = "boxcox", approx = vecchia(30, 16, 40))
#' fit
#' @export
vecchia <- function(neighbours = 100, block = 32, inducing = 200, seed = 0) {
  structure(list(neighbours = check_whole(neighbours), block = check_count(block),
                 inducing = check_whole(inducing), seed = check_whole(seed)), class = "btg_vecchia")
}

#' @export
print.btg_vecchia <- function(x, ...) {
  cat("Approximation: ", format_approx(x), "\n", sep = "")
  invisible(x)
}

format_approx <- function(approx) {
  paste0("blocks of ", approx$block, ", ", count_noun(approx$neighbours, "neighbour"), ", ",
         count_noun(approx$inducing, "inducing function"))
}

check_approx <- function(approx) {
  named <- is.character(approx) && length(approx) == 1L && approx %in% c("auto", "exact")
  if (!inherits(approx, "btg_vecchia") && !named) {
    abort_argument("approx", "must be \"auto\", \"exact\", or made by `vecchia()`", approx)
  }
  approx
}

# `approx = "auto"` approximates beyond this number of distinct rows. It trades time against
# exactness: at 700, 1000 and 1400 rows exact fits took 3 to 6, 8 to 14 and 20 to 35 s, approximate
# ones 4 to 7, 5 to 8 and 7 to 9 s, with a CRPS within 0.13% (three problems, noise of 0.01 to 0.3).
most_exact_rows <- 1000L

# With up to this number of rows, a fit whose approximation is coarse is made again without it, as
# happens with functions without noise. Exact fits of more rows take minutes.
most_rows_made_exact <- 2000L

# Returns the approximation for a fit with `rows` distinct rows, or NULL for an exact fit.
chosen_approx <- function(approx, rows) {
  if (inherits(approx, "btg_vecchia")) {
    approx
  } else if (approx == "auto" && rows > most_exact_rows) {
    vecchia()
  }
}
