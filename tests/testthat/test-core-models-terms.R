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
                       input = NULL) {
  list(name = name, base = "stationary", kernel = kernel, form = form, columns = columns, by = by,
       input = input)
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
                             input = c("ab", "ab", "c")))
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
                         input = match(inputs, unique(inputs))))
  }
  core
}

hyperparameter <- function(name, role, positive = TRUE) {
  list(name = name, role = role, positive = positive, prior = 1)
}

# All hyperparameters of a model with a Box-Cox transform, in the order of the core.
terms_hyperparameters <- function(terms) {
  named <- function(names, role) lapply(names, hyperparameter, role = role)
  prefixes <- paste0(vapply(terms, `[[`, "", "name"), ".")
  prefixes[1] <- ""
  processes <- vapply(terms, function(term) term$base == "stationary", NA)
  lengthscales <- unlist(Map(function(term, prefix) {
    paste0(prefix, "lengthscale.", unique(terms_inputs(term)))
  }, terms[processes], prefixes[processes]))
  rational <- vapply(terms, function(term) identical(term$kernel, "rational_quadratic"), NA)
  kernels <- paste0(prefixes[rational], if (any(rational)) "rational_quadratic.alpha")
  ratios <- if (length(terms) > 1) paste0("ratio.", vapply(terms[-1], `[[`, "", "name"))
  c(named(lengthscales, "lengthscale"), named(kernels, "kernel"), named(ratios, "share"),
    named("noise", "noise"), list(hyperparameter("boxcox.lambda", "transform", FALSE)))
}

# A model with terms in the core and its naive counterpart, at three nodes.
terms_model <- function(terms, data = terms_data(), likelihood = "integrated", weights = NULL) {
  hyperparameters <- terms_hyperparameters(terms)
  names <- vapply(hyperparameters, `[[`, "", "name")
  hyper <- withr::with_seed(11, {
    matrix(runif(3 * length(names), 0.4, 1.6), 3, dimnames = list(NULL, names))
  })
  design <- list(inputs = data$X, lengthscale_of_column = rep(1L, ncol(data$X)), trend = data$M,
                 noise = NULL, weights = weights)
  problem <- list(terms = lapply(terms, core_term, names = colnames(data$X)),
                  transform = "boxcox", response = data$y, noise_columns = integer(),
                  hyperparameters = hyperparameters, likelihood = likelihood)
  built <- build_models(design, list(model = list(problem = problem)))
  fit <- list(scaling = list(y = list(center = 0, scale = 1)))
  used <- unique(unlist(lapply(terms, function(term) c(term$columns, term$by))))
  model <- naive_model(fit, data$X, data$M, data$y, "boxcox", terms = terms,
                       nodes = data.frame(weight = 1 / 3, hyper, check.names = FALSE),
                       weights = if (is.null(weights)) rep(1, length(data$y)) else weights)
  model$used <- used
  list(built = built, hyper = hyper, model = model, data = data)
}

terms_ensemble <- function(case) {
  list(built = case$built, weight = rep(1 / 3, 3),
       members = list(list(model = 1L, hyper = case$hyper, shift = 0, scale = 1)))
}

# New points, of which the last has a group without data.
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
    positive <- colnames(case$hyper) != "boxcox.lambda"
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
