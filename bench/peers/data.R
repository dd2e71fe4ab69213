# The data sets, all from CRAN packages or generated: list(name, kind, y ~ inputs as a data frame
# whose response is `y`, train = rows to fit to). Those of `held_out`, a third, were not looked at
# while the package was being improved.

from <- function(package, name, file = name) {
  space <- new.env()
  utils::data(list = file, package = package, envir = space)
  as.data.frame(get(name, space))
}

# `formula` says which columns are the response and the inputs.
data_set <- function(data, formula, train = NULL, kind = "tabular") {
  data <- stats::na.omit(stats::model.frame(formula, data))
  attributes(data)[c("terms", "na.action")] <- NULL
  # A coordinate may be called `y` too.
  names(data) <- make.unique(c("y", names(data)[-1L]))
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

# The flow of water through a borehole, and the cycle time of a piston: simulators without noise
# (Surjanovic and Bingham, Virtual Library of Simulation Experiments).
uniform_design <- function(n, lower, upper) {
  set.seed(1)
  unit <- matrix(stats::runif(n * length(lower)), n, dimnames = list(NULL, names(lower)))
  as.data.frame(sweep(sweep(unit, 2L, upper - lower, "*"), 2L, lower, "+"))
}

borehole <- function(n) {
  x <- uniform_design(
    n,
    c(rw = 0.05, r = 100, Tu = 63070, Hu = 990, Tl = 63.1, Hl = 700, L = 1120, Kw = 9855),
    c(rw = 0.15, r = 50000, Tu = 115600, Hu = 1110, Tl = 116, Hl = 820, L = 1680, Kw = 12045)
  )
  x$y <- with(x, {
    depth <- log(r / rw)
    2 * pi * Tu * (Hu - Hl) / (depth * (1 + Tu / Tl) + 2 * L * Tu / (rw^2 * Kw))
  })
  x
}

piston <- function(n) {
  x <- uniform_design(
    n,
    c(M = 30, S = 0.005, V0 = 0.002, k = 1000, P0 = 90000, Ta = 290, T0 = 340),
    c(M = 60, S = 0.020, V0 = 0.010, k = 5000, P0 = 110000, Ta = 296, T0 = 360)
  )
  x$y <- with(x, {
    A <- P0 * S + 19.62 * M - k * V0 / S
    V <- S / (2 * k) * (sqrt(A^2 + 4 * k * P0 * V0 / T0 * Ta) - A)
    2 * pi * sqrt(M / (k + S^2 * P0 * V0 / T0 * Ta / V^2))
  })
  x
}

# Rain of one day in Switzerland.
sic97 <- function() from("gstat", "sic_full", "sic97")

mite <- function() {
  data.frame(count = from("vegan", "mite")$TVEL,
             from("vegan", "mite.env")[c("SubsDens", "WatrCont")], from("vegan", "mite.xy"))
}

unlabelled <- function(data) {
  data[] <- lapply(data, function(x) if (inherits(x, "labelled")) as.numeric(unclass(x)) else x)
  data
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
  ozone = function() {
    data_set(from("datasets", "airquality"), Ozone ~ Solar.R + Wind + Temp + Month)
  },
  trees = function() data_set(from("datasets", "trees"), Volume ~ Girth + Height),
  rock = function() data_set(from("datasets", "rock"), perm ~ area + peri + shape),
  attenu = function() data_set(from("datasets", "attenu"), accel ~ mag + dist),
  quakes = function() {
    data_set(from("datasets", "quakes"), stations ~ lat + long + depth + mag, 100)
  },
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
  prostate = function() data_set(from("faraway", "prostate"), lpsa ~ lcavol + lweight + age + lbph),
  gala = function() {
    data_set(from("faraway", "gala"), Species ~ Area + Elevation + Nearest + Scruz + Adjacent)
  },
  # One of the men has no fat at all, which is an error of the data.
  fat = function() {
    data_set(subset(from("faraway", "fat"), brozek > 0),
             brozek ~ age + weight + height + neck + abdom + wrist, 120)
  },
  columbus = function() {
    data_set(from("spData", "columbus"), CRIME ~ HOVAL + INC + X + Y, kind = "spatial")
  },
  baltimore = function() {
    data_set(from("spData", "baltimore"), PRICE ~ NROOM + NBATH + AGE + LOTSZ + SQFT + X + Y,
             kind = "spatial")
  },
  coalash = function() data_set(from("gstat", "coalash"), coalash ~ x + y, kind = "spatial"),
  uscrime = function() data_set(from("MASS", "UScrime"), y ~ .),
  sic97 = function() data_set(sic97(), rainfall ~ X + Y, 200, kind = "spatial"),
  borehole = function() data_set(borehole(280), y ~ ., 80, kind = "computer"),
  seatpos = function() data_set(from("faraway", "seatpos"), hipcenter ~ .),
  mite = function() data_set(mite(), count ~ ., kind = "spatial"),
  faithful = function() data_set(from("datasets", "faithful"), eruptions ~ waiting, 100),
  barro = function() data_set(from("quantreg", "barro"), y.net ~ .),
  rubber = function() data_set(from("MASS", "Rubber"), loss ~ hard + tens),
  biomass = function() {
    data_set(from("modeldata", "biomass"), HHV ~ carbon + hydrogen + oxygen + nitrogen + sulfur,
             150)
  }
)

held_out <- list(
  prestige = function() {
    data_set(from("carData", "Prestige"), prestige ~ education + income + women)
  },
  ornstein = function() data_set(from("carData", "Ornstein"), interlocks ~ assets + nation),
  un = function() {
    data_set(from("carData", "UN"), infantMortality ~ fertility + ppgdp + pctUrban + group, 120)
  },
  caschools = function() {
    data_set(from("AER", "CASchools"), math ~ students + teachers + calworks + lunch + computer +
               expenditure + income + english, 150)
  },
  houseprices = function() data_set(from("AER", "HousePrices"), price ~ ., 150),
  ozone_la = function() data_set(from("faraway", "ozone"), O3 ~ ., 150),
  diabetes = function() {
    data_set(unlabelled(from("faraway", "diabetes")), glyhb ~ chol + stab.glu + hdl + age + gender +
               height + weight + waist + hip, 150)
  },
  mammalsleep = function() {
    data_set(from("faraway", "mammalsleep"), sleep ~ body + brain + lifespan + gestation + danger)
  },
  hills = function() data_set(from("MASS", "hills"), time ~ dist + climb),
  cars93 = function() {
    data_set(from("MASS", "Cars93"), Price ~ MPG.city + EngineSize + Horsepower + RPM +
               Fuel.tank.capacity + Length + Weight + Origin)
  },
  co2 = function() data_set(from("datasets", "CO2"), uptake ~ conc + Type + Treatment),
  nuclear = function() data_set(from("boot", "nuclear"), cost ~ .),
  sacramento = function() {
    data_set(from("modeldata", "Sacramento"), price ~ beds + baths + sqft + latitude + longitude,
             150, kind = "spatial")
  },
  nox = function() {
    data_set(transform(from("robustbase", "NOxEmissions"), julday = as.integer(julday)),
             LNOx ~ julday + LNOxEm + sqrtWS, 200)
  },
  piston = function() data_set(piston(270), y ~ ., 70, kind = "computer"),
  topo = function() data_set(from("MASS", "topo"), z ~ x + y, kind = "spatial")
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
