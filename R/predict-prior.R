#' Simulate responses from a prior
#'
#' `simulate()` for a prior draws hyperparameters, and then functions and responses that a model
#' with these hyperparameters considers plausible before it sees how the response depends on the
#' inputs. Plot a few draws to see whether a prior makes sense.
#'
#' @section What is drawn:
#' The priors of the trend and of the process variance are improper: they have no draws. Location
#' and scale are therefore taken from the data. Each draw
#' * chooses a transform, with equal probabilities if there are several;
#' * draws the hyperparameters from their priors: lengthscales, noise, parameters of kernel and
#'   transform;
#' * draws the process and the noise at all rows together, on the transformed scale, and scales them
#'   so that their location and standard deviation are those of the transformed responses of `data`;
#' * transforms back. A value beyond the image of the transform, which a Box-Cox transform can have,
#'   becomes the end of its domain, such as zero.
#'
#' So `data` decide where the draws are and how far they spread, and the prior their shape: how
#' wiggly, how noisy and how skewed they are. The trend is a constant.
#'
#' @param object A prior made by [btg_prior()].
#' @param nsim The number of draws.
#' @param seed `NULL`, or a seed for [set.seed()], as in [stats::simulate()].
#' @param formula,data The model and its data, as in [btg()].
#' @param newdata The rows to draw at. By default the rows of `data`.
#' @param transform The transform, as in [btg()].
#' @param observation `TRUE` to draw observations with their noise, `FALSE` for the process.
#' @param threads How many threads to use. Results do not depend on it.
#' @param ... Other arguments of [btg()] that describe the model: `kernel`, `ard`, `product`,
#'   `additive`, `warp_inputs`, `noise`, `lower` and `upper`.
#'
#' @return A data frame with one column for each draw, `sim_1`, `sim_2`, ..., and one row for each
#'   row of `newdata`, `NA` where it cannot be used. Its attribute `hyperparameters` is a data frame
#'   with one row for each draw, in the units of [nodes()], and its attribute `seed` is as in
#'   [stats::simulate()].
#' @seealso [btg_prior()], [plot.btg_prior()] for the densities, [simulate.btg()] after a fit
#' @examples
#' grid <- data.frame(speed = seq(4, 25, length.out = 60))
#' draws <- simulate(btg_prior(), nsim = 8, seed = 1, formula = dist ~ speed, data = cars,
#'                   newdata = grid, transform = "softplus", observation = FALSE)
#' matplot(grid$speed, draws, type = "l", lty = 1, xlab = "speed", ylab = "dist")
#' head(attr(draws, "hyperparameters"))
#' @export
simulate.btg_prior <- function(object, nsim = 1, seed = NULL, formula, data = NULL, newdata = NULL,
                               transform = "auto", observation = TRUE,
                               threads = getOption("btg.threads", 1), ...) {
  check_count(nsim)
  check_flag(observation)
  check_count(threads)
  if (missing(formula)) {
    abort_btg(c("`formula` is missing.", i = "Describe the model as for `btg()`, with its `data`."),
              "argument")
  }
  described <- prior_settings(object, transform, list(...))
  design <- design_from_formula(formula, data, ~ 1, list(), parent.frame(),
                                noise = described$noise)
  problem <- prior_problem(design, described$settings)
  points <- prediction_points(problem$points_of, newdata)
  check_covariance_size(sum(points$complete), min(threads, nsim))
  with_seed(seed, function() {
    prior_responses(problem, points, nsim, observation, threads)
  })
}

# Returns list(settings, noise): those of btg() for the arguments that describe a model.
prior_settings <- function(prior, transform, given) {
  defaults <- formals(btg.formula)[c("kernel", "ard", "product", "additive", "warp_inputs", "noise",
                                     "lower", "upper")]
  if (length(given) > 0L && !is_named(given)) {
    abort_btg("Other arguments must be given by name.", "unknown_argument")
  }
  unknown <- setdiff(names(given), names(defaults))
  if (length(unknown) > 0L) {
    abort_btg(c("There are arguments that cannot be used.",
                x = paste0("Unknown: ", list_names(unknown), "."),
                suggest_names(unknown, names(defaults))), "unknown_argument")
  }
  chosen <- defaults
  chosen[names(given)] <- given
  noise <- noise_spec(if (is.call(chosen$noise)) stats::as.formula(chosen$noise) else chosen$noise)
  settings <- btg_settings(transform, chosen$kernel, chosen$ard, chosen$product, chosen$additive,
                           chosen$warp_inputs, prior, noise, "auto", 1e-4, "stacking", "exact")
  list(settings = c(settings, support_settings(chosen$lower, chosen$upper)), noise = noise$formula)
}

# Returns list(models, design, exact, points_of): the candidate models, their design, its rows that
# are not censored, and what prediction_points() needs.
prior_problem <- function(design, settings) {
  check_support(design, settings)
  design <- censor_at_bounds(design, settings, NULL)
  scaled <- scale_design(design, settings)
  models <- lapply(candidate_models(settings, design), specify_model, design,
                   scaled$scaling$scale, settings)
  list(models = models, design = scaled$design, exact = exact_rows(design),
       points_of = list(blueprint = design$blueprint, design = scaled$design,
                        scaling = list(x = scaled$scaling), row_names = design$row_names,
                        weights = design$weights))
}

prior_responses <- function(problem, points, nsim, observation, threads) {
  which <- sample.int(length(problem$models), nsim, replace = TRUE)
  draws <- matrix(NA_real_, length(points$complete), nsim,
                  dimnames = list(points$names, paste0("sim_", seq_len(nsim))))
  rows <- base::which(points$complete)
  drawn <- vector("list", nsim)
  for (k in sort(unique(which))) {
    model <- problem$models[[k]]
    own <- base::which(which == k)
    hyper <- draw_hyperparameters(model$problem, length(own))
    at <- transformed_location(model, problem$exact, hyper)
    normals <- matrix(stats::rnorm(length(rows) * length(own)), length(rows))
    core <- check_core(core_prior_draws(build_models(problem$design, list(model)), 1L, hyper,
                                        core_points(points, rows, observation), normals,
                                        at$location, at$scale, core_run(threads)))
    draws[rows, own] <- unscale_response(core$draws, model$scaling)
    drawn[own] <- split_rows(sweep(hyper, 2L, model$units, `*`), names(problem$models)[k])
  }
  structure(as.data.frame(draws), hyperparameters = join_rows(drawn, length(problem$models)))
}

# Returns one row of hyperparameters per draw, in the core's units and order.
draw_hyperparameters <- function(problem, count) {
  common <- problem$common
  if (!is.null(common)) {
    level <- stats::rnorm(count, common$centre, common$width)
    spread <- if (is_dist(common$spread)) dist_quantile(common$spread, stats::runif(count))
              else rep(common$spread, count)
  }
  each <- lapply(problem$hyperparameters, function(hyper) {
    if (is_fixed(hyper)) {
      return(rep(hyper$prior, count))
    }
    if (isTRUE(hyper$in_common)) {
      return(exp(level + spread * stats::rnorm(count)))
    }
    if (hyper$positive) hyper$prior$lower <- max(hyper$prior$lower, 0)
    dist_quantile(hyper$prior, stats::runif(count))
  })
  matrix(unlist(each), count, dimnames = list(NULL, names(each)))
}

# Returns list(location, scale): mean and standard deviation of the transformed responses that are
# exact.
transformed_location <- function(model, exact, hyper) {
  roles <- vapply(model$problem$hyperparameters, function(one) one$role, "")
  lambda <- t(hyper[, roles == "transform", drop = FALSE])
  z <- check_core(core_forward(model$problem$transform, lambda, model$problem$response[exact]))$z
  z[!is.finite(z)] <- NA
  list(location = colMeans(z, na.rm = TRUE), scale = apply(z, 2L, stats::sd, na.rm = TRUE))
}

split_rows <- function(hyper, name) {
  lapply(seq_len(nrow(hyper)), function(i) {
    data.frame(model = name, as.list(hyper[i, ]), check.names = FALSE)
  })
}

# Joins rows of different columns; a single model needs no name.
join_rows <- function(rows, models) {
  columns <- unique(unlist(lapply(rows, names)))
  joined <- do.call(rbind, lapply(rows, function(row) {
    row[setdiff(columns, names(row))] <- NA_real_
    row[columns]
  }))
  if (models == 1L) joined$model <- NULL
  joined
}
