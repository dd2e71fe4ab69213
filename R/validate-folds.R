# Rows predicted without their folds, by the core.

# The order is that of btg::FoldStatus.
fold_statuses <- c("predicted", "too few rows without it", "trend undetermined without it",
                   "trend fits exactly without it", "negative evidence without it")

# As answer_questions(), for every row of the fit without its fold, and with diagnostics of the
# folds.
leave_out <- function(fit, fold, questions, method = "fast", observation = TRUE,
                      options = answer_options(fit), threads = 1, call = quote(loocv())) {
  if (is_approximate(fit)) check_fold_sizes(fold, call)
  check_loocv_memory(length(fold), length(node_weights(fit)), threads, call, is_approximate(fit))
  scaling <- fit$scaling$y
  joint <- !identical(fit$averaging$method, "stacking")
  core <- with_progress("Leaving out", check_core(
    core_loocv(core_ensemble(fit), as.integer(fold), observation, method == "naive", joint,
               scale_questions(questions, scaling), options, core_run(threads)),
    call, fit$row_names
  ))
  warn_lost_mass(as.vector(core$lost_mass), fit$row_names, call)
  warn_rearranged(core$rearranged, length(fold), call)
  core$answers <- unscale_answers(core$answers, scaling)
  core
}

# Leaving out a fold takes the covariance of all its rows, exactly.
check_fold_sizes <- function(fold, call) {
  most <- max(tabulate(fold))
  if (most > most_exact_rows) {
    abort_btg(c("Folds this large cannot be left out of a fit whose covariance is approximated.",
                x = paste0("The largest has ", format(most, big.mark = ","), " rows; ",
                           format(most_exact_rows, big.mark = ","), " are possible."),
                i = "Use more folds, single rows (`folds = NULL`), or `method = \"refit\"`."),
              "folds", call)
  }
}

# The log score of each row without it.
left_out_log_scores <- function(fit, threads) {
  at <- cbind(fit_response(fit))
  core <- suppressWarnings(
    leave_out(fit, row_folds(NULL, fit), list(log_density = at, mass = at), threads = threads,
              call = quote(btg())), classes = "btg_warning"
  )
  log_scores(core$answers)
}

# As answer_questions(), of each row of the fit without it.
answer_left_out <- function(fit, points, questions, observation, options, threads, call) {
  fold <- row_folds(NULL, fit)
  core <- leave_out(fit, fold, questions, "fast", observation, options, threads, call)
  warn_not_predicted(data.frame(fold = levels(fold), status = fold_statuses[core$status + 1L]),
                     call)
  pad <- function(values) {
    rownames(values) <- points$names
    pad_left_out(values, points)
  }
  lost_mass <- stats::setNames(as.vector(core$lost_mass), points$names)
  list(answers = lapply(core$answers, function(answer) list(value = pad(answer$value))),
       lost_mass = pad_left_out(lost_mass, points))
}

# A factor with one value for each row of the fit.
row_folds <- function(folds, fit, call = quote(loocv())) {
  n <- row_count(fit)
  if (is.null(folds)) {
    rows <- make.unique(fit$row_names)
    return(factor(rows, levels = rows))
  }
  omitted <- fit$na.action
  if (is.atomic(folds) && length(omitted) > 0L && length(folds) == n + length(omitted)) {
    folds <- folds[-omitted]
  }
  if (length(folds) == 1L) {
    return(every_kth(folds, n, call))
  }
  if (!is.atomic(folds) || length(folds) != n || anyNA(folds)) {
    abort_argument("folds", paste0("must be one value, without missing ones, for each of the ", n,
                                   " rows of the fit"), folds, call)
  }
  fold <- droplevels(as.factor(folds))
  if (nlevels(fold) < 2L) {
    abort_btg("`folds` puts all rows into one fold: nothing is left to predict from.", "argument",
              call)
  }
  fold
}

every_kth <- function(k, n, call) {
  if (!is_number(k) || k != round(k) || k < 2 || k > n) {
    abort_argument("folds", paste0("must be a whole number from 2 to ", n,
                                   ", or one value for each row of the fit"), k, call)
  }
  factor((seq_len(n) - 1L) %% k + 1L)
}

warn_not_predicted <- function(diagnostics, call) {
  bad <- diagnostics[diagnostics$status != "predicted", ]
  if (nrow(bad) > 0L) {
    warn_btg(c(
      paste0(count_noun(nrow(bad), "fold"), " of ", nrow(diagnostics), " cannot be predicted from ",
             "the other rows."),
      x = paste0("Fold ", bad$fold[1L], ": ", bad$status[1L], "."),
      i = "Estimates are of the other rows. A simpler trend, or smaller folds, may help."
    ), "not_predicted", call)
  }
}
