# The methods of censored.R. Each returns list(quantiles, cdf, density): a matrix with one row per
# new row, and functions of one value per row.

probs <- (1:99) / 100

inputs_of <- function(data) setdiff(names(data), c("y", "below", "z"))

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

answers_of_btg <- function(fit, new) {
  at <- function(type) {
    function(y) as.vector(stats::predict(fit, new, type = type, at = cbind(y)))
  }
  list(quantiles = stats::predict(fit, new, type = "quantile", probs = probs),
       cdf = at("cdf"), density = at("density"))
}

by_survreg <- function(train, new, bounds, dist) {
  fit <- if (is.finite(bounds[2L])) {
    train$lower <- ifelse(train$y <= bounds[1L], NA, train$y)
    train$upper <- ifelse(train$y >= bounds[2L], NA, train$y)
    both <- "survival::Surv(lower, upper, type = \"interval2\")"
    formula <- formula_of(train[setdiff(names(train), c("lower", "upper"))], both)
    survival::survreg(formula, train, dist = dist)
  } else {
    survival::survreg(formula_of(train, "survival::Surv(y, !below, type = \"left\")"), train,
                      dist = dist)
  }
  mean <- stats::predict(fit, new, type = "lp")
  log <- dist != "gaussian"
  of <- if (log) base::log else identity
  # Distributions of the standardised error.
  error <- if (dist == "weibull") {
    list(cdf = function(e) 1 - exp(-exp(e)), density = function(e) exp(e - exp(e)),
         quantile = function(p) base::log(-base::log(1 - p)))
  } else {
    list(cdf = stats::pnorm, density = stats::dnorm, quantile = stats::qnorm)
  }
  z <- outer(mean, fit$scale * error$quantile(probs), `+`)
  standard <- function(y) (of(y) - mean) / fit$scale
  list(quantiles = pmin(pmax(if (log) exp(z) else z, bounds[1L]), bounds[2L]),
       cdf = function(y) error$cdf(standard(y)),
       density = function(y) error$density(standard(y)) / fit$scale / (if (log) y else 1))
}

# A tobit model with smooth terms, of the logarithm for positive responses.
by_gam <- function(train, new, bounds, log) {
  of <- if (log) base::log else identity
  low <- train$below | train$y <= bounds[1L]
  high <- train$y >= bounds[2L]
  train$z <- cbind(of(train$y), ifelse(low, -Inf, ifelse(high, Inf, of(train$y))))
  fit <- mgcv::gam(formula_of(train, "z", smooth = TRUE), family = mgcv::cnorm(), data = train,
                   method = "REML")
  mean <- as.vector(stats::predict(fit, new, type = "response"))
  sd <- exp(fit$family$getTheta())
  z <- outer(mean, stats::qnorm(probs) * sd, `+`)
  list(quantiles = pmin(pmax(if (log) exp(z) else z, bounds[1L]), bounds[2L]),
       cdf = function(y) stats::pnorm(of(y), mean, sd),
       density = function(y) stats::dnorm(of(y), mean, sd) / (if (log) y else 1))
}

plain_btg <- function(train, new, bounds, step) answers_of_btg(btg(formula_of(train), train), new)

limit_methods <- list(
  censored = function(train, new, bounds, step) {
    answers_of_btg(btg(formula_of(train), train, censored = below), new)
  },
  limit = plain_btg,
  left_out = function(train, new, bounds, step) plain_btg(train[!train$below, ], new),
  lognormal = function(train, new, bounds, step) by_survreg(train, new, bounds, "lognormal"),
  weibull = function(train, new, bounds, step) by_survreg(train, new, bounds, "weibull"),
  gam = function(train, new, bounds, step) by_gam(train, new, bounds, log = TRUE)
)

# With a transform of positive responses, zeros are exact: all are shifted by half of the smallest.
zero_methods <- list(
  censored = plain_btg,
  exact = function(train, new, bounds, step) {
    answers_of_btg(btg(formula_of(train), train, transform = "softplus", kernel = "auto"), new)
  },
  tobit = function(train, new, bounds, step) by_survreg(train, new, bounds, "gaussian"),
  gam = function(train, new, bounds, step) by_gam(train, new, bounds, log = FALSE)
)

# Without bounds, predictions are only cut off there.
percent_methods <- list(
  censored = function(train, new, bounds, step) {
    answers_of_btg(btg(formula_of(train), train, lower = 0, upper = 100), new)
  },
  exact = function(train, new, bounds, step) {
    free <- answers_of_btg(btg(formula_of(train), train, lower = -Inf), new)
    free$quantiles <- pmin(pmax(free$quantiles, 0), 100)
    free
  },
  tobit = function(train, new, bounds, step) by_survreg(train, new, bounds, "gaussian"),
  gam = function(train, new, bounds, step) by_gam(train, new, bounds, log = FALSE)
)

rounded_methods <- list(
  rounding = function(train, new, bounds, step) {
    answers_of_btg(btg(formula_of(train), train, rounding = step), new)
  },
  exact = plain_btg
)

kinds <- list(
  list(name = "limits", sets = limit_sets, methods = limit_methods, bounds = c(-Inf, Inf),
       limits = TRUE),
  list(name = "detects", sets = detect_sets, methods = limit_methods, bounds = c(-Inf, Inf)),
  list(name = "zeros", sets = zero_sets, methods = zero_methods, bounds = c(0, Inf)),
  list(name = "percentages", sets = percent_sets, methods = percent_methods, bounds = c(0, 100)),
  list(name = "rounded", sets = rounded_sets, methods = rounded_methods, bounds = c(-Inf, Inf))
)
