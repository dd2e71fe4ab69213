# Ways to search the unit cube. `run(ask, initial, responses, budget, noisy)` calls `ask(u)` until
# the budget is spent; what it returns is not used.

# How many evaluations are left, after those of the initial design.
left <- function(initial, budget) budget - nrow(initial)

as_runs <- function(initial, responses) {
  data.frame(stats::setNames(as.data.frame(initial), paste0("u", seq_len(ncol(initial)))),
             response = responses)
}

search_btg <- function(...) {
  function(ask, initial, responses, budget, noisy) {
    d <- ncol(initial)
    bounds <- stats::setNames(rep(0, d), paste0("u", seq_len(d)))
    btg_optimise(ask, bounds, bounds + 1, budget = budget, data = as_runs(initial, responses),
                 target = if (noisy) "median" else "observed", ...)
  }
}

search_random <- function(ask, initial, responses, budget, noisy) {
  for (k in seq_len(left(initial, budget))) ask(stats::runif(ncol(initial)))
}

# A search that fits all evaluations anew before each step: `step(x, y, noisy)` says where to go.
search_by <- function(step) {
  function(ask, initial, responses, budget, noisy) {
    x <- initial
    y <- responses
    for (k in seq_len(left(initial, budget))) {
      u <- as.vector(step(x, y, noisy))
      x <- rbind(x, u)
      y <- c(y, ask(u))
    }
  }
}

# hetGP, by its own search for the expected improvement.
step_hetgp <- function(x, y, noisy) {
  if (!"package:hetGP" %in% search()) attachNamespace("hetGP") # hetGP::crit_optim() looks there
  d <- ncol(x)
  model <- hetGP::mleHomGP(x, y, lower = rep(0.02, d), upper = rep(10, d), covtype = "Matern5_2",
                           known = if (noisy) list() else list(g = 1e-8))
  hetGP::crit_optim(model, crit = "crit_EI", h = 0)$par
}

step_diceoptim <- function(x, y, noisy) {
  d <- ncol(x)
  model <- DiceKriging::km(~ 1, as.data.frame(x), data.frame(y), covtype = "matern5_2",
                           nugget.estim = noisy, nugget = if (!noisy) 1e-8 * stats::var(y),
                           control = list(trace = FALSE))
  plugin <- if (noisy) min(DiceKriging::predict(model, as.data.frame(x), "UK",
                                                checkNames = FALSE)$mean) else min(y)
  DiceOptim::max_EI(model, plugin = plugin, lower = rep(0, d), upper = rep(1, d),
                    control = list(print.level = 0))$par
}

step_gaupro <- function(x, y, noisy) {
  d <- ncol(x)
  model <- GauPro::gpkm(x, y, kernel = "matern52", nug.est = noisy, verbose = 0)
  model$maxEI(lower = rep(0, d), upper = rep(1, d), minimize = TRUE)$par
}

# tgp's own step: candidates of a treed Gaussian process, ranked by expected improvement.
step_tgp <- function(x, y, noisy) {
  d <- ncol(x)
  step <- tgp::optim.step.tgp(f = NULL, rect = cbind(rep(0, d), rep(1, d)), X = x, Z = y,
                              NN = 20 * d, model = tgp::bgp, improv = c(1, 1), trace = FALSE,
                              verb = 0)
  as.matrix(step$X)[1L, ]
}

# Those on demand, one of them slow, run only when --methods names them.
methods <- list(
  btg = list(package = "btg", run = search_btg()),
  `btg, sinharcsinh` = list(package = "btg", run = search_btg(transform = "sinharcsinh"),
                            on_demand = TRUE),
  DiceOptim = list(package = c("DiceKriging", "DiceOptim"), run = search_by(step_diceoptim)),
  hetGP = list(package = "hetGP", run = search_by(step_hetgp)),
  GauPro = list(package = "GauPro", run = search_by(step_gaupro)),
  tgp = list(package = "tgp", run = search_by(step_tgp), on_demand = TRUE),
  random = list(package = character(), run = search_random)
)
