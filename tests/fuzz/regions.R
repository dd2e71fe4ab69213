# Properties of regions, joint exceedance, sensitivity and influence.

check_regions <- function(fit, new, q) {
  if (any(nodes(fit, predictive = TRUE)$weight < 0)) {
    return(NULL) # there is nothing to draw from
  }
  threshold <- stats::median(btg:::fit_response(fit))
  ask <- function(fun, ...) {
    unless_refused(predict_region(fit, new, fun = fun, observation = TRUE, nsim = 256, ...))
  }
  asked <- list(max = ask("max"), min = ask("min"), mean = ask("mean"),
                share = ask("share", threshold = threshold))
  if (any(vapply(asked, is.null, NA))) {
    return(NULL) # far from the data a trend makes covariances singular to rounding
  }
  found <- lapply(asked, function(region) region$estimates)
  again <- ask("mean", threads = 2)$estimates
  above <- 1 - as.vector(predict(fit, new, type = "cdf", at = threshold))
  # Draws of a mean may overflow where its distribution has heavy tails.
  finite <- Filter(function(one) all(is.finite(unlist(one[c("median", "lwr", "upr")]))), found)
  c(complain(all(vapply(finite, function(one) one$lwr <= one$median && one$median <= one$upr, NA)),
             "quantiles of a region are not in order"),
    complain(!isTRUE(found$max$median < found$min$median), "a maximum is below the minimum"),
    complain(identical(again, found$mean), "a region depends on the threads"),
    complain(abs(found$share$mean - mean(above)) < 1e-6, "a share is not that of its rows"),
    check_exceedance(fit, new, threshold))
}

# All rows of the region exceed the threshold with at least the level.
check_exceedance <- function(fit, new, threshold) {
  found <- unless_refused(exceedance_region(fit, new, threshold, observation = TRUE, nsim = 256))
  if (is.null(found)) {
    return(NULL)
  }
  found <- as.data.frame(found)
  # Joint probabilities are shares of 256 draws.
  inside <- found$region == "above"
  c(complain(all(found$joint >= 0 & found$joint <= 1), "a joint probability leaves [0, 1]"),
    complain(all(found$joint <= found$exceedance + 0.15), "a joint probability is above its row's"),
    complain(all(found$exceedance[inside] > 0.8), "a region has rows that hardly exceed"))
}

check_sensitivity <- function(fit) {
  found <- unless_refused(sensitivity(fit, points = 16, nsim = 64))
  if (is.null(found)) {
    return(NULL)
  }
  found <- as.data.frame(found)
  numbers <- unlist(found[-1L])
  ordered <- found$first_lwr <= found$first_upr & found$total_lwr <= found$total_upr
  c(complain(all(is.na(numbers) | (numbers >= 0 & numbers <= 1)), "an index leaves [0, 1]"),
    complain(!any(ordered %in% FALSE), "an interval of an index is reversed"))
}
