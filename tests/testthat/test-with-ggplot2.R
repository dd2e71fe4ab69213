skip_if_not_installed("ggplot2")

d <- transform(oracle_data(), f = factor(rep(c("a", "b", "c"), length.out = 14)))
fit <- btg(y ~ x + w + f, d, transform = "sinharcsinh", quadrature = few_nodes(16))
average <- btg(y ~ x + w, d, quadrature = few_nodes(16))
likely <- wgp(y ~ x, d, transform = "boxcox")

drawn <- function(which, object = fit, ...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(object, which = which, ...)
}

# The data of the layers of a plot, as ggplot2 draws them.
layers <- function(...) ggplot2::ggplot_build(ggplot2::autoplot(...))$data

test_that("effects are those that plot() draws", {
  expect_message(found <- layers(fit, points = 6), "Not drawn: `f`.*variables = \"f\"",
                 class = "btg_message_not_drawn")
  expected <- drawn("fit", points = 6)
  expect_equal(found[[1]]$ymin, c(expected$x$`2.5%`, expected$w$`2.5%`))
  expect_equal(found[[2]]$ymax, c(expected$x$`75%`, expected$w$`75%`))
  expect_equal(found[[4]]$y, c(expected$x$median, expected$w$median))
  expect_equal(found[[3]]$y, rep(d$y, 2))
  expect_no_message(categories <- layers(fit, variables = "f"))
  expect_equal(categories[[4]]$y, expected$f$median)
  expect_error(ggplot2::autoplot(fit, variables = c("x", "f")), "`f`",
               class = "btg_error_argument")
})

test_that("the other plots show what plot() shows", {
  band <- drawn("transform", points = 7)
  found <- layers(fit, "transform", points = 7)
  expect_equal(found[[2]]$ymin, band$`2.5%`)
  expect_equal(found[[4]]$y, band$median)
  bars <- drawn("hyperparameters")
  expect_equal(layers(fit, "hyperparameters")[[1]]$ymax, bars$density)
  nodes <- drawn("quadrature")
  found <- layers(fit, "quadrature")
  expect_equal(found[[1]]$y, nodes$cumulative)
  expect_equal(found[[2]]$xintercept, fit$quadrature$effective_nodes)
  expect_equal(10^found[[3]]$y, nodes$weight)

  cv <- loocv(fit)
  expect_equal(layers(cv)[[3]]$y, cv$pointwise$y)
  expect_equal(layers(cv)[[3]]$x, cv$pointwise$median)
  pit <- layers(fit, "pit")[[1]]
  expect_equal(sum(pit$ymax * (pit$xmax - pit$xmin)), 1)
  half <- layers(cv, "coverage")[[3]]
  expect_equal(half$y[half$x == 0.5], mean(abs(cv$pointwise$pit - 0.5) <= 0.25))
})

test_that("averages and fits by wgp() are drawn", {
  for (which in c("fit", "transform", "predicted", "hyperparameters", "quadrature")) {
    expect_s3_class(ggplot2::autoplot(average, which), "ggplot")
    expect_gt(length(layers(average, which)), 0)
  }
  for (which in c("fit", "transform", "pit")) expect_gt(length(layers(likely, which)), 0)
  expect_error(ggplot2::autoplot(likely, "hyperparameters"), class = "btg_error_no_posterior")
  expect_error(ggplot2::autoplot(fit, "traces"), class = "btg_error_argument")
})

test_that("labels of hyperparameters are in their own units", {
  plot <- ggplot2::ggplot_build(ggplot2::autoplot(fit, "hyperparameters"))
  labels <- lapply(plot$layout$panel_params, function(panel) {
    labels <- panel$x$get_labels()
    as.numeric(labels[!is.na(labels) & labels != "NA"])
  })
  names(labels) <- as.character(plot$layout$layout$name)
  at <- nodes(fit)
  for (name in names(labels)) {
    shown <- labels[[name]]
    expect_gt(length(shown), 0)
    width <- diff(range(at[[name]]))
    expect_true(all(shown > min(at[[name]]) - width & shown < max(at[[name]]) + width))
  }
})

test_that("intervals have a legend", {
  skip_if_not_installed("ggplot2")
  d <- oracle_data()
  fit <- btg(y ~ x, d, transform = "softplus", quadrature = few_nodes(8))
  plot <- ggplot2::autoplot(fit, level = c(0.5, 0.9), points = 5)
  scales <- ggplot2::ggplot_build(plot)$plot$scales
  alpha <- scales$get_scales("alpha")
  expect_identical(alpha$name, "interval")
  expect_identical(alpha$get_labels(), c("90%", "50%"))
})

test_that("geom_smooth() draws a fit with its confidence band", {
  skip_if_not_installed("ggplot2")
  d <- oracle_data()
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
