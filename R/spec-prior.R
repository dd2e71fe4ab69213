# nolint start: line_length_linter. Rows of tables are single lines.
#' Set priors of the hyperparameters
#'
#' `btg_prior()` collects priors, and values of hyperparameters that should be fixed, for the
#' argument `prior` of [btg()]. Everything that you do not mention keeps its default prior.
#' `btg_dist()` describes one distribution. `plot()` draws priors: see [plot.btg_prior()].
#'
#' @param lengthscale The prior of the lengthscales: a distribution by `btg_dist()` for each of them
#'   independently, `btg_common()`, or `"independent"`.
#' @param noise A distribution by `btg_dist()`: the prior of the noise variance relative to that of
#'   the process.
#' @param noise_effect The distribution of each coefficient of a model of the noise: see
#'   [btg-noise].
#' @param ratio The distribution of the variance of each further covariance term relative to that of
#'   the first: see [btg-terms].
#' @param additive_lengthscale The distribution of each lengthscale of an additive term.
#' @param anisotropy The distribution of both coordinates of the anisotropy of [rotated()] inputs.
#' @param ... Distributions of single hyperparameters, by the names that [nodes()] shows, such as
#'   `boxcox.lambda` or `lengthscale.x1`.
#' @param fixed A named vector of values for hyperparameters that are fixed instead of averaged
#'   over, such as `c(boxcox.lambda = 0)`.
#'
#' @section Scales:
#' * Lengthscales have their prior in standard deviations of the input (with `ard = FALSE`, in the
#'   root mean square of those of all inputs), so one prior suits inputs in any units.
#' * The noise is a ratio: the variance of the noise over the variance of the process.
#' * Parameters of transforms act on the scaled response: see `scaling$y` of a fit.
#' * Values in `fixed` are in the units of [nodes()]: lengthscales are in the input's own units, or
#'   in warped units if [btg()] warps the input (see [btg-inputs]).
#'
#' @section Defaults:
#'
#' | hyperparameter | default prior | applies to |
#' |:--|:--|:--|
#' | lengthscale of one input, or `ard = FALSE` | `log(l) ~ N(1 + log(d)/2, 1.25^2)` | `d` inputs, in standard deviations |
#' | lengthscales of several inputs | a common location: see below | |
#' | `noise` | `noise/(1 + noise) ~ Beta(1/4, 1/2)` | noise over process variance |
#' | `noise.<column>` | `N(0, 1)` | a column of standard deviation 1 |
#' | `anisotropy.cos.<input>`, `anisotropy.sin.<input>` | `N(0, 1)` | an input made by [rotated()] |
#' | `rational_quadratic.alpha` | `log(alpha) ~ N(0.5, 1)` | |
#' | `softplus.s` | `log(s) ~ N(0, 1.5^2)` | scaled response |
#' | `sinharcsinh.a`, `log(sinharcsinh.b)` | `N(0, 0.5^2)` | scaled response |
#' | `boxcox.lambda` | uniform on (0, 3) | |
#' | `yeojohnson.lambda` | `N(1, 0.5^2)` on (0, 2) | |
#' | `arcsinh.c`, `affine.a` | `N(0, 1)` | scaled response |
#' | `log(arcsinh.d)` | `N(0, 1)`, with `d` of at least 0.1 | scaled response |
#' | `log(affine.b)` | `N(0, 1)`, with `b` of at most 10 | scaled response |
#'
#' A parameter that the model cannot distinguish from the trend's constant or the scale, such as
#' those of an `affine` layer that comes last, is fixed. The bounds of `lambda` apply to all priors
#' and fixed values, because predictions beyond them would have mass at infinity.
#'
#' @section Lengthscales with a common location:
#' `btg_common()` is the prior of lengthscales that have something in common:
#' \deqn{\log l_j = m + s e_j, \quad e_j \sim N(0, 1),}{log(l_j) = m + s e_j, e_j ~ N(0, 1),}
#' with an unknown location \eqn{m} and an unknown spread \eqn{s}, both averaged over. If all inputs
#' matter little, or act nearly linearly, they raise the location together. If all matter alike, the
#' spread is small, as with `ard = FALSE`. If they differ, it is large. Both are integrated out
#' without additional nodes. [log_posterior()], and `log_prior` in [nodes()], use the resulting
#' prior of the lengthscales. Lengthscales that are fixed or have a prior of their own take no part.
#'
#' `lengthscale = "independent"` gives each lengthscale the prior of a single input.
#'
#' @section Floor of the noise:
#' Responses of a deterministic simulator have no noise, but the matrix of a smooth kernel without
#' noise is singular to rounding. Every model therefore has the noise `noise + floor`. For \eqn{m}
#' distinct points, `floor` is \eqn{100 \epsilon m}{100 eps m}, where \eqn{\epsilon}{eps} is
#' `.Machine$double.eps`, times the largest total weight of a point if that is above 1 (replicates
#' add up). With 100 points it is 2.2e-12, a standard deviation of 1.5e-6 of that of the process.
#' Double precision then gives the log likelihood to about 0.002.
#'
#' The floor is part of the model: likelihoods, predictions, left-out rows and draws all have it, as
#' noise of the observations. With `noise = 0`, a fit interpolates the data up to that noise.
#' Intervals for the process (`interval = "confidence"`) do not include it, and those for
#' observations (`"prediction"`) do. `summary()` shows whether the noise is at its floor.
#'
#' @return `btg_prior()`: a list of class `btg_prior` with components `distributions`, a named list,
#'   and `fixed`, a named vector. `btg_dist()`: a list of class `btg_dist` with components `family`,
#'   `arguments`, `lower` and `upper`. `btg_common()`: a list of class `btg_common`.
#' @seealso [plot.btg_prior()] for densities, [simulate.btg_prior()] for draws, [btg-transforms],
#'   [btg-noise]
#' @examples
#' # Little noise, and a power between the log and no transform
#' prior <- btg_prior(
#'   noise = btg_dist("exponential", rate = 10),
#'   boxcox.lambda = btg_dist("uniform", lower = 0, upper = 1)
#' )
#' prior
#' fit <- btg(dist ~ speed, data = cars, transform = "boxcox", prior = prior)
#'
#' # A log-normal response
#' btg(dist ~ speed, data = cars, transform = "boxcox",
#'     prior = btg_prior(fixed = c(boxcox.lambda = 0)))
#' @export
# nolint end
btg_prior <- function(lengthscale = NULL, noise = NULL, ..., noise_effect = NULL, ratio = NULL,
                      additive_lengthscale = NULL, anisotropy = NULL, fixed = NULL) {
  independent <- identical(lengthscale, "independent")
  distributions <- c(list(lengthscale = if (!independent) lengthscale, noise = noise,
                          noise_effect = noise_effect, ratio = ratio,
                          additive_lengthscale = additive_lengthscale,
                          anisotropy = anisotropy), list(...))
  distributions <- Filter(Negate(is.null), distributions)
  if (length(distributions) > 0L && (is.null(names(distributions)) ||
                                       any(!nzchar(names(distributions))))) {
    abort_btg(c("Every distribution needs the name of a hyperparameter.",
                i = "Write it as in `boxcox.lambda = btg_dist(...)`."), "prior")
  }
  for (name in names(distributions)) {
    if (!is_dist(distributions[[name]]) &&
          !(name == "lengthscale" && is_common(distributions[[name]]))) {
      abort_btg(c(
        paste0("The prior of `", name, "` must be made by `btg_dist()`."),
        x = paste0("It is ", describe_value(distributions[[name]]), "."),
        if (is.numeric(distributions[[name]])) {
          c(i = paste0("To fix it, use `fixed = c(", name, " = ...)`."))
        }
      ), "prior")
    }
  }
  structure(list(distributions = distributions, fixed = check_fixed(fixed),
                 independent = independent), class = "btg_prior")
}

check_fixed <- function(fixed) {
  if (is.null(fixed)) {
    return(stats::setNames(numeric(), character()))
  }
  fixed <- unlist(fixed)
  if (!is.numeric(fixed) || is.null(names(fixed)) || !all(nzchar(names(fixed))) ||
        !all(is.finite(fixed)) || anyDuplicated(names(fixed))) {
    abort_argument("fixed", "must be finite numbers with distinct names of hyperparameters", fixed)
  }
  fixed
}

#' @export
print.btg_prior <- function(x, ...) {
  lines <- c(
    vapply(x$distributions, format, ""),
    vapply(x$fixed, function(value) paste("fixed at", signif(value, 4)), "")
  )
  show <- function(lines) cat(paste0("  ", format(names(lines)), "  ", lines, "\n"), sep = "")
  cat("Priors of a btg() fit\n")
  if (length(lines) > 0L) show(lines)
  cat(if (length(lines) > 0L) "All others have their default:\n" else "All have their default:\n")
  defaults <- describe_defaults()
  show(defaults[setdiff(names(defaults), names(lines))])
  invisible(x)
}

# Describes the default prior of every hyperparameter.
describe_defaults <- function() {
  kernels <- lapply(names(registry()$kernels), function(name) {
    kernel_spec(name, TRUE, FALSE)$parameters
  })
  layers <- lapply(names(registry()$transforms), function(name) {
    transform_spec(name, TRUE)$parameters
  })
  parameters <- c(unlist(kernels, recursive = FALSE), unlist(layers, recursive = FALSE))
  names(parameters) <- vapply(parameters, function(parameter) parameter$name, "")
  terms <- lapply(c("radial", "additive"), function(form) {
    list(name = form, form = form, parameters = list(), lengthscales = c(lengthscale = 1))
  })
  general <- lapply(default_hyperparameters(terms, btg_prior(), list(), "x"), `[[`, "prior")
  names(general) <- c("lengthscale", "additive_lengthscale", "ratio", "noise", "noise_effect")
  general$lengthscale <- btg_common()
  text <- vapply(c(general, lapply(parameters, function(one) as_btg_dist(one$prior))), format, "")
  text[["lengthscale"]] <- paste0(text[["lengthscale"]], ", in sds of the d inputs; of one ",
                                  format(prior_of_lengthscales(btg_prior(), 1L)))
  text
}

check_prior <- function(prior) {
  if (!inherits(prior, "btg_prior")) {
    abort_argument("prior", "must be made by `btg_prior()`", prior)
  }
  invisible(prior)
}

# Returns the hyperparameters of a model in the core's order, each list(name, role, positive,
# prior). `prior` is a distribution, or the value of a fixed one. `terms` come from model_terms(),
# `transform` is a specification, and `noise_columns` names the columns of the noise model.
resolve_prior <- function(prior, terms, transform, noise_columns = NULL) {
  units <- term_units(terms)
  common <- common_of_prior(prior, length(terms[[1L]]$lengthscales))
  defaults <- default_hyperparameters(terms, prior, transform$parameters, noise_columns)
  check_prior_names(prior, defaults)
  marginal <- if (!is.null(common)) marginal_of_common(common)
  lapply(defaults, function(hyper) {
    chosen <- chosen_prior(hyper, prior, units)
    in_common <- is_common(chosen)
    if (in_common) chosen <- marginal
    check_prior_support(chosen, hyper)
    hyper$prior <- chosen
    c(hyper[c("name", "role", "positive", "prior")], if (!is.null(hyper$term)) hyper["term"],
      if (in_common) list(in_common = TRUE))
  })
}

# Returns the common prior of the lengthscales for the core, or NULL if they are independent.
common_of_prior <- function(prior, d) {
  common <- prior_of_lengthscales(prior, d)
  if (is_common(common)) core_common(common, d)
}

# Returns the distribution of each of `d` lengthscales, or their common prior.
prior_of_lengthscales <- function(prior, d) {
  given <- prior$distributions[["lengthscale"]] # not lengthscale.x
  if (!is.null(given)) {
    given
  } else if (d > 1L && !isTRUE(prior$independent)) {
    default_common()
  } else {
    btg_dist("lognormal", meanlog = 1 + log(max(d, 1)) / 2, sdlog = 1.25)
  }
}

default_hyperparameters <- function(terms, prior, transform_parameters, noise_columns) {
  positive <- function(name, role, prior, group = NULL, term = NULL) {
    list(name = name, role = role, positive = TRUE, prior = prior, group = group, term = term)
  }
  by_term <- function(hyper_of) {
    unlist(lapply(seq_along(terms), function(t) hyper_of(terms[[t]], t)), recursive = FALSE)
  }
  c(
    by_term(function(term, t) {
      lapply(stats::setNames(nm = names(term$lengthscales)), positive, role = "lengthscale",
             prior = prior_of_term(prior, term, t), group = group_of_term(term, t), term = t)
    }),
    by_term(function(term, t) {
      lapply(term$parameters, function(parameter) {
        list(name = parameter$name, role = "kernel", positive = parameter$positive,
             prior = as_btg_dist(parameter$prior), term = t)
      })
    }),
    by_term(function(term, t) {
      lapply(stats::setNames(nm = term$maps), function(name) {
        list(name = name, role = "map", positive = FALSE, group = "anisotropy", term = t,
             prior = btg_dist("normal", mean = 0, sd = 1))
      })
    }),
    by_term(function(term, t) {
      name <- paste0("ratio.", term$name)
      if (t > 1L) stats::setNames(list(positive(name, "share", default_ratio(), "ratio", t)), name)
    }),
    list(noise = positive("noise", "noise", btg_dist("beta_prime", alpha = 1 / 4, beta = 1 / 2))),
    lapply(stats::setNames(nm = paste0(rep("noise.", length(noise_columns)), noise_columns)),
           function(name) {
             list(name = name, role = "noise", positive = FALSE, group = "noise_effect",
                  prior = btg_dist("normal", mean = 0, sd = 1))
           }),
    lapply(transform_parameters, function(parameter) {
      fixed <- if (parameter$redundant) parameter$neutral else as_btg_dist(parameter$prior)
      list(name = parameter$name, role = "transform", positive = parameter$positive, prior = fixed)
    })
  )
}

# Returns the prior of each lengthscale of a term. The first process has the prior of the fit, by
# default a common one. Additive processes are smooth on their own, each over one input.
prior_of_term <- function(prior, term, t) {
  if (term$form == "additive") {
    return(btg_dist("lognormal", meanlog = 1.5, sdlog = 1.25))
  }
  if (t > 1L) prior$independent <- TRUE
  found <- prior_of_lengthscales(prior, length(term$lengthscales))
  if (t > 1L && is_common(found)) {
    prior$distributions$lengthscale <- NULL
    found <- prior_of_lengthscales(prior, length(term$lengthscales))
  }
  found
}

# Names the argument of btg_prior() for the lengthscales of a term.
group_of_term <- function(term, t) {
  if (term$form == "additive") "additive_lengthscale" else if (t > 1L) "term_lengthscale"
}

# Half of the prior mass of a term's variance, relative to that of the first, is below 0.7.
default_ratio <- function() btg_dist("lognormal", meanlog = log(0.7), sdlog = 1.5)

# Returns the value in `fixed`, else the distribution by name, else by group, else the default.
# Among positive hyperparameters, only the noise may be fixed at zero.
chosen_prior <- function(hyper, prior, units) {
  if (hyper$name %in% names(prior$fixed)) {
    return(fixed_value(hyper, prior$fixed[[hyper$name]], units))
  }
  if (is_fixed(hyper)) {
    return(hyper$prior)
  }
  for (name in c(hyper$name, if (is.null(hyper$group)) hyper$role else hyper$group)) {
    if (!is.null(prior$distributions[[name]])) {
      return(prior$distributions[[name]])
    }
  }
  hyper$prior
}

fixed_value <- function(hyper, value, units) {
  if (hyper$positive && value <= 0 && !(value == 0 && hyper$role == "noise")) {
    abort_btg(paste0("`", hyper$name, "` must be positive; `fixed` has ", value, "."), "prior")
  }
  if (hyper$name %in% names(units)) value / units[[hyper$name]] else value
}

is_fixed <- function(hyper) is.numeric(hyper$prior)

# The default bounds of a power, such as Box-Cox's lambda, are limits of the model: beyond them the
# transform is bounded where the response is not. Bounds of positive parameters are only a choice.
check_prior_support <- function(chosen, hyper) {
  if (hyper$positive || is_fixed(hyper)) {
    return(invisible())
  }
  bounds <- prior_support(hyper$prior)
  support <- prior_support(chosen)
  if (support[1L] < bounds[1L] || support[2L] > bounds[2L]) {
    abort_btg(c(
      paste0("`", hyper$name, "` must stay between ", bounds[1L], " and ", bounds[2L], "."),
      x = if (is.numeric(chosen)) {
        paste0("`fixed` has ", chosen, ".")
      } else {
        paste0("Its prior, ", format(chosen), ", goes from ", signif(support[1L], 3), " to ",
               signif(support[2L], 3), ".")
      },
      i = "Beyond, predictions have mass at infinity, or where the transform has no inverse.",
      if (!is.numeric(chosen)) {
        c(i = paste0("Truncate it: `btg_dist(..., lower = ", bounds[1L], ", upper = ", bounds[2L],
                     ")`."))
      }
    ), "prior")
  }
}

# Returns the range of a distribution; the range of a number is that number.
prior_support <- function(prior) {
  if (is.numeric(prior)) c(prior, prior) else dist_quantile(prior, c(0, 1))
}

# Arguments of btg_prior() that belong to several hyperparameters, or to those of other models.
prior_groups <- c("lengthscale", "noise_effect", "ratio", "additive_lengthscale", "anisotropy")

check_prior_names <- function(prior, defaults) {
  free <- names(defaults)[!vapply(defaults, is_fixed, NA)]
  given <- list(fixed = names(prior$fixed),
                prior = setdiff(names(prior$distributions), prior_groups))
  for (argument in names(given)) {
    unknown <- setdiff(given[[argument]], free)
    if (length(unknown) > 0L) {
      abort_btg(c(
        paste0("`", argument, "` names hyperparameters that this model does not have."),
        x = paste0("Unknown: ", list_names(unknown), "."),
        i = paste0("It has ", list_names(free, most = Inf), ".")
      ), "prior")
    }
  }
}
