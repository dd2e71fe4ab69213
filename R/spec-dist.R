#' @rdname btg_prior
#' @param family The name of a distribution: `"normal"` (`mean`, `sd`), `"lognormal"` (`meanlog`,
#'   `sdlog`), `"uniform"` (`lower`, `upper`), `"loguniform"` (`log_lower`, `log_upper`),
#'   `"half_normal"` (`sd`), `"exponential"` (`rate`), `"gamma"` (`shape`, `rate`),
#'   `"inverse_gamma"` (`shape`, `scale`), `"beta_prime"` (`alpha`, `beta`: the odds of a beta
#'   variable), `"student_t"` (`df`, `location`, `scale`) or `"half_student_t"` (`df`, `scale`). A
#'   distribution of a positive hyperparameter is truncated at zero.
#' @param lower,upper Bounds that truncate the distribution; for `"uniform"`, its ends.
#' @export
btg_dist <- function(family, ..., lower = -Inf, upper = Inf) {
  check_string(family)
  families <- registry()$families
  check_registered(family, names(families), "prior family")
  arguments <- list(...)
  if ("lower" %in% families[[family]]$arguments) {
    # The ends of a uniform distribution have no defaults.
    ends <- list(lower = lower, upper = upper)[c(!missing(lower), !missing(upper))]
    arguments <- c(arguments, ends)
  }
  arguments <- check_dist_arguments(family, arguments)
  check_dist_bounds(lower, upper)
  dist <- structure(list(family = family, arguments = arguments, lower = lower, upper = upper),
                    class = "btg_dist")
  if (lower > -Inf || upper < Inf) check_dist_mass(dist)
  dist
}

# Returns the arguments of a family as a named vector in the core's order.
check_dist_arguments <- function(family, arguments) {
  registered <- registry()$families[[family]]
  expected <- registered$arguments
  check_dist_names(family, arguments, expected)
  positive <- expected[registered$positive]
  for (name in expected) {
    check_dist_argument(arguments[[name]], name, family, name %in% positive)
  }
  if ("log_lower" %in% expected && !(arguments$log_lower < arguments$log_upper)) {
    abort_btg("`log_lower` must be less than `log_upper`.", "prior")
  }
  vapply(arguments[expected], as.double, 0)
}

check_dist_names <- function(family, arguments, expected) {
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
    ), "prior")
  }
}

check_dist_argument <- function(x, name, family, positive) {
  if (!is_number(x) || (positive && x <= 0)) {
    must <- if (positive) "one finite, positive number" else "one finite number"
    abort_dist_number(x, paste0("`", name, "` of a \"", family, "\" distribution must be ", must))
  }
}

check_dist_bounds <- function(lower, upper) {
  for (name in c("lower", "upper")) {
    x <- get(name, inherits = FALSE)
    if (!is.numeric(x) || length(x) != 1L || is.na(x)) {
      abort_dist_number(x, paste0("`", name, "` must be one number, which may be infinite"))
    }
  }
  if (!(lower < upper)) {
    abort_btg(c("`lower` must be less than `upper`.",
                x = paste0("They are ", lower, " and ", upper, ".")), "prior")
  }
}

check_dist_mass <- function(dist, what = "The distribution") {
  if (inherits(core_distribution(dist, "cdf", numeric()), "btg_core_error")) {
    abort_btg(c(paste(what, "has no mass between its bounds."),
                x = paste0("It is ", format(dist), ".")), "prior")
  }
  invisible(dist)
}

abort_dist_number <- function(x, headline) {
  value <- if (is.atomic(x) && length(x) == 1L && !is.object(x)) deparse1(x) else describe_value(x)
  abort_btg(c(paste0(headline, "."), x = paste0("It is ", value, ".")), "prior")
}

# Evaluate the distribution truncated to its bounds.
dist_density <- function(dist, x) ask_core_distribution(dist, "density", x)
dist_cdf <- function(dist, x) ask_core_distribution(dist, "cdf", x)
dist_quantile <- function(dist, p) ask_core_distribution(dist, "quantile", p)

ask_core_distribution <- function(dist, what, x) {
  as.vector(check_core(core_distribution(dist, what, x))$value)
}

# The core returns priors as plain lists without the names of their arguments.
as_btg_dist <- function(prior) {
  names(prior$arguments) <- registry()$families[[prior$family]]$arguments
  structure(prior, class = "btg_dist")
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
