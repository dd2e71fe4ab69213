# The core's models with several terms, against the naive sum of terms.

# Standardised inputs a, b, c and a group g, with a response that depends on all.
terms_data <- function(n = 24) {
  withr::with_seed(7, {
    X <- cbind(a = rnorm(n), b = rnorm(n), c = runif(n))
    X <- apply(X, 2, function(x) (x - mean(x)) / sd(x))
    X <- cbind(X, g = sample(rep(1:4, length.out = n)))
    y <- exp(0.3 * sin(2 * X[, "a"]) + 0.2 * X[, "b"] + 0.2 * X[, "g"] * X[, "c"] / 4 +
               0.1 * rnorm(n)) + 0.2
    list(X = X, y = y, M = cbind(1, X[, "c"]))
  })
}

stationary <- function(name, columns, form = "radial", kernel = "matern52", by = NULL,
                       input = NULL, rotated = NULL) {
  list(name = name, base = "stationary", kernel = kernel, form = form, columns = columns, by = by,
       input = input, rotated = rotated)
}

terms_cases <- function() {
  list(
    additive = list(stationary("main", c("a", "b")),
                    stationary("add", c("a", "b", "c"), "additive")),
    linear = list(stationary("main", "a", kernel = "rational_quadratic"),
                  list(name = "lin", base = "linear", columns = c("b", "c"))),
    groups = list(stationary("main", c("a", "c"), "product"),
                  list(name = "group", base = "constant", columns = character(), by = "g"),
                  list(name = "slope", base = "linear", columns = "b", by = "g")),
    curves = list(stationary("main", "a"), stationary("curve", "a", by = "g", kernel = "rbf"),
                  stationary("both", c("b", "c", "a"), "product", input = c("bc", "bc", "a"))),
    group_alone = list(list(name = "group", base = "constant", columns = character(), by = "g")),
    joined = list(stationary("main", c("a", "b", "c"), "additive", "rational_quadratic",
                             input = c("ab", "ab", "c"))),
    rotated = list(stationary("main", c("a", "b", "c"), "product", input = c("ab", "ab", "c"),
                              rotated = "ab"),
                   stationary("curve", c("c", "b"), by = "g", kernel = "rational_quadratic",
                              input = c("cb", "cb"), rotated = "cb")),
    turned = list(stationary("main", c("c", "a", "b"), kernel = "rbf", input = c("c", "ab", "ab"),
                             rotated = "ab"),
                  stationary("sum", c("a", "b", "c"), "additive", input = c("ab", "ab", "c"),
                             rotated = "ab"))
  )
}

terms_inputs <- function(term) if (is.null(term$input)) term$columns else term$input

# The term for the core, with columns counted from 1.
core_term <- function(term, names) {
  inputs <- terms_inputs(term)
  core <- list(name = term$name, base = term$base, columns = match(term$columns, names),
               by = if (is.null(term$by)) 0L else match(term$by, names))
  if (term$base == "stationary") {
    core <- c(core, list(kernel = term$kernel, form = term$form,
                         lengthscale = match(inputs, unique(inputs)),
                         input = match(inputs, unique(inputs)),
                         mapped = match(term$rotated, inputs)))
  }
  core
}

hyperparameter <- function(name, role, positive = TRUE) {
  list(name = name, role = role, positive = positive, prior = 1)
}

# All hyperparameters of a model with this transform, in the order of the core.
terms_hyperparameters <- function(terms, transform = "boxcox") {
  named <- function(names, role) lapply(names, hyperparameter, role = role)
  prefixes <- paste0(vapply(terms, `[[`, "", "name"), ".")
  prefixes[1] <- ""
  processes <- vapply(terms, function(term) term$base == "stationary", NA)
  lengthscales <- unlist(Map(function(term, prefix) {
    paste0(prefix, "lengthscale.", unique(terms_inputs(term)))
  }, terms[processes], prefixes[processes]))
  rational <- vapply(terms, function(term) identical(term$kernel, "rational_quadratic"), NA)
  kernels <- paste0(prefixes[rational], if (any(rational)) "rational_quadratic.alpha")
  maps <- unlist(Map(function(term, prefix) {
    lapply(term$rotated, function(input) paste0(prefix, "anisotropy.", c("cos.", "sin."), input))
  }, terms[processes], prefixes[processes]))
  ratios <- if (length(terms) > 1) paste0("ratio.", vapply(terms[-1], `[[`, "", "name"))
  c(named(lengthscales, "lengthscale"), named(kernels, "kernel"),
    lapply(maps, hyperparameter, role = "map", positive = FALSE), named(ratios, "share"),
    named("noise", "noise"),
    if (transform == "boxcox") list(hyperparameter("boxcox.lambda", "transform", FALSE)))
}

# A model with terms in the core and its naive counterpart, at three nodes.
terms_model <- function(terms, data = terms_data(), likelihood = "integrated", weights = NULL,
                        transform = "boxcox") {
  hyperparameters <- terms_hyperparameters(terms, transform)
  names <- vapply(hyperparameters, `[[`, "", "name")
  hyper <- withr::with_seed(11, {
    matrix(runif(3 * length(names), 0.4, 1.6), 3, dimnames = list(NULL, names))
  })
  design <- list(inputs = data$X, lengthscale_of_column = rep(1L, ncol(data$X)), trend = data$M,
                 noise = NULL, weights = weights)
  problem <- list(terms = lapply(terms, core_term, names = colnames(data$X)),
                  transform = transform, response = data$y, noise_columns = integer(),
                  hyperparameters = hyperparameters, likelihood = likelihood)
  built <- build_models(design, list(model = list(problem = problem)))
  fit <- list(scaling = list(y = list(center = 0, scale = 1)))
  model <- naive_model(fit, data$X, data$M, data$y, transform, terms = terms,
                       nodes = data.frame(weight = 1 / 3, hyper, check.names = FALSE),
                       weights = if (is.null(weights)) rep(1, length(data$y)) else weights)
  list(built = built, hyper = hyper, model = model, data = data)
}

terms_ensemble <- function(case) {
  list(built = case$built, weight = rep(1 / 3, 3),
       members = list(list(model = 1L, hyper = case$hyper, shift = 0, scale = 1)))
}

# New points. The last has a group without data.
terms_points <- function(observation = 1) {
  X <- withr::with_seed(3, cbind(a = rnorm(5), b = rnorm(5), c = rnorm(5), g = c(1:4, 9)))
  list(inputs = X, trend = cbind(1, X[, "c"]), noise = NULL,
       relative_noise = observation * c(1, 0.5, 2, 1, 1))
}

test_that("likelihoods, predictions and gradients of sums of terms are naive", {
  skip_if_not_installed("numDeriv")
  for (terms in terms_cases()) {
    case <- terms_model(terms)
    found <- evaluate_model(case$built, case$hyper, gradient = TRUE)
    expect_close(found$log_marginal, naive_log_marginal(case$model), 1e-8)
    positive <- !grepl("boxcox.lambda|anisotropy", colnames(case$hyper))
    at <- ifelse(positive, log(case$hyper[2, ]), case$hyper[2, ])
    slopes <- numDeriv::grad(function(at) {
      values <- setNames(ifelse(positive, exp(at), at), colnames(case$hyper))
      naive_log_marginal(case$model, list(naive_node(case$model, as.list(values))))
    }, at)
    expect_close(found$gradient[2, ], slopes, 1e-6, floor = 0.01)

    for (observation in c(TRUE, FALSE)) {
      points <- terms_points(observation)
      latent <- check_core(core_latent(terms_ensemble(case), points, core_run()))
      naive <- naive_latent(case$model, points$inputs, points$trend, observation,
                            1 / c(1, 0.5, 2, 1, 1))
      expect_close(latent$location, t(naive$location), 1e-8)
      expect_close(latent$scale, t(naive$scale), 1e-8)
    }
  }
})

test_that("some of the terms are predicted as the naive model does", {
  for (terms in terms_cases()) {
    case <- terms_model(terms)
    names <- vapply(terms, `[[`, "", "name")
    for (some in c(as.list(names), list(names, rev(names)[-1], character(), "none"))) {
      points <- c(terms_points(0), list(terms = some))
      latent <- check_core(core_latent(terms_ensemble(case), points, core_run()))
      naive <- naive_latent(case$model, points$inputs, points$trend, FALSE, include = some)
      expect_close(latent$location, t(naive$location), 1e-8)
      expect_close(latent$scale, t(naive$scale), 1e-8)
    }
  }
})

test_that("contributions of the terms and the trend sum to the location", {
  case <- terms_model(terms_cases()$groups)
  at <- function(...) {
    check_core(core_latent(terms_ensemble(case), modifyList(terms_points(0), list(...)),
                           core_run()))$location
  }
  no_trend <- 0 * terms_points()$trend
  parts <- lapply(c("main", "group", "slope"), function(name) at(terms = name, trend = no_trend))
  expect_close(Reduce(`+`, parts) + at(terms = character()), at(), 1e-10)
  # No row is in the last point's group.
  expect_identical(at(terms = c("group", "slope"), trend = no_trend)[, 5], numeric(3))
})

answer_of <- function(case, questions, ...) {
  options <- list(tolerance = 1e-12, bound = "auto", weight_variances = numeric(), floor = -Inf,
                  ceiling = Inf, open = 0)
  request <- c(list(questions = questions, options = options), list(...))
  check_core(core_answer(terms_ensemble(case), request, core_run()))$answers
}

test_that("left-out rows of sums of terms are those of refits", {
  for (terms in terms_cases()[c("additive", "groups", "curves", "rotated")]) {
    case <- terms_model(terms)
    y <- case$data$y
    rows <- c(3, 17)
    expected <- vapply(rows, function(row) {
      without <- oracle_loo_model(case$model, row)
      mixture <- naive_mixtures(without, case$data$X[row, , drop = FALSE],
                                case$data$M[row, , drop = FALSE])[[1]]
      log(mixture$density(y[row]))
    }, 0)
    for (naive in c(FALSE, TRUE)) {
      plan <- list(fold = seq_along(y), observation = TRUE, naive = naive, joint = TRUE)
      found <- answer_of(case, list(log_density = matrix(y)), leave_out = plan)
      expect_close(found$log_density$value[rows], expected, 1e-8)
    }
  }
})

test_that("slopes of sums of terms are those of differences", {
  for (terms in terms_cases()[c("additive", "linear", "groups", "curves", "rotated", "turned")]) {
    case <- terms_model(terms)
    points <- terms_points()
    along <- list(inputs = matrix(rep(c(0.7, -1, 0.4, 0), each = 5), 5),
                  trend = cbind(0, rep(0.4, 5)), noise = NULL)
    found <- answer_of(case, list(quantile = matrix(c(0.1, 0.5), 1)), points = points,
                       directions = list(along))$quantile$slopes[[1]]
    at <- function(step) {
      X <- points$inputs + step * along$inputs
      mixtures <- naive_mixtures(case$model, X, points$trend + step * along$trend,
                                 w = 1 / points$relative_noise)
      vapply(mixtures, function(mixture) c(mixture$quantile(0.1), mixture$quantile(0.5)), 0 * 1:2)
    }
    slope <- function(h) (at(h) - at(-h)) / (2 * h)
    expect_close(found, t((4 * slope(1e-3) - slope(2e-3)) / 3), 1e-5)
  }
})

test_that("weights, replicates and the profile likelihood work with terms", {
  data <- terms_data()
  data$X[2, ] <- data$X[1, ]
  data$M <- cbind(1, data$X[, "c"])
  data$X[, 1:3] <- scale(data$X[, 1:3])
  case <- terms_model(terms_cases()$groups, data, weights = rep(c(0.5, 1.5), 12))
  expect_identical(case$built$sites, 23L)
  found <- evaluate_model(case$built, case$hyper, gradient = TRUE)
  expect_close(found$log_marginal, naive_log_marginal(case$model), 1e-8)
  case <- terms_model(terms_cases()$linear, likelihood = "profiled")
  found <- evaluate_model(case$built, case$hyper)$log_marginal
  n <- nrow(case$data$M)
  expected <- vapply(case$model$solved, function(node) {
    -naive_log_det(node$K) / 2 - n / 2 * log(node$q) + node$log_jacobian
  }, 0)
  expect_close(found, expected, 1e-8)
})

test_that("a linear term is ridge regression, and groups are shrunken means", {
  data <- terms_data()
  n <- length(data$y)
  data$M <- matrix(1, n)
  columns <- c("a", "b", "c")
  case <- terms_model(list(list(name = "lin", base = "linear", columns = columns)), data,
                      transform = "identity")
  points <- terms_points(0)
  points$trend <- matrix(1, 5)
  noise <- case$hyper[, "noise"]
  expected <- vapply(noise, function(noise) {
    x <- data$X[, columns] # with means of 0
    slopes <- solve(crossprod(x) + 3 * noise * diag(3), crossprod(x, data$y - mean(data$y)))
    mean(data$y) + as.vector(points$inputs[, columns] %*% slopes)
  }, numeric(5))
  latent <- check_core(core_latent(terms_ensemble(case), points, core_run()))
  expect_close(latent$location, t(expected), 1e-8)

  case <- terms_model(list(list(name = "group", base = "constant", columns = character(),
                                by = "g")), data, transform = "identity")
  noise <- case$hyper[, "noise"]
  expected <- vapply(noise, function(noise) {
    size <- as.vector(table(data$X[, "g"]))
    means <- as.vector(tapply(data$y, data$X[, "g"], mean))
    precision <- size / (size + noise)
    overall <- sum(precision * means) / sum(precision)
    overall + c(size / (size + noise) * (means - overall), 0)
  }, numeric(5))
  latent <- check_core(core_latent(terms_ensemble(case), points, core_run()))
  expect_close(latent$location, t(expected), 1e-8)
})

test_that("draws of several points have the naive covariance of the sum of terms", {
  case <- terms_model(terms_cases()$groups, transform = "identity")
  points <- terms_points()
  draws <- 20000
  df <- nrow(case$data$M) - ncol(case$data$M)
  plan <- withr::with_seed(1, {
    list(node = rep(2L, draws), normals = matrix(rnorm(5 * draws), 5),
         chi_square = rchisq(draws, df) / df, known = matrix(0, 0, draws), noise = matrix(0, 0, 0))
  })
  drawn <- check_core(core_draw(terms_ensemble(case), points, plan, core_run()))$draws
  expected <- naive_joint_covariance(case$model, case$model$solved[[2]], points$inputs,
                                     points$trend, w = 1 / points$relative_noise)
  expect_lt(max(abs(cov(t(drawn)) - expected)) / max(expected), 0.06)
})
