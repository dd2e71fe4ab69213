# A fit made again from some of its rows, by the rule and with the scalings it has.

refit_rows <- function(fit, rows, threads, call) {
  if (is_average(fit)) {
    models <- lapply(fit$models, refit_rows, rows = rows, threads = threads, call = call)
    return(new_average(models, fit$averaging$method, threads, fit$call, fit$seconds))
  }
  design <- list(formula = fit$formula, blueprint = fit$blueprint,
                 response_name = fit$response_name, input_names = fit$input_names,
                 row_names = fit$row_names[rows], variables = fit$data[rows, , drop = FALSE],
                 na_action = NULL, dropped_inputs = fit$dropped_inputs,
                 weights = fit$weights[rows])
  posed <- list(problem = keep_rows(fit$problem, rows), scaling = fit$scaling,
                units = fit$lengthscale_units, kernel = fit$kernel, transform = fit$transform,
                settings = fit$settings)
  if (inherits(fit, "wgp")) {
    search <- maximise_likelihood(posed$problem, nrow(fit$optimisation), threads, call)
    return(new_wgp(fit$call, design, posed, fit$method, search, fit$seconds))
  }
  rule <- fit$quadrature$rule
  posterior <- check_core(core_fit(runnable(posed$problem, threads), rule$name, rule$options,
                                   fit$quadrature$epsilon,
                                   usable_starts(NULL, posed$problem)), call)
  new_btg(fit$call, design, posed, rule, fit$quadrature$epsilon, posterior, fit$seconds)
}

keep_rows <- function(problem, rows) {
  problem$inputs <- problem$inputs[rows, , drop = FALSE]
  problem$trend <- problem$trend[rows, , drop = FALSE]
  problem$response <- problem$response[rows]
  problem$weights <- problem$weights[rows]
  problem
}

# As leave_out(), by refitting without each fold.
leave_out_refit <- function(fit, fold, method, observation, threads, call, questions) {
  all <- prediction_points(fit, NULL, call)
  folds <- with_progress("Refitting", counted = "likelihoods", {
    say_once(lapply_futures(seq_len(nlevels(fold)), function(k) {
      progress_note(paste0(" without fold ", k, " of ", nlevels(fold)))
      refit_without(fit, all, which(as.integer(fold) == k), observation, threads, call, questions)
    }))
  })
  rows <- order(unlist(split(seq_along(fold), fold), use.names = FALSE))
  answer <- function(what) {
    stacked <- do.call(rbind, lapply(folds, function(one) one$answers[[what]]))
    unname(stacked[rows, , drop = FALSE])
  }
  list(answers = sapply(names(questions), answer, simplify = FALSE),
       effective_nodes = vapply(folds, function(one) one$effective_nodes, 0),
       distance = rep(NA_real_, nlevels(fold)), k_hat = rep(NA_real_, nlevels(fold)),
       status = vapply(folds, function(one) one$status, 0L))
}

# One fold: its answers, and as its status the place in `fold_statuses`, from 0.
refit_without <- function(fit, all, rows, observation, threads, call, questions) {
  trend <- all$trend[-rows, , drop = FALSE]
  status <- if (nrow(trend) <= ncol(trend)) 1L else if (qr(trend)$rank < ncol(trend)) 2L else 0L
  if (status > 0L) {
    unknown <- lapply(questions, function(at) matrix(NA_real_, length(rows), ncol(at)))
    return(list(answers = unknown, effective_nodes = NA_real_, status = status))
  }
  refit <- refit_rows(fit, -rows, threads, call)
  points <- list(inputs = all$inputs[rows, , drop = FALSE],
                 trend = all$trend[rows, , drop = FALSE], complete = rep(TRUE, length(rows)),
                 names = all$names[rows], relative_noise = all$relative_noise[rows])
  answers <- Map(function(at, what) {
    if (nrow(at) > 1L) at <- at[rows, , drop = FALSE]
    ask(refit, points, what, at, observation, threads = threads, call = call)$value
  }, questions, names(questions))
  list(answers = answers, effective_nodes = 1 / sum(node_weights(refit)^2), status = status)
}
