# How much the default rule may spend where a user has not said it: by what a likelihood costs, and
# by the share of the weight that a model will have in an average.

# The rule with numbers for all options of the adaptive one that were left open. `share` is that of
# the model in an average, about.
budgeted_rule <- function(rule, design, problem, share = 1) {
  if (rule$name != "adaptive") {
    return(rule)
  }
  open <- adaptive_budget(nrow(design$inputs), length(free_names(problem)), share)
  rule$options <- utils::modifyList(open, given_options(rule))
  rule
}

# Those of the adaptive rule that were not left open.
given_options <- function(rule) Filter(function(option) option > 0, rule$options)

# With `rows` rows and `dimension` hyperparameters. Errors of a model count by its share, so that
# the nodes of all models together are those of one; where likelihoods cost next to nothing, each
# has as many.
adaptive_budget <- function(rows, dimension, share = 1) {
  cost <- likelihood_cost(rows)
  # With many hyperparameters the search for modes takes a good part of it.
  wide <- min(1500 + 100 * max(dimension - 10, 0), acceptable_seconds / cost)
  affordable <- min(max(unnoticed_seconds / cost, wide, 1500), 5000)
  share <- min(max(share, 0.15, 0.05 / (6000 * cost)), 1)
  most <- max(ceiling(share * affordable), 400)
  wanted <- 300 * max(1, dimension / 6)^2
  list(nodes = ceiling(share * min(max(256, 64 * dimension), 1000)),
       effective = ceiling(share * min(wanted, max(300, affordable / 8))),
       most = most,
       keep = ceiling(share^0.7 * min(16 + 5 * dimension^2, 192 * min(max(100 / rows, 1), 1.5))))
}

# What nobody notices, and what is accepted where accuracy is hard to have.
unnoticed_seconds <- 0.1
acceptable_seconds <- 0.35

# Of a likelihood in seconds, as measured on one machine with 20 to 400 rows: a rule, not a clock,
# so that the same call gives the same nodes everywhere.
likelihood_cost <- function(rows) 4e-6 + 2.5e-7 * rows + 1.2e-11 * rows^3
