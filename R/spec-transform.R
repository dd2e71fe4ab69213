# Specifies a transform: the names of its layers, their parameters, and its `domain`, that of the
# first layer. It is `positive` for responses above a bound, `bounded` for those between two.
transform_spec <- function(transform, trend_has_constant) {
  check_transform_names(transform)
  core <- check_core(core_transform(transform, trend_has_constant))
  parameters <- core$parameters
  names(parameters) <- vapply(parameters, function(parameter) parameter$name, "")
  ends <- is.finite(core$domain)
  list(layers = transform, parameters = parameters, domain = core$domain,
       positive = core$domain[1L] == 0 && !ends[2L], bounded = all(ends))
}

check_transform_names <- function(transform) {
  if (!is.character(transform) || length(transform) == 0L || anyNA(transform)) {
    abort_argument("transform", "must be one or more names of transforms", transform)
  }
  check_registered(transform, names(registry()$transforms), "transform",
                   explain_transform(transform))
}

# Advises on names that may stand for something else.
explain_transform <- function(transform) {
  c(
    if ("log" %in% transform) {
      c(i = paste0("A logarithm is \"boxcox\" whose `boxcox.lambda` is fixed at 0: see `fixed` in ",
                   "`?btg_prior` or `?wgp`."))
    },
    if ("auto" %in% transform) {
      c(i = "\"auto\" averages over models: only in `btg()`, and by itself.")
    }
  )
}

# Formats the layers as in "sinharcsinh(affine(y))".
format_transform <- function(layers) {
  Reduce(function(inner, layer) paste0(layer, "(", inner, ")"), layers, "y")
}
