test_that("plot() draws the path, with failures", {
  path <- structure(data.frame(a = 1:3, response = c(2, NA, 1), best = c(2, 2, 1),
                               how = c("initial", "ei", "ei"), failure = c(NA, "no", NA)),
                    class = c("btg_optimised", "data.frame"), maximise = FALSE)
  expect_identical(draw(path, main = "Path", log = "y"), path)
  layers <- optimised_page(path)$panels[[1]]$layers
  expect_identical(lapply(layers, function(layer) layer$data$x),
                   list(initial = 1L, searched = 3L, best = 1:3, failed = 2L))
  path$response[3] <- -1
  expect_error(draw(path, log = "y"), "positive", class = "btg_error_argument")
  path$response[] <- NA
  expect_error(draw(path), class = "btg_error_plot")
})
