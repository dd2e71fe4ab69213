# The data sets of censored.R: functions of the folder of further data that return a data frame
# with the response `y`, or NULL if the set cannot be had.

of_package <- function(name, package) {
  if (!requireNamespace(package, quietly = TRUE)) return(NULL)
  found <- new.env()
  utils::data(list = name, package = package, envir = found)
  found[[name]]
}

limit_sets <- list(
  ozone = function(folder) {
    stats::setNames(stats::na.omit(airquality[c("Ozone", "Temp", "Wind", "Solar.R")]),
                    c("y", "temp", "wind", "sun"))
  },
  gag = function(folder) data.frame(y = MASS::GAGurine$GAG, age = MASS::GAGurine$Age),
  cars93 = function(folder) {
    data.frame(y = MASS::Cars93$Price, power = MASS::Cars93$Horsepower, mpg = MASS::Cars93$MPG.city)
  },
  rock = function(folder) data.frame(y = rock$perm, area = rock$area, peri = rock$peri),
  trees = function(folder) {
    data.frame(y = trees$Volume, girth = trees$Girth, height = trees$Height)
  },
  boston = function(folder) {
    some <- MASS::Boston[seq(1, 506, by = 3), ]
    data.frame(y = some$medv, lstat = some$lstat, rm = some$rm)
  },
  salinity = function(folder) {
    d <- of_package("salinity", "robustbase")
    if (!is.null(d)) stats::setNames(d, c("lag", "trend", "discharge", "y"))
  },
  rent = function(folder) {
    d <- of_package("rent", "gamlss.data")
    if (!is.null(d)) {
      d <- d[seq(1, nrow(d), by = 12), ]
      data.frame(y = d$R, area = d$Fl, year = d$A)
    }
  }
)

# Reported with limits: `below` marks them, and `y` holds the limit.
detect_sets <- list(
  mercury = function(folder) {
    d <- of_package("HgFish", "NADA")
    if (!is.null(d)) {
      stats::na.omit(data.frame(y = d$Hg, below = d$HgCen, length = d$Length, sediment = d$SedTotHg,
                                wetland = d$PctWetland))
    }
  },
  trichloroethylene = function(folder) {
    d <- of_package("TCEReg", "NADA")
    if (!is.null(d)) {
      stats::na.omit(data.frame(y = d$TCEConc, below = d$TCECen, people = d$PopDensity,
                                industry = d$PctIndLU, depth = d$Depth))
    }
  }
)

zero_sets <- list(
  quine = function(folder) {
    data.frame(y = MASS::quine$Days, MASS::quine[c("Eth", "Sex", "Age", "Lrn")])
  },
  solder = function(folder) {
    some <- rpart::solder[seq(1, nrow(rpart::solder), by = 4), ]
    data.frame(y = some$skips, some[c("Opening", "Solder", "Mask", "Panel")])
  },
  ships = function(folder) {
    some <- MASS::ships[MASS::ships$service > 0, ]
    data.frame(y = 1000 * some$incidents / some$service, type = some$type, year = some$year,
               log_service = log(some$service))
  },
  tobin = function(folder) {
    data.frame(y = survival::tobin$durable, survival::tobin[c("age", "quant")])
  },
  affairs = function(folder) {
    d <- of_package("Affairs", "AER")
    if (!is.null(d)) {
      d <- d[seq(1, nrow(d), by = 2), ]
      data.frame(y = d$affairs, d[c("yearsmarried", "religiousness", "rating")])
    }
  },
  articles = function(folder) {
    d <- of_package("PhDPublications", "AER")
    if (!is.null(d)) {
      d <- d[seq(1, nrow(d), by = 4), ]
      data.frame(y = d$articles, d[c("gender", "kids", "prestige", "mentor")])
    }
  }
)

percent_sets <- list(
  snails = function(folder) {
    with(MASS::snails, data.frame(y = 100 * Deaths / N, species = Species, exposure = Exposure,
                                  humidity = Rel.Hum, temp = Temp))
  },
  menarche = function(folder) {
    with(MASS::menarche, data.frame(y = 100 * Menarche / Total, age = Age))
  },
  eggs = function(folder) {
    d <- of_package("troutegg", "faraway")
    if (!is.null(d)) with(d, data.frame(y = 100 * survive / total, location, period))
  }
)

# Rounded to the step that the attribute gives.
with_step <- function(data, step) structure(data, step = step)

waves <- function(folder, step) {
  x <- stats::runif(300)
  with_step(data.frame(y = exp(1.5 + sin(6 * x)) + stats::rnorm(300, sd = 0.25), x = x), step)
}

of_folder <- function(folder, file, rows, step) {
  path <- file.path(folder, file)
  if (length(folder) == 0L || !file.exists(path)) return(NULL)
  d <- utils::read.csv(path)
  names(d)[ncol(d)] <- "y"
  with_step(d[sample(nrow(d), rows), ], step)
}

rounded_sets <- list(
  waves_one = function(folder) waves(folder, 1),
  waves_two = function(folder) waves(folder, 2),
  ozone_forty = function(folder) with_step(limit_sets$ozone(folder), 40),
  trees_twenty = function(folder) with_step(limit_sets$trees(folder), 20),
  abalone_five = function(folder) of_folder(folder, "abalone.csv", 300, 5),
  wine_one = function(folder) of_folder(folder, "winequality-red.csv", 300, 1)
)
