# Other packages for large data: each takes a set (see data.R), and returns seconds of the processor
# and a predictive distribution at its test rows (see ../peers/predictive.R).

timed <- function(fit, predict) {
  fit_seconds <- seconds_of(fitted <- silently(fit()))
  predict_seconds <- seconds_of(scorer <- silently(predict(fitted)))
  list(fit = fit_seconds, predict = predict_seconds, scorer = scorer)
}

inputs_of <- function(data) as.matrix(data[setdiff(names(data), "y")])

# In standard deviations of the training rows.
standard_inputs <- function(set, data) {
  sweep(inputs_of(data), 2L, apply(inputs_of(set$train), 2L, stats::sd), "/")
}

by_large_btg <- function(set, ...) {
  inputs <- set$test
  timed(
    function() btg::btg(y ~ ., set$train, transform = set$transform, ...),
    function(fit) {
      ends <- stats::predict(fit, inputs, interval = "prediction")
      function(y) {
        scores <- btg::predictive_scores(fit, inputs, y)
        data.frame(crps = scores$crps, log_score = scores$log_score, lower = ends[, "lwr"],
                   median = ends[, "fit"], upper = ends[, "upr"])
      }
    }
  )
}

# The same without an approximation, of some of the rows.
by_exact_btg <- function(set) {
  set$train <- set$train[seq_len(min(1000L, nrow(set$train))), ]
  by_large_btg(set, approx = "exact")
}

# GpGp gives means, and draws of responses given the data: their variance is taken from 60 of these.
by_gpgp <- function(set, logarithm) {
  if (logarithm && any(set$train$y <= 0)) {
    return(NULL)
  }
  y <- if (logarithm) log(set$train$y) else set$train$y
  x <- standard_inputs(set, set$train)
  x_new <- standard_inputs(set, set$test)
  timed(
    function() {
      GpGp::fit_model(y, x, matrix(1, nrow(x), 1L), "matern25_scaledim", m_seq = c(10, 30),
                      silent = TRUE)
    },
    function(fit) {
      one <- matrix(1, nrow(x_new), 1L)
      mean <- drop(GpGp::predictions(fit, x_new, one, m = 60))
      draws <- GpGp::cond_sim(fit, x_new, one, m = 60, nsims = 60)
      location_scale(mean, sqrt(rowMeans((draws - mean)^2)), h = if (logarithm) box_cox(0))
    }
  )
}

by_lagp <- function(set, logarithm) {
  if (logarithm && any(set$train$y <= 0)) {
    return(NULL)
  }
  y <- if (logarithm) log(set$train$y) else set$train$y
  low <- apply(inputs_of(set$train), 2L, min)
  range <- apply(inputs_of(set$train), 2L, function(v) diff(range(v)))
  scale_inputs <- function(data) sweep(sweep(inputs_of(data), 2L, low), 2L, range, "/")
  x <- scale_inputs(set$train)
  x_new <- scale_inputs(set$test)
  timed(
    function() NULL,
    function(fit) {
      found <- laGP::aGPsep(x, y, x_new, d = laGP::darg(NULL, x), g = laGP::garg(list(mle = TRUE), y),
                            end = 50, verb = 0)
      location_scale(found$mean, sqrt(found$var), h = if (logarithm) box_cox(0))
    }
  )
}

# Two inputs only.
by_brisc <- function(set, logarithm) {
  if (ncol(set$train) != 3L || (logarithm && any(set$train$y <= 0))) {
    return(NULL)
  }
  y <- if (logarithm) log(set$train$y) else set$train$y
  timed(
    function() {
      BRISC::BRISC_estimation(inputs_of(set$train), y, n.neighbors = 15, verbose = FALSE)
    },
    function(fit) {
      found <- BRISC::BRISC_prediction(fit, inputs_of(set$test), verbose = FALSE)
      sd <- (found$prediction.ci[, 2L] - found$prediction.ci[, 1L]) / (2 * stats::qnorm(0.975))
      location_scale(found$prediction, sd, h = if (logarithm) box_cox(0))
    }
  )
}

by_gpboost <- function(set, logarithm) {
  if (logarithm && any(set$train$y <= 0)) {
    return(NULL)
  }
  y <- if (logarithm) log(set$train$y) else set$train$y
  x <- standard_inputs(set, set$train)
  x_new <- standard_inputs(set, set$test)
  timed(
    function() {
      gpboost::fitGPModel(gp_coords = x, cov_function = "matern_ard", cov_fct_shape = 2.5,
                          likelihood = "gaussian", gp_approx = "vecchia", y = y,
                          X = matrix(1, nrow(x), 1L), num_parallel_threads = 1L)
    },
    function(fit) {
      found <- stats::predict(fit, gp_coords_pred = x_new, X_pred = matrix(1, nrow(x_new), 1L),
                              predict_var = TRUE)
      location_scale(found$mu, sqrt(found$var), h = if (logarithm) box_cox(0))
    }
  )
}

large_methods <- list(
  "btg" = list(run = by_large_btg, package = "btg"),
  "btg, 1000 rows" = list(run = by_exact_btg, package = "btg"),
  "GpGp" = list(run = function(set) by_gpgp(set, FALSE), package = "GpGp"),
  "GpGp, log" = list(run = function(set) by_gpgp(set, TRUE), package = "GpGp"),
  "GPBoost" = list(run = function(set) by_gpboost(set, FALSE), package = "gpboost"),
  "GPBoost, log" = list(run = function(set) by_gpboost(set, TRUE), package = "gpboost"),
  "laGP" = list(run = function(set) by_lagp(set, FALSE), package = "laGP"),
  "laGP, log" = list(run = function(set) by_lagp(set, TRUE), package = "laGP"),
  "BRISC" = list(run = function(set) by_brisc(set, FALSE), package = "BRISC"),
  "BRISC, log" = list(run = function(set) by_brisc(set, TRUE), package = "BRISC")
)
