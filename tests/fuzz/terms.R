# Terms of the covariance: random ones, the naive model of a fit that has them, and what must hold.

# The right-hand side of a formula, mostly all inputs in one process. Some terms do not fit the data
# that they are given, and are refused.
random_terms <- function(inputs) {
  if (chance(0.65)) {
    return(".")
  }
  numeric <- names(inputs)[vapply(inputs, function(x) is.numeric(x) && stats::sd(x) > 0, NA)]
  groups <- setdiff(names(inputs), numeric)
  g <- if (length(groups) > 0L && chance(0.9)) pick(groups) else pick(names(inputs))
  some <- function(most) toString(numeric[sample.int(length(numeric), min(most, length(numeric)))])
  number <- if (length(numeric) > 0L) pick(numeric)
  kernel <- if (chance(0.3)) paste0(", kernel = \"", pick(kernels), "\"") else ""
  groupwise <- paste0("(1 | ", g, ")")
  candidates <- if (is.null(number)) groupwise else c(
    groupwise, paste0("(", number, " | ", g, ")"), paste0("linear(", some(3), ")"),
    paste0("additive(", some(4), kernel, ")"), paste0("gp(", some(2), kernel, ")"),
    paste0("gp(", number, kernel, ", by = ", g, ")"),
    paste0("periodic(", number, ", ", signif(stats::sd(inputs[[number]]), 3), ")"),
    if (length(numeric) > 1L) paste0(c("rotated(", "gp(rotated("), some(2), c(")", "))"))
  )
  chosen <- candidates[sample.int(length(candidates), min(sample(2L, 1L), length(candidates)))]
  paste(c(if (chance(0.7)) ".", chosen), collapse = " + ")
}

# Coordinates of maps do not follow the units of the variables.
has_maps <- function(terms) grepl("periodic|rotated", terms)

# Returns the terms for the oracle of tests/testthat/helper-oracle-terms.R. Columns of X are named
# after those of the design; levels have indicators, with their codes beside them.
naive_terms <- function(fit, problem) {
  if (is.null(problem$terms)) {
    return(NULL)
  }
  hyper <- names(problem$hyperparameters)
  lapply(problem$terms, function(term) {
    own <- paste0(term$name, ".lengthscale.")
    prefix <- if (any(startsWith(hyper, own))) own else "lengthscale."
    names <- substring(hyper[startsWith(hyper, prefix)], nchar(prefix) + 1L)
    columns <- lapply(term$columns, column_names, design = fit$design)
    repeated <- lengths(columns)
    input <- rep(names[term$lengthscale], repeated)
    list(name = term$name, base = term$base, kernel = term$kernel, form = term$form,
         columns = as.character(unlist(columns)), input = input,
         # With one lengthscale for all inputs, their names do not tell them apart.
         told = length(unique(term$lengthscale)) == length(unique(term$input)),
         by = if (term$by > 0L) paste0("c", term$by), rotated = names[term$mapped])
  })
}

column_names <- function(design, j) {
  k <- match(j, design$levels$column)
  if (is.na(k)) paste0("c", j) else paste0("c", j, ".", seq_len(design$levels$count[k]))
}

# The design's columns, with indicators and codes of levels.
naive_columns <- function(design, X) {
  indicators <- naive_inputs(design, X)
  colnames(indicators) <- unlist(lapply(seq_len(ncol(X)), column_names, design = design))
  codes <- X
  colnames(codes) <- paste0("c", seq_len(ncol(X)))
  cbind(indicators, codes[, setdiff(colnames(codes), colnames(indicators)), drop = FALSE])
}

# Shares are shares, and all terms together are the prediction.
check_terms <- function(fit, new) {
  shares <- variance_shares(fit)
  held <- is.na(shares$lwr) | (shares$lwr <= shares$share & shares$share <= shares$upr)
  terms <- unique(unlist(lapply(fit$models, function(model) {
    vapply(model$problem$terms, function(term) term$name, "")
  })))
  c(complain(all(shares$share >= 0 & shares$share <= 1), "a share leaves [0, 1]"),
    complain(all(held), "a share is outside of its interval"),
    if (length(terms) > 0L && length(fit$models) == 1L) {
      c(check_all_terms(fit, new, terms), check_sums(fit, new))
    })
}

# Chosen terms are predicted from all nodes, the fit from the few that it selected, which are as
# good as the quadrature is.
check_all_terms <- function(fit, new, terms) {
  if (!is_integrated(fit)) {
    return(NULL)
  }
  chosen <- predict(fit, new, include = terms, interval = "prediction")
  whole <- predict(fit, new, interval = "prediction")
  gap <- abs(chosen - whole)[is_wide(whole), ] / (whole[, "upr"] - whole[, "lwr"])[is_wide(whole)]
  complain(all(gap < 0.1), paste("all terms together predict otherwise, by", signif(max(gap), 2)))
}

# Terms add up to the location of the process on the transformed scale, if no bound cuts it.
check_sums <- function(fit, new) {
  bounded <- any(lengths(fit$scaling$y[c("lower", "upper")]) > 0L)
  signed <- any(nodes(fit, predictive = TRUE)$weight < 0)
  if (bounded || signed || !identical(fit$settings$transform, "identity")) {
    return(NULL)
  }
  each <- predict(fit, new, type = "terms")
  mean <- unname(predict(fit, new, type = "mean", observation = FALSE))
  constant <- attr(each, "constant") # other trends have a column
  gap <- max(abs(rowSums(each) + (if (is.null(constant)) 0 else constant) - mean)) /
    fit$scaling$y$scale
  complain(gap < 1e-5 * max(1, abs(mean) / fit$scaling$y$scale, abs(each) / fit$scaling$y$scale),
           paste("terms add up to another mean, by", signif(gap, 2)))
}
