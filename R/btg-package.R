#' @keywords internal
"_PACKAGE"

#' @importFrom Rcpp sourceCpp
#' @importFrom stats nobs formula predict
#' @useDynLib btg, .registration = TRUE
NULL
