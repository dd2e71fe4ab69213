# Regions, joint exceedance, sensitivity and influence: what they cost beside 1000 joint draws by
# simulate(), and whether intervals of totals cover. See README.md.
#
#   Rscript bench/regions.R [--full]
#
# Writes regions-time.csv and regions-coverage.csv. Targets are a tenth of the time of 1000 joint
# draws for a mean over 3000 cells, and intervals of totals that cover at their level.

source("bench/common.R")

surface <- function(d) sin(5 * d$x) + cos(4 * d$z) + d$x * d$z

simulated <- function(n) {
  d <- data.frame(x = stats::runif(n), z = stats::runif(n))
  d$y <- exp(surface(d) + stats::rnorm(n, 0, 0.3))
  d
}

cells_of <- function(columns, rows) {
  expand.grid(x = (seq_len(columns) - 0.5) / columns, z = (seq_len(rows) - 0.5) / rows)
}

seconds <- function(code) {
  time <- system.time(code)
  sum(time[c("user.self", "sys.self")])
}

measure_times <- function() {
  set.seed(1)
  fit <- btg(y ~ x + z, simulated(300))
  cells <- cells_of(60, 50)
  part <- cut(cells$x, 4)
  invisible(stats::predict(fit, cells[1:5, ])) # caches the factors
  draws <- seconds(stats::simulate(fit, 1000, seed = 1, newdata = cells))
  asked <- list(
    "mean of all, with its exact mean" = quote(predict_region(fit, cells, observation = TRUE)),
    "largest of all" = quote(predict_region(fit, cells, fun = "max", observation = TRUE)),
    "means of four parts" = quote(predict_region(fit, cells, part, observation = TRUE)),
    "joint exceedance, 4096 draws" = quote(exceedance_region(fit, cells, 2, observation = FALSE)),
    "sensitivity" = quote(sensitivity(fit)),
    "influence of 300 rows on 20 cells" = quote(influence(fit, cells[1:20 * 150, ], at = 2))
  )
  time <- vapply(asked, function(one) seconds(eval(one)), 0)
  data.frame(what = c("1000 draws by simulate()", names(asked)), seconds = c(draws, time),
             share = c(1, time / draws), row.names = NULL)
}

# Totals over cells of simulated truths with real variation: does the interval of each choice of
# `observation` cover the total of observations and that of medians?
measure_coverage <- function(trials) {
  cells <- cells_of(20, 20)
  each <- lapply(seq_len(trials), function(trial) {
    set.seed(trial)
    fit <- btg(y ~ x + z, simulated(80), transform = "softplus")
    process <- exp(surface(cells))
    truth <- c(observations = sum(process * exp(stats::rnorm(400, 0, 0.3))),
               process = sum(process))
    do.call(rbind, lapply(c(TRUE, FALSE), function(observation) {
      found <- predict_region(fit, cells, fun = "total", observation = observation)$estimates
      data.frame(observation, of = names(truth), covered = found$lwr < truth & truth < found$upr,
                 error = found$median / truth - 1)
    }))
  })
  all <- do.call(rbind, each)
  stats::aggregate(cbind(covered, error) ~ observation + of, all, mean)
}

main <- function(given) {
  time <- measure_times()
  print(time, digits = 3)
  coverage <- measure_coverage(if (given$full) 100 else 20)
  print(coverage, digits = 3)
  utils::write.csv(time, file.path(given$out, "regions-time.csv"), row.names = FALSE)
  utils::write.csv(coverage, file.path(given$out, "regions-coverage.csv"), row.names = FALSE)
}

run_benchmark(main)
