# Large data: how far the approximation is from the exact model, what it costs, and how it does
# beside other packages. See README.md.
#
#   Rscript bench/large.R [--full] [--only=accuracy,sizes,predictions,switch,peers]
#
# Rows are added to large-*.csv as they are measured, and not measured again: a run that was cut
# short goes on where it stopped. Times are of the processor, one thread.

source("bench/common.R")
source("bench/peers/predictive.R")
source("bench/large/data.R")
source("bench/large/methods.R")

main <- function(given) {
  parts <- list(accuracy = measure_accuracy, sizes = measure_sizes,
                predictions = measure_predictions, switch = measure_switch, peers = measure_peers)
  chosen <- if (is.null(given$only)) names(parts) else strsplit(given$only, ",")[[1L]]
  for (part in chosen) parts[[part]](given)
}

# Measures each row of `cases` that is not in the file yet, by a function of one of them.
measure_all <- function(cases, measure, given, file) {
  path <- file.path(given$out, file)
  known <- if (file.exists(path)) utils::read.csv(path)
  key <- function(table) do.call(paste, table[names(cases)])
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, , drop = FALSE]
    if (!is.null(known) && key(case) %in% key(known)) next
    found <- measure(as.list(case))
    if (is.null(found)) next
    known <- rbind(known, cbind(case, found, row.names = NULL))
    write_rounded(known, given, file)
    print(utils::tail(known, 1L), row.names = FALSE)
  }
  known
}

# --- against the exact model ----------------------------------------------------------------------

# The same data by the exact model and by the approximation. Lengthscales are such that the process
# varies as much in any number of inputs.
measure_accuracy <- function(given) {
  cat("\nAgainst the exact model\n")
  cases <- expand.grid(n = if (given$full) 1500L else 500L, inputs = c(2L, 5L, 10L),
                       noise = c(1e-4, 0.1, 1), approx = c("blocks", "plain"),
                       stringsAsFactors = FALSE)
  measure_all(cases, compare_with_exact, given, "large-accuracy.csv")
}

compare_with_exact <- function(case) {
  lengthscales <- rep(0.35 * sqrt(case$inputs), case$inputs)
  d <- simulated_rows(case$n + 300L, lengthscales, case$noise, identity, seed = case$inputs)
  train <- d[seq_len(case$n), ]
  new <- d[-seq_len(case$n), ]
  approx <- if (case$approx == "blocks") btg::vecchia() else btg::vecchia(30, 1, 0)
  fit_by <- function(approx) {
    silently(btg::wgp(y ~ ., train, warp_inputs = FALSE, restarts = 2, approx = approx))
  }
  exact <- fit_by("exact")
  approximate <- fit_by(approx)
  # The approximation at the exact maximum.
  there <- approximate
  there$models[[1L]]$posterior <- exact$models[[1L]]$posterior
  there <- btg:::add_checksum(there)
  log_likelihood <- function(fit) {
    built <- btg:::build_models(fit$design, fit$models)
    btg:::evaluate_model(built, exact$models[[1L]]$posterior$hyper)$log_marginal
  }
  ends <- function(fit) stats::predict(fit, new, interval = "prediction")
  sd <- (ends(exact)[, "upr"] - ends(exact)[, "lwr"]) / (2 * stats::qnorm(0.975))
  off <- abs(ends(there) - ends(exact))[, c("lwr", "upr")] / sd
  coordinates <- function(fit) log(fit$models[[1L]]$posterior$hyper[1L, ])
  exact_model <- btg:::build_models(exact$design, exact$models)
  curvature <- numDeriv::jacobian(function(x) {
    btg:::evaluate_model(exact_model, rbind(exp(x)), gradient = TRUE)$gradient[1L, ]
  }, coordinates(exact), method = "simple", method.args = list(eps = 1e-4))
  free <- !vapply(exact$models[[1L]]$problem$hyperparameters, btg:::is_fixed, NA)
  covariance <- solve(-curvature[free, free])
  spread <- sqrt(pmax(diag(covariance), 0))
  shift <- abs(coordinates(approximate) - coordinates(exact))[free] / spread
  model <- there$models[[1L]]
  said <- btg:::core_approximation(btg:::build_models(there$design, list(model)), 1L,
                                   model$posterior$hyper[1L, ], which(free), btg:::core_run())
  said_shift <- sqrt(diag(covariance %*% said$score %*% covariance)) / spread
  data.frame(log_marginal = log_likelihood(there) - log_likelihood(exact),
             ends_percent = 100 * mean(off),
             ends_95_percent = 100 * stats::quantile(off, 0.95, names = FALSE),
             shift_sds = max(shift[is.finite(shift)]),
             inflation_percent = 100 * said$process[1L], divergence = said$divergence,
             said_shift_sds = max(said_shift[is.finite(said_shift)]))
}

# --- time and memory ------------------------------------------------------------------------------

# Each in a process of its own, whose largest memory is told.
measure_sizes <- function(given) {
  cat("\nTime and memory\n")
  rows <- if (given$full) c(1e4, 3e4, 1e5, 1e6) else c(3000, 1e4)
  cases <- expand.grid(n = rows, approx = c("blocks", "plain"), stringsAsFactors = FALSE)
  cases <- cases[!(cases$n == 1e6 & cases$approx == "blocks"), ]
  measure_all(cases, measure_size, given, "large-sizes.csv")
}

measure_size <- function(case) {
  script <- tempfile(fileext = ".R")
  result <- tempfile(fileext = ".rds")
  writeLines(c(
    "source('bench/common.R'); source('bench/large/data.R'); library(btg)",
    sprintf("n <- %d", as.integer(case$n)),
    "set <- large_sets$smooth(n)",
    sprintf("approx <- %s", if (case$approx == "blocks") "vecchia()" else "vecchia(30, 1, 0)"),
    "fit_seconds <- seconds_of(fit <- silently(btg(y ~ ., set$train, transform = 'boxcox',",
    "                                              approx = approx)))",
    "count <- min(n, 10000)",
    "new <- set$train[rep_len(seq_len(n), count), ]",
    "new$x1 <- (new$x1 + 0.01) %% 1",
    "predict_seconds <- seconds_of(predict(fit, new, interval = 'prediction'))",
    "ends <- predict(fit, set$test, interval = 'prediction')",
    "covered <- mean(ends[, 'lwr'] <= set$test$y & set$test$y <= ends[, 'upr'])",
    "status <- readLines('/proc/self/status')",
    "peak <- as.numeric(gsub('[^0-9]', '', grep('^VmHWM', status, value = TRUE))) / 1024",
    "model <- fit$models[[1]]$quadrature",
    sprintf("saveRDS(data.frame(fit_seconds, likelihoods = model$likelihoods,
                    gradients = model$gradients, effective = model$effective_nodes,
                    points = count, predict_seconds, coverage = covered, megabytes = peak,
                    inflation_percent = 100 * fit$approximation$inflation,
                    shift_sds = max(fit$approximation$shift)), '%s')", result)
  ), script)
  status <- system2(file.path(R.home("bin"), "Rscript"), script,
                    env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = ":"))))
  if (status == 0L) readRDS(result)
}

# --- predictions ----------------------------------------------------------------------------------

# Predictions of the same points from all nodes of the integral, and from the few that represent
# them, with factors that are computed and that are cached.
measure_predictions <- function(given) {
  cat("\nPredictions\n")
  cases <- data.frame(set = c("diamonds", "smooth"), n = if (given$full) 1e5 else 3000,
                      points = if (given$full) c(3000, 1e5) else 300)
  measure_all(cases, measure_prediction, given, "large-predictions.csv")
}

measure_prediction <- function(case) {
  set <- large_sets[[case$set]](case$n)
  fit <- silently(btg::btg(y ~ ., set$train, transform = set$transform, approx = btg::vecchia()))
  new <- set$test[rep_len(seq_len(nrow(set$test)), case$points), ]
  # Copies of test rows are shifted, so that no two points are the same.
  new[[1L]] <- new[[1L]] + stats::sd(new[[1L]]) * (seq_len(nrow(new)) - 1) / (10 * nrow(new))
  all_nodes <- btg:::add_checksum(btg:::with_all_candidates(fit))
  seconds <- function(fit, cache) {
    before <- options(btg.cache = cache)
    on.exit(options(before))
    seconds_of(stats::predict(fit, new, interval = "prediction"))
  }
  computed <- seconds(fit, 0)
  from_all <- seconds(all_nodes, 0)
  btg::prepare(fit)
  cached <- seconds(fit, NULL)
  nodes <- function(fit) length(btg:::ensemble_of(fit)$weight)
  data.frame(rows = nrow(set$train), all_nodes = nodes(all_nodes), nodes = nodes(fit),
             all_seconds = from_all, seconds = computed, cached_seconds = cached,
             ratio = computed / from_all, cached_ratio = cached / from_all)
}

# --- where "auto" switches ------------------------------------------------------------------------

measure_switch <- function(given) {
  cat("\nExact and approximate fits between 500 and 2000 rows\n")
  cases <- expand.grid(n = if (given$full) c(500L, 1000L, 1500L, 2000L) else 1000L,
                       approx = c("exact", "blocks"), stringsAsFactors = FALSE)
  measure_all(cases, function(case) {
    set <- large_sets$smooth(case$n)
    set$train <- set$train[seq_len(case$n), ]
    approx <- if (case$approx == "exact") "exact" else btg::vecchia()
    found <- by_large_btg(set, approx = approx)
    scores <- found$scorer(set$test$y)
    data.frame(fit_seconds = found$fit, predict_seconds = found$predict, crps = mean(scores$crps))
  }, given, "large-switch.csv")
}

# --- other packages -------------------------------------------------------------------------------

measure_peers <- function(given) {
  cat("\nBeside other packages\n")
  cases <- expand.grid(set = names(large_sets), method = names(large_methods),
                       n = if (given$full) 1e5 else 3000, stringsAsFactors = FALSE)
  most <- if (given$full) Inf else 300
  table <- measure_all(cases, function(case) measure_peer(case, most), given, "large-peers.csv")
  if (!is.null(table)) print(summarise_peers(table), row.names = FALSE)
}

# At most n rows; a simulated set of the full size has 10,000. At most `most` are predicted.
measure_peer <- function(case, most) {
  method <- large_methods[[case$method]]
  if (length(installed(method$package)) == 0L) {
    return(NULL)
  }
  simulated <- case$set %in% c("smooth", "heavy")
  set <- tryCatch(large_sets[[case$set]](if (simulated) min(case$n, 10000) else case$n),
                  error = function(e) NULL)
  if (is.null(set)) {
    return(NULL)
  }
  if (nrow(set$test) > most) set$test <- utils::head(set$test, most)
  found <- tryCatch(method$run(set), error = function(e) {
    cat(case$method, "on", case$set, "failed:", conditionMessage(e), "\n")
    NULL
  })
  if (is.null(found)) {
    return(NULL)
  }
  scores <- found$scorer(set$test$y)
  y <- set$test$y
  data.frame(rows = nrow(set$train), fit_seconds = found$fit, predict_seconds = found$predict,
             crps = mean(scores$crps), log_score = mean(scores$log_score),
             coverage = mean(scores$lower <= y & y <= scores$upper))
}

# Of btg beside the better of GpGp's two fits.
summarise_peers <- function(table) {
  do.call(rbind, lapply(unique(table$set), function(set) {
    of <- function(methods, column) table[table$set == set & table$method %in% methods, column]
    gpgp <- c("GpGp", "GpGp, log")
    if (length(of("btg", "crps")) == 0L || length(of(gpgp, "crps")) == 0L) {
      return(NULL)
    }
    data.frame(set = set, rows = of("btg", "rows"),
               time_over_gpgp = of("btg", "fit_seconds") / min(of(gpgp, "fit_seconds")),
               crps_over_gpgp = of("btg", "crps") / min(of(gpgp, "crps")),
               coverage = of("btg", "coverage"))
  }))
}

run_benchmark(main, known = "only", packages = c("GpGp", "gpboost", "laGP", "BRISC"))
