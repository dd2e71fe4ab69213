#' btg: Bayesian transformed Gaussian processes
#'
#' Regression for responses that are skewed, heavy tailed, bounded or censored. [btg()] fits,
#' [predict()][predict.btg] answers with medians, intervals and probabilities, and [loocv()] checks
#' them. Begin with `vignette("btg")`; `vignette("which")` leads from your data to the right
#' argument. This page describes options, threads and memory.
#'
#' @section Where to find what:
#' * Fit: [btg()], [wgp()] for maximum likelihood, [update()][update.btg].
#' * Describe the data: [btg-bounds], [btg-censored], [btg-terms], [btg-noise], [btg-inputs],
#'   [btg-transforms], [btg-kernels], [btg_prior()].
#' * Predict: [predict()][predict.btg], [predict_region()], [exceedance_region()],
#'   [simulate()][simulate.btg].
#' * Check: [loocv()], [compare_fits()], [rolling_origin()], [predictive_scores()].
#' * Understand: [plot()][plot.btg], [summary()][summary.btg], [sensitivity()],
#'   [influence()][influence.btg], [variance_shares()].
#' * Measure next: [suggest()], [acquire()], [btg_optimise()].
#' * Help: [btg-troubleshooting], [btg-glossary].
#'
#' @section Options:
#' * `options(btg.threads = )`: the number of threads that all functions use by default.
#' * `options(btg.progress = )`: `FALSE` hides progress bars. By default they appear in interactive
#'   sessions for calls of more than two seconds (or the option `cli.progress_show_after`), if the
#'   package cli is installed. `TRUE` shows them in scripts too. A function is called a few times a
#'   second instead, with three arguments: what is done, how much of it, and of how much (1, or `NA`
#'   if that is not known and steps are counted).
#' * `options(btg.warn_quadrature = FALSE)` turns off the warning that the numerical integral is not
#'   accurate.
#' * `options(btg.memory = )`: the memory in bytes that one call may need. A larger call is refused
#'   with an error of class `btg_error_memory`. The default is the available memory on Linux, and 8
#'   GB elsewhere.
#' * `options(btg.cache = )`: the memory in bytes for factors that predictions keep for the next; 0
#'   for none. See [prepare()].
#' * `options(btg.linear_algebra = )`: the dense linear algebra. `"blas"` is the BLAS and LAPACK of
#'   R, the default if they are known to be fast (OpenBLAS, MKL, BLIS, ATLAS, Accelerate).
#'   `"builtin"` is the package's own for this processor, the default otherwise. `"portable"` is its
#'   own for any processor. They agree to rounding.
#'
#' @section Threads:
#' The argument `threads` spreads the nodes of the average, or the points to predict, over threads.
#' The results are the same, bit by bit, for any number of them.
#'
#' A multi-threaded BLAS may use several processors even with `threads = 1`, which helps with a
#' thousand rows or more. `threads` helps with any number of rows. Do not use both: two kinds of
#' threads get into each other's way. For OpenBLAS, set the environment variable
#' `OPENBLAS_NUM_THREADS=1` before R starts. Another number of BLAS threads changes results by
#' rounding.
#'
#' Independent work also spreads over the workers of a [future::plan()], which may be other
#' machines, if the package future.apply is installed: the models of an average, and the folds of
#' `loocv(method = "refit")`.
#'
#' @section Interrupts:
#' An interrupt (Ctrl-C, Esc) stops any call within about a second for up to 2000 rows. With more,
#' it waits until a matrix is factored. Nothing of the call is kept.
#'
#' @section Saved fits:
#' Fits are plain lists. [saveRDS()] keeps them, and after [readRDS()] they predict the same, in
#' another session or on another machine. A fit in the format of another version of the package is
#' refused with an error of class `btg_error_format` that shows the call to fit again.
#'
#' @seealso [btg()]
#' @examples
#' fit <- btg(dist ~ speed, data = cars)
#' predict(fit, data.frame(speed = 15), interval = "prediction")
#' @name btg-package
#' @docType package
#' @keywords internal
#' @importFrom Rcpp sourceCpp
#' @importFrom graphics plot
#' @importFrom rlang .data
#' @importFrom stats AIC BIC anova coef confint density deviance fitted formula logLik median
#' @importFrom stats model.frame model.matrix nobs predict quantile residuals sigma simulate terms
#' @importFrom stats vcov
#' @useDynLib btg, .registration = TRUE
NULL
