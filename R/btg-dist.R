#' @rdname btg_prior
#' @param family The name of a distribution: `"normal"` (`mean`, `sd`), `"lognormal"` (`meanlog`,
#'   `sdlog`), `"uniform"` (`lower`, `upper`), `"loguniform"` (`log_lower`, `log_upper`),
#'   `"half_normal"` (`sd`), `"exponential"` (`rate`), `"inverse_gamma"` (`shape`, `scale`) or
#'   `"beta_prime"` (`alpha`, `beta`: the odds of a beta variable).
#' @param lower,upper Bounds that truncate the distribution; for `"uniform"`, its ends.
#' @export
btg_dist <- function(family, ..., lower = -Inf, upper = Inf) {
  call <- quote(btg_dist())
  check_string(family, call = call)
  families <- registry()$families
  check_registered(family, names(families), "prior family", call)
  arguments <- list(...)
  if ("lower" %in% families[[family]]) {
    # The ends of a uniform distribution have no defaults.
    ends <- list(lower = lower, upper = upper)[c(!missing(lower), !missing(upper))]
    arguments <- c(arguments, ends)
  }
  arguments <- check_dist_arguments(family, arguments, families[[family]], call)
  check_dist_bounds(lower, upper, call)
  dist <- structure(list(family = family, arguments = arguments, lower = lower, upper = upper),
                    class = "btg_dist")
  check_dist_mass(dist, call)
  dist
}

# The arguments of a family as a named vector, in the order of `expected`.
check_dist_arguments <- function(family, arguments, expected, call) {
  check_dist_names(family, arguments, expected, call)
  positive <- dist_families[[family]]$positive
  for (name in expected) {
    check_dist_argument(arguments[[name]], name, family, name %in% positive, call)
  }
  if ("log_lower" %in% expected && !(arguments$log_lower < arguments$log_upper)) {
    abort_btg("`log_lower` must be less than `log_upper`.", "prior", call)
  }
  vapply(arguments[expected], as.double, 0)
}

check_dist_names <- function(family, arguments, expected, call) {
  given <- if (is.null(names(arguments))) rep("", length(arguments)) else names(arguments)
  named <- given[nzchar(given)]
  wrong <- list(
    Missing = setdiff(expected, named),
    Unknown = setdiff(named, expected),
    "Given twice" = unique(named[duplicated(named)])
  )
  wrong <- wrong[lengths(wrong) > 0L]
  if (length(wrong) > 0L || length(named) < length(given)) {
    details <- vapply(names(wrong), function(what) {
      paste0(what, ": ", list_names(wrong[[what]]), ".")
    }, "")
    abort_btg(c(
      paste0("A \"", family, "\" distribution needs the numbers ", list_names(expected), "."),
      if (length(named) < length(given)) c(x = "Arguments must be given by name."),
      stats::setNames(details, rep("x", length(details))),
      suggest_names(wrong$Unknown, wrong$Missing)
    ), "prior", call)
  }
}

check_dist_argument <- function(x, name, family, positive, call) {
  if (!is_number(x) || (positive && x <= 0)) {
    must <- if (positive) "one finite, positive number" else "one finite number"
    abort_dist_number(x, paste0("`", name, "` of a \"", family, "\" distribution must be ", must),
                      call)
  }
}

check_dist_bounds <- function(lower, upper, call) {
  for (name in c("lower", "upper")) {
    x <- get(name, inherits = FALSE)
    if (!is.numeric(x) || length(x) != 1L || is.na(x)) {
      abort_dist_number(x, paste0("`", name, "` must be one number, which may be infinite"), call)
    }
  }
  if (!(lower < upper)) {
    abort_btg(c("`lower` must be less than `upper`.",
                x = paste0("They are ", lower, " and ", upper, ".")), "prior", call)
  }
}

# A family that R does not know is left to the core.
check_dist_mass <- function(dist, call, what = "The distribution") {
  if (!is.null(dist_families[[dist$family]]) &&
        !(diff(dist_cdf(dist, c(dist$lower, dist$upper))) > 0)) {
    abort_btg(c(paste(what, "has no mass between its bounds."),
                x = paste0("It is ", format(dist), ".")), "prior", call)
  }
  invisible(dist)
}

abort_dist_number <- function(x, headline, call) {
  value <- if (is.atomic(x) && length(x) == 1L && !is.object(x)) deparse1(x) else describe_value(x)
  abort_btg(c(paste0(headline, "."), x = paste0("It is ", value, ".")), "prior", call)
}

# The families as R knows them, for checks and for plots; a fit uses those of the core. Arguments
# are in the core's order, those in `positive` must be > 0.
dist_families <- list(
  normal = list(positive = "sd", density = stats::dnorm, cdf = stats::pnorm,
                quantile = stats::qnorm),
  lognormal = list(positive = "sdlog", density = stats::dlnorm, cdf = stats::plnorm,
                   quantile = stats::qlnorm),
  uniform = list(density = stats::dunif, cdf = stats::punif, quantile = stats::qunif),
  loguniform = list(
    density = function(x, a, b) ifelse(x > 0, stats::dunif(log(pmax(x, 0)), a, b) / x, 0),
    cdf = function(x, a, b) stats::punif(log(pmax(x, 0)), a, b),
    quantile = function(p, a, b) exp(stats::qunif(p, a, b))
  ),
  # (x / sd)^2 is chi-squared.
  half_normal = list(
    positive = "sd",
    density = function(x, sd) ifelse(x >= 0, 2 * stats::dnorm(x, 0, sd), 0),
    cdf = function(x, sd) stats::pchisq((pmax(x, 0) / sd)^2, 1),
    quantile = function(p, sd) sd * sqrt(stats::qchisq(p, 1))
  ),
  exponential = list(positive = "rate", density = stats::dexp, cdf = stats::pexp,
                     quantile = stats::qexp),
  # 1 / x is gamma with rate `scale`.
  inverse_gamma = list(
    positive = c("shape", "scale"),
    density = function(x, shape, scale) {
      ifelse(x > 0, stats::dgamma(1 / pmax(x, 0), shape, scale) / x^2, 0)
    },
    cdf = function(x, shape, scale) {
      stats::pgamma(1 / pmax(x, 0), shape, scale, lower.tail = FALSE)
    },
    quantile = function(p, shape, scale) 1 / stats::qgamma(p, shape, scale, lower.tail = FALSE)
  ),
  # v = x / (1 + x) is beta, and 1 - v too, with the shapes exchanged: each has digits where the
  # other is close to 1.
  beta_prime = list(
    positive = c("alpha", "beta"),
    density = function(x, alpha, beta) {
      v <- pmax(x, 0) / (1 + pmax(x, 0))
      density <- ifelse(v < 0.5, stats::dbeta(v, alpha, beta),
                        stats::dbeta(1 / (1 + pmax(x, 0)), beta, alpha))
      ifelse(x >= 0, density / (1 + x) / (1 + x), 0)
    },
    cdf = function(x, alpha, beta) {
      x <- pmax(x, 0)
      ifelse(x < 1, stats::pbeta(x / (1 + x), alpha, beta),
             stats::pbeta(1 / (1 + x), beta, alpha, lower.tail = FALSE))
    },
    quantile = function(p, alpha, beta) {
      stats::qbeta(p, alpha, beta) / stats::qbeta(p, beta, alpha, lower.tail = FALSE)
    }
  )
)

# A function of the family without bounds, at `x`.
call_family <- function(dist, what, x) {
  do.call(dist_families[[dist$family]][[what]], c(list(x), as.list(unname(dist$arguments))))
}

dist_cdf <- function(dist, x) call_family(dist, "cdf", x)

# Density and quantiles with the bounds, and the mass outside of them spread over the inside.
dist_density <- function(dist, x) {
  inside <- dist_cdf(dist, c(dist$lower, dist$upper))
  ifelse(x >= dist$lower & x <= dist$upper, call_family(dist, "density", x) / diff(inside), 0)
}

dist_quantile <- function(dist, p) {
  inside <- dist_cdf(dist, c(dist$lower, dist$upper))
  found <- call_family(dist, "quantile", inside[1L] + p * diff(inside))
  pmin(pmax(found, dist$lower), dist$upper)
}

#' @export
format.btg_dist <- function(x, ...) {
  arguments <- paste0(names(x$arguments), " = ", signif(x$arguments, 3), collapse = ", ")
  bounds <- if (x$family != "uniform" && (is.finite(x$lower) || is.finite(x$upper))) {
    paste0(" on (", signif(x$lower, 3), ", ", signif(x$upper, 3), ")")
  }
  paste0(x$family, "(", arguments, ")", bounds)
}

#' @export
print.btg_dist <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}
