#' Predictive distributions as objects
#'
#' `predict(fit, newdata, type = "distribution")` returns the predictive distributions themselves,
#' as a vector of the package distributional. You can put it into a column of a data frame or tibble
#' and ask it for quantiles, probabilities and draws. Packages such as ggdist and fable understand
#' it. Each element holds all it needs, so it outlives the fit.
#'
#' @param x A distribution, one element of the vector.
#' @param p Probabilities from 0 to 1.
#' @param q,at Values of the response.
#' @param times How many values to draw.
#' @param size The probability of the region, in percent.
#' @param n At how many quantiles the density is searched for modes.
#' @param digits The number of significant digits.
#' @param na.rm,... Not used.
#'
#' @details These generics take a vector of distributions and return answers in the units of the
#'   response, which equal those of [predict.btg()]: [quantile()], [median()], [mean()], [density()]
#'   (with `log = TRUE`, its logarithm), `distributional::cdf()`, `distributional::variance()`,
#'   `distributional::generate()` (independent draws; for joint ones see [simulate.btg()]),
#'   `distributional::support()`, `distributional::hilo()` and `distributional::hdr()`.
#'
#' `hdr()` returns the region of highest density: the shortest interval if the density has one mode,
#' and otherwise possibly several intervals. The density is searched for modes at `n` quantiles.
#'
#' A mean or variance that does not exist is `NA`: see [btg-predictions]. A row that could not be
#' predicted is a missing distribution, and all its answers are `NA`. Only `hdr()` fails for missing
#' distributions, so leave them out there.
#'
#' @return What the generics of distributional return: one number for each distribution, or a list
#'   of numbers if there are several `p`, `q`, `at` or `times`.
#'
#' @seealso [predict.btg()]
#' @examplesIf requireNamespace("distributional", quietly = TRUE)
#' fit <- btg(dist ~ speed, data = cars)
#' new <- data.frame(speed = c(5, 15, 25))
#' new$dist <- predict(fit, new, type = "distribution")
#' new
#' median(new$dist)
#' distributional::hilo(new$dist, 90)
#' 1 - distributional::cdf(new$dist, 50) # P(dist > 50)
#' @name distribution-btg
NULL

predicted_distributions <- function(fit, points, observation, options, threads) {
  check_installed("distributional", "type = \"distribution\"")
  complete <- which(points$complete)
  ensemble <- ensemble_of(fit)
  check_memory(4 * 8 * length(complete) * length(ensemble$weight), "The distributions",
               "Predict fewer rows at a time.")
  opened <- open_ensemble(ensemble, new_run(threads))$ensemble
  latent <- check_core(core_latent(opened, core_points(points, complete, observation),
                                   core_run(threads)))
  result <- distributional::dist_missing(length(points$complete))
  if (length(complete) > 0L) {
    result[complete] <- distributional::new_dist(
      location = columns_of(latent$location), scale = columns_of(latent$scale),
      shared = list(shared_by_distributions(ensemble, options)), class = "dist_btg"
    )
  }
  names(result) <- points$names
  if (is.null(points$na.action)) result else pad_distributions(result, points$na.action)
}

columns_of <- function(x) lapply(seq_len(ncol(x)), function(i) x[, i])

# Returns the arguments of core_mixture() that all points share, and the scaling of the response.
shared_by_distributions <- function(ensemble, options) {
  models <- Map(function(model, member) {
    list(transform = model$transform$layers, lambda = transform_parameters(model, member$hyper),
         shift = member$shift, scale = member$scale)
  }, unname(ensemble$models), ensemble$members)
  list(df = degrees_of_freedom(ensemble$models[[1L]]$problem, ensemble$design), models = models,
       weight = ensemble$weight, scaling = ensemble$scaling,
       options = core_options(ensemble, options))
}

# Pads distributions for rows left out at the fit, as stats::napredict() pads vectors.
pad_distributions <- function(x, na.action) {
  rows <- stats::napredict(na.action, stats::setNames(seq_along(x), names(x)))
  padded <- distributional::dist_missing(length(rows))
  padded[!is.na(rows)] <- x
  names(padded) <- names(rows)
  padded
}

# Evaluates one distribution at values that are not missing; returns a vector.
ask_distribution <- function(x, what, values = 0) {
  shared <- x$shared
  questions <- scale_questions(stats::setNames(list(rbind(as.double(values))), what),
                               shared$scaling)
  core <- check_core(core_mixture(shared$df, shared$models, shared$weight, cbind(x$location),
                                  cbind(x$scale), questions, shared$options))
  units <- registry()$questions[[what]]$units
  drop(unscale_answer(core$answers[[what]], units, shared$scaling)$value)
}

# Returns NA at missing values.
ask_where_known <- function(x, what, values) {
  answer <- rep(NA_real_, length(values))
  known <- !is.na(values)
  if (any(known)) answer[known] <- ask_distribution(x, what, values[known])
  answer
}

# nolint start: object_name_linter. Methods of another package's generics.

#' @rdname distribution-btg
#' @export
format.dist_btg <- function(x, digits = 2, ...) {
  quantiles <- ask_distribution(x, "quantile", c(0.5, 0.025, 0.975))
  values <- vapply(quantiles, format, "", digits = digits)
  paste0("btg(", values[1L], " [", values[2L], ", ", values[3L], "])")
}

#' @rdname distribution-btg
#' @export
quantile.dist_btg <- function(x, p, ...) {
  p[!is.na(p) & (p < 0 | p > 1)] <- NA
  ask_where_known(x, "quantile", p)
}

#' @rdname distribution-btg
#' @export
median.dist_btg <- function(x, na.rm = FALSE, ...) ask_distribution(x, "quantile", 0.5)

#' @rdname distribution-btg
#' @export
mean.dist_btg <- function(x, ...) ask_distribution(x, "moments")[1L]

#' @rdname distribution-btg
#' @exportS3Method distributional::variance
variance.dist_btg <- function(x, ...) ask_distribution(x, "moments")[2L]

#' @rdname distribution-btg
#' @export
density.dist_btg <- function(x, at, ...) ask_where_known(x, "density", at)

#' @rdname distribution-btg
#' @exportS3Method distributional::log_density
log_density.dist_btg <- function(x, at, ...) ask_where_known(x, "log_density", at)

#' @rdname distribution-btg
#' @exportS3Method distributional::cdf
cdf.dist_btg <- function(x, q, ...) ask_where_known(x, "cdf", q)

#' @rdname distribution-btg
#' @exportS3Method distributional::generate
generate.dist_btg <- function(x, times, ...) ask_distribution(x, "draw", stats::runif(times))

#' @rdname distribution-btg
#' @exportS3Method distributional::hdr
hdr.dist_btg <- function(x, size = 95, n = 512, ...) {
  region <- if (!is.na(size) && size > 0 && size < 100) {
    highest_density_region(x, size / 100, n)
  } else {
    rbind(quantile.dist_btg(x, c(50 - size / 2, 50 + size / 2) / 100))
  }
  distributional::new_hdr(lower = list(region[, 1L]), upper = list(region[, 2L]), size = size)
}

# nolint end

# Returns a matrix with one row per interval. A distribution with a point mass at a bound has no
# density there, and is assumed to have one mode.
highest_density_region <- function(x, level, n) {
  at <- ask_distribution(x, "quantile", (seq_len(n) - 0.5) / n)
  density <- ask_distribution(x, "density", at)
  peaks <- sum(diff(sign(diff(c(0, density, 0)))) < 0)
  if (peaks < 2L || anyDuplicated(at) > 0L) {
    return(rbind(ask_distribution(x, "shortest", level)))
  }
  mass <- function(log_height) {
    sum(apply(region_above(x, exp(log_height), at, density), 1L, function(ends) {
      diff(ask_distribution(x, "cdf", ends))
    }))
  }
  reach <- log(range(density[density > 0]))
  root <- stats::uniroot(function(height) mass(height) - level, reach - c(20, 1e-8), tol = 1e-10)
  region_above(x, exp(root$root), at, density)
}

# Returns the intervals where the density is above `height`. Their ends are crossings, found between
# neighbouring points `at` with their `density`, or in the tails beyond them.
region_above <- function(x, height, at, density) {
  tails <- ask_distribution(x, "quantile", c(1e-9, 1 - 1e-9))
  at <- c(tails[1L], at, tails[2L])
  excess <- function(y) ask_distribution(x, "density", y) - height
  crossings <- which(diff(c(FALSE, density > height, FALSE)) != 0)
  ends <- vapply(crossings, function(k) {
    between <- at[k + 0:1]
    values <- vapply(between, excess, 0)
    if (prod(sign(values)) >= 0) {
      return(if (k == 1L) tails[1L] else tails[2L])
    }
    stats::uniroot(excess, between, f.lower = values[1L], f.upper = values[2L],
                   tol = 1e-10 * diff(between))$root
  }, 0)
  matrix(ends, ncol = 2L, byrow = TRUE)
}
