#' List kernels and transforms
#'
#' `btg_kernels()` lists what can be given as `kernel` to [btg()] and [wgp()], `btg_transforms()`
#' what can be given as `transform`.
#'
#' @return A data frame with a row for each kernel or transform and the columns
#'   * `name`, as in `kernel = "matern52"`;
#'   * `smoothness` of a kernel: how often its surfaces can be differentiated;
#'   * `domain` of a transform: the responses that it accepts, before scaling;
#'   * `parameters`: those that are learned, with their default priors. Every kernel has
#'     lengthscales besides, whose priors [btg_prior()] describes;
#'   * `summary`: what it is for.
#' @seealso [btg-kernels] and [btg-transforms] for formulas and advice.
#' @examples
#' btg_kernels()
#' btg_transforms()
#'
#' # Names to choose from in a program
#' btg_kernels()$name
#' @export
btg_kernels <- function() {
  kernels <- registry()$kernels
  described <- data.frame(
    name = names(kernels),
    smoothness = vapply(kernels, `[[`, 0, "derivatives"),
    parameters = vapply(names(kernels), function(name) {
      describe_parameters(kernel_spec(name, TRUE, FALSE)$parameters)
    }, ""),
    summary = vapply(kernels, `[[`, "", "summary"), row.names = NULL
  )
  described[order(described$smoothness), ]
}

#' @rdname btg_kernels
#' @export
btg_transforms <- function() {
  transforms <- registry()$transforms
  specs <- lapply(names(transforms), transform_spec, trend_has_constant = TRUE)
  data.frame(
    name = names(transforms),
    domain = vapply(specs, function(spec) {
      if (spec$bounded) "between two bounds" else if (spec$positive) "positive" else "any number"
    }, ""),
    parameters = vapply(specs, function(spec) describe_parameters(spec$parameters), ""),
    summary = vapply(transforms, `[[`, "", "summary"), row.names = NULL
  )
}

# Describes parameters and their default priors, as in "lambda: uniform(lower = 0, upper = 3)".
describe_parameters <- function(parameters) {
  if (length(parameters) == 0L) {
    return("none")
  }
  short <- sub("^[^.]*[.]", "", names(parameters))
  priors <- vapply(parameters, function(one) format(as_btg_dist(one$prior)), "")
  paste0(short, ": ", priors, collapse = "; ")
}
