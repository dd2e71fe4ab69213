#' Summarise a fit
#'
#' The posterior of each hyperparameter, and how the integral over them was done.
#'
#' @param object A fit by [btg()].
#' @param ... Not used.
#' @return A list of class `summary.btg`:
#'   * `header`, lines that describe the model;
#'   * `hyperparameters`, a data frame with the posterior `mean`, `sd` and the 2.5%, 50% and 97.5%
#'     quantiles of each hyperparameter that is not fixed, in the units of [nodes()];
#'   * `fixed`, the values of those that are;
#'   * `quadrature`, a list: `log_evidence`, the log marginal likelihood of the model up to a
#'     constant; `nodes_tried`, `nodes_kept` and `nodes_failed`; `nodes_jittered` and
#'     `largest_jitter`, what was added to the diagonal of matrices that were singular to rounding;
#'     `dropped_mass`, the posterior mass of the nodes that were not kept; `effective_nodes`, one
#'     over the sum of the squared weights.
#' @examples
#' summary(btg(dist ~ speed, data = cars))
#' @export
summary.btg <- function(object, ...) {
  nodes <- nodes(object)
  fixed <- vapply(object$problem$hyperparameters, function(h) is.numeric(h$prior), NA)
  free <- hyper_names(object)[!fixed]
  rows <- lapply(free, function(name) summarise_weighted(nodes[[name]], nodes$weight))
  structure(
    list(
      header = format_header(object),
      hyperparameters = as.data.frame(do.call(rbind, stats::setNames(rows, free))),
      fixed = unlist(nodes[1L, hyper_names(object)[fixed], drop = FALSE]),
      quadrature = object$quadrature
    ),
    class = "summary.btg"
  )
}

summarise_weighted <- function(x, weight) {
  mean <- sum(weight * x)
  quantiles <- weighted_quantile(x, weight, c(0.025, 0.5, 0.975))
  c(mean = mean, sd = sqrt(sum(weight * (x - mean)^2)),
    "2.5%" = quantiles[1L], "50%" = quantiles[2L], "97.5%" = quantiles[3L])
}

# The smallest value up to which the weights reach p.
weighted_quantile <- function(x, weight, p) {
  order <- order(x)
  reached <- cumsum(weight[order])
  x[order][pmin(findInterval(p * reached[length(reached)], reached, left.open = TRUE) + 1L,
                length(x))]
}

#' @export
print.summary.btg <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat(x$header, sep = "\n")
  if (nrow(x$hyperparameters) > 0L) {
    cat("\nPosterior of the hyperparameters:\n")
    print(format(x$hyperparameters, digits = digits), ...)
  }
  if (length(x$fixed) > 0L) {
    cat("\nFixed: ", paste(names(x$fixed), "=", signif(x$fixed, digits), collapse = ", "), "\n",
        sep = "")
  }
  quadrature <- x$quadrature
  cat("\nLog evidence: ", format(quadrature$log_evidence, digits = digits),
      "; mass of dropped nodes: ", format(quadrature$dropped_mass, digits = 2), "\n", sep = "")
  if (quadrature$nodes_failed > 0L) {
    cat(quadrature$nodes_failed, "nodes could not be evaluated.\n")
  }
  if (quadrature$nodes_jittered > 0L) {
    cat(quadrature$nodes_jittered, " nodes were singular to rounding and got a jitter of at most ",
        format(quadrature$largest_jitter, digits = 2), ".\n", sep = "")
  }
  invisible(x)
}
