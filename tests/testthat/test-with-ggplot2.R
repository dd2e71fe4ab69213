skip_if_not_installed("ggplot2")

d <- transform(oracle_data(), f = factor(rep(c("a", "b", "c"), length.out = 14)))
fit <- btg(y ~ x + w + f, d, transform = "sinharcsinh", quadrature = few_nodes(16))
average <- btg(y ~ x + w, d, quadrature = few_nodes(16))
likely <- wgp(y ~ x, d, transform = "boxcox")

path <- structure(data.frame(response = c(2, NA, 1), best = c(2, 2, 1),
                             how = c("initial", "ei", "ei")),
                  class = c("btg_optimised", "data.frame"))

# Distinct positions on the y axis, above the lowest: those that ggplot2 draws in panel k, and those
# of the plain data. The tests of plot() compare the data with oracles.
heights <- function(data, scale = identity) {
  columns <- c("y", "ymin", "ymax", "yend", "yintercept")
  y <- scale(unlist(lapply(data, function(layer) layer[intersect(columns, names(layer))])))
  sort(unique(round(unname(y - min(y)), 9)))
}
ggplot_heights <- function(plot, k) {
  heights(lapply(ggplot2::ggplot_build(plot)$data, function(layer) layer[layer$PANEL == k, ]))
}
panel_heights <- function(panel) {
  data <- lapply(panel$layers, function(layer) layer$data)
  data$corners <- list(y = axis_limits(panel, "y"))
  heights(data, if (panel$y$log) log10 else identity)
}

test_that("autoplot() draws the data of the panels, as plot() does", {
  skip_if_quick()
  page <- function(which, fit, variables = NULL) {
    fit_page(fit, which, variables, c(0.5, 0.9), TRUE, 5, NULL, alone = TRUE)
  }
  pages <- c(lapply(setdiff(names(fit_plots()), "noise"), page, fit),
             lapply(setdiff(names(fit_plots()), "noise"), page, average),
             lapply(c("fit", "transform", "pit"), page, likely),
             list(page("noise", fit, c("x", "f")), optimised_page(path),
                  prior_page(btg_prior(fixed = c(noise = 0.5)), 2, "sinharcsinh")))
  for (one in pages) {
    panels <- Filter(Negate(is.null), one$panels)
    plot <- ggplot_page(one)
    expect_s3_class(plot, "ggplot")
    for (k in seq_along(panels)) expect_equal(ggplot_heights(plot, k), panel_heights(panels[[k]]))
  }
})

test_that("the methods of autoplot() check their arguments", {
  expect_equal(ggplot_heights(ggplot2::autoplot(loocv(fit)), 1),
               ggplot_heights(ggplot2::autoplot(fit, "predicted"), 1))
  expect_s3_class(ggplot2::autoplot(path), "ggplot")
  expect_error(ggplot2::autoplot(likely, "hyperparameters"), class = "btg_error_no_posterior")
  expect_error(ggplot2::autoplot(fit, "traces"), class = "btg_error_argument")
  expect_error(ggplot2::autoplot(fit, "noise"), class = "btg_error_plot")
  expect_error(ggplot2::autoplot(fit, log = "x"), class = "btg_error_unknown_argument")
  expect_error(ggplot2::autoplot(btg_prior(), inputs = 0), class = "btg_error_argument")
})

test_that("autoplot() draws results for regions, sensitivity and influence", {
  case <- oracle_case("identity")
  grid <- expand.grid(x = c(1, 3, 5), w = c(5000, 5500))
  results <- list(
    predict_region(case$fit, case$new, c("a", "b", "b"), observation = TRUE, nsim = 64),
    exceedance_region(case$fit, grid, 1, observation = FALSE, nsim = 64),
    sensitivity(fit, nsim = 8), influence(fit, d[1:2, ])
  )
  pages <- list(region_page, exceedance_page, sensitivity_page, influence_page)
  for (i in seq_along(results)) {
    plot <- ggplot2::autoplot(results[[i]])
    expect_s3_class(plot, "ggplot")
    expect_equal(ggplot_heights(plot, 1), panel_heights(pages[[i]](results[[i]])$panels[[1]]))
    expect_error(ggplot2::autoplot(results[[i]], level = 2),
                 class = "btg_error_unknown_argument")
  }
})

test_that("each facet has the labels of its own axis", {
  labels_of <- function(plot) {
    built <- ggplot2::ggplot_build(plot)
    labels <- lapply(built$layout$panel_params, function(panel) {
      Filter(function(text) !text %in% c(NA, "NA"), as.character(panel$x$get_labels()))
    })
    stats::setNames(labels, as.character(built$layout$layout$panel))
  }
  labels <- labels_of(ggplot2::autoplot(fit, "hyperparameters"))
  at <- nodes(fit)
  for (name in names(labels)) {
    shown <- as.numeric(labels[[name]])
    expect_gt(length(shown), 0)
    width <- diff(range(at[[name]]))
    expect_true(all(shown > min(at[[name]]) - width & shown < max(at[[name]]) + width))
  }
  dated <- transform(d, day = as.Date("2024-03-01") + 7 * seq_len(14))
  by_day <- btg(y ~ day + f + x, dated, transform = "identity", quadrature = few_nodes(8))
  labels <- labels_of(ggplot2::autoplot(by_day, points = 5))
  expect_named(labels, c("day", "f", "x"))
  expect_true("Apr" %in% labels$day)
  expect_identical(labels$f, c("a", "b", "c"))
  expect_true(all(as.numeric(labels$x) >= 0))
})

test_that("intervals have a legend", {
  plot <- ggplot2::autoplot(fit, level = c(0.5, 0.9), points = 5)
  alpha <- ggplot2::ggplot_build(plot)$plot$scales$get_scales("alpha")
  expect_identical(alpha$name, "interval")
  expect_identical(alpha$get_labels(), c("90%", "50%"))
})

test_that("geom_smooth() draws a fit with its confidence band", {
  smooth <- function(se) {
    plot <- ggplot2::ggplot(d, ggplot2::aes(.data$x, .data$y)) +
      ggplot2::geom_smooth(method = btg, formula = y ~ x, se = se, n = 5,
                           method.args = list(transform = "softplus", quadrature = few_nodes(8)))
    ggplot2::layer_data(plot)
  }
  drawn <- smooth(TRUE)
  fit <- btg(y ~ x, d, transform = "softplus", quadrature = few_nodes(8))
  expected <- predict(fit, data.frame(x = drawn$x), interval = "confidence")
  expect_equal(cbind(drawn$y, drawn$ymin, drawn$ymax), unname(expected), tolerance = 1e-6)
  expect_equal(smooth(FALSE)$y, unname(predict(fit, data.frame(x = drawn$x))), tolerance = 1e-6)
})

test_that("long labels are in several lines", {
  expect_identical(in_lines("short"), "short")
  expect_match(in_lines(strrep("long word ", 6)), "\n")
})
