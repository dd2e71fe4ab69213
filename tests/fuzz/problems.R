# Random problems, ugly on purpose. Everything about a problem follows from its seed.

pick <- function(choices) choices[[sample.int(length(choices), 1L)]]
chance <- function(probability) stats::runif(1) < probability
log_uniform <- function(lower, upper) exp(stats::runif(1, log(lower), log(upper)))
whole <- function(lower, upper) as.integer(floor(log_uniform(lower, upper + 1)))

transforms <- list("identity", "affine", "boxcox", "yeojohnson", "arcsinh", "sinharcsinh",
                   "softplus", c("affine", "sinharcsinh"), c("softplus", "sinharcsinh"),
                   c("boxcox", "arcsinh"), c("yeojohnson", "sinharcsinh"), "auto")
kernels <- c("rbf", "matern52", "matern32", "exponential", "rational_quadratic")

# Few nodes: what is looked for are crashes and wrong numbers, not accuracy.
rules <- list(
  adaptive = quote(quad_adaptive()),
  few = quote(quad_adaptive(nodes = 64, effective = 20, most = 200)),
  sobol = quote(quad_sobol(nodes = 64)),
  monte_carlo = quote(quad_monte_carlo(nodes = 64)),
  ccd = quote(quad_ccd()),
  smolyak = quote(quad_smolyak(order = 2)),
  gauss_hermite = quote(quad_gauss_hermite(order = 2)),
  gerstner_griebel = quote(quad_gerstner_griebel(nodes = 60)),
  tensor = quote(quad_tensor(points = 2))
)

# One input of n rows.
random_input <- function(n) {
  x <- switch(pick(c("uniform", "normal", "skewed", "grid", "few", "factor", "logical")),
    uniform = stats::runif(n),
    normal = stats::rnorm(n),
    skewed = exp(stats::rnorm(n, sd = 2)),
    grid = seq_len(n) / n,
    few = sample(3, n, replace = TRUE),
    factor = factor(sample(letters[seq_len(pick(2:5))], n, replace = TRUE)),
    logical = sample(c(TRUE, FALSE), n, replace = TRUE)
  )
  if (is.numeric(x) && chance(0.3)) x <- x * 10^stats::runif(1, -12, 12)
  if (is.numeric(x) && chance(0.1)) x <- x + 1e9 * stats::sd(x)
  x
}

# Columns that are hard for a linear algebra.
spoil_inputs <- function(inputs) {
  n <- nrow(inputs)
  numeric <- names(inputs)[vapply(inputs, is.numeric, NA)]
  if (length(numeric) > 0L && chance(0.15)) inputs$copy <- 2 * inputs[[numeric[1L]]] + 1
  if (chance(0.1)) inputs$constant <- 7
  if (chance(0.25)) {
    rows <- sample(n, n %/% 2L)
    inputs[rows, ] <- inputs[rep_len(setdiff(seq_len(n), rows), length(rows)), ]
  }
  if (chance(0.1)) inputs <- inputs[sort(rep_len(seq_len(max(3L, n %/% 6L)), n)), , drop = FALSE]
  rownames(inputs) <- NULL
  if (length(numeric) > 0L && chance(0.15)) {
    near <- sample(n, 1L)
    inputs[sample(n, 1L), ] <- inputs[near, ]
    column <- inputs[[numeric[1L]]]
    inputs[[numeric[1L]]] <- column + 1e-13 * max(abs(column)) * stats::rnorm(n)
  }
  inputs
}

random_response <- function(inputs) {
  n <- nrow(inputs)
  standard <- lapply(inputs, function(x) {
    x <- as.numeric(x)
    spread <- stats::sd(x)
    if (is.finite(spread) && spread > 0) (x - mean(x)) / spread else 0 * x
  })
  signal <- Reduce(`+`, lapply(utils::head(standard, 3L), function(x) sin(1.5 * x)))
  y <- signal + pick(c(0, 1e-8, 0.05, 0.5, 5)) * stats::rnorm(n)
  switch(pick(c("plain", "plain", "skewed", "rounded", "ties", "outlier", "zeros", "but_one",
                "counts", "heavy")),
    plain = y,
    skewed = exp(y),
    rounded = round(y, 1),
    ties = pmax(y, stats::median(y)),
    outlier = replace(y, sample(n, 1L), 1e6 * (1 + abs(max(y)))),
    zeros = pmax(exp(y) - 1, 0),
    but_one = replace(rep(1, n), sample(n, 1L), 2),
    counts = stats::rpois(n, exp(pmin(y, 5))),
    heavy = y / abs(stats::rnorm(n))^2
  )
}

# Precisions of the rows: none, mostly.
random_weights <- function(n) {
  switch(pick(c("none", "none", "none", "mild", "extreme", "counts", "equal", "but_one")),
    mild = stats::runif(n, 0.5, 2),
    extreme = 10^stats::runif(n, -6, 6),
    counts = sample(5, n, replace = TRUE),
    equal = rep(1e-3, n),
    but_one = replace(rep(1, n), sample(n, 1L), 1e9)
  )
}

# The noise: constant, mostly; as a model of some inputs, found by the package, or known.
random_noise <- function(inputs) {
  column <- pick(names(inputs))
  bend <- is.numeric(inputs[[column]]) && chance(0.3)
  varying <- stats::reformulate(c(column, if (bend) paste0("I(", column, "^2)")))
  switch(sample(c("constant", "varying", "auto", "none", "fixed"), 1L,
                prob = c(0.66, 0.17, 0.06, 0.06, 0.05)),
    constant = ~ 1,
    varying = varying,
    auto = "auto",
    none = 0,
    fixed = log_uniform(1e-6, 10)
  )
}

# Bounds of the response: mostly not stated, or there are none; at its ends, or beyond.
random_bounds <- function(y) {
  beyond <- function() pick(c(0, 0.1, 10)) * stats::sd(y)
  list(lower = if (chance(0.15)) pick(c(-Inf, min(y) - beyond())),
       upper = if (chance(0.1)) max(y) + beyond())
}

# Blocks, neighbours and inducing functions: of each, hardly any to more than there are rows.
random_approx <- function() vecchia(whole(1, 100) - 1L, whole(1, 40), whole(1, 100) - 1L)

# Limits of some responses, or NULL: intervals around them, or half-lines; a matrix of two columns.
random_limits <- function(y) {
  if (chance(0.8)) {
    return(NULL)
  }
  n <- length(y)
  rows <- sample.int(n, min(whole(1, 40), n))
  width <- stats::sd(y[is.finite(y)]) * 10^stats::runif(2, -6, 1)
  limits <- matrix(NA_real_, n, 2L)
  limits[rows, ] <- switch(pick(c("left", "right", "interval", "mixed")),
    left = cbind(-Inf, y[rows] + width[1L]),
    right = cbind(y[rows] - width[1L], Inf),
    interval = cbind(y[rows] - width[1L], y[rows] + width[2L]),
    mixed = {
      below <- stats::runif(length(rows)) < 0.5
      cbind(ifelse(below, -Inf, y[rows]), ifelse(below, y[rows], Inf))
    }
  )
  limits
}

random_problem <- function(seed) {
  set.seed(seed)
  n <- whole(3, 300)
  d <- if (chance(0.1)) whole(10, 40) else whole(1, 6)
  inputs <- as.data.frame(stats::setNames(lapply(seq_len(d), function(j) random_input(n)),
                                          paste0("x", seq_len(d))))
  inputs <- spoil_inputs(inputs)
  y <- random_response(inputs)
  transform <- pick(transforms)
  positive <- any(c("boxcox", "softplus") %in% transform)
  if (positive && chance(0.9)) y <- abs(y)
  if (chance(0.3)) y <- y * 10^stats::runif(1, -12, 12)
  if (!positive && chance(0.1)) y <- y + 1e9 * stats::sd(y)
  new <- inputs[sample(n, min(n, 4L)), , drop = FALSE]
  numeric <- vapply(new, is.numeric, NA)
  far <- pick(c(0, 0.1, 10, 1e6))
  new[numeric] <- lapply(inputs[numeric], function(x) {
    sample(x, nrow(new), replace = TRUE) + far * stats::sd(x) * stats::rnorm(nrow(new))
  })
  # Cheap rules in many dimensions, where the default takes seconds.
  rule <- if (d > 8) pick(c("few", "sobol", "monte_carlo")) else pick(names(rules))
  problem <- list(
    seed = seed, data = data.frame(inputs, y = y), new = new, transform = transform,
    kernel = pick(kernels), product = chance(0.3), ard = chance(0.8), rule = rule,
    trend = if (chance(0.2)) "linear" else "constant",
    warp = chance(0.7), maximum = chance(0.15), weights = random_weights(n),
    averaging = pick(c("stacking", "posterior")), draws = chance(0.5),
    # How many of the rows are added to the fit of the others.
    added = if (chance(0.3)) whole(1, n) - 1L else 0L, noise = random_noise(inputs),
    approx = if (chance(0.15)) random_approx() else "exact"
  )
  c(problem, random_bounds(y), terms = random_terms(inputs), limits = list(random_limits(y)),
    regions = chance(0.3), sensitivity = chance(0.1))
}
