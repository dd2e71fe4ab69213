# Which models transform = "auto" should average for positive responses: see README.md.
#
#   Rscript bench/auto.R [--full]
#
# Writes auto.csv, one row for each split and choice, and auto.png, and prints how they compare.

source("bench/common.R")

# The choices: the transforms averaged, each with the radial and the product kernel. "floored" is
# the first with what it predicts below zero taken to zero, as btg() does.
choices <- list(
  mixed = list("sinharcsinh", "softplus"),
  floored = list("sinharcsinh", "softplus"),
  positive = list("softplus", c("softplus", "sinharcsinh"))
)

positive_problems <- function() {
  air <- stats::na.omit(airquality)
  list(
    cars = list(dist ~ speed, cars),
    trees = list(Volume ~ Girth + Height, trees),
    ozone = list(Ozone ~ Solar.R + Wind + Temp, air),
    boston = list(medv ~ lstat + rm + dis + ptratio, MASS::Boston),
    cats = list(Hwt ~ Bwt + Sex, MASS::cats),
    mtcars = list(mpg ~ wt + hp + disp, mtcars),
    rock = list(perm ~ area + peri + shape, rock),
    quakes = list(stations ~ lat + long + depth + mag, quakes)
  )
}

# Two thirds of the rows, at most 80, to fit to; at most 100 of the others to predict.
split_rows <- function(n, seed) {
  set.seed(seed)
  shuffled <- sample.int(n)
  size <- min(80L, (2L * n) %/% 3L)
  list(train = shuffled[seq_len(size)], test = utils::head(shuffled[-seq_len(size)], 100L))
}

# Every model is fitted once; each choice averages some of them.
fit_models <- function(formula, train) {
  inputs <- length(attr(stats::terms(formula, data = train), "term.labels"))
  transforms <- unique(unlist(choices, recursive = FALSE))
  fits <- list()
  for (transform in transforms) {
    for (product in c(FALSE, if (inputs > 1L) TRUE)) {
      name <- paste0(paste(transform, collapse = " + "), if (product) ", product")
      fits[[name]] <- btg(formula, train, transform = transform, product = product)
    }
  }
  fits
}

# `fits` have one model each, of the same data: one fit that averages over those with `transforms`.
average_of <- function(fits, transforms) {
  labels <- vapply(transforms, paste, "", collapse = " + ")
  mine <- fits[sub(", product$", "", names(fits)) %in% labels]
  fit <- mine[[1L]]
  fit$models <- lapply(mine, function(one) one$models[[1L]])
  fit$seconds <- sum(vapply(mine, function(one) one$seconds, 0))
  btg:::add_checksum(btg:::weigh_models(fit))
}

measure_split <- function(name, problem, seed) {
  rows <- split_rows(nrow(problem[[2L]]), seed)
  train <- problem[[2L]][rows$train, ]
  test <- problem[[2L]][rows$test, ]
  fits <- suppressWarnings(fit_models(problem[[1L]], train))
  do.call(rbind, lapply(names(choices), function(choice) {
    fit <- average_of(fits, choices[[choice]])
    if (choice == "mixed") {
      fit$scaling$y$lower <- NULL
      fit <- btg:::add_checksum(fit)
    }
    held_out <- suppressWarnings(predictive_scores(fit, test))
    data.frame(problem = name, seed = seed, choice = choice, n = nrow(train), tests = nrow(test),
               crps = mean(held_out$crps), log_score = mean(held_out$log_score),
               coverage = mean(held_out$y >= held_out$lwr & held_out$y <= held_out$upr),
               below_zero = mean(held_out$lwr < 0), seconds = fit$seconds)
  }))
}

# Each choice against the first: geometric mean over problems of the ratio of CRPS, and the mean
# difference in log score, with standard errors from the spread over problems.
compare_choices <- function(results) {
  by_problem <- stats::aggregate(cbind(log(crps), log_score, coverage, below_zero, seconds) ~
                                   choice + problem, results, mean)
  names(by_problem)[3L] <- "log_crps"
  first <- by_problem[by_problem$choice == names(choices)[1L], ]
  do.call(rbind, lapply(names(choices), function(choice) {
    mine <- by_problem[by_problem$choice == choice, ]
    stopifnot(identical(mine$problem, first$problem))
    standard_error <- function(x) stats::sd(x) / sqrt(length(x))
    data.frame(choice = choice, crps_ratio = exp(mean(mine$log_crps - first$log_crps)),
               crps_se = standard_error(mine$log_crps - first$log_crps),
               log_score_difference = mean(mine$log_score - first$log_score),
               log_score_se = standard_error(mine$log_score - first$log_score),
               coverage = mean(mine$coverage), below_zero = mean(mine$below_zero),
               seconds = mean(mine$seconds))
  }))
}

draw_figure <- function(results) {
  mean_of <- stats::aggregate(cbind(crps, log_score) ~ problem + choice, results, mean)
  first <- mean_of[mean_of$choice == names(choices)[1L], ]
  graphics::par(mfrow = c(1, 2), mar = c(4, 5, 1, 1), mgp = c(2.4, 0.7, 0))
  draw <- function(value, zero, label) {
    graphics::plot(range(value), c(1, nrow(first)), type = "n", yaxt = "n", xlab = label, ylab = "")
    graphics::abline(v = zero, col = "grey60")
    graphics::axis(2, seq_len(nrow(first)), first$problem, las = 1)
    for (i in 2:length(choices)) {
      mine <- mean_of$choice == names(choices)[i]
      graphics::points(value[mine], match(mean_of$problem[mine], first$problem), pch = 15 + i,
                       col = colours[[i - 1L]])
    }
  }
  base <- first[match(mean_of$problem, first$problem), ]
  draw(mean_of$crps / base$crps, 1, "CRPS / mixed")
  graphics::legend("bottomright", names(choices)[-1L], pch = 15 + 2:length(choices),
                   col = colours[seq_len(length(choices) - 1L)], bty = "n")
  draw(mean_of$log_score - base$log_score, 0, "log score - mixed")
}

main <- function(given) {
  seeds <- if (given$full) 1:10 else 1:3
  problems <- positive_problems()
  results <- list()
  for (seed in seeds) {
    for (name in names(problems)) {
      results[[length(results) + 1L]] <- measure_split(name, problems[[name]], seed)
    }
  }
  results <- do.call(rbind, results)
  write_rounded(results, given, "auto.csv")
  write_png(function() draw_figure(results), given, "auto.png", 1100, 450)
  cat("\n", length(problems), " problems, ", length(seeds), " splits\n\n", sep = "")
  print(compare_choices(results), digits = 3, row.names = FALSE)
  cat("\nCRPS and log score by problem:\n")
  print(stats::xtabs(crps ~ problem + choice, stats::aggregate(crps ~ problem + choice, results,
                                                               mean)), digits = 4)
  print(stats::xtabs(log_score ~ problem + choice,
                     stats::aggregate(log_score ~ problem + choice, results, mean)), digits = 4)
}

run_benchmark(main)
