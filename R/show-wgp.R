#' Log likelihood of a fit by wgp()
#'
#' Returns the log likelihood that [wgp()] maximised, or its value at other hyperparameters. It is
#' the log density of the response in its own units, with all constants and the Jacobian of the
#' transform, so fits with different transforms can be compared. [AIC()] and [BIC()] use it.
#'
#' @param object A fit by [wgp()].
#' @param hyper `NULL` for the estimate. Otherwise a data frame or a matrix with one row for each
#'   point at which to evaluate the likelihood, and columns named as in [nodes()], in the same
#'   units. Columns of fixed hyperparameters may be left out.
#' @param ... Not used.
#' @return An object of class `logLik`. Its `df` counts the free hyperparameters, the coefficients
#'   of the trend and the scale, and `nobs` is the number of rows. With `hyper`, a numeric vector
#'   with one value for each row: `-Inf` where the likelihood cannot be evaluated.
#' @seealso [wgp-likelihood] for its formula, [log_posterior()] for fits by [btg()]
#' @examples
#' fit <- wgp(dist ~ speed, data = cars, transform = "boxcox", method = "ML")
#' logLik(fit)
#'
#' # The likelihood of other powers, with everything else at its estimate
#' at <- nodes(fit)[rep(1, 5), ]
#' at$boxcox.lambda <- c(0, 0.25, 0.5, 0.75, 1)
#' logLik(fit, hyper = at) - logLik(fit)
#' @export
logLik.wgp <- function(object, hyper = NULL, ...) {
  check_fit(object)
  check_dots(..., valid = "hyper")
  if (is.null(hyper)) {
    return(structure(
      object$models[[1L]]$posterior$log_marginal[1L] + likelihood_constant(object),
      df = nrow(object$bounds) + ncol(object$design$trend) + 1L, nobs = row_count(object),
      class = "logLik"
    ))
  }
  model <- object$models[[1L]]
  internal <- internal_hyper(model, hyper)
  evaluate_valid(model, internal, function(valid) {
    evaluate_model(build_models(object$design, list(model)), valid)$log_marginal
  }) + likelihood_constant(object)
}

#' Coefficients and intervals of a fit by wgp()
#'
#' `coef()` and `vcov()` return the coefficients of the trend and their covariance, `confint()`
#' returns intervals of the coefficients and of the hyperparameters, and `sigma()` returns the
#' standard deviation of the noise.
#'
#' All are for the transformed response `g((y - center) / scale)`, where `fit$scaling$y` holds
#' `center` and `scale`. With `transform = "identity"` and a constant in the trend, they are in the
#' units of the response.
#'
#' @section Accuracy of the intervals:
#' These are Wald intervals. Those of coefficients take the hyperparameters as known. Those of
#' hyperparameters come from the curvature of the log likelihood at its maximum; for a positive one
#' the interval is computed for the logarithm. They are poor where the likelihood is skewed or has
#' several modes. [btg()] does not need such approximations.
#'
#' @param object A fit by [wgp()].
#' @param parm Names or numbers of the rows to return; all by default.
#' @param level The probability of the intervals.
#' @param ... Not used.
#' @return `confint()` returns a matrix with one row for each coefficient and each free
#'   hyperparameter, and columns for the lower and the upper end. A hyperparameter at a bound has
#'   `NA`, and is held there for the others. All hyperparameters have `NA`, with a warning, if the
#'   log likelihood is not concave at its maximum.
#' @seealso [coef.btg] for fits by [btg()], [summary.wgp()]
#' @examples
#' fit <- wgp(dist ~ speed, data = cars, transform = "boxcox")
#' coef(fit)
#' confint(fit)
#' @export
confint.wgp <- function(object, parm, level = 0.95, ...) {
  check_fit(object)
  check_dots(..., valid = c("parm", "level"))
  check_level(level)
  p <- c((1 - level) / 2, (1 + level) / 2)
  trend <- estimate_trend(object)
  quantile <- if (object$settings$method == "REML") {
    stats::qt(p, residual_count(object$design))
  } else {
    stats::qnorm(p)
  }
  intervals <- rbind(trend$coefficients + outer(trend$errors, quantile),
                     hyper_intervals(object, stats::qnorm(p)))
  colnames(intervals) <- interval_names(p)
  choose_parameters(intervals, parm)
}

# Returns intervals in the user's units. `z` holds the standard normal quantiles at the ends.
hyper_intervals <- function(fit, z) {
  model <- fit$models[[1L]]
  free <- row.names(fit$bounds)
  x <- to_coordinates(model, model$posterior$hyper[1L, seq_along(model$units)])
  ends <- x[free] + outer(standard_errors(fit, x), z)
  positive <- vapply(model$problem$hyperparameters[free], function(h) h$positive, NA)
  ends[positive, ] <- exp(ends[positive, ])
  ends <- ends * model$units[free]
  rownames(ends) <- free
  ends
}

# Returns standard errors of the free coordinates: roots of the diagonal of the inverse of minus the
# Hessian. Coordinates at a bound are left out and get NA.
standard_errors <- function(fit, x) {
  error <- rep(NA_real_, nrow(fit$bounds))
  inside <- fit$bounds$at == ""
  if (!any(inside)) {
    return(error)
  }
  information <- -hessian_at(fit, x, match(row.names(fit$bounds)[inside], names(x)))
  factor <- tryCatch(chol(information), error = function(e) NULL)
  if (is.null(factor)) {
    warn_btg(c("The hyperparameters have no intervals.",
               x = "The log likelihood is not concave where the search ended.",
               i = "Use more `restarts`, or fix hyperparameters that the data cannot estimate."),
             "information")
    return(error)
  }
  error[inside] <- sqrt(diag(chol2inv(factor)))
  error
}

# Approximates the Hessian at the coordinates `which` of `x` by fourth-order differences of the
# exact gradient.
hessian_at <- function(fit, x, which) {
  step <- 1e-3
  model <- fit$models[[1L]]
  positive <- vapply(model$problem$hyperparameters, function(h) h$positive, NA)
  moves <- expand.grid(shift = c(1, -1, 2, -2) * step, j = which)
  hyper <- t(mapply(function(shift, j) {
    x[j] <- x[j] + shift
    ifelse(positive, exp(x), x)
  }, moves$shift, moves$j))
  built <- build_models(fit$design, list(model))
  gradient <- evaluate_model(built, hyper, gradient = TRUE)$gradient[, which, drop = FALSE]
  columns <- vapply(seq_along(which), function(k) {
    at <- gradient[4L * (k - 1L) + 1:4, , drop = FALSE]
    (8 * (at[1L, ] - at[2L, ]) - (at[3L, ] - at[4L, ])) / (12 * step)
  }, numeric(length(which)))
  columns <- matrix(columns, length(which))
  (columns + t(columns)) / 2
}

#' @rdname confint.wgp
#' @export
coef.wgp <- function(object, ...) {
  estimate_trend(check_fit(object))$coefficients
}

#' @rdname confint.wgp
#' @export
vcov.wgp <- function(object, ...) {
  trend <- estimate_trend(check_fit(object))
  trend$unit^2 * trend$covariance
}

#' @rdname confint.wgp
#' @export
sigma.wgp <- function(object, ...) {
  check_fit(object)
  check_dots(...)
  noise <- object$models[[1L]]$noise_floor + nodes(object)$noise[1L]
  estimate_trend(object)$deviation * sqrt(noise)
}

# Averages estimates at nodes, which differ if latent responses of censored rows do.
mean_trend <- function(trend, weight) {
  mean <- colSums(weight * trend$coefficients)
  deviation <- sweep(trend$coefficients, 2L, mean)
  list(coefficients = mean, variance = sum(weight * trend$variance),
       covariance = colSums(weight * trend$covariance) +
         as.vector(crossprod(deviation, weight * deviation)))
}

# Returns list(coefficients, their standard errors, their covariance in units of `unit`, deviation
# of the process) for the transformed response. Without a transform, they refer to the response
# itself if the trend can be shifted.
estimate_trend <- function(fit) {
  model <- fit$models[[1L]]
  M <- fit$design$trend
  trend <- mean_trend(node_trends(model, fit$design), predictive_nodes(model)$weight)
  names <- colnames(M)
  scale <- 1
  shift <- 0
  if (identical(model$transform$layers, "identity") && spans_constant(M)) {
    scale <- model$scaling$scale
    shift <- model$scaling$center * qr.solve(M, rep(1, nrow(M)))
  }
  covariance <- matrix(trend$covariance, length(names), dimnames = list(names, names))
  list(coefficients = stats::setNames(scale * as.vector(trend$coefficients) + shift, names),
       errors = scale * sqrt(diag(covariance)), covariance = covariance, unit = scale,
       deviation = scale * sqrt(as.vector(trend$variance)))
}

#' @export
print.wgp <- function(x, ...) {
  check_fit(x)
  cat(format_wgp(x), sep = "\n")
  cat("Next: plot(), predict(), loocv(), summary()\n")
  invisible(x)
}

format_wgp <- function(fit) {
  title <- if (identical(fit$settings$transform, "identity")) {
    "Gaussian process by maximum likelihood"
  } else {
    "Warped Gaussian process by maximum likelihood"
  }
  log_likelihood <- stats::logLik(fit)
  c(
    format_model(fit, title),
    labelled("Likelihood", format_log(as.vector(log_likelihood)), " (log, ", fit$settings$method,
             "), ", attr(log_likelihood, "df"), " parameters"),
    labelled("Search", format_searches(fit$optimisation)),
    format_bounds(fit$bounds)
  )
}

# "5 starts, 4 reached the maximum, 1 failed"
format_searches <- function(searches) {
  failed <- sum(!searches$converged)
  reached <- sum(same_mode(searches)[searches$converged])
  paste0(count_noun(nrow(searches), "start"), ", ", reached, " reached the maximum",
         if (failed > 0L) paste0(", ", failed, " did not converge"))
}

format_bounds <- function(bounds) {
  ends <- intersect(c("lower", "upper"), bounds$at)
  vapply(ends, function(end) {
    labelled("At bound", list_names(row.names(bounds)[bounds$at == end]), " (", end, ")")
  }, "")
}

#' Summarise a fit by wgp()
#'
#' `summary()` shows the estimates with their intervals, the coefficients of the trend, AIC and BIC,
#' and whether the search for the maximum found more than one mode.
#'
#' @param object A fit by [wgp()].
#' @param ... Not used.
#' @return A list of class `summary.wgp`:
#'   * `header`: lines that describe the model;
#'   * `hyperparameters`: a data frame with the `estimate` of each free hyperparameter, its 95%
#'     interval by [confint.wgp()], and the bound it is `at`, if any;
#'   * `fixed`: the values of the other hyperparameters;
#'   * `warped`: the names of lengthscales in units of a warped input (see [btg-inputs]), which
#'     `print()` marks; `display_units`: see [summary.btg()];
#'   * `coefficients`: the estimates and standard errors of the coefficients of the trend, given the
#'     hyperparameters;
#'   * `deviations`: the standard deviations of the `process` and of the `noise`, on the scale of
#'     the coefficients: see [confint.wgp()];
#'   * `criteria`: the log likelihood, AIC and BIC;
#'   * `modes`: the two best modes with their log likelihoods, if searches ended at likelihoods that
#'     differ by more than 0.01;
#'   * `optimisation`: the table of the searches;
#'   * `scaling`: the name of the `response`, and the `center` and `scale` by which it was scaled.
#' @seealso [wgp()], [confint.wgp()], [nodes()]
#' @examples
#' summary(wgp(dist ~ speed, data = cars, transform = "boxcox"))
#' @export
summary.wgp <- function(object, ...) {
  check_fit(object)
  check_dots(...)
  free <- row.names(object$bounds)
  estimate <- unlist(nodes(object)[1L, hyper_names(object$models[[1L]])])
  intervals <- if (length(free) > 0L) {
    suppressWarnings(stats::confint(object, free), classes = "btg_warning_information")
  }
  trend <- estimate_trend(object)
  log_likelihood <- stats::logLik(object)
  structure(
    list(
      header = format_wgp(object),
      hyperparameters = data.frame(estimate = estimate[free], intervals, at = object$bounds$at,
                                   row.names = free, check.names = FALSE),
      fixed = estimate[setdiff(names(estimate), free)],
      span = data_spans(object),
      warped = warped_lengthscales(object),
      display_units = display_units(object, estimate),
      coefficients = cbind(Estimate = trend$coefficients,
                           "Std. Error" = trend$errors),
      deviations = c(process = trend$deviation, noise = stats::sigma(object)),
      criteria = c(logLik = as.vector(log_likelihood), AIC = stats::AIC(log_likelihood),
                   BIC = stats::BIC(log_likelihood)),
      modes = two_best_modes(object$optimisation),
      optimisation = object$optimisation,
      scaling = summarise_scaling(object, object$models[[1L]])
    ),
    class = "summary.wgp"
  )
}

#' @export
print.summary.wgp <- function(x, digits = 3L, ...) {
  cat(x$header, "", "Hyperparameters:", sep = "\n")
  print_hyperparameters(x, digits)
  print_long_lengthscales(x)
  cat("The transform acts on ", format_scaling(x$scaling, digits), ".\n", sep = "")
  cat("\nTrend, given the hyperparameters:\n")
  print(format_table(x$coefficients, digits), ...)
  deviations <- format_significant(x$deviations, digits)
  cat("\nStandard deviations: process ", deviations[["process"]], ", noise ",
      deviations[["noise"]], "\n", sep = "")
  criteria <- format_log(x$criteria)
  cat("AIC: ", criteria[["AIC"]], ", BIC: ", criteria[["BIC"]], "\n", sep = "")
  if (!is.null(x$modes)) {
    cat("\nThe searches found several modes. The two best:\n")
    print(format_table(x$modes, digits, "log_likelihood"), row.names = FALSE, ...)
  }
  invisible(x)
}
