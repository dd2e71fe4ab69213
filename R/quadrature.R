#' Quadrature over the hyperparameters
#'
#' A rule places the nodes at which the likelihood is evaluated, and gives them weights. Pass
#' one to [btg()] as `quadrature`, by name (`"sobol"`) or with options, as made by its function.
#'
#' `quad_sobol()` is quasi-Monte Carlo over the prior: scrambled Sobol points, mapped through
#' the quantile functions of the priors, each weighted by its likelihood. The points are the
#' same in every call: a fit is deterministic, and leaves R's random numbers alone. Points of
#' the transform's parameters share the lengthscales and the noise in groups, and so the
#' factorisation of one matrix.
#'
#' @param nodes How many nodes to try.
#' @param inner How many points of the transform's parameters to try at each point of the
#'   lengthscales and noise.
#' @return A list of class `btg_rule` with components `name` and `options`.
#' @examples
#' fit <- btg(dist ~ speed, data = cars, quadrature = quad_sobol(nodes = 512))
#' @export
quad_sobol <- function(nodes = 2048, inner = 4) {
  call <- quote(quad_sobol())
  new_rule("sobol", nodes = check_count(nodes, call = call), inner = check_count(inner, call = call))
}

new_rule <- function(name, ...) {
  structure(list(name = name, options = list(...)), class = "btg_rule")
}

# A rule made by a quad_*() function, or the name of one with its default options.
quadrature_spec <- function(quadrature, call = quote(btg())) {
  if (inherits(quadrature, "btg_rule")) {
    return(quadrature)
  }
  check_string(quadrature, "quadrature", call)
  rules <- names(core_registry()$rules)
  check_registered(quadrature, c("auto", rules), "quadrature rule", call)
  new_rule(if (quadrature == "auto") rules[1L] else quadrature)
}
