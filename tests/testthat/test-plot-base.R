# The words that were drawn: list(main, sub, xlab, ylab, outer), one value per panel.
words_drawn <- function(code) {
  calls <- recorded(code)
  named <- function(name) Filter(function(call) identical(call[[1]]$name, name), calls)
  texts <- function(k) {
    said <- lapply(named("C_title"), function(call) as.character(call[[k]]))
    unlist(Filter(function(x) any(nzchar(x)), said))
  }
  # `outer` is the fifth argument of mtext().
  outer <- Filter(function(call) isTRUE(call[[5]]), named("C_mtext"))
  list(main = texts(2), sub = texts(3), xlab = texts(4), ylab = texts(5),
       outer = unlist(lapply(outer, function(call) call[[2]])))
}

d <- transform(oracle_data(), f = factor(rep(c("a", "b"), 7)))
fit <- btg(y ~ x + f, d, transform = "softplus", quadrature = few_nodes(8))
average <- btg(y ~ x + w, d, kernel = "matern52", quadrature = few_nodes(32))
cv <- loocv(fit)

test_that("every plot accepts titles and labels", {
  plots <- list(
    list(fit), list(fit, which = "predicted"), list(fit, which = "hyperparameters"),
    list(fit, which = "transform"), list(fit, which = "quadrature"), list(average),
    list(average, which = "hyperparameters"), list(cv), list(cv, which = "pit"),
    list(btg_prior()), list(btg_prior(fixed = c(noise = 0.1)))
  )
  for (arguments in plots) {
    panels <- length(words_drawn(do.call(plot, arguments))$xlab)
    said <- words_drawn(do.call(plot, c(arguments, main = "the title", xlab = "along",
                                        ylab = "upwards")))
    expect_identical(said$xlab, rep("along", panels))
    # A shared axis has its label once in each row of panels.
    expect_true(length(said$ylab) %in% seq_len(panels) && all(said$ylab == "upwards"))
    expect_identical(if (panels == 1) said$main else said$outer[1L], "the title")
    each <- paste("panel", seq_len(panels))
    expect_identical(words_drawn(do.call(plot, c(arguments, list(main = each))))$main, each)
  }
})

test_that("labels can be mathematical, or none", {
  said <- words_drawn(plot(fit, variables = "x", xlab = quote(x[1]), ylab = expression(mu),
                           main = NULL))
  expect_identical(said[1:4], list(main = NULL, sub = NULL, xlab = "x[1]", ylab = "mu"))
  expect_match(said$outer, "^Line: median. Bands: 50% and 95% intervals of new observations")
  expect_identical(words_drawn(plot(fit, variables = "x", xlab = NULL))$xlab, NULL)
})

test_that("plots use the limits of the user", {
  limits <- function(...) {
    with_device({
      plot(..., xaxs = "i", yaxs = "i")
      graphics::par("usr")
    })
  }
  expect_equal(limits(fit, variables = "x", xlim = c(-3, 9), ylim = c(-1, 7)), c(-3, 9, -1, 7))
  expect_equal(limits(cv, which = "pit", xlim = c(0.1, 0.9), ylim = c(0, 4)), c(0.1, 0.9, 0, 4))
  noise <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes(8),
               prior = btg_prior(fixed = c(lengthscale.x = 2)))
  expect_equal(limits(noise, which = "hyperparameters", xlim = c(0.1, 9), ylim = c(0, 2)),
               c(log10(c(0.1, 9)), 0, 2))
  expect_equal(limits(btg_prior(fixed = c(noise = 1, sinharcsinh.a = 0, sinharcsinh.b = 1)),
                      xlim = c(0.01, 100), ylim = c(0, 3)), c(-2, 2, 0, 3))
})

test_that("settings of par() are used and restored", {
  with_device({
    graphics::par(mfrow = c(2, 1), mar = c(1, 1, 1, 1))
    before <- graphics::par(no.readonly = TRUE)
    plot(fit, mar = c(2, 2, 2, 2), mfrow = c(1, 3), main = "title")
    expect_identical(withVisible(plot(cv, main = "title")), list(value = cv, visible = FALSE))
    expect_invisible(plot(btg_prior(), mar = c(2, 2, 2, 2), main = "title"))
    plot(fit, variables = "x", mar = c(5, 6, 3, 2), col = "red")
    kept <- c("mar", "mfrow", "oma", "mgp", "las", "bty", "xpd", "col", "cex")
    expect_equal(graphics::par(no.readonly = TRUE)[kept], before[kept])
  })
})

test_that("unknown arguments are errors", {
  expect_error(draw(fit, mainn = "a"), "Did you mean `main`", class = "btg_error_unknown_argument")
  expect_error(draw(cv, titel = "a"), "`titel`", class = "btg_error_unknown_argument")
  expect_error(draw(btg_prior(), main = c("a", "b")), "4 panels, and 2",
               class = "btg_error_argument")
})

test_that("margins grow with the numbers and names of the axes", {
  with_device(width = 5, height = 4, {
    graphics::par(mar = c(4.2, 4.2, 1, 1), mgp = c(2.5, 0.7, 0))
    expect_gt(y_label_line("1000000"), y_label_line(c("0", "1")))
    panel_margins("1000000", NULL, FALSE)
    expect_gt(graphics::par("mar")[2], 4.2)
    long <- paste("a long name of a category", 1:5)
    expect_gt(x_label_line(long), x_label_line(NULL))
    panel_margins("1", long, TRUE)
    expect_equal(graphics::par("mar")[1], 4.2)
    panel_margins("1", long, FALSE)
    expect_gt(graphics::par("mar")[1], 4.2)
    expect_false(turns_names(c("a", "b")))
  })
})

test_that("panels of the same y axis have its label and numbers once, and the same size", {
  shared <- words_drawn(plot(fit, mfrow = c(1, 2)))
  expect_identical(shared$ylab, "y")
  expect_identical(words_drawn(plot(fit, mfrow = c(2, 1)))$ylab, c("y", "y"))
  expect_identical(words_drawn(plot(fit, mfrow = c(1, 2), ylab = c("a", "b")))$ylab, c("a", "b"))
  numbers <- function(...) {
    axes <- Filter(function(call) identical(call[[1]]$name, "C_axis"), recorded(plot(fit, ...)))
    # plot.default() makes calls without positions, which draw nothing.
    on_y <- Filter(function(call) call[[2]] == 2 && !is.null(call[[3]]), axes)
    vapply(on_y, function(call) !identical(call[[4]], FALSE), NA)
  }
  expect_identical(numbers(mfrow = c(1, 2)), c(TRUE, FALSE))
  expect_false(share_y_axis(fit_page(fit, "transform", NULL, 0.5, TRUE, NULL, NULL)$panels))
  expect_false(share_y_axis(loocv_page(cv, c("pit", "coverage"))$panels))
})

test_that("no panel of a page is higher than it should be", {
  with_device(width = 3, height = 6, {
    graphics::par(mfrow = c(1, 1), mar = c(3, 3, 3, 3))
    panel <- plot_panel(list(), "x", "y", tallest = 1)
    keep_shape(panel, 0:1, 0:1)
    graphics::plot.new()
    expect_equal(diff(graphics::par("pin")), 0)
    # The panel of a page of one row stands in the middle.
    expect_equal(graphics::par("mai")[1], graphics::par("mai")[3])
    graphics::par(mar = c(3, 3, 3, 3))
    keep_shape(plot_panel(list(), "x", "y"), 0:1, 0:1)
    expect_equal(graphics::par("mar"), c(3, 3, 3, 3))
  })
})

test_that("a flat page has more columns", {
  expect_equal(page_columns(3L, c(7, 7)), 2)
  expect_equal(page_columns(3L, c(7, 3.2)), 3)
  expect_equal(page_columns(1L, c(5, 5)), 1)
  expect_equal(page_columns(9L, c(10, 10)), 3)
  # Maps that are higher than wide stand side by side.
  expect_equal(page_columns(3L, c(10, 6), shape = 1.5), 3)
  expect_equal(page_columns(2L, c(4, 8), shape = 0.5), 1)
})

test_that("long words lose their end rather than become too small", {
  expect_identical(cut_short("a word", 1), "a word")
  expect_identical(cut_short("abcdefghij", 0.6), "abcd..")
  expect_identical(cut_short("abc", 0.1), "abc")
})
