# Fits models with an approximate covariance: see vecchia(). An exact fit to some of the rows comes
# first, then, with many rows, an approximate fit to more of them. These stages select the models,
# locate the modes and their widths, and provide the lengthscales that define near neighbours. The
# last stage fits all rows.

# Rows of the first stage, for several models and for one, and of the second. More rows cost time
# but give better starts: an exact likelihood costs the cube of the rows. Several models need more,
# because models of weight below 0.02 are dropped after the first stage. From 3 * middle_rows rows
# on, a likelihood of the second stage costs at most a third of one with all rows. No benchmark
# compares other values. With these, the last stage of fits of 10,000 to 1,000,000 rows took 40
# likelihoods (bench/results/large-sizes.csv).
pilot_rows <- c(several = 800L, one = 400L)
middle_rows <- 4000L

# Fits the models to all rows. `approx` comes from vecchia(), or is NULL for the exact covariance.
fit_models <- function(candidates, design, scaled, settings, run, approx) {
  if (is.null(approx)) fit_candidates(candidates, design, scaled, settings, run)
  else fit_large_models(candidates, design, scaled, settings, run, approx)
}

fit_large_models <- function(candidates, design, scaled, settings, run, approx) {
  n <- nrow(design$inputs)
  # Weights of models need a more accurate integral than modes.
  several <- length(candidates) > 1L
  rule <- if (several) new_rule("adaptive", effective = 100, most = 400) else stage_rule()
  before <- fit_some_rows(candidates, design, scaled, settings, run, rule,
                          pilot_rows[[if (several) "several" else "one"]])
  kept <- before$model_weights > 0.02
  candidates <- candidates[names(before$model_weights)[kept]]
  if (n >= 3L * middle_rows) {
    known <- stage_after(before, candidates, approx, run, middle_rows)
    before <- fit_some_rows(known$candidates, design, scaled, settings, known$run, stage_rule(),
                            middle_rows)
  }
  known <- stage_after(before, candidates, approx, run, n)
  settings$rule <- large_rule(settings$rule)
  fit_candidates(known$candidates, design, scaled, settings, known$run)
}

# These limits find modes and lengthscales; they are too low for accurate weights.
stage_rule <- function() new_rule("adaptive", nodes = 32, effective = 10, most = 150)

# Passes modes and lengthscales of a fit to the next stage, which has `rows` rows. Models measure
# distances by the heaviest one, to share the blocks, unless they have other terms.
stage_after <- function(fit, candidates, approx, run, rows) {
  models <- fit$models[names(candidates)]
  heaviest <- fit$models[[which.max(fit$model_weights)]]
  run$known_modes <- lapply(models, known_modes, row_count(fit) / rows)
  list(candidates = Map(function(candidate, model) {
    by <- if (identical(distance_names(model), distance_names(heaviest))) heaviest else model
    c(candidate, list(approx = with_lengthscales(approx, by)))
  }, candidates, models), run = run)
}

# Returns the names of the hyperparameters that distances depend on.
distance_names <- function(model) {
  roles <- hyper_roles(model$problem)
  names(model$problem$hyperparameters)[roles %in% c("lengthscale", "map", "share")]
}

with_lengthscales <- function(approx, model) approx_at(approx, model$problem, typical_values(model))

# Fits the candidates to `count` of the rows, and weights the models.
fit_some_rows <- function(candidates, design, scaled, settings, run, rule, count) {
  n <- nrow(design$inputs)
  rows <- scattered_rows(n, count)
  vectors <- c("response", "weights", "row_names", "censored")
  part <- design
  part[vectors] <- select_design(design[vectors], rows, n)
  scaled$design <- select_design(scaled$design, rows, n)
  settings$rule <- rule
  fitted <- fit_candidates(candidates, part, scaled, settings, run)
  fit <- list(models = fitted$models, design = scaled$design, settings = settings,
              row_names = part$row_names, scaling = list())
  weigh_models(fit, run$threads, fitted$built)
}

# With many rows the posterior is narrow and few nodes suffice. With 25 effective nodes, the ends of
# intervals have a standard error of about 0.2% of a standard deviation. With these limits, fits of
# 10,000 rows or more had 24 to 26 effective nodes, and 95% intervals covered 94 to 95.6%
# (bench/results/large-sizes.csv).
large_rule <- function(rule) {
  if (is_budgeted(rule) && length(chosen_options(rule)) == 0L) {
    rule$options <- list(nodes = 40, effective = 20, most = 300)
  }
  rule
}

# Returns the approximation for the setting and the number of distinct rows, or NULL for the exact
# covariance. Informs the user and checks the memory.
approx_of_design <- function(setting, design, threads) {
  n <- nrow(design$inputs)
  approx <- chosen_approx(setting, if (n > most_exact_rows) distinct_rows(design) else n)
  if (!is.null(approx) && !is_approximable(design, setting)) approx <- NULL
  if (is.null(approx)) {
    check_fit_memory(n, threads)
    return(NULL)
  }
  bytes <- 8 * n * (1.5 * approx$inducing + approx$neighbours + approx$block + 50)
  check_memory(bytes, paste0("The approximation for ", format(n, big.mark = ","), " rows"),
               "Use fewer `neighbours` or `inducing` functions: see `?vecchia`.")
  if (!inherits(setting, "btg_vecchia")) {
    inform_btg(c(i = paste0("With ", format(n, big.mark = ","), " rows the covariance is ",
                            "approximated (", format_approx(approx), "), in about ",
                            format_bytes(bytes), " of memory: see `?vecchia`.")), "approx")
  }
  approx
}

# Effects of groups and linear effects are exact in an approximation, which limits their number.
# Returns FALSE if the default should make an exact fit instead.
is_approximable <- function(design, setting) {
  most <- registry()$most_low_rank_functions
  count <- count_effects(design)
  if (count <= most) {
    return(TRUE)
  }
  rows <- nrow(design$inputs)
  if (inherits(setting, "btg_vecchia") || rows > most_rows_made_exact) {
    abort_btg(c(
      "There are too many groups for an approximate covariance.",
      x = paste0("Linear terms and groups have ", format(count, big.mark = ","),
                 " effects; it can have ", most, "."),
      i = paste0("`approx = \"exact\"` has no limit, but its time grows as the cube of the rows. ",
                 "Here there are ", format(rows, big.mark = ","), ".")
    ), "approx")
  }
  inform_btg(c(i = paste0("There are ", format(count, big.mark = ","), " effects of groups, too ",
                          "many for an approximation: making an exact fit.")), "approx")
  FALSE
}

# Counts the effects of linear terms and groups.
count_effects <- function(design) {
  effects <- vapply(design$terms, function(term) {
    groups <- if (term$group > 0L) max(design$inputs[, term$group]) else 1
    if (term$base == "stationary") 0 else max(length(term$columns), 1L) * groups
  }, 0)
  sum(effects)
}

distinct_rows <- function(design) {
  nrow(unique(cbind(design$inputs, design$trend, design$noise)))
}

# Adds the estimated error of the approximation at the heaviest node of the first model. If it is
# large, warns, or announces that an exact fit follows.
check_approximation <- function(fit, threads, built = NULL) {
  model <- kept_models(fit)[[1L]]
  at <- model$posterior$hyper[which.max(model$posterior$weight), ]
  moved <- covariance_coordinates(model)
  which <- match(names(kept_models(fit))[1L], built$names)
  if (is.na(which)) {
    built <- build_models(fit$design, list(model))
    which <- 1L
  }
  core <- check_core(core_approximation(built, which, at, moved, core_run(threads)))
  errors <- approximation_errors(core, row_count(fit))
  fit$approximation <- c(list(inflation = errors["process", "mean"], errors = errors),
                         core[c("divergence", "standard_error")],
                         list(shift = hyperparameter_shift(model, moved, core$score)))
  if (is_better_exact(fit)) {
    inform_btg(c(i = "The approximation is coarse for these data: making an exact fit."), "approx")
  } else {
    warn_coarse(fit$approximation, model$problem$approx)
  }
  fit
}

are_predictions_off <- function(errors) {
  errors["process", "mean"] > 0.02 || errors["median", "mean"] > 0.2
}

are_hyperparameters_off <- function(shift) any(shift > 0.5)

# Returns whether the approximation was the default's choice, is coarse, and can be done without.
is_better_exact <- function(fit) {
  found <- fit$approximation
  !is.null(found) && identical(fit$settings$approx, "auto") &&
    row_count(fit) <= most_rows_made_exact &&
    (are_predictions_off(found$errors) || are_hyperparameters_off(found$shift))
}

warn_coarse <- function(found, approx) {
  errors <- found$errors
  wrong <- are_predictions_off(errors)
  shifted <- are_hyperparameters_off(found$shift)
  if (wrong || shifted) {
    warn_btg(c(
      "The approximation of the covariance is coarse.",
      if (wrong) {
        c(x = paste0("At new points, standard deviations of the process are about ",
                     format_percent(errors["process", "mean"]), " off (at most ",
                     format_percent(errors["process", "worst"]), "), and medians about ",
                     format(errors["median", "mean"], digits = 1),
                     " of these standard deviations."))
      },
      if (shifted) {
        c(x = paste0(format_shift(found$shift), "."))
      },
      i = paste0("Use more neighbours or inducing functions, as in `approx = vecchia(",
                 2L * max(approx$neighbours, 15L), ", ", 2L * approx$block, ", ",
                 2L * max(approx$inducing, 100L), ")`.")
    ), "approx")
  }
}

# Returns the errors of predictions as a matrix. The estimated variance of the process is off too.
# Squared standardised residuals of the two models differ by 8 times the divergence in variance,
# summed over the rows, and their mean is the estimate: its root has the relative error `scale`.
approximation_errors <- function(core, rows) {
  scale <- sqrt(2 * max(core$divergence, 0)) / rows
  errors <- rbind(process = sqrt(core$process^2 + scale^2),
                  observation = sqrt(core$observation^2 + scale^2), median = core$location)
  colnames(errors) <- c("mean", "worst")
  errors
}

# Returns the positions of the free hyperparameters that the covariance depends on.
covariance_coordinates <- function(model) {
  hyperparameters <- model$problem$hyperparameters
  which(vapply(hyperparameters, function(h) h$role != "transform" && !is_fixed(h), NA))
}

# Returns the expected shift of the hyperparameters by the approximation, in posterior standard
# deviations, from the covariance of the difference of the scores (approximation_error.hpp). NULL
# for a maximum of the likelihood, which has no posterior. Hyperparameters that are equal at all
# nodes of positive weight have no standard deviation and are left out.
hyperparameter_shift <- function(model, coordinates, score) {
  posterior <- model$posterior
  if (length(posterior$weight) < 2L || length(coordinates) == 0L) {
    return(NULL)
  }
  hyper <- posterior$hyper[, coordinates, drop = FALSE]
  positive <- vapply(model$problem$hyperparameters[coordinates], function(h) h$positive, NA)
  hyper[, positive] <- log(hyper[, positive])
  covariance <- stats::cov.wt(hyper, pmax(posterior$weight, 0))$cov
  moved <- diag(covariance %*% score %*% covariance) / diag(covariance)
  shift <- stats::setNames(sqrt(moved), names(model$problem$hyperparameters)[coordinates])
  # The covariance of equal values is not always 0 to rounding.
  used <- hyper[posterior$weight > 0, , drop = FALSE]
  spread <- vapply(seq_along(coordinates), function(j) any(used[, j] != used[1L, j]), NA)
  shift <- shift[spread & is.finite(shift)]
  if (length(shift) > 0L) shift
}

# "`noise` is about 0.6 posterior sds off"
format_shift <- function(shift) {
  paste0("`", names(which.max(shift)), "` is about ", format(max(shift), digits = 1),
         " posterior standard deviations off")
}
