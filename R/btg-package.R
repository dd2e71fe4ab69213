#' Bayesian transformed Gaussian processes
#'
#' Regression for responses that are not Gaussian: skewed, heavy tailed, bounded below or
#' rounded. [btg()] fits, [predict()][predict.btg] answers with medians, intervals and
#' distributions, [nodes()] shows what was averaged over. The [glossary][btg-glossary] explains the
#' words of the output.
#'
#' @section Options:
#' `options(btg.linear_algebra = )` chooses the dense linear algebra: `"blas"`, the BLAS and
#' LAPACK that R uses, which is the default when they are known to be fast ones (OpenBLAS, MKL,
#' BLIS, ATLAS, Accelerate); `"builtin"`, the package's own for this processor, the default
#' otherwise; `"portable"`, the package's own for any processor. They agree to rounding.
#'
#' `options(btg.warn_quadrature = FALSE)` silences the warning that the integral over the
#' hyperparameters is not accurate.
#'
#' `options(btg.progress = FALSE)` silences the progress bars of fits, predictions and
#' cross-validation, which the cli package draws, if it is installed, in interactive sessions when
#' they take longer than two seconds (or as the option `cli.progress_show_after` says); `TRUE` shows
#' them in scripts too. A function is called instead of a bar, a few times a second, with three
#' arguments: what is done, in words; how much of it; and of how much, 1 or, where that is not
#' known and steps are counted, `NA`.
#'
#' `options(btg.memory = )` is the memory in bytes that one request may need; a larger one is
#' refused with an error of class `btg_error_memory`. By default it is what the system has
#' available, where it says so (Linux), else 8 GB.
#'
#' `options(btg.cache = )` is the memory in bytes for factors that predictions keep for the next,
#' 0 for none: see [prepare()].
#'
#' @section Threads:
#' The argument `threads` of fits, predictions, cross-validation and simulation, 1 unless you say
#' more, spreads the nodes of the average, or the points, over threads. The results are the same,
#' bit by bit, for any number of them. An R that uses a multi-threaded BLAS may be
#' using several processors already with `threads = 1`, which pays for a thousand rows or more. To
#' use them by `threads`, which pays for any number of rows, tell the BLAS to use one: two kinds of
#' threads get into each other's way. For OpenBLAS, set the environment variable
#' `OPENBLAS_NUM_THREADS=1` before R starts. With another number of BLAS threads results change by
#' rounding.
#'
#' Work that is independent, the models of `transform = "auto"` and the folds of
#' `loocv(method = "refit")`, also spreads over the workers of a [future::plan()], which may be
#' other machines, if the future.apply package is installed.
#'
#' @section Interrupts:
#' An interrupt (Ctrl-C, Esc) stops any call within about a second for up to 2000 rows; with more, a
#' matrix that is being factored is finished first. Nothing of the call is kept.
#'
#' @section Saved fits:
#' Fits are plain lists: [saveRDS()] keeps them, and after [readRDS()] in another session, or on
#' another machine, they predict the same. A fit that another version of the package made in another
#' format is refused with an error of class `btg_error_format` that says what to do.
#'
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
