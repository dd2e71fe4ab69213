# The cost of one node relative to its Cholesky factorisation: see README.md.
#
# Each BLAS needs an R process of its own. This script starts them, one after the other, as
# itself with four arguments: the BLAS, the library of the yardstick, where node.cpp is compiled,
# and the file to write. All of them time the same yardstick between their own cases.

inputs <- 8L
sizes <- c(50L, 100L, 200L, 500L, 1000L)
points <- 1000L

# ---- One process ---------------------------------------------------------------------------

# Data, and one problem for the core, which cases then vary.
make_problem <- function(n) {
  set.seed(n)
  x <- matrix(runif(n * inputs), n)
  y <- exp(rowSums(sin(3 * x[, 1:3])) + 0.2 * rnorm(n))
  btg:::runnable(btg::btg(x, y, quadrature = btg::quad_sobol(nodes = 1, inner = 1))$problem)
}

# Rows that all have a K of their own: lengthscales, noise, and a and b of sinharcsinh. Enough
# of them to make the boundary between R and the core cheap, few enough for a short call.
make_hyper <- function(n) {
  rows <- ceiling(8e5 / n^2)
  centre <- c(rep(1, inputs), 0.05, 0.1, 1)
  sweep(matrix(runif(rows * length(centre), 0.8, 1.2), rows), 2L, centre, `*`)
}

case <- function(what, linear_algebra, kernel = "matern52", product = FALSE) {
  data.frame(what, linear_algebra, kernel, product)
}

# What to time at n. The first is the yardstick.
list_cases <- function(blas, n) {
  yardstick <- case("dpotrf", "", "")
  if (blas == "reference") return(rbind(yardstick, case("node", c("blas", "builtin"))))
  cases <- rbind(yardstick, case("node", c("blas", "builtin", "portable")),
                 case("gradient", c("blas", "builtin")))
  if (n != 200L) return(cases)
  kernels <- expand.grid(kernel = btg:::core_registry()$kernels, product = c(FALSE, TRUE),
                         stringsAsFactors = FALSE)
  kernels <- kernels[kernels$kernel != "matern52" | kernels$product, ]
  rbind(cases, case("node", "blas", kernels$kernel, kernels$product),
        case("locations", c("blas", "builtin")), case("medians", c("blas", "builtin")))
}

# A function that does the work of a case once for each row of `hyper`.
make_work <- function(case, problem, hyper) {
  problem[c("linear_algebra", "kernel", "product")] <- case[c("linear_algebra", "kernel",
                                                              "product")]
  evaluated <- btg:::core_evaluate(problem, hyper, FALSE)
  stopifnot(is.finite(evaluated$log_marginal), evaluated$jitter == 0)
  new <- matrix(runif(points * inputs, -1, 1), points)
  weight <- rep(1 / nrow(hyper), nrow(hyper))
  predict <- function(what) {
    btg:::core_predict(problem, hyper, weight, new, matrix(1, points), TRUE, what, matrix(0.5),
                       1e-10)
  }
  switch(case$what,
    node = function() btg:::core_evaluate(problem, hyper, FALSE),
    gradient = function() btg:::core_evaluate(problem, hyper, TRUE),
    locations = function() predict("latent"),
    medians = function() predict("quantile")
  )
}

seconds_of <- function(work) {
  start <- processor_seconds()
  work()
  processor_seconds() - start
}

# Times the cases in turn, round after round, until `budget` seconds have passed: a matrix
# with a row for each round, in seconds for one node.
time_rounds <- function(cases, n, yardstick, budget) {
  problem <- make_problem(n)
  hyper <- make_hyper(n)
  k <- exp(-as.matrix(dist(problem$inputs))) + diag(0.05, n)
  work <- lapply(split(cases, seq_len(nrow(cases)))[-1L], make_work, problem, hyper)
  rounds <- list()
  start <- proc.time()[["elapsed"]]
  while (length(rounds) < 3L || proc.time()[["elapsed"]] < start + budget) {
    dpotrf <- time_dpotrf(yardstick, k, nrow(hyper))
    rounds <- c(rounds, list(c(dpotrf, vapply(work, seconds_of, 0))))
  }
  do.call(rbind, rounds) / nrow(hyper)
}

# Ratios to the yardstick: of the shortest times, and the median of those round by round.
measure <- function(blas, n, yardstick) {
  cases <- list_cases(blas, n)
  budget <- (if (n == 200L) 12 else if (n == 1000L) 6 else 3) / (if (blas == "reference") 2 else 1)
  rounds <- time_rounds(cases, n, yardstick, budget)
  # With a gradient the core evaluates the nodes first, and then again with their gradients.
  node <- match(paste("node", cases$linear_algebra, cases$kernel, cases$product),
                paste(cases$what, cases$linear_algebra, cases$kernel, cases$product))
  shortest <- apply(rounds, 2L, min)
  for (i in which(cases$what == "gradient")) {
    shortest[i] <- shortest[i] - shortest[node[i]]
    rounds[, i] <- rounds[, i] - rounds[, node[i]]
  }
  cbind(blas, cases, n, microseconds = 1e6 * shortest, ratio = shortest / shortest[1L],
        ratio_median = apply(rounds / rounds[, 1L], 2L, median), rounds = nrow(rounds))
}

# ---- All processes -------------------------------------------------------------------------

# The libraries to start R with, for each BLAS that this machine has.
find_blas <- function() {
  openblas <- Sys.glob(c("/usr/lib/*/openblas-*/libopenblas.so.0", "/usr/lib*/libopenblas.so.0"))
  reference <- Sys.glob(c("/usr/lib/*/blas/libblas.so.3", "/usr/lib/*/lapack/liblapack.so.3"))
  found <- c(openblas = if (length(openblas) > 0L) openblas[1L],
             reference = if (length(reference) == 2L) paste(reference, collapse = ":"))
  for (name in setdiff(c("openblas", "reference"), names(found))) {
    message("No ", name, " BLAS where Debian puts it: left out.")
  }
  if (!"openblas" %in% names(found)) {
    message("The yardstick is then dpotrf of R's LAPACK, not of OpenBLAS.")
    found <- c("R's" = "", found)
  }
  found
}

run_process <- function(blas, preload, yardstick, script, compiled) {
  file <- tempfile(fileext = ".csv")
  status <- system2(
    file.path(R.home("bin"), "Rscript"), shQuote(c(script, blas, yardstick, compiled, file)),
    env = c("OPENBLAS_NUM_THREADS=1", paste0("LD_PRELOAD=", shQuote(preload)),
            paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = ":"))))
  )
  if (status != 0L) stop("The process with ", blas, " BLAS failed.")
  read.csv(file)
}

# A matrix of `values`, rows by columns.
show_table <- function(title, values, rows, columns) {
  cat("\n", title, "\n", sep = "")
  table <- tapply(values, list(factor(rows, unique(rows)), factor(columns, unique(columns))), c)
  print(round(table, 2L))
}

show_results <- function(results) {
  label <- paste0(results$linear_algebra, ifelse(results$linear_algebra == "blas",
                                                 paste0(" (", results$blas, ")"), ""))
  plain <- results$kernel == "matern52" & !results$product & results$blas != "reference" |
    results$blas == "reference" & results$linear_algebra == "blas"
  is <- function(what) results$what == what & plain
  node <- merge(cbind(results, order = seq_along(label)), results[is("node"), ], sort = FALSE,
                by = c("blas", "linear_algebra", "n"), all.x = TRUE)
  node <- node$microseconds.y[order(node$order)]

  show_table("Node / dpotrf, matern52, by n", results$ratio[is("node")], label[is("node")],
             results$n[is("node")])
  kernels <- results$what == "node" & results$n == 200L & results$linear_algebra == "blas" &
    results$blas != "reference"
  show_table("Node / dpotrf, n = 200, blas, by kernel", results$ratio[kernels],
             results$kernel[kernels], ifelse(results$product, "product", "radial")[kernels])
  gradient <- is("gradient")
  show_table("Node with gradient / node, by n", (results$microseconds / node)[gradient],
             label[gradient], results$n[gradient])
  predict <- is("locations") | is("medians")
  show_table(paste("Predictions at", points, "points / node, n = 200"),
             (results$microseconds / node)[predict], label[predict], results$what[predict])
}

show_machine <- function() {
  cpu <- grep("^model name|^cpu MHz", readLines("/proc/cpuinfo"), value = TRUE)
  versions <- vapply(c("btg", "RcppEigen"), function(p) format(packageVersion(p)), "")
  cat(format(Sys.Date()), "; ", sub(".*: *", "", cpu[1L]), "; ", R.version.string, "; ",
      paste(names(versions), versions, collapse = ", "), "\n", sep = "")
}

main <- function(script) {
  .libPaths(c(.libPaths(), "build/library"))
  folder <- dirname(script)
  compiled <- tempfile("compiled")
  Rcpp::sourceCpp(file.path(folder, "node.cpp"), cacheDir = compiled)
  libraries <- find_blas()
  yardstick <- if ("openblas" %in% names(libraries)) libraries[["openblas"]] else La_library()
  results <- Map(run_process, names(libraries), libraries, yardstick, script, compiled)
  results <- do.call(rbind, unname(results))
  dir.create(file.path(folder, "results"), showWarnings = FALSE)
  rounded <- c("microseconds", "ratio", "ratio_median")
  results[rounded] <- lapply(results[rounded], signif, 4L)
  write.csv(results, file.path(folder, "results", "node.csv"), row.names = FALSE)
  show_machine()
  show_results(results)
}

arguments <- commandArgs(TRUE)
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
if (length(arguments) == 0L) {
  main(script)
} else {
  names(arguments) <- c("blas", "yardstick", "compiled", "file")
  Rcpp::sourceCpp(file.path(dirname(script), "node.cpp"), cacheDir = arguments[["compiled"]])
  results <- lapply(sizes, function(n) measure(arguments[["blas"]], n, arguments[["yardstick"]]))
  write.csv(do.call(rbind, results), arguments[["file"]], row.names = FALSE)
}
