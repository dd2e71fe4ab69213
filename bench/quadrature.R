# The integral over the hyperparameters, rule by rule, against references: see README.md.
#
#   Rscript bench/quadrature.R [--full] [--fresh] [--problems=1,3] [--rules=adaptive,sobol]
#   Rscript bench/quadrature.R --references [--fresh] [--problems=1,3]
#
# Writes results/quadrature.csv and results/quadrature.png, and prints how the default rule does.
# References are kept in results/quadrature-references.rds, as long as the posterior they belong
# to stays the same; --fresh makes them again, and --references makes those of a full run and
# nothing else. A selection of problems or rules is printed only.

probs <- c(0.025, 0.5, 0.975)
new_points <- 50L
budget <- 1500
most_nodes <- 4000

# The default rule is tried as it is, with several seeds. Then every rule is tried at the `sizes`
# of the option that sets its size; in quick mode, with fewer of them, at fewer new points, and
# with one seed and the default family of one-dimensional rules only.
settings <- function(full) {
  if (full) {
    list(full = TRUE, default_seeds = 0:9, seeds = 0:4, families = 0:2, sweep_points = new_points,
         sizes = list(nodes = c(50, 100, 200, 500, 1000, 2000), level = 2:9,
                      points = c(2:7, 10, 15, 25, 40)),
         reference_nodes = 25000, reference_seeds = 1000 + 0:3, chains = 32L,
         steps = function(dimension, rows) {
           if (dimension <= 5L) 400L else min(max(150000L %/% rows, 1000L), 6000L)
         })
  } else {
    list(full = FALSE, default_seeds = 0:4, seeds = 0L, families = NULL, sweep_points = 15L,
         sizes = list(nodes = c(50, 200, 500, 1000), level = 2:6, points = c(3, 5, 7, 15, 30)),
         reference_nodes = 8000, reference_seeds = 1000 + 0:2)
  }
}

# Mean endpoint error in percent of the predictive sd, by the number of hyperparameters; for
# medians, half of that.
target_error <- function(dimension) if (dimension <= 6) 1 else if (dimension <= 16) 2 else 5

read_arguments <- function(arguments) {
  value <- function(name) {
    found <- grep(paste0("^--", name, "="), arguments, value = TRUE)
    if (length(found) > 0L) strsplit(sub("^[^=]*=", "", found[1L]), ",")[[1L]]
  }
  known <- "^--(full|fresh|references|problems=.*|rules=.*)$"
  unknown <- grep(known, arguments, invert = TRUE, value = TRUE)
  if (length(unknown) > 0L) stop("Unknown: ", toString(unknown))
  only_references <- "--references" %in% arguments
  list(full = "--full" %in% arguments || only_references, fresh = "--fresh" %in% arguments,
       only_references = only_references,
       problems = as.integer(value("problems")), rules = value("rules"))
}

main <- function(arguments, folder) {
  chosen <- read_arguments(arguments)
  set <- settings(chosen$full)
  options(width = 160)
  started <- proc.time()[["elapsed"]]
  out <- file.path(folder, "results")
  dir.create(out, showWarnings = FALSE)
  problems <- quadrature_problems()
  if (length(chosen$problems) > 0L) problems <- problems[chosen$problems]
  problems <- lapply(problems, prepare)
  rules <- names(btg:::core_registry()$rules)
  if (length(chosen$rules) > 0L) rules <- intersect(rules, chosen$rules)

  references <- find_references(problems, set, file.path(out, "quadrature-references.rds"),
                                chosen$fresh)
  if (chosen$only_references) return(show_references(references))
  trials <- list_trials(set, rules)
  results <- do.call(rbind, Map(measure_problem, problems, list(trials), references))
  if (length(chosen$problems) == 0L && length(chosen$rules) == 0L) {
    rounded <- results[names(results) != "weights"]
    numbers <- vapply(rounded, is.numeric, NA)
    rounded[numbers] <- lapply(rounded[numbers], signif, 4L)
    write.csv(rounded, file.path(out, "quadrature.csv"), row.names = FALSE)
    draw_figure(problems, results, file.path(out, "quadrature.png"))
  }

  cat(format(Sys.Date()), R.version.string, "btg", format(packageVersion("btg")),
      if (set$full) "full" else "quick", "\n")
  show_references(references)
  if (any(results$default)) {
    cat("\nThe default rule. Errors in percent of the predictive sd, mean over ",
        length(set$default_seeds), " seeds:\n", sep = "")
    print(format_figures(summarise_default(results), 3L), row.names = FALSE)
  }
  cat("\nMean endpoint error of every rule, at its largest size within ", budget,
      " likelihood-equivalents:\n", sep = "")
  print(summarise_rules(results), quote = FALSE, na.print = "")
  cat("\n", round((proc.time()[["elapsed"]] - started) / 60, 1), " minutes\n", sep = "")
}

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
if (Sys.getenv("R_LIBS") == "" && dir.exists("build/library")) .libPaths("build/library")
if (Sys.getenv("OPENBLAS_NUM_THREADS") != "1") {
  # A BLAS reads how many threads to use when R starts.
  environment <- c("OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1",
                   paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = ":"))))
  quit(status = system2(file.path(R.home("bin"), "Rscript"),
                        shQuote(c(script, commandArgs(TRUE))), env = environment))
}
parts <- c("fits", "mcmc", "references", "trials", "tables", "figure")
for (file in c("problems.R", paste0("quadrature/", parts, ".R"))) {
  source(file.path(dirname(script), file))
}
main(commandArgs(TRUE), dirname(script))
