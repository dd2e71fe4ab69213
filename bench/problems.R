# The problems of the quadrature benchmark: list(name, data, formula, transform, new).

int_sine <- function(n, seed) {
  set.seed(seed)
  x <- sort(runif(n, 0, 4 * pi))
  data.frame(x = x, y = round(2 * sin(x)) / 2 + rnorm(n, sd = 0.05))
}

six_hump_camel <- function(n, seed) {
  set.seed(seed)
  x1 <- runif(n, -2, 2)
  x2 <- runif(n, -1, 1)
  y <- (4 - 2.1 * x1^2 + x1^4 / 3) * x1^2 + x1 * x2 + (-4 + 4 * x2^2) * x2^2
  data.frame(x1, x2, y = y + rnorm(n, sd = 0.1))
}

# A skewed, positive response of the first few of d inputs.
skewed <- function(n, d, seed, noise = 0.2) {
  set.seed(seed)
  x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("x", seq_len(d))))
  signal <- sin(1.5 * x[, 1]) + 0.5 * x[, 2] + 0.3 * x[, 3]^2 + 0.2 * x[, 4] * x[, 5]
  data.frame(x, y = exp(0.8 * signal + rnorm(n, sd = noise)))
}

split_problem <- function(name, data, transform, n) {
  list(name = name, data = data[seq_len(n), ], new = data[-seq_len(n), ], formula = y ~ .,
       transform = transform)
}

shuffle <- function(data) data[sample(nrow(data)), ]

# Rows of a data set of R, of which `n` are fitted to.
from_r <- function(name, response, inputs, n, transform) {
  set.seed(1)
  data <- shuffle(stats::na.omit(as.data.frame(get(name, "package:datasets"))[c(response, inputs)]))
  names(data)[1L] <- "y"
  data$y <- as.double(data$y)
  split_problem(paste0(name, ", ", toString(transform)), data, transform, n)
}

quadrature_problems <- function() {
  sine <- shuffle(int_sine(151, 1))
  positive_sine <- transform(sine, y = y + 2)
  both <- c("softplus", "sinharcsinh")
  list(
    split_problem("IntSine, identity", sine, "identity", 51),
    split_problem("IntSine, boxcox", positive_sine, "boxcox", 51),
    split_problem("IntSine, sinharcsinh", sine, "sinharcsinh", 51),
    split_problem("IntSine, affine + sinharcsinh", sine, c("affine", "sinharcsinh"), 51),
    split_problem("Camel, sinharcsinh", six_hump_camel(150, 2), "sinharcsinh", 50),
    split_problem("Skewed, 8 inputs, 30 rows", skewed(130, 8, 3), both, 30),
    split_problem("Skewed, 12 inputs, 200 rows", skewed(300, 12, 4), both, 200),
    split_problem("Skewed, 30 inputs, 100 rows", skewed(200, 30, 5), both, 100)
  )
}

# Looked at while the search for modes given a spread was made.
further_problems <- function() {
  both <- c("softplus", "sinharcsinh")
  flower <- c("Sepal.Width", "Petal.Length", "Petal.Width")
  provinces <- c("Agriculture", "Examination", "Education", "Catholic", "Infant.Mortality")
  list(
    from_r("cars", "dist", "speed", 25, "sinharcsinh"),
    from_r("faithful", "eruptions", "waiting", 80, "sinharcsinh"),
    from_r("trees", "Volume", c("Girth", "Height"), 20, "boxcox"),
    from_r("rock", "perm", c("area", "peri", "shape"), 32, "softplus"),
    from_r("airquality", "Ozone", c("Solar.R", "Wind", "Temp"), 60, both),
    from_r("iris", "Sepal.Length", flower, 90, "yeojohnson"),
    from_r("swiss", "Fertility", provinces, 30, "sinharcsinh"),
    from_r("mtcars", "mpg", setdiff(names(datasets::mtcars), "mpg"), 22, "boxcox"),
    split_problem("Skewed, 13 inputs, 80 rows", skewed(180, 13, 8, 0.05), both, 80),
    split_problem("Skewed, 31 inputs, 150 rows", skewed(250, 31, 9, 0.5), "sinharcsinh", 150)
  )
}

# Nothing was tuned to these, nor were they looked at before the rule was as it is.
fresh_problems <- function() {
  both <- c("softplus", "sinharcsinh")
  savings <- c("pop15", "pop75", "dpi", "ddpi")
  list(
    from_r("attenu", "accel", c("mag", "dist"), 80, "softplus"),
    from_r("quakes", "stations", c("lat", "long", "depth", "mag"), 60, "boxcox"),
    from_r("stackloss", "stack.loss", c("Air.Flow", "Water.Temp", "Acid.Conc."), 15, "sinharcsinh"),
    from_r("LifeCycleSavings", "sr", savings, 35, "sinharcsinh"),
    from_r("ChickWeight", "weight", "Time", 50, both),
    from_r("Orange", "circumference", "age", 24, "yeojohnson"),
    from_r("longley", "Employed", setdiff(names(datasets::longley), "Employed"), 12, "identity"),
    split_problem("Skewed, 6 inputs, 50 rows", skewed(150, 6, 21), "sinharcsinh", 50),
    split_problem("Skewed, 10 inputs, 120 rows", skewed(220, 10, 22, 0.1), both, 120),
    split_problem("Skewed, 30 inputs, 200 rows", skewed(300, 30, 23, 0.3), both, 200)
  )
}
