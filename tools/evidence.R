# From the stored results of the benchmarks: bench/results/targets.csv, what was aimed at and what
# was reached, and the part of README.md between its two marks.
#
#   Rscript tools/evidence.R           writes both
#   Rscript tools/evidence.R --check   fails if they are not what the results say

results <- "bench/results"
stored <- function(name) {
  utils::read.csv(file.path(results, paste0(name, ".csv")), check.names = FALSE)
}
percent <- function(x, digits = 0L) sprintf("%.*f%%", digits, 100 * x)
share <- function(x) paste(sum(x), "of", length(x))

# --- targets --------------------------------------------------------------------------------------

target <- function(what, asked, reached, met) data.frame(what, asked, reached, met)

peer_targets <- function() {
  methods <- stored("peers-methods")
  all <- methods[grepl("in all", methods$sets), ]
  ours <- all[all$method == "btg", ]
  baseline <- all[all$method == "RobustGaSP, warped, Box-Cox", ]
  named <- stored("peers-targets")
  named <- named[grepl("in all", named$sets), ]
  time <- as.numeric(named$reached[grepl("auto / median of three", named$target)])
  sets <- stored("peers")
  sets <- sets[sets$method %in% setdiff(all$method, "btg sinharcsinh"), ]
  crps <- with(sets, tapply(crps, list(set, method), mean))
  hard <- intersect(c("humanity", "cpus", "gala", "sic97"), rownames(crps))
  behind <- crps[hard, "btg"] / apply(crps[hard, , drop = FALSE], 1L, min, na.rm = TRUE) - 1
  rbind(
    target("mean rank in CRPS among methods", "best", format(ours$crps_rank, digits = 2),
           ours$crps_rank == min(all$crps_rank)),
    target("mean rank in log score", "best", format(ours$log_score_rank, digits = 2),
           ours$log_score_rank == min(all$log_score_rank)),
    target("95% intervals cover", "93 to 97%", percent(ours$covered, 1L),
           ours$covered >= 0.93 && ours$covered <= 0.97),
    target("CRPS below that of RobustGaSP on a Box-Cox response", "5%, significantly",
           sprintf("%s, p = %.1g", percent(1 - 1 / baseline$crps, 1L), baseline$p),
           baseline$crps >= 1 / 0.95 && baseline$p < 0.05),
    target("time / median of RobustGaSP, hetGP, DiceKriging", "1.0", format(time), time <= 1),
    target("behind the best method on humanity, cpus, gala, sic97", "2%",
           paste(percent(pmax(behind, 0)), collapse = ", "), all(behind <= 0.02))
  )
}

quadrature_targets <- function() {
  problems <- stored("quadrature-default")
  asked <- ifelse(problems$dimension <= 6, 1, ifelse(problems$dimension <= 16, 2, 4))
  reached <- problems$endpoint_mean
  covered <- stats::weighted.mean(problems$covered, problems$seeds)
  warning <- stored("warning-summary")
  rbind(
    target("error of 95% ends, in % of a predictive sd",
           "1, 2, 4 with up to 6, 16, 34 hyperparameters",
           paste(share(reached <= asked), "problems"), all(reached <= asked)),
    target("errors within two stated standard errors", "95%", percent(covered, 1L),
           covered >= 0.95),
    target("inaccurate integrals warned of", "95%", percent(warning$of_these_warned),
           warning$of_these_warned >= 0.95),
    target("accurate integrals warned of", "5%", percent(warning$of_those_warned, 1L),
           warning$of_those_warned <= 0.05)
  )
}

speed_targets <- function() {
  averaging <- stored("mle-btg")
  scaling <- stored("scaling")
  thousand <- scaling[scaling$varied == "n" & scaling$n == 1000, ]
  leaving_out <- stored("loocv")
  leaving_out <- leaving_out$of_a_fit[leaving_out$method == "loocv"]
  brent <- stored("quantiles")
  brent <- brent$times_auto[brent$method == "Brent, R's pt"]
  loop <- stored("loop")
  of_loop <- function(what) loop$ratio[grepl(what, loop$what)]
  one_point <- of_loop("^one point")
  added <- of_loop("row added")
  node <- stored("node")
  node <- node[node$what == "node" & node$n == 200 & node$linear_algebra == "builtin" &
                 node$blas == "openblas" & !node$more, ]
  each <- function(x) paste(format(x, digits = 2, trim = TRUE), collapse = ", ")
  rbind(
    target("time of btg() / wgp(), fit and predictions", "2",
           paste(format(range(averaging$ratio), digits = 2), collapse = " to "),
           all(averaging$ratio <= 2)),
    target("a node of 200 rows / its factorisation by OpenBLAS", "2",
           format(node$ratio, digits = 3), node$ratio <= 2),
    target("a fit of 1000 rows / its factorisations", "1.5", format(thousand$ratio, digits = 3),
           thousand$ratio <= 1.5),
    target("loocv() / a fit, 200 and 1000 rows", "1", each(leaving_out), all(leaving_out <= 1)),
    target("quantiles, times faster than by Brent's method", "20",
           paste(round(range(brent)), collapse = " to "), all(brent >= 20)),
    target("one more point, times faster than the first, 200 and 1000 rows", "20",
           each(one_point), all(one_point >= 20)),
    target("a fit / a row added to it, 200 and 1000 rows", "10", each(added), all(added >= 10))
  )
}

large_targets <- function() {
  sizes <- stored("large-sizes")
  large <- sizes[sizes$n == 1e5 & sizes$approx == "blocks", ]
  accuracy <- stored("large-accuracy")
  accuracy <- accuracy[accuracy$approx == "blocks" & accuracy$inputs <= 5 & accuracy$noise >= 0.1, ]
  close <- abs(accuracy$log_marginal) <= 1 & accuracy$ends_percent <= 2 & accuracy$shift_sds <= 0.4
  peers <- stored("large-peers")
  beside <- vapply(split(peers, peers$set), function(rows) {
    others <- rows$fit_seconds[grepl("^GpGp", rows$method)]
    rows$fit_seconds[rows$method == "btg"] / min(others)
  }, 0)
  rbind(
    target("a fit to 10,000 to 51,000 rows / the faster of GpGp's two", "0.4",
           paste(format(range(beside), digits = 2), collapse = " to "), all(beside <= 0.4)),
    target("100,000 rows, a fit", "4 minutes", paste(round(large$fit_seconds / 60, 1), "minutes"),
           large$fit_seconds <= 240),
    target("approximation: log marginal within 1, ends 2%, shift 0.4 sd, up to 5 inputs", "all",
           paste(share(close), "cases"), all(close))
  )
}

other_targets <- function() {
  calibration <- stored("calibration")
  off <- abs(calibration$cover_95 - 0.95) / sqrt(0.95 * 0.05 / calibration$data_sets)
  noise <- stored("noise-targets")
  noise <- noise[noise$method == "btg auto", ]
  search <- stored("optimise-ranks")
  ours <- search[search$method == "btg", ]
  others <- search[!search$method %in% c("btg", "random"), ]
  slower <- ours$seconds / stats::median(others$seconds)
  rbind(
    target("coverage of 95% over simulated data", "within two standard errors",
           paste(share(off <= 2), "kinds"), all(off <= 2)),
    target("noise = \"auto\": log score above hetGP's where noise varies", "80% of sets",
           percent(noise$above_hetgp), noise$above_hetgp >= 0.8),
    target("noise = \"auto\": CRPS behind one noise where it does not vary", "1%",
           paste0(format(noise$worst_crps, digits = 1), "%"), noise$worst_crps <= 1),
    target("mean rank of final regret among optimisers", "best",
           format(ours$rank_final, digits = 2), ours$rank_final < min(others$rank_final)),
    target("time of a suggestion / median of the others", "2", format(slower, digits = 2),
           slower <= 2)
  )
}

all_targets <- function() {
  rows <- rbind(peer_targets(), quadrature_targets(), other_targets(), speed_targets(),
                large_targets())
  rows$met <- ifelse(rows$met, "yes", "no")
  rows
}

# --- README.md ------------------------------------------------------------------------------------

readme_part <- function() {
  methods <- stored("peers-methods")
  all <- methods[grepl("in all", methods$sets), ]
  sets <- as.integer(sub(" .*", "", all$sets[1L]))
  others <- all[!grepl("^btg|^wgp", all$method), ]
  covered <- all$covered[all$method == "btg"]
  c(
    strwrap(paste0(
      "On ", sets, " public data sets, with default settings, the predictive distributions of other ",
      "methods have errors (CRPS) that are ", percent(min(others$crps) - 1), " to ",
      percent(max(others$crps) - 1), " larger on average (geometric mean), and btg's 95% intervals ",
      "cover ", percent(covered, 1L), " of held-out responses. ",
      sum(others$time < 1), " of the ", nrow(others), " other methods are faster. ",
      "[Evidence](vignettes/articles/evidence.Rmd) has the details, and where btg loses."
    ), 100L),
    "",
    paste0("![Dot plots of error, coverage and time for btg and other methods.]",
           "(man/figures/peers.png)")
  )
}

marks <- c("<!-- from the stored results: make evidence -->", "<!-- end -->")

with_part <- function(lines, part) {
  at <- match(marks, lines)
  stopifnot(!anyNA(at))
  c(lines[seq_len(at[1L])], part, lines[seq(at[2L], length(lines))])
}

main <- function(check) {
  targets <- all_targets()
  lines <- readLines("README.md")
  now <- with_part(lines, readme_part())
  file <- file.path(results, "targets.csv")
  if (check) {
    old <- if (file.exists(file)) utils::read.csv(file, colClasses = "character")
    same <- identical(now, lines) && isTRUE(all.equal(old, targets, check.attributes = FALSE))
    if (!same) cat("README.md or targets.csv is not what the results say: run `make evidence`.\n")
    quit(status = !same)
  }
  utils::write.csv(targets, file, row.names = FALSE)
  writeLines(now, "README.md")
}

main("--check" %in% commandArgs(TRUE))
