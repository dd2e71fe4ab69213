# Predictive distributions of all the methods in one form: a function of the responses that were
# observed, one for each point, which returns their scores, a data frame of one row for each.

scorer <- function(quantile, log_density) {
  force(quantile)
  function(y) {
    ends <- quantile(c(0.025, 0.5, 0.975))
    data.frame(crps = crps_from_quantiles(quantile, y), log_score = log_density(y),
               lower = ends[, 1], median = ends[, 2], upper = ends[, 3])
  }
}

# The continuous ranked probability score is twice the mean over p of the quantile loss.
crps_from_quantiles <- function(quantile, y) {
  p <- stats::ppoints(1000L, 0.5)
  q <- quantile(p)
  2 * rowMeans((rep(p, each = length(y)) - (y < q)) * (y - q))
}

# A location-scale family: normal, or Student's t with `df`; behind a transform `h` (see below) of
# the response if there is one.
location_scale <- function(mean, sd, df = Inf, h = NULL) {
  inverse <- if (is.null(h)) base::identity else h$inverse
  scorer(
    quantile = function(p) inverse(mean + outer(sd, stats::qt(p, df))),
    log_density = function(y) {
      z <- if (is.null(h)) y else suppressWarnings(h$value(y))
      jacobian <- if (is.null(h)) 0 else suppressWarnings(h$log_slope(y))
      density <- stats::dt((z - mean) / sd, df, log = TRUE) - log(sd) + jacobian
      # No density where the transform has no value.
      ifelse(is.nan(density), -Inf, density)
    }
  )
}

# Draws: one row for each point. The density is a kernel estimate.
sampled <- function(draws) {
  scorer(
    quantile = function(p) t(apply(draws, 1L, stats::quantile, p, names = FALSE)),
    log_density = function(y) {
      vapply(seq_along(y), function(i) {
        log(mean(stats::dnorm(y[i], draws[i, ], stats::bw.nrd0(draws[i, ]))))
      }, 0)
    }
  )
}

# A mixture for each point, of equal weights: means and standard deviations have one row for each
# point. Quantiles are those of one draw of each component.
mixture_of_normals <- function(mean, sd, h = NULL) {
  z <- mean + sd * stats::rnorm(length(mean))
  drawn <- sampled(if (is.null(h)) z else h$inverse(z))
  function(y) {
    scores <- drawn(y)
    at <- if (is.null(h)) y else h$value(y)
    jacobian <- if (is.null(h)) 0 else h$log_slope(y)
    scores$log_score <- log(rowMeans(stats::dnorm(at, mean, sd))) + jacobian
    scores
  }
}

# The Box-Cox transform, or Yeo and Johnson's where a response is not positive.
box_cox <- function(lambda) {
  list(
    value = function(y) if (lambda == 0) log(y) else (y^lambda - 1) / lambda,
    inverse = function(z) if (lambda == 0) exp(z) else pmax(lambda * z + 1, 0)^(1 / lambda),
    log_slope = function(y) (lambda - 1) * log(y)
  )
}

yeo_johnson <- function(lambda) {
  up <- box_cox(lambda)
  down <- box_cox(2 - lambda)
  pick <- function(y, above, below) {
    y[] <- ifelse(y >= 0, above(1 + pmax(y, 0)), below(1 + pmax(-y, 0)))
    y
  }
  list(
    value = function(y) pick(y, up$value, function(v) -down$value(v)),
    inverse = function(z) {
      z[] <- ifelse(z >= 0, up$inverse(pmax(z, 0)) - 1, 1 - down$inverse(pmax(-z, 0)))
      z
    },
    log_slope = function(y) pick(y, up$log_slope, down$log_slope)
  )
}
