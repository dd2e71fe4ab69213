# Shows the models of an average, and how accurate the integrals over them are.

# Returns one row per model: its weight, its log evidence and its elpd.
model_table <- function(fit) {
  data.frame(weight = fit$model_weights, log_evidence = fit$averaging$log_evidence,
             elpd = fit$averaging$elpd, row.names = names(fit$models))
}

transform_words <- function(model) paste(model$transform$layers, collapse = ", ")

kernel_words <- function(model) {
  paste0(model$kernel$name, if (model$kernel$product) ", product over inputs",
         if (has_additive_term(model)) ", additive")
}

# Whether the average gave the model an additive term.
has_additive_term <- function(model) {
  any(vapply(terms_of_model(model), function(term) identical(term$form, "additive"), NA))
}

noise_words <- function(model) {
  if (length(model$problem$noise_columns) > 0L) "varies" else "constant"
}

# "softplus transform, exponential kernel (product over inputs)"
model_words <- function(model) {
  paste0(transform_words(model), " transform, ", model$kernel$name, " kernel",
         if (model$kernel$product) " (product over inputs)",
         if (has_additive_term(model)) " with an additive term",
         if (length(model$problem$noise_columns) > 0L) ", varying noise")
}

by_weight <- function(fit) order(fit$model_weights, decreasing = TRUE)

# Returns the models of an average as lines of text, the heaviest first. Models without weight are
# only counted.
format_models <- function(fit) {
  stacked <- fit$averaging$method == "stacking"
  how <- if (stacked) "weighted to predict held-out rows best"
         else "weighted by their posterior probabilities"
  order <- by_weight(fit)
  kept <- order[fit$model_weights[order] > 0]
  models <- fit$models[kept]
  each <- function(words) vapply(models, words, "")
  noise <- each(noise_words)
  score <- if (stacked) fit$averaging$elpd else fit$averaging$log_evidence
  columns <- list(
    weight = format_weights(fit$model_weights[kept]),
    transform = each(transform_words),
    kernel = sub(" over inputs", "", each(kernel_words), fixed = TRUE),
    noise = if (length(unique(noise)) > 1L) noise,
    score = formatC(score[kept], format = "f", digits = 1L)
  )
  names(columns)[5L] <- if (stacked) "LOO elpd" else "log evidence"
  c(
    paste0("Average of ", length(models), " models, ", how, ":"),
    text_columns(columns, right = c("weight", names(columns)[5L])),
    if (length(models) < length(fit$models)) {
      left <- length(fit$models) - length(models)
      paste0("  (", count_noun(left, "other model"), " of weight 0)")
    },
    format_measures(fit)
  )
}

format_weights <- function(weights) {
  ifelse(weights < 0.005, "<0.01", formatC(weights, format = "f", digits = 2L))
}

# Aligns columns of text under their names: to the left, unless they are named in `right`.
text_columns <- function(columns, right = character(), indent = 2L) {
  columns <- Filter(Negate(is.null), columns)
  padded <- Map(function(text, name) {
    text <- c(name, text)
    if (name %in% right) formatC(text, width = max(nchar(text)))
    else formatC(text, width = -max(nchar(text)))
  }, columns, names(columns))
  lines <- do.call(paste, c(unname(padded), list(sep = "  ")))
  paste0(strrep(" ", indent), sub(" +$", "", lines))
}

# At a bound, the log score is that of a probability and the likelihood that of a density, unless
# the row is censored there.
format_measures <- function(fit) {
  at_bound <- sum(fit_response(fit)[exact_rows(fit$design)] %in%
                    unlist(fit$scaling$y[c("lower", "upper")]))
  if (at_bound > 0L) {
    paste0("  elpd counts the probability of the ", count_noun(at_bound, "response"),
           " at a bound; evidences count a density.")
  }
}

# Returns the verdict on the integral over the hyperparameters, from the error that
# warn_quadrature() found. Fits by wgp() have no integral.
format_accuracy <- function(fit) {
  poor <- length(poor_models(fit)) > 0L
  error <- fit$accuracy
  # A choice of models, or rows added by reweighting, keep the error of the fit they came from.
  changed <- !is.null(fit$selected) || !is.null(fit$quadrature$reweighted)
  known <- is_number(error) && error > 0 && !changed
  if (!poor && !known) {
    return(NULL)
  }
  verdict <- if (poor) "poor"
             else accuracy_words[findInterval(expected_error(error), c(0, 0.5, 1) * largest_error)]
  reason <- if (poor) {
    "few settings carry the weight: see ?`btg-troubleshooting`"
  } else {
    paste0("interval ends within ", format_percent(error), " of a predictive sd")
  }
  paste0("Numerical accuracy: ", verdict, " (", reason, ")")
}

accuracy_words <- c("good", "fair", "poor: see ?`btg-troubleshooting`")
