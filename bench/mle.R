# Maximum likelihood: wgp() against other packages, and btg() against wgp(). See README.md.
#
#   Rscript bench/mle.R [--full]
#
# Prints the tables of README.md and writes mle-likelihood.csv, mle-time.csv, mle-btg.csv and
# mle.png. A package that is not installed is left out, and said. Quick: likelihoods of one kernel.

source("bench/common.R")
source("bench/problems.R")

peers <- c("DiceKriging", "RobustGaSP", "hetGP")
kernels <- c("matern52", "rbf")

# 51 even points of a rounded sine with noise, as the paper has it.
even_int_sine <- function(n = 51L, seed = 1) {
  set.seed(seed)
  x <- seq(-pi, pi, length.out = n)
  data.frame(x = x, y = round(2 * sin(x)) / 2 + rnorm(n, sd = 0.05))
}

# Friedman's function: five inputs that matter, `d` - 5 that do not.
friedman <- function(n, d, seed, noise = 1) {
  set.seed(seed)
  x <- matrix(runif(n * d), n, d, dimnames = list(NULL, paste0("x", seq_len(d))))
  y <- 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] + 5 * x[, 5]
  data.frame(x, y = y + rnorm(n, sd = noise))
}

likelihood_problems <- function() {
  list(
    "IntSine, 51 rows" = even_int_sine(),
    "Camel, 50 rows" = six_hump_camel(50, 2),
    "Friedman, 8 inputs, 100 rows" = friedman(100, 8, 3),
    "Skewed (log), 8 inputs, 200 rows" = transform(skewed(200, 8, 11), y = log(y))
  )
}

# Each fits one model, a product kernel with noise and a constant, and returns its hyperparameters
# as wgp() has them and a function to predict with, list(lengthscale, noise, predict). `starts` as
# far as the package can.
fit_dicekriging <- function(x, y, kernel, starts) {
  names <- c(matern52 = "matern5_2", rbf = "gauss")
  fit <- DiceKriging::km(~ 1, data.frame(x), y, covtype = names[[kernel]], nugget.estim = TRUE,
                         multistart = starts, control = list(trace = FALSE))
  list(lengthscale = fit@covariance@range.val,
       noise = fit@covariance@nugget / fit@covariance@sd2,
       predict = function(new) DiceKriging::predict(fit, data.frame(new), type = "UK"))
}

# The marginal likelihood, without the package's prior. Its squared exponential is exp(-(r b)^2).
fit_robustgasp <- function(x, y, kernel, starts) {
  names <- c(matern52 = "matern_5_2", rbf = "pow_exp")
  fit <- RobustGaSP::rgasp(x, y, kernel_type = names[[kernel]], alpha = rep(2, ncol(x)),
                           nugget.est = TRUE, method = "mmle", num_initial_values = starts)
  list(lengthscale = 1 / fit@beta_hat / (if (kernel == "rbf") sqrt(2) else 1), noise = fit@nugget,
       predict = function(new) RobustGaSP::predict(fit, new))
}

# It has one start of its own; others are given to it, between its bounds. Its squared exponential
# is exp(-r^2 / theta).
fit_hetgp <- function(x, y, kernel, starts) {
  names <- c(matern52 = "Matern5_2", rbf = "Gaussian")
  range <- apply(x, 2, function(x) diff(range(x)))
  fits <- lapply(seq_len(starts), function(i) {
    init <- if (i > 1L) {
      scale <- range * c(0.1, 0.3, 1, 3)[(i - 2L) %% 4L + 1L]
      list(theta = if (kernel == "rbf") 2 * scale^2 else scale, g = 10^-(i %% 3L + 1L))
    }
    upper <- if (kernel == "rbf") 2 * (10 * range)^2 else 10 * range
    lower <- if (kernel == "rbf") 2 * (0.01 * range)^2 else 0.01 * range
    try(hetGP::mleHomGP(x, y, covtype = names[[kernel]], init = init, lower = lower,
                        upper = upper), silent = TRUE)
  })
  fits <- Filter(function(fit) !inherits(fit, "try-error"), fits)
  fit <- fits[[which.max(vapply(fits, function(fit) fit$ll, 0))]]
  list(lengthscale = if (kernel == "rbf") sqrt(fit$theta / 2) else fit$theta, noise = fit$g,
       predict = function(new) stats::predict(fit, new))
}

fit_peer <- list(DiceKriging = fit_dicekriging, RobustGaSP = fit_robustgasp, hetGP = fit_hetgp)

# One row: what wgp() reached by ML and REML, and what its likelihoods are where the peers ended.
compare_likelihoods <- function(name, data, kernel) {
  inputs <- names(data) != "y"
  x <- as.matrix(data[inputs])
  fits <- lapply(c(ML = "ML", REML = "REML"), function(method) {
    btg::wgp(x, data$y, kernel = kernel, product = TRUE, warp_inputs = FALSE, method = method)
  })
  rows <- lapply(installed(peers), function(peer) {
    found <- silently(try({
      set.seed(1)
      fit_peer[[peer]](x, data$y, kernel, 5L)
    }, silent = TRUE))
    failed <- inherits(found, "try-error")
    reached <- vapply(fits, function(fit) {
      if (failed) return(NA_real_)
      hyper <- btg::nodes(fit)
      hyper[seq_along(found$lengthscale) + 3L] <- found$lengthscale
      hyper$noise <- found$noise
      as.vector(logLik(fit, hyper = hyper))
    }, 0)
    data.frame(problem = name, kernel = kernel, by = peer, ML = reached[["ML"]],
               REML = reached[["REML"]])
  })
  ours <- data.frame(problem = name, kernel = kernel, by = "wgp",
                     ML = as.vector(logLik(fits$ML)), REML = as.vector(logLik(fits$REML)))
  do.call(rbind, c(list(ours), rows))
}

compare_times <- function(kernel) {
  data <- friedman(200, 8, 5)
  x <- as.matrix(data[names(data) != "y"])
  jobs <- c(
    list(wgp = function() {
      btg::wgp(x, data$y, kernel = kernel, product = TRUE, warp_inputs = FALSE, method = "ML")
    }),
    lapply(stats::setNames(nm = installed(peers)), function(peer) {
      function() {
        set.seed(1)
        silently(fit_peer[[peer]](x, data$y, kernel, 5L))
      }
    })
  )
  seconds <- vapply(jobs, processor_time, 0)
  data.frame(kernel = kernel, by = names(jobs), seconds = seconds,
             ratio = seconds / seconds[["wgp"]], row.names = NULL)
}

# Fit and predict medians with 95% intervals, at the sizes of the paper's timing table. The peers,
# of which the fastest counts, fit a Gaussian process without a transform from five starts.
paper_problems <- function() {
  camel <- six_hump_camel(450, 2)
  camel$y <- camel$y - min(camel$y) + 0.1
  list(
    "Camel, 2 inputs, 50 rows, 400 new" = list(data = camel, n = 50L),
    "Skewed, 7 inputs, 30 rows, 500 new" = list(data = skewed(530, 7, 6), n = 30L),
    "Skewed, 11 inputs, 200 rows, 1000 new" = list(data = skewed(1200, 11, 7), n = 200L)
  )
}

paper_transforms <- list(BC = "boxcox", SA = "sinharcsinh", "L-SA" = c("affine", "sinharcsinh"),
                         "A-BC" = c("boxcox", "arcsinh"))

# Minutes of BTG / WGP in the paper's table "Regression Timing Results": SixHumpCamel, Abalone,
# WineQuality, each with the four transforms.
paper_ratio <- c(1.10, 0.95, 1.74, 1.65, 1.02, 1.04, 1.11, 1.09, 1.40, 1.29, 1.79, 1.87) /
  c(0.68, 0.78, 1.08, 1.14, 1.28, 1.22, 1.48, 1.56, 1.52, 1.60, 2.50, 2.82)

compare_averaging <- function(name, problem, label) {
  train <- problem$data[seq_len(problem$n), ]
  new <- problem$data[-seq_len(problem$n), ]
  fit <- function(fitter) {
    fitter(y ~ ., train, transform = paper_transforms[[label]], kernel = "rbf")
  }
  inputs <- names(train) != "y"
  by_peer <- lapply(stats::setNames(nm = installed(peers)), function(peer) {
    function() {
      set.seed(1)
      silently(fit_peer[[peer]](as.matrix(train[inputs]), train$y, "rbf", 5L)$predict(
        as.matrix(new[inputs])
      ))
    }
  })
  jobs <- list(
    wgp = function() predict(fit(btg::wgp), new, interval = "credible"),
    btg_fit = function() fit(btg::btg),
    btg = function() predict(fit(btg::btg), new, interval = "credible")
  )
  seconds <- silently(vapply(jobs, processor_time, 0))
  peer_seconds <- silently(vapply(by_peer, function(job) {
    tryCatch(processor_time(job), error = function(e) NA_real_)
  }, 0))
  fastest <- if (all(is.na(peer_seconds))) NA else min(peer_seconds, na.rm = TRUE)
  data.frame(problem = name, transform = label, btg = seconds[["btg"]],
             btg_fit = seconds[["btg_fit"]], wgp = seconds[["wgp"]], peer = fastest,
             ratio = seconds[["btg"]] / seconds[["wgp"]],
             ratio_to_peer = seconds[["btg"]] / fastest)
}

# How far the best of the peers is above wgp(), negative if below.
show_gaps <- function(table) {
  for (method in c("ML", "REML")) {
    cases <- paste(table$problem, table$kernel, sep = ", ")
    gaps <- vapply(split(table, factor(cases, unique(cases))), function(case) {
      ours <- case$by == "wgp"
      max(case[!ours, method], na.rm = TRUE) - case[ours, method]
    }, 0)
    cat("\n", method, ": best of the peers less wgp\n", sep = "")
    print(data.frame(gap = format(gaps, digits = 1, scientific = 5)))
  }
}

# How long the others take, and btg() over wgp() here and in the paper.
draw_figure <- function(times, averaging) {
  graphics::par(mfrow = c(1, 2), mar = c(4, 8, 2, 1), mgp = c(2.4, 0.7, 0), las = 1)
  if (is.null(times)) {
    graphics::plot.new()
  } else {
    graphics::barplot(rev(times$ratio), names.arg = rev(times$by), horiz = TRUE, border = NA,
                      col = colours[["sky"]], xlab = "time / wgp(), five starts")
    graphics::abline(v = 1, lty = 2)
  }
  graphics::title("200 rows, 8 inputs", cex.main = 1)
  names <- sub("^([A-Za-z]+), .*, ([0-9]+) rows.*", "\\1, n = \\2", averaging$problem)
  at <- rev(seq_along(names))
  graphics::plot(averaging$ratio, at, log = "x", yaxt = "n", pch = 16, ylab = "",
                 xlim = range(averaging$ratio, averaging$paper_ratio), col = colours[["blue"]],
                 xlab = "time of btg() / wgp()")
  graphics::points(averaging$paper_ratio, at, pch = 2, col = colours[["orange"]])
  graphics::axis(2, at, paste(names, averaging$transform), cex.axis = 0.8)
  graphics::abline(v = 1, lty = 2)
  graphics::legend("bottomright", c("here", "paper"), pch = c(16, 2), bty = "n",
                   col = colours[c("blue", "orange")])
}

compare_all_likelihoods <- function(kernels) {
  problems <- likelihood_problems()
  cases <- expand.grid(name = names(problems), kernel = kernels, stringsAsFactors = FALSE)
  do.call(rbind, Map(function(name, kernel) {
    compare_likelihoods(name, problems[[name]], kernel)
  }, cases$name, cases$kernel))
}

compare_all_averaging <- function() {
  problems <- paper_problems()
  cases <- expand.grid(transform = names(paper_transforms), name = names(problems),
                       stringsAsFactors = FALSE)
  averaging <- do.call(rbind, Map(function(name, label) {
    compare_averaging(name, problems[[name]], label)
  }, cases$name, cases$transform))
  averaging$paper_ratio <- paper_ratio
  averaging
}

main <- function(given) {
  times <- NULL
  if (length(installed(peers)) > 0L) {
    cat("\nLog likelihood reached:\n")
    likelihoods <- compare_all_likelihoods(if (given$full) kernels else kernels[1L])
    print(likelihoods, row.names = FALSE, digits = 6)
    show_gaps(likelihoods)
    write_rounded(likelihoods, given, "mle-likelihood.csv", 6L)

    cat("\nSeconds of processor time, 200 rows, 8 inputs, five starts:\n")
    times <- compare_times("matern52")
    print(times, row.names = FALSE, digits = 3)
    write_rounded(times, given, "mle-time.csv")
  }
  cat("\nbtg / wgp, fit and predict, seconds of processor time:\n")
  averaging <- compare_all_averaging()
  print(averaging, row.names = FALSE, digits = 3)
  write_rounded(averaging, given, "mle-btg.csv")
  write_png(function() draw_figure(times, averaging), given, "mle.png", 1200, 500)
}

run_benchmark(main, packages = peers)
