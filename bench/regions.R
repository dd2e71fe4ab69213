# Regions, joint exceedance, sensitivity and influence: what they cost beside 1000 joint draws by
# simulate() and block kriging by gstat, whether they agree with gstat where both know the
# hyperparameters, whether intervals of totals cover, and whether joint regions hold. See README.md.
#
#   Rscript bench/regions.R [--full]
#
# Writes regions-time.csv, regions-gstat.csv, regions-coverage.csv and regions-joint.csv. Targets
# are a tenth of the time of 1000 joint draws for a mean over 3000 cells, intervals of totals that
# cover at their level, and joint regions that hold at theirs.

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

# gstat's model of a Gaussian process of variance 1 with this kernel and error of measurement.
known <- c(range = 0.3, noise = 0.1)
gstat_model <- function() {
  gstat::vgm(1, "Exp", known[["range"]], add.to = gstat::vgm(known[["noise"]], "Err", 0))
}

# The mean of the process over all cells by ordinary block kriging: list(mean, variance), where the
# variance is relative to that of the process.
krige_block <- function(data, cells, response = data$y) {
  data$y <- response
  sp::coordinates(data) <- ~ x + z
  middle <- data.frame(x = mean(cells$x), z = mean(cells$z))
  offsets <- data.frame(x = cells$x - middle$x, z = cells$z - middle$z)
  sp::coordinates(middle) <- ~ x + z
  found <- gstat::krige(y ~ 1, data, middle, gstat_model(), block = offsets, debug.level = 0)
  list(mean = found$var1.pred, variance = found$var1.var)
}

# A fit without a transform at the same hyperparameters.
known_fit <- function(data) {
  fixed <- c(lengthscale.x = known[["range"]], lengthscale.z = known[["range"]],
             noise = known[["noise"]])
  btg(y ~ x + z, data, transform = "identity", kernel = "exponential", warp_inputs = FALSE,
      product = FALSE, prior = btg_prior(fixed = fixed))
}

# The mean of q / (n - 1), the scale of the process that btg averages over, by explicit inverses.
process_variance <- function(data) {
  R <- exp(-as.matrix(stats::dist(data[c("x", "z")])) / known[["range"]])
  inverse <- solve(R + diag(known[["noise"]], nrow(data)))
  residual <- data$y - sum(inverse %*% data$y) / sum(inverse)
  sum(residual * (inverse %*% residual)) / (nrow(data) - 1)
}

# Mean and 95% interval of the mean over the cells, and how far apart btg and gstat are.
compare_with_gstat <- function(data, cells) {
  fit <- known_fit(data)
  btg <- predict_region(fit, cells, observation = FALSE, nsim = 8192)$estimates
  kriged <- krige_block(data, cells)
  # gstat takes the variance as known and its law as normal; btg's is a t.
  sd <- sqrt(kriged$variance * process_variance(data))
  gstat <- kriged$mean + c(0, stats::qt(c(0.025, 0.975), nrow(data) - 1)) * sd
  found <- data.frame(of = c("mean", "lower end", "upper end"), gstat = gstat,
                      btg = unlist(btg[c("mean", "lwr", "upr")]), row.names = NULL)
  cbind(found, difference_in_sds = (found$btg - found$gstat) / sd, monte_carlo = btg$error / sd)
}

measure_times <- function() {
  set.seed(1)
  data <- simulated(300)
  fit <- btg(y ~ x + z, data)
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
  one_node <- known_fit(data)
  invisible(stats::predict(one_node, cells[1:5, ]))
  time <- c(time,
            "mean of all, one node" = seconds(predict_region(one_node, cells, observation = FALSE)),
            "block kriging by gstat, one node" = seconds(krige_block(data, cells)))
  data.frame(what = c("1000 draws by simulate()", names(time)), seconds = c(draws, time),
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

# Is the process above the threshold in the whole region as often as stated, for truths drawn from
# the model itself? Cells whose own probability is at least the level are all above it less often.
measure_joint <- function(trials) {
  cells <- cells_of(20, 20)
  each <- lapply(seq_len(trials), function(trial) {
    set.seed(trial)
    data <- data.frame(x = stats::runif(60), z = stats::runif(60))
    all <- rbind(data, cells)
    R <- exp(-as.matrix(stats::dist(all)) / known[["range"]])
    process <- drop(t(chol(R + diag(1e-10, nrow(all)))) %*% stats::rnorm(nrow(all)))
    data$y <- process[1:60] + stats::rnorm(60, 0, sqrt(known[["noise"]]))
    truth <- process[-(1:60)]
    fit <- known_fit(data)
    do.call(rbind, lapply(c(0.5, 0.9), function(level) {
      rows <- exceedance_region(fit, cells, 0, level, observation = FALSE)$rows
      inside <- rows$region == "above"
      data.frame(level, cells = sum(inside), holds = all(truth[inside] > 0),
                 below_holds = all(truth[rows$region == "below"] < 0),
                 own_holds = all(truth[rows$exceedance >= level] > 0))
    }))
  })
  stats::aggregate(cbind(cells, holds, below_holds, own_holds) ~ level, do.call(rbind, each), mean)
}

main <- function(given) {
  set.seed(1)
  gstat <- compare_with_gstat(simulated(300), cells_of(60, 50))
  print(gstat, digits = 4)
  joint <- measure_joint(if (given$full) 200 else 40)
  print(joint, digits = 3)
  utils::write.csv(gstat, file.path(given$out, "regions-gstat.csv"), row.names = FALSE)
  utils::write.csv(joint, file.path(given$out, "regions-joint.csv"), row.names = FALSE)
  time <- measure_times()
  print(time, digits = 3)
  coverage <- measure_coverage(if (given$full) 100 else 20)
  print(coverage, digits = 3)
  utils::write.csv(time, file.path(given$out, "regions-time.csv"), row.names = FALSE)
  utils::write.csv(coverage, file.path(given$out, "regions-coverage.csv"), row.names = FALSE)
}

run_benchmark(main)
