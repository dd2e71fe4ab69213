#' Compare fits by leave-one-out cross-validation
#'
#' `compare_fits()` shows which of several models of the same data predicts best, by how much, and
#' whether the difference is more than chance.
#'
#' @param ... Fits by [btg()], or results of [loocv()], of the same responses in the same order.
#'   Names of arguments become the names in the table; arguments without names are named as they are
#'   written.
#' @param threads How many threads to use for the cross-validations.
#'
#' @return A data frame of class `btg_compare`, one row per fit, the best `elpd` first:
#'   * `elpd_diff` and `se_diff`: the difference from the best fit in expected log predictive
#'     density, summed over rows, and its standard error, computed from the differences row by row.
#'     A difference below two standard errors, or below 4, is no reason to prefer a model;
#'   * `elpd`, `crps`, `rmse`, `mae`: as in [loocv()], over the rows that all models predict;
#'   * `seconds`: the time of the fit (`NA` for results of [loocv()]).
#'
#'   Fits by [wgp()] come last and are not ranked, unless all fits are of this kind. Their
#'   hyperparameters were estimated from the rows that are left out, which makes them look better
#'   than they are. The attribute `frozen` names them. `loocv(method = "refit")` is fair to them.
#'
#' @seealso [loocv()]; [btg-averaging], which averages models instead of choosing one.
#'
#' @details With the package loo, `loo::loo(fit)` returns the results in its form, and
#'   `loo::loo_compare(fit1, fit2)` compares fits by them. They are exact for each node,
#'   without importance sampling.
#'
#' @examples
#' plain <- btg(dist ~ speed, cars, transform = "identity")
#' warped <- btg(dist ~ speed, cars, transform = "sinharcsinh")
#' compare_fits(plain, warped)
#' @export
compare_fits <- function(..., threads = getOption("btg.threads", 1)) {
  check_count(threads)
  objects <- list(...)
  if (length(objects) < 2L) {
    abort_btg("`compare_fits()` needs two fits or more.", "argument")
  }
  names(objects) <- written_names(objects, as.list(substitute(list(...)))[-1L])
  results <- Map(function(object, name) left_out_results(object, name, threads),
                 objects, names(objects))
  check_same_response(results)
  check_same_folds(results)
  warn_other_masses(results)

  scores <- vapply(results, function(result) result$pointwise$log_score,
                   numeric(nrow(results[[1L]]$pointwise)))
  common <- rowSums(is.na(scores)) == 0L
  scores <- scores[common, , drop = FALSE]
  estimates <- lapply(results, function(result) cv_estimates(result$pointwise[common, ]))
  frozen <- vapply(results, function(result) isTRUE(result$frozen), NA)
  fair <- if (all(frozen)) frozen else !frozen
  best <- which(fair)[which.max(colSums(scores)[fair])]
  difference <- scores - scores[, best]
  estimate <- function(name) vapply(estimates, function(x) x[name, "estimate"], 0)
  table <- data.frame(
    elpd_diff = colSums(difference),
    se_diff = apply(difference, 2L, function(x) stats::sd(x) * sqrt(length(x))),
    elpd = colSums(scores), crps = estimate("crps"), rmse = estimate("rmse"), mae = estimate("mae"),
    seconds = vapply(objects, function(x) if (inherits(x, "btg")) x$seconds else NA_real_, 0),
    row.names = names(objects)
  )
  table <- table[order(!fair, -table$elpd), ]
  structure(table, frozen = names(results)[frozen], class = c("btg_compare", "data.frame"))
}

# Uses the names given, else the expressions written, unless an argument is the fit itself.
written_names <- function(objects, written) {
  given <- names(objects)
  if (is.null(given)) given <- rep("", length(objects))
  plain <- vapply(seq_along(written), function(k) {
    if (is.language(written[[k]])) deparse(written[[k]])[1L] else paste0("fit", k)
  }, "")
  make.unique(ifelse(nzchar(given), given, plain))
}

left_out_results <- function(object, name, threads) {
  if (inherits(object, "btg_loocv")) {
    return(check_loocv(object))
  }
  if (!inherits(object, "btg")) {
    abort_argument(name, paste("must be a fit by `btg()`, or a result of `loocv()` such as",
                               "`loocv(fit, folds = group)`"), object)
  }
  loocv(object, threads = threads)
}

check_same_response <- function(results) {
  first <- results[[1L]]$pointwise$y
  for (name in names(results)[-1L]) {
    y <- results[[name]]$pointwise$y
    same <- length(y) == length(first) && isTRUE(all.equal(y, first))
    if (!same) {
      abort_btg(c(
        paste0("`", names(results)[1L], "` and `", name, "` are fits to different responses."),
        x = if (length(y) != length(first)) {
          paste0("They have ", length(first), " and ", length(y), " rows.")
        } else {
          "Their responses differ."
        },
        i = paste0("Scores can be compared only for the same response, untransformed, in the same ",
                   "rows.")
      ), "compare")
    }
  }
}

# Scores of single rows and scores of folds measure different tasks.
check_same_folds <- function(results) {
  partition <- function(result) match(result$pointwise$fold, unique(result$pointwise$fold))
  first <- partition(results[[1L]])
  for (name in names(results)[-1L]) {
    if (!identical(partition(results[[name]]), first)) {
      abort_btg(c(
        paste0("`", names(results)[1L], "` and `", name, "` were left out by different folds."),
        i = "Give `loocv()` the same `folds` for all; fits are compared without each row."
      ), "compare")
    }
  }
}

# The log score of a point mass and the log score of a density have different units.
warn_other_masses <- function(results) {
  masses <- vapply(results, function(result) result$pointwise$mass > 0,
                   logical(nrow(results[[1L]]$pointwise)))
  shares <- rowMeans(masses, na.rm = TRUE)
  differ <- which(shares > 0 & shares < 1)
  if (length(differ) > 0L) {
    warn_btg(c(
      "The log scores of these fits cannot be compared.",
      x = paste0(count_noun(length(differ), "response"), " at a bound ",
                 if (length(differ) == 1L) "has" else "have",
                 " a point mass in some fits, and a density in others."),
      i = "Compare them by `crps`, or state the same `lower` and `upper` for all."
    ), "masses")
  }
}

# Accepts fits and results of loo(), named or labelled by their expressions.
#' @exportS3Method loo::loo_compare
loo_compare.btg <- function(x, ...) { # nolint: object_name_linter. The generic's name and a class.
  objects <- list(x, ...)
  names(objects) <- written_names(objects, as.list(substitute(list(x, ...)))[-1L])
  results <- lapply(objects, function(object) {
    if (inherits(object, c("btg", "btg_loocv"))) loo::loo(object) else object
  })
  loo::loo_compare(results)
}

#' @exportS3Method loo::loo_compare
loo_compare.btg_loocv <- loo_compare.btg # nolint: object_name_linter. As above.

#' @exportS3Method loo::loo
loo.btg <- function(x, ...) loo.btg_loocv(loocv(x, ...))

# Returns the layout of the loo package. The effective number of parameters is NA, because it needs
# log scores of rows that are in the data, which are not computed.
#' @exportS3Method loo::loo
loo.btg_loocv <- function(x, ...) { # nolint: object_name_linter. The generic's name and a class.
  check_loocv(x)
  # As in loocv(), a row that cannot be predicted from the others does not count.
  predicted <- !is.na(x$pointwise$log_score)
  x$pointwise <- x$pointwise[predicted, , drop = FALSE]
  score <- x$pointwise$log_score
  n <- length(score)
  pointwise <- cbind(elpd_loo = score, mcse_elpd_loo = NA_real_, p_loo = NA_real_,
                     looic = -2 * score,
                     influence_pareto_k = x$diagnostics$k_hat[match(x$pointwise$fold,
                                                                    x$diagnostics$fold)])
  total <- c(sum(score), sqrt(n) * stats::sd(score))
  estimates <- rbind(elpd_loo = total, p_loo = c(NA, NA), looic = c(-2, 2) * total)
  colnames(estimates) <- c("Estimate", "SE")
  structure(
    list(estimates = estimates, pointwise = pointwise,
         diagnostics = list(pareto_k = pointwise[, "influence_pareto_k"],
                            n_eff = rep(NA_real_, n))),
    # loo_compare() uses the hash to check that responses agree, here to ten digits.
    dims = c(n, n), yhash = rlang::hash(signif(x$pointwise$y, 10L)), class = c("btg_loo", "loo")
  )
}

#' @export
print.btg_loo <- function(x, digits = 1L, ...) {
  cat("Exact leave-one-out cross-validation of ", count_noun(nrow(x$pointwise), "row"), "\n\n",
      sep = "")
  print(round(x$estimates, digits), ...)
  invisible(x)
}
