# The paper's five data sets. Each is a function of a seed that returns list(train, test): data
# frames with the response `y`, and in `test` of generated ones its expectation `truth`.

# 51 and 400 even points of a rounded sine. The paper does not give the noise; 2 is added for the
# sake of Box-Cox, and changes nothing else.
draw_int_sine <- function(seed, sd = 0.05) {
  set.seed(seed)
  rounded <- function(n) {
    x <- seq(-pi, pi, length.out = n)
    data.frame(x, truth = round(sin(x)) + 2)
  }
  noisy <- function(data) transform(data, y = truth + rnorm(nrow(data), sd = sd))
  train <- noisy(rounded(51L))
  list(train = train[c("x", "y")], test = noisy(rounded(400L)))
}

# `n` Sobol points, shifted at random (modulo 1) from the second seed on, and uniform ones to test
# at, on [-1, 1] x [-2, 2], without noise. 1.1 is added to keep it positive.
draw_camel <- function(seed, n = 50L, tests = 400L) {
  set.seed(seed)
  camel <- function(u) {
    x1 <- 2 * u[, 1] - 1
    x2 <- 4 * u[, 2] - 2
    y <- (4 - 2.1 * x1^2 + x1^4 / 3) * x1^2 + x1 * x2 + (-4 + 4 * x2^2) * x2^2 + 1.1
    data.frame(x1, x2, y)
  }
  shift <- if (seed == 1) c(0, 0) else runif(2)
  test <- camel(matrix(runif(2L * tests), ncol = 2))
  list(train = camel(sweep(sobol_2d(n), 2L, shift, `+`) %% 1),
       test = cbind(test, truth = test$y))
}

# The first points of the two-dimensional Sobol sequence after the origin.
sobol_2d <- function(n) {
  bits <- 1:16
  second <- Reduce(function(m, i) bitwXor(2L * m, m), bits[-1L], 1L, accumulate = TRUE)
  direction <- cbind(2^-bits, second * 2^-bits)
  digits <- outer(seq_len(n), bits, function(i, bit) i %/% 2^(bit - 1) %% 2)
  sum_modulo_2 <- function(row, k) {
    Reduce(bitwXor, as.integer(row * direction[, k] * 2^16)) / 2^16
  }
  sapply(1:2, function(k) apply(digits, 1L, sum_modulo_2, k))
}

# Rows at random: `n` to fit to and at most `tests` others.
draw_rows <- function(data, n, tests) {
  names(data)[ncol(data)] <- "y"
  force(n)
  function(seed) {
    set.seed(seed)
    rows <- sample.int(nrow(data), n + tests)
    list(train = data[rows[seq_len(n)], ], test = data[rows[-seq_len(n)], ])
  }
}

# The response is the last column. NULL, and said, if there is no such file.
read_data <- function(folder, file) {
  path <- if (!is.null(folder)) file.path(folder, file)
  if (!is.null(path) && file.exists(path)) {
    return(utils::read.csv(path, stringsAsFactors = TRUE))
  }
  if (file == "abalone.csv" && length(installed("AppliedPredictiveModeling")) > 0L) {
    place <- new.env()
    utils::data("abalone", package = "AppliedPredictiveModeling", envir = place)
    return(place$abalone)
  }
  cat("Left out: no", file, "(give its folder as --data=DIR)\n")
  NULL
}

# Training sizes are the paper's; it tests at 500, 1000 and 1500 rows of the real data.
paper_problems <- function(folder, tests = 300L) {
  problems <- list(IntSine = draw_int_sine, Camel = draw_camel)
  files <- c(Abalone = "abalone.csv", Wine = "winequality-red.csv", Creep = "creep.csv")
  sizes <- c(Abalone = 30L, Wine = 200L, Creep = 100L)
  for (name in names(files)) {
    data <- read_data(folder, files[[name]])
    if (!is.null(data)) problems[[name]] <- draw_rows(data, sizes[[name]], tests)
  }
  problems
}
