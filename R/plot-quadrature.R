# The nodes of the integral over the hyperparameters: plot() with `which = "quadrature"`.

quadrature_page <- function(fit, request) {
  nodes <- quadrature_nodes(fit)
  effective <- fit$quadrature$effective_nodes
  cumulative <- plot_panel(
    list(cumulative = plot_layer("steps", x = nodes$rank, y = nodes$cumulative, size = 2.5),
         effective = plot_layer("vertical", xintercept = effective, colour = "guide", line = 2)),
    plot_axis("number of nodes, heaviest first", log = TRUE),
    plot_axis("cumulative weight", c(0, max(1, nodes$cumulative)))
  )
  modes <- quadrature_modes(fit)
  caption <- paste0("Vertical line: effective number of nodes, ", format(effective, digits = 3),
                    if (NROW(modes) > 0L) paste0(". Triangles: ", mode_words(modes)), ".")
  plot_page(list(cumulative, weights_panel(nodes, modes)), nodes, caption = caption)
}

# Weights against the log posterior density. Negative weights, which some rules have, are drawn by
# their size as open circles.
weights_panel <- function(nodes, modes) {
  models <- unique(nodes$model)
  of_model <- Map(function(model, colour) {
    own <- nodes[nodes$model == model & nodes$weight > 0, ]
    plot_layer("points", x = -own$drop, y = own$weight, colour = colour, alpha = 0.6, size = 0.7,
               label = if (length(models) > 1L) model)
  }, models, rep_len(model_colours, length(models)))
  negative <- nodes[nodes$weight < 0, ]
  lowest <- min(abs(nodes$weight[nodes$weight != 0]))
  layers <- c(of_model, list(
    negative = plot_layer("points", x = -negative$drop, y = -negative$weight, size = 0.7,
                          shape = 1),
    modes = if (NROW(modes) > 0L) plot_layer("points", x = -modes$drop, y = lowest,
                                             colour = "guide", shape = 17)
  ))
  plot_panel(layers, "log posterior minus its maximum", plot_axis("weight of a node", log = TRUE))
}

# "2 modes, masses 0.85 and 0.15"
mode_words <- function(modes) {
  paste0(count_noun(nrow(modes), "mode"), if (nrow(modes) == 1L) ", mass " else ", masses ",
         list_names(signif(modes$mass, 2), ""))
}

# Colours of Okabe and Ito, which readers with impaired colour vision can tell apart.
model_colours <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000")

# The nodes of the fit by decreasing weight: `model`, `rank`, `weight`, `cumulative` weight, and
# `drop`, the distance of the log posterior below the highest node of the model.
quadrature_nodes <- function(fit) {
  nodes <- nodes(fit)
  model <- if (is_average(fit)) nodes$model else "nodes"
  log_posterior <- nodes$log_marginal + nodes$log_prior
  data.frame(model = model, rank = seq_len(nrow(nodes)), weight = nodes$weight,
             cumulative = cumsum(nodes$weight),
             drop = stats::ave(log_posterior, model, FUN = max) - log_posterior)
}

# The modes that the rule found, with their mass within the fit, and `drop` as in
# quadrature_nodes().
quadrature_modes <- function(fit) {
  models <- kept_models(fit)
  each <- Map(function(model, share, name) {
    modes <- model$quadrature$modes
    highest <- max(model$posterior$log_marginal + model$posterior$log_prior)
    # The search used other coordinates than the nodes, so the density is evaluated again.
    at <- model_log_posterior(model, fit$design, modes)
    data.frame(model = rep(if (is_average(fit)) name else "nodes", nrow(modes)),
               mass = share * modes$mass, drop = highest - at)
  }, models, fit$model_weights[names(models)], names(models))
  do.call(rbind, unname(each))
}
