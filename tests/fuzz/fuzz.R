# Random ugly problems against what must always hold: see invariants.R.
#
#   Rscript tests/fuzz/fuzz.R [--problems=100] [--first=1] [--only=SEED]
#
# A problem ends in a fit that passes all checks, or is refused with an error of the package's own.
# Anything else is a failure, and is named by its seed. The last line counts them.

option <- function(name, default) {
  pattern <- paste0("^--", name, "=")
  given <- grep(pattern, commandArgs(TRUE), value = TRUE)
  if (length(given) == 0L) default else as.integer(sub(pattern, "", given[1L]))
}

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(folder, "problems.R"))
source(file.path(folder, "invariants.R"))
source(file.path(folder, "..", "testthat", "helper-oracle.R"))
source(file.path(folder, "..", "testthat", "helper-oracle-terms.R"))
source(file.path(folder, "naive.R"))
source(file.path(folder, "slopes.R"))
source(file.path(folder, "terms.R"))
source(file.path(folder, "regions.R"))
suppressPackageStartupMessages(library(btg))

fit_problem <- function(problem, data = problem$data, weights = problem$weights,
                        limits = problem$limits) {
  trend <- switch(problem$trend,
    constant = ~ 1,
    linear = ~ x1
  )
  formula <- stats::as.formula(paste("y ~", problem$terms))
  shared <- list(formula, data, transform = problem$transform, kernel = problem$kernel,
                 trend = trend, warp_inputs = problem$warp, ard = problem$ard,
                 noise = problem$noise, approx = problem$approx)
  shared$weights <- weights
  shared$censored <- limits
  shared[c("lower", "upper")] <- problem[c("lower", "upper")]
  if (problem$maximum) {
    shared$transform <- setdiff(problem$transform, "auto")
    if (length(shared$transform) == 0L) shared$transform <- "identity"
    return(do.call(wgp, c(shared, product = problem$product)))
  }
  if (identical(problem$transform, "auto")) shared$averaging <- problem$averaging
  else shared$product <- problem$product
  do.call(btg, c(shared, quadrature = list(eval(rules[[problem$rule]]))))
}

check_fit <- function(problem, fit) {
  new <- problem$new
  q <- predict(fit, new, type = "quantile", probs = probabilities)
  # Where an input cannot be warped, a row is NA, and said.
  unwarped <- problem$warp & rowSums(is.na(q)) == ncol(q)
  new <- new[!unwarped, , drop = FALSE]
  q <- q[!unwarped, , drop = FALSE]
  exact <- identical(problem$approx, "exact")
  c(check_nodes(fit), check_loocv(fit), if (exact) check_naive(fit, problem$new),
    check_saved(fit, problem$new), check_changed(fit, problem),
    if (nrow(new) > 0L) check_answers(problem, fit, new, q),
    # With hundreds of nodes to predict from it takes a minute.
    if (problem$sensitivity && nrow(nodes(fit, predictive = TRUE)) <= 60L) check_sensitivity(fit),
    if (problem$draws && nrow(new) > 0L) check_draws(fit, new, q),
    # The neighbours of an approximation are others when rows are.
    if (problem$added > 0L && exact && is.null(problem$limits)) {
      check_added(problem, fit, fit_problem)
    },
    if (any(is_wide(q)) && exact) check_retold(problem, fit, fit_problem))
}

check_answers <- function(problem, fit, new, q) {
  c(check_quantiles(q, fit), check_cdf(fit, new, q), check_density(fit, new, q),
    check_cached(fit, new), check_acquired(fit, new),
    if (identical(problem$approx, "exact")) check_slopes(fit, new, q, problem$kernel),
    if (problem$terms != ".") check_terms(fit, new),
    if (problem$regions) check_regions(fit, new, q))
}

# The clock would count what else the machine does.
processor_seconds <- function() sum(proc.time()[c("user.self", "sys.self")])

# list(status, what): "fit", "error" (the package's own), or "failure".
run_problem <- function(seed) {
  problem <- random_problem(seed)
  foreign <- character()
  started <- processor_seconds()
  result <- tryCatch(
    withCallingHandlers({
      fit <- tryCatch(fit_problem(problem), btg_error = identity)
      if (inherits(fit, "error")) {
        list(status = "error", class = class(fit)[1L], what = conditionMessage(fit))
      } else {
        what <- check_fit(problem, fit)
        list(status = if (length(what) > 0L) "failure" else "fit", what = what)
      }
    }, message = function(m) {
      invokeRestart("muffleMessage")
    }, warning = function(w) {
      if (!inherits(w, "btg_warning")) foreign <<- c(foreign, conditionMessage(w))
      invokeRestart("muffleWarning")
    }),
    error = function(e) {
      list(status = "failure", what = paste(class(e)[1L], deparse1(conditionCall(e)),
                                            conditionMessage(e)))
    }
  )
  seconds <- processor_seconds() - started
  if (length(foreign) > 0L) {
    result <- list(status = "failure", what = c(result$what, paste("warning:", unique(foreign))))
  }
  if (seconds > 300) result <- list(status = "failure", what = c(result$what, "took too long"))
  c(result, problem = list(problem), seconds = seconds)
}

describe <- function(problem) {
  paste0(nrow(problem$data), " x ", ncol(problem$data) - 1L, ", ",
         paste(problem$transform, collapse = "+"), ", ", problem$kernel,
         if (problem$product) " product", ", ", if (problem$maximum) "wgp" else problem$rule, ", ",
         problem$trend, ", noise ", format(problem$noise),
         if (problem$terms != ".") paste0(", ~ ", problem$terms),
         if (!is.null(problem$limits)) paste0(", ", sum(!is.na(problem$limits[, 1L])), " censored"),
         if (!is.null(problem$weights)) ", weights",
         if (!identical(problem$approx, "exact")) paste(",", btg:::format_approx(problem$approx)),
         if (problem$added > 0L) paste(",", problem$added, "rows added"))
}

only <- option("only", NA)
seeds <- if (is.na(only)) option("first", 1L) + seq_len(option("problems", 100L)) - 1L else only
status <- refused <- character()
for (seed in seeds) {
  result <- run_problem(seed)
  status <- c(status, result$status)
  if (result$status == "error") refused <- c(refused, result$class)
  if (result$status == "failure" || !is.na(only)) {
    cat("seed ", seed, " (", describe(result$problem), ", ", round(result$seconds, 1), " s): ",
        result$status, "\n", paste0("  ", result$what, "\n"), sep = "")
  }
}
cat(sum(status == "fit"), "fits passed all checks,", sum(status == "error"),
    "problems were refused:", paste(names(table(refused)), table(refused), collapse = ", "), "\n")
cat(compared$nodes, "nodes of", compared$models, "small models were those of the naive model,",
    compared$terms, "nodes had terms,", compared$slopes, "slopes those of differences\n")
cat(sum(status != "failure"), " passed, ", sum(status == "failure"), " failed\n", sep = "")
# A comparison that never takes place is a failure too.
idle <- length(seeds) >= 100L && (compared$nodes == 0L || compared$slopes == 0L)
if (idle) cat("nothing was compared with the naive model, or no slope with differences\n")
quit(status = any(status == "failure") || idle)
