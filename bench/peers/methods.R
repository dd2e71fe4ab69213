# Each method takes a problem, list(train, new, x, x_new, y), and returns a predictive distribution
# at the rows of `new` (see predictive.R). `x` and `x_new` are the inputs as matrices, factors as
# indicators, scaled to [0, 1] by the training rows; `train` and `new` are data frames. Everybody
# estimates the noise, and predicts responses that have it. Calls are those that the documentation
# of a package shows first, with the Matern 5/2 kernel where there is a choice and several starts
# where the package has them.

# --- ours -----------------------------------------------------------------------------------------

by_btg <- function(fitter, ...) {
  function(problem) {
    fit <- fitter(y ~ ., problem$train, ...)
    ends <- stats::predict(fit, problem$new, interval = "credible")
    function(y) {
      scores <- btg::predictive_scores(fit, problem$new, y)
      data.frame(crps = scores$crps, log_score = scores$log_score, lower = ends[, "lwr"],
                 median = ends[, "fit"], upper = ends[, "upr"])
    }
  }
}

# --- Gaussian processes by maximum likelihood -----------------------------------------------------

by_robustgasp <- function(x, y, x_new) {
  fit <- RobustGaSP::rgasp(x, y, nugget.est = TRUE, num_initial_values = 3)
  found <- RobustGaSP::predict(fit, x_new, interval_data = TRUE)
  list(mean = found$mean, sd = found$sd, df = length(y) - 1)
}

by_homgp <- function(x, y, x_new) {
  found <- stats::predict(hetGP::mleHomGP(x, y, covtype = "Matern5_2"), x_new)
  list(mean = found$mean, sd = sqrt(found$sd2 + found$nugs), df = Inf)
}

by_hetgp <- function(x, y, x_new) {
  found <- stats::predict(hetGP::mleHetGP(x, y, covtype = "Matern5_2"), x_new)
  list(mean = found$mean, sd = sqrt(found$sd2 + found$nugs), df = Inf)
}

# A nugget belongs to a point: at a point that was observed, DiceKriging and rlibkriging repeat the
# observation, without an error. New points are moved a little, so that they get noise of their own.
apart <- function(x_new) x_new + 1e-6

by_dicekriging <- function(x, y, x_new) {
  fit <- DiceKriging::km(~ 1, data.frame(x), y, nugget.estim = TRUE, multistart = 5,
                         control = list(trace = FALSE))
  found <- DiceKriging::predict(fit, data.frame(apart(x_new)), type = "UK", checkNames = FALSE)
  list(mean = found$mean, sd = found$sd, df = Inf)
}

by_rlibkriging <- function(x, y, x_new) {
  fit <- rlibkriging::Kriging(y, x, kernel = "matern5_2", optim = "BFGS5", noise = "nugget")
  found <- rlibkriging::predict(fit, apart(x_new))
  list(mean = drop(found$mean), sd = drop(found$stdev), df = Inf)
}

by_gpboost <- function(x, y, x_new) {
  found <- predict_gpboost(fit_gpboost(x, y, "gaussian"), x_new, TRUE)
  list(mean = found$mu, sd = sqrt(found$var), df = Inf)
}

fit_gpboost <- function(x, y, likelihood) {
  gpboost::fitGPModel(gp_coords = x, cov_function = "matern_ard", cov_fct_shape = 2.5,
                      likelihood = likelihood, y = y, X = matrix(1, nrow(x), 1L),
                      num_parallel_threads = 1L)
}

predict_gpboost <- function(fit, x_new, response) {
  stats::predict(fit, gp_coords_pred = x_new, X_pred = matrix(1, nrow(x_new), 1L),
                 predict_var = TRUE, predict_response = response)
}

by_gaupro <- function(x, y, x_new) {
  fit <- GauPro::gpkm(x, y, kernel = "matern52")
  found <- fit$predict(x_new, se.fit = TRUE, mean_dist = FALSE)
  list(mean = found$mean, sd = found$se, df = Inf)
}

# Its processes have mean zero: the response is standardised.
by_lagp <- function(x, y, x_new) {
  z <- scale(y)
  d <- laGP::darg(list(mle = TRUE), x)
  g <- laGP::garg(list(mle = TRUE), z)
  gp <- laGP::newGPsep(x, z, d = d$start, g = g$start, dK = TRUE)
  on.exit(laGP::deleteGPsep(gp))
  laGP::jmleGPsep(gp, drange = c(d$min, d$max), grange = c(g$min, g$max), dab = d$ab, gab = g$ab)
  found <- laGP::predGPsep(gp, x_new, lite = TRUE)
  scale <- attr(z, "scaled:scale")
  list(mean = attr(z, "scaled:center") + scale * found$mean, sd = scale * sqrt(found$s2),
       df = found$df)
}

plain <- function(by) {
  function(problem) {
    found <- by(problem$x, problem$y, problem$x_new)
    location_scale(found$mean, found$sd, found$df)
  }
}

# With inputs warped as btg() does it.
warped <- function(by) {
  function(problem) plain(by)(warp_problem(problem))
}

# With warped inputs, and a response transformed by Box and Cox, or by Yeo and Johnson where it is
# not positive; lambda by maximum likelihood in a Gaussian process, together with its other
# hyperparameters.
transformed <- function(by) {
  function(problem) {
    problem <- warp_problem(problem)
    h <- response_transform(problem$train)
    found <- by(problem$x, h$value(problem$y), problem$x_new)
    location_scale(found$mean, found$sd, found$df, h)
  }
}

warp_problem <- function(problem) {
  frames <- rbind(problem$train, problem$new)
  numbers <- vapply(frames, is.numeric, NA) & names(frames) != "y"
  warps <- btg:::choose_warps(as.matrix(problem$train[numbers]))
  frames[names(warps)] <- Map(btg:::warp_values, frames[names(warps)], warps)
  new_problem(frames, nrow(problem$train))
}

response_transform <- function(train) {
  y <- train$y
  positive <- all(y > 0)
  fit <- btg::wgp(y ~ ., train, transform = if (positive) "boxcox" else "yeojohnson",
                  product = ncol(train) > 2L)
  lambda <- btg::nodes(fit)[[if (positive) "boxcox.lambda" else "yeojohnson.lambda"]]
  center <- if (positive) 0 else mean(y)
  scale <- if (positive) exp(mean(log(y))) else stats::sd(y)
  h <- if (positive) box_cox(lambda) else yeo_johnson(lambda)
  list(
    value = function(y) h$value((y - center) / scale),
    inverse = function(z) center + scale * h$inverse(z),
    log_slope = function(y) h$log_slope((y - center) / scale) - log(scale)
  )
}

# A Gaussian process for the logarithm of the mean of Gamma responses, by Laplace's approximation.
by_gpboost_gamma <- function(problem) {
  fit <- fit_gpboost(problem$x, problem$y, "gamma")
  found <- predict_gpboost(fit, problem$x_new, FALSE)
  shape <- gpboost::get_aux_pars(fit)[["shape"]]
  count <- 1000L * length(found$mu)
  means <- exp(found$mu + sqrt(found$var) * stats::rnorm(count))
  sampled(matrix(stats::rgamma(count, shape, shape / means), length(found$mu)))
}

# --- samplers -------------------------------------------------------------------------------------

# Traces are on the scale that it works on, range one: the response is given on it. It writes them
# into files of the working directory.
by_tgp <- function(problem) {
  before <- setwd(tempdir())
  on.exit(setwd(before))
  center <- mean(problem$y)
  scale <- diff(range(problem$y))
  fit <- tgp::btgp(problem$x, (problem$y - center) / scale, problem$x_new, BTE = c(1000, 4000, 3),
                   m0r1 = FALSE, trace = TRUE, verb = 0)
  sampled(center + scale * t(as.matrix(fit$trace$preds$ZZ)))
}

by_deepgp <- function(problem) {
  z <- scale(problem$y)
  fit <- deepgp::fit_two_layer(problem$x, as.vector(z), nmcmc = 2000, verb = FALSE)
  found <- stats::predict(deepgp::trim(fit, 1000, 5), problem$x_new)
  scale <- attr(z, "scaled:scale")
  location_scale(attr(z, "scaled:center") + scale * found$mean, scale * sqrt(drop(found$s2)))
}

# It finds covariance functions by name only when GpGp is attached. Its default, an isotropic Matern
# covariance of estimated smoothness, stops R on some of these data sets.
by_sebr <- function(name) {
  function(problem) {
    library(GpGp)
    fitter <- getExportedValue("SeBR", name)
    fit <- fitter(problem$y, problem$x, locs_test = problem$x_new,
                  covfun_name = "matern25_scaledim")
    sampled(t(fit$post_ypred))
  }
}

# Two inputs: Box-Cox with lambda estimated where responses are positive, Matern covariance with one
# range, conditional simulation.
by_geor <- function(problem) {
  y <- problem$y
  positive <- all(y > 0)
  geodata <- geoR::as.geodata(data.frame(problem$x, y = y))
  variance <- stats::var(if (positive) log(y) else y)
  fit <- geoR::likfit(geodata, ini.cov.pars = c(variance, 0.2), nugget = 0.1 * variance,
                      fix.lambda = !positive, kappa = 1.5, cov.model = "matern", messages = FALSE)
  found <- geoR::krige.conv(
    geodata, locations = problem$x_new, krige = geoR::krige.control(obj.model = fit),
    output = geoR::output.control(n.predictive = 1000, signal = FALSE, messages = FALSE)
  )
  sampled(found$simulations)
}

# --- not Gaussian processes -----------------------------------------------------------------------

# A smooth of each input, or of both of two numbers together; of so few basis functions that
# they are fewer than half of the rows in all `formulas` of a model.
gam_terms <- function(train, formulas = 1L) {
  inputs <- train[names(train) != "y"]
  distinct <- vapply(inputs, function(x) if (is.numeric(x)) length(unique(x)) else 0L, 0L)
  size <- pmin(distinct - 1L, 10L, max(3L, nrow(train) %/% (2L * formulas * length(inputs))))
  if (length(inputs) == 2L && all(distinct > 30L)) {
    return(paste0("te(", toString(names(inputs)), ", k = 5)"))
  }
  terms <- ifelse(size >= 3L, paste0("s(", names(inputs), ", k = ", size, ")"), names(inputs))
  paste(terms, collapse = " + ")
}

by_gam <- function(family) {
  function(problem) {
    terms <- gam_terms(problem$train, if (family == "gaulss") 2L else 1L)
    means <- stats::as.formula(paste("y ~", terms))
    if (family == "gaulss") return(by_gaulss(means, problem))
    families <- list(gaussian = stats::gaussian(), gamma = stats::Gamma("log"), scat = mgcv::scat())
    fit <- mgcv::gam(means, families[[family]], problem$train, method = "REML")
    found <- stats::predict(fit, problem$new, type = "response", se.fit = TRUE)
    mean <- as.vector(found$fit)
    if (family == "gaussian") return(location_scale(mean, sqrt(found$se.fit^2 + fit$sig2)))
    if (family == "scat") {
      shape <- fit$family$getTheta(TRUE)
      return(location_scale(mean, rep(shape[2L], length(mean)), shape[1L]))
    }
    shape <- 1 / fit$sig2
    scorer(
      quantile = function(p) mean / shape * matrix(stats::qgamma(p, shape), length(mean), length(p),
                                                   byrow = TRUE),
      log_density = function(y) stats::dgamma(y, shape, shape / mean, log = TRUE)
    )
  }
}

# The standard deviation of the response has a smooth of each input too.
by_gaulss <- function(means, problem) {
  fit <- mgcv::gam(list(means, means[-2L]), mgcv::gaulss(), problem$train, method = "REML")
  found <- stats::predict(fit, problem$new, type = "response")
  location_scale(found[, 1L], 1 / found[, 2L])
}

# Box-Cox t, or t where responses are not positive, with P-splines in the location.
by_gamlss <- function(problem) {
  library(gamlss)
  inputs <- problem$train[names(problem$train) != "y"]
  smooth <- vapply(inputs, function(x) is.numeric(x) && length(unique(x)) > 9L, NA)
  terms <- ifelse(smooth, paste0("pb(", names(inputs), ")"), names(inputs))
  family <- if (all(problem$y > 0)) "BCTo" else "TF"
  train <<- problem$train # gamlss::predictAll() looks for the data by their name, globally
  fit <- gamlss::gamlss(stats::as.formula(paste("y ~", paste(terms, collapse = " + "))),
                        family = family, data = train, trace = FALSE,
                        control = gamlss::gamlss.control(n.cyc = 100, trace = FALSE))
  found <- gamlss::predictAll(fit, newdata = problem$new, data = train, type = "response")
  parameters <- found[intersect(c("mu", "sigma", "nu", "tau"), names(found))]
  quantile_of <- getExportedValue("gamlss.dist", paste0("q", family))
  density_of <- getExportedValue("gamlss.dist", paste0("d", family))
  scorer(
    quantile = function(p) vapply(p, function(p) do.call(quantile_of, c(p, parameters)),
                                  numeric(nrow(problem$new))),
    log_density = function(y) do.call(density_of, c(list(y), parameters, log = TRUE))
  )
}

# Responses of the training rows that share a leaf with the new one.
by_forest <- function(problem) {
  fit <- ranger::ranger(y ~ ., problem$train, num.trees = 1000, quantreg = TRUE, num.threads = 1)
  draw <- function(y) sample(y, 1000L, TRUE)
  sampled(stats::predict(fit, problem$new, type = "quantiles", what = draw)$predictions)
}

by_bart <- function(h = NULL) {
  function(problem) {
    y <- if (is.null(h)) problem$y else h$value(problem$y)
    fit <- dbarts::bart(problem$x, y, problem$x_new, verbose = FALSE, nthread = 1)
    mixture_of_normals(t(fit$yhat.test), rep(fit$sigma, each = ncol(fit$yhat.test)), h)
  }
}

# --- all of them ----------------------------------------------------------------------------------

positive_response <- function(set) all(set$data$y > 0)
planar <- function(set) ncol(set$data) == 3L && all(vapply(set$data, is.numeric, NA))

# run: the method; package: what it needs; for_set: whether it is for a data set.
method <- function(run, package = "btg", for_set = function(set) TRUE, slow = FALSE) {
  list(run = run, package = package, for_set = for_set, slow = slow)
}

methods <- list(
  "btg" = method(by_btg(btg::btg)),
  "btg sinharcsinh" = method(by_btg(btg::btg, transform = "sinharcsinh")),
  "wgp identity" = method(by_btg(btg::wgp, transform = "identity")),
  "wgp boxcox" = method(by_btg(btg::wgp, transform = "boxcox"), for_set = positive_response),
  "wgp sinharcsinh" = method(by_btg(btg::wgp, transform = "sinharcsinh")),
  "RobustGaSP" = method(plain(by_robustgasp), "RobustGaSP"),
  "hetGP" = method(plain(by_hetgp), "hetGP"),
  "homGP" = method(plain(by_homgp), "hetGP"),
  "DiceKriging" = method(plain(by_dicekriging), "DiceKriging"),
  "rlibkriging" = method(plain(by_rlibkriging), "rlibkriging"),
  "GPBoost" = method(plain(by_gpboost), "gpboost"),
  "GPBoost, Gamma" = method(by_gpboost_gamma, "gpboost", positive_response),
  "laGP" = method(plain(by_lagp), "laGP"),
  "GauPro" = method(plain(by_gaupro), "GauPro", slow = TRUE),
  "RobustGaSP, warped" = method(warped(by_robustgasp), "RobustGaSP"),
  "hetGP, warped" = method(warped(by_hetgp), "hetGP", slow = TRUE),
  "DiceKriging, warped" = method(warped(by_dicekriging), "DiceKriging", slow = TRUE),
  "RobustGaSP, warped, Box-Cox" = method(transformed(by_robustgasp), "RobustGaSP"),
  "hetGP, warped, Box-Cox" = method(transformed(by_hetgp), "hetGP"),
  "DiceKriging, warped, Box-Cox" = method(transformed(by_dicekriging), "DiceKriging"),
  "gam" = method(by_gam("gaussian"), "mgcv"),
  "gam, Gamma" = method(by_gam("gamma"), "mgcv", positive_response),
  "gam, scat" = method(by_gam("scat"), "mgcv"),
  "gam, gaulss" = method(by_gam("gaulss"), "mgcv", slow = TRUE),
  "gamlss" = method(by_gamlss, "gamlss", slow = TRUE),
  "quantile forest" = method(by_forest, "ranger"),
  "BART" = method(by_bart(), "dbarts"),
  "BART, log" = method(by_bart(box_cox(0)), "dbarts", positive_response),
  "geoR" = method(by_geor, "geoR", planar),
  "SeBR Box-Cox" = method(by_sebr("bgp_bc"), "SeBR", slow = TRUE),
  "SeBR" = method(by_sebr("sbgp"), "SeBR", slow = TRUE),
  "tgp" = method(by_tgp, "tgp", slow = TRUE),
  "deepgp" = method(by_deepgp, "deepgp", slow = TRUE)
)
