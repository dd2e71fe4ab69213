draw <- function(...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(...)
}

fit <- grouped_case("identity")$fit

test_that("a panel for each term and numeric variable, and one for each group", {
  drawn <- draw(fit, which = "terms", points = 5)
  expect_named(drawn, c("main:x", "main:t", "additive(x, periodic(t, 3)):x",
                        "additive(x, periodic(t, 3)):t", "gp(t, by = g):t", "linear(x, t):x",
                        "linear(x, t):t", "(0 + x | g)", "(1 | g)"))
  curve <- drawn[["main:x"]]
  held <- data.frame(x = curve$value, t = median(fit$data$t), g = "a", h = 1)
  expect_equal(curve$value, seq(min(fit$data$x), max(fit$data$x), length.out = 5))
  # Medians of mixtures of symmetric distributions are near their means.
  mean <- predict(fit, held, type = "terms", se.fit = TRUE)
  expect_lt(max(abs(curve$median - mean$fit[, "main"]) / mean$se.fit[, "main"]), 0.2)
  expect_true(all(curve$`2.5%` < curve$median & curve$median < curve$`97.5%`))
})

test_that("effects of groups are drawn in order, and are those of group_effects()", {
  drawn <- draw(fit, which = "terms", points = 5)[["(1 | g)"]]
  expect_false(is.unsorted(drawn$median))
  effects <- group_effects(fit)
  effects <- effects[effects$term == "(1 | g)", ]
  expect_equal(drawn$`2.5%`, effects$lwr[match(drawn$value, effects$group)], tolerance = 1e-6)
})

test_that("variables choose panels, and ggplot2 draws the same page", {
  skip_if_not_installed("ggplot2")
  drawn <- draw(fit, which = "terms", variables = "t", points = 5)
  expect_named(drawn, c("main:t", "additive(x, periodic(t, 3)):t", "gp(t, by = g):t",
                        "linear(x, t):t", "(0 + x | g)", "(1 | g)", "(1 | h)"))
  plot <- ggplot2::autoplot(fit, which = "terms", variables = "t", points = 5)
  expect_s3_class(plot, "ggplot")
  expect_no_error(ggplot2::ggplot_build(plot))
})
