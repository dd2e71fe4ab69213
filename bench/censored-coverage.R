# Are predictions from censored data calibrated? Data sets drawn from the model, with hyperparameters
# from their default priors (bench/calibration/simulate.R), then censored. See README.md.
#
#   Rscript bench/censored-coverage.R [--full] [--only=name,name]
#
# Writes censored-coverage.csv, a row for each kind of data: the coverage of central 50% and 95%
# intervals of one new latent response per data set, and the observed and expected share of responses
# at or below the bound or limit, with standard errors over data sets. What was measured is kept in
# censored-coverage.rds of the output folder: a run that was cut short goes on where it stopped.

source("bench/common.R")
source("bench/calibration/simulate.R")

# Limits at a share of the responses, with the new one among them so that limits do not depend on
# which row is new. A new response at a bound covers a share of its mass.
quantile_of <- function(case, share) {
  stats::quantile(c(case$new$y, case$data$y), share, names = FALSE)
}

left <- function(share) {
  function(case) {
    case$limit <- quantile_of(case, share)
    case$data$below <- case$data$y < case$limit
    case$data$y <- pmax(case$data$y, case$limit)
    case$arguments$censored <- quote(below)
    case
  }
}

varying <- function(case) {
  shares <- stats::runif(nrow(case$data), 0.1, 0.9)
  limit <- quantile_of(case, shares)
  case$limit <- quantile_of(case, 0.5)
  case$data$below <- case$data$y < limit
  case$data$y <- pmax(case$data$y, limit)
  case$arguments$censored <- quote(below)
  case
}

right <- function(case) {
  limit <- quantile_of(case, stats::runif(nrow(case$data), 0.3, 1))
  case$limit <- quantile_of(case, 0.5)
  case$data$side <- ifelse(case$data$y > limit, "right", "none")
  case$data$y <- pmin(case$data$y, limit)
  case$arguments$censored <- quote(side)
  case
}

# All rows between two limits, the ends of classes.
classes <- function(case) {
  case$limit <- quantile_of(case, 0.5)
  step <- stats::sd(case$data$y) / 2
  case$data$lo <- step * floor(case$data$y / step)
  case$data$hi <- case$data$lo + step
  case$arguments$censored <- quote(cbind(lo, hi))
  case
}

bounded <- function(share, above = 0) {
  function(case) {
    ends <- c(quantile_of(case, share), if (above > 0) quantile_of(case, 1 - above) else Inf)
    clamp <- function(y) pmin(pmax(y, ends[1L]), ends[2L])
    case$data$y <- clamp(case$data$y)
    case$new$y <- clamp(case$new$y)
    case$limit <- ends[1L]
    case$arguments[c("lower", "upper")] <- as.list(ends)
    case
  }
}

kinds <- list(
  "20% below a limit" = left(0.2), "50% below a limit" = left(0.5), "70% below a limit" = left(0.7),
  "limits that vary" = varying, "right-censored" = right, "classes" = classes,
  "10% zeros" = bounded(0.1), "40% zeros" = bounded(0.4), "60% zeros" = bounded(0.6),
  "20% at each of two bounds" = bounded(0.2, 0.2)
)

# The probabilities less than the new response and up to it, and of its limit or less.
measure <- function(case) {
  call <- c(list(quote(btg::btg), y ~ x, data = quote(case$data), warp_inputs = FALSE),
            case$arguments)
  fit <- suppressWarnings(suppressMessages(eval(as.call(call))))
  y <- case$new$y
  upper <- as.vector(predict(fit, case$new, type = "cdf", at = y))
  at_lower <- identical(y, case$arguments$lower)
  at_upper <- identical(y, case$arguments$upper)
  less <- if (at_lower) 0 else if (at_upper) {
    1 - as.vector(predict(fit, case$new, type = "exceedance", at = y - 1e-9 * (1 + abs(y))))
  } else {
    upper
  }
  data.frame(less = if (at_upper) min(less, 1) else less, upper = if (at_upper) 1 else upper,
             below = y <= case$limit,
             expected = as.vector(predict(fit, case$new, type = "cdf", at = case$limit)))
}

run <- function(count, censor) {
  rows <- lapply(seq_len(count), function(seed) {
    set.seed(seed)
    repeat {
      case <- simulate_model("sinharcsinh", 40L)
      values <- tryCatch(measure(censor(case)), btg_error = function(e) NULL)
      if (!is.null(values)) return(values)
    }
  })
  do.call(rbind, rows)
}

# The share of the new response's own interval of probabilities inside the central interval.
covered <- function(values, level) {
  from <- pmax(values$less, 0.5 - level / 2)
  to <- pmin(values$upper, 0.5 + level / 2)
  width <- values$upper - values$less
  ifelse(width > 0, pmax(to - from, 0) / width, abs(values$upper - 0.5) <= level / 2)
}

summarise <- function(name, values) {
  se <- function(x) stats::sd(x) / sqrt(length(x))
  half <- covered(values, 0.5)
  most <- covered(values, 0.95)
  data.frame(kind = name, data_sets = nrow(values), cover_50 = mean(half), se_50 = se(half),
             cover_95 = mean(most), se_95 = se(most), below = mean(values$below),
             expected = mean(values$expected), se_expected = se(values$below - values$expected))
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  count <- if (given$full) 40L else 10L
  chosen <- if (is.null(given$only)) names(kinds) else strsplit(given$only, ",")[[1L]]
  file <- file.path(given$out, "censored-coverage.rds")
  all <- if (given$full && file.exists(file)) readRDS(file) else list()
  for (name in setdiff(chosen, names(all))) {
    all[[name]] <- run(count, kinds[[name]])
    if (given$full) saveRDS(all, file)
    print(summarise(name, all[[name]]), row.names = FALSE, digits = 3)
  }
  table <- do.call(rbind, Map(summarise, names(all), all))
  write_rounded(table, given, "censored-coverage.csv", 4L)
}

run_benchmark(main, known = "only")
