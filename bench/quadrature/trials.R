# Every rule at several sizes: the rows of quadrature.csv.gz.

# Every registered rule with the options to try: a list of list(rule, default, options, points).
list_trials <- function(set, rules) {
  registered <- btg:::registry()$rules
  default <- btg:::quadrature_spec("auto")$name
  trials <- list()
  for (rule in intersect(rules, names(registered))) {
    options <- registered[[rule]]
    if (rule == default) {
      for (seed in set$default_seeds) {
        trials <- c(trials, list(list(rule = rule, default = TRUE, options = list(seed = seed),
                                      points = new_points)))
      }
    }
    for (choice in rule_choices(names(options), set)) {
      trials <- c(trials, list(list(rule = rule, default = FALSE, options = choice,
                                    points = set$sweep_points)))
    }
  }
  trials
}

# The combinations of size, family and seed for a rule that has these options. A rule that goes
# on until it is content is kept at its size.
rule_choices <- function(names, set) {
  grid <- list()
  size <- intersect(names(set$sizes), names)
  if (length(size) > 0L) grid[[size[1L]]] <- set$sizes[[size[1L]]]
  if ("family" %in% names && !is.null(set$families)) grid$family <- set$families
  if ("seed" %in% names) grid$seed <- set$seeds
  grid$most <- if ("effective" %in% names) 1 else if ("most" %in% names) most_nodes
  if (length(grid) == 0L) return(list(list()))
  grid <- expand.grid(grid, stringsAsFactors = FALSE)
  lapply(seq_len(nrow(grid)), function(i) as.list(grid[i, , drop = FALSE]))
}

label_options <- function(options) {
  options <- options[setdiff(names(options), c("seed", "most"))]
  paste(names(options), unlist(options), sep = " = ", collapse = ", ")
}

# One row of the results; a fit that fails is a row too.
measure <- function(problem, trial, reference) {
  started <- proc.time()[["elapsed"]]
  seen <- observe({
    fit <- fit_problem(problem, make_rule(trial$rule, trial$options))
    seconds <- proc.time()[["elapsed"]] - started
    list(fit = fit, seconds = seconds, answer = ask(fit, utils::head(problem$new, trial$points)))
  })
  row <- data.frame(
    problem = problem$name, dimension = length(problem$free), rule = trial$rule,
    default = trial$default, options = label_options(trial$options),
    seed = or_na(trial$options$seed), points = trial$points, status = "ok"
  )
  figures <- c("likelihoods", "gradients", "equivalents", "equivalents_measured", "nodes_tried",
               "nodes_kept", "negative_weights", "effective_nodes", "k_hat", "seconds",
               "median_mean", "median_max", "endpoint_mean", "endpoint_max", "covered")
  row[figures] <- NA_real_
  row$warnings <- paste(seen$warnings, collapse = " ")
  row$error <- seen$error
  if (is.null(seen$value)) {
    row$status <- if (grepl("more than `most`", seen$error)) "too large" else "failed"
    return(row)
  }
  row <- add_work(row, seen$value, problem$gradient_cost)
  add_errors(row, seen$value$answer, reference)
}

add_work <- function(row, value, gradient_cost) {
  quadrature <- value$fit$quadrature
  copied <- c("likelihoods", "gradients", "nodes_tried", "nodes_kept", "effective_nodes")
  row[copied] <- quadrature[copied]
  # A rule that shares factors counts its work itself, with gradients as 3.
  work <- unlist(quadrature$diagnostics)["work"]
  row$equivalents <- if (is.na(work)) row$likelihoods + 3 * row$gradients else unname(work)
  row$equivalents_measured <- row$likelihoods + gradient_cost * row$gradients
  weight <- value$fit$models[[1L]]$posterior$weight
  row$negative_weights <- sum(weight < 0)
  row$k_hat <- unname(unlist(quadrature$diagnostics)["k_hat"])
  row$seconds <- value$seconds
  row
}

add_errors <- function(row, answer, reference) {
  asked <- seq_len(nrow(answer$quantile))
  expected <- reference$quantile[asked, ]
  differences <- compare(answer$quantile, expected)
  row[names(differences)] <- differences
  allowed <- 2 * sqrt(answer$error^2 + reference$error[asked, ]^2)
  row$covered <- mean(abs(answer$quantile - expected) <= allowed)
  if (!all(is.finite(differences))) row$status <- "failed"
  row
}

measure_problem <- function(problem, trials, reference) {
  message("Measuring ", problem$name)
  rows <- list()
  for (trial in trials) {
    # A size beyond one that was too large is too large.
    key <- paste(trial$rule, trial$options$family)
    beyond <- vapply(rows, function(row) row$status == "too large" && row$key == key, NA)
    if (any(unlist(beyond))) next
    row <- measure(problem, trial, reference)
    if (grepl("`family` must be", row$error)) next
    row$key <- key
    rows <- c(rows, list(row))
  }
  rows <- do.call(rbind, rows)
  rows$key <- NULL
  rows
}

# measure_problem(), or what it gave with this build of the package and this reference, from the
# folder `parts`.
measure_once <- function(problem, trials, reference, parts) {
  if (is.null(parts)) return(measure_problem(problem, trials, reference))
  file <- file.path(parts, paste0(make.names(problem$name), ".rds"))
  of <- list(utils::packageDescription("btg")$Built, reference$quantile)
  kept <- if (file.exists(file)) readRDS(file)
  if (!is.null(kept) && identical(kept$of, of)) return(kept$rows)
  rows <- measure_problem(problem, trials, reference)
  dir.create(parts, showWarnings = FALSE, recursive = TRUE)
  saveRDS(list(of = of, rows = rows), file)
  rows
}
