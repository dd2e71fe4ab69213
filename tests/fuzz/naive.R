# Compares small problems with the naive model of tests/testthat/helper-oracle.R, which evaluates
# the formulas with solve(), at some nodes of every model of a fit.

compared <- new.env()
compared$models <- compared$nodes <- compared$terms <- compared$slopes <- 0L

# In the core all distances beyond 10^6 lengthscales are the same, which only a power of them shows:
# see within_reach() in src/btg/kernels/kernel_functions.hpp.
naive_kernels$rational_quadratic <- local({
  formula <- naive_kernels$rational_quadratic
  function(r, p) formula(pmin(r, 1e6), p)
})

# What the naive model of one node is told: the design in the core's units. Row i has the noise
# (sigma2 exp(b_i' gamma) + floor) / w_i, which is (sigma2 + floor) over a weight.
naive_at_node <- function(fit, model, hyper) {
  design <- fit$design
  problem <- model$problem
  n <- nrow(design$inputs)
  terms <- naive_terms(fit, problem)
  X <- naive_points(fit, problem, design$inputs)
  # The naive model takes the first term for the main one.
  if (!is.null(terms)) {
    names(hyper) <- sub(paste0(terms[[1L]]$name, "."), "", names(hyper), fixed = TRUE)
  }
  naive <- list(
    X = X, M = design$trend, y = problem$response,
    terms = terms, mean = colMeans(X), sd = apply(X, 2L, stats::sd),
    lengthscales = names(problem$hyperparameters)[
      design$lengthscale_of_column[match(colnames(X), colnames(design$inputs))]
    ],
    transform = problem$transform, kernel = problem$kernel, product = problem$form == "product",
    w = (if (is.null(design$weights)) rep(1, n) else design$weights) /
      noise_factor(design$noise, problem, hyper, model$noise_floor),
    floor = model$noise_floor
  )
  naive$solved <- naive_nodes(naive, hyper)
  naive
}

# The inputs of rows for the naive model, whose columns are named after lengthscales if there are no
# terms.
naive_points <- function(fit, problem, X) {
  if (is.null(problem$terms)) naive_inputs(fit$design, X) else naive_columns(fit$design, X)
}

# Replaces a column of levels by indicators at the distance that the design states, all with the
# column's name.
naive_inputs <- function(design, X) {
  parts <- lapply(seq_len(ncol(X)), function(j) {
    k <- match(j, design$levels$column)
    one <- if (is.na(k)) {
      X[, j, drop = FALSE]
    } else {
      outer(X[, j], seq_len(design$levels$count[k]), `==`) *
        sqrt(design$levels$squared_distance[k] / 2)
    }
    colnames(one) <- rep(colnames(design$inputs)[j], ncol(one))
    one
  })
  do.call(cbind, parts)
}

# (sigma2 exp(b(x)' gamma) + floor) / (sigma2 + floor), of the rows of `columns`.
noise_factor <- function(columns, problem, hyper, floor) {
  used <- problem$noise_columns
  if (length(used) == 0L) {
    return(1)
  }
  gamma <- unlist(hyper[paste0("noise.", colnames(columns)[used])])
  relative <- exp(as.vector(columns[, used, drop = FALSE] %*% gamma))
  (hyper$noise * relative + floor) / (hyper$noise + floor)
}

# The log likelihood of a node, as src/btg/model/likelihood.hpp has it.
naive_log_likelihood <- function(naive, likelihood) {
  if (likelihood == "integrated") {
    return(naive_log_marginal(naive))
  }
  node <- naive$solved[[1L]]
  -naive_log_det(node$K) / 2 - nrow(naive$M) / 2 * log(node$q) + node$log_jacobian
}

# Rounding of the naive model: by the conditions of K and A, and by what cancels in residuals.
naive_rounding <- function(node, z) {
  worst <- 1 / min(rcond(node$K), rcond(node$A))
  .Machine$double.eps * worst * max(1, sum(z^2) / node$q)
}

compare_node <- function(fit, model, built, row, points) {
  hyper <- model$posterior$hyper[row, , drop = FALSE]
  named <- stats::setNames(as.data.frame(hyper), names(model$problem$hyperparameters))
  core <- btg:::evaluate_model(built, hyper)
  naive <- tryCatch(naive_at_node(fit, model, named), error = function(e) {
    if (!grepl("singular|infinite|NaN", conditionMessage(e))) stop(e)
  })
  if (is.null(naive)) {
    return(NULL) # K is singular to rounding
  }
  node <- naive$solved[[1L]]
  z <- naive_forward(naive$y, naive_layers(naive$transform, named))
  rounding <- naive_rounding(node, z)
  if (!isTRUE(rounding < 1e-6)) {
    return(NULL)
  }
  compared$nodes <- compared$nodes + 1L
  compared$terms <- compared$terms + !is.null(naive$terms)
  tolerance <- 1e-8 + 100 * rounding

  log_likelihood <- naive_log_likelihood(naive, model$problem$likelihood)
  ensemble <- list(built = built, weight = 1,
                   members = list(list(model = 1L, hyper = hyper, shift = 0, scale = 1)))
  latent <- btg:::core_latent(ensemble, points, btg:::core_run())
  weights <- 1 / (points$relative_noise *
                    noise_factor(points$noise, model$problem, named, model$noise_floor))
  at <- naive_points(fit, model$problem, points$inputs)
  expected <- suppressWarnings(naive_latent(naive, at, points$trend, TRUE, weights))
  expected$scale[is.nan(expected$scale)] <- 0 # of a variance that rounding made negative
  # naive_latent() has n - p degrees of freedom; a profiled scale has n.
  if (model$problem$likelihood == "profiled") {
    expected$scale <- expected$scale * sqrt(1 - ncol(naive$M) / nrow(naive$M))
  }
  off <- function(found, wanted, unit) max(abs(found - wanted) / unit)
  gaps <- c("log likelihood" = off(core$log_marginal, log_likelihood, max(1, abs(log_likelihood))),
            location = off(t(latent$location), expected$location,
                           expected$scale + abs(expected$location)),
            # Rounding is that of the process's variance, however small the predictive one is.
            scale = off(t(latent$scale)^2, expected$scale^2,
                        expected$scale^2 + rounding / tolerance * 100 * node$q / nrow(naive$M)))
  bad <- !(gaps < tolerance)
  if (any(bad)) {
    paste0("naive ", names(gaps)[bad], " differs by ", signif(gaps[bad], 2), " at node ", row)
  }
}

# The heaviest node of each model, the last, and one of the others. With censored rows, nodes hold
# latent responses, which tests/testthat/test-fit-censored.R compares with the naive model.
check_naive <- function(fit, new, largest = 40L) {
  if (stats::nobs(fit) > largest || !is.null(fit$design$censored)) {
    return(NULL)
  }
  points <- suppressWarnings(btg:::prediction_points(fit, new))
  own <- btg:::prediction_points(fit, NULL)
  points <- list(btg:::core_points(points, which(points$complete), TRUE),
                 btg:::core_points(own, 1L, TRUE))
  told <- Filter(function(model) {
    all(vapply(naive_terms(fit, model$problem), function(term) term$told, NA))
  }, fit$models)
  unlist(lapply(told, function(model) {
    compared$models <- compared$models + 1L
    built <- btg:::build_models(fit$design, list(model))
    count <- length(model$posterior$weight)
    rows <- unique(c(which.max(model$posterior$weight), count, (count + 1L) %/% 2L))
    lapply(rows, function(row) {
      lapply(points, function(at) {
        if (nrow(at$inputs) > 0L) compare_node(fit, model, built, row, at)
      })
    })
  }), use.names = FALSE)
}
