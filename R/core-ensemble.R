# An ensemble holds weighted models of one design and the units of their answers. A fit contains the
# parts of one; screening, stacking and checks build their own.

# `models` are fitted models (new_model()); those of weight zero are dropped. `scaling` is the
# scaling of the response in answers. `epsilon`, the dropped mass, sets the default tolerance. When
# rows are left out, models are reweighted `joint`ly with their nodes, or keep their weights, as
# after stacking. `built`, from build_models(), is used if it contains all the models.
new_ensemble <- function(design, models, weights, scaling, epsilon = NULL, joint = TRUE,
                         built = NULL) {
  models <- models[weights > 0]
  weights <- weights[weights > 0]
  nodes <- lapply(models, predictive_nodes)
  if (!all(names(models) %in% built$names)) built <- NULL
  number <- if (is.null(built)) seq_along(models) else match(names(models), built$names)
  list(
    design = design,
    models = models,
    members = unname(Map(function(model, node, number) {
      list(model = number, hyper = node$hyper,
           shift = (model$scaling$center - scaling$center) / scaling$scale,
           scale = model$scaling$scale / scaling$scale)
    }, models, nodes, number)),
    weight = unlist(Map(function(node, weight) weight * node$weight, nodes, weights),
                    use.names = FALSE),
    weight_variances = unlist(Map(function(model, node, weight) {
      weight^2 * error_factor(model)^2 * node$variance
    }, models, nodes, weights), use.names = FALSE),
    scaling = scaling,
    tolerance = max(1e-4 * epsilon, 1e-10),
    joint = joint,
    built = built
  )
}

# Returns the nodes that predictions of a model use: all, or a few that represent them. If w are the
# weights of all nodes, the sum of w^2 f is the posterior mean of w f, which the few estimate too,
# unless the variances of their weights are known. Nodes of the same hyperparameters are not
# independent: the w of all of them is their sum.
predictive_nodes <- function(model) {
  posterior <- model$posterior
  weight <- predictive_weights(model)
  used <- weight != 0 | is.null(c(posterior$predictive, posterior$candidates))
  variance <- if (is.null(posterior$variance)) {
    weight * sum_by_node(posterior$weight, node_numbers(model))
  } else {
    posterior$variance
  }
  list(hyper = posterior$hyper[used, , drop = FALSE], weight = weight[used],
       variance = variance[used])
}

predictive_weights <- function(model) {
  predictive <- model$posterior$predictive
  if (is.null(predictive)) candidate_weights(model) else predictive
}

# Returns the weights by which the rule represents all nodes by fewer. Fits by earlier versions
# predict from these.
candidate_weights <- function(model) {
  posterior <- model$posterior
  if (!is.null(posterior$candidates)) posterior$candidates
  else if (!is.null(posterior$predictive)) posterior$predictive
  else posterior$weight
}

# Returns the factor by which heavy-tailed weights inflate standard errors.
error_factor <- function(model) {
  factor <- model$quadrature$error_factor
  if (is.null(factor)) 1 else factor
}

# Returns the trend's coefficients and covariance and the process variance, one row per node that
# predictions of `model` use.
node_trends <- function(model, design, hyper = predictive_nodes(model)$hyper, threads = 1) {
  check_core(core_trend(build_models(design, list(model)), 1L, hyper, core_run(threads)))
}

# Builds the models of an ensemble, so that several calls share them.
with_built_models <- function(ensemble) {
  if (is.null(ensemble$built)) {
    ensemble$built <- build_models(ensemble$design, ensemble$models)
    for (k in seq_along(ensemble$members)) ensemble$members[[k]]$model <- k
  }
  ensemble
}

# Returns the ensemble as the core's functions expect it.
core_members <- function(ensemble) {
  ensemble <- with_built_models(ensemble)
  ensemble[c("built", "members", "weight")]
}

# 32 nodes suffice for a rough answer. On four data sets they estimate the quadrature error of all
# nodes within 30%, and they find the best points of a criterion, which all nodes then evaluate.
few_nodes <- 32L

# Samples `nodes` nodes systematically by weight and gives them equal weights. Returns the ensemble
# unchanged if that would save little, or if weights are negative.
thin_ensemble <- function(ensemble, nodes = few_nodes) {
  weight <- ensemble$weight
  if (length(weight) <= 2L * nodes || min(weight) < 0) {
    return(ensemble)
  }
  drawn <- 1L + findInterval((seq_len(nodes) - 0.5) / nodes, cumsum(weight) / sum(weight))
  count <- tabulate(pmin(drawn, length(weight)), length(weight))
  used <- count > 0
  # The sum of v f over all nodes equals the mean of v / w f over nodes sampled by their weights w.
  share <- count / nodes / weight
  ensemble$weight_variances <- (share * ensemble$weight_variances)[used]
  ensemble$weight <- count[used] / nodes
  sizes <- vapply(ensemble$members, function(member) nrow(member$hyper), 0L)
  ensemble$members <- Map(function(member, used) {
    member$hyper <- member$hyper[used, , drop = FALSE]
    member
  }, ensemble$members, split(used, rep(seq_along(sizes), sizes)))
  drop_empty_members(ensemble)
}

drop_empty_members <- function(ensemble) {
  kept <- vapply(ensemble$members, function(member) nrow(member$hyper) > 0L, NA)
  ensemble$members <- unname(ensemble$members[kept])
  ensemble$models <- ensemble$models[kept]
  ensemble
}

is_approximate_ensemble <- function(ensemble) !is.null(ensemble$models[[1L]]$problem$approx)
