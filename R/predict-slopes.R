# Computes slopes of predictions along the variables of the data by the chain rule: the core
# differentiates answers by its inputs, the blueprint differentiates inputs by the variables.

# Adds directions along all variables to the request, NULL for those that are not numbers.
with_slopes <- function(request, fit, newdata) {
  # The points themselves have already raised this message.
  along <- suppressMessages(blueprint_slopes(fit$blueprint, fit$scaling$x, fit$data,
                                             if (is.null(newdata)) fit$data else newdata),
                            classes = "btg_message_new_groups")
  variables <- names(fit$blueprint$columns)
  request$directions <- stats::setNames(along[variables], variables)
  request
}

# Returns posterior quantiles of slopes: of the conditional mean, or of the noise-free process.
slope_limits <- function(fit, request, of, ends) {
  check_differentiable(fit)
  request$questions <- list(conditional_mean = ends)
  request$observation <- request$observation && of == "mean"
  # The slopes themselves have already raised these warnings.
  core <- suppressWarnings(answer(ensemble_of(fit), request),
                           classes = paste0("btg_warning_", c("lost_mass", "rearranged")))
  core$answers$conditional_mean$slopes
}

# Slopes of the process exist if it has a mean-square derivative.
check_differentiable <- function(fit) {
  kernels <- unique(unlist(lapply(kept_models(fit), function(model) {
    if (is.null(model$terms)) model$kernel$name else process_kernels(model$terms)
  })))
  rough <- Filter(function(name) registry()$kernels[[name]]$derivatives < 1, kernels)
  if (length(rough) > 0L) {
    abort_btg(c("A process of this fit has no derivative, so its slope has no distribution.",
                x = paste0("Its kernel is \"", rough[1L], "\"."),
                i = paste0("Compare two values of the variable instead, or fit with a smooth ",
                           "kernel, such as `kernel = \"matern52\"`.")), "slope")
  }
}

# Returns a matrix, or for types that take values an array with one slice per value. With the
# `level` of an interval, the array has three slices: slopes and their limits.
predicted_slopes <- function(fit, newdata, request, of, level = NULL) {
  request <- with_slopes(request, fit, newdata)
  answer <- answer(ensemble_of(fit), request)$answers[[1L]]
  slopes <- answer$slopes
  if (!is.null(level)) {
    limits <- slope_limits(fit, request, of, rbind(c((1 - level) / 2, (1 + level) / 2)))
    both <- array(c(slopes[, , 1L], limits), c(dim(slopes)[1:2], 3L))
    dimnames(both) <- c(dimnames(slopes)[1:2], list(c("fit", "lwr", "upr")))
    return(both)
  }
  if (of %in% c("response", "mean")) {
    if (of == "mean") warn_moments(answer$value[, 1L], request$points, of)
    flat <- slopes[, , 1L, drop = FALSE]
    return(array(flat, dim(flat)[1:2], dimnames(flat)[1:2]))
  }
  at <- request$questions[[1L]]
  if (nrow(at) == 1L) {
    dimnames(slopes)[[3L]] <- if (of == "quantile") percent_names(at) else value_names(at)
  }
  slopes
}
