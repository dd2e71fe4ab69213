# Data sets drawn from models with covariance terms, and how often intervals contain the truth: of
# an observation in a known or a new group or one season ahead, of an effect, and of a share.

levels_of_intervals <- c(0.5, 0.8, 0.95)

draw_noise <- function() {
  share <- stats::rbeta(1, 0.25, 0.5)
  share / (1 - share)
}

# A draw of the default prior of ratios.
draw_ratio <- function() stats::rlnorm(1, log(0.7), 1.5)

draw_process <- function(correlation) {
  as.vector(t(chol(correlation + diag(1e-10, nrow(correlation)))) %*%
              stats::rnorm(nrow(correlation)))
}

# A smooth effect of x and eight groups of 2 to 8 rows. Rows after the first 40 are to be predicted:
# one in a known group, and one in a new one.
simulate_groups <- function() {
  x <- draw_inputs("x", 41L)[, 1L]
  x <- c(x[-(1:2)], x[1:2])
  x <- (x - mean(x[1:40])) / stats::sd(x[1:40])
  group <- c(rep(letters[1:8], 2:9)[1:40], "d", "new")
  ratio <- draw_ratio()
  noise <- draw_noise()
  lengthscale <- stats::rlnorm(1, 1, 1.25)
  effect <- stats::setNames(stats::rnorm(9), c(letters[1:8], "new")) * sqrt(ratio / (1 + ratio))
  process <- draw_process(correlations$matern52(abs(outer(x, x, "-")) / lengthscale)) /
    sqrt(1 + ratio)
  y <- process + effect[group] + sqrt(noise) * stats::rnorm(42)
  all <- data.frame(x, group, y, row.names = NULL)
  list(data = all[1:40, ], new = all[41:42, ], effect = effect[["d"]],
       shares = shares_of(ratio, noise))
}

# Shares of the first term, the second, and the noise.
shares_of <- function(ratio, noise) c(1 / (1 + ratio), ratio / (1 + ratio), noise) / (1 + noise)

# Four seasons of 12 times and a trend. The last season is to be forecast.
simulate_season <- function(unit) {
  time <- 1:48
  ratio <- draw_ratio()
  noise <- draw_noise()
  lengthscale <- unit * stats::rlnorm(2, 1, 1.25)
  chord <- 12 / pi * abs(sin(pi * outer(time, time, "-") / 12))
  season <- draw_process(correlations$matern52(chord / lengthscale[2L])) * sqrt(ratio / (1 + ratio))
  trend <- draw_process(correlations$matern52(abs(outer(time, time, "-")) / lengthscale[1L])) /
    sqrt(1 + ratio)
  all <- data.frame(time, y = trend + season + sqrt(noise) * stats::rnorm(48))
  list(data = all[1:36, ], new = all[sample(37:48, 1L), ], effect = season[7L],
       shares = shares_of(ratio, noise))
}

# Whether the central intervals contain the truth, one column per level.
covers <- function(intervals, truth) {
  vapply(intervals, function(ends) unname(ends[1L] <= truth && truth <= ends[2L]), NA)
}

by_level <- function(ends) lapply(levels_of_intervals, ends)

observed <- function(fit, row, ...) {
  by_level(function(level) {
    predict(fit, row, interval = "prediction", level = level, ...)[, c("lwr", "upr")]
  })
}

shares_cover <- function(fit, case) {
  ends <- by_level(function(level) variance_shares(fit, level))
  names <- c("share of the process", "share of the term", "share of the noise")
  stats::setNames(lapply(1:3, function(k) {
    covers(lapply(ends, function(one) unlist(one[k, c("lwr", "upr")])), case$shares[k])
  }), names)
}

measure_groups <- function(case) {
  fit <- btg(y ~ x + (1 | group), case$data, transform = "identity", warp_inputs = FALSE)
  effects <- by_level(function(level) {
    all <- group_effects(fit, level)
    unlist(all[all$group == "d", c("lwr", "upr")])
  })
  c(list("known group" = covers(observed(fit, case$new[1L, ]), case$new$y[1L]),
         "new group" = covers(observed(fit, case$new[2L, ]), case$new$y[2L]),
         "effect of a group" = covers(effects, case$effect)), shares_cover(fit, case))
}

# The effect is the season's deviation at one time from the mean of the response.
measure_season <- function(case) {
  fit <- fit_season(case$data)
  season <- by_level(function(level) {
    predict(fit, case$data[7L, ], include = "gp(periodic(time, 12))", interval = "confidence",
            level = level)[, c("lwr", "upr")]
  })
  c(list("one season ahead" = covers(observed(fit, case$new), case$new$y),
         "effect of a season" = covers(season, case$effect)), shares_cover(fit, case))
}

fit_season <- function(data) {
  btg(y ~ gp(time) + gp(periodic(time, 12)), data, transform = "identity", warp_inputs = FALSE)
}

# The units that priors of both lengthscales refer to follow from the times alone.
season_units <- function() {
  fit <- fit_season(data.frame(time = 1:36, y = sin(1:36)))
  fit$models[[1L]]$units[1:2]
}

# A field in the plane that varies faster in one direction, and a place to predict.
simulate_rotated <- function() {
  at <- matrix(stats::runif(122), ncol = 2L)
  unit <- sqrt(sum(apply(at[1:60, ], 2L, stats::var)))
  lengthscale <- unit * stats::rlnorm(1, 1, 1.25)
  coordinate <- stats::rnorm(2)
  ratio <- exp(sqrt(sum(coordinate^2)))
  angle <- atan2(coordinate[2L], coordinate[1L]) / 2
  turned <- at %*% cbind(c(cos(angle), sin(angle)) / sqrt(ratio),
                         c(-sin(angle), cos(angle)) * sqrt(ratio))
  noise <- draw_noise()
  y <- draw_process(correlations$matern52(as.matrix(stats::dist(turned)) / lengthscale)) +
    sqrt(noise) * stats::rnorm(61)
  all <- data.frame(x1 = at[, 1L], x2 = at[, 2L], y)
  list(data = all[1:60, ], new = all[61L, ],
       truth = c(angle = angle * 180 / pi, along = lengthscale * sqrt(ratio),
                 across = lengthscale / sqrt(ratio), ratio = ratio))
}

measure_rotated <- function(case) {
  fit <- btg(y ~ rotated(x1, x2), case$data, transform = "identity")
  found <- by_level(function(level) anisotropy(fit, level))
  # Angles are known up to half turns, and intervals are around their mean direction.
  angle <- case$truth[["angle"]]
  middle <- found[[1L]]$median[1L]
  case$truth[["angle"]] <- middle + (angle - middle + 90) %% 180 - 90
  names <- c("angle", "lengthscale along", "lengthscale across", "ratio")
  c(list("new place" = covers(observed(fit, case$new), case$new$y)),
    stats::setNames(lapply(1:4, function(k) {
      covers(lapply(found, function(one) unlist(one[k, c("lwr", "upr")])), case$truth[[k]])
    }), names))
}

# Returns a data frame with one row for each kind of interval: the shares of data sets in which it
# contains the truth.
cover_terms <- function(kind, count) {
  units <- season_units()
  trial <- switch(kind, groups = function() measure_groups(simulate_groups()),
                  season = function() measure_season(simulate_season(units)),
                  rotated = function() measure_rotated(simulate_rotated()))
  trials <- lapply(seq_len(count), function(seed) {
    set.seed(seed)
    silently(trial())
  })
  do.call(rbind, lapply(names(trials[[1L]]), function(name) {
    hits <- rowMeans(vapply(trials, `[[`, logical(length(levels_of_intervals)), name))
    expected <- levels_of_intervals
    data.frame(kind, interval = name, data_sets = count, cover_50 = hits[1L], cover_80 = hits[2L],
               cover_95 = hits[3L],
               most_errors = max(abs(hits - expected) / sqrt(expected * (1 - expected) / count)))
  }))
}
