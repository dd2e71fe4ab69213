# The cost of one node relative to its Cholesky factorisation: see README.md.
#
#   Rscript bench/node.R [--full]
#
# Writes node.csv and node.png. Each BLAS needs an R process of its own. This script starts them,
# one after the other, as itself with five arguments: the BLAS, the library of the yardstick, where
# node.cpp is compiled, the file to write, and how many times as long as a quick run to take. All
# of them time the same yardstick between their own cases.

source("bench/common.R")

inputs <- 8L
sizes <- c(50L, 100L, 200L, 500L, 1000L)
points <- 1000L

# Returns list(design, problem), as the core takes them.
make_problem <- function(n, kernel, product) {
  set.seed(n)
  x <- matrix(runif(n * inputs), n)
  y <- exp(rowSums(sin(3 * x[, 1:3])) + 0.2 * rnorm(n))
  fit <- btg::btg(x, y, transform = "sinharcsinh", kernel = kernel, product = product,
                  quadrature = btg::quad_sobol(1, inner = 1))
  list(design = fit$design, problem = fit$models[[1L]]$problem)
}

# Rows that all have a K of their own: lengthscales, noise, and a and b of sinharcsinh. Enough
# of them to make the boundary between R and the core cheap, few enough for a short call.
make_hyper <- function(n, names) {
  centre <- stats::setNames(rep(1, length(names)), names)
  centre[c("noise", "sinharcsinh.a")] <- c(0.05, 0.1)
  set.seed(n)
  moves <- matrix(runif(count_nodes(n) * length(centre), 0.8, 1.2), ncol = length(centre))
  sweep(moves, 2L, centre, `*`)
}

count_nodes <- function(n) ceiling(8e5 / n^2)

case <- function(what, linear_algebra = "", kernel = "matern52", product = FALSE) {
  data.frame(what, linear_algebra, kernel, product)
}

# What to time together. The first two are the yardstick.
list_cases <- function(blas, more) {
  yardstick <- rbind(case("dpotrf"), case("copy"))
  if (blas == "reference") return(rbind(yardstick, case("node", c("blas", "builtin"))))
  if (!more) {
    return(rbind(yardstick, case("node", c("blas", "builtin", "portable")),
                 case("gradient", c("blas", "builtin"))))
  }
  kernels <- expand.grid(kernel = names(btg:::registry()$kernels), product = c(FALSE, TRUE),
                         stringsAsFactors = FALSE)
  rbind(yardstick, case("node", "blas", kernels$kernel, kernels$product), case("node", "builtin"),
        case("locations", c("blas", "builtin")), case("medians", "blas"))
}

# A function that does the work of a case for every node and returns the seconds.
make_timer <- function(case, n, yardstick) {
  model <- make_problem(n, case$kernel, case$product)
  count <- count_nodes(n)
  k <- exp(-as.matrix(dist(model$design$inputs))) + diag(0.05, n)
  if (case$what == "dpotrf") return(function() time_dpotrf(yardstick, k, count, TRUE))
  if (case$what == "copy") return(function() time_dpotrf(yardstick, k, count, FALSE))

  hyper <- make_hyper(n, names(model$problem$hyperparameters))
  old <- options(btg.linear_algebra = case$linear_algebra)
  on.exit(options(old))
  built <- btg:::build_models(model$design, list(model))
  run <- btg:::core_run()
  evaluated <- btg:::core_evaluate(built, 1L, hyper, FALSE, run)
  stopifnot(is.finite(evaluated$log_marginal))
  new <- constant_points(matrix(runif(points * inputs, -1, 1), points))
  member <- list(model = 1L, hyper = hyper, shift = 0, scale = 1)
  ensemble <- list(built = built, members = list(member), weight = rep(1 / count, count))
  options <- list(tolerance = 1e-10, bound = "auto", floor = -Inf, ceiling = Inf, open = 0,
                  weight_variances = numeric())
  medians <- list(questions = list(quantile = matrix(0.5)), options = options, points = new)
  function() {
    start <- processor_seconds()
    switch(case$what,
      node = btg:::core_evaluate(built, 1L, hyper, FALSE, run),
      gradient = btg:::core_evaluate(built, 1L, hyper, TRUE, run),
      locations = btg:::core_latent(ensemble, new, run),
      medians = btg:::core_answer(ensemble, medians, run)
    )
    processor_seconds() - start
  }
}

# Times the cases in turn, round after round, until `budget` seconds of processor time
# have passed: a matrix with a row for each round, in seconds for one node.
time_rounds <- function(cases, n, yardstick, budget) {
  each <- split(cases, seq_len(nrow(cases)))
  timers <- lapply(each, make_timer, n, yardstick)
  rounds <- list()
  end <- processor_seconds() + budget
  while (length(rounds) < 3L || processor_seconds() < end) {
    rounds <- c(rounds, list(vapply(timers, function(timer) timer(), 0)))
  }
  do.call(rbind, rounds) / count_nodes(n)
}

# `ratio` is to dpotrf and `per_node` to the node without gradient, both of the shortest times;
# `ratio_median` is the median of the ratios round by round.
measure <- function(blas, n, yardstick, longer, more = FALSE) {
  cases <- list_cases(blas, more)
  budget <- longer * (if (n %in% c(200L, 1000L)) 5 else 2) / (if (blas == "reference") 2 else 1)
  rounds <- time_rounds(cases, n, yardstick, budget)
  model <- do.call(paste, cases[c("linear_algebra", "kernel", "product")])
  node <- match(paste("node", model), paste(cases$what, model))
  shortest <- apply(rounds, 2L, min)

  # Factoring in place takes a copy first.
  extra <- ifelse(cases$what == "dpotrf", shortest[cases$what == "copy"], 0)
  rounds <- sweep(rounds, 2L, extra)
  shortest <- shortest - extra

  results <- cbind(blas, more, cases, n, microseconds = 1e6 * shortest,
                   ratio = shortest / shortest[1L],
                   ratio_median = apply(rounds / rounds[, 1L], 2L, median),
                   per_node = shortest / shortest[node], rounds = nrow(rounds))
  results[cases$what != "copy", ]
}

# All sizes; then more at n = 200.
measure_all <- function(blas, yardstick, longer) {
  results <- lapply(sizes, function(n) measure(blas, n, yardstick, longer))
  if (blas != "reference") {
    results <- c(results, list(measure(blas, 200L, yardstick, longer, more = TRUE)))
  }
  do.call(rbind, results)
}

# The libraries to start R with, for each BLAS that this machine has where Debian puts them.
find_blas <- function() {
  openblas <- Sys.glob("/usr/lib/*/openblas-*/libopenblas.so.0")
  reference <- Sys.glob(c("/usr/lib/*/blas/libblas.so.3", "/usr/lib/*/lapack/liblapack.so.3"))
  found <- c(openblas = if (length(openblas) > 0L) openblas[[1L]],
             reference = if (length(reference) == 2L) paste(reference, collapse = ":"))
  missing <- setdiff(c("openblas", "reference"), names(found))
  if (length(missing) > 0L) message("Left out, not found: ", toString(missing), " BLAS.")
  if ("openblas" %in% names(found)) return(found)
  message("The yardstick is dpotrf of R's LAPACK instead of OpenBLAS.")
  c("R's" = "", found)
}

run_process <- function(blas, preload, yardstick, compiled, longer) {
  file <- tempfile(fileext = ".csv")
  status <- system2(
    file.path(R.home("bin"), "Rscript"),
    shQuote(c("bench/node.R", blas, yardstick, compiled, file, longer)),
    env = c("OPENBLAS_NUM_THREADS=1", paste0("LD_PRELOAD=", shQuote(preload)),
            paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = ":"))))
  )
  if (status != 0L) stop("The process with ", blas, " BLAS failed.")
  read.csv(file, na.strings = "NA")
}

show_table <- function(title, values, rows, columns) {
  cat("\n", title, "\n", sep = "")
  in_order <- function(x) factor(x, unique(x))
  print(round(tapply(values, list(in_order(rows), in_order(columns)), c), 2L))
}

add_labels <- function(results) {
  results$label <- results$linear_algebra
  with_blas <- results$label == "blas"
  results$label[with_blas] <- paste0("blas (", results$blas[with_blas], ")")
  results$form <- ifelse(results$product, "product", "radial")
  results$shown <- with_blas | results$blas != "reference"
  results
}

show_results <- function(results) {
  with_blas <- results$linear_algebra == "blas"
  with(results[results$what == "node" & !results$more & results$shown, ],
       show_table("Node / dpotrf, by n (target: at most 2 at n = 200)", ratio, label, n))
  with(results[results$what == "node" & results$more & with_blas, ],
       show_table("Node / dpotrf, n = 200, blas, by kernel", ratio, kernel, form))
  with(results[results$what == "gradient", ],
       show_table("Node with gradient / node, by n", per_node, label, n))
  with(results[results$what %in% c("locations", "medians"), ],
       show_table(paste("Predictions at", points, "points / node, n = 200"), per_node, label, what))
}

draw_figure <- function(results) {
  nodes <- results[results$what == "node" & !results$more & results$shown, ]
  graphics::par(mar = c(4, 4, 1, 1), mgp = c(2.4, 0.7, 0))
  graphics::plot(nodes$n, nodes$ratio, log = "xy", type = "n", xlab = "rows",
                 ylab = "node / dpotrf of OpenBLAS", ylim = range(1, nodes$ratio))
  graphics::grid(col = "grey85")
  graphics::abline(h = 2, lty = 2, col = "grey40")
  labels <- unique(nodes$label)
  for (i in seq_along(labels)) {
    own <- nodes[nodes$label == labels[i], ]
    graphics::lines(own$n, own$ratio, type = "b", pch = 14 + i, lwd = 2, col = colours[[i]])
  }
  graphics::legend("topleft", labels, col = colours[seq_along(labels)], lwd = 2, bty = "n",
                   pch = 14 + seq_along(labels))
}

main <- function(given) {
  compiled <- tempfile("compiled")
  Rcpp::sourceCpp("bench/node.cpp", cacheDir = compiled)
  libraries <- find_blas()
  yardstick <- if ("openblas" %in% names(libraries)) libraries[["openblas"]] else La_library()
  results <- Map(run_process, names(libraries), libraries, yardstick, compiled,
                 if (given$full) 4 else 1)
  results <- do.call(rbind, unname(results))
  write_rounded(results, given, "node.csv", 4L)
  results <- add_labels(results)
  show_results(results)
  write_png(function() draw_figure(results), given, "node.png", 900, 700, 130)
}

measure_in_process <- function(blas, yardstick, compiled, file, longer) {
  Rcpp::sourceCpp("bench/node.cpp", cacheDir = compiled, env = globalenv())
  write.csv(measure_all(blas, yardstick, as.numeric(longer)), file, row.names = FALSE)
}

if (length(commandArgs(TRUE)) == 5L) {
  do.call(measure_in_process, as.list(commandArgs(TRUE)))
} else {
  run_benchmark(main, packages = "RcppEigen")
}
