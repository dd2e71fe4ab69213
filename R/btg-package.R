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
#' @name btg-package
#' @docType package
#' @keywords internal
#' @importFrom Rcpp sourceCpp
#' @importFrom graphics plot
#' @importFrom rlang .data
#' @importFrom stats coef confint density fitted formula logLik median model.frame model.matrix nobs
#' @importFrom stats predict quantile residuals simulate terms vcov
#' @useDynLib btg, .registration = TRUE
NULL
