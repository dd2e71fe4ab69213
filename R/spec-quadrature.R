#' Choose the rule of the numerical integral
#'
#' [btg()] averages over the hyperparameters by a quadrature rule, which places nodes and gives them
#' weights. The default suits nearly all data. Pass another rule to the argument `quadrature` by
#' name, such as `"sobol"`, or with options, as made by its function. All rules are deterministic
#' and do not use R's random numbers.
#'
#' @section The default:
#' `quad_adaptive()`, which `"auto"` means, searches for the modes of the posterior and puts a
#' skewed t distribution on each. It draws scrambled Sobol points from the mixture of these and a
#' slice of the prior, and weights them by importance. With 600 rows or more, it first looks for
#' modes with 300 of them. If the weights show that mass is missing, it searches again, adds
#' proposals for the parameters of the kernel, those of the transform and single lengthscales, and
#' draws more.
#'
#' The integral needs hundreds of nodes. Predictions need few, because they vary smoothly with the
#' hyperparameters. `btg()` selects as few nodes as predict like all of them. It matches the
#' distribution functions at points between the rows of the data and at points like new rows, and
#' left-out predictions of some rows. At other such points, the ends of 95% intervals then move by
#' less than a quarter of the standard error of the integral itself, or by 0.3% of the predictive
#' standard deviation if that is more.
#' The ends of intervals of the process move by less than that standard error, or 2%. Stated errors
#' include this change.
#'
#' Options left at `0` depend on the cost of a likelihood with so many rows. In an average, each
#' model has about the share of nodes that its weight will be; with few rows, each has all of them.
#'
#' @section Rules over the prior:
#' These map points of the unit cube through the quantile functions of the priors. With uniform
#' priors they are rules for a box.
#' * `quad_sobol()`: scrambled Sobol points, all of the same weight before the likelihood.
#' * `quad_monte_carlo()`: pseudo-random points, for comparison.
#' * `quad_tensor()`: the product of Gauss-Legendre rules, for one to three hyperparameters.
#' * `quad_smolyak()`: a sparse grid. Its weights are signed. If the posterior is narrow, they can
#'   sum to a negative evidence, which is an error, and predictive distribution functions may have
#'   to be rearranged to be monotone, with a warning.
#'
#' @section Rules around the mode:
#' These are exact for a normal posterior, and good for one that is nearly so.
#' * `quad_gauss_hermite()`: a sparse grid of Gauss-Hermite rules; signed weights.
#' * `quad_gerstner_griebel()`: a sparse grid that grows in the directions that matter; signed
#'   weights.
#' * `quad_ccd()`: the central composite design of the INLA method; positive weights, few nodes.
#'
#' @param nodes How many nodes to try. For `quad_adaptive()` this is a first aim, and `0` means 64
#'   times the number of hyperparameters, but 256 to 1000.
#' @param effective Nodes are added until they are worth this many of equal weight. `0` means 300,
#'   or more with few rows and more than six hyperparameters.
#' @param most The most that may be spent. For grids, the largest number of nodes. For
#'   `quad_adaptive()`, a number of likelihoods, where a gradient counts as three, and a likelihood
#'   that shares the factorisation of another as half or less. `0` means what takes about a tenth of
#'   a second, or a third with many hyperparameters, but 1500 to 5000.
#' @param keep How many nodes to predict from. Their weights keep the posterior means of as many
#'   polynomials of the hyperparameters, those of lowest degree. `0` means as many as the error
#'   requires, as described above, and `Inf` all nodes.
#' @param seed Which scrambling, or which pseudo-random numbers.
#' @param inner How many points of the transform's parameters to try at each point of the
#'   lengthscales and noise, with which they share the factorisation of one matrix.
#' @param points The number of points in each dimension.
#' @param order The order of the sparse grid: it is exact for total degree `2 * order - 1`.
#' @param family The one-dimensional rules of the grid.
#' @param tolerance The grid stops growing when all indicators are below this.
#' @param f0 The radius of the design, in standard deviations divided by the root of the dimension.
#' @param ... Not used: an unknown argument is an error.
#' @return A list of class `btg_rule` with components `name` and `options`.
#' @references Gerstner, T. and Griebel, M. (2003). Dimension-adaptive tensor-product quadrature.
#'   Computing 71.
#'
#' Rue, H., Martino, S. and Chopin, N. (2009). Approximate Bayesian inference for latent Gaussian
#' models by using integrated nested Laplace approximations. JRSS B 71.
#'
#' Vehtari, A., Simpson, D., Gelman, A., Yao, Y. and Gabry, J. (2024). Pareto smoothed importance
#' sampling. JMLR 25.
#' @seealso [refine()] to add nodes to a fit, [nodes()] to list them,
#'   `plot(fit, which = "quadrature")`
#' @examples
#' btg(dist ~ speed, data = cars, transform = "identity", quadrature = quad_sobol(nodes = 512))
#' btg(dist ~ speed, data = cars, transform = "identity", quadrature = "ccd")
#' @name quadrature
#' @aliases quad_adaptive
NULL

#' @rdname quadrature
#' @export
quad_adaptive <- function(nodes = 0, effective = 0, most = 0, keep = 0, seed = 0, ...) {
  check_dots(..., valid = names(formals(quad_adaptive)))
  new_rule("adaptive", nodes = check_whole(nodes), effective = check_whole(effective),
           most = check_whole(most), keep = if (identical(keep, Inf)) keep else check_whole(keep),
           seed = check_whole(seed))
}

#' @rdname quadrature
#' @export
quad_sobol <- function(nodes = 2048, inner = 4, seed = 0, ...) {
  check_dots(..., valid = names(formals(quad_sobol)))
  new_rule("sobol", nodes = check_count(nodes),
           inner = check_count(inner), seed = check_whole(seed))
}

#' @rdname quadrature
#' @export
quad_monte_carlo <- function(nodes = 2048, seed = 1, ...) {
  check_dots(..., valid = names(formals(quad_monte_carlo)))
  new_rule("monte_carlo", nodes = check_count(nodes), seed = check_whole(seed))
}

#' @rdname quadrature
#' @export
quad_tensor <- function(points = 7, most = 20000, ...) {
  check_dots(..., valid = names(formals(quad_tensor)))
  new_rule("tensor", points = check_count(points), most = check_count(most))
}

#' @rdname quadrature
#' @export
quad_smolyak <- function(order = 3, family = c("gauss_legendre", "clenshaw_curtis", "patterson"),
                         most = 20000, ...) {
  check_dots(..., valid = names(formals(quad_smolyak)))
  new_rule("smolyak", order = check_count(order),
           family = check_family(family), most = check_count(most))
}

#' @rdname quadrature
#' @export
quad_gauss_hermite <- function(order = 3, family = c("gauss_hermite", "genz_keister"),
                               most = 20000, ...) {
  check_dots(..., valid = names(formals(quad_gauss_hermite)))
  new_rule("gauss_hermite", order = check_count(order),
           family = check_family(family), most = check_count(most))
}

#' @rdname quadrature
#' @export
quad_gerstner_griebel <- function(nodes = 400, tolerance = 1e-3,
                                  family = c("genz_keister", "gauss_hermite"), ...) {
  check_dots(..., valid = names(formals(quad_gerstner_griebel)))
  new_rule("gerstner_griebel", nodes = check_count(nodes), tolerance = check_level(tolerance),
           family = check_family(family))
}

#' @rdname quadrature
#' @export
quad_ccd <- function(f0 = 1.1, most = 20000, ...) {
  check_dots(..., valid = names(formals(quad_ccd)))
  if (!(is_number(f0) && f0 > 1)) abort_argument("f0", "must be one number above 1", f0)
  new_rule("ccd", f0 = f0, most = check_count(most))
}

new_rule <- function(name, ...) {
  structure(list(name = name, options = list(...)), class = "btg_rule")
}

# Checks that `family` is one of the families that the calling function lists.
check_family <- function(family) {
  choices <- eval(formals(sys.function(sys.parent()))$family)
  if (identical(family, choices)) {
    return(choices[1L])
  }
  check_string(family, "family")
  check_registered(family, choices, "family")
  family
}

#' @export
print.btg_rule <- function(x, ...) {
  options <- paste0(names(x$options), " = ", unlist(x$options), collapse = ", ")
  cat("Quadrature rule: ", x$name, if (nzchar(options)) paste0(" (", options, ")"), "\n", sep = "")
  invisible(x)
}

# Accepts a rule made by a quad_*() function, or the name of one with its default options.
quadrature_spec <- function(quadrature) {
  if (inherits(quadrature, "btg_rule")) {
    return(quadrature)
  }
  if (!is.character(quadrature) || length(quadrature) != 1L || is.na(quadrature)) {
    abort_argument("quadrature", "must be the name of a rule, or made by a `quad_*()` function",
                   quadrature)
  }
  rules <- names(registry()$rules)
  check_registered(quadrature, c("auto", rules), "quadrature rule")
  new_rule(if (quadrature == "auto") rules[1L] else quadrature)
}

# Returns whether a rule chooses its number of nodes by the cost of a likelihood and the weight of
# the model. Only the default rule does; it can also search for modes alone.
is_budgeted <- function(rule) "share" %in% names(registry()$rules[[rule$name]])

# Returns whether a rule uses random points, from which it can estimate its own error.
draws_points <- function(rule) "seed" %in% names(registry()$rules[[rule$name]])

# Returns the options of a budgeted rule that the user set; 0 means automatic.
chosen_options <- function(rule) Filter(function(option) option > 0, rule$options)
