page_of <- function(layers) plot_page(list(plot_panel(layers, "x", "y")), NULL)

test_that("a key has each label once, and inner bands as dark as they look", {
  bands <- curve_layers(1:3, data.frame(median = 1:3, a = 0, b = 0, c = 9, d = 9), c(0.5, 0.95))
  points <- list(plot_layer("points", x = 1, y = 1, label = "data", colour = "data"),
                 plot_layer("points", x = 2, y = 1, label = "data", colour = "data"))
  page <- page_of(c(bands, points))
  key <- legend_entries(page_layers(page), intervals = TRUE)
  expect_identical(key$label, c("95% interval", "50% interval", "data"))
  expect_equal(key$alpha, c(0.18, 1 - 0.82 * 0.7, 1))
  expect_identical(legend_entries(page_layers(page))$label, "data")
  expect_null(legend_entries(page_layers(page_of(list(plot_layer("line", x = 1:2, y = 1:2))))))
})

test_that("keys have as many columns as fit", {
  expect_equal(key_columns(c("a", "b"), 60), 2)
  expect_equal(key_columns(rep(strrep("a", 30), 4), 70), 2)
  expect_equal(key_columns(strrep("a", 90), 70), 1)
})

test_that("base graphics draw one key and one caption per page", {
  d <- transform(oracle_data(), f = factor(rep(c("a", "b"), 7)))
  fit <- btg(y ~ x + f, d, transform = "softplus", quadrature = few_nodes(8))
  texts <- unlist(lapply(recorded(plot(fit)), function(call) {
    if (identical(call[[1]]$name, "C_text")) call[[3]]
  }))
  expect_identical(sum(texts == "95% interval"), 1L)
  expect_identical(sum(texts == "50% interval"), 1L)
})
