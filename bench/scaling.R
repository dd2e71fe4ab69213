# How time and memory grow, where the time goes, and how far it is from the machine's limit: see
# README.md.
#
#   Rscript bench/scaling.R              # quick: a few minutes
#   Rscript bench/scaling.R --full       # to n = 4000, exactly; large.R goes on from there
#   Rscript bench/scaling.R --rows=200   # to n = 200
#
# Every case is an R process of its own, which this script starts as itself with three arguments:
# --case, where node.cpp is compiled, and the file with the case, in which it leaves the result. So
# peak memory is that of the case.

base_case <- list(n = 200L, d = 8L, nodes = 0L, points = 500L, threads = 1L)

# One thing is varied at a time, from the base case.
list_cases <- function(full, rows) {
  sizes <- c(50L, 100L, 200L, 500L, 1000L, if (full) c(2000L, 4000L))
  vary <- list(
    n = sizes[sizes <= rows],
    d = c(2L, 4L, 8L, 16L, if (full) 32L),
    nodes = c(64L, 256L, 1024L, if (full) 4096L),
    points = c(100L, 1000L, 10000L, if (full) 100000L),
    threads = 1:2
  )
  do.call(rbind, lapply(names(vary), function(name) {
    do.call(rbind, lapply(vary[[name]], function(value) {
      case <- utils::modifyList(base_case, stats::setNames(list(value), name))
      # With few rows threads have little to share.
      if (name == "threads") case[c("n", "points")] <- list(500L, 2000L)
      data.frame(varied = name, case)
    }))
  }))
}

make_data <- function(n, d) {
  set.seed(n + d)
  x <- matrix(runif(n * d), n, dimnames = list(NULL, paste0("x", seq_len(d))))
  signal <- sin(4 * x[, 1]) + x[, 2] * (if (d > 2L) x[, 3] else 1) + 0.5 * x[, d]^2
  data.frame(x, y = exp(signal + rnorm(n, sd = 0.2)))
}

# Processor and elapsed seconds of `job`, of the fastest of three turns; one is enough for what takes
# seconds, and none if that is known already.
time_job <- function(job, best = c(processor = Inf, elapsed = Inf)) {
  for (turn in 1:3) {
    if (is.finite(best[["processor"]]) && best[["processor"]] > 3) break
    time <- system.time(job(), gcFirst = FALSE)
    now <- c(processor = time[["user.self"]] + time[["sys.self"]], elapsed = time[["elapsed"]])
    if (now[["processor"]] < best[["processor"]]) best <- now
  }
  best
}

# The peak of this process's memory in megabytes; NA where the system does not tell.
peak_memory <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  line <- grep("^VmHWM", status, value = TRUE)
  if (length(line) == 0L) NA_real_ else as.numeric(gsub("[^0-9]", "", line)) / 1024
}

# Returns the seconds of one likelihood, one gradient and one dpotrf, at hyperparameters of the fit.
time_units <- function(fit, yardstick) {
  design <- fit$design
  model <- fit$models[[1L]]
  n <- nrow(design$inputs)
  count <- max(1L, min(nrow(model$posterior$hyper), as.integer(2e7 / n^2.5)))
  hyper <- model$posterior$hyper[seq_len(count), , drop = FALSE]
  built <- btg:::build_models(design, list(model))
  k <- exp(-as.matrix(dist(design$inputs))) + diag(0.05, n)
  seconds <- vapply(seq_len(if (n > 1500L) 1L else 3L), function(turn) {
    clock <- processor_seconds()
    btg:::evaluate_model(built, hyper)
    likelihood <- processor_seconds() - clock
    clock <- processor_seconds()
    btg:::evaluate_model(built, hyper, gradient = TRUE)
    gradient <- processor_seconds() - clock
    c(likelihood, gradient,
      time_dpotrf(yardstick, k, count, TRUE) - time_dpotrf(yardstick, k, count, FALSE))
  }, numeric(3L))
  stats::setNames(apply(seconds, 1L, min) / count, c("likelihood", "gradient", "dpotrf"))
}

run_case <- function(case, yardstick) {
  rule <- if (case$nodes > 0L) {
    btg::quad_adaptive(nodes = case$nodes, effective = 1, most = 4 * case$nodes)
  } else {
    "auto"
  }
  before <- peak_memory()
  data <- make_data(case$n + case$points, case$d)
  train <- data[seq_len(case$n), ]
  new <- data[-seq_len(case$n), ]
  fitter <- function() {
    suppressWarnings(btg::btg(y ~ ., train, transform = "sinharcsinh", quadrature = rule,
                              approx = "exact", threads = case$threads))
  }
  first <- system.time(fit <- fitter(), gcFirst = FALSE)
  first <- c(processor = first[["user.self"]] + first[["sys.self"]], elapsed = first[["elapsed"]])
  core <- time_job(function() {
    btg:::integrate_model(btg:::build_models(fit$design, fit$models), names(fit$models),
                          fit$settings$rule, fit$settings$epsilon, btg:::new_run(case$threads))
  })
  fitting <- time_job(fitter, first)
  predicting <- time_job(function() {
    predict(fit, new, interval = "credible", threads = case$threads)
  })
  memory <- peak_memory()
  units <- time_units(fit, yardstick)
  counts <- fit$quadrature[c("likelihoods", "gradients")]
  evaluations <- counts$likelihoods + counts$gradients
  # The check of the quadrature makes factors of the nodes that predict, and caches them.
  are_cached <- btg:::are_factors_cached(btg:::ensemble_of(fit))
  kept <- if (are_cached) fit$quadrature$nodes_predictive else 0
  data.frame(case, as.list(stats::setNames(c(fitting, predicting),
                                           c("fit", "fit_elapsed", "predict", "predict_elapsed"))),
             core = core[["processor"]], megabytes = memory, megabytes_before = before,
             as.list(units), counts, predictive = fit$quadrature$nodes_predictive,
             kept, limit = evaluations * units[["dpotrf"]],
             ratio = fitting[["processor"]] / (evaluations * units[["dpotrf"]]),
             ratio_with_kept = fitting[["processor"]] / ((evaluations + kept) * units[["dpotrf"]]))
}

# Shares of a fit's processor time. Likelihoods that share a factor cost less than the measured
# one, so where these are many, what is left for the quadrature itself is too little, or negative.
profile_fits <- function(results) {
  with(results[results$varied == "n", ], {
    factorisations <- likelihoods * dpotrf
    data.frame(n, factorisations = factorisations / fit,
               other_of_likelihoods = likelihoods * (likelihood - dpotrf) / fit,
               gradients = gradients * gradient / fit,
               quadrature = (core - likelihoods * likelihood - gradients * gradient) / fit,
               r_side = (fit - core) / fit)
  })
}

slope <- function(x, y) diff(log(utils::tail(y, 2L))) / diff(log(utils::tail(x, 2L)))

draw <- function(results, file) {
  grDevices::png(file, 1500, 900, res = 150)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(2, 3), mar = c(4, 4, 2, 1), mgp = c(2.2, 0.7, 0))
  labels <- c(n = "rows", d = "inputs", nodes = "nodes aimed at", points = "new points")
  for (name in names(labels)) {
    part <- results[results$varied == name, ]
    graphics::matplot(part[[name]], part[c("fit", "predict")], log = "xy", type = "b", pch = 19,
                      lty = 1, col = c("black", "orange2"), xlab = labels[[name]],
                      ylim = range(part[c("fit", "predict", if (name == "n") "limit")]),
                      ylab = "seconds of processor time")
    if (name == "n") {
      graphics::lines(part$n, part$limit, lty = 2)
      graphics::legend("topleft", c("fit", "its factorisations", "predict 500 points"),
                       col = c("black", "black", "orange2"), lty = c(1, 2, 1), bty = "n")
    }
  }
  part <- results[results$varied == "n", ]
  memory <- part$megabytes - part$megabytes_before
  one_matrix <- 8 * part$n^2 / 2^20
  graphics::plot(part$n, memory, log = "xy", type = "b", pch = 19, xlab = "rows",
                 ylim = range(memory, one_matrix), ylab = "peak megabytes above R's own")
  graphics::lines(part$n, one_matrix, lty = 2)
  graphics::legend("topleft", c("fit and predict", "one n x n matrix"), lty = 1:2, bty = "n")
  shares <- t(as.matrix(profile_fits(results)[-1L]))
  graphics::barplot(pmax(shares, 0), names.arg = part$n, xlab = "rows", ylab = "share of the fit",
                    col = grDevices::hcl.colors(nrow(shares), "Zissou 1"), border = NA,
                    xlim = c(0, 2.2 * ncol(shares)), legend.text = gsub("_", " ", rownames(shares)),
                    args.legend = list(x = "right", bty = "n", cex = 0.8))
}

show_results <- function(results) {
  for (name in unique(results$varied)) {
    part <- results[results$varied == name, ]
    cat("\nBy ", name, ":\n", sep = "")
    print(part[c("n", "d", "nodes", "points", "threads", "fit", "fit_elapsed", "predict",
                 "predict_elapsed", "megabytes", "likelihoods", "gradients", "ratio")],
          digits = 3, row.names = FALSE)
    if (name != "threads") {
      cat("last slope of fit", format(slope(part[[name]], part$fit), digits = 2),
          "and of predict", format(slope(part[[name]], part$predict), digits = 2), "\n")
    }
  }
  cat("\nLikelihood and gradient, in units of dpotrf:\n")
  part <- results[results$varied == "n", ]
  print(data.frame(n = part$n, likelihood = part$likelihood / part$dpotrf,
                   gradient = part$gradient / part$dpotrf), digits = 3, row.names = FALSE)
  cat("\nShares of the fit:\n")
  print(profile_fits(results), digits = 2, row.names = FALSE)
}

# OpenBLAS where Debian puts it, else R's own LAPACK.
find_yardstick <- function() {
  found <- Sys.glob("/usr/lib/*/openblas-*/libopenblas.so.0")
  if (length(found) > 0L) found[[1L]] else La_library()
}

main <- function(given) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  compiled <- tempfile("compiled")
  Rcpp::sourceCpp(file.path(dirname(script), "node.cpp"), cacheDir = compiled)
  cases <- list_cases(given$full, if (is.null(given$rows)) Inf else as.numeric(given$rows))
  results <- NULL
  for (i in seq_len(nrow(cases))) {
    file <- tempfile(fileext = ".rds")
    saveRDS(as.list(cases[i, names(base_case)]), file)
    status <- system2(file.path(R.home("bin"), "Rscript"),
                      shQuote(c(script, "--case", compiled, file)),
                      env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = ":"))))
    if (status != 0L) stop("Case ", i, " failed.")
    results <- rbind(results, cbind(varied = cases$varied[i], readRDS(file)))
    # As far as it is, should it be stopped.
    rounded <- results
    numbers <- vapply(rounded, is.double, NA)
    rounded[numbers] <- lapply(rounded[numbers], signif, 4L)
    utils::write.csv(rounded, file.path(given$out, "scaling.csv"), row.names = FALSE)
  }
  show_results(results)
  draw(results, file.path(given$out, "scaling.png"))
}

arguments <- commandArgs(TRUE)
if ("--case" %in% arguments) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  Rcpp::sourceCpp(file.path(dirname(script), "node.cpp"), cacheDir = arguments[[2L]])
  saveRDS(run_case(readRDS(arguments[[3L]]), find_yardstick()), arguments[[3L]])
} else {
  source("bench/common.R")
  run_benchmark(main, known = "rows")
}
