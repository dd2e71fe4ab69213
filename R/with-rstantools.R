#' Posterior draws with the names of rstantools
#'
#' `posterior_predict()`, `posterior_epred()`, `bayes_R2()`, `prior_summary()` and `pp_check()` are
#' the generics of rstantools and bayesplot that rstanarm and brms use too. All except
#' `prior_summary()` also work for fits by [wgp()]. Draws are joint draws of the process at all
#' rows: see [simulate.btg()].
#'
#' @param object A fit by [btg()] or [wgp()].
#' @param newdata,weights,threads As for [predict.btg()].
#' @param include,exclude Names of covariance terms to draw, or to leave out: see [simulate.btg()].
#' @param draws How many draws.
#' @param seed A number that determines the draws, or `NULL`: see [simulate.btg()].
#' @param type For `pp_check()`, how to compare the response with the draws: the end of the name of
#'   a function of bayesplot, such as `"dens_overlay"` for `bayesplot::ppc_dens_overlay()`.
#' @param ... Passed to the function of bayesplot by `pp_check()`; otherwise an unknown argument is
#'   an error.
#' @return `posterior_predict()` and `posterior_epred()` return a matrix with a row for each draw
#'   and a column for each row of `newdata`: new observations, and their mean given the process (see
#'   [btg-predictions]). For draws of the median given the process, see
#'   `simulate(observation = FALSE)`.
#'
#'   `bayes_R2()` returns the share of variance that the process explains, one value for each draw:
#'   the variance of its values at the data, divided by the sum of that and the variance of the
#'   residuals (Gelman, Goodrich, Gabry and Vehtari 2019).
#'
#'   `prior_summary()` returns a data frame with the prior of each hyperparameter of each model.
#'
#'   `pp_check()` returns a plot of the responses with draws of them.
#'
#'   `log_lik()` is an error, because rows are not independent given the hyperparameters.
#'   `loo::loo(fit)` and [loocv()] give exactly what it is used for.
#' @references Gelman, A., Goodrich, B., Gabry, J. and Vehtari, A. (2019). R-squared for Bayesian
#'   regression models. The American Statistician 73, 307-309.
#' @seealso [simulate.btg()], [as_draws_df.btg()] for hyperparameters
#' @examplesIf requireNamespace("rstantools", quietly = TRUE)
#' fit <- btg(dist ~ speed, data = cars, transform = "softplus")
#' dim(rstantools::posterior_predict(fit, draws = 100, seed = 1))
#' median(rstantools::bayes_R2(fit, draws = 100, seed = 1))
#' rstantools::prior_summary(fit)
#' @name rstantools-btg
NULL

# nolint start: object_name_linter. The generics' names.

#' @rdname rstantools-btg
#' @exportS3Method rstantools::posterior_predict
posterior_predict.btg <- function(object, newdata = NULL, draws = 1000, seed = NULL, weights = NULL,
                                  threads = getOption("btg.threads", 1), include = NULL,
                                  exclude = NULL, ...) {
  check_fit(object)
  check_dots(..., valid = names(formals(posterior_predict.btg)))
  object <- with_chosen_terms(object, include, exclude)
  drawn_rows(object, newdata, draws, seed, TRUE, weights, threads)
}

#' @rdname rstantools-btg
#' @exportS3Method rstantools::posterior_epred
posterior_epred.btg <- function(object, newdata = NULL, draws = 1000, seed = NULL, weights = NULL,
                                threads = getOption("btg.threads", 1), include = NULL,
                                exclude = NULL, ...) {
  check_fit(object)
  check_dots(..., valid = names(formals(posterior_epred.btg)))
  object <- with_chosen_terms(object, include, exclude)
  drawn_means(object, newdata, draws, seed, weights, threads)
}

#' @rdname rstantools-btg
#' @exportS3Method rstantools::bayes_R2
bayes_R2.btg <- function(object, draws = 1000, seed = NULL,
                         threads = getOption("btg.threads", 1), ...) {
  check_fit(object)
  check_dots(..., valid = names(formals(bayes_R2.btg)))
  check_exact_responses(object, "`bayes_R2()`", "Use `loocv()`, whose scores count limits.")
  values <- drawn_rows(object, NULL, draws, seed, FALSE, NULL, threads)
  values <- values[, !is.na(values[1L, ]), drop = FALSE]
  explained <- apply(values, 1L, standard_deviation)
  left <- apply(sweep(-values, 2L, fit_response(object), `+`), 1L, standard_deviation)
  1 / (1 + (left / explained)^2)
}

#' @rdname rstantools-btg
#' @exportS3Method rstantools::prior_summary
prior_summary.btg <- function(object, ...) {
  check_fit(object)
  check_dots(...)
  check_averaged(object, "`confint()` has their intervals.")
  each <- Map(function(model, name) {
    hyper <- model$problem$hyperparameters
    text <- vapply(hyper, function(h) {
      if (is_fixed(h)) paste("fixed at", signif(h$prior * model$units[[h$name]], 4))
      else format(h$prior)
    }, "")
    data.frame(model = name, hyperparameter = names(hyper), prior = unname(text))
  }, object$models, names(object$models))
  do.call(rbind, unname(each))
}

#' @rdname rstantools-btg
#' @exportS3Method rstantools::log_lik
log_lik.btg <- function(object, ...) {
  check_fit(object)
  abort_btg(c("The rows of a Gaussian process are not independent given its hyperparameters.",
              i = "`loo::loo(fit)` and `loocv(fit)` have exact left-out log scores."),
            "criterion")
}

#' @rdname rstantools-btg
#' @exportS3Method bayesplot::pp_check
pp_check.btg <- function(object, type = "dens_overlay", draws = 50, seed = NULL, ...) {
  check_fit(object)
  check_string(type)
  check_exact_responses(object, "`pp_check()`", "Use `plot(loocv(fit))`.")
  known <- sub("^ppc_", "", grep("^ppc_", getNamespaceExports("bayesplot"), value = TRUE))
  check_choice(type, known, "type")
  drawn <- drawn_rows(object, NULL, draws, seed, TRUE, NULL, 1)
  drawn <- drawn[, !is.na(drawn[1L, ]), drop = FALSE]
  getExportedValue("bayesplot", paste0("ppc_", type))(fit_response(object), drawn, ...)
}

# nolint end

# Returns one row per draw and one column per row of `newdata` or of the fit.
drawn_rows <- function(fit, newdata, draws, seed, observation, weights, threads) {
  drawn <- simulated_rows(fit, newdata, draws, seed, Inf, observation, weights, threads)
  drawn <- t(as.matrix(drawn))
  rownames(drawn) <- NULL
  drawn
}

# Returns draws of the conditional mean, in the shape of drawn_rows().
drawn_means <- function(fit, newdata, draws, seed, weights, threads) {
  check_count(draws)
  check_count(threads)
  check_drawable(fit)
  check_new_weights(weights, is.null(newdata))
  points <- prediction_points(fit, newdata, weights)
  check_memory(3 * 8 * length(points$complete) * draws, "The draws", "Ask for fewer.")
  check_covariance_size(sum(points$complete), min(threads, draws))
  drawn <- with_seed(seed, function() {
    joint_draws(fit, points, draws, TRUE, Inf, threads, of_mean = TRUE)
  })
  drawn <- t(drawn)
  dimnames(drawn) <- list(NULL, colnames(drawn))
  drawn
}
