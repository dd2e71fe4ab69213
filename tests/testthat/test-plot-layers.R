test_that("base graphics and ggplot2 draw the same plots and the same kinds of layers", {
  expect_identical(eval(formals(plot.btg)$which), names(fit_plots()))
  expect_identical(eval(formals(autoplot.btg)$which), names(fit_plots()))
  expect_setequal(eval(formals(autoplot.btg_loocv)$which), c(names(loocv_panels()), "residuals"))
  skip_if_not_installed("ggplot2")
  expect_setequal(setdiff(names(ggplot_kinds()), "corners"), names(base_kinds))
})

test_that("limits are the given ones, or the range of all layers", {
  day <- as.Date("2024-03-01") + 0:2
  layers <- list(points = plot_layer("points", x = day, y = c(0, 1, 10)),
                 line = plot_layer("horizontal", yintercept = -3))
  expect_identical(axis_limits(plot_panel(layers, "x", "y"), "y"), c(-3, 10))
  expect_identical(axis_limits(plot_panel(layers, "x", "y"), "x"), range(day))
  expect_identical(axis_limits(plot_panel(layers, "x", plot_axis("y", log = TRUE)), "y"), c(1, 10))
  expect_identical(axis_limits(plot_panel(layers, plot_axis("x", names = letters[1:3]), "y"), "x"),
                   c(0.5, 3.5))
})

test_that("logarithmic axes have a few round ticks", {
  for (limits in list(c(1, 2), c(3, 40), c(0.01, 9), c(0.5, 200), c(1e-5, 3e-3), c(1e-12, 1e6))) {
    ticks <- log_ticks(limits)
    expect_true(all(ticks$at >= limits[1] & ticks$at <= limits[2]))
    expect_true(length(ticks$at) >= 2 && length(ticks$at) <= 7)
    values <- vapply(as.list(ticks$labels), function(one) {
      if (is.character(one)) as.numeric(one) else eval(one)
    }, 0)
    expect_equal(values, ticks$at)
  }
})

test_that("the user's colour replaces that of curves, not of guides", {
  expect_identical(layer_colour(plot_layer("line", x = 1, y = 1), "red"), "red")
  expect_identical(layer_colour(diagonal_layer(), "red"), plot_colours[["guide"]])
})

test_that("long names are cut", {
  expect_identical(short_names(c("short", "a long name of a category", NA)),
                   c("short", "a long name of a..", "NA"))
})

test_that("censored responses are triangles towards their side, or segments between limits", {
  limits <- new_limits(c(1, -Inf, 2, 0), c(1, 0.5, Inf, 3))
  layers <- response_layers(1:4, c(1, 0.5, 2, 1.5), limits, colour = "data")
  expect_identical(lapply(layers, function(layer) layer$data$x),
                   list(data = 1L, below = 2L, above = 3L, between = 4L))
  expect_identical(c(layers$below$shape, layers$above$shape), c(6, 2))
  expect_identical(unlist(layers$between$data[c("y", "yend")]), c(y = 0, yend = 3))
  expect_named(response_layers(1:2, c(1, NA)), "data")
})

test_that("a gap is longer than an eighth of the range and three typical steps", {
  expect_null(data_gaps(c(0, 1, 2, 3, 4)))
  expect_equal(data_gaps(c(0:10, 15:20)), cbind(10, 15))
  expect_null(data_gaps(c(0:10, 12:20)))
  # Few even values have long steps, but no gap.
  expect_null(data_gaps(c(0, 5, 10)))
  # The curve may reach beyond the values.
  expect_equal(data_gaps(0:10, range = c(-5, 10)), cbind(-5, 0))
  expect_equal(data_gaps(10^c(0:10, 15:20), log = TRUE), cbind(1e10, 1e15))
})

test_that("a curve is pale within gaps, and its pieces meet at their ends", {
  curve <- data.frame(median = (0:20)^2, "2.5%" = -1, "97.5%" = 500, check.names = FALSE)
  layers <- curve_layers(0:20, curve, 0.95, gaps = cbind(10, 15))
  expect_named(layers, c("95%", "95% in gaps", "median", "median in gaps"))
  expect_identical(layers$median$data$x, c(0:10, 15:20))
  expect_identical(layers[["median in gaps"]]$data$x, 10:15)
  expect_identical(layers$median$data$group, rep(c(1L, 3L), c(11, 6)))
  expect_lt(layers[["95% in gaps"]]$alpha, layers[["95%"]]$alpha)
  expect_null(layers[["95% in gaps"]]$label)
  expect_named(curve_layers(0:20, curve, 0.95), c("95%", "median"))
})

test_that("lines are about equally long, and keep values with their names", {
  text <- "Line: median. Bands: intervals, each with the others at Temp = 79 and Wind = 9.7."
  lines <- strsplit(in_lines(text, 60L), "\n")[[1]]
  expect_length(lines, 2)
  expect_lt(abs(diff(nchar(lines))), 15)
  expect_identical(paste(lines, collapse = " "), text)
  expect_match(in_lines("the value x = 123456789 stands", 40L), "x = 1234")
  narrow <- vapply(20:80, function(width) {
    any(grepl("=$|^=", strsplit(in_lines(text, width), "\n")[[1]]))
  }, NA)
  expect_false(any(narrow[20:80 >= 40]))
  expect_identical(in_lines(""), "")
})

test_that("panels can share the limits of the response", {
  panels <- lapply(c(1, 7), function(y) {
    plot_panel(list(a = plot_layer("points", x = 1, y = y)), "x", "y")
  })
  expect_identical(lapply(share_y(panels), axis_limits, "y"), list(c(1, 7), c(1, 7)))
})
