# With noise = "auto", models with varying noise join those with constant noise if left-out
# residuals show that the noise varies.

# Adds models of varying noise if the spread of left-out residuals depends on variables, at most the
# two with the smallest p-values.
add_varying_noise <- function(fit, design, scaled, run, approx) {
  design <- design_with_noise(design, noise_found(fit, run$threads))
  if (is.null(design)) {
    return(fit)
  }
  candidates <- candidate_models(fit$settings, design)
  candidates <- candidates[names(kept_models(fit))]
  names(candidates) <- paste0(names(candidates), ", varying noise")
  more <- fit_models(candidates, design, scaled_with_noise(scaled, design), fit$settings, run,
                     approx)$models
  fit$blueprint <- design$blueprint
  fit$design$noise <- design$noise
  fit$models <- c(fit$models, more)
  weigh_models(fit, run$threads)
}

# Adds a noise model of these variables to the design. If that fails, as with linearly dependent
# columns, it drops the variable of largest p-value. Returns NULL if none remains.
design_with_noise <- function(design, found) {
  for (count in rev(seq_along(found))) {
    terms <- lapply(found[seq_len(count)], noise_term, data = design$variables)
    more <- tryCatch(add_noise_terms(design, terms), btg_error_noise = function(e) NULL)
    if (!is.null(more)) {
      return(more)
    }
  }
}

scaled_with_noise <- function(scaled, design) {
  scaled$design$noise <- design$noise
  scaled
}

# Returns at most two variables, those with the smallest p-values. Fewer than 40 rows are too few:
# with 20 rows and constant noise, one fit in ten was 19% worse (`trees`, bench/noise.R).
noise_found <- function(fit, threads) {
  if (row_count(fit) >= 40L) utils::head(spread_found(left_out_spread(fit, threads)), 2L)
}

left_out_spread <- function(fit, threads) {
  asked <- place_questions(fit)
  request <- new_request(fit_points(fit), asked, folds = row_folds(fit$row_names),
                         run = new_run(threads))
  left_out <- suppressWarnings(answer(ensemble_of(fit), request), classes = "btg_warning")
  places <- response_places(left_out$answers, fit)
  if (is_tie_unexpected(places$tied)) {
    return(spread_tests(fit_response(fit), list()))
  }
  # The noise of a new group would not be known.
  data <- fit$data[setdiff(names(fit$data), group_columns(fit$blueprint))]
  spread_tests(places$spread_pit, spread_variables(data))
}

# Returns a spline of a numeric variable, or the variable itself. A variable may be called `ns`.
noise_term <- function(name, data) {
  if (!is_smooth_variable(data[[name]])) {
    return(as.name(name))
  }
  ns <- if ("ns" %in% names(data)) quote(splines::ns) else quote(ns)
  as.call(list(ns, as.name(name), df = 3))
}

# Adds a noise model of these terms to the design.
add_noise_terms <- function(design, terms) {
  blueprint <- design$blueprint
  if (!exists("ns", envir = blueprint$environment, inherits = FALSE)) {
    assign("ns", splines::ns, envir = blueprint$environment)
  }
  formula <- stats::as.formula(call("~", Reduce(function(a, b) call("+", a, b), terms)),
                               env = blueprint$environment)
  frame <- stats::model.frame(formula, design$variables, drop.unused.levels = TRUE)
  text <- vapply(frame, is.character, NA)
  frame[text] <- lapply(frame[text], factor)
  noise <- fit_noise(stats::terms(formula), frame, design$variables, ncol(design$trend))
  # In "predvars", calls of ns() carry the knots that they computed from the data.
  variables <- as.list(attr(attr(frame, "terms"), "predvars"))[-1L]
  names(variables) <- names(frame)
  own <- setdiff(names(variables), names(blueprint$variables))
  blueprint$variables[own] <- variables[own]
  factors <- Filter(is.factor, as.list(frame)[own])
  blueprint$prototypes[names(factors)] <- lapply(factors, `[`, 0L)
  blueprint$noise <- noise$spec
  environment(blueprint$noise$terms) <- blueprint$environment
  design$blueprint <- blueprint
  design$noise <- noise$matrix
  design
}
