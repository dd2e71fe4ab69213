limit_memory <- function(bytes, code) {
  before <- options(btg.memory = bytes)
  on.exit(options(before))
  code
}

file_with <- function(lines) {
  file <- tempfile()
  writeLines(lines, file)
  file
}

test_that("a fit that memory cannot hold is refused, with its size", {
  n <- 1e5
  big <- data.frame(x = seq_len(n), y = rep(c(1, 2, 4, 3), n / 4))
  limit_memory(16e9, {
    expect_error(btg(y ~ x, big, approx = "exact"),
                 "100,000 rows would need 240 GB, and 16 GB are allowed",
                 class = "btg_error_memory")
    expect_error(wgp(y ~ x, big, approx = "exact"), "240 GB", class = "btg_error_memory")
    expect_error(btg(y ~ x, big, approx = "exact", threads = 8), "640 GB",
                 class = "btg_error_memory")
  })
  limit_memory(1e8, {
    expect_error(btg(y ~ x, big), "approximation for 100,000 rows would need",
                 class = "btg_error_memory")
  })
  # Before anything is asked of the system.
  expect_error(check_fit_memory(1e7, 1), "2,400,000 GB", class = "btg_error_memory")
})

test_that("answers, draws, left-out rows and distributions that memory cannot hold are refused", {
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes())
  new <- data.frame(speed = 1:1000)
  limit_memory(1e5, {
    expect_error(predict(fit, new, type = "quantile", probs = 1:9 / 10), "answers would need",
                 class = "btg_error_memory")
    expect_error(simulate(fit, 100, newdata = new), "draws would need", class = "btg_error_memory")
    expect_error(simulate(fit, newdata = new), "covariance of 1,000 rows would need 16 MB",
                 class = "btg_error_memory")
    expect_error(loocv(fit, threads = 4), "fewer threads", class = "btg_error_memory")
    skip_if_not_installed("distributional")
    expect_error(predict(fit, new, type = "distribution"), class = "btg_error_memory")
  })
  expect_length(predict(fit, new), 1000)
})

test_that("the memory limit is the one that the system reports", {
  meminfo <- file_with(c("MemTotal:       32 kB", "MemAvailable:   24 kB", "Buffers: 1 kB"))
  control <- file_with("20000")
  unlimited <- file_with("max")
  none <- tempfile()
  expect_equal(memory_limit(meminfo, none), 24 * 1024)
  expect_equal(memory_limit(meminfo, unlimited), 24 * 1024)
  expect_equal(memory_limit(meminfo, control), 20000)
  expect_equal(memory_limit(none, none), 8e9)
  expect_equal(limit_memory(5, memory_limit(meminfo, none)), 5)
  expect_error(limit_memory("4 GB", memory_limit()), "btg.memory", class = "btg_error_argument")
})
