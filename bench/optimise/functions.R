# Test functions of Bayesian optimisation: `fun` of a vector between `lower` and `upper`, whose
# smallest value is `least`, observed with a standard deviation of `noise`.

branin <- function(x) {
  (x[2] - 5.1 / (4 * pi^2) * x[1]^2 + 5 / pi * x[1] - 6)^2 +
    10 * (1 - 1 / (8 * pi)) * cos(x[1]) + 10
}

goldstein_price <- function(x) {
  a <- x[1]
  b <- x[2]
  (1 + (a + b + 1)^2 * (19 - 14 * a + 3 * a^2 - 14 * b + 6 * a * b + 3 * b^2)) *
    (30 + (2 * a - 3 * b)^2 * (18 - 32 * a + 12 * a^2 + 48 * b - 36 * a * b + 27 * b^2))
}

hartmann <- function(a, p) {
  function(x) -sum(c(1, 1.2, 3, 3.2) * exp(-rowSums(a * (rep(x, each = 4) - p)^2)))
}

hartmann3 <- hartmann(
  rbind(c(3, 10, 30), c(0.1, 10, 35), c(3, 10, 30), c(0.1, 10, 35)),
  1e-4 * rbind(c(3689, 1170, 2673), c(4699, 4387, 7470), c(1091, 8732, 5547), c(381, 5743, 8828))
)

hartmann6 <- hartmann(
  rbind(c(10, 3, 17, 3.5, 1.7, 8), c(0.05, 10, 17, 0.1, 8, 14), c(3, 3.5, 1.7, 10, 17, 8),
        c(17, 8, 0.05, 10, 0.1, 14)),
  1e-4 * rbind(c(1312, 1696, 5569, 124, 8283, 5886), c(2329, 4135, 8307, 3736, 1004, 9991),
               c(2348, 1451, 3522, 2883, 3047, 6650), c(4047, 8828, 8732, 5743, 1091, 381))
)

levy <- function(x) {
  w <- 1 + (x - 1) / 4
  d <- length(w)
  sin(pi * w[1])^2 + sum((w[-d] - 1)^2 * (1 + 10 * sin(pi * w[-d] + 1)^2)) +
    (w[d] - 1)^2 * (1 + sin(2 * pi * w[d])^2)
}

rosenbrock <- function(x) {
  d <- length(x)
  sum(100 * (x[-1] - x[-d]^2)^2 + (1 - x[-d])^2)
}

ackley <- function(x) {
  -20 * exp(-0.2 * sqrt(mean(x^2))) - exp(mean(cos(2 * pi * x))) + 20 + exp(1)
}

new_problem <- function(fun, lower, upper, least, d = length(lower), noise = 0) {
  list(fun = fun, lower = rep(lower, length.out = d), upper = rep(upper, length.out = d),
       least = least, noise = noise)
}

# Of the noisy ones, the standard deviation is about a twentieth of that of the function.
problems <- list(
  branin = new_problem(branin, c(-5, 0), c(10, 15), 0.3978874),
  goldstein = new_problem(goldstein_price, -2, 2, 3, d = 2),
  hartmann3 = new_problem(hartmann3, 0, 1, -3.86278, d = 3),
  hartmann6 = new_problem(hartmann6, 0, 1, -3.32237, d = 6),
  levy = new_problem(levy, -10, 10, 0, d = 4),
  rosenbrock = new_problem(rosenbrock, -2, 2, 0, d = 4),
  ackley = new_problem(ackley, -5, 5, 0, d = 5),
  noisy_branin = new_problem(branin, c(-5, 0), c(10, 15), 0.3978874, noise = 2.5),
  noisy_hartmann3 = new_problem(hartmann3, 0, 1, -3.86278, d = 3, noise = 0.05)
)
