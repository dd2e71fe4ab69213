# Predictions where inputs are uncertain: each row becomes a group of points with weights, and the
# prediction is the mixture over all nodes and points of its group.

# Points of the rule for one and two uncertain inputs, by Gauss, and for more, by Sobol points.
gauss_points <- c(21L, 11L)
sobol_rule_points <- 256L

# Returns list(points, weights): the points of all rows, those of a row together, and the weights of
# the points of a row. `input_sd` has standard deviations of numeric variables.
uncertain_points <- function(fit, newdata, input_sd, weights) {
  check_reference_system(fit$blueprint$reference_system, newdata)
  newdata <- as.data.frame(plain_data(newdata))
  sd <- input_deviations(fit, newdata, input_sd)
  rule <- normal_rule(ncol(sd))
  size <- length(rule$weights)
  row <- rep(seq_len(nrow(newdata)), each = size)
  moved <- newdata[row, , drop = FALSE]
  for (j in seq_len(ncol(sd))) {
    name <- colnames(sd)[j]
    moved[[name]] <- moved[[name]] + sd[row, j] * rep(rule$points[, j], nrow(newdata))
  }
  if (!is.null(weights) && length(weights) > 1L) weights <- weights[row]
  points <- prediction_points(fit, moved, weights)
  list(points = points, weights = rule$weights)
}

# Returns the standard deviations as a matrix with one row for each row of `newdata`.
input_deviations <- function(fit, newdata, input_sd) {
  n <- nrow(newdata)
  if (is.data.frame(input_sd)) input_sd <- as.matrix(input_sd)
  if (!is.numeric(input_sd) || !all(is.finite(input_sd)) || any(input_sd < 0)) {
    abort_argument("input_sd", "must be finite numbers of at least 0", input_sd)
  }
  sd <- if (is.matrix(input_sd)) input_sd
        else matrix(input_sd, n, length(input_sd), byrow = TRUE,
                    dimnames = list(NULL, names(input_sd)))
  if (nrow(sd) != n) {
    abort_btg(c("`input_sd` must have one row for each row of `newdata`.",
                x = paste0("It has ", count_noun(nrow(sd), "row"), ", `newdata` ", n, ".")),
              "argument")
  }
  check_deviation_names(colnames(sd), numeric_variables(fit, newdata))
  sd[, colSums(sd) > 0, drop = FALSE]
}

numeric_variables <- function(fit, newdata) {
  Filter(function(name) {
    values <- newdata[[name]]
    is.numeric(values) && !is.object(values) && is.null(dim(values)) &&
      !names_categories(fit, name)
  }, names(fit$blueprint$columns))
}

check_deviation_names <- function(names, numeric) {
  if (is.null(names) || !all(names %in% numeric) || anyDuplicated(names)) {
    abort_btg(c("`input_sd` must name variables of the fit that are numbers.",
                x = if (is.null(names)) "It has no names."
                    else paste0("Not such a variable: ", list_names(setdiff(names, numeric)), "."),
                i = if (length(numeric) > 0L) paste0("These are ", list_names(numeric), ".")),
              "argument")
  }
}

# Returns list(points, weights), a rule for independent standard normals, one column each.
normal_rule <- function(d) {
  if (d == 0L) {
    return(list(points = matrix(0, 1L, 0L), weights = 1))
  }
  if (d > length(gauss_points)) {
    uniform <- check_core(core_even_points(d, sobol_rule_points))$points
    return(list(points = stats::qnorm(uniform),
                weights = rep(1 / sobol_rule_points, sobol_rule_points)))
  }
  one <- gauss_hermite(gauss_points[d])
  points <- as.matrix(expand.grid(rep(list(one$points), d)))
  weights <- apply(expand.grid(rep(list(one$weights), d)), 1L, prod)
  # Points far out have no weight that shows.
  kept <- weights > 1e-10
  list(points = unname(points[kept, , drop = FALSE]), weights = weights[kept] / sum(weights[kept]))
}

# Returns the Gauss rule of n points for the standard normal, by the eigenvalues of its Jacobi
# matrix.
gauss_hermite <- function(n) {
  jacobi <- matrix(0, n, n)
  next_to <- cbind(seq_len(n - 1L), seq_len(n - 1L) + 1L)
  jacobi[next_to] <- jacobi[next_to[, 2:1]] <- sqrt(seq_len(n - 1L))
  decomposed <- eigen(jacobi, symmetric = TRUE)
  list(points = decomposed$values, weights = decomposed$vectors[1L, ]^2)
}

# Adds the group of points of each row to a request, if inputs are uncertain. A row whose group
# cannot be predicted as a whole is not complete.
with_uncertain_inputs <- function(request, fit, newdata, input_sd, weights) {
  if (is.null(input_sd)) {
    return(request)
  }
  spread <- uncertain_points(fit, newdata, input_sd, weights)
  whole <- colSums(matrix(!spread$points$complete, length(spread$weights))) == 0
  request$points$complete <- request$points$complete & whole
  request$spread <- spread
  request
}

check_input_sd <- function(input_sd, type, newdata_missing, left_out, with_errors) {
  cannot <- newdata_missing || left_out || with_errors || any(type %in% single_types)
  if (!is.null(input_sd) && cannot) {
    abort_btg(c("`input_sd` is about new rows, and about answers with a value for each of them.",
                i = paste0("Give `newdata`, and leave out `left_out`, `se.fit`, ",
                           "`quadrature_error` and the types \"distribution\" and \"slope\".")),
              "argument")
  }
}
