# Returns the folds as a factor with one value per row of the fit.
check_folds <- function(folds, fit) {
  n <- row_count(fit)
  if (is.null(folds)) {
    return(row_folds(fit$row_names)$fold)
  }
  omitted <- fit$na.action
  if (is.atomic(folds) && length(omitted) > 0L && length(folds) == n + length(omitted)) {
    folds <- folds[-omitted]
  }
  if (length(folds) == 1L) {
    return(every_kth(folds, n))
  }
  if (!is.atomic(folds) || length(folds) != n || anyNA(folds)) {
    abort_argument("folds", paste0("must be one value, without missing ones, for each of the ", n,
                                   " rows of the fit"), folds)
  }
  fold <- droplevels(as.factor(folds))
  if (nlevels(fold) < 2L) {
    abort_btg("`folds` puts all rows into one fold: nothing is left to predict from.", "argument")
  }
  fold
}

every_kth <- function(k, n) {
  if (!is_number(k) || k != round(k) || k < 2 || k > n) {
    abort_argument("folds", paste0("must be a whole number from 2 to ", n,
                                   ", or one value for each row of the fit"), k)
  }
  factor((seq_len(n) - 1L) %% k + 1L)
}
