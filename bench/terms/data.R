# Data sets for the benchmark of terms: lists of list(formula, data, train), where `train` is the
# number of rows to fit to.

from_package <- function(package, name, file = name) {
  space <- new.env()
  utils::data(list = file, package = package, envir = space)
  as.data.frame(space[[name]])
}

# Two thirds of the complete rows, at most 80. NULL if the package is not installed.
table_of <- function(package, name, formula) {
  if (!requireNamespace(package, quietly = TRUE)) return(NULL)
  data <- stats::na.omit(from_package(package, name)[all.vars(formula)])
  # The names of a time series do not match those of plain numbers.
  data[] <- lapply(data, function(x) if (is.factor(x)) x else as.double(x))
  list(formula = formula, data = data, train = min(80L, (2L * nrow(data)) %/% 3L))
}

# Tables with which a linear candidate was tried.
linear_problems <- function() {
  list(
    swiss = table_of("datasets", "swiss", Fertility ~ Agriculture + Examination + Education +
                       Catholic + Infant.Mortality),
    savings = table_of("datasets", "LifeCycleSavings", sr ~ pop15 + pop75 + dpi + ddpi),
    attitude = table_of("datasets", "attitude", rating ~ complaints + privileges + learning +
                          raises + critical + advance),
    stackloss = table_of("datasets", "stackloss", stack.loss ~ Air.Flow + Water.Temp + Acid.Conc.),
    mtcars = table_of("datasets", "mtcars", mpg ~ wt + hp + disp),
    trees = table_of("datasets", "trees", Volume ~ Girth + Height),
    airquality = table_of("datasets", "airquality", Ozone ~ Solar.R + Wind + Temp),
    boston = table_of("MASS", "Boston", medv ~ lstat + rm + dis + ptratio),
    hills = table_of("MASS", "hills", time ~ dist + climb),
    uscrime = table_of("MASS", "UScrime", y ~ M + Ed + Po1 + U2 + Ineq + Prob),
    rubber = table_of("MASS", "Rubber", loss ~ hard + tens),
    prestige = table_of("carData", "Prestige", prestige ~ education + income + women)
  )
}

# Tables and simulators by which the gate of the additive candidate was not chosen.
gate_problems <- function() {
  c(list(
    salinity = table_of("boot", "salinity", sal ~ lag + trend + dis),
    cars = table_of("rpart", "car.test.frame", Mileage ~ Weight + Disp. + HP + Price),
    education = table_of("robustbase", "education", Y ~ X1 + X2 + X3),
    aircraft = table_of("robustbase", "aircraft", Y ~ X1 + X2 + X3 + X4),
    freeny = table_of("datasets", "freeny", y ~ lag.quarterly.revenue + price.index +
                        income.level + market.potential),
    highway = table_of("carData", "Highway1", rate ~ len + adt + trks + slim + acpt),
    crime = table_of("carData", "Freedman", crime ~ population + nonwhite + density),
    longley = table_of("datasets", "longley", Employed ~ GNP + Unemployed + Armed.Forces)
  ), simulators())
}

simulators <- function() {
  list(
    otl = simulated(otl_circuit, c(50, 25, 0.5, 1.2, 0.25, 50), c(150, 70, 3, 2.5, 1.2, 300)),
    wing = simulated(wing_weight, c(150, 220, 6, -10, 16, 0.5, 0.08, 2.5, 1700, 0.025),
                     c(200, 300, 10, 10, 45, 1, 0.18, 6, 2500, 0.08)),
    robot = simulated(robot_arm, rep(0, 8), c(rep(2 * pi, 4), rep(1, 4))),
    curved = simulated(dette_pepelyshev, rep(0, 3), rep(1, 3)),
    otl_noise = simulated(otl_circuit, c(50, 25, 0.5, 1.2, 0.25, 50),
                          c(150, 70, 3, 2.5, 1.2, 300), noise = 0.05)
  )
}

# Draws points uniformly. `noise` is relative to the standard deviation of the function.
simulated <- function(fun, lower, upper, noise = 0, train = 60L, n = 160L) {
  set.seed(1)
  x <- sapply(seq_along(lower), function(j) stats::runif(n, lower[j], upper[j]))
  colnames(x) <- paste0("x", seq_along(lower))
  y <- apply(x, 1L, fun)
  y <- y + noise * stats::sd(y) * stats::rnorm(n)
  list(formula = stats::reformulate(colnames(x), "y"), data = data.frame(x, y), train = train)
}

# Functions of the library of simulation experiments of Surjanovic and Bingham.
otl_circuit <- function(x) {
  start <- 12 * x[2] / (x[1] + x[2])
  gain <- x[6] * (x[5] + 9)
  (start + 0.74) * gain / (gain + x[3]) + 11.35 * x[3] / (gain + x[3]) +
    0.74 * x[3] * gain / ((gain + x[3]) * x[4])
}

wing_weight <- function(x) {
  sweep <- cos(x[4] * pi / 180)
  0.036 * x[1]^0.758 * x[2]^0.0035 * (x[3] / sweep^2)^0.6 * x[5]^0.006 * x[6]^0.04 *
    (100 * x[7] / sweep)^-0.3 * (x[8] * x[9])^0.49 + x[1] * x[10]
}

robot_arm <- function(x) {
  angle <- cumsum(x[1:4])
  sqrt(sum(x[5:8] * cos(angle))^2 + sum(x[5:8] * sin(angle))^2)
}

dette_pepelyshev <- function(x) {
  4 * (x[1] - 2 + 8 * x[2] - 8 * x[2]^2)^2 + (3 - 4 * x[2])^2 + 16 * sqrt(x[3] + 1) *
    (2 * x[3] - 1)^2
}
