#' Quadrature over the hyperparameters
#'
#' A rule places the nodes at which the likelihood is evaluated, and gives them weights. Pass one
#' to [btg()] as `quadrature`, by name (`"sobol"`) or with options, as made by its function. All
#' rules are deterministic and leave R's random numbers alone: the same call gives the same fit.
#'
#' `quad_adaptive()` is the default, and what `"auto"` means. It searches for the modes of the
#' posterior, puts a skewed t distribution on each, and draws scrambled Sobol points from their
#' mixture with a slice of the prior, weighted by importance. With 600 rows or more, modes are
#' looked for with 300 of them first, and from there with all. Where the weights show that mass is
#' missing, it searches again, adds proposals that treat the parameters of the kernel and of the
#' transform apart and that let single lengthscales go free, fits them and draws more.
#'
#' Hundreds of nodes are needed to integrate, but few to predict, because predictions vary smoothly
#' with the hyperparameters. `btg()` selects as few nodes as predict like all of them. Their
#' distribution functions are matched at points between the rows of the data, and so are left-out
#' predictions of some rows. At other such points, the ends of 95% intervals then move by less than
#' half of the standard error of the integral itself, or by 0.5% of the predictive standard
#' deviation if that is more. The ends of intervals of the process move by less than that standard
#' error, or 2%. Stated errors include this change. In an average, models have nodes by their
#' weights.
#'
#' What is left at `0` is chosen by what a likelihood costs with so many rows. In an average of
#' models, each has the share of nodes that its weight will be, about; with few rows, all of them.
#'
#' @section Over the prior:
#' These map points of the unit cube through the quantile functions of the priors. With uniform
#' priors they are rules for a box.
#' * `quad_sobol()`: scrambled Sobol points, all of the same weight before the likelihood.
#' * `quad_monte_carlo()`: pseudo-random points, for comparison.
#' * `quad_tensor()`: the product of Gauss-Legendre rules, for one to three hyperparameters.
#' * `quad_smolyak()`: a sparse grid. Its weights are signed: if the posterior is narrow they can
#'   sum to a negative evidence, which is an error, and predictive distribution functions may have
#'   to be rearranged to be monotone, which is a warning.
#'
#' @section Around the mode:
#' These are exact for a normal posterior, and good for one that is nearly so.
#' * `quad_gauss_hermite()`: a sparse grid of Gauss-Hermite rules; signed weights.
#' * `quad_gerstner_griebel()`: a sparse grid that grows in the directions that matter; signed
#'   weights.
#' * `quad_ccd()`: the central composite design of the INLA method; positive weights, few nodes.
#'
#' @param nodes How many nodes to try. For `quad_adaptive()` a first aim, `0` for 64 times the
#'   number of hyperparameters, but at least 256 and at most 1000.
#' @param effective Nodes are added until they are worth this many of equal weight; `0` for 300, and
#'   more if there are more than six hyperparameters and few rows.
#' @param most The most that may be spent: for `quad_adaptive()` in likelihoods, where a gradient
#'   counts as three and one that shares the factorisation of another as the half or less, `0` for
#'   what takes about a tenth of a second, or with many hyperparameters a third, but at least 1500
#'   and at most 5000; for grids, the largest number of nodes.
#' @param keep How many nodes to predict from, weighted so that as many polynomials of the
#'   hyperparameters, those of lowest degree, have the same posterior mean as under all nodes. `0`
#'   stands for as many as the error asks for, as described above; `Inf` for all nodes.
#' @param seed Which scrambling, or which pseudo-random numbers.
#' @param inner How many points of the transform's parameters to try at each point of the
#'   lengthscales and noise, with which they share the factorisation of one matrix.
#' @param points The number of points in each dimension.
#' @param order The order of the sparse grid: it is exact for total degree `2 * order - 1`.
#' @param family The one-dimensional rules of the grid.
#' @param tolerance The grid stops growing when all indicators are below this.
#' @param f0 The radius of the design, in standard deviations divided by the root of the dimension.
#' @param ... Not used: an argument that is not known is an error.
#' @return A list of class `btg_rule` with components `name` and `options`.
#' @references
#' Gerstner, T. and Griebel, M. (2003). Dimension-adaptive tensor-product quadrature. Computing 71.
#'
#' Rue, H., Martino, S. and Chopin, N. (2009). Approximate Bayesian inference for latent Gaussian
#' models by using integrated nested Laplace approximations. JRSS B 71.
#'
#' Vehtari, A., Simpson, D., Gelman, A., Yao, Y. and Gabry, J. (2024). Pareto smoothed importance
#' sampling. JMLR 25.
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
