# What each panel is titled, as it was drawn: list(main, xlab, ylab, outer), one value a panel.
words_drawn <- function(code) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  force(code)
  calls <- lapply(grDevices::recordPlot()[[1]], function(call) call[[2]])
  named <- function(name) Filter(function(call) identical(call[[1]]$name, name), calls)
  texts <- function(k) {
    said <- lapply(named("C_title"), function(call) as.character(call[[k]]))
    unlist(Filter(function(x) any(nzchar(x)), said))
  }
  # side is the third argument of mtext(), outer the fifth.
  outer <- Filter(function(call) isTRUE(call[[5]]), named("C_mtext"))
  list(main = texts(2), sub = texts(3), xlab = texts(4), ylab = texts(5),
       outer = unlist(lapply(outer, function(call) call[[2]])))
}

d <- transform(oracle_data(), f = factor(rep(c("a", "b"), 7)))
fit <- btg(y ~ x + f, d, transform = "softplus", quadrature = few_nodes(8))
average <- btg(y ~ x + w, d, kernel = "matern52", quadrature = few_nodes(32))
cv <- loocv(fit)

test_that("every plot takes titles and labels", {
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
    expect_identical(said$ylab, rep("upwards", panels))
    expect_identical(if (panels == 1) said$main else said$outer, "the title")
    each <- paste("panel", seq_len(panels))
    expect_identical(words_drawn(do.call(plot, c(arguments, list(main = each))))$main, each)
  }
})

test_that("labels can be mathematical, or none", {
  said <- words_drawn(plot(fit, variables = "x", xlab = quote(x[1]), ylab = expression(mu),
                           main = NULL))
  expect_identical(said, list(main = NULL, sub = NULL, xlab = "x[1]", ylab = "mu", outer = NULL))
  expect_identical(words_drawn(plot(fit, variables = "x", xlab = NULL))$xlab, NULL)
})

test_that("limits are those that were given", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  limits <- function(...) {
    graphics::par(xaxs = "r")
    plot(..., xaxs = "i", yaxs = "i")
    graphics::par("usr")
  }
  expect_equal(limits(fit, variables = "x", xlim = c(-3, 9), ylim = c(-1, 7)), c(-3, 9, -1, 7))
  expect_equal(limits(cv, which = "pit", xlim = c(0.1, 0.9), ylim = c(0, 4)), c(0.1, 0.9, 0, 4))
  noise <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes(8),
               prior = btg_prior(fixed = c(lengthscale.x = 2)))
  expect_equal(limits(noise, which = "hyperparameters", xlim = c(0.1, 9), ylim = c(0, 2)),
               c(log(c(0.1, 9)), 0, 2))
  expect_equal(limits(btg_prior(fixed = c(noise = 1, sinharcsinh.a = 0, sinharcsinh.b = 1)),
                      xlim = c(0.01, 100), ylim = c(0, 3)), c(-2, 2, 0, 3))
})

test_that("settings of par() are used and restored", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  graphics::par(mar = c(1, 1, 1, 1))
  before <- graphics::par(no.readonly = TRUE)
  plot(fit, mar = c(2, 2, 2, 2), mfrow = c(1, 3), main = "title")
  plot(cv, mar = c(2, 2, 2, 2), main = "title")
  plot(btg_prior(), mar = c(2, 2, 2, 2), main = "title")
  after <- graphics::par(no.readonly = TRUE)
  kept <- c("mar", "mfrow", "oma", "mgp", "las", "bty")
  expect_equal(after[kept], before[kept])
  plot(fit, variables = "x", mar = c(5, 6, 3, 2))
  expect_equal(graphics::par("mar"), c(1, 1, 1, 1))
})

test_that("what no plot knows is an error", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_error(plot(fit, mainn = "a"), "Did you mean `main`",
               class = "btg_error_unknown_argument")
  expect_error(plot(cv, titel = "a"), "`titel`", class = "btg_error_unknown_argument")
  expect_error(plot(btg_prior(), main = c("a", "b")), "4 panels, and 2",
               class = "btg_error_argument")
})

test_that("the colour is that of what is drawn, not of the axes", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  before <- graphics::par("col")
  plot(fit, variables = "x", col = "red", points = 5)
  expect_identical(graphics::par("col"), before)
  expect_identical(panel_colour(list(col = "red")), "red")
  expect_identical(panel_colour(list()), plot_colours[["line"]])
})

test_that("margins grow with the numbers and names of the axes", {
  grDevices::pdf(NULL, 5, 4)
  on.exit(grDevices::dev.off())
  graphics::par(panel_layout(1L))
  small <- panel_margins(list(), c(0, 1), NULL, NULL, FALSE)
  large <- panel_margins(list(), c(0, 1e6), NULL, NULL, FALSE)
  expect_gt(large[["y"]], small[["y"]])
  expect_gt(graphics::par("mar")[2], 4.2)
  long <- paste("a long name of a category", 1:5)
  expect_gt(panel_margins(list(), c(0, 1), long, NULL, FALSE)[["x"]], large[["x"]])
  expect_identical(short_names(c("short", long[1])), c("short", "a long name of a.."))
  expect_false(turns_names(c("a", "b")))
})

test_that("flat panels are put beside each other", {
  expect_equal(page_columns(3L, c(7, 7)), 2)
  expect_equal(page_columns(3L, c(7, 3.2)), 3)
  expect_equal(page_columns(1L, c(5, 5)), 1)
  expect_equal(page_columns(9L, c(10, 10)), 3)
})

test_that("words that do not fit lose their end rather than become too small", {
  expect_identical(cut_short("a word", 1), "a word")
  expect_identical(cut_short("abcdefghij", 0.6), "abcd..")
  expect_identical(cut_short("abc", 0.1), "abc")
})
