# Are the probabilities right? Data sets simulated from the model, and from others: README.md.
#
#   Rscript bench/calibration.R [--full] [--only=name,name]
#   Rscript bench/calibration.R --terms [--full] [--only=groups,season] [--sets=150]
#
# With --terms, the data have groups, a season or a direction, and only calibration-terms.csv is
# written.
# Writes calibration.csv, calibration-ranks.csv and calibration.png. What was measured is kept in
# calibration.rds of the output folder: a full run that was cut short goes on where it stopped.

source("bench/common.R")
source("bench/calibration/simulate.R")
source("bench/calibration/terms.R")

both <- c("softplus", "sinharcsinh")

# Each draws a data set.
kinds <- list(
  "identity" = function() simulate_model("identity"),
  "boxcox" = function() simulate_model("boxcox"),
  "yeojohnson" = function() simulate_model("yeojohnson"),
  "arcsinh" = function() simulate_model("arcsinh"),
  "sinharcsinh" = function() simulate_model("sinharcsinh"),
  "softplus" = function() simulate_model("softplus"),
  "softplus + sinharcsinh" = function() simulate_model(both),
  "three inputs" = function() simulate_model("identity", 40L, c("x1", "x2", "x3")),
  "weights" = function() simulate_model("identity", weighted = TRUE),
  "replicates" = function() simulate_model("identity", 45L, each = 3L),
  "varying noise" = function() simulate_model("identity", 60L, varying = TRUE),
  "approximation" = function() {
    simulate_model("identity", 200L, c("x1", "x2"),
                   arguments = list(approx = btg::vecchia(neighbours = 20, inducing = 30)))
  },
  "average" = function() {
    simulate_model(if (stats::runif(1) < 0.5) both else "sinharcsinh",
                   kernel = sample(names(correlations), 1L), arguments = list(transform = "auto"))
  },
  "t noise" = function() simulate_other("t noise"),
  "growing noise" = function() simulate_other("growing noise"),
  "step" = function() simulate_other("step"),
  "counts" = function() simulate_other("counts")
)

# The probability transform of the new response, and the posterior ranks of the hyperparameters
# if the model is the one that the data are from.
measure <- function(case) {
  # Weights are looked for where the variables of the formula are.
  case$data$.weight <- case$arguments$weights
  case$arguments$weights <- NULL
  inputs <- grep("^x", names(case$data), value = TRUE)
  call <- c(list(quote(btg::btg), stats::reformulate(inputs, "y"), data = quote(case$data),
                 warp_inputs = FALSE), case$arguments,
            if (!is.null(case$data$.weight)) list(weights = quote(.weight)))
  fit <- suppressWarnings(suppressMessages(eval(as.call(call))))
  pit <- suppressWarnings(predict(fit, case$new, type = "cdf", at = case$new$y))
  known <- !identical(case$arguments$transform, "auto")
  c(pit = as.vector(pit), if (known) ranks(btg::nodes(fit), case$hyper))
}

ranks <- function(nodes, hyper) {
  known <- intersect(names(hyper), names(nodes))
  vapply(known, function(name) sum(nodes$weight[nodes[[name]] <= hyper[[name]]]), 0)
}

# A data frame with a row for each data set. A model that refuses one is drawn another.
run <- function(count, simulate) {
  rows <- lapply(seq_len(count), function(seed) {
    set.seed(seed)
    repeat {
      values <- tryCatch(measure(simulate()), btg_error = function(e) NULL)
      if (!is.null(values)) return(as.data.frame(as.list(values)))
    }
  })
  do.call(rbind, rows)
}

coverage <- function(pit, level) mean(abs(pit - 0.5) <= level / 2)

# The p-value of uniformity, from ten bins.
uniform_p <- function(x) {
  stats::chisq.test(table(cut(x, seq(0, 1, 0.1), include.lowest = TRUE)))$p.value
}

summarise <- function(name, values) {
  data.frame(kind = name, data_sets = nrow(values), cover_50 = coverage(values$pit, 0.5),
             cover_80 = coverage(values$pit, 0.8), cover_95 = coverage(values$pit, 0.95),
             p = uniform_p(values$pit))
}

summarise_ranks <- function(name, values) {
  of <- setdiff(names(values), "pit")
  if (length(of) == 0L) return(NULL)
  data.frame(kind = name, hyperparameter = of, mean_rank = colMeans(values[of]),
             p = vapply(values[of], uniform_p, 0), row.names = NULL)
}

draw_figure <- function(all) {
  graphics::par(mfrow = c(5, 4), mar = c(3, 3, 2, 0.5), mgp = c(1.8, 0.6, 0))
  for (name in names(all)) {
    graphics::hist(all[[name]]$pit, seq(0, 1, 0.1), col = "#9ECAE1", border = "white",
                   main = name, xlab = "probability transform", ylab = "", font.main = 1)
    graphics::abline(h = nrow(all[[name]]) / 10, lty = 2, col = "#C44E00")
  }
}

# Writes the table after each kind, so that a run that was cut short leaves what it has measured.
calibrate_terms <- function(given) {
  count <- if (!is.null(given$sets)) as.integer(given$sets) else if (given$full) 500L else 50L
  kinds <- if (!is.null(given$only)) strsplit(given$only, ",")[[1L]]
           else c("groups", "season", "rotated")
  found <- NULL
  for (kind in kinds) {
    found <- rbind(found, cover_terms(kind, count))
    write_rounded(found, given, "calibration-terms.csv", 4L)
  }
  print(found, row.names = FALSE, digits = 3)
}

main <- function(given) {
  options(btg.warn_quadrature = FALSE)
  if ("terms" %in% names(given)) {
    return(calibrate_terms(given))
  }
  count <- if (given$full) 1000L else 100L
  chosen <- if (is.null(given$only)) names(kinds) else strsplit(given$only, ",")[[1L]]
  file <- file.path(given$out, "calibration.rds")
  all <- if (given$full && file.exists(file)) readRDS(file) else list()
  for (name in setdiff(chosen, names(all))) {
    all[[name]] <- run(count, kinds[[name]])
    if (given$full) saveRDS(all, file)
    print(summarise(name, all[[name]]), row.names = FALSE, digits = 3)
  }
  all <- all[intersect(names(kinds), names(all))]
  found <- do.call(rbind, Map(summarise_ranks, names(all), all))
  print(found, row.names = FALSE, digits = 3)
  write_rounded(do.call(rbind, Map(summarise, names(all), all)), given, "calibration.csv", 4L)
  write_rounded(found, given, "calibration-ranks.csv", 4L)
  write_png(function() draw_figure(all), given, "calibration.png", 1200, 1400, 130)
}

run_benchmark(main, c("only", "terms", "sets"))
