# Results with another BLAS, other linear algebra, another optimisation by the compiler and more
# threads, against those of the package as it is usually installed.
#
#   Rscript tests/reproducibility/reproduce.R LIBRARY
#
# LIBRARY has the package compiled without optimisation: `make reproduce` builds it. Each setting
# runs in a process of its own, which is this script with the setting's linear algebra, threads and
# a file for the results. Prints the largest differences, and fails if one is above its tolerance.

# `exact` results are of fits whose nodes are given by the rule, and differ by rounding alone:
# |a - b| / max(|a|, median |a|). The default rule places its nodes where an optimiser ends, which
# rounding decides: differences of predictions, in units of their intervals of 95%. wgp() ends where
# its likelihood is flat: as the first.
tolerances <- c(exact = 1e-10, default_rule = 1e-4, most_likely = 1e-5)

some_data <- function(n) {
  x <- cbind(a = (seq_len(n) * 0.7548777) %% 1, b = (seq_len(n) * 0.5698403) %% 1)
  y <- exp(sin(5 * x[, 1]) + x[, 2] + 0.2 * stats::qnorm((seq_len(n) * 0.6180340) %% 1))
  data.frame(x, y)
}
new <- data.frame(a = c(0.1, 0.52, 0.93, 2), b = c(0.4, 0.77, 0.05, -1))

left_out <- function(loo) loo$pointwise[c("median", "lwr", "upr", "log_score", "crps", "pit")]

answers <- function(fit, threads) {
  list(
    nodes = nodes(fit)[order(-nodes(fit)$weight)[1:3], c("weight", "log_marginal", "noise")],
    quantiles = predict(fit, new, type = "quantile", probs = c(0.01, 0.5, 0.99), threads = threads),
    density = predict(fit, new, type = "density", at = 2, threads = threads),
    loocv = left_out(loocv(fit, threads = threads)),
    folds = left_out(loocv(fit, folds = 5, threads = threads)),
    draws = simulate(fit, 3, seed = 1, newdata = new, threads = threads)
  )
}

intervals <- function(fit, threads) {
  interval <- predict(fit, new, interval = "credible", threads = threads)
  list(predictions = interval, width = interval[, "upr"] - interval[, "lwr"])
}

run_problems <- function(threads) {
  d <- some_data(60)
  few <- quad_sobol(nodes = 48)
  ugly <- rbind(d, d[1:10, ], d[1:10, ] + rep(c(0, 0, 0.5), each = 10)) # replicates
  one <- btg(y ~ a + b, d, transform = "sinharcsinh", quadrature = few, threads = threads)
  rough <- btg(y ~ a + b, ugly, trend = ~ a, transform = c("yeojohnson", "sinharcsinh"),
               kernel = "exponential", product = TRUE, weights = rep(c(1, 3), 40),
               quadrature = few, threads = threads)
  average <- btg(y ~ a + b, d, quadrature = few, threads = threads)
  most_likely <- wgp(y ~ a + b, d, transform = "softplus", threads = threads)
  exact <- list(
    one_transform = answers(one, threads), ugly = answers(rough, threads),
    average = answers(average, threads),
    log_posterior = list(value = log_posterior(one, nodes(one)[order(nodes(one)$noise), ]))
  )
  larger <- some_data(150)
  list(
    exact = exact,
    default_rule = list(
      one_transform = intervals(btg(y ~ a + b, d, transform = "sinharcsinh"), threads),
      more_rows = intervals(btg(y ~ a + b, larger, transform = "softplus"), threads),
      average = intervals(btg(y ~ a + b, d, threads = threads), threads)
    ),
    most_likely = list(
      wgp = list(parameters = coef(most_likely), loglik = as.vector(logLik(most_likely)),
                 predictions = predict(most_likely, new, interval = "credible"))
    )
  )
}

relative_difference <- function(a, b) {
  a <- unlist(a)
  b <- unlist(b)
  stopifnot(length(a) == length(b), is.na(a) == is.na(b))
  max(abs(a - b) / pmax(abs(a), stats::median(abs(a), na.rm = TRUE)), na.rm = TRUE)
}

difference_in_widths <- function(a, b) max(abs(a$predictions - b$predictions) / a$width)

# The largest difference of each kind over the problems.
differences <- function(results, usual) {
  of_kind <- function(kind, difference) max(mapply(difference, usual[[kind]], results[[kind]]))
  c(exact = of_kind("exact", relative_difference),
    default_rule = of_kind("default_rule", difference_in_widths),
    most_likely = of_kind("most_likely", relative_difference))
}

# Where Debian has them, as libraries to start R with.
find_blas <- function() {
  openblas <- Sys.glob("/usr/lib/*/openblas-*/libopenblas.so.0")
  reference <- Sys.glob(c("/usr/lib/*/blas/libblas.so.3", "/usr/lib/*/lapack/liblapack.so.3"))
  if (length(openblas) == 0L || length(reference) != 2L) {
    stop("Both OpenBLAS and the reference BLAS are needed (Debian: libopenblas0, libblas3, ",
         "liblapack3).")
  }
  list(openblas = openblas[[1L]], reference = paste(reference, collapse = ":"))
}

setting <- function(name, blas = "openblas", algebra = "blas", optimised = TRUE, threads = 1) {
  data.frame(name, blas, algebra, optimised, threads)
}

run_setting <- function(setting, script, libraries, unoptimised) {
  file <- tempfile(fileext = ".rds")
  library <- if (setting$optimised) .libPaths() else c(unoptimised, .libPaths())
  status <- system2(
    file.path(R.home("bin"), "Rscript"),
    shQuote(c(script, "--worker", setting$algebra, setting$threads, file)),
    env = c("OPENBLAS_NUM_THREADS=1", paste0("LD_PRELOAD=", shQuote(libraries[[setting$blas]])),
            paste0("R_LIBS=", shQuote(paste(library, collapse = ":"))))
  )
  if (status != 0L) stop("The process with ", setting$name, " failed.")
  readRDS(file)
}

compare_all <- function(script, unoptimised) {
  settings <- rbind(
    setting("usual"),
    setting("two threads", threads = 2),
    setting("reference BLAS", blas = "reference"),
    setting("own linear algebra (AVX2)", algebra = "builtin"),
    setting("own linear algebra (SSE2)", algebra = "portable"),
    setting("-O0", optimised = FALSE),
    setting("-O0, own (SSE2)", algebra = "portable", optimised = FALSE)
  )
  libraries <- find_blas()
  results <- lapply(split(settings, seq_len(nrow(settings))), run_setting, script = script,
                    libraries = libraries, unoptimised = normalizePath(unoptimised))
  table <- t(vapply(results[-1L], differences, tolerances, usual = results[[1L]]))
  rownames(table) <- settings$name[-1L]
  print(signif(rbind(table, tolerance = tolerances), 2L))
  above <- sum(t(table) > tolerances)
  cat(length(table) - above, " passed, ", above, " failed\n", sep = "")
  above == 0L
}

arguments <- commandArgs(TRUE)
if (arguments[1L] == "--worker") {
  suppressMessages(library(btg))
  options(btg.linear_algebra = arguments[2L], btg.warn_quadrature = FALSE)
  saveRDS(run_problems(as.integer(arguments[3L])), arguments[4L])
} else {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  quit(status = !compare_all(script, arguments[1L]))
}
