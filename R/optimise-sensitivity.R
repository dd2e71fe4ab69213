#' Find which inputs matter
#'
#' `sensitivity()` returns Sobol indices of the response, with intervals: the share of its variance
#' over the inputs that is due to each input. The first-order index is the share of the main effect.
#' The total index adds all interactions with other inputs, so an input whose total index is 0 could
#' be left out.
#'
#' @param fit A fit by [btg()] or [wgp()].
#' @param inputs The distribution of the inputs, which are taken as independent. `NULL`, the
#'   default, means uniform distributions over the range of each numeric variable in the data, and
#'   the observed shares of groups and levels of factors. Or a data frame whose columns are samples
#'   of the distribution of each variable; variables that it lacks keep the default.
#' @param level The probability of the intervals.
#' @param points The number of points of the design, each of which is changed in every input. By
#'   default 64 to 512, so that there are about 2400 rows in all.
#' @param nsim The number of joint draws of the process.
#' @param seed,threads As in [predict_region()].
#' @param ... Not used: an unknown argument is an error.
#'
#' @return An object of class `btg_sensitivity` with methods for `print()`, `plot()` and
#'   `as.data.frame()`. Its component `indices` is a data frame with a row for each variable, the
#'   largest total first: the posterior medians `first` and `total`, and the limits `first_lwr`,
#'   `first_upr`, `total_lwr` and `total_upr`. `interactions` holds one minus the sum of the
#'   first-order indices, with its limits.
#'
#' @details The indices are those of the noise-free process on the scale of the response, and
#'   average over the transform like over every other unknown.
#'
#'   Each of `nsim` joint draws of the process at a design of Sobol points has indices of its own,
#'   by the estimators of Saltelli et al. (2010) and Jansen (1999). To reduce the error of the small
#'   design, the indices of the predicted median at this design are compared with those at 4096
#'   points. Indices exist even where the variance of the predictive distribution does not, as after
#'   a logarithm.
#'
#' @references Saltelli, A., Annoni, P., Azzini, I., Campolongo, F., Ratto, M. and Tarantola, S.
#'   (2010). Variance based sensitivity analysis of model output. *Computer Physics Communications*
#'   **181**, 259--270.
#'
#' Jansen, M. J. W. (1999). Analysis of variance designs for model output. *Computer Physics
#' Communications* **117**, 35--43.
#'
#' Marrel, A., Iooss, B., Laurent, B. and Roustant, O. (2009). Calculations of Sobol indices for the
#' Gaussian process metamodel. *Reliability Engineering and System Safety* **94**, 742--751.
#' @seealso [summary.btg()], which shows the total indices of the predicted median; [plot.btg()] for
#'   the effects themselves; [variance_shares()] for terms.
#' @examples
#' d <- data.frame(a = (0.618 * 1:40) %% 1, b = (0.414 * 1:40) %% 1, c = (0.732 * 1:40) %% 1)
#' d$y <- exp(2 * d$a + d$a * d$b) # c does nothing
#' fit <- btg(y ~ a + b + c, d, transform = "softplus", kernel = "matern52")
#' indices <- sensitivity(fit)
#' indices
#' plot(indices)
#' @export
sensitivity <- function(fit, inputs = NULL, level = 0.95, points = NULL, nsim = 512, seed = 1,
                        threads = getOption("btg.threads", 1), ...) {
  check_fit(fit)
  check_dots(..., valid = names(formals(sensitivity)))
  check_drawable(fit)
  check_level(level)
  check_count(nsim)
  check_whole(seed)
  check_count(threads)
  spread <- input_quantiles(fit, inputs)
  d <- length(spread)
  if (is.null(points)) points <- 2^floor(log2(min(max(2400 / (d + 2), 64), 512)))
  small <- sobol_design(spread, check_count(points))
  count <- max(1, ceiling(nsim / field_replicates))
  drawn <- with_progress("Drawing", {
    at <- prediction_points(fit, small)
    field_draws(fit, at, seq_len(nrow(small)), count, 0L, FALSE, seed, threads)$draws
  })
  median_of <- function(design) stats::predict(fit, design, observation = FALSE, threads = threads)
  coarse <- sobol_indices(cbind(median_of(small)), d)
  fine <- sobol_indices(cbind(median_of(sobol_design(spread, 4096L %/% if (d > 8L) 2L else 1L))), d)
  each <- sobol_indices(drawn, d)
  each <- Map(function(draws, small, large) draws + drop(large - small), each, coarse, fine)
  summarise_indices(each, names(spread), level, fit$response_name, nrow(small))
}

# Returns the quantile function of each variable, for vectors of probabilities.
input_quantiles <- function(fit, inputs) {
  variables <- setdiff(names(fit$blueprint$columns), fit$dropped_inputs)
  variables <- Filter(function(name) is.null(dim(fit$data[[name]])), variables)
  if (!is.null(inputs) && !is.data.frame(inputs)) {
    abort_argument("inputs", "must be a data frame", inputs)
  }
  unknown <- setdiff(names(inputs), variables)
  if (length(unknown) > 0L) {
    abort_btg(c("`inputs` has columns that are not variables of the fit.",
                x = paste0("Unknown: ", list_names(unknown), "."),
                suggest_names(unknown, variables)), "argument")
  }
  lapply(stats::setNames(nm = variables), function(name) {
    values <- if (name %in% names(inputs)) inputs[[name]] else fit$data[[name]]
    if (anyNA(values) || length(values) == 0L) {
      abort_argument("inputs", "must have rows without missing values", inputs)
    }
    uniform <- !name %in% names(inputs) && is.numeric(values) && !is.object(values) &&
      !names_categories(fit, name)
    if (uniform) {
      return(function(u) min(values) + u * diff(range(values)))
    }
    sorted <- sort(values)
    function(u) sorted[pmin(floor(u * length(sorted)) + 1L, length(sorted))]
  })
}

# Returns the rows of A, then of B, then of A with each variable from B in turn.
sobol_design <- function(spread, points) {
  d <- length(spread)
  u <- even_points(points, 2L * d)
  columns <- lapply(seq_len(d), function(j) {
    a <- u[, j]
    b <- u[, d + j]
    spread[[j]](c(a, b, unlist(lapply(seq_len(d), function(changed) {
      if (changed == j) b else a
    }))))
  })
  names(columns) <- names(spread)
  as.data.frame(columns, check.names = FALSE, optional = TRUE)
}

# Returns list(first, total), one row per variable and one column per column of `values`, the
# responses at the rows of sobol_design().
sobol_indices <- function(values, d) {
  points <- nrow(values) %/% (d + 2L)
  part <- function(k) values[(k - 1L) * points + seq_len(points), , drop = FALSE]
  a <- part(1L)
  b <- part(2L)
  centre <- colMeans(a) / 2 + colMeans(b) / 2
  # The indices do not depend on the unit. One of the responses' own size avoids overflow.
  unit <- pmax(apply(abs(values), 2L, max), .Machine$double.xmin)
  standard <- function(part) sweep(sweep(part, 2L, centre), 2L, unit, `/`)
  b <- standard(b)
  a <- standard(a)
  variance <- (colMeans(a^2) + colMeans(b^2)) / 2
  each <- lapply(seq_len(d), function(j) {
    change <- standard(part(j + 2L)) - a
    rbind(colMeans(b * change), colMeans(change^2) / 2) / rep(variance, each = 2L)
  })
  list(first = do.call(rbind, lapply(each, function(one) one[1L, ])),
       total = do.call(rbind, lapply(each, function(one) one[2L, ])))
}

summarise_indices <- function(each, variables, level, response, rows) {
  probs <- c(0.5, (1 - level) / 2, (1 + level) / 2)
  quantiles <- function(values) {
    found <- apply(values, 1L, stats::quantile, probs = probs, names = FALSE, na.rm = TRUE)
    pmin(pmax(t(found), 0), 1)
  }
  first <- quantiles(each$first)
  total <- quantiles(each$total)
  table <- data.frame(variable = variables, first = first[, 1L], first_lwr = first[, 2L],
                      first_upr = first[, 3L], total = total[, 1L], total_lwr = total[, 2L],
                      total_upr = total[, 3L])
  table <- table[order(-table$total), ]
  row.names(table) <- NULL
  structure(list(indices = table,
                 interactions = stats::setNames(drop(quantiles(rbind(1 - colSums(each$first)))),
                                                c("median", "lwr", "upr")),
                 level = level, nsim = ncol(each$first), rows = rows, response = response),
            class = "btg_sensitivity")
}

# Returns the total index of each variable in the predicted median, roughly: a cheap answer to how
# much each input matters. NULL if a variable cannot be varied.
median_importance <- function(fit, points = 128L) {
  spread <- tryCatch(input_quantiles(fit, NULL), btg_error = function(e) NULL)
  if (length(spread) == 0L) {
    return(NULL)
  }
  design <- sobol_design(spread, points)
  median <- suppressWarnings(stats::predict(fit, design, observation = FALSE),
                             classes = "btg_warning")
  if (anyNA(median) || all(median == median[1L])) {
    return(NULL)
  }
  total <- sobol_indices(cbind(median), length(spread))$total[, 1L]
  stats::setNames(pmin(total, 1), names(spread))
}
