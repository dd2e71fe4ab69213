# Censored responses of a fit, as the user knows them.

# Returns the limits that the user reported. A response at a bound is exact to the user, although
# the latent response is censored there.
reported_limits <- function(fit) {
  limits <- limits_of(fit$design)
  at <- is_at_bound(fit$design, fit$scaling$y)
  at[rounded_rows(fit$design)] <- FALSE
  limits[at, ] <- fit_response(fit)[at]
  limits
}

# Returns the limits before rounding, which leaves responses exact.
stated_limits <- function(fit) {
  limits <- reported_limits(fit)
  rounded <- rounded_rows(fit$design)
  limits[rounded, ] <- fit_response(fit)[rounded]
  limits
}

# Returns limits of new responses that are rounded as those of the fit are.
rounded_limits <- function(fit, limits) {
  step <- fit$settings$rounding
  if (is.null(step)) {
    return(limits)
  }
  exact <- which(!are_intervals(limits))
  limits[exact, ] <- limits[exact, ] + rep(c(-step / 2, step / 2), each = length(exact))
  bounds <- fit$scaling$y
  if (!is.null(bounds$lower)) limits[which(limits[, 1L] <= bounds$lower), 1L] <- -Inf
  if (!is.null(bounds$upper)) limits[which(limits[, 2L] >= bounds$upper), 2L] <- Inf
  limits
}

# Returns the responses that are exact.
exact_response <- function(fit) fit_response(fit)[!are_intervals(reported_limits(fit))]

is_censored_fit <- function(fit) any(are_intervals(reported_limits(fit)))

# Aborts for what needs exact responses.
check_exact_responses <- function(fit, what, advice) {
  count <- sum(are_intervals(reported_limits(fit)))
  if (count > 0L) {
    abort_btg(c(paste0(what, " needs exact responses."),
                x = paste0(count_noun(count, "response is", "responses are"), " censored."),
                i = advice), "censored_fit")
  }
  invisible(fit)
}

# Returns the limits of observed responses: of `y`, or by default of the response of `newdata`.
# `censored` is an unevaluated argument, by default that of the fit.
observed_limits <- function(fit, newdata, y, censored, env) {
  given <- !is.null(y)
  if (!given) y <- observed_response(fit, newdata)
  # Responses given apart from the data are exact unless stated.
  if (is.null(censored) && !given) censored <- censored_of_call(fit, newdata)
  value <- rethrow_btg(eval(censored, as.data.frame(newdata), env),
                       "`censored` cannot be evaluated in `newdata`.", "censored")
  if (!is_surv(y)) y <- response_in_unit(y, fit$blueprint, fit$response_name)
  if (!is_surv(y) && is.null(dim(value))) check_response_type(y, fit$response_name)
  if (NROW(y) != NROW(newdata)) {
    abort_btg(c("`newdata` and its response must have as many rows as each other.",
                x = paste0("`newdata` has ", count_noun(NROW(newdata), "row"),
                           ", the response ", NROW(y), " values.")), "length")
  }
  limits <- response_limits(if (is_surv(y)) y else as.vector(y), value, fit$response_name)
  if (!is_limits(limits)) limits <- new_limits(y, y)
  check_limit_order(limits, fit$response_name, seq_len(nrow(limits)))
}

# Returns the argument `censored` of the fit's call. eval() could find its variables elsewhere.
censored_of_call <- function(fit, newdata) {
  censored <- fit$call$censored
  missing <- setdiff(all.vars(censored), names(newdata))
  if (length(missing) > 0L) {
    abort_btg(c("`newdata` does not have the limits of its responses.",
                x = paste0("The fit had `censored = ", deparse1(censored), "`; missing: ",
                           list_names(missing), "."),
                i = "Give `censored`, such as `censored = FALSE` if all are exact."), "censored")
  }
  censored
}
