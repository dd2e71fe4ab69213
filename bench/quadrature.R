# The integral over the hyperparameters, rule by rule, against references: see README.md.
#
#   Rscript bench/quadrature.R [--full] [--fresh] [--problems=1,3] [--rules=adaptive,sobol]
#   Rscript bench/quadrature.R --default [--full]
#   Rscript bench/quadrature.R --references [--fresh] [--problems=1,3]
#
# Writes all trials to quadrature.csv.gz, means of the default rule over seeds to
# quadrature-default.csv, and quadrature.png; prints how the default rule does. References are kept
# in bench/results/quadrature-references.rds, as long as the posterior they belong to stays the
# same; --fresh makes them again, and --references makes those of a full run and nothing else.
# --default measures the default rule only, and writes quadrature-default.csv only.
# A selection of problems or rules is printed only. A full run can be stopped and taken up again:
# what is done of it is in the folder quadrature-parts until all is, and processes with a selection
# of problems each may share the work.

source("bench/common.R")
source("bench/problems.R")
for (part in c("fits", "mcmc", "references", "trials", "tables", "figure")) {
  source(paste0("bench/quadrature/", part, ".R"))
}

probs <- c(0.025, 0.5, 0.975)
new_points <- 50L
budget <- 1500
most_nodes <- 4000

# The default rule is tried as it is, with several seeds. Then every rule is tried at the `sizes`
# of the option that sets its size; in quick mode, with fewer of them, at fewer new points, and
# with one seed and the default family of one-dimensional rules only.
settings <- function(full) {
  if (full) {
    list(full = TRUE, default_seeds = 0:9, seeds = 0:4, sweep_points = new_points,
         families = c("gauss_legendre", "clenshaw_curtis", "patterson", "gauss_hermite",
                      "genz_keister"),
         sizes = list(nodes = c(50, 100, 200, 500, 1000, 2000), level = 2:9,
                      points = c(2:7, 10, 15, 25, 40)),
         reference_nodes = 25000, reference_seeds = 1000 + 0:3, chains = 32L,
         steps = function(dimension, rows) {
           if (dimension <= 5L) 400L else min(max(60000L %/% rows, 800L), 3000L)
         })
  } else {
    list(full = FALSE, default_seeds = 0:4, seeds = 0L, families = NULL, sweep_points = 15L,
         sizes = list(nodes = c(50, 200, 500, 1000), level = 2:6, points = c(3, 5, 7, 15, 30)),
         reference_nodes = 8000, reference_seeds = 1000 + 0:2)
  }
}

# Mean endpoint error in percent of the predictive sd, by the number of hyperparameters; for
# medians, half of that.
target_error <- function(dimension) if (dimension <= 6) 1 else if (dimension <= 16) 2 else 4

read_choices <- function(given) {
  several <- function(name) if (!is.null(given[[name]])) strsplit(given[[name]], ",")[[1L]]
  only_references <- !is.null(given$references)
  list(full = given$full || only_references, fresh = !is.null(given$fresh),
       only_references = only_references, only_default = !is.null(given$default),
       problems = as.integer(several("problems")),
       rules = several("rules"))
}

main <- function(given) {
  chosen <- read_choices(given)
  set <- settings(chosen$full)
  problems <- c(quadrature_problems(), further_problems(), fresh_problems())
  if (length(chosen$problems) > 0L) problems <- problems[chosen$problems]
  problems <- lapply(problems, prepare)
  rules <- names(btg:::registry()$rules)
  if (length(chosen$rules) > 0L) rules <- intersect(rules, chosen$rules)

  references <- find_references(problems, set, "bench/results/quadrature-references.rds",
                                chosen$fresh)
  show_references(references)
  if (chosen$only_references) return()
  trials <- list_trials(set, rules)
  if (chosen$only_default) trials <- Filter(function(trial) trial$default, trials)
  whole <- !chosen$only_default && length(chosen$rules) == 0L
  parts <- if (chosen$full && whole) file.path(given$out, "quadrature-parts")
  results <- do.call(rbind, Map(measure_once, problems, list(trials), references, list(parts)))
  failed <- tapply(results$status == "failed", results$rule, all)
  if (any(failed)) stop("Failed everywhere: ", toString(names(failed)[failed]))
  if (length(chosen$problems) == 0L && length(chosen$rules) == 0L) {
    write_rounded(average_default(results), given, "quadrature-default.csv")
  }
  if (whole && length(chosen$problems) == 0L) {
    write_rounded(results, given, "quadrature.csv.gz", 4L)
    write_png(function() draw_figure(results), given, "quadrature.png", 1400, 760)
    unlink(parts, recursive = TRUE)
  }
  if (any(results$default)) {
    cat("\nThe default rule. Errors in percent of the predictive sd, mean over ",
        length(set$default_seeds), " seeds:\n", sep = "")
    print(format_figures(summarise_default(results), 3L), row.names = FALSE)
    cat("Of all errors, ", round(100 * mean(results$covered[results$default], na.rm = TRUE), 1),
        "% are within two of their standard errors.\n", sep = "")
  }
  if (chosen$only_default) return()
  cat("\nMean endpoint error of every rule, at its largest size within ", budget,
      " likelihood-equivalents:\n", sep = "")
  print(summarise_rules(results), quote = FALSE, na.print = "")
}

run_benchmark(main, c("default", "fresh", "references", "problems", "rules"))
