# The naive covariance of a model with terms: each is written out as a matrix, and their sum too.
#
# A term is list(name, base, kernel, form, columns, by, input, rotated): `columns` and `by` are
# names of columns of X, columns with the same `input` are one input, and inputs in `rotated` are.
# Lengthscales, kernel parameters and shares are found in nodes() by their documented names.

naive_sum_of_terms <- function(model, hyper, A, B) {
  ratios <- vapply(model$terms, function(term) {
    ratio <- hyper[[paste0("ratio.", term$name)]]
    if (is.null(ratio)) 1 else ratio
  }, 0)
  shares <- ratios / sum(ratios)
  used <- vapply(model$terms, function(term) {
    is.null(model$include) || term$name %in% model$include
  }, NA)
  total <- matrix(0, nrow(A), nrow(B))
  for (t in which(used)) {
    total <- total + shares[t] * naive_term(model, hyper, model$terms[[t]], A, B, t == 1L)
  }
  total
}

naive_term <- function(model, hyper, term, A, B, first) {
  R <- switch(
    term$base,
    constant = matrix(1, nrow(A), nrow(B)),
    linear = naive_linear(model, term, A, B),
    stationary = naive_stationary(hyper, term, A, B, if (first) "" else paste0(term$name, "."))
  )
  if (is.null(term$by)) R else R * outer(A[, term$by], B[, term$by], `==`)
}

# Coordinates along and across the angle, in units of the documented ratio of lengthscales.
naive_rotation <- function(hyper, prefix, name, X) {
  u <- hyper[[paste0(prefix, "anisotropy.cos.", name)]]
  v <- hyper[[paste0(prefix, "anisotropy.sin.", name)]]
  angle <- atan2(v, u) / 2
  ratio <- exp(sqrt(u^2 + v^2))
  along <- cos(angle) * X[, 1] + sin(angle) * X[, 2]
  across <- cos(angle) * X[, 2] - sin(angle) * X[, 1]
  cbind(along / sqrt(ratio), across * sqrt(ratio))
}

# Inner products of columns, standardised as those of all rows.
naive_linear <- function(model, term, A, B) {
  standard <- function(x, column) (x - model$mean[[column]]) / model$sd[[column]]
  products <- lapply(term$columns, function(column) {
    outer(standard(A[, column], column), standard(B[, column], column))
  })
  Reduce(`+`, products) / length(products)
}

naive_stationary <- function(hyper, term, A, B, prefix) {
  input <- if (is.null(term$input)) term$columns else term$input
  own <- naive_own(hyper, paste0(prefix, term$kernel))
  for (name in term$rotated) {
    columns <- term$columns[input == name]
    A[, columns] <- naive_rotation(hyper, prefix, name, A[, columns, drop = FALSE])
    B[, columns] <- naive_rotation(hyper, prefix, name, B[, columns, drop = FALSE])
  }
  squares <- lapply(seq_along(term$columns), function(k) {
    column <- term$columns[k]
    lengthscale <- hyper[[paste0(prefix, "lengthscale.", input[k])]]
    (outer(A[, column], B[, column], `-`) / lengthscale)^2
  })
  correlation <- function(squares) naive_kernels[[term$kernel]](sqrt(Reduce(`+`, squares)), own)
  if (term$form == "radial") {
    return(correlation(squares))
  }
  each <- lapply(split(squares, factor(input, unique(input))), correlation)
  if (term$form == "product") Reduce(`*`, each) else Reduce(`+`, each) / length(each)
}

# The size of K, which the noise floor is relative to.
naive_largest_variance <- function(model) {
  linear <- Filter(function(term) term$base == "linear", model$terms)
  max(1, vapply(linear, function(term) max(diag(naive_linear(model, term, model$X, model$X))), 0))
}
