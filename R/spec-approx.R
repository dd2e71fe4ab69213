#' The approximation for large data
#'
#' With more than 1000 distinct rows, [btg()] and [wgp()] do not hold the covariance of all pairs
#' of rows, unless there are at most 2000 and the approximation turns out to be coarse.
#' `vecchia()` describes what they hold instead: a model close to the exact one,
#' whose cost grows with the number of rows, not with its cube.
#'
#' @details The rows are divided into blocks of similar rows. About `inducing` smooth functions
#'   carry the long-range part of the process. For the remainder and the noise, each block
#'   conditions on its `neighbours`, the rows of earlier blocks that are nearest to rows of the
#'   block. The order of the blocks is random (Vecchia's approximation, of blocks, at full scale:
#'   Katzfuss and Guinness 2021; Sang, Jun and Huang 2011). A new point is predicted from about
#'   `2 * neighbours + block` rows near it. Everything else is exact within this model: the integral
#'   over the hyperparameters, the trend, [loocv()]. Distances are in units of the lengthscales of
#'   a first fit to some of the rows. Levels of a factor are as far apart as the factor's
#'   lengthscale makes them. Effects of groups and linear terms are exact; they can have 500
#'   coefficients in all.
#'
#' @section The error:
#'   `fit$approximation` is a list of estimated errors, at the hyperparameters of largest weight:
#'   * `errors`, a matrix of errors of predictions at new points, with the `mean` and the `worst`
#'     of 120 points. The rows `process` and `observation` are absolute errors of the standard
#'     deviation of the process and of an observation, relative to it: 0.02 means that intervals
#'     are 2% too wide or too narrow. The row `median` is the absolute error of the median, in
#'     standard deviations of the process. The points are rows that were left out and moved halfway
#'     towards a near row, except in factors and other inputs with few values. Each is predicted
#'     twice: from the rows that [predict()] uses, and from the 500 nearest rows or more;
#'   * `inflation`, the mean error of the standard deviation of the process again;
#'   * `divergence`, the Kullback-Leibler divergence of the approximate model from the exact one in
#'     nats, and its `standard_error`;
#'   * `shift`, by about how many posterior standard deviations the approximation moves each
#'     hyperparameter of the covariance. [wgp()] has no posterior and no `shift`.
#'
#'   `summary()` prints these errors. A warning of class `btg_warning_approx` appears if standard
#'   deviations of the process are off by more than 2% on average, medians by more than 0.2 of
#'   them, or a hyperparameter by more than 0.5 posterior standard deviations. Then use more
#'   `neighbours`, larger blocks, or more `inducing` functions. With very many rows the posterior
#'   is so narrow that the shift is often larger, although predictions hardly change. Nearly
#'   noise-free functions of five inputs or more are hard for all approximations of this kind.
#'
#' @section Workers:
#'   Where a plan of the future package has workers, they evaluate the likelihoods of a large fit,
#'   and predict at many points. Results do not depend on the plan, but for rounding.
#'
#' @param neighbours How many rows of earlier blocks a block has as neighbours.
#' @param block How many rows a block has, at most.
#' @param inducing How many inducing functions there are; with `inducing = 0` and `block = 1` it is
#'   Vecchia's approximation as it is best known.
#' @param seed Chooses the order of the blocks and where the inducing functions are: a whole number.
#' @return A list of class `btg_vecchia` for the argument `approx` of [btg()] and [wgp()].
#' @references Katzfuss, M. and Guinness, J. (2021). A general framework for Vecchia approximations
#'   of Gaussian processes. Statistical Science 36, 124-141.
#'
#'   Sang, H., Jun, M. and Huang, J. Z. (2011). Covariance approximation for large multivariate
#'   spatial data sets with an application to multiple climate model errors. Annals of Applied
#'   Statistics 5, 2519-2548.
#' @seealso [btg()]; [btg-troubleshooting]. The article *Large data* in `vignettes/articles` of the
#'   sources, and on the web site, has figures on accuracy and time.
#' @examples
#' vecchia(neighbours = 150)
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
