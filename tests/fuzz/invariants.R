# What must hold of any fit. Each check returns a description of what does not, or nothing.

probabilities <- c(0.001, 0.025, 0.25, 0.5, 0.75, 0.975, 0.999)

complain <- function(holds, what) if (!isTRUE(holds)) what

# Quantiles: numbers, in order, inside the support.
check_quantiles <- function(q, fit) {
  lower <- btg:::response_floor(fit$scaling$y) * fit$scaling$y$scale + fit$scaling$y$center
  c(complain(!anyNA(q), "a quantile is NA or NaN"),
    complain(!any(apply(q, 1L, is.unsorted)), "quantiles are not in order"),
    complain(all(q >= lower - 1e-12 * abs(lower)), "a quantile is below the support"))
}

# Some predictions overflow, and exact fits are narrower than doubles are apart.
is_wide <- function(q) {
  apply(q, 1L, function(row) all(is.finite(row)) && diff(range(row)) > 1e-9 * max(abs(row)))
}

# The cdf: of the quantiles what they were asked for, between 0 and 1, and monotone.
check_cdf <- function(fit, new, q) {
  wide <- is_wide(q)
  if (!any(wide)) {
    return(NULL)
  }
  new <- new[wide, , drop = FALSE]
  q <- q[wide, , drop = FALSE]
  cdf <- predict(fit, new, type = "cdf", at = q)
  inside <- q > apply(q, 1L, min)
  wanted <- matrix(probabilities, nrow(q), ncol(q), byrow = TRUE)
  grid <- rbind(apply(q, 1L, function(row) {
    ends <- range(row)
    seq(ends[1L] - diff(ends), ends[2L] + diff(ends), length.out = 30L)
  }))
  along <- predict(fit, new, type = "cdf", at = t(grid))
  gap <- max(0, abs(cdf - wanted)[inside])
  c(complain(gap < 1e-4, paste("cdf of quantiles off by", signif(gap, 2))),
    complain(all(along >= 0 & along <= 1), "a cdf leaves [0, 1]"),
    complain(all(apply(along, 1L, diff) >= -1e-9), "a cdf falls"))
}

# The density is not negative and integrates to the difference of the cdf.
check_density <- function(fit, new, q) {
  first <- new[1L, , drop = FALSE]
  ends <- q[1L, c(2L, 6L)]
  if (!all(is.finite(ends)) || !(diff(ends) > 1e-9 * max(abs(ends)))) {
    return(NULL)
  }
  between <- predict(fit, first, type = "quantile", probs = seq(0.026, 0.974, length.out = 300L))
  at <- sort(unique(c(seq(ends[1L], ends[2L], length.out = 1001L), between)))
  density <- as.vector(predict(fit, first, type = "density", at = rbind(at)))
  steps <- diff(at)
  area <- sum(steps * (utils::head(density, -1L) + utils::tail(density, -1L)) / 2)
  # A spike between two points is not seen: then the grid is too coarse to tell.
  seen <- max(utils::head(density, -1L) * steps, utils::tail(density, -1L) * steps) < 0.02
  cdf <- as.vector(predict(fit, first, type = "cdf", at = rbind(ends)))
  seen <- seen && abs(cdf[1L] - 0.025) < 1e-3 # not at an end of the support
  mass <- diff(cdf)
  c(complain(all(density >= 0), "a density is negative"),
    if (seen) complain(abs(area - mass) < 0.03,
                       paste("density integrates to", signif(area, 3), "not", signif(mass, 3))))
}

check_nodes <- function(fit) {
  weight <- nodes(fit)$weight
  predictive <- nodes(fit, predictive = TRUE)$weight
  c(complain(all(is.finite(weight)), "a weight is not finite"),
    complain(abs(sum(weight) - 1) < 1e-9, "weights do not sum to 1"),
    complain(abs(sum(predictive) - 1) < 1e-9, "predictive weights do not sum to 1"))
}

check_loocv <- function(fit) {
  loo <- loocv(fit)
  pointwise <- loo$pointwise
  done <- !is.na(pointwise$log_score)
  c(complain(!any(is.nan(unlist(pointwise[c("median", "lwr", "upr", "pit")][done, ]))),
             "a left-out prediction is NaN"),
    complain(all(pointwise$pit[done] >= 0 & pointwise$pit[done] <= 1), "a PIT leaves [0, 1]"),
    complain(all(pointwise$lwr[done] <= pointwise$upr[done]), "a left-out interval is reversed"),
    complain(all(pointwise$crps[done] >= 0), "a CRPS is negative"))
}

# Log posteriors at the same nodes, of the problem told otherwise: rows shuffled, inputs shuffled,
# the response and the numeric inputs in other units. They may differ by a constant (the Jacobian).
check_retold <- function(problem, fit, refit) {
  if (btg:::is_average(fit) || inherits(fit, "wgp")) {
    return(NULL)
  }
  # With hardly any noise the likelihood is ill-conditioned, and rounding shows.
  few <- nodes(fit)
  few <- utils::head(few[few$noise > 1e-5, ], 5L)
  base <- log_posterior(fit, few)
  usable <- is.finite(base)
  if (sum(usable) < 2L) {
    return(NULL)
  }
  compare <- function(data, what, scale = NULL) {
    other <- refit(data)
    same <- few
    if (!is.null(scale)) {
      columns <- paste0("lengthscale.", names(scale))
      known <- intersect(columns, names(few))
      same[known] <- Map(`*`, few[known], scale[match(known, columns)])
    }
    gap <- diff(range((log_posterior(other, same) - base)[usable]))
    complain(gap < 1e-5 * max(1, abs(diff(range(base[usable])))),
             paste0(what, ": log posterior differs by ", signif(gap, 2)))
  }
  data <- problem$data
  inputs <- names(data) != "y"
  numeric <- vapply(data, is.numeric, NA) & inputs
  scaled <- data
  scaled[numeric] <- lapply(data[numeric], `*`, 8) # a power of two: no rounding
  other_units <- data
  other_units$y <- 0.25 * data$y
  c(compare(data[rev(seq_len(nrow(data))), ], "rows reversed"),
    compare(data[c(rev(which(inputs)), which(!inputs))], "inputs reversed"),
    if (problem$ard && !problem$warp) {
      compare(scaled, "inputs in other units", stats::setNames(rep(8, sum(numeric)),
                                                               names(data)[numeric]))
    },
    compare(other_units, "response in other units"))
}
