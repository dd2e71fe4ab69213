# Noise that varies: held-out scores against other packages, on data with and without it, and what
# it costs. See README.md.
#
#   Rscript bench/noise.R [--full] [--splits=10] [--report]
#
# Trials are kept in noise-trials.csv.gz and not run again: a run that was cut short goes on where it
# stopped. `--report` only reports.

source("bench/common.R")
for (file in c("data", "predictive", "methods")) {
  source(file.path("bench/peers", paste0(file, ".R")))
}

# The spread of these depends on the inputs, as their documentation or a plot shows.
varying <- list(
  mcycle = function() data_set(from("MASS", "mcycle"), accel ~ times),
  lidar = function() data_set(from("SemiPar", "lidar"), logratio ~ range, 120),
  engel = function() data_set(from("quantreg", "engel"), foodexp ~ income, 120),
  abdom = function() data_set(from("gamlss.data", "abdom"), y ~ x, 120),
  # Seven counts of 609 are zero: by chance none of them is among the rows of a fit.
  cd4 = function() data_set(subset(from("gamlss.data", "CD4"), cd4 > 0), cd4 ~ age, 120),
  cpus = function() {
    data_set(from("MASS", "cpus"), perf ~ syct + mmin + mmax + cach + chmin + chmax, 120)
  },
  rent = function() data_set(from("gamlss.data", "rent"), R ~ Fl + A, 120)
)

constant <- list(
  cars = function() data_set(from("datasets", "cars"), dist ~ speed),
  gagurine = function() data_set(from("MASS", "GAGurine"), GAG ~ Age, 120),
  trees = function() data_set(from("datasets", "trees"), Volume ~ Girth + Height),
  faithful = function() data_set(from("datasets", "faithful"), waiting ~ eruptions, 120),
  ozone = function() data_set(from("datasets", "airquality"), Ozone ~ Solar.R + Wind + Temp),
  cats = function() data_set(from("MASS", "cats"), Hwt ~ Bwt)
)

# A smooth curve of each of one or two inputs, or a line in each of more.
noise_formula <- function(train) {
  inputs <- setdiff(names(train), "y")
  smooth <- length(inputs) <= 2L
  terms <- vapply(inputs, function(name) {
    if (smooth && length(unique(train[[name]])) >= 10L) paste0("splines::ns(", name, ", 3)")
    else name
  }, "")
  stats::reformulate(terms)
}

by_varying_btg <- function(problem) {
  by_btg(btg::btg, noise = noise_formula(problem$train))(problem)
}

# Smooth terms of each input for the mean and for the logarithm of the standard deviation.
by_gaulss <- function(problem) {
  inputs <- setdiff(names(problem$train), "y")
  size <- if (length(inputs) == 1L) 10 else 5
  terms <- vapply(inputs, function(name) {
    values <- length(unique(problem$train[[name]]))
    if (values > 3L) paste0("s(", name, ", k = ", min(size, values), ")") else name
  }, "")
  fit <- mgcv::gam(list(stats::reformulate(terms, "y"), stats::reformulate(terms)),
                   family = mgcv::gaulss(), data = problem$train)
  found <- stats::predict(fit, problem$new, type = "response")
  location_scale(found[, 1L], 1 / found[, 2L])
}

tried <- list(
  "btg" = method(by_btg(btg::btg)),
  "btg auto" = method(by_btg(btg::btg, noise = "auto")),
  "btg varying" = method(by_varying_btg),
  "hetGP" = method(plain(by_hetgp), "hetGP"),
  "gaulss" = method(by_gaulss, "mgcv")
)

# Coverage in thirds of the rows, by the lengths of the method's own intervals.
trial <- function(method, set, split) {
  rows <- split_rows(set, split)
  problem <- new_problem(set$data[c(rows$train, rows$test), ], set$train)
  set.seed(split)
  y <- problem$new$y
  time <- system.time(scores <- method$run(problem)(y), gcFirst = FALSE)
  inside <- y >= scores$lower & y <= scores$upper
  third <- ceiling(3 * rank(scores$upper - scores$lower, ties.method = "first") / length(y))
  share <- function(k) mean(inside[third == k])
  data.frame(n = set$train, tests = length(y), crps = mean(scores$crps),
             log_score = mean(scores$log_score), covered = mean(inside), covered_quiet = share(1),
             covered_middle = share(2), covered_noisy = share(3),
             seconds = time[["user.self"]] + time[["sys.self"]])
}

run_trials <- function(cases, sets, given) {
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    result <- tryCatch(silently(trial(tried[[case$method]], sets[[case$set]], case$split)),
                       error = function(e) NULL)
    if (is.null(result)) next
    result[] <- lapply(result, signif, 6L)
    add_trial(cbind(case, result), given, "noise")
  }
}

planned <- function(sets, splits, done) {
  available <- names(tried)[vapply(tried, function(method) {
    requireNamespace(method$package, quietly = TRUE)
  }, NA)]
  cases <- expand.grid(method = available, set = names(sets), split = splits,
                       stringsAsFactors = FALSE)
  key <- function(x) paste(x$set, x$split, x$method)
  cases[!key(cases) %in% key(done), ]
}

# Sets whose package is not installed are left out.
available_sets <- function(sets) {
  made <- lapply(sets, function(set) suppressWarnings(tryCatch(set(), error = function(e) NULL)))
  missing <- names(Filter(is.null, made))
  if (length(missing) > 0L) cat("Left out, not installed:", toString(missing), "\n")
  Filter(Negate(is.null), made)
}

# Means over splits: one row for each set and method.
summarise_trials <- function(trials) {
  rows <- stats::aggregate(cbind(crps, log_score, covered, covered_quiet, covered_middle,
                                 covered_noisy, seconds) ~ set + method, trials, mean)
  rows$noise <- ifelse(rows$set %in% names(varying), "varying", "constant")
  rows
}

by_set <- function(rows, what) {
  tapply(rows[[what]], list(rows$set, factor(rows$method, names(tried))), mean)
}

# Over the sets of a kind: ranks, and CRPS and log score against plain btg(). Of the differences in
# log score the median, since a few intervals that are far too short spoil a mean.
compare_methods <- function(rows) {
  crps <- by_set(rows, "crps")
  log_score <- by_set(rows, "log_score")
  mean_of <- function(what) colMeans(by_set(rows, what))
  data.frame(
    noise = rows$noise[1L], sets = nrow(crps), method = colnames(crps),
    crps_rank = colMeans(t(apply(crps, 1L, rank))),
    log_score_rank = colMeans(t(apply(-log_score, 1L, rank))),
    crps = exp(colMeans(log(crps / crps[, "btg"]))),
    log_score = apply(log_score - log_score[, "btg"], 2L, stats::median),
    covered = mean_of("covered"), quiet = mean_of("covered_quiet"),
    middle = mean_of("covered_middle"), noisy = mean_of("covered_noisy"),
    seconds = mean_of("seconds"), row.names = NULL
  )
}

# The share of varying sets whose log score is above hetGP's, and the worst loss to plain btg() on
# the others, of means over splits: CRPS in percent, the log score for a row.
targets <- function(rows) {
  rest <- c("btg auto", "btg varying")
  scores_of <- function(kind, what) by_set(rows[rows$noise == kind, ], what)
  log_score <- scores_of("varying", "log_score")
  crps <- scores_of("constant", "crps")
  loss <- scores_of("constant", "log_score")
  above <- if ("hetGP" %in% rows$method) {
    colMeans(log_score[, rest, drop = FALSE] > log_score[, "hetGP"])
  } else {
    NA
  }
  data.frame(
    method = rest, above_hetgp = above,
    worst_crps = 100 * (apply(crps[, rest] / crps[, "btg"], 2L, max) - 1),
    on_set = rownames(crps)[apply(crps[, rest] / crps[, "btg"], 2L, which.max)],
    worst_log_score = apply(loss[, "btg"] - loss[, rest], 2L, max),
    on_that_set = rownames(loss)[apply(loss[, "btg"] - loss[, rest], 2L, which.max)],
    row.names = NULL
  )
}

# The time of a fit with three noise columns over that with a constant noise, at as many nodes, and
# of likelihoods with gradients. One after the other in turns; the medians of ratios.
time_ratios <- function(sizes, turns) {
  do.call(rbind, lapply(sizes, function(n) {
    set.seed(1)
    d <- data.frame(x = stats::runif(n), u = stats::runif(n))
    d$y <- exp(sin(6 * d$x) + d$u + stats::rnorm(n, sd = 0.1 + 0.5 * d$x))
    fit_of <- function(noise) {
      btg(y ~ x + u, d, transform = "softplus", product = FALSE, noise = noise,
          quadrature = quad_sobol(nodes = 200))
    }
    fits <- silently(lapply(list(~ 1, ~ splines::ns(x, 3)), fit_of))
    gradients_of <- function(fit) {
      model <- fit$models[[1L]]
      hyper <- model$posterior$hyper
      hyper <- hyper[rep_len(seq_len(nrow(hyper)), 100L), , drop = FALSE]
      btg:::evaluate_model(btg:::build_models(fit$design, list(model)), hyper, gradient = TRUE)
    }
    ratios <- vapply(seq_len(turns), function(turn) {
      c(fit = silently(seconds_of(fit_of(~ splines::ns(x, 3))) / seconds_of(fit_of(~ 1))),
        gradients = seconds_of(gradients_of(fits[[2L]])) / seconds_of(gradients_of(fits[[1L]])))
    }, c(fit = 0, gradients = 0))
    data.frame(n = n, fit = stats::median(ratios["fit", ]),
               gradients = stats::median(ratios["gradients", ]))
  }))
}

draw_figure <- function(rows) {
  shown <- setdiff(names(tried), "btg")
  sets <- intersect(c(names(varying), names(constant)), rows$set)
  at <- rev(seq_along(sets)) + 0.7 * (sets %in% names(varying))
  graphics::par(mfrow = c(1, 2), mar = c(4, 5, 1, 1), mgp = c(2.4, 0.7, 0))
  draw <- function(value, zero, label, reach) {
    graphics::plot(reach, range(at), type = "n", yaxt = "n", xlab = label, ylab = "")
    graphics::abline(v = zero, col = "grey60")
    graphics::axis(2, at, sets, las = 1)
    for (i in seq_along(shown)) {
      graphics::points(pmin(pmax(value[sets, shown[i]], reach[1L]), reach[2L]), at, pch = 14 + i,
                       col = colours[[i]])
    }
  }
  crps <- by_set(rows, "crps")
  log_score <- by_set(rows, "log_score")
  draw(crps / crps[, "btg"], 1, "CRPS / btg()", c(0.85, 1.2))
  graphics::legend("bottomright", shown, pch = 14 + seq_along(shown), col = colours, bty = "n",
                   cex = 0.85)
  draw(log_score - log_score[, "btg"], 0, "log score - btg()", c(-0.6, 0.6))
}

report <- function(trials, given) {
  rows <- summarise_trials(trials)
  write_rounded(rows, given, "noise.csv")
  kinds <- split(rows, rows$noise)
  table <- do.call(rbind, unname(rev(lapply(kinds, compare_methods))))
  print(table, digits = 3, row.names = FALSE)
  write_rounded(table, given, "noise-methods.csv", 4L)
  if (length(kinds) == 2L) {
    cat("\n")
    print(targets(rows), digits = 3, row.names = FALSE)
    write_rounded(targets(rows), given, "noise-targets.csv", 3L)
  }
  cat("\nCRPS and log score by set:\n")
  print(by_set(rows, "crps"), digits = 4)
  print(by_set(rows, "log_score"), digits = 4)
  write_png(function() draw_figure(rows), given, "noise.png", 1100, 550)
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  if (is.null(given$report)) {
    splits <- if (is.null(given$splits)) if (given$full) 10L else 3L else as.integer(given$splits)
    done <- read_trials(given, "noise")
    sets <- available_sets(c(varying, constant))
    run_trials(planned(sets, seq_len(splits), done), sets, given)
    store_trials(given, "noise")
    times <- time_ratios(c(100L, 300L), if (given$full) 15L else 5L)
    cat("\nTime with three noise columns over that with a constant noise:\n")
    print(times, digits = 3, row.names = FALSE)
    write_rounded(times, given, "noise-time.csv", 3L)
    cat("\n")
  }
  report(read_trials(given, "noise"), given)
}

run_benchmark(main, c("splits", "report"), c("hetGP", "mgcv"))
