#' @rdname btg_prior
#' @param location The prior of the common location of the lengthscales: a `"lognormal"`
#'   distribution, in standard deviations of the input, or a positive number to fix it. By default
#'   `meanlog = 1 + log(d)/2` and `sdlog = 1`.
#' @param spread The prior of the spread, the standard deviation of the logarithms of the
#'   lengthscales around the location: a distribution, or a number of at least 0.01 to fix it. If
#'   all lengthscales should be equal, use `ard = FALSE`.
#' @export
btg_common <- function(location = NULL, spread = btg_dist("uniform", lower = 0.3, upper = 1.5),
                       ...) {
  check_dots(..., valid = names(formals(btg_common)))
  if (!is.null(location) && !is_location(location)) {
    abort_argument("location",
                   "must be a \"lognormal\" `btg_dist()` without bounds, or a number > 0", location)
  }
  structure(list(location = location, spread = check_spread(spread)), class = "btg_common")
}

# The default common prior, made once per session.
default_common <- local({
  known <- NULL
  function() {
    if (is.null(known)) known <<- btg_common()
    known
  }
})

is_location <- function(x) {
  if (!is_dist(x)) {
    return(is_number(x) && x > 0)
  }
  x$family == "lognormal" && x$lower <= 0 && x$upper == Inf
}

check_spread <- function(spread) {
  if (!is_dist(spread)) {
    if (!is_number(spread) || spread < 0.01) {
      abort_argument("spread", "must be made by `btg_dist()`, or be a number of at least 0.01",
                     spread)
    }
    return(spread)
  }
  spread$lower <- max(spread$lower, 0.01)
  check_dist_mass(spread, "The prior of `spread`")
}

is_dist <- function(x) inherits(x, "btg_dist")
is_common <- function(x) inherits(x, "btg_common")

#' @export
format.btg_common <- function(x, ...) {
  part <- function(x) if (is_dist(x)) format(x) else paste("fixed at", signif(x, 4))
  location <- if (is.null(x$location)) "lognormal(meanlog = 1 + log(d) / 2, sdlog = 1)"
              else part(x$location)
  paste0("common location ", location, ", spread ", part(x$spread))
}

#' @export
print.btg_common <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

# Returns list(centre, width, spread) for the core and a model of `d` inputs. The common centre of
# the log lengthscales is N(centre, width^2).
core_common <- function(common, d) {
  location <- common$location
  if (is.null(location)) location <- btg_dist("lognormal", meanlog = 1 + log(d) / 2, sdlog = 1)
  list(centre = if (is_dist(location)) location$arguments[["meanlog"]] else log(location),
       width = if (is_dist(location)) location$arguments[["sdlog"]] else 0,
       spread = common$spread)
}

# Approximates the marginal prior of one lengthscale by a lognormal with the first two moments.
marginal_of_common <- function(common) {
  spread <- common$spread
  if (is_dist(spread)) spread <- dist_quantile(spread, stats::ppoints(100))
  btg_dist("lognormal", meanlog = common$centre, sdlog = sqrt(common$width^2 + mean(spread^2)))
}
