# Do censored responses and zeros pay? Compares `btg()` with what was done before, and with
# parametric and additive models. See README.md.
#
#   Rscript bench/censored.R [--full]
#
# Writes censored.csv, a row for each trial and method. A trial splits a set into two halves. In
# sets of "limits" the responses of the first half below a limit that varies by row are reported as
# the limit; scores are those of true values in the second half. Sets of "zeros" are as they are.
# `crps` is relative to that of the method "limit" or "exact"; `zeros` and `expected` are shares of
# zeros, observed and predicted. All parametric models are linear in the inputs.

source("bench/common.R")

limit_sets <- list(
  ozone = function() {
    stats::setNames(stats::na.omit(airquality[c("Ozone", "Temp", "Wind", "Solar.R")]),
                    c("y", "temp", "wind", "sun"))
  },
  gag = function() data.frame(y = MASS::GAGurine$GAG, age = MASS::GAGurine$Age),
  cars93 = function() {
    data.frame(y = MASS::Cars93$Price, power = MASS::Cars93$Horsepower, mpg = MASS::Cars93$MPG.city)
  },
  rock = function() data.frame(y = rock$perm, area = rock$area, peri = rock$peri),
  trees = function() data.frame(y = trees$Volume, girth = trees$Girth, height = trees$Height),
  boston = function() {
    some <- MASS::Boston[seq(1, 506, by = 3), ]
    data.frame(y = some$medv, lstat = some$lstat, rm = some$rm)
  }
)

zero_sets <- list(
  quine = function() data.frame(y = MASS::quine$Days, MASS::quine[c("Eth", "Sex", "Age", "Lrn")]),
  solder = function() {
    some <- rpart::solder[seq(1, nrow(rpart::solder), by = 4), ]
    data.frame(y = some$skips, some[c("Opening", "Solder", "Mask", "Panel")])
  },
  ships = function() {
    some <- MASS::ships[MASS::ships$service > 0, ]
    data.frame(y = 1000 * some$incidents / some$service, type = some$type, year = some$year,
               log_service = log(some$service))
  },
  tobin = function() {
    data.frame(y = survival::tobin$durable, survival::tobin[c("age", "quant")])
  }
)

probs <- (1:99) / 100

inputs_of <- function(data) setdiff(names(data), c("y", "below"))

formula_of <- function(data, response = "y", smooth = FALSE) {
  terms <- inputs_of(data)
  if (smooth) {
    terms <- vapply(terms, function(name) {
      values <- length(unique(data[[name]]))
      if (is.numeric(data[[name]]) && values > 8) paste0("s(", name, ", k = 5)") else name
    }, "")
  }
  stats::as.formula(paste(response, "~", paste(terms, collapse = " + ")))
}

# A method returns list(quantiles, zero): a matrix with one row per new row, and P(y = 0).
answers_of_btg <- function(fit, new) {
  list(quantiles = stats::predict(fit, new, type = "quantile", probs = probs),
       zero = as.vector(stats::predict(fit, new, type = "cdf", at = 0)))
}

by_survreg <- function(train, new, dist) {
  response <- "survival::Surv(y, !below, type = \"left\")"
  fit <- survival::survreg(formula_of(train, response), train, dist = dist)
  quantiles <- stats::predict(fit, new, type = "quantile", p = probs)
  zero <- if (dist == "gaussian") stats::pnorm(0, stats::predict(fit, new), fit$scale)
  list(quantiles = pmax(quantiles, 0), zero = if (is.null(zero)) rep(0, nrow(new)) else zero)
}

# A tobit model with smooth terms, of the logarithm for positive responses.
by_gam <- function(train, new, log) {
  of <- if (log) base::log else identity
  train$z <- cbind(of(train$y), ifelse(train$below, -Inf, of(train$y)))
  fit <- mgcv::gam(formula_of(train[setdiff(names(train), "z")], "z", smooth = TRUE),
                   family = mgcv::cnorm(), data = train, method = "REML")
  mean <- as.vector(stats::predict(fit, new, type = "response"))
  sd <- exp(fit$family$getTheta())
  z <- outer(mean, stats::qnorm(probs) * sd, `+`)
  list(quantiles = if (log) exp(z) else pmax(z, 0),
       zero = if (log) rep(0, nrow(new)) else stats::pnorm(0, mean, sd))
}

limit_methods <- list(
  censored = function(train, new) {
    answers_of_btg(btg(formula_of(train), train, censored = below), new)
  },
  limit = function(train, new) answers_of_btg(btg(formula_of(train), train), new),
  left_out = function(train, new) {
    answers_of_btg(btg(formula_of(train), train[!train$below, ]), new)
  },
  lognormal = function(train, new) by_survreg(train, new, "lognormal"),
  weibull = function(train, new) by_survreg(train, new, "weibull"),
  gam = function(train, new) by_gam(train, new, log = TRUE)
)

# With a transform of positive responses, zeros are exact: all are shifted by half of the smallest.
zero_methods <- list(
  censored = function(train, new) answers_of_btg(btg(formula_of(train), train), new),
  exact = function(train, new) {
    answers_of_btg(btg(formula_of(train), train, transform = "softplus", kernel = "auto"), new)
  },
  tobit = function(train, new) by_survreg(train, new, "gaussian"),
  gam = function(train, new) by_gam(train, new, log = FALSE)
)

# Twice the mean pinball loss over the probabilities is the CRPS, up to their spacing.
crps_of <- function(y, quantiles) {
  error <- y - quantiles
  2 * rowMeans(error * (rep(probs, each = length(y)) - (error < 0)))
}

# Limits are random around the 40% quantile, and known before the response is.
report <- function(train) {
  limit <- stats::quantile(train$y, stats::runif(nrow(train), 0.2, 0.6))
  train$below <- train$y < limit
  train$y <- pmax(train$y, limit)
  train
}

run_trial <- function(name, sets, methods, seed, limits) {
  set.seed(seed)
  data <- sets[[name]]()
  half <- sample(nrow(data), ceiling(nrow(data) / 2))
  train <- if (limits) report(data[half, ]) else transform(data[half, ], below = data$y[half] == 0)
  new <- data[-half, ]
  rows <- lapply(names(methods), function(method) {
    seconds <- seconds_of(found <- tryCatch(silently(methods[[method]](train, new)),
                                            error = function(e) NULL))
    if (is.null(found)) {
      return(data.frame(set = name, seed, method, crps = NA, below = NA, zeros = NA, expected = NA,
                        seconds))
    }
    data.frame(set = name, seed, method, crps = mean(crps_of(new$y, found$quantiles)),
               below = mean(train$below), zeros = mean(new$y == 0), expected = mean(found$zero),
               seconds)
  })
  table <- do.call(rbind, rows)
  table$crps <- table$crps / table$crps[table$method %in% c("limit", "exact")]
  print(table, digits = 3, row.names = FALSE)
  table
}

main <- function(given) {
  seeds <- if (given$full) 1:10 else 1L
  of <- function(sets) if (given$full) names(sets) else utils::head(names(sets), 2L)
  each <- function(sets, methods, limits) {
    do.call(rbind, lapply(of(sets), function(name) {
      do.call(rbind, lapply(seeds, function(seed) {
        run_trial(name, sets, methods, seed, limits)
      }))
    }))
  }
  table <- rbind(each(limit_sets, limit_methods, TRUE), each(zero_sets, zero_methods, FALSE))
  cat("\nMean CRPS relative to limits or zeros as exact values:\n")
  print(round(with(table, tapply(crps, list(set, method), mean)), 3))
  write_rounded(table, given, "censored.csv")
}

run_benchmark(main, packages = c("survival", "mgcv"))
