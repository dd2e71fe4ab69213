test_that("plot() draws the path, with failures", {
  path <- structure(data.frame(a = 1:3, response = c(2, NA, 1), best = c(2, 2, 1),
                               how = c("initial", "ei", "ei"), failure = c(NA, "no", NA)),
                    class = c("btg_optimised", "data.frame"), maximise = FALSE)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(path, main = "Path", log = "y"), path)
})
