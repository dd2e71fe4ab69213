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
         steps = function(dimension) if (dimension <= 5) 400L else 1500L)
  } else {
    list(full = FALSE, default_seeds = 0:4, seeds = 0L, families = NULL, sweep_points = 15L,
         sizes = list(nodes = c(50, 200, 500, 1000), level = 2:6, points = c(3, 5, 7, 15, 30)),
         reference_nodes = 8000, reference_seeds = 1000 + 0:2)
  }
}

# Mean endpoint error in percent of the predictive sd, by the number of hyperparameters; for
# medians, half of that.
target_error <- function(dimension) if (dimension <= 6) 1 else if (dimension <= 16) 2 else 5

# ---- fits and answers

make_rule <- function(name, options) {
  structure(list(name = name, options = options), class = "btg_rule")
}

fit_problem <- function(problem, quadrature, epsilon = 1e-4) {
  btg::btg(problem$formula, data = problem$data, transform = problem$transform,
           quadrature = quadrature, epsilon = epsilon)
}

# The quantiles at the new points and what the package says of their error: points x probs.
ask <- function(fit, new) {
  if ("se.fit" %in% names(formals(btg:::predict.btg))) {
    answer <- predict(fit, new, type = "quantile", probs = probs, se.fit = TRUE)
    return(list(quantile = unname(answer$fit), error = unname(answer$se.fit)))
  }
  at <- btg:::prediction_points(fit, new, NULL)
  core <- btg:::core_predict(btg:::runnable(fit$problem), fit$posterior$hyper,
                             fit$posterior$weight, at$inputs, at$trend, TRUE, "quantile",
                             rbind(probs), 1e-10)
  list(quantile = btg:::unscale_response(core$answer, fit$scaling$y),
       error = core$standard_error * fit$scaling$y$scale)
}

# Evaluates `expr`; list(value, warnings, error) with the messages.
observe <- function(expr) {
  warnings <- character()
  error <- NA_character_
  value <- withCallingHandlers(
    tryCatch(expr, error = function(e) {
      error <<- conditionMessage(e)
      NULL
    }),
    warning = function(w) {
      warnings <<- c(warnings, class(w)[1L])
      invokeRestart("muffleWarning")
    }
  )
  list(value = value, warnings = unique(warnings), error = gsub("\\s+", " ", error))
}

# A problem with what all measurements of it need.
prepare <- function(problem) {
  problem$new <- problem$new[seq_len(new_points), ]
  problem$fit <- fit_problem(problem, btg::quad_sobol(1, inner = 1))
  hyper <- problem$fit$problem$hyperparameters
  problem$free <- names(hyper)[!vapply(hyper, function(h) is.numeric(h$prior), NA)]
  problem$gradient_cost <- measure_gradient(problem$fit)
  problem
}

# How many likelihoods take as long as one gradient.
measure_gradient <- function(fit) {
  problem <- btg:::runnable(fit$problem)
  hyper <- fit$posterior$hyper[rep(1L, max(20, 4e5 %/% nrow(problem$inputs)^2)), ]
  shortest <- function(gradient) {
    min(replicate(5L, system.time(btg:::core_evaluate(problem, hyper, gradient))[[1L]]))
  }
  node <- shortest(FALSE)
  # With gradients, every node is evaluated without one first.
  max(1, (shortest(TRUE) - node) / max(node, 1e-3))
}

# ---- references

# What the answers depend on: the posterior and the new points, at a few hyperparameters.
fingerprint <- function(problem) {
  fit <- problem$fit
  at <- btg::nodes(fit)[rep(1L, 3L), btg:::hyper_names(fit)]
  positive <- vapply(fit$problem$hyperparameters, function(h) h$positive, NA)
  at[, positive] <- rep(c(0.5, 1, 2), sum(positive)) *
    rep(btg:::hyper_units(fit)[positive], each = 3L)
  at[, !positive] <- rep(c(0.1, 0.2, 0.3), sum(!positive))
  fixed <- setdiff(names(at), problem$free)
  at[fixed] <- btg::nodes(fit)[1L, fixed]
  answers <- predict(with_draws(fit, at), problem$new)
  signif(c(btg::log_posterior(fit, at), unname(answers)), 7)
}

# A fit whose nodes are these, in the units of nodes(), with equal weights.
with_draws <- function(fit, hyper) {
  units <- btg:::hyper_units(fit)
  fit$posterior$hyper <- unname(sweep(as.matrix(hyper)[, names(units)], 2L, units, `/`))
  fit$posterior$weight <- rep(1 / nrow(hyper), nrow(hyper))
  fit
}

# Importance sampling by the default rule with many nodes; the spread over seeds is its error.
importance_reference <- function(problem, set) {
  runs <- lapply(set$reference_seeds, function(seed) {
    options <- list(nodes = set$reference_nodes, most = 3 * set$reference_nodes, seed = seed)
    fit <- suppressWarnings(fit_problem(problem, make_rule("adaptive", options), 1e-5))
    list(quantile = ask(fit, problem$new)$quantile, quadrature = fit$quadrature)
  })
  quantiles <- simplify2array(lapply(runs, function(run) run$quantile))
  value <- function(what) vapply(runs, function(run) run$quadrature[[what]], 0)
  diagnostics <- lapply(runs, function(run) unlist(run$quadrature$diagnostics))
  list(
    quantile = apply(quantiles, 1:2, mean),
    error = apply(quantiles, 1:2, sd) / sqrt(length(runs)),
    evaluations = sum(value("likelihoods")),
    effective = sum(value("effective_nodes")),
    k_hat = max(vapply(diagnostics, function(d) unname(d["k_hat"]), 0)),
    log_evidence = mean(value("log_evidence")),
    log_evidence_error = sd(value("log_evidence")) / sqrt(length(runs))
  )
}

# Long chains from dispersed starts: half of them draws of the prior, half of a Sobol fit.
mcmc_reference <- function(problem, set) {
  set.seed(1)
  view <- coordinates_of(problem)
  sobol <- suppressWarnings(fit_problem(problem, btg::quad_sobol(2^14), 0))
  found <- btg::nodes(sobol)
  start <- found[sample(nrow(found), max(2 * set$chains, 10 * view$d), TRUE,
                        (found$weight + 1 / nrow(found)) / 2), ]
  steps <- set$steps(view$d)
  draws <- run_chains(view$log_density, view$force, view$to(start), set$chains, steps)

  # The spread over groups of chains is the error.
  groups <- split(seq_len(set$chains), seq_len(set$chains) %% 8L)
  every <- max(1L, steps * set$chains %/% 16000L)
  answers <- lapply(groups, function(group) {
    state <- matrix(draws[seq(1L, steps, by = every), group, ], ncol = view$d)
    predict(with_draws(problem$fit, view$from(state)), problem$new, type = "quantile",
            probs = probs)
  })
  quantiles <- unname(simplify2array(answers))
  list(
    quantile = apply(quantiles, 1:2, mean),
    error = apply(quantiles, 1:2, sd) / sqrt(length(groups)),
    evaluations = set$chains * steps,
    r_hat = max(vapply(seq_len(view$d), function(j) r_hat(draws[, , j]), 0))
  )
}

# The posterior in the coordinates of log_posterior(): list(d, to, from, log_density, force),
# where `from` gives a matrix with columns as nodes() has, and `to` takes nodes.
coordinates_of <- function(problem) {
  fit <- problem$fit
  free <- problem$free
  all <- btg:::hyper_names(fit)
  units <- btg:::hyper_units(fit)
  positive <- vapply(fit$problem$hyperparameters[free], function(h) h$positive, NA)
  fixed <- unlist(btg::nodes(fit)[1L, all])
  from <- function(state) {
    value <- matrix(fixed, nrow(state), length(all), byrow = TRUE, dimnames = list(NULL, all))
    # Far out, where chains may try to go, a logarithm has no exponential.
    value[, free[positive]] <- exp(pmin(pmax(state[, positive], -600), 600))
    value[, free[!positive]] <- state[, !positive]
    value
  }
  to <- function(hyper) {
    state <- as.matrix(hyper[free])
    state[, positive] <- log(state[, positive])
    unname(state)
  }
  log_density <- function(state) btg::log_posterior(fit, from(state))
  # The gradient; that of the prior by differences, for all with the same prior at once.
  specs <- fit$problem$hyperparameters[free]
  alike <- split(free, vapply(specs, function(spec) deparse1(spec[c("positive", "prior")]), ""))
  force <- function(state) {
    hyper <- sweep(from(state), 2L, units, `/`)
    gradient <- btg:::core_evaluate(btg:::runnable(fit$problem), unname(hyper), TRUE)$gradient
    colnames(gradient) <- all
    for (names in alike) {
      gradient[, names] <- gradient[, names] + prior_slope(specs[[names[1L]]], hyper[, names])
    }
    gradient <- gradient[, free, drop = FALSE]
    replace(gradient, !is.finite(gradient), 0)
  }
  list(d = length(free), to = to, from = from, log_density = log_density, force = force)
}

# The slope of the log prior in the coordinate.
prior_slope <- function(spec, value, step = 1e-4) {
  log_prior <- function(move) {
    moved <- if (spec$positive) value * exp(move) else value + move
    log(btg:::dist_density(spec$prior, moved)) + (if (spec$positive) move else 0)
  }
  (log_prior(step) - log_prior(-step)) / (2 * step)
}

predictive_sd <- function(quantile) (quantile[, 3L] - quantile[, 1L]) / 3.92

# Errors in percent of the predictive sd.
compare <- function(quantile, reference) {
  error <- 100 * abs(quantile - reference) / predictive_sd(reference)
  c(median_mean = mean(error[, 2L]), median_max = max(error[, 2L]),
    endpoint_mean = mean(error[, -2L]), endpoint_max = max(error[, -2L]))
}

describe_check <- function(problem, method, check, reference) {
  own <- 100 * check$error / predictive_sd(reference)
  difference <- compare(check$quantile, reference)
  data.frame(problem = problem$name, method, evaluations = check$evaluations,
             endpoint_mean = difference[["endpoint_mean"]],
             endpoint_error = mean(own[, -2L]),
             median_mean = difference[["median_mean"]], median_error = mean(own[, 2L]),
             effective = or_na(check$effective), k_hat = or_na(check$k_hat),
             r_hat = or_na(check$r_hat))
}

or_na <- function(x) if (is.null(x)) NA_real_ else x

# The most precise of the methods whose own diagnostics are good.
make_reference <- function(problem, set) {
  message("Reference of ", problem$name)
  methods <- list(importance = importance_reference(problem, set))
  # Nothing adaptive: many points of the prior, where they can be many enough.
  if (length(problem$free) <= 4L) methods$prior <- prior_reference(problem)
  if (set$full) methods$mcmc <- mcmc_reference(problem, set)
  own <- vapply(methods, function(m) mean(100 * m$error[, -2L] / predictive_sd(m$quantile)), 0)
  good <- vapply(methods, function(m) isTRUE(m$k_hat < 0.7) || isTRUE(m$r_hat < 1.02), NA)
  best <- names(which.min(if (any(good)) own[good] else own))
  chosen <- methods[[best]]
  checks <- Map(describe_check, list(problem), names(methods), methods, list(chosen$quantile))
  checks <- do.call(rbind, checks)
  checks$chosen <- ifelse(checks$method == best, "*", "")
  list(fingerprint = fingerprint(problem), full = set$full, method = best,
       quantile = chosen$quantile, error = chosen$error,
       log_evidence = methods$importance$log_evidence, checks = checks)
}

prior_reference <- function(problem) {
  fit <- suppressWarnings(fit_problem(problem, btg::quad_sobol(2^16, inner = 1), 1e-6))
  answer <- ask(fit, problem$new)
  list(quantile = answer$quantile, error = answer$error, evaluations = 2^16,
       effective = fit$quadrature$effective_nodes)
}

# From the cache, unless the posterior is another one or a better reference is wanted.
find_references <- function(problems, set, file, fresh) {
  kept <- if (file.exists(file)) readRDS(file) else list()
  for (problem in problems) {
    old <- if (!fresh) kept[[problem$name]]
    same <- !is.null(old) && isTRUE(all.equal(old$fingerprint, fingerprint(problem), 1e-5))
    if (!same || (set$full && !old$full)) {
      kept[[problem$name]] <- make_reference(problem, set)
      saveRDS(kept, file)
    }
  }
  kept[vapply(problems, function(problem) problem$name, "")]
}

# ---- measurements

# Every registered rule with the options to try: a list of list(rule, default, options, points).
list_trials <- function(set, rules) {
  registered <- btg:::core_registry()$rules
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
  grid <- expand.grid(grid)
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
    list(fit = fit, seconds = seconds, answer = ask(fit, problem$new[seq_len(trial$points), ]))
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
  row$weights <- I(list(numeric()))
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
  row$equivalents <- row$likelihoods + 3 * row$gradients
  row$equivalents_measured <- row$likelihoods + gradient_cost * row$gradients
  weight <- value$fit$posterior$weight
  row$negative_weights <- sum(weight < 0)
  row$weights <- I(list(sort(abs(weight), decreasing = TRUE)))
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

# ---- what is shown

show_references <- function(references) {
  checks <- do.call(rbind, lapply(references, function(reference) reference$checks))
  cat("\nReferences. Differences from the one chosen (*), and each method's own standard error,\n",
      "in percent of the predictive sd:\n", sep = "")
  print(format_figures(checks), row.names = FALSE, width = 120)
}

format_figures <- function(x, digits = 2L) {
  numbers <- vapply(x, is.numeric, NA)
  x[numbers] <- lapply(x[numbers], function(column) {
    ifelse(is.na(column), "", format(signif(column, digits), trim = TRUE, scientific = FALSE,
                                     drop0trailing = TRUE))
  })
  x
}

# The default rule, a row for each problem, averaged over seeds; `met` lists what is missed.
summarise_default <- function(results) {
  default <- results[results$default, ]
  rows <- lapply(split(default, factor(default$problem, unique(default$problem))), function(rows) {
    target <- target_error(rows$dimension[1L])
    # A fit that failed has missed everything.
    worst <- function(x) if (anyNA(x)) Inf else max(x)
    average <- function(x) if (anyNA(x)) Inf else mean(x)
    missed <- c(
      endpoints = average(rows$endpoint_mean) > target,
      medians = average(rows$median_mean) > target / 2,
      coverage = mean(replace(rows$covered, is.na(rows$covered), 0)) < 0.9,
      budget = worst(rows$equivalents) > budget
    )
    data.frame(
      problem = rows$problem[1L], d = rows$dimension[1L], target,
      endpoints = average(rows$endpoint_mean), worst_seed = worst(rows$endpoint_mean),
      worst_point = worst(rows$endpoint_max), medians = average(rows$median_mean),
      covered = mean(rows$covered), equivalents = worst(rows$equivalents),
      k_hat = worst(rows$k_hat), effective = mean(rows$effective_nodes),
      seconds = mean(rows$seconds), warned = sum(nzchar(rows$warnings)),
      missed = if (any(missed)) toString(names(missed)[missed]) else "-"
    )
  })
  do.call(rbind, rows)
}

# Of each rule the largest size within the budget: mean endpoint error, or what happened.
summarise_rules <- function(results) {
  cell <- function(rows) {
    if (any(rows$default)) rows <- rows[rows$default, ]
    within <- rows[rows$status != "too large" &
                     (is.na(rows$equivalents) | rows$equivalents <= 1.1 * budget), ]
    if (nrow(within) == 0L) return("too large")
    ok <- within[within$status == "ok", ]
    failed <- sum(within$status == "failed")
    if (nrow(ok) == 0L) return("failed")
    largest <- ok[ok$equivalents >= 0.8 * max(ok$equivalents), ]
    paste0(signif(mean(largest$endpoint_mean), 2), if (failed > 0L) paste0(" (", failed, " failed)"))
  }
  keys <- list(factor(results$rule, unique(results$rule)),
               factor(results$problem, unique(results$problem)))
  table <- tapply(seq_len(nrow(results)), keys, function(i) cell(results[i, ]))
  colnames(table) <- abbreviate(colnames(table), 14L)
  table
}

# Okabe and Ito's colours: distinct to colour-blind eyes, and each with a symbol of its own.
rule_style <- function(rules) {
  colours <- c("#D55E00", "#0072B2", "#009E73", "#E69F00", "#999999", "#56B4E9", "#CC79A7",
               "#000000")
  data.frame(colour = rep_len(colours, length(rules)), symbol = rep_len(c(16, 17, 15, 18, 4, 2, 5, 8),
                                                                        length(rules)),
             row.names = rules)
}

# For each problem: mass of the largest weights, error against work, error against time.
draw_figure <- function(problems, results, file) {
  rules <- unique(results$rule)
  style <- rule_style(rules)
  grDevices::png(file, 1500, 130 + 330 * length(problems), res = 110)
  on.exit(grDevices::dev.off())
  graphics::layout(rbind(1, matrix(1 + seq_len(3 * length(problems)), ncol = 3, byrow = TRUE)),
                   heights = c(0.35, rep(1, length(problems))))
  graphics::par(mar = c(0, 0, 0, 0), cex = 0.75)
  graphics::plot.new()
  graphics::legend("center", c(rules, "default rule, each seed", "target and budget"),
                   col = c(style$colour, style$colour[1L], "grey40"),
                   pch = c(style$symbol, 1, NA), lty = c(rep(1, length(rules)), NA, 2),
                   ncol = 5, bty = "n")
  graphics::par(mar = c(3.6, 4.2, 2, 0.8), mgp = c(2.5, 0.7, 0))
  for (problem in problems) {
    rows <- results[results$problem == problem$name & results$status == "ok", ]
    draw_masses(problem, rows, style)
    draw_errors(problem, rows, style, "equivalents", "likelihoods, a gradient counted as 3")
    draw_errors(problem, rows, style, "seconds", "seconds of a fit")
  }
}

# Of the size closest to 500 nodes; of signed weights, the absolute values.
draw_masses <- function(problem, rows, style) {
  graphics::plot.default(c(1, 2000), c(0, 1), type = "n", log = "x", las = 1,
                         xlab = "k", ylab = "mass of the k largest weights",
                         main = paste0(problem$name, ": ", length(problem$free),
                                       " hyperparameters"), cex.main = 1)
  for (rule in row.names(style)) {
    own <- rows[rows$rule == rule, ]
    if (nrow(own) == 0L) next
    weight <- own$weights[[which.min(abs(log(own$nodes_tried / 500)))]]
    mass <- cumsum(weight) / sum(weight)
    graphics::lines(seq_along(mass), mass, col = style[rule, "colour"], lwd = 2)
    at <- ceiling(length(mass) * c(0.1, 1))
    graphics::points(at, mass[at], pch = style[rule, "symbol"], col = style[rule, "colour"])
  }
}

family_of <- function(options) {
  ifelse(grepl("family", options), sub(".*family = ([0-9]+).*", "\\1", options), "")
}

draw_errors <- function(problem, rows, style, x, label) {
  shown <- rows[is.finite(rows$endpoint_mean), ]
  shown$endpoint_mean <- pmin(pmax(shown$endpoint_mean, 0.01), 1000)
  shown[[x]] <- pmax(shown[[x]], 0.001)
  graphics::plot.default(shown[[x]], shown$endpoint_mean, type = "n", log = "xy", yaxt = "n",
                         ylim = c(0.01, 1000), xlab = label, ylab = "mean endpoint error, % of sd")
  graphics::axis(2, 10^(-2:3), c("0.01", "0.1", "1", "10", "100", "1000"), las = 1)
  graphics::abline(h = target_error(length(problem$free)), lty = 2, col = "grey40")
  if (x == "equivalents") graphics::abline(v = budget, lty = 2, col = "grey40")
  for (rule in row.names(style)) {
    own <- shown[shown$rule == rule, ]
    sweep <- own[!own$default, ]
    # One line for each family; seeds are averaged.
    for (part in split(sweep, family_of(sweep$options))) {
      line <- stats::aggregate(part[c(x, "endpoint_mean")], part["options"], mean)
      line <- line[order(line[[x]]), ]
      graphics::lines(line[[x]], line$endpoint_mean, type = "b", col = style[rule, "colour"],
                      pch = style[rule, "symbol"])
    }
    graphics::points(own[[x]][own$default], own$endpoint_mean[own$default], pch = 1, cex = 1.6,
                     lwd = 2, col = style[rule, "colour"])
  }
}

# ---- all together

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
source(file.path(dirname(script), "problems.R"))
source(file.path(dirname(script), "mcmc.R"))
main(commandArgs(TRUE), dirname(script))
