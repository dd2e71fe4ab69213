# The data sets, all from CRAN packages or generated: list(name, kind, y ~ inputs as a data frame
# whose response is `y`, train = rows to fit to). Those of held_out() were not looked at while the
# package was being improved.

from <- function(package, name, file = name) {
  space <- new.env()
  utils::data(list = file, package = package, envir = space)
  as.data.frame(get(name, space))
}

# `formula` says which columns are the response and the inputs.
data_set <- function(data, formula, train = NULL, kind = "tabular") {
  data <- stats::na.omit(stats::model.frame(formula, data))
  attributes(data)[c("terms", "na.action")] <- NULL
  names(data)[1L] <- "y"
  data$y <- as.double(data$y)
  n <- nrow(data)
  list(data = data, train = min(train, (2L * n) %/% 3L), kind = kind)
}

camel <- function(n) {
  set.seed(1)
  x1 <- stats::runif(n, -2, 2)
  x2 <- stats::runif(n, -1, 1)
  y <- (4 - 2.1 * x1^2 + x1^4 / 3) * x1^2 + x1 * x2 + (-4 + 4 * x2^2) * x2^2
  data.frame(x1, x2, y = y + stats::rnorm(n, sd = 0.1))
}

humanity <- function() {
  space <- new.env()
  utils::data("humanity_model", package = "RobustGaSP", envir = space)
  x <- rbind(space$humanity.X, space$humanity.Xt)
  colnames(x) <- paste0("x", seq_len(ncol(x)))
  data.frame(x, y = c(space$humanity.Y[, 1], space$humanity.Yt[, 1]))
}

exp2d <- function() {
  space <- new.env()
  utils::data("exp2d", package = "tgp", envir = space)
  space$exp2d[seq(1L, nrow(space$exp2d), 2L), ]
}

servo <- function() {
  data <- from("mlbench", "Servo")
  for (gain in c("Pgain", "Vgain")) data[[gain]] <- as.numeric(as.character(data[[gain]]))
  data
}

working <- list(
  mcycle = function() data_set(from("MASS", "mcycle"), accel ~ times),
  ethanol = function() data_set(from("lattice", "ethanol"), NOx ~ C + E),
  gagurine = function() data_set(from("MASS", "GAGurine"), GAG ~ Age, 100),
  cpus = function() {
    data_set(from("MASS", "cpus"), perf ~ syct + mmin + mmax + cach + chmin + chmax)
  },
  boston = function() {
    data_set(from("MASS", "Boston"), medv ~ crim + zn + indus + nox + rm + age + dis + rad + tax +
               ptratio + black + lstat, 150)
  },
  ozone = function() data_set(from("datasets", "airquality"), Ozone ~ Solar.R + Wind + Temp + Month),
  trees = function() data_set(from("datasets", "trees"), Volume ~ Girth + Height),
  rock = function() data_set(from("datasets", "rock"), perm ~ area + peri + shape),
  attenu = function() data_set(from("datasets", "attenu"), accel ~ mag + dist),
  quakes = function() data_set(from("datasets", "quakes"), stations ~ lat + long + depth + mag, 100),
  meuse = function() data_set(from("sp", "meuse"), zinc ~ x + y + dist, kind = "spatial"),
  jura = function() {
    data_set(from("gstat", "prediction.dat", "jura"), Cd ~ Xloc + Yloc, kind = "spatial")
  },
  walker = function() data_set(from("gstat", "walker"), V ~ X + Y, 200, kind = "spatial"),
  servo = function() data_set(servo(), Class ~ Motor + Screw + Pgain + Vgain),
  humanity = function() data_set(humanity(), y ~ ., 100, kind = "computer"),
  camel = function() data_set(camel(450), y ~ x1 + x2, 50, kind = "computer"),
  exp2d = function() data_set(exp2d(), Z ~ X1 + X2, 80, kind = "computer"),
  concrete = function() {
    data_set(from("AppliedPredictiveModeling", "concrete"), CompressiveStrength ~ ., 150)
  },
  abalone = function() data_set(from("AppliedPredictiveModeling", "abalone"), Rings ~ ., 30),
  prostate = function() data_set(from("faraway", "prostate"), lpsa ~ lcavol + lweight + age + lbph)
)

held_out <- list(
  gala = function() {
    data_set(from("faraway", "gala"), Species ~ Area + Elevation + Nearest + Scruz + Adjacent)
  },
  # One of the men has no fat at all, which is an error of the data.
  fat = function() {
    data_set(subset(from("faraway", "fat"), brozek > 0), brozek ~ age + weight + height + neck + abdom + wrist, 120)
  },
  columbus = function() {
    data_set(from("spData", "columbus"), CRIME ~ HOVAL + INC + X + Y, kind = "spatial")
  },
  baltimore = function() {
    data_set(from("spData", "baltimore"), PRICE ~ NROOM + NBATH + AGE + LOTSZ + SQFT + X + Y,
             kind = "spatial")
  },
  coalash = function() data_set(from("gstat", "coalash"), coalash ~ x + y, kind = "spatial"),
  uscrime = function() data_set(from("MASS", "UScrime"), y ~ .)
)

# Row numbers to fit to and to predict, at most 200 of the latter.
split_rows <- function(set, split) {
  set.seed(1000 + split)
  shuffled <- sample.int(nrow(set$data))
  list(train = utils::head(shuffled, set$train),
       test = utils::head(shuffled[-seq_len(set$train)], 200L))
}

# Matrices of the inputs, scaled to [0, 1] by the first `n` rows, which are those to fit to.
new_problem <- function(frame, n) {
  rows <- seq_len(n)
  x <- stats::model.matrix(~ ., frame[names(frame) != "y"])[, -1L, drop = FALSE]
  low <- apply(x[rows, , drop = FALSE], 2L, min)
  width <- apply(x[rows, , drop = FALSE], 2L, max) - low
  x <- sweep(sweep(x, 2L, low), 2L, width, "/")[, width > 0, drop = FALSE]
  list(train = frame[rows, ], new = frame[-rows, ], y = frame$y[rows],
       x = x[rows, , drop = FALSE], x_new = x[-rows, , drop = FALSE])
}

is_skewed <- function(y) abs(mean((y - mean(y))^3)) > stats::sd(y)^3
