# Checks slopes of medians: they are the same on any number of threads and with cached factors, and
# agree with differences where those are accurate.

check_slopes <- function(fit, new, q, kernel) {
  numeric <- names(new)[vapply(new, is.double, NA)]
  wide <- is_wide(q)
  if (length(numeric) == 0L || !any(wide)) {
    return(NULL)
  }
  new <- new[wide, , drop = FALSE]
  slopes <- predict(fit, new, type = "slope")
  c(complain(!any(is.nan(slopes)), "a slope is NaN"),
    complain(identical(predict(fit, new, type = "slope", threads = 2), slopes),
             "slopes depend on the threads"),
    if (has_smooth_medians(fit, kernel)) {
      free <- !are_pinned(q[wide, , drop = FALSE], fit)
      unlist(lapply(intersect(numeric, colnames(slopes)), function(x) {
        gap <- slope_gap(fit, new[free, , drop = FALSE], x, slopes[free, x])
        complain(gap < 1e-3, paste("a slope along", x, "is off by", signif(gap, 2)))
      }))
    })
}

# The exponential kernel has kinks at the data; and where a matrix had to be made invertible, slopes
# have few digits.
has_smooth_medians <- function(fit, kernel) {
  kernel != "exponential"
}

# At rows of the data without noise a process is known, and medians over several nodes have kinks.
are_pinned <- function(q, fit) q[, "97.5%"] - q[, "2.5%"] < 1e-3 * fit$scaling$y$scale

# The largest error of `slope`, relative to the differences that it is compared with, among points
# where those of three widths agree.
slope_gap <- function(fit, new, x, slope) {
  unit <- stats::sd(fit$data[[x]])
  if (nrow(new) == 0L || !isTRUE(unit > 1e-9 * max(abs(new[[x]])))) {
    return(0) # a step would be rounded
  }
  median_at <- function(step) {
    moved <- new
    moved[[x]] <- moved[[x]] + step
    list(x = moved[[x]], median = as.vector(predict(fit, moved)))
  }
  differences <- vapply(c(1e-3, 5e-4, 2.5e-4), function(h) {
    up <- median_at(h * unit)
    down <- median_at(-h * unit)
    (up$median - down$median) / (up$x - down$x)
  }, slope)
  differences <- matrix(differences, length(slope))
  size <- apply(abs(differences), 1L, max)
  spread <- apply(differences, 1L, function(row) diff(range(row)))
  # Rounding of the medians themselves.
  rounding <- 1e-8 * abs(predict(fit, new)) / (1e-3 * unit)
  told <- is.finite(slope) & is.finite(spread) & spread < 1e-4 * size & rounding < 1e-4 * size
  if (!any(told)) {
    return(0)
  }
  compared$slopes <- compared$slopes + sum(told)
  max(abs(slope - differences[, 3L])[told] / size[told])
}
