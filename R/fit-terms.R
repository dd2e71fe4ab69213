# The covariance terms of a fit and of its models.

# Fits of earlier versions have only the main process.
terms_of_model <- function(model) {
  if (is.null(model$terms)) list(list(name = "main", base = "stationary")) else model$terms
}

# Returns the terms of the models in use, by name. A model of an average can lack some.
fit_terms <- function(fit) {
  all <- unlist(lapply(unname(kept_models(fit)), terms_of_model), recursive = FALSE)
  names <- vapply(all, function(term) term$name, "")
  stats::setNames(all[!duplicated(names)], unique(names))
}

has_special_terms <- function(fit) !identical(names(fit_terms(fit)), "main")

# Returns the names of the terms to predict with: those in `include`, or all but those in `exclude`.
# NULL stands for all. Terms may be written as in the formula.
chosen_terms <- function(fit, include, exclude) {
  if (is.null(include) && is.null(exclude)) {
    return(NULL)
  }
  if (!is.null(include) && !is.null(exclude)) {
    abort_btg("`include` and `exclude` cannot go together.", "argument")
  }
  known <- names(fit_terms(fit))
  find <- function(given, what) {
    if (!is.character(given) || anyNA(given)) {
      abort_argument(what, "must be names of terms", given)
    }
    names <- lapply(given, function(one) if (one %in% known) one else names_of_term(one))
    unknown <- !vapply(names, function(own) all(own %in% known), NA)
    if (any(unknown)) {
      abort_btg(c(paste0("`", what, "` must name terms of the fit."),
                  x = paste0("Unknown: ", list_names(given[unknown]), "."),
                  i = paste0("It has ", list_names(known, most = Inf), ".")), "argument")
    }
    unique(as.character(unlist(names)))
  }
  if (is.null(include)) setdiff(known, find(exclude, "exclude")) else find(include, "include")
}

# Returns the fit with predictions from the chosen terms and the trend alone. New data need no other
# variables.
with_chosen_terms <- function(fit, include, exclude) {
  chosen <- chosen_terms(fit, include, exclude)
  if (is.null(chosen)) {
    return(fit)
  }
  used <- unlist(lapply(fit_terms(fit)[chosen], `[`, c("variables", "by")))
  fit <- with_all_candidates(fit)
  fit$chosen_terms <- chosen
  fit$blueprint <- without_inputs(fit$blueprint, used, fit$data)
  fit
}

#' Divide the variance among terms and noise
#'
#' `variance_shares()` returns the share of each covariance term, and of the noise, in the variance
#' of the transformed response, with intervals. The trend has no share.
#'
#' @param fit A fit by [btg()] or [wgp()].
#' @param level The probability of the intervals.
#' @return A data frame with one row for each term and one for the `"noise"`: `term`, the median
#'   `share`, and the ends `lwr` and `upr` of an equal-tailed interval, which are `NA` after
#'   [wgp()].
#' @details The share of a term is its prior variance divided by the sum of all prior variances and
#'   that of the noise. The prior variance of a term is \eqn{\rho_t}{rho_t} times the mean of
#'   \eqn{R_t(x_i, x_i)}{R_t(x_i, x_i)} over the rows of the fit: see [btg-terms]. If the noise
#'   varies, its variance is that at the mean of the columns of its model. In an average, a model
#'   that lacks a term has a share of zero.
#'
#'   These are not shares of the fitted effects. How much each input moves the predicted median
#'   within the range of the data is a different question, which [sensitivity()] and `summary()`
#'   answer. The two answers can differ much, above all if the intervals are wide because the data
#'   hardly determine the variance of a term.
#' @seealso [btg-terms], [group_effects()], [sensitivity()]; `type = "terms"` in [predict.btg()]
#' @examples
#' d <- transform(ChickWeight, Chick = as.character(Chick))
#' d <- d[d$Time %in% c(0, 10, 20), ]
#' fit <- btg(weight ~ Time + (1 | Chick), d, transform = "softplus")
#' variance_shares(fit)
#' @export
variance_shares <- function(fit, level = 0.95) {
  check_fit(fit)
  check_level(level)
  names <- c(names(fit_terms(fit)), "noise")
  models <- kept_models(fit)
  shares <- do.call(rbind, lapply(unname(models), function(model) {
    own <- node_shares(model, fit$design)
    all <- matrix(0, nrow(own), length(names), dimnames = list(NULL, names))
    all[, colnames(own)] <- own
    all
  }))
  weight <- unlist(Map(function(model, weight) weight * model$posterior$weight, models,
                       fit$model_weights[fit$model_weights > 0]), use.names = FALSE)
  p <- c(0.5, (1 - level) / 2, (1 + level) / 2)
  found <- t(apply(shares, 2L, weighted_quantile, weight = weight / sum(weight), p = p))
  if (nrow(shares) == 1L) found[, 2:3] <- NA
  data.frame(term = names, share = found[, 1L], lwr = found[, 2L], upr = found[, 3L],
             row.names = NULL)
}

# Returns the shares of the terms and the noise of a model, one row per node.
node_shares <- function(model, design) {
  terms <- terms_of_model(model)
  names <- vapply(terms, function(term) term$name, "")
  # Latent responses of censored rows are columns behind the hyperparameters.
  hyper <- model$posterior$hyper[, seq_along(hyper_names(model)), drop = FALSE]
  colnames(hyper) <- hyper_names(model)
  ratio <- cbind(rep(1, nrow(hyper)), hyper[, paste0("ratio.", names)[-1L], drop = FALSE])
  size <- vapply(terms, mean_variance, 0, inputs = design$inputs)
  signal <- ratio / rowSums(ratio) * rep(size, each = nrow(hyper))
  shares <- cbind(signal, hyper[, "noise"] + model$noise_floor)
  colnames(shares) <- c(names, "noise")
  shares / rowSums(shares)
}

# Returns the mean of R_t(x, x) over the rows.
mean_variance <- function(term, inputs) {
  if (term$base == "linear") mean(inputs[, term$columns]^2) else 1
}
